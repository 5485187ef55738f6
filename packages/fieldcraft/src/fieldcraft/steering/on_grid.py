"""Moving on grids without ever entering a wall."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.paths.flow import FlowField
from fieldcraft.paths.flow_fields import GridFlow
from fieldcraft.query.ground import crowd, too_far
from fieldcraft.space import Grid
from fieldcraft.space.passages import passages, quiet
from fieldcraft.steering import neighbors
from fieldcraft.steering.arguments import cells_long, limits, longest, points, vectors

if TYPE_CHECKING:
    from fieldcraft.steering.walls import Crowd

__all__ = ["avoid_walls", "check_crowd", "crowd_step", "move", "refuse_outside"]

_MOVERS, _CROWD = 1_000, 500  # as many pay for waking a thread
_WIDEST = 0.49  # cells; exactly half of one would jam in a corridor's mouth

Wide = NDArray[np.float64]


def move(
    space: Grid, positions: ArrayLike, displacements: ArrayLike, radius: float, leap: object
) -> Wide:
    """See `walls.move`."""
    at, single = points(positions)
    near = room_beside(space, radius)
    shifts = vectors("Displacements", displacements, len(at))
    cells_long("Displacements", shifts, space)
    bars, moved, wrong = passages(space), np.empty(at.shape), np.full(2, -1, dtype=np.int64)
    inputs = shifts, (*space.origin, space.cell_size, space.wrap), near
    crowd(kernels.moving.move, (bars, at, *inputs), (wrong, moved), len(at), _MOVERS)
    if wrong[0] >= 0:
        refuse_outside(space, at, int(wrong[0]))
    if wrong[1] >= 0:
        at = read_only(out_of_walls(space, at, near))
        crowd(kernels.moving.move, (bars, at, *inputs), (wrong, moved), len(at), _MOVERS)
    return moved[0] if single else moved


def avoid_walls(space: Grid, positions: ArrayLike, velocities: ArrayLike, ahead: float) -> Wide:
    """See `walls.avoid_walls`."""
    at, single = points(positions)
    heading = vectors("Velocities", velocities, len(at))
    reach = np.array([checks.positive("ahead", ahead)])
    cells_long("Looks ahead", reach, space)
    forces, wrong = np.empty(at.shape), np.full(1, -1, dtype=np.int64)
    cells = float(reach[0]) / space.cell_size
    ground = passages(space), quiet(space, math.ceil(cells))
    inputs = ground, at, heading, (*space.origin, space.cell_size, space.wrap), cells
    crowd(kernels.moving.avoid, inputs, (wrong, forces), len(at), _MOVERS)
    if wrong[0] >= 0:
        refuse_outside(space, at, int(wrong[0]))
    return forces[0] if single else forces


def room_beside(space: Grid, radius: float) -> float:
    """The distance that an agent of this radius keeps to walls, in cells."""
    cells = checks.not_negative("radius", radius) / space.cell_size
    if cells > 0.5:
        raise InvalidValue(
            f"The radius of an agent is at most half a cell, {space.cell_size / 2:g} here, so that"
            " it fits wherever a path leads",
            got=f"radius={radius!r}",
            remedy=(
                "Use larger cells, or for large agents a grid with thicker walls:"
                " space.with_walls(thickened)"
            ),
        )
    return min(max(cells, kernels.moving.CLEARANCE), _WIDEST)


def out_of_walls(space: Grid, at: Wide, near: float) -> Wide:
    """The positions, those in walls replaced by the nearest point of the nearest open cell that
    keeps `near` to its sides.
    """
    found = at.copy()
    cells = np.asarray(space.cell_at(at))
    stuck = np.flatnonzero(space.walls.reshape(-1)[cells])
    centers = space.position_of(space.nearest_open(cells[stuck]))
    offset = space.shortest_vectors(at[stuck] - centers)
    room = (0.5 - near) * space.cell_size
    found[stuck] = centers + np.clip(offset, -room, room)
    return found


def refuse_outside(space: Grid, at: Wide, index: int) -> None:
    """Raise what is to be said about positions off the map, of which that at `index` is one."""
    with np.errstate(over="ignore", invalid="ignore"):
        space.cell_at(at)  # raises, and says which position and why
    raise too_far(at[index])


def check_crowd(settings: Crowd, space: Grid) -> None:
    """Refuse settings of a crowd that don't fit a grid."""
    room_beside(space, settings.radius)
    cells_long("Looks ahead", np.array([float(settings.ahead)]), space)


