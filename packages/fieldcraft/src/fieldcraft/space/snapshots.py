"""One moment's map: walls and steps in arrays that never change, for whoever works on while the map
changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.arrays import read_only
from fieldcraft.space.adjacency import cached_until_walls_change
from fieldcraft.space.neighborhood import build_links, patch_links

if TYPE_CHECKING:
    from fieldcraft.space.graph import Graph
    from fieldcraft.space.grid import Grid
    from fieldcraft.space.protocol import Space

__all__ = ["GraphSnapshot", "GridSnapshot", "Snapshot"]

_BLOCK = 16
"""Cells that are cleared and published together."""


class Snapshot(Protocol):
    """The snapshot of a space: `walls` (N,) bool, the `walls_version` it was taken at, and which
    steps are open.

    `links` are numbers by cell on a grid (see `Grid.links`, flat), and bools by arc on a graph.
    """

    version: int
    walls: NDArray[np.bool_]

    @property
    def links(self) -> NDArray[Any]:
        """Which steps may be made."""

    def walled(self, space: Space, cells: NDArray[np.int64]) -> Self:
        """The same moment if there were walls in these cells of the space as well."""

    def opened(self, space: Space, cells: NDArray[np.int64]) -> Self:
        """The same moment if these walls of the space, ascending, were open."""

    def mended(
        self,
        space: Space,
        version: int,
        costs: NDArray[np.float64] | None,
        changed: NDArray[np.int64],
    ) -> Self:
        """The space at this `walls_version`, after the walls or costs of these cells have changed.
        Infinite costs are walls.
        """


class GridSnapshot:
    """Walls and links of a grid at one moment, flat."""

    def __init__(
        self,
        space: Grid,
        walls: NDArray[np.bool_],
        into: NDArray[np.unsignedinteger],
        version: int,
        before: GridSnapshot | None = None,
    ) -> None:
        self.version = version
        self.walls = read_only(walls.reshape(-1))
        self.links: NDArray[np.unsignedinteger] = read_only(into.reshape(-1))
        self._open: NDArray[np.bool_] | None = None
        self._spans: NDArray[np.int64] | None = None
        # An older snapshot of the same space that knows which blocks have open cells.
        self._before: GridSnapshot | None = (
            before if before is None or before._open is not None else before._before
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return GridSnapshot, (None, self.walls, self.links, self.version)

    @classmethod
    def of(cls, space: Grid, costs: NDArray[np.float64] | None = None) -> GridSnapshot:
        """The space as it is now; where `costs`, one per cell, are infinite, there are walls as
        well.
        """
        version = space.walls_version
        if costs is None:
            known = _known.get(space)
            if known is None or known.version != version:
                known = _known[space] = cls(space, space.walls, space.links(), version, known)
            return known
        walls = space.walls | np.isinf(costs).reshape(space.shape)
        return cls(
            space,
            walls,
            build_links(walls, space.terrain, space.neighborhood, space.wrap),
            version,
        )

    def mended(
        self,
        space: Space,
        version: int,
        costs: NDArray[np.float64] | None,
        changed: NDArray[np.int64],
    ) -> GridSnapshot:
        """See `Snapshot.mended`."""
        grid = _squares(space)
        if costs is None:
            return GridSnapshot(grid, grid.walls, grid.links(), version, self)
        walls = self.walls.copy()
        walls[changed] = grid.walls.reshape(-1)[changed] | np.isinf(costs[changed])
        return self._rebuilt(grid, walls, changed[walls[changed] != self.walls[changed]], version)

    def walled(self, space: Space, cells: NDArray[np.int64]) -> GridSnapshot:
        """See `Snapshot.walled`."""
        walls = self.walls.copy()
        walls[cells] = True
        return self._rebuilt(_squares(space), walls, cells, self.version)

    def opened(self, space: Space, cells: NDArray[np.int64]) -> GridSnapshot:
        """See `Snapshot.opened`; steps out of what was a wall mind no terrain, as before."""
        walls = self.walls.copy()
        walls[cells] = False
        return self._rebuilt(_squares(space), walls, cells, self.version, free=self.walls)

    def _rebuilt(
        self,
        space: Grid,
        walls: NDArray[np.bool_],
        flipped: NDArray[np.int64],
        version: int,
        free: NDArray[np.bool_] | None = None,
    ) -> GridSnapshot:
        into, shape = self.links.reshape(space.shape), space.shape
        if len(flipped):
            leave = None if free is None else free.reshape(shape)
            blocked = walls.reshape(shape)
            into = patch_links(
                into, flipped, blocked, space.terrain, space.neighborhood, space.wrap, free=leave
            )
        return GridSnapshot(space, walls, into, version)

    def spans(self, space: Grid) -> NDArray[np.int64]:
        """[start, end) of stretches of cells, (N, 2), that hold all that is open."""
        if self._spans is None:
            if self._before is not None and self._before._open is not None:
                # A block that lost its last open cell may stay among them.
                self._open = self._before._open.copy()
                self._open[space.walls_changed(self._before.version) // _BLOCK] = True
                self._before = None
            else:
                cells = np.zeros(-(-len(self.walls) // _BLOCK) * _BLOCK, dtype=np.bool_)
                cells[: len(self.walls)] = ~self.walls
                self._open = np.logical_or.reduce(cells.reshape(-1, _BLOCK), axis=1)
            edged = np.zeros(len(self._open) + 2, dtype=np.bool_)
            edged[1:-1] = self._open
            edges = np.flatnonzero(edged[1:] != edged[:-1]).reshape(-1, 2) * _BLOCK
            self._spans = np.minimum(edges, len(self.walls))
        return self._spans


def _squares(space: Space) -> Grid:
    """The grid whose snapshot this is."""
    grid = space.sight_grid
    assert grid is not None
    return grid


_known: WeakKeyDictionary[Grid, GridSnapshot] = WeakKeyDictionary()


class GraphSnapshot:
    """Vertices and edges of a graph that were open at one moment.

    `walls` (N,) bool are the blocked vertices, and `sizes` (A,) the lengths of the arcs of its
    topology, infinite for closed ones.
    """

    def __init__(self, walls: NDArray[np.bool_], sizes: NDArray[np.float64], version: int) -> None:
        self.version = version
        self.walls = read_only(walls)
        self.sizes = read_only(sizes)

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphSnapshot, (self.walls, self.sizes, self.version)

    @classmethod
    def of(cls, space: Space, costs: NDArray[np.float64] | None = None) -> GraphSnapshot:
        """The graph of a space as it is now; where `costs`, one per vertex, are infinite, there are
        walls as well.
        """
        graph = space.graph
        plain = _plain(graph)
        return (
            plain
            if costs is None
            else cls(graph.walls | np.isinf(costs), plain.sizes, plain.version)
        )

    def mended(
        self,
        space: Space,
        version: int,
        costs: NDArray[np.float64] | None,
        changed: NDArray[np.int64],
    ) -> GraphSnapshot:
        """See `Snapshot.mended`; the arrays are made anew, so it does not matter what has
        `changed`.
        """
        return GraphSnapshot.of(space, costs)

    def walled(self, space: Space, vertices: NDArray[np.int64]) -> GraphSnapshot:
        """See `Snapshot.walled`."""
        walls = self.walls.copy()
        walls[vertices] = True
        return GraphSnapshot(walls, self.sizes, self.version)

    def opened(self, space: Space, vertices: NDArray[np.int64]) -> GraphSnapshot:
        """See `Snapshot.opened`."""
        walls = self.walls.copy()
        walls[vertices] = False
        return GraphSnapshot(walls, self.sizes, self.version)

    @property
    def closed(self) -> NDArray[np.bool_]:
        """By arc of the topology: whether it is closed."""
        return np.asarray(self.sizes == np.inf)

    @property
    def links(self) -> NDArray[np.bool_]:
        """By arc of the topology: whether it may be used."""
        return np.asarray(self.sizes < np.inf)


@cached_until_walls_change
def _plain(graph: Graph) -> GraphSnapshot:
    """The graph where all costs leave it open."""
    version, lengths = graph.walls_version, graph.topology.lengths
    return GraphSnapshot(
        graph.walls,
        np.where(graph.closed, np.inf, lengths) if graph.closed.any() else lengths,
        version,
    )
