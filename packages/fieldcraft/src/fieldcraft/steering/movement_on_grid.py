"""Movement among the walls of a grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.agents.crowd_arrays import CrowdAgents, CrowdLimits, OpenGround
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.paths.flow.flow_on_grid import GridFlow
from fieldcraft.space import Grid
from fieldcraft.space.cells import too_far
from fieldcraft.space.grid.passages import clear_cells, passages
from fieldcraft.steering.neighbors import Neighbors, write_pushes
from fieldcraft.steering.steering_checks import (
    check_lengths,
    max_forces,
    per_agent,
    points,
    vectors,
)
from fieldcraft.values.bands import run_in_bands

if TYPE_CHECKING:
    from fieldcraft.steering.crowd import Crowd

# agents that pay for waking a thread
_MOVERS = 1_000
_CROWD = 500
# The largest clearance, in cells: agents of exactly half a cell would jam where a corridor begins.
_WIDEST = 0.49


def move_on_grid(
    space: Grid, positions: ArrayLike, displacements: ArrayLike, radius: float, leap: object
) -> Floats:
    """See `steering.move`."""
    at, single = points(positions)
    clearance = _clearance(space, radius)
    shifts = vectors("Displacements", displacements, len(at))
    check_lengths("Displacements", shifts, space)
    blocked = passages(space)
    moved = np.empty(at.shape)
    frame = space.layout.frame
    for _ in range(2):
        wrong = np.full(2, -1, dtype=np.int64)
        inputs = (blocked, at, shifts, frame, clearance)
        run_in_bands(kernels.agents.moving.move, inputs, (wrong, moved), len(at), _MOVERS)
        if wrong[0] >= 0:
            _refuse_outside(space, at, int(wrong[0]))
        if wrong[1] < 0:
            break
        at = read_only(_out_of_walls(space, at, clearance))
    if single:
        return np.asarray(moved[0])
    return moved


def avoid_walls_on_grid(
    space: Grid, positions: ArrayLike, velocities: ArrayLike, ahead: float
) -> Floats:
    """See `steering.avoid_walls`."""
    at, single = points(positions)
    heading = vectors("Velocities", velocities, len(at))
    reach = np.array([checks.positive("ahead", ahead)])
    check_lengths("Feelers", reach, space)
    forces = np.empty(at.shape)
    wrong = np.full(1, -1, dtype=np.int64)
    cells = float(reach[0]) / space.cell_size
    ground = _open_ground(space, cells)
    inputs = (ground, at, heading, space.layout.frame, cells)
    run_in_bands(kernels.agents.moving.avoid, inputs, (wrong, forces), len(at), _MOVERS)
    if wrong[0] >= 0:
        _refuse_outside(space, at, int(wrong[0]))
    if single:
        return np.asarray(forces[0])
    return forces


def check_crowd_on_grid(settings: Crowd, space: Grid) -> None:
    """Refuse settings of a crowd that do not fit a grid."""
    _clearance(space, settings.radius)
    check_lengths("Feelers", np.array([float(settings.ahead)]), space)


def crowd_step_on_grid(
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
    moving = vectors("Velocities", velocities, len(at))
    seconds = checks.positive("dt", dt)
    speeds = per_agent("max_speed", max_speed, len(at))
    forces = max_forces(max_force, len(at))
    check_lengths("Moves of max_speed * dt", speeds * seconds, space)
    sample = None
    if isinstance(desired, GridFlow) and desired.space is space:
        sample = desired.sampler()
        wanted = moving
    elif not isinstance(desired, FlowField):
        wanted = vectors("Desired velocities", desired, len(at))
    else:
        raise InvalidValue(
            "A crowd follows a flow field on its own grid",
            got=repr(desired.space),
            remedy="Build the field on the crowd's grid",
        )
    clearance = _clearance(space, settings.radius)
    ahead = settings.ahead / space.cell_size
    frame = space.layout.frame
    ground = _open_ground(space, ahead)
    avoidance = settings.avoidance if ahead > 0 else 0.0
    gains = np.array([float(sample is not None), settings.response, settings.separation, avoidance])

    def serve(at: Floats) -> tuple[Ints, Floats, Floats]:
        """Return which agents were off the map and in walls (-1 for none), positions and
        velocities.
        """
        if settings.separation_radius > 0:
            reach = settings.separation_radius
        else:
            reach = space.cell_size
        near = Neighbors(at, reach, space=space)
        if sample is not None:
            targets = np.empty(at.shape)
        else:
            targets = wanted[near.order]
        pushes = np.zeros(at.shape)
        wrong = np.full(2, -1, dtype=np.int64)
        moved = np.empty(at.shape)
        changed = np.empty(at.shape)
        agents = CrowdAgents(
            points=near.places,
            order=near.order,
            velocities=moving,
            desired=targets,
            pushes=pushes,
        )
        limits = CrowdLimits(gains, forces, speeds)
        inputs = (ground, agents, limits, frame, clearance, ahead, seconds)

        def step(first: int, last: int) -> None:
            if sample is not None:
                sample(near.places, first, last, targets)
            if settings.separation_radius > 0:
                write_pushes(near, first, last, pushes)
            kernels.agents.moving.drive(*inputs, first, last, wrong, moved, changed)

        pool.run([(step, band) for band in pool.bands(len(at), len(at) // _CROWD)])
        return wrong, moved, changed

    wrong, moved, changed = serve(at)
    if wrong[0] >= 0:
        _refuse_outside(space, at, int(wrong[0]))
    if wrong[1] >= 0:
        _, moved, changed = serve(read_only(_out_of_walls(space, at, clearance)))
    return moved, changed


def _open_ground(space: Grid, ahead: float) -> OpenGround:
    """Return what is blocked in and around cells, for agents that look so many cells ahead."""
    return OpenGround(passages(space), clear_cells(space, math.ceil(ahead)))


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
    return min(max(cells, kernels.agents.moving.CLEARANCE), _WIDEST)


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
    """Raise the error of positions off the map, for example the one at `index`."""
    with np.errstate(over="ignore", invalid="ignore"):
        space.cell_at(at)  # raises, and names the position and the reason
    raise too_far(at[index])