def crowd_step(
    settings: Crowd,
    space: Grid,
    positions: ArrayLike,
    velocities: ArrayLike,
    wish: FlowField | ArrayLike,
    dt: float,
    top: ArrayLike,
    most: ArrayLike,
) -> tuple[Wide, Wide]:
    """See `Crowd.step`."""
    at, single = points(positions)
    if single:
        raise InvalidValue(
            "A crowd has many positions",
            got="one (x, y) pair",
            remedy="Pass an array of shape (N, 2)",
        )
    moving = vectors("Velocities", velocities, len(at))
    seconds = checks.positive("dt", dt)
    speeds = limits("max_speed", top, len(at))
    forces = longest(most, len(at))
    cells_long("Moves of max_speed * dt", speeds * seconds, space)
    if isinstance(wish, FlowField) and not (isinstance(wish, GridFlow) and wish.space is space):
        raise InvalidValue(
            "A crowd follows a flow field on its own grid",
            got=repr(wish.space),
            remedy="Build the field on the crowd's grid",
        )

    bars, near = passages(space), room_beside(space, settings.radius)
    wanted = wish if isinstance(wish, FlowField) else vectors("Wishes", wish, len(at))
    step = _Step(settings, space, bars, near, moving, wanted, seconds, speeds, forces)
    wrong, new_places, new_speeds = step.serve(at)
    if wrong[0] >= 0:
        refuse_outside(space, at, int(wrong[0]))
    if wrong[1] >= 0:
        _, new_places, new_speeds = step.serve(read_only(out_of_walls(space, at, near)))
    return new_places, new_speeds


@dataclass
class _Step:
    """One step of a crowd, all checked."""

    crowd: Crowd
    space: Grid
    bars: NDArray[np.uint8]
    near: float
    velocities: Wide
    wish: FlowField | Wide
    seconds: float
    top: Wide
    most: Wide

    def serve(self, at: Wide) -> tuple[NDArray[np.int64], Wide, Wide]:
        """Which agents were off the map and in walls (-1 for none), positions and velocities."""
        crowd, space, wish, count = self.crowd, self.space, self.wish, len(at)
        near_all, moves = kernels.neighbors, kernels.moving
        reach = crowd.keep_apart if crowd.keep_apart > 0 else space.cell_size
        beside = neighbors.Neighbors(at, reach, space=space)
        places, order = beside.sorted
        sample = wish.sampler() if isinstance(wish, GridFlow) else None
        wishes = np.empty(at.shape) if isinstance(wish, FlowField) else wish[order]
        pushes = np.zeros(at.shape)
        avoidance = crowd.avoidance if crowd.ahead > 0 else 0.0
        gains = np.array([float(sample is not None), crowd.response, crowd.separation, avoidance])
        frame = (*space.origin, space.cell_size, space.wrap)
        calm = quiet(space, math.ceil(crowd.ahead / space.cell_size))
        wrong, new_places, new_speeds = (
            np.full(2, -1, dtype=np.int64),
            np.empty(at.shape),
            np.empty(at.shape),
        )

        def band(first: int, last: int) -> None:
            if sample is not None:
                sample(places, first, last, wishes)
            if crowd.keep_apart > 0:
                near_all.separate(*beside.lines, first, last, pushes)
            moves.drive(
                (self.bars, calm),
                (places, order, self.velocities, wishes, pushes),
                (gains, self.most, self.top),
                frame,
                self.near,
                crowd.ahead / space.cell_size,
                self.seconds,
                first,
                last,
                wrong,
                new_places,
                new_speeds,
            )

        pool.run([(band, pair) for pair in pool.bands(count, count // _CROWD)])
        return wrong, new_places, new_speeds
