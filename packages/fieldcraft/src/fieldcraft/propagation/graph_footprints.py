"""Walks that radial sources take over a graph at one moment, and the footprints of sources."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.propagation.footprints import (
    UNIT_SEARCHED,
    FieldsOfView,
    Footprints,
    Found,
    whole_radius,
)
from fieldcraft.space import Graph, GraphSnapshot, Grid, Space, check_lines_of_sight
from fieldcraft.space.adjacency import Adjacency, adjacency_of_arcs
from fieldcraft.space.graph_sight import SightSnapshot

__all__ = ["GraphFootprints", "GraphWalks", "Kept"]

_MOST_KEPT = 4_000_000  # vertices in footprints that are kept: 64 MB
_MOST_OPENED = 64  # walks with a block of walls opened
_SHUT = 2.0**55  # farther than any walk goes, in 1 / LENGTH_SCALE of a unit
_LONGEST = 2.0**38  # lengths are counted so finely that no walk passes this many units


class Kept:
    """Footprints by vertex and shape, as many as the memory holds."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], Found] = {}
        self._size = 0

    def get(self, cell: int, number: int) -> Found | None:
        """A footprint that is kept, or None."""
        return self._found.get((cell, number))

    def keep(self, cell: int, number: int, found: Found) -> Found:
        """Keep a footprint, in place of all others once they fill the memory."""
        if self._size > _MOST_KEPT:
            self._found.clear()
            self._size = 0
        self._size += len(found[0])
        self._found[cell, number] = found
        return found


