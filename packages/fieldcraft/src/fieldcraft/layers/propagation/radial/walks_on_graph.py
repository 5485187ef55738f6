"""Walks over a graph at one moment, on which footprints of sources are searched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.ranges import farthest_within
from fieldcraft.kernels.shared.arrays import Floats
from fieldcraft.layers.propagation.radial.walks import (
    Cells,
    FieldOfView,
    Found,
    Walks,
    counted_walk,
    rounded_radius,
    squared_offsets,
)
from fieldcraft.space import Graph, GraphSnapshot, Space, check_lines_of_sight
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.sight.over_polygons import SightSnapshot
from fieldcraft.space.sight.viewers import SightHeights
from fieldcraft.space.space_ranges import within_range, within_walk

_MOST_OPENED = 64  # walks with a block of walls opened
_BLOCKED = 2.0**55  # farther than any walk goes, in 1 / LENGTH_SCALE of a unit
_LONGEST = 2.0**38  # lengths are counted so finely that no walk passes this many units


class _Scratch:
    """Scratch of searches."""

    def __init__(self, vertices: int, steps: int) -> None:
        self.mark = 0
        self.seen = np.zeros(vertices, dtype=np.int64)
        self.cells = np.zeros(vertices, dtype=np.int32)
        self.distances = np.zeros(vertices, dtype=np.int64)
        self.squares = np.zeros(vertices)
        heap = np.zeros(steps + 1, dtype=np.int64), np.zeros(steps + 1, dtype=np.int32)
        self.of_paths = (np.zeros(vertices, dtype=np.int64), self.seen, *heap)


@dataclass(frozen=True, eq=False)
class GraphWalks(Walks):
    """See `Walks`; what a metric does not need is not computed.

    `blocked` and `opaque` (N,) are the same array where just the walls hide.
    """

    space: Space
    graph: Graph
    snapshot: GraphSnapshot
    opaque: NDArray[np.bool_]
    resistance: NDArray[np.float32] | None
    heights: SightHeights | None
    cached: dict[Any, Any]
    """Scratch and walks with walls opened."""

    @classmethod
    def of(
        cls,
        space: Space,
        resistance: NDArray[np.float32] | None = None,
        heights: SightHeights | None = None,
    ) -> GraphWalks:
        """Return the walks over the graph of a space as it is now; `resistance` of its vertices in
        world units.
        """
        graph = graph_of(space)
        snapshot = GraphSnapshot.of(graph)
        if graph.opaque is graph.walls:
            opaque = snapshot.walls
        else:
            opaque = graph.opaque
        return cls(space, graph, snapshot, opaque, resistance, heights, {})

    def renewed(self) -> GraphWalks:
        """Return the walks over the graph as it is now."""
        return GraphWalks.of(self.space, self.resistance, self.heights)

    @property
    def blocked(self) -> NDArray[np.bool_]:
        """The walls of the vertices, (N,)."""
        return self.snapshot.walls

    @property
    def walls(self) -> NDArray[np.bool_]:  # type: ignore[override]
        """The walls of the vertices in one row, (1, N)."""
        return self.blocked[np.newaxis]

    def over(self, heights: SightHeights | None) -> GraphWalks:
        """See `Walks.over`."""
        return replace(self, heights=heights)

    def opened(self, cell: int, reach: float) -> GraphWalks:
        """See `Walks.opened`."""
        squares = squared_offsets(self.space, self.graph.positions, self.graph.positions[cell])
        near = self.blocked & (squares <= within_range(self.space, reach) ** 2)
        block = {cell}
        waiting = [cell]
        joints = self._joints
        for here in waiting:
            for end in joints.ends[joints.starts[here] : joints.starts[here + 1]].tolist():
                if near[end] and end not in block:
                    block.add(end)
                    waiting.append(end)
        cells = np.array(sorted(block))
        known: dict[bytes, GraphWalks] = self.cached.setdefault("opened", {})
        if cells.tobytes() not in known:
            if len(known) >= _MOST_OPENED:
                known.clear()
            snapshot = self.snapshot.opened(self.space, cells)
            opaque = snapshot.walls
            if self.opaque is not self.blocked:
                opaque = self.opaque.copy()
                opaque[cells] = False
            known[cells.tobytes()] = replace(self, snapshot=snapshot, opaque=opaque, cached={})
        return known[cells.tobytes()]

    # Steps and lines of sight

    @cached_property
    def _adjacency(self) -> Adjacency:
        closed = self.snapshot.blocked_arcs
        return self.graph.topology.adjacency(self.blocked, closed, from_walls=True)

    @cached_property
    def _joints(self) -> Adjacency:
        """The steps as they would be without walls."""
        none = np.zeros(len(self.blocked), dtype=np.bool_)
        return self.graph.topology.adjacency(none, self.snapshot.blocked_arcs)

    @cached_property
    def _unit(self) -> float:
        """The shortest of all steps, so that it stays what it is when walls change."""
        sizes = self.graph.topology.lengths
        if len(sizes):
            return max(float(sizes.min()), float(sizes.sum()) / _LONGEST)
        return 1.0

    @cached_property
    def _lengths(self) -> Cells:
        """The lengths of steps in 1 / LENGTH_SCALE of the unit, with the resistance at their
        ends.
        """
        scale = kernels.radial.radial_search.LENGTH_SCALE
        sizes = np.rint(self._adjacency.lengths / self._unit * scale).astype(np.int64)
        if self.resistance is None:
            return sizes
        extra = self.resistance.reshape(-1)[self._adjacency.ends] / self._unit * scale
        return np.asarray(sizes + np.rint(np.minimum(extra, _BLOCKED)).astype(np.int64))

    @cached_property
    def _sight(self) -> SightSnapshot:
        return SightSnapshot(self.graph, self.blocked, self.snapshot.blocked_arcs, self.opaque)

    # Searches

    def search(self, metric: str, cell: int, radius: float, place: Floats | None) -> Found:
        """See `Walks.search`."""
        if metric == "sight":
            return self._seen(cell, radius, place)
        if metric == "path":
            return self._walked(cell, radius)
        if metric == "connected":
            return self._connected(cell, radius, place)
        return self._straight(cell, radius, place)

    def _straight(self, cell: int, radius: float, place: Floats | None) -> Found:
        positions = self.graph.positions
        center = positions[cell] if place is None else place
        limit = within_range(self.space, radius)
        cells: Cells | None = None
        if self.space.period is None:
            near = self.graph.topology.tree.query_ball_point(
                center, farthest_within(limit), return_sorted=True
            )
            cells = np.asarray(near, dtype=np.int64)
        else:
            cells = np.arange(len(positions))
        squares = squared_offsets(self.space, positions[cells], center)
        return Found.within(radius, limit, cells, squares)

    def _seen(self, cell: int, radius: float, place: Floats | None) -> Found:
        squares = self.graph.sight_grid
        positions = self.graph.positions
        center = positions[cell]
        reach = radius
        if place is not None:
            reach += float(np.sqrt(squared_offsets(self.space, center[np.newaxis], place)[0]))
            center = place
        if squares is not None:
            walls = opaque = self.blocked.reshape(squares.shape)
            if self.opaque is not self.blocked:
                opaque = self.opaque.reshape(squares.shape)
            view: FieldOfView = self.cached.setdefault("view", FieldOfView())
            size = rounded_radius(reach / squares.cell_size)
            limit = within_range(squares, reach) / squares.cell_size
            wrap = squares.wrap_flags
            found = view.cells(walls, opaque, wrap, cell, size, limit, self.heights)
            if place is None:
                return found
            cells = found.cells
        else:
            check_lines_of_sight(self.space, "Sight")
            cells = self._sight.visible_from(cell, reach)
        away = squared_offsets(self.space, positions[cells], center)
        if place is None:
            return Found.of(cells, np.sqrt(away) / radius)
        return Found.within(radius, within_range(self.space, radius), cells, away)

    @property
    def _scratch(self) -> _Scratch:
        if "scratch" not in self.cached:
            self.cached["scratch"] = _Scratch(len(self.blocked), len(self._adjacency.ends))
        scratch: _Scratch = self.cached["scratch"]
        scratch.mark += 2
        return scratch

    def _connected(self, cell: int, radius: float, place: Floats | None) -> Found:
        positions = self.graph.positions
        center = positions[cell] if place is None else place
        if self.space.period is not None:
            positions = self.space.offsets_from(center)
            if place is None:
                center = positions[cell]
            else:
                center = np.zeros_like(center)
        scratch = self._scratch
        limit = within_range(self.space, radius)
        count = kernels.radial.graph_radial.connected(
            self._adjacency.starts,
            self._adjacency.ends,
            positions,
            center,
            cell,
            limit,
            scratch.mark,
            scratch.cells,
            scratch.squares,
            scratch.seen,
        )
        cells = scratch.cells[:count].astype(np.int64)
        return Found.within(radius, limit, cells, scratch.squares[:count])

    def _walked(self, cell: int, radius: float) -> Found:
        scratch = self._scratch
        scale = kernels.radial.radial_search.LENGTH_SCALE * (radius / self._unit)
        longest = counted_walk(within_walk(self.space, radius) / self._unit)
        count = kernels.radial.graph_radial.path(
            self._adjacency.starts,
            self._adjacency.ends,
            self._lengths,
            cell,
            int(min(longest * kernels.radial.radial_search.LENGTH_SCALE, 2.0**62)),
            scratch.mark,
            scratch.cells,
            scratch.distances,
            scratch.of_paths,
        )
        cells = scratch.cells[:count].astype(np.int64)
        return Found.of(cells, scratch.distances[:count] / scale)
