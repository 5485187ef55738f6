"""Flow fields on graphs and meshes: which vertex to go to next, and which way that is from where
one stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.paths.arc_search import ArcSearch
from fieldcraft.paths.flow_base import FlowField
from fieldcraft.space import Space
from fieldcraft.space.floors import floors_of
from fieldcraft.space.ways import runs

if TYPE_CHECKING:
    from fieldcraft.paths.distances import DistanceMap

__all__ = ["GraphFlow"]

_Ints = NDArray[np.int64]
_Wide = NDArray[np.float64]
# starts, origins, positions, arcs, next vertices, goals, points and their vertices
_Along = tuple[_Ints, NDArray[np.int32], _Wide, _Ints, _Ints, NDArray[np.bool_], _Wide, _Ints]

_AGENTS = 2_000  # as many pay for waking a thread
_BEYOND = 0.55  # of the way from middle to middle: just behind the side between
_NONE = np.empty(0, dtype=np.int64)


class GraphFlow(FlowField):
    """Directions on a graph that lead to the goals of a distance map; made by `flow_field`.

    `next` is the vertex to go to from each vertex. Between vertices, `sample` leads along the
    nearest of the edges that the field uses, to
    its end: who starts on an edge keeps to edges. On a mesh it leads through the sides of polygons,
    without leaving them. It ends at the position of the goal's vertex, which is the middle of a
    goal's polygon: one may not stand still before.
    """

    space: Space

    def __init__(self, distance_map: DistanceMap) -> None:
        super().__init__(distance_map)
        space = self.space = distance_map.space
        self.graph = space.graph
        self._arcs = np.full(len(space), -1, dtype=np.int64)
        self._next = np.full(len(space), -1, dtype=np.int64)
        self._vectors = np.zeros((len(space), space.dimensions), dtype=np.float32)
        self._shown_arcs, self._shown_next = self._arcs.view(), self._next.view()
        self._shown = self._vectors.view().reshape(*space.shape, space.dimensions)
        for view in (self._shown_arcs, self._shown_next, self._shown):
            view.flags.writeable = False

    @property
    def next(self) -> NDArray[np.int64]:
        """The vertex to go to from each vertex, (N,); -1 at goals, on blocked vertices and where no
        goal is reached. Read-only, a view.
        """
        self._follow()
        return self._shown_next

    @property
    def arcs(self) -> NDArray[np.int64]:
        """The number in `space.topology` of the arc that leads to `next`, (N,); -1 where there is
        none. Read-only, a view.
        """
        self._follow()
        return self._shown_arcs

    def sample(
        self,
        positions: ArrayLike,
        *,
        outside: str = "refuse",
        cells: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float64]:
        """The directions in which to walk from world positions: unit vectors (N, 2) or (N, 3), or
        one; 0 where there is nowhere to go.

        On a mesh they lie in the ground plane (z is 0). `outside` is "refuse" or "clamp", see
        `Graph.cell_at`; who knows what that answers passes it as `cells` (N,). Raises `OutsideMap`
        or `InvalidValue`.
        """
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        found = np.empty(points.shape)
        points = np.ascontiguousarray(points)
        points.flags.writeable = False
        if cells is None:
            vertices = (
                np.atleast_1d(
                    np.asarray(self.space.cell_at(points, outside=outside), dtype=np.int64)
                )
                if len(points)
                else _NONE
            )
        else:
            vertices = self.space.cell_ids(cells)
            if vertices.shape != (len(points),):
                raise InvalidValue(
                    "cells has one vertex per position",
                    got=f"shape {vertices.shape} for {len(points)} positions",
                    remedy="Pass cell_at's",
                )
        serve = self._serve(points, vertices)
        pool.run(
            [(serve, (*band, found)) for band in pool.bands(len(points), len(points) // _AGENTS)]
        )
        return found[0] if single else found

    def _serve(
        self, points: NDArray[np.float64], vertices: NDArray[np.int64]
    ) -> Callable[[int, int, NDArray[np.float64]], None]:
        """`kernels.graph_flow` for points near these vertices, or in these polygons: `serve(first,
        last, out)`.
        """
        self._follow()
        vertices.flags.writeable = False
        goals = self._goals
        if self.graph.mesh is not None:
            floors = floors_of(self.graph)
            through = (
                self._shown_next,
                goals,
                floors.doors.middles,
                *floors.gates,
                points,
                vertices,
            )
            return lambda first, last, out: kernels.graph_flow.lead_through(
                *through, first, last, out
            )
        topology = self.graph.topology
        along = (
            topology.starts,
            topology.origins,
            topology.positions,
            self._shown_arcs,
            self._shown_next,
            goals,
            points,
            vertices,
        )
        if self.graph.period is not None:
            return lambda first, last, out: self._led_round(along, first, last, out)
        return lambda first, last, out: kernels.graph_flow.lead(*along, first, last, out)

    def _led_round(self, along: _Along, first: int, last: int, out: NDArray[np.float64]) -> None:
        """`kernels.graph_flow.lead` on a torus; of hexagons, and beside the seam of squares,
        through the side to the next one.
        """
        kernels.graph_flow.lead(*along, first, last, out)
        points, vertices = along[-2][first:last], along[-1][first:last]
        beside = np.flatnonzero(self._seam[vertices])
        here = vertices[beside]
        aims = np.where(self._next[here] >= 0, self._next[here], here)
        leads = (self._next[here] >= 0) | self._goals[here]
        middles = self.graph.positions[here]
        # A cell is convex, so one gets to the middle of a side of it, and a little beyond, past no
        # other cell.
        doors = middles + self.graph.short_way(self.graph.positions[aims] - middles) * _BEYOND
        out[first + beside] = self._directions(doors - points[beside]) * leads[:, np.newaxis]

    def _directions(self, legs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The unit vectors along straight ways, the short way round a torus; 0 stays 0."""
        legs = self.graph.short_way(legs)
        sizes = np.sqrt((legs**2).sum(axis=1, keepdims=True))
        return np.asarray(np.divide(legs, sizes, out=np.zeros_like(legs), where=sizes > 0))

    def _update(self, changed: _Ints | None, walls: _Ints) -> None:
        """See `FlowField._update`."""
        some = None if changed is None else self._around(np.union1d(changed, walls))
        search = self.distance_map.settled()
        assert isinstance(search, ArcSearch)
        search.nexts(self._arcs, some)
        ends = self._goal_cells()
        self._arcs[ends] = -1
        self._goals = np.zeros(len(self.space), dtype=np.bool_)
        self._goals[ends] = True
        self._goals.flags.writeable = False
        self._point(np.arange(len(self.space)) if some is None else some)

    def _around(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Vertices and those that arcs lead from into them."""
        topology = self.graph.topology
        into = runs(
            topology.starts[vertices], topology.starts[vertices + 1] - topology.starts[vertices]
        )
        return np.union1d(vertices, topology.origins[into])

    def _point(self, some: NDArray[np.int64]) -> None:
        """The next vertices and directions of some vertices, after their arcs. New walls are kept
        out of, even before a repair.
        """
        graph, topology = self.graph, self.graph.topology
        kernels.graph_flow.point(
            topology.ends,
            graph.closed,
            graph.walls,
            topology.positions,
            some,
            self._arcs,
            self._next,
            self._vectors,
        )
        if graph.period is not None:
            self._point_round()

    def _point_round(self) -> None:
        """Let directions over the seam of a torus point over it, and note which vertices lie beside
        one that is used.
        """
        some = np.flatnonzero(self._next >= 0)
        legs = self.graph.positions[self._next[some]] - self.graph.positions[some]
        over = (np.abs(self.graph.short_way(legs) - legs) > 0).any(axis=1)
        self._vectors[some[over]] = self._directions(legs[over])
        self._seam = np.full(len(self._next), self.graph.sight_grid is None)
        self._seam[some[over]] = True
        self._seam[self._next[some[over]]] = True
