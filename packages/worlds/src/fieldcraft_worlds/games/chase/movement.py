"""Movement of people: over the cells of a grid, the polygons of a mesh, or along waypoints."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from fieldcraft import DistanceMap, FlowField, Graph, Grid, distance_map, flow_field
from fieldcraft.steering import Crowd, Neighbors, move, separation
from fieldcraft_worlds.arrays import Bools, Floats, Ints
from fieldcraft_worlds.games.chase.state import NOTHING

Steps = tuple[Floats, Floats, Ints, Ints]

_CACHED = 12_000_000  # cells in all cached flow fields
_RESPONSE = 10.0  # per second: how fast a velocity changes on a mesh
_ROOM = 0.75  # units between agents
_PUSH = 3.0  # units a second: separation speed
_MOST_VERTICES = 4  # in one step
_LEAST_COSINE = 0.35  # between the desired direction and an edge that is chosen


class Movement(ABC):
    """The movement of people on one kind of map. It caches flow fields and holds no people."""

    is_straight = True
    """Whether people can walk straight to a target in sight: not on waypoints."""

    def __init__(self, space: Grid | Graph, unit: float) -> None:
        self.space = space
        self.unit = unit
        self._fields: dict[int, FlowField] = {}
        self._most = max(12, min(512, _CACHED // max(len(space), 1)))

    def cells_of(self, positions: Floats) -> Ints:
        """Return the cells (N,) of positions (N, D); beside the map the nearest ones."""
        return np.atleast_1d(self.space.cell_at(positions, outside="clamp")).astype(np.int64)

    def eyes(self, positions: Floats, cells: Ints, ahead: Ints) -> Floats:
        """Return the positions (N, D) that people see from and are seen at."""
        return positions

    def downhill_step(
        self, distances: DistanceMap, positions: Floats, cells: Ints, ahead: Ints
    ) -> tuple[Floats, Ints]:
        """Return how people follow a distance map downhill: directions (N, D), and on waypoints,
        where these are 0, the next cells; NOTHING where no path exists.
        """
        return flow_field(distances).sample(positions), np.full(len(cells), NOTHING)

    @abstractmethod
    def step(
        self,
        positions: Floats,
        velocities: Floats,
        cells: Ints,
        ahead: Ints,
        desired: Floats,
        goals: Ints,
        speeds: Floats,
        dt: float,
        leapers: Bools,
    ) -> Steps:
        """Return positions, velocities, cells and vertices ahead of people after `dt` seconds.

        People with a goal, a cell, walk there by the shortest path; others in the `desired`
        directions, vectors (N, D) up to 1 long, in shares of their `speeds`, world units a second.
        On a mesh the `leapers` (N,) leap over all gaps with an open edge, others only where the
        path to their goal does.
        """

    def _by_goal(self, goals: Ints) -> list[tuple[FlowField, Ints]]:
        """Return the flow field to each goal, and the rows of the people who go there."""
        return [
            (self._field(goal), np.flatnonzero(goals == goal))
            for goal in np.unique(goals[goals != NOTHING]).tolist()
        ]

    def _field(self, goal: int) -> FlowField:
        """Return the flow field to a cell; the one unused for the longest leaves the cache."""
        found = self._fields.pop(goal, None)
        if found is None:
            found = flow_field(distance_map(self.space, self.space.position_of(goal)))
            if len(self._fields) >= self._most:
                del self._fields[next(iter(self._fields))]
        self._fields[goal] = found
        return found


class _GridMovement(Movement):
    """Movement on a grid, where a `Crowd` keeps people off each other and off walls."""

    def __init__(self, space: Grid, unit: float) -> None:
        super().__init__(space, unit)
        cell = space.cell_size
        self._crowd = Crowd(
            space, radius=0.3 * cell, separation_radius=_ROOM * unit, ahead=0.8 * cell
        )

    def step(
        self,
        positions: Floats,
        velocities: Floats,
        cells: Ints,
        ahead: Ints,
        desired: Floats,
        goals: Ints,
        speeds: Floats,
        dt: float,
        leapers: Bools,
    ) -> Steps:
        """See `Movement.step`."""
        desired = desired.copy()
        for field, rows in self._by_goal(goals):
            desired[rows] = field.sample(positions[rows])
        at, velocities = self._crowd.step(
            positions,
            velocities,
            desired * speeds[:, None],
            dt,
            max_speed=speeds * 1.05,
            max_force=40 * self.unit,
        )
        return at, velocities, self.cells_of(at), ahead


class _MeshMovement(Movement):
    """Movement over the polygons of a mesh."""

    def step(
        self,
        positions: Floats,
        velocities: Floats,
        cells: Ints,
        ahead: Ints,
        desired: Floats,
        goals: Ints,
        speeds: Floats,
        dt: float,
        leapers: Bools,
    ) -> Steps:
        """See `Movement.step`."""
        wanted = _flat(desired)
        fields = self._by_goal(goals)
        for field, rows in fields:
            wanted[rows] = field.sample(positions[rows], outside="clamp")[:, :2]
        pace = velocities[:, :2] + min(1.0, _RESPONSE * dt) * (
            wanted * speeds[:, None] - velocities[:, :2]
        )
        near = Neighbors(positions[:, :2], radius=_ROOM * self.unit)
        shifts = (pace + separation(near, strength=_PUSH * self.unit)) * dt
        at = move(self.space, positions, shifts, leap=False)
        for field, rows in fields:
            at[rows] = move(self.space, positions[rows], shifts[rows], leap=field)
        if leapers.any():
            at[leapers] = move(self.space, positions[leapers], shifts[leapers])
        moved = (at - positions) / dt
        size = np.sqrt((moved**2).sum(axis=1))
        # A leap is not faster.
        moved *= np.minimum(1.0, 2 * speeds / np.maximum(size, 1e-12))[:, np.newaxis]
        return at, moved, self.cells_of(at), ahead


class _WaypointMovement(Movement):
    """Movement along waypoints, from vertex to vertex. A person between two vertices is on the edge
    from `cells` to `ahead`.
    """

    is_straight = False

    def __init__(self, space: Graph, unit: float, home: Bools) -> None:
        super().__init__(space, unit)
        self._home = home
        edges = space.adjacency
        self._keys = edges.origins * len(space) + edges.ends

    def eyes(self, positions: Floats, cells: Ints, ahead: Ints) -> Floats:
        """See `Movement.eyes`: the vertices that people are nearest to."""
        vertices = self.space.positions
        starts = vertices[cells]
        ends = vertices[np.where(ahead == NOTHING, cells, ahead)]
        is_past = ((positions - ends) ** 2).sum(axis=1) < ((positions - starts) ** 2).sum(axis=1)
        return np.where(is_past[:, None], ends, starts)

    def step(
        self,
        positions: Floats,
        velocities: Floats,
        cells: Ints,
        ahead: Ints,
        desired: Floats,
        goals: Ints,
        speeds: Floats,
        dt: float,
        leapers: Bools,
    ) -> Steps:
        """See `Movement.step`."""
        at = positions.copy()
        cells = cells.copy()
        ahead = ahead.copy()
        vertices = self.space.positions
        left = speeds * dt
        self._turn(at, cells, ahead, desired, goals)
        for _ in range(_MOST_VERTICES):
            waiting = np.flatnonzero((ahead == NOTHING) & (left > 0))
            ahead[waiting] = self._chosen(cells[waiting], desired[waiting], goals[waiting])
            going = np.flatnonzero((ahead != NOTHING) & (left > 0))
            if not len(going):
                break
            gaps = vertices[ahead[going]] - at[going]
            far = np.sqrt((gaps**2).sum(axis=1))
            there = far <= left[going]
            share = np.where(there, 1.0, left[going] / np.where(far > 0, far, 1.0))
            at[going] += gaps * share[:, None]
            left[going] -= far * share
            reached = going[there]
            cells[reached] = ahead[reached]
            at[reached] = vertices[cells[reached]]
            ahead[reached] = NOTHING
        return at, (at - positions) / dt, cells, ahead

    def downhill_step(
        self, distances: DistanceMap, positions: Floats, cells: Ints, ahead: Ints
    ) -> tuple[Floats, Ints]:
        """Return how people follow a distance map downhill: directions (N, D), and on waypoints,
        where these are 0, the next cells; NOTHING where no path exists.
        """
        following = self._next(distances, cells)
        on_edge = np.flatnonzero(ahead != NOTHING)
        back = cells[on_edge]
        forth = ahead[on_edge]
        costs = distances.costs
        if costs is None:
            cost = np.ones(len(on_edge))
        else:
            cost = (costs[back] + costs[forth]) / 2
        done = self._distances(positions[on_edge], back) * cost
        rest = self._distances(positions[on_edge], forth) * cost
        far = distances.exact
        turns = self._leads(forth, back) & (far[back] + done < far[forth] + rest)
        following[on_edge] = np.where(turns, back, forth)
        return np.zeros(positions.shape), following

    def _distances(self, positions: Floats, vertices: Ints) -> Floats:
        """Return the straight distances from positions to vertices, (N,)."""
        gaps = self.space.positions[vertices] - positions
        return np.asarray(np.sqrt((gaps**2).sum(axis=1)))

    def _next(self, distances: DistanceMap, cells: Ints) -> Ints:
        """Return the next vertex on the shortest path from each cell, NOTHING without a path."""
        steps = distances.step(self.space.position_of(cells))
        return np.where(steps.found, steps.cells, NOTHING)

    def _turn(self, at: Floats, cells: Ints, ahead: Ints, desired: Floats, goals: Ints) -> None:
        """Turn people on edges that lead both ways, if they want to go back or have a shorter path
        to their goal there.
        """
        on_edge = np.flatnonzero(ahead != NOTHING)
        on_edge = on_edge[self._leads(ahead[on_edge], cells[on_edge])]
        vertices = self.space.positions
        back = vertices[cells[on_edge]] - at[on_edge]
        forth = vertices[ahead[on_edge]] - at[on_edge]
        done = np.sqrt((back**2).sum(axis=1))
        rest = np.sqrt((forth**2).sum(axis=1))
        turns = (desired[on_edge] * (back - forth)).sum(axis=1) > _LEAST_COSINE * (done + rest)
        for field, rows in self._by_goal(goals[on_edge]):
            far = field.distance_map.exact
            some = on_edge[rows]
            turns[rows] = far[cells[some]] + done[rows] < far[ahead[some]] + rest[rows]
        rows = on_edge[turns]
        forth_cells = ahead[rows]
        ahead[rows] = cells[rows]
        cells[rows] = forth_cells

    def _leads(self, starts: Ints, ends: Ints) -> Bools:
        """Return whether edges lead from starts to ends."""
        return np.isin(starts * len(self.space) + ends, self._keys)

    def _chosen(self, cells: Ints, desired: Floats, goals: Ints) -> Ints:
        """Return the next vertices of people at `cells`, NOTHING for staying."""
        found = np.full(len(cells), NOTHING)
        for field, rows in self._by_goal(goals):
            found[rows] = self._next(field.distance_map, cells[rows])
        vertices = self.space.positions
        for row in np.flatnonzero((goals == NOTHING) & desired.any(axis=1)).tolist():
            out = np.asarray(self.space.neighbors_of(int(cells[row])), dtype=np.int64)
            out = out[self._home[out]]
            if len(out):
                gaps = vertices[out, :2] - vertices[cells[row], :2]
                lengths = np.sqrt((gaps**2).sum(axis=1))
                along = (gaps @ desired[row, :2]) / np.maximum(lengths, 1e-12)
                if along.max() > _LEAST_COSINE:
                    found[row] = out[np.argmax(along)]
        return found


def movement_on(space: Grid | Graph, unit: float, home: Bools) -> Movement:
    """Return the movement on a map; on waypoints people without a goal stay in `home` (N,)."""
    if isinstance(space, Grid):
        return _GridMovement(space, unit)
    if space.mesh is None:
        return _WaypointMovement(space, unit, home)
    return _MeshMovement(space, unit)


def _flat(vectors: Floats) -> Floats:
    """Return directions (N, D) projected to the plane, with their lengths unchanged: (N, 2)."""
    plane = vectors[:, :2]
    lengths = np.sqrt((plane**2).sum(axis=1, keepdims=True))
    norms = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    return np.where(lengths > 0, plane * (norms / np.where(lengths > 0, lengths, 1.0)), 0.0)
