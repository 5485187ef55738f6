"""Flow fields on grids, hexagons, graphs and meshes."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.search.distances_on_arcs import ArcSearch
from fieldcraft.space import Graph, Grid, Space, grid_of
from fieldcraft.space.cached import cached
from fieldcraft.space.csr import NO_CELLS, runs
from fieldcraft.space.grid.passages import floors_of, passages
from fieldcraft.space.kinds import graph_of

_STRAIGHT = {(1, 0), (-1, 0), (0, 1), (0, -1)}
# as many pay for waking a thread
_AGENTS = 2_000
_CELLS = 10_000
_MENDED = 64  # one cell in so many may change before all are looked at anew
_OUTSIDE = ("refuse", "clamp")

Sampler = Callable[[Floats, int, int, Floats], None]


class GridFlow(FlowField):
    """Directions on a grid that lead to the goals of a distance map; made by `flow_field`.

    A step of at most one cell along the result of `sample` ends in the same cell or in an open cell
    that is nearer to a goal, never in a wall, and crosses no side that the terrain forbids. So an
    agent that follows the field from any open cell with a path to a goal arrives. (One exception of
    "nearer": where the only next step is a diagonal one between two expensive cells, one cell on
    the path may be farther in cost, and the cells after it are nearer again.)

    It reads the distances at its first use, and their changes and changed walls at every later use.
    Around a new wall, before a `repair` of the distances, directions may be 0, but they never lead
    through the wall.
    """

    space: Grid

    def __init__(self, distance_map: DistanceMap) -> None:
        space = grid_of(distance_map.space, "This flow field")
        lacking = _STRAIGHT - set(space.neighborhood.steps)
        if lacking:
            raise InvalidValue(
                "The steps of a flow field's map include the four straight ones",
                got=f"{len(space.neighborhood)} steps without {min(lacking)}",
                remedy="Use a grid with neighbors=4 or 8, or follow distance_map.descend",
            )
        if space.corners == "cut":
            raise InvalidValue(
                "Agents on a flow field can't pass between two walls",
                got="a grid with corners='cut'",
                remedy='Use corners="never" or "if-one-open", or follow distance_map.step',
            )
        super().__init__(distance_map)
        self.space = space
        self._vectors = np.zeros((*space.shape, 2), dtype=np.float32)
        self._gates = np.zeros(space.shape, dtype=np.uint8)
        self._pinched = np.zeros(space.shape, dtype=np.uint8)
        self._goals = np.zeros(space.shape, dtype=np.uint8)
        self._ends = np.empty(0, dtype=np.int64)
        self._far = np.zeros(space.shape)
        self._shown = self._vectors[:: -1 if space.y_up else 1]
        self._shown.flags.writeable = False

    def sample(self, positions: ArrayLike, *, outside: str = "refuse") -> Floats:
        """See `FlowField.sample`: the directions of the four cells whose centers surround a
        position are interpolated, as far as steps from the position's own cell allow; (0, 0) in
        cells with direction (0, 0).
        """
        points, single = checks.positions(positions)
        found = np.empty(points.shape)
        points = np.ascontiguousarray(points)
        points.flags.writeable = False
        wrong = np.full(1, -1, dtype=np.int64)
        serve = self.sampler(outside=outside, wrong=wrong)
        pool.run(
            [
                (serve, (points, *band, found))
                for band in pool.bands(len(points), len(points) // _AGENTS)
            ]
        )
        if wrong[0] >= 0:
            with np.errstate(over="ignore", invalid="ignore"):
                self.space.cell_at(
                    points, outside=outside
                )  # raises, and says which position and why
            raise InvalidValue(
                "Positions are within 1e308 cells of the map",
                got=f"{tuple(points[wrong[0]].tolist())}",
                remedy="Correct that position",
            )
        return found[0] if single else found

    def sampler(self, *, outside: str = "refuse", wrong: Ints | None = None) -> Sampler:
        """Return `sample` for a band of checked positions: `serve(points, first, last, out)`."""
        self._follow()
        space = self.space
        clamp = checks.choice("outside", outside, _OUTSIDE) == "clamp"
        common = (*space.origin, space.cell_size, space.wrap, clamp)
        if wrong is None:
            off_map = np.full(1, -1, dtype=np.int64)
        else:
            off_map = wrong

        def serve(points: Floats, first: int, last: int, out: Floats) -> None:
            kernels.paths.flow.sample(
                self._vectors, self._gates, points, *common, first, last, off_map, out
            )

        return serve

    def _update(self, changed: Ints | None, walls: Ints) -> None:
        """See `FlowField._update`."""
        distances = self.distance_map
        if changed is None:
            far = distances.exact
            self._far = np.ascontiguousarray(far[::-1] if self.space.y_up else far)
            self._mark_goals()
            self._point(None)
        else:
            own = self._turned(changed)
            self._far.reshape(-1)[own] = distances.measured(changed)
            goals = self._mark_goals()
            self._point(np.concatenate([own, goals, self._turned(walls)]))

    def _mark_goals(self) -> Ints:
        """Mark the goal cells; return the cells where this has changed."""
        ends = self._turned(self._goal_cells())
        changed = np.setxor1d(ends, self._ends)
        self._goals.reshape(-1)[self._ends] = 0
        self._goals.reshape(-1)[ends] = 1
        self._ends = ends
        return changed

    def _point(self, changed: Ints | None) -> None:
        """Find the directions around changed cells, or everywhere."""
        size = len(self.space)
        if changed is not None and len(changed) * _MENDED > size:
            changed = None
        bars = passages(self.space)
        if changed is None:
            rings = [np.arange(size)] * 2
        else:
            rings = [self._around(changed, 1), self._around(changed, 2)]
        kernel = kernels.paths.flow
        common = (self._far, bars, self._goals)
        past_walls = self.space.corners == "if-one-open"
        _in_bands(
            lambda first, last: (
                kernel.pinch,
                (*common, rings[0], past_walls, first, last, self._pinched),
            ),
            len(rings[0]),
        )
        _in_bands(
            lambda first, last: (
                kernel.point,
                (*common, self._pinched, rings[1], first, last, self._vectors, self._gates),
            ),
            len(rings[1]),
        )

    def _around(self, cells: Ints, reach: int) -> Ints:
        """Return cells and their surroundings up to `reach`, ascending, clamped to the map or
        wrapped.
        """
        height, width = self.space.shape
        offsets = np.arange(-reach, reach + 1)
        rows, columns = (at[:, np.newaxis] + offsets for at in np.divmod(np.unique(cells), width))
        if self.space.wrap:
            rows, columns = rows % height, columns % width
        else:
            rows, columns = np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)
        return np.unique(rows[:, :, np.newaxis] * width + columns[:, np.newaxis, :])

    def _turned(self, cells: Ints) -> Ints:
        """Return the indices of the map's cells in arrays whose row 0 has the smallest y."""
        height, width = self.space.shape
        if self.space.y_up:
            return cells + (height - 1 - 2 * (cells // width)) * width
        return cells


def _in_bands(call: Callable[[int, int], pool.Call], count: int) -> None:
    pool.run([call(*band) for band in pool.bands(count, count // _CELLS)])


# starts, origins, positions, arcs, next vertices, goals, points and their vertices, and the
# distance from a goal at which agents have arrived
_Along = tuple[Ints, NDArray[np.int32], Floats, Ints, Ints, NDArray[np.bool_], Floats, Ints, float]

_ARRIVED = 1e-6  # of a typical step: nearer to a goal, rounding would decide directions
_BEYOND = 0.55  # of the way from middle to middle: just behind the side between


class GraphFlow(FlowField):
    """Directions on a graph that lead to the goals of a distance map; made by `flow_field`.

    `next` is the vertex to go to from each vertex. Between vertices, `sample` leads along the
    nearest of the edges that the field uses, to its end, so that agents on edges stay on edges. On
    a mesh it leads through the sides of polygons and stays in them. It ends at the position of the
    goal's vertex, on a mesh the center of its polygon: nearer than a millionth of a typical step
    directions are 0.
    """

    space: Space

    def __init__(self, distance_map: DistanceMap) -> None:
        super().__init__(distance_map)
        space = self.space = distance_map.space
        self.graph = graph_of(space)
        self._arcs = np.full(len(space), -1, dtype=np.int64)
        self._next = np.full(len(space), -1, dtype=np.int64)
        self._vectors = np.zeros((len(space), space.dimensions), dtype=np.float32)
        self._shown_arcs, self._shown_next = self._arcs.view(), self._next.view()
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
        outside: str = "refuse",
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
        pool.run(
            [(serve, (*band, found)) for band in pool.bands(len(points), len(points) // _AGENTS)]
        )
        return found[0] if single else found

    def _serve(
        self, points: NDArray[np.float64], vertices: NDArray[np.int64]
    ) -> Callable[[int, int, NDArray[np.float64]], None]:
        """Return `serve(first, last, out)`: `kernels.paths.graph_flow` for points near these
        vertices or
        in these polygons.
        """
        self._follow()
        vertices.flags.writeable = False
        goals = self._goals
        arrived = _arrival_distance(self.graph)
        if self.graph.mesh is not None:
            floors = floors_of(self.graph)
            middles = floors.portals.middles
            through = (floors.mesh, middles, self._shown_next, goals, points, vertices, arrived)
            return lambda first, last, out: kernels.paths.graph_flow.lead_through(
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
            arrived,
        )
        if self.graph.period is not None:
            return lambda first, last, out: self._led_round(along, first, last, out)
        return lambda first, last, out: kernels.paths.graph_flow.lead(*along, first, last, out)

    def _led_round(self, along: _Along, first: int, last: int, out: NDArray[np.float64]) -> None:
        """Write the directions on a torus; on hexagons, and beside the seam of squares, through the
        side to the next cell.
        """
        kernels.paths.graph_flow.lead(*along, first, last, out)
        points = along[-3][first:last]
        vertices = along[-2][first:last]
        arrived = along[-1]
        beside = np.flatnonzero(self._seam[vertices])
        here = vertices[beside]
        targets = np.where(self._next[here] >= 0, self._next[here], here)
        leads = (self._next[here] >= 0) | self._goals[here]
        middles = self.graph.positions[here]
        # A cell is convex, so one gets to the middle of a side of it, and a little beyond, past no
        # other cell.
        portals = (
            middles + self.graph.shortest_vectors(self.graph.positions[targets] - middles) * _BEYOND
        )
        steps = portals - points[beside]
        away = np.sqrt((self.graph.shortest_vectors(steps) ** 2).sum(axis=1))
        leads &= ~self._goals[here] | (away > arrived)
        out[first + beside] = self._directions(steps) * leads[:, np.newaxis]

    def _directions(self, steps: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the unit vectors of straight lines, the shortest ones on a torus; 0 stays 0."""
        steps = self.graph.shortest_vectors(steps)
        sizes = np.sqrt((steps**2).sum(axis=1, keepdims=True))
        return np.asarray(np.divide(steps, sizes, out=np.zeros_like(steps), where=sizes > 0))

    def _update(self, changed: Ints | None, walls: Ints) -> None:
        """See `FlowField._update`."""
        if changed is None:
            some = None
        else:
            some = self._around(np.union1d(changed, walls))
        search = self.distance_map.settled()
        assert isinstance(search, ArcSearch)
        if some is None:
            vertices = np.arange(len(self.space))
        else:
            vertices = some
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


_fields: WeakValueDictionary[int, FlowField] = WeakValueDictionary()


def flow_field(distance_map: DistanceMap) -> FlowField:
    """Return the directions in which agents walk to the goals of a distance map.

    The same field is returned whenever a map is passed again. It follows its map: after `repair` it
    is updated where distances or walls have changed when it is next read. Directions are 0 in the
    cells of goals.

    Parameters
    ----------
    distance_map : DistanceMap
        The distances to the goals, on a grid whose neighborhood has the four straight steps and
        `corners` "never" or "if-one-open", on hexagons, a graph or a mesh. With "cut" agents pass
        between two walls from cell to cell only: use `DistanceMap.step`.

    Returns
    -------
    FlowField
        On a graph or mesh a `GraphFlow`, which knows the next vertex as well.

    Raises
    ------
    InvalidValue
        For anything else, and for a map with `outward=True`.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> flow = fc.flow_field(fc.distance_map(fc.Grid(5, 1), (4.5, 0.5)))
    >>> flow.sample([(0.5, 0.5), (4.5, 0.5)])
    array([[1., 0.],
           [0., 0.]])
    """
    checks.instance(
        distance_map,
        DistanceMap,
        "A flow field is made from a distance map",
        "Pass fc.distance_map(space, goals)",
    )
    if distance_map.outward:
        raise InvalidValue(
            "A flow field leads to the goals of its map",
            got="a map with outward=True",
            remedy="Make the distance map without outward",
        )
    known = _fields.get(id(distance_map))
    if known is None or known.distance_map is not distance_map:
        grid = isinstance(distance_map.space, Grid)
        if grid:
            known = GridFlow(distance_map)
        else:
            known = GraphFlow(distance_map)
        _fields[id(distance_map)] = known
    return known