@dataclass(frozen=True, eq=False)
class GraphWalks:
    """The walks over a `snapshot` of a graph, as `GridWalks` are for grids.

    `opaque` (N,) are those that hide: `blocked` itself where no others do.
    Vertices are laid out in rows of tiles: `walls` (rows, 16) is True for blocked ones and those
    that fill up the last tile. Lines of sight run over `squares`, if there are any. What a metric
    does not need is not worked out.
    """

    space: Space
    graph: Graph
    snapshot: GraphSnapshot
    squares: Grid | None
    opaque: NDArray[np.bool_]
    resistance: NDArray[np.float32] | None = None
    found: Kept = field(default_factory=Kept)
    opened_for: dict[bytes, GraphWalks] = field(default_factory=dict)

    @classmethod
    def of(cls, space: Space, resistance: NDArray[np.float32] | None = None) -> GraphWalks:
        """The walks over the graph of a space as it is now, whose vertices resist them by so much,
        world units.
        """
        graph = space.graph
        snapshot = GraphSnapshot.of(graph)
        opaque = snapshot.walls if graph.opaque is graph.walls else graph.opaque
        return cls(space, graph, snapshot, graph.sight_grid, opaque, resistance)

    @cached_property
    def walls(self) -> NDArray[np.bool_]:
        """Blocked vertices in rows of tiles, (rows, 16), and what fills up the last tile."""
        tile = kernels.radial.TILE_ROWS * kernels.radial.TILE_COLUMNS
        walls = np.ones(max(1, -(-len(self.blocked) // tile)) * tile, dtype=np.bool_)
        walls[: len(self.blocked)] = self.blocked
        # as those of grids are: kernels are compiled anew for arrays that can be written to
        walls.flags.writeable = False
        return walls.reshape(-1, kernels.radial.TILE_COLUMNS)

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """The walls of the vertices, (N,)."""
        return self.snapshot.walls

    @property
    def positions(self) -> NDArray[np.float64]:
        """Where the vertices are, (N, 2 or 3)."""
        return self.graph.positions

    def around(self, cell: int) -> NDArray[np.float64]:
        """Where the vertices are, (N, 2 or 3), as seen from one: on a torus of hexagons each on its
        near side.
        """
        return self.space.offsets_from(self.positions[cell]) if self._goes_round else self.positions

    @property
    def _goes_round(self) -> bool:
        return self.squares is None and self.space.period is not None

    @cached_property
    def adjacency(self) -> Adjacency:
        """The steps as they were then."""
        return adjacency_of_arcs(
            self.graph.topology, self.blocked, self.snapshot.blocked_arcs, from_walls=True
        )

    @cached_property
    def joints(self) -> Adjacency:
        """The steps as they would be without walls."""
        return adjacency_of_arcs(
            self.graph.topology,
            np.zeros(len(self.positions), dtype=np.bool_),
            self.snapshot.blocked_arcs,
        )

    def opened(self, cell: int, reach: float) -> GraphWalks:
        """The walks if the block of walls were open that a vertex stands in, as far as `reach`
        world units from it.
        """
        squares = (self.around(cell) - self.around(cell)[cell]) ** 2
        near = self.blocked & (squares.sum(axis=1) <= reach * reach * (1 + 1e-9))
        block, waiting = {cell}, [cell]
        for here in waiting:
            for end in self.joints.ends[
                self.joints.starts[here] : self.joints.starts[here + 1]
            ].tolist():
                if near[end] and end not in block:
                    block.add(end)
                    waiting.append(end)
        cells = np.array(sorted(block))
        known = self.opened_for.get(cells.tobytes())
        if known is None:
            if len(self.opened_for) >= _MOST_OPENED:
                self.opened_for.clear()
            snapshot = self.snapshot.opened(self.space, cells)
            opaque = snapshot.walls
            if self.opaque is not self.blocked:
                opaque = self.opaque.copy()
                opaque[cells] = False
            known = self.opened_for[cells.tobytes()] = replace(
                self, snapshot=snapshot, opaque=opaque, found=Kept(), opened_for={}
            )
        return known

    @cached_property
    def unit(self) -> float:
        """The shortest of all steps, so that it stays what it is when walls change."""
        sizes = self.graph.topology.lengths
        return max(float(sizes.min()), float(sizes.sum()) / _LONGEST) if len(sizes) else 1.0

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The lengths of `ways` in whole numbers of 1 / LENGTH_SCALE of the `unit`, with what the
        vertices that they enter resist.
        """
        sizes = np.rint(self.adjacency.lengths / self.unit * kernels.radial.LENGTH_SCALE).astype(
            np.int64
        )
        if self.resistance is None:
            return sizes
        extra = np.minimum(
            self.resistance.reshape(-1)[self.adjacency.ends]
            / self.unit
            * kernels.radial.LENGTH_SCALE,
            _SHUT,
        )
        return np.asarray(sizes + np.rint(extra).astype(np.int64))

    def renewal(self, changed: NDArray[np.int64]) -> Generator[int, None, GraphWalks]:
        """The walks over the graph as it is now, after changes; one unit of work."""
        walks = GraphWalks.of(self.space, self.resistance)
        yield 1
        return walks

    @cached_property
    def sight(self) -> SightSnapshot:
        """Lines of sight as they were then."""
        return SightSnapshot(self.graph, self.blocked, self.snapshot.blocked_arcs, self.opaque)


class GraphFootprints(Footprints[GraphWalks]):
    """Footprints of one metric on a graph, searched for and kept until walls change. A *shape* is a
    falloff and a radius.

    `thickness` is how far, in world units, the walls around a vertex that is one are open to its
    footprint.
    """

    def __init__(self, metric: str, thickness: float = 0.0) -> None:
        super().__init__()
        self._metric = metric
        self._thickness = thickness
        self._scratch: dict[bool, _Scratch] = {}
        self._views = FieldsOfView()

    def without_others(
        self, shapes: NDArray[np.int64], used: NDArray[np.bool_]
    ) -> tuple[GraphFootprints, NDArray[np.int64]]:
        """There are no tables to be dropped."""
        return self, shapes

    def search(
        self, walks: GraphWalks, cell: int, number: int, *, aside: bool = False
    ) -> Generator[int, None, Found]:
        """The footprint of a shape around a vertex: yields after each unit of work, returns
        vertices and weights.
        """
        found = walks.found.get(cell, number)
        if found is None:
            falloff, radius = self.shapes[number]
            around = (
                walks.opened(cell, min(self._thickness, radius))
                if self._thickness > 0 and walks.blocked[cell]
                else walks
            )
            cells, shares = yield from self._searched(around, cell, radius, aside)
            found = walks.found.keep(cell, number, (cells, falloff(shares)))
        yield 1
        return found

    def _searched(
        self, walks: GraphWalks, cell: int, radius: float, aside: bool
    ) -> Generator[int, None, Found]:
        """Vertices, and how far away each is as a share of the radius."""
        if self._metric == "straight":
            return self._straight(walks, cell, radius)
        if self._metric == "sight" and walks.squares is not None:
            walls = opaque = walks.blocked.reshape(walks.squares.shape)
            if walks.opaque is not walks.blocked:
                opaque = walks.opaque.reshape(walks.squares.shape)
            size = whole_radius(radius / walks.squares.cell_size)
            yield 1
            return self._views.around((walls, opaque), walks.squares.wrap, cell, size)
        if self._metric == "sight":
            check_lines_of_sight(walks.space, "Sight")
            yield 1
            seen = walks.sight.visible_from(cell, radius)
            return seen, np.minimum(
                np.sqrt(((walks.positions[seen] - walks.positions[cell]) ** 2).sum(axis=1))
                / radius,
                1.0,
            )
        if aside not in self._scratch or len(self._scratch[aside].seen) != len(walks.positions):
            self._scratch[aside] = _Scratch(len(walks.positions), len(walks.lengths))
        kernel = self._walk if self._metric == "path" else self._connect
        return (yield from kernel(walks, cell, radius, self._scratch[aside]))

    @staticmethod
    def _straight(walks: GraphWalks, cell: int, radius: float) -> Found:
        places = walks.around(cell)
        if places is walks.positions:
            near = walks.graph.topology.tree.query_ball_point(
                walks.positions[cell], radius * (1 + 1e-9), return_sorted=True
            )
            cells = np.asarray(near, dtype=np.int64)
        else:
            cells = np.arange(len(places))
        squares = ((places[cells] - places[cell]) ** 2).sum(axis=1)
        inside = squares <= radius * radius
        return cells[inside], np.sqrt(squares[inside]) / radius

    @staticmethod
    def _connect(
        walks: GraphWalks, cell: int, radius: float, scratch: _Scratch
    ) -> Generator[int, None, Found]:
        places = walks.around(cell)
        scratch.mark += 2
        head = tail = 0
        while tail == 0 or head < tail:
            before = head
            head, tail = kernels.graph_radial.connected(
                walks.adjacency.starts,
                walks.adjacency.ends,
                places,
                cell,
                radius,
                scratch.mark,
                head,
                tail,
                UNIT_SEARCHED,
                scratch.cells,
                scratch.squares,
                scratch.seen,
            )
            yield head - before
        return scratch.cells[:tail].astype(np.int64), np.sqrt(scratch.squares[:tail]) / radius

    @staticmethod
    def _walk(
        walks: GraphWalks, cell: int, radius: float, scratch: _Scratch
    ) -> Generator[int, None, Found]:
        scratch.mark += 2
        scratch.state[:] = 0
        scale = kernels.radial.LENGTH_SCALE * (radius / walks.unit)
        limit = int(min(scale * (1 + 1e-12), 2.0**62))
        while scratch.state[2] == 0 or scratch.state[0] > 0:
            kernels.graph_radial.path(
                walks.adjacency.starts,
                walks.adjacency.ends,
                walks.lengths,
                cell,
                limit,
                scratch.mark,
                UNIT_SEARCHED,
                scratch.cells,
                scratch.gone,
                scratch.state,
                scratch.of_paths,
            )
            yield 1
        found = int(scratch.state[1])
        return scratch.cells[:found].astype(np.int64), scratch.gone[:found] / scale


class _Scratch:
    """The scratch of a search."""

    def __init__(self, vertices: int, steps: int) -> None:
        self.mark = 0
        self.seen = np.zeros(vertices, dtype=np.int64)
        self.cells = np.zeros(vertices, dtype=np.int32)
        self.gone = np.zeros(vertices, dtype=np.int64)
        self.squares = np.zeros(vertices)
        heap = np.zeros(steps + 1, dtype=np.int64), np.zeros(steps + 1, dtype=np.int32)
        self.of_paths = (np.zeros(vertices, dtype=np.int64), self.seen, *heap)
        self.state: NDArray[Any] = np.zeros(3, dtype=np.int64)
