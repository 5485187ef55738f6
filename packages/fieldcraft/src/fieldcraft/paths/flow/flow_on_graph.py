"""Flow fields on hexagons, graphs and meshes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.search.distances_on_arcs import ArcSearch
from fieldcraft.space import Graph, Space
from fieldcraft.space.cached import cached
from fieldcraft.space.csr import NO_CELLS, runs
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.mesh.floors import floors_of

_AGENTS = 2_000  # Each thread gets at least so many agents.
# Nearer to a goal than this share of a typical step, rounding would decide directions.
_ARRIVED = 1e-6
# This share of the line between the middles of two cells ends just behind the side between them.
_BEYOND = 0.55


class GraphFlow(FlowField):
    """Directions on a graph that lead to the goals of a distance map; made by `flow_field`.

    `next` is the vertex to go to from each vertex. Between vertices, `sample` leads along the
    nearest of the edges that the field uses, to its end, so that agents on edges stay on edges.
    From a twentieth of an edge before its end it leads to the end of the next edge, so that agents
    whose steps are at most a tenth of an edge pass every vertex. On a mesh it leads through the
    sides of polygons and stays in them. It ends at the position of the goal's vertex, on a mesh
    the center of its polygon: nearer than a millionth of a typical step directions are 0.
    """

    space: Space

    def __init__(self, distance_map: DistanceMap) -> None:
        super().__init__(distance_map)
        space = distance_map.space
        self.space = space
        self.graph = graph_of(space)
        self._arcs = np.full(len(space), -1, dtype=np.int64)
        self._next = np.full(len(space), -1, dtype=np.int64)
        self._vectors = np.zeros((len(space), space.dimensions), dtype=np.float32)
        self._shown_arcs = self._arcs.view()
        self._shown_next = self._next.view()
        self._shown = self._vectors.view().reshape(*space.shape, space.dimensions)
        for view in (self._shown_arcs, self._shown_next, self._shown):
            view.flags.writeable = False

    @property
    def next(self) -> NDArray[np.int64]:
        """The next vertex from each vertex, (N,); -1 at goals, on blocked vertices and where no
        goal is reached. Read-only, a view.
        """
        self._follow()
        return self._shown_next

    @property
    def arcs(self) -> NDArray[np.int64]:
        """The number in `space.topology` of the arc that leads to `next`, (N,); -1 for none.
        Read-only, a view.
        """
        self._follow()
        return self._shown_arcs

    def sample(
        self,
        positions: ArrayLike,
        *,
        outside: IfOutside = "refuse",
        cells: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the directions to walk from world positions: unit vectors (N, 2) or (N, 3), or
        one; 0 where no goal is reached.

        On a mesh z is 0. `outside` is "refuse" or "clamp", see `Graph.cell_at`; `cells` (N,) are
        the results of `cell_at` if they are known. Raises `OutsideMap` or `InvalidValue`.
        """
        points, single = checks.positions(positions, dimensions=self.space.dimensions)
        found = np.empty(points.shape)
        points = np.ascontiguousarray(points)
        points.flags.writeable = False
        if cells is None:
            if len(points):
                vertices = np.atleast_1d(
                    np.asarray(self.space.cell_at(points, outside=outside), dtype=np.int64)
                )
            else:
                vertices = NO_CELLS
        else:
            vertices = self.space.cell_ids(cells)
            if vertices.shape != (len(points),):
                raise InvalidValue(
                    "cells has one vertex per position",
                    got=f"shape {vertices.shape} for {len(points)} positions",
                    remedy="Pass the result of cell_at",
                )
        serve = self._serve(points, vertices)
        bands = pool.bands(len(points), len(points) // _AGENTS)
        pool.run([(serve, (*band, found)) for band in bands])
        if single:
            return np.asarray(found[0])
        return found

    def _serve(
        self, points: NDArray[np.float64], vertices: NDArray[np.int64]
    ) -> Callable[[int, int, NDArray[np.float64]], None]:
        """Return `serve(first, last, out)`, which writes the directions of points near these
        vertices or in these polygons.
        """
        self._follow()
        vertices.flags.writeable = False
        goals = self._goals
        arrived = _arrival_distance(self.graph)
        if self.graph.mesh is not None:
            floors = floors_of(self.graph)
            middles = floors.portals.middles
            through = (floors.mesh, middles, self._shown_next, goals, points, vertices, arrived)

            def serve_mesh(first: int, last: int, out: Floats) -> None:
                kernels.paths.graph_flow.lead_through(*through, first, last, out)

            return serve_mesh
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
            arrived,
        )
        is_torus = self.graph.period is not None

        def serve(first: int, last: int, out: Floats) -> None:
            kernels.paths.graph_flow.lead(*along, first, last, out)
            if is_torus:
                band = slice(first, last)
                self._lead_over_seam(points[band], vertices[band], arrived, out[band])

        return serve

    def _lead_over_seam(self, points: Floats, vertices: Ints, arrived: float, out: Floats) -> None:
        """Write the directions on a torus of hexagons, or beside the seam of squares, through the
        side to the next cell.
        """
        beside = np.flatnonzero(self._seam[vertices])
        here = vertices[beside]
        targets = np.where(self._next[here] >= 0, self._next[here], here)
        leads = (self._next[here] >= 0) | self._goals[here]
        middles = self.graph.positions[here]
        # Cells are convex: a straight line to just behind the middle of a side crosses no other
        # cell.
        between = self.graph.shortest_vectors(self.graph.positions[targets] - middles)
        portals = middles + between * _BEYOND
        steps = portals - points[beside]
        away = np.sqrt((self.graph.shortest_vectors(steps) ** 2).sum(axis=1))
        leads &= ~self._goals[here] | (away > arrived)
        out[beside] = self._directions(steps) * leads[:, np.newaxis]

    def _directions(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the unit vectors of straight lines, the shortest ones on a torus; 0 stays 0."""
        steps = self.graph.shortest_vectors(steps)
        sizes = np.sqrt((steps**2).sum(axis=1, keepdims=True))
        return np.asarray(np.divide(steps, sizes, out=np.zeros_like(steps), where=sizes > 0))

    def _update(self, changed: Ints | None, walls: Ints) -> None:
        """See `FlowField._update`."""
        if changed is None:
            vertices = np.arange(len(self.space))
        else:
            vertices = self._around(np.union1d(changed, walls))
        search = self.distance_map.settled()
        assert isinstance(search, ArcSearch)
        self._arcs[vertices] = search.steps_down(vertices)[1]
        ends = self._goal_cells()
        self._arcs[ends] = -1
        self._goals = np.zeros(len(self.space), dtype=np.bool_)
        self._goals[ends] = True
        self._goals.flags.writeable = False
        self._point(vertices)

    def _changed_since(self, version: int) -> Ints | None:
        """See `FlowField._changed_since`: directions depend on the costs of steps as well."""
        distances = self.distance_map.changed_since(version)
        steps = self.distance_map.steps_changed_since(version)
        if distances is None or steps is None:
            return None
        return np.union1d(distances, steps)

    def _around(self, vertices: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return vertices and the origins of the arcs into them."""
        topology = self.graph.topology
        into = runs(
            topology.starts[vertices], topology.starts[vertices + 1] - topology.starts[vertices]
        )
        return np.union1d(vertices, topology.origins[into])

    def _point(self, some: NDArray[np.int64]) -> None:
        """Compute the next vertices and directions of some vertices. They avoid new walls, even
        before a repair.
        """
        graph = self.graph
        topology = self.graph.topology
        kernels.paths.graph_flow.point(
            topology.ends,
            graph.blocked_arcs,
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
        """Correct directions over the seam of a torus, and mark the vertices beside the seam."""
        some = np.flatnonzero(self._next >= 0)
        steps = self.graph.positions[self._next[some]] - self.graph.positions[some]
        over = (np.abs(self.graph.shortest_vectors(steps) - steps) > 0).any(axis=1)
        self._vectors[some[over]] = self._directions(steps[over])
        self._seam = np.full(len(self._next), self.graph.sight_grid is None)
        self._seam[some[over]] = True
        self._seam[self._next[some[over]]] = True


@cached
def _arrival_distance(graph: Graph) -> float:
    """Return how near to a goal agents have arrived: farther than positions are rounded."""
    lengths = graph.topology.lengths
    if len(lengths):
        typical = float(np.median(lengths))
    else:
        typical = 0.0
    rounding = float(np.spacing(np.abs(graph.positions).max(initial=0.0)))
    return max(_ARRIVED * typical, 4 * rounding)
