"""Walls and steps of a space at one moment, in arrays that never change."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.grid.neighborhood import build_links, patch_links
from fieldcraft.space.kinds import graph_of

if TYPE_CHECKING:
    from fieldcraft.space.graph.graph import Graph
    from fieldcraft.space.space import Space

_BLOCK = 16
"""Cells that are cleared and published together."""


class GridSnapshot:
    """Walls and links of a grid at one moment, flat.

    `walls` (N,) bool, `links` numbers by cell, see `Grid.links`; `version` is the `walls_version`
    of that moment.
    """

    def __init__(
        self, walls: NDArray[np.bool_], links: NDArray[np.unsignedinteger], version: int
    ) -> None:
        self.version = version
        self.walls = read_only(walls.reshape(-1))
        self.links: NDArray[np.unsignedinteger] = read_only(links.reshape(-1))

    def __reduce__(self) -> tuple[Any, ...]:
        return GridSnapshot, (self.walls, self.links, self.version)

    @classmethod
    def of(cls, space: Grid, costs: NDArray[np.float64] | None = None) -> GridSnapshot:
        """Return the grid as it is now; where `costs`, one per cell, are infinite, there are walls
        as well.
        """
        if costs is None:
            return _grid_now(space)
        walls = space.walls | np.isinf(costs).reshape(space.shape)
        links = build_links(walls, space.terrain, space.neighborhood, space.wrap_flags)
        return cls(walls, links, space.walls_version)

    def updated(
        self, space: Space, costs: NDArray[np.float64] | None, changed: NDArray[np.int64]
    ) -> GridSnapshot:
        """Return the space as it is now, after the walls or costs of these cells have changed.
        Infinite costs are walls.
        """
        grid = _as_grid(space)
        if costs is None:
            return _grid_now(grid)
        walls = self.walls.copy()
        walls[changed] = grid.walls.reshape(-1)[changed] | np.isinf(costs[changed])
        flipped = changed[walls[changed] != self.walls[changed]]
        return self._patched(grid, walls, flipped, grid.walls_version)

    def walled(self, space: Space, cells: NDArray[np.int64]) -> GridSnapshot:
        """Return the same moment with walls in these cells as well."""
        walls = _changed(self.walls, cells, True)
        return self._patched(_as_grid(space), walls, cells, self.version)

    def opened(self, space: Space, cells: NDArray[np.int64]) -> GridSnapshot:
        """Return the same moment with these walls, ascending, open; as before, terrain does not
        block steps out of them.
        """
        walls = _changed(self.walls, cells, False)
        return self._patched(_as_grid(space), walls, cells, self.version, free=self.walls)

    def _patched(
        self,
        space: Grid,
        walls: NDArray[np.bool_],
        cells: NDArray[np.int64],
        version: int,
        free: NDArray[np.bool_] | None = None,
    ) -> GridSnapshot:
        """Return the snapshot with other walls in some cells; see `patch_links`."""
        shape = space.shape
        links = self.links.reshape(shape)
        if free is not None:
            free = free.reshape(shape)
        if len(cells):
            links = patch_links(
                links,
                cells,
                walls.reshape(shape),
                space.terrain,
                space.neighborhood,
                space.wrap_flags,
                free=free,
            )
        return GridSnapshot(walls, links, version)

    @cached_property
    def spans(self) -> NDArray[np.int64]:
        """[start, end) of stretches of cells, (N, 2), that hold all open cells."""
        blocks = np.logical_and.reduceat(self.walls, np.arange(0, len(self.walls), _BLOCK))
        edged = np.zeros(len(blocks) + 2, dtype=np.bool_)
        edged[1:-1] = ~blocks
        edges = np.flatnonzero(edged[1:] != edged[:-1]).reshape(-1, 2) * _BLOCK
        return np.minimum(edges, len(self.walls))


def _changed(
    walls: NDArray[np.bool_], cells: NDArray[np.int64], blocked: bool
) -> NDArray[np.bool_]:
    found = walls.copy()
    found[cells] = blocked
    return found


def _as_grid(space: Space) -> Grid:
    """Return the space of a snapshot of a grid, typed as a grid."""
    assert isinstance(space, Grid)
    return space


@cached_until_walls_change
def _grid_now(grid: Grid) -> GridSnapshot:
    version = grid.walls_version
    return GridSnapshot(grid.walls, grid.links(), version)


class GraphSnapshot:
    """Vertices and edges of a graph that were open at one moment.

    `walls` (N,) bool are the blocked vertices, and `sizes` (A,) the lengths of the arcs of its
    topology, infinite for blocked ones.
    """

    def __init__(self, walls: NDArray[np.bool_], sizes: NDArray[np.float64], version: int) -> None:
        self.version = version
        self.walls = read_only(walls)
        self.sizes = read_only(sizes)

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphSnapshot, (self.walls, self.sizes, self.version)

    @classmethod
    def of(cls, space: Space, costs: NDArray[np.float64] | None = None) -> GraphSnapshot:
        """Return the graph of a space as it is now; where `costs`, one per vertex, are infinite,
        there are walls as well.
        """
        now = _graph_now(graph_of(space))
        if costs is None:
            return now
        return cls(now.walls | np.isinf(costs), now.sizes, now.version)

    def updated(
        self, space: Space, costs: NDArray[np.float64] | None, changed: NDArray[np.int64]
    ) -> GraphSnapshot:
        """Return the space as it is now, whatever has `changed`."""
        return GraphSnapshot.of(space, costs)

    def walled(self, space: Space, vertices: NDArray[np.int64]) -> GraphSnapshot:
        """Return the same moment with walls at these vertices as well."""
        return GraphSnapshot(_changed(self.walls, vertices, True), self.sizes, self.version)

    def opened(self, space: Space, vertices: NDArray[np.int64]) -> GraphSnapshot:
        """Return the same moment with these vertices open."""
        return GraphSnapshot(_changed(self.walls, vertices, False), self.sizes, self.version)

    @property
    def blocked_arcs(self) -> NDArray[np.bool_]:
        """By arc of the topology: whether it is blocked."""
        return np.asarray(self.sizes == np.inf)

    @property
    def links(self) -> NDArray[np.bool_]:
        """By arc of the topology: whether it may be used."""
        return np.asarray(self.sizes < np.inf)


@cached_until_walls_change
def _graph_now(graph: Graph) -> GraphSnapshot:
    version = graph.walls_version
    lengths = graph.topology.lengths
    if graph.blocked_arcs.any():
        sizes = np.where(graph.blocked_arcs, np.inf, lengths)
    else:
        sizes = lengths
    return GraphSnapshot(graph.walls, sizes, version)


Snapshot = GridSnapshot | GraphSnapshot


def snapshot_of(space: Space, costs: NDArray[np.float64] | None = None) -> Snapshot:
    """Return a space as it is now; infinite `costs`, one per cell, are walls as well."""
    if isinstance(space, Grid):
        return GridSnapshot.of(space, costs)
    return GraphSnapshot.of(space, costs)
