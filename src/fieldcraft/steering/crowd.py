"""A whole crowd, one step at a time, in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.paths.flow import FlowField
from fieldcraft.query.ground import frozen
from fieldcraft.space import AnySpace, Graph
from fieldcraft.space.passages import passages, quiet
from fieldcraft.steering import meshes, neighbors, walls
from fieldcraft.steering.arguments import cells_long, grid, limits, points, vectors

__all__ = ["Crowd"]

_AGENTS = 500  # as many pay for waking a thread

Wide = NDArray[np.float64]


@dataclass(frozen=True)
class Crowd:
    """How agents on a grid or mesh walk together: settings only, so that a game keeps positions and velocities in its own state.

    `step` does for all agents at once what `follow_flow` (or any wish), `separation`, `avoid_walls`, `combine`, `accelerate` and
    `move` do one after the other: the acceleration is `response * (wish - velocity) + separation * max_speed * pushes +
    avoidance * (avoid_walls)`, shortened to `max_force`; the velocity is shortened to `max_speed`; the move is swept.

    Parameters
    ----------
    space: the grid, or a graph with a mesh.
    radius: how far centres stay from walls, world units, at most half a cell; 0 on a mesh, which is made for a radius.
    keep_apart: how far a neighbour is felt, world units; 0 for never.
    ahead: how far walls are felt ahead, world units; 0 for never.
    response: per second: a velocity comes near the wish in about `1 / response` s.
    separation: per second: how hard a neighbour in the very same spot pushes, beside `response`.
    avoidance: per second: how hard walls ahead push, beside `response`.

    Raises `InvalidValue` for what is negative, for a radius of more than half a cell.
    """

    space: AnySpace
    radius: float = 0.0
    keep_apart: float = 1.0
    ahead: float = 1.5
    response: float = 8.0
    separation: float = 8.0
    avoidance: float = 4.0

    def __post_init__(self) -> None:
        if not isinstance(self.space, Graph):
            walls.room_beside(grid(self.space), self.radius)
        for name in ("keep_apart", "ahead", "response", "separation", "avoidance"):
            checks.not_negative(name, getattr(self, name))
        if isinstance(self.space, Graph):
            meshes.checked_mesh(self.space, self.radius)
        else:
            cells_long("Looks ahead", np.array([float(self.ahead)]), self.space)

    def step(
        self,
        positions: ArrayLike,
        velocities: ArrayLike,
        wish: FlowField | ArrayLike,
        dt: float,
        *,
        max_speed: ArrayLike,
        max_force: ArrayLike = math.inf,
    ) -> tuple[Wide, Wide]:
        """Positions and velocities after `dt` seconds, two new (N, 2) arrays.

        Parameters
        ----------
        positions: (N, 2) world units, (N, 3) on a 3D mesh, on the map. Agents in walls are first put out of them, as by `move`.
        velocities: (N, 2) world units per second.
        wish: a flow field to follow at `max_speed`, or (N, 2) velocities: what the agents would do if they were alone.
        dt: seconds, above 0.
        max_speed, max_force: world units per second, and per second squared; at least 0; one number, or one per agent.

        Who touched a wall has the velocity with which it got on along it. The same calls give the same bits, whatever the number of
        threads. Raises `OutsideMap` for positions off the map, and `InvalidValue`.
        """
        if isinstance(self.space, Graph):
            return meshes.crowd_step(self, positions, velocities, wish, dt, max_speed, max_force)
        space, (at, single) = self.space, points(positions)
        if single:
            raise InvalidValue("A crowd has many positions", got="one (x, y) pair", remedy="Pass an array of shape (N, 2)")
        moving = vectors("Velocities", velocities, len(at))
        seconds = checks.positive("dt", dt)
        top = limits("max_speed", max_speed, len(at))
        most = _forces(max_force, len(at))
        cells_long("Moves of max_speed * dt", top * seconds, space)
        if isinstance(wish, FlowField) and wish.space is not space:
            raise InvalidValue(
                "A crowd follows a flow field on its own grid", got=repr(wish.space), remedy="Build the field on the crowd's grid"
            )

        bars, near = passages(space), walls.room_beside(space, self.radius)
        wanted = wish if isinstance(wish, FlowField) else vectors("Wishes", wish, len(at))
        settings = _Step(self, bars, near, moving, wanted, seconds, top, most)
        wrong, new_places, new_speeds = settings.serve(at)
        if wrong[0] >= 0:
            walls.refuse_outside(space, at, int(wrong[0]))
        if wrong[1] >= 0:
            _, new_places, new_speeds = settings.serve(frozen(walls.out_of_walls(space, at, near)))
        return new_places, new_speeds


@dataclass
class _Step:
    """One step of a crowd, all checked."""

    crowd: Crowd
    bars: NDArray[np.uint8]
    near: float
    velocities: Wide
    wish: FlowField | Wide
    seconds: float
    top: Wide
    most: Wide

    def serve(self, at: Wide) -> tuple[NDArray[np.int64], Wide, Wide]:
        """Which agents were off the map and in walls (-1 for none), positions and velocities."""
        crowd, wish, count = self.crowd, self.wish, len(at)
        space = grid(crowd.space)
        near_all, moves = kernels.load("neighbors"), kernels.load("moving")
        reach = crowd.keep_apart if crowd.keep_apart > 0 else space.cell_size
        places, lines, frame = neighbors.Neighbors(at, reach, space=space).sorted
        order = frame[0]
        sample = wish.sampler() if isinstance(wish, FlowField) else None
        wishes = np.empty(at.shape) if isinstance(wish, FlowField) else wish[order]
        pushes = np.zeros(at.shape)
        avoidance = crowd.avoidance if crowd.ahead > 0 else 0.0
        gains = np.array([float(sample is not None), crowd.response, crowd.separation, avoidance])
        where = (*space.origin, space.cell_size, space.wrap)
        common = (*where, self.near, crowd.ahead / space.cell_size, gains, self.most, self.top, self.seconds)
        calm = quiet(space, math.ceil(crowd.ahead / space.cell_size))
        wrong, new_places, new_speeds = np.full(2, -1, dtype=np.int64), np.empty(at.shape), np.empty(at.shape)

        def band(first: int, last: int) -> None:
            if sample is not None:
                sample(places, first, last, wishes)
            if crowd.keep_apart > 0:
                near_all.separate(lines, *frame, first, last, pushes)
            moves.drive(
                self.bars, calm, places, order, self.velocities, wishes, pushes, *common, first, last, wrong, new_places, new_speeds
            )

        bands = max(1, min(pool.threads(), count // _AGENTS))
        edges = [count * number // bands for number in range(bands + 1)]
        pool.run([(band, pair) for pair in pairwise(edges)])
        return wrong, new_places, new_speeds


def _forces(value: ArrayLike, count: int) -> Wide:
    """The longest forces; infinity for no limit."""
    amounts = checks.array("max_force", value)
    if amounts.shape == () and amounts.dtype.kind == "f" and np.isposinf(amounts):
        return np.full(count, math.inf)
    return limits("max_force", amounts, count)
