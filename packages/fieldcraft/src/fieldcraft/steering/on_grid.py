"""Movement among the walls of a grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import Floats, Ints, read_only
from fieldcraft.paths.flow_base import FlowField
from fieldcraft.paths.flow_fields import GridFlow
from fieldcraft.query.values import run_in_bands, too_far
from fieldcraft.space import Grid
from fieldcraft.space.passages import clear_cells, passages
from fieldcraft.steering.arguments import check_lengths, max_forces, per_agent, points, vectors
from fieldcraft.steering.neighbors import Neighbors, write_pushes

if TYPE_CHECKING:
    from fieldcraft.steering.walls import Crowd

__all__ = ["avoid_walls", "check_crowd", "crowd_step", "move"]

_MOVERS, _CROWD = 1_000, 500  # agents that pay for waking a thread
_WIDEST = 0.49  # cells; agents of exactly half a cell would jam at the entry of a corridor


def move(
    space: Grid, positions: ArrayLike, displacements: ArrayLike, radius: float, leap: object
) -> Floats:
    """See `walls.move`."""
    at, single = points(positions)
    clearance = _clearance(space, radius)
    shifts = vectors("Displacements", displacements, len(at))
    check_lengths("Displacements", shifts, space)
    blocked, moved = passages(space), np.empty(at.shape)
    frame = (*space.origin, space.cell_size, space.wrap)
    for _ in range(2):
        wrong = np.full(2, -1, dtype=np.int64)
        inputs = blocked, at, shifts, frame, clearance
        run_in_bands(kernels.moving.move, inputs, (wrong, moved), len(at), _MOVERS)
        if wrong[0] >= 0:
            _refuse_outside(space, at, int(wrong[0]))
        if wrong[1] < 0:
            break
        at = read_only(_out_of_walls(space, at, clearance))
    return moved[0] if single else moved


def avoid_walls(space: Grid, positions: ArrayLike, velocities: ArrayLike, ahead: float) -> Floats:
    """See `walls.avoid_walls`."""
    at, single = points(positions)
    heading = vectors("Velocities", velocities, len(at))
    reach = np.array([checks.positive("ahead", ahead)])
    check_lengths("Feelers", reach, space)
    forces, wrong = np.empty(at.shape), np.full(1, -1, dtype=np.int64)
    cells = float(reach[0]) / space.cell_size
    ground = passages(space), clear_cells(space, math.ceil(cells))
    inputs = ground, at, heading, (*space.origin, space.cell_size, space.wrap), cells
    run_in_bands(kernels.moving.avoid, inputs, (wrong, forces), len(at), _MOVERS)
    if wrong[0] >= 0:
        _refuse_outside(space, at, int(wrong[0]))
    return forces[0] if single else forces


def check_crowd(settings: Crowd, space: Grid) -> None:
    """Refuse settings of a crowd that do not fit a grid."""
    _clearance(space, settings.radius)
    check_lengths("Feelers", np.array([float(settings.ahead)]), space)


def crowd_step(
    settings: Crowd,
    space: Grid,
    positions: ArrayLike,
    velocities: ArrayLike,
    desired: FlowField | ArrayLike,
    dt: float,
    max_speed: ArrayLike,
    max_force: ArrayLike,
) -> tuple[Floats, Floats]:
    """See `Crowd.step`."""
    at, single = points(positions)
    if single:
        raise InvalidValue(
            "A crowd has many positions",
            got="one (x, y) pair",
            remedy="Pass an array of shape (N, 2)",
        )
    moving, seconds = vectors("Velocities", velocities, len(at)), checks.positive("dt", dt)
    speeds, forces = per_agent("max_speed", max_speed, len(at)), max_forces(max_force, len(at))
    check_lengths("Moves of max_speed * dt", speeds * seconds, space)
    flow = desired if isinstance(desired, GridFlow) and desired.space is space else None
    if isinstance(desired, FlowField) and flow is None:
        raise InvalidValue(
            "A crowd follows a flow field on its own grid",
            got=repr(desired.space),
            remedy="Build the field on the crowd's grid",
        )
    sample = None if flow is None else flow.sampler()
    wanted = (
        moving
        if isinstance(desired, FlowField)
        else vectors("Desired velocities", desired, len(at))
    )
    clearance, ahead = _clearance(space, settings.radius), settings.ahead / space.cell_size
    frame = (*space.origin, space.cell_size, space.wrap)
    ground = passages(space), clear_cells(space, math.ceil(ahead))
    avoidance = settings.avoidance if ahead > 0 else 0.0
    gains = np.array([float(flow is not None), settings.response, settings.separation, avoidance])

    def serve(at: Floats) -> tuple[Ints, Floats, Floats]:
        """Return which agents were off the map and in walls (-1 for none), positions and
        velocities.
        """
        reach = settings.keep_apart if settings.keep_apart > 0 else space.cell_size
        near = Neighbors(at, reach, space=space)
        targets = np.empty(at.shape) if flow is not None else wanted[near.order]
        pushes, wrong = np.zeros(at.shape), np.full(2, -1, dtype=np.int64)
        moved, changed = np.empty(at.shape), np.empty(at.shape)
        agents = near.places, near.order, moving, targets, pushes
        inputs = ground, agents, (gains, forces, speeds), frame, clearance, ahead, seconds

        def step(first: int, last: int) -> None:
            if sample is not None:
                sample(near.places, first, last, targets)
            if settings.keep_apart > 0:
                write_pushes(near, first, last, pushes)
            kernels.moving.drive(*inputs, first, last, wrong, moved, changed)

        pool.run([(step, band) for band in pool.bands(len(at), len(at) // _CROWD)])
        return wrong, moved, changed

    wrong, moved, changed = serve(at)
    if wrong[0] >= 0:
        _refuse_outside(space, at, int(wrong[0]))
    if wrong[1] >= 0:
        _, moved, changed = serve(read_only(_out_of_walls(space, at, clearance)))
    return moved, changed


def _clearance(space: Grid, radius: float) -> float:
    """Return the distance that an agent of this radius keeps to walls, in cells."""
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


def _out_of_walls(space: Grid, at: Floats, clearance: float) -> Floats:
    """Return positions, those in walls replaced by the nearest point of the nearest open cell that
    keeps the clearance to its sides.
    """
    found = at.copy()
    cells = np.asarray(space.cell_at(at))
    stuck = np.flatnonzero(space.walls.reshape(-1)[cells])
    centers = space.position_of(space.nearest_open(cells[stuck]))
    offset = space.shortest_vectors(at[stuck] - centers)
    most = (0.5 - clearance) * space.cell_size
    found[stuck] = centers + np.clip(offset, -most, most)
    return found


def _refuse_outside(space: Grid, at: Floats, index: int) -> None:
    """Raise the error of positions off the map, of which that at `index` is one."""
    with np.errstate(over="ignore", invalid="ignore"):
        space.cell_at(at)  # raises, and names the position and the reason
    raise too_far(at[index])
