"""Steering towards, away and along, and from many wishes to one velocity.

Every behavior gives the change of velocity that it wants, in world units per second: the velocity
it would have, minus the one that is. `combine` weighs them, `accelerate` applies them. After
Reynolds, "Steering Behaviors for Autonomous Characters" (1999).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.flow import FlowField
from fieldcraft.steering.arguments import limits, points, vectors

__all__ = [
    "accelerate",
    "arrive",
    "combine",
    "evade",
    "flee",
    "follow_flow",
    "pursue",
    "seek",
    "wander",
]

Wide = NDArray[np.float64]


def seek(
    positions: ArrayLike, velocities: ArrayLike, targets: ArrayLike, max_speed: ArrayLike
) -> Wide:
    """Straight at a target at full speed: (N, 2) world units per second, or (2,) for one agent.

    Parameters
    ----------
    positions : array_like
        (N, 2) world units, or one (x, y) pair.
    velocities : array_like
        (N, 2) world units per second, or one pair for all.
    targets : array_like
        (N, 2), or one pair for all. Who is there already wants to stand still.
    max_speed : array_like
        World units per second, at least 0; one number, or one per agent.

    Raises
    ------
    InvalidValue
        For other shapes, for NaN and infinity.
    """
    at, single = points(positions)
    moving = vectors("Velocities", velocities, len(at))
    offsets = vectors("Targets", targets, len(at)) - at
    wanted = _directions(offsets) * _speeds(max_speed, len(at))
    return _one(wanted - moving, single)


def flee(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    max_speed: ArrayLike,
    *,
    within: float = math.inf,
) -> Wide:
    """Straight away from a target at full speed; `seek` turned round.

    Who is further away than `within` (world units) is not frightened: (0, 0). So is who stands on
    the target.
    """
    at, single = points(positions)
    moving = vectors("Velocities", velocities, len(at))
    reach = (
        within
        if isinstance(within, float) and within == math.inf
        else checks.not_negative("within", within)
    )
    away = at - vectors("Targets", targets, len(at))
    wanted, distances = _directions(away) * _speeds(max_speed, len(at)), _lengths(away)
    return _one(np.where((distances <= reach) & (distances > 0), wanted - moving, 0.0), single)


def arrive(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    max_speed: ArrayLike,
    *,
    slowing: float,
) -> Wide:
    """To a target and no further: `seek`, at less than full speed within the distance `slowing`
    (world units, above 0).

    The speed wanted falls evenly to 0 at the target. Parameters as for `seek`.
    """
    at, single = points(positions)
    moving = vectors("Velocities", velocities, len(at))
    brake = checks.positive("slowing", slowing)
    offsets = vectors("Targets", targets, len(at)) - at
    speeds = _speeds(max_speed, len(at)) * np.minimum(_lengths(offsets) / brake, 1.0)
    return _one(_directions(offsets) * speeds - moving, single)


def pursue(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    target_velocities: ArrayLike,
    max_speed: ArrayLike,
    *,
    horizon: float,
) -> Wide:
    """To where a moving target will be: `seek` for the place it reaches in the time that the way to
    it takes at full speed.

    That time is at most `horizon` seconds. `target_velocities` as `targets`; the rest as for
    `seek`.
    """
    at, single = points(positions)
    goals = _ahead(at, targets, target_velocities, max_speed, horizon)
    return _one(seek(at, velocities, goals, max_speed), single)


def evade(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    target_velocities: ArrayLike,
    max_speed: ArrayLike,
    *,
    horizon: float,
    within: float = math.inf,
) -> Wide:
    """Away from where a moving pursuer will be: `flee`, as `pursue` is `seek`. Who is further than
    `within` of that place: (0, 0).
    """
    at, single = points(positions)
    goals = _ahead(at, targets, target_velocities, max_speed, horizon)
    return _one(flee(at, velocities, goals, max_speed, within=within), single)


def wander(
    velocities: ArrayLike,
    angles: ArrayLike,
    rng: np.random.Generator,
    *,
    max_speed: ArrayLike,
    jitter: float = 17.0,
    wildness: float = 0.5,
) -> tuple[Wide, Wide]:
    """Here and there without twitching: the forces, (N, 2) world units per second, and the angles
    to hand in next time, (N,).

    Each agent heads for a point on a circle ahead of it, and that point creeps around the circle by
    chance.

    Parameters
    ----------
    velocities : array_like
        (N, 2) world units per second. Who stands still takes x as ahead.
    angles : array_like
        (N,) degrees, the point on the circle from ahead; one number for all. Start with 0, or at
        random.
    rng : Generator
        What chance is drawn from: one normal number per agent and call.
    max_speed : array_like
        The speed wanted, one number or one per agent.
    jitter : float, optional
        How far an angle creeps in one call, in degrees (the standard deviation).
    wildness : float, optional
        The radius of the circle beside the distance of its center: 0 straight on, 1 may turn at
        once.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    given = checks.array("Velocities", velocities)
    moving = vectors("Velocities", given, len(np.atleast_2d(given)) if given.size else 0)
    count = len(moving)
    dice, spread = checks.generator(rng), checks.not_negative("jitter", jitter)
    radius = checks.not_negative("wildness", wildness)
    turned = checks.numbers("angles", angles, count) + spread * dice.standard_normal(count)
    turned = np.mod(turned + 180.0, 360.0) - 180.0
    ahead = _directions(moving)
    ahead[(ahead == 0).all(axis=1)] = (1.0, 0.0)
    way = np.radians(turned)
    cos, sin = (radius * np.cos(way))[:, np.newaxis], (radius * np.sin(way))[:, np.newaxis]
    aim = ahead + cos * ahead + sin * np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    return _directions(aim) * _speeds(max_speed, count) - moving, turned


def follow_flow(
    positions: ArrayLike,
    velocities: ArrayLike,
    flow: FlowField,
    max_speed: ArrayLike,
    *,
    outside: str = "refuse",
) -> Wide:
    """Along a flow field at full speed; standing still where it has no direction: at goals and
    where no way leads.

    On a 3D mesh positions are (N, 3), velocities and what comes back lie in the ground plane, (N,
    2). Positions off the map raise `OutsideMap`, or count as the rim with `outside="clamp"`. The
    rest as for `seek`.
    """
    space = checks.instance(
        flow, FlowField, "flow is a flow field", "Pass fc.flow_field(distance_map)"
    ).space
    if space.dimensions == 3 and space.graph.mesh is None:
        raise InvalidValue(
            "Behaviours steer in the ground plane",
            got="a flow field on waypoints in 3D",
            remedy="Walk along their edges: steering.Travellers",
        )
    at, single = checks.positions(positions, dimensions=space.dimensions)
    moving = vectors("Velocities", velocities, len(at))
    wanted = flow.sample(at, outside=outside)[:, :2] * _speeds(max_speed, len(at))
    return _one(wanted - moving, single)


def _ahead(
    at: Wide, targets: ArrayLike, target_velocities: ArrayLike, max_speed: ArrayLike, horizon: float
) -> Wide:
    """Where targets will be when they can be reached."""
    goals = vectors("Targets", targets, len(at))
    moving = vectors("Target velocities", target_velocities, len(at))
    most = checks.not_negative("horizon", horizon)
    speeds = _speeds(max_speed, len(at))
    times = np.minimum(_lengths(goals - at) / np.where(speeds > 0, speeds, 1.0), most)
    return goals + moving * np.where(speeds > 0, times, most)


def _speeds(max_speed: ArrayLike, count: int) -> Wide:
    return limits("max_speed", max_speed, count)[:, np.newaxis]


def _lengths(offsets: Wide) -> Wide:
    return np.hypot(offsets[:, :1], offsets[:, 1:])


def _directions(offsets: Wide) -> Wide:
    """Unit vectors; 0 stays 0."""
    lengths = _lengths(offsets)
    return offsets / np.where(lengths > 0, lengths, 1.0)


def _one(found: Wide, single: bool) -> Wide:
    return found[0] if single else found


def combine(
    forces: Sequence[ArrayLike],
    weights: ArrayLike | None = None,
    *,
    max_force: ArrayLike | None = None,
    priority: bool = False,
) -> Wide:
    """One acceleration out of several behaviours: (N, 2) world units per second squared, or (2,) if
    all are single vectors.

    Parameters
    ----------
    forces : Sequence[array_like]
        What behaviours want, each (N, 2), or one vector for all: changes of velocity, world units
        per second.
    weights : array_like, optional
        One number of at least 0 per behaviour, per second; 1 each if absent. A change weighted by 4
        is made in about 1/4 s.
    max_force : array_like, optional
        The longest acceleration; one number, or one per agent.
    priority : bool, optional
        With True the behaviours are served in turn, each with what those before it have left of
        `max_force`: the first ones are never drowned out by the last. Otherwise all are added up
        and the sum is shortened.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    if not isinstance(forces, (list, tuple)) or not forces:
        raise InvalidValue(
            "forces are a list of arrays, one per behaviour",
            got=repr(type(forces).__name__),
            remedy="Pass [seek(...), separation(...)]",
        )
    arrays = [checks.array("Forces", force) for force in forces]
    counts = sorted({len(array) for array in arrays if array.shape != (2,) and array.ndim})
    if len(counts) > 1:
        raise InvalidValue(
            "All behaviours steer the same agents",
            got=f"forces for {counts} agents",
            remedy="Pass arrays of one length",
        )
    count = counts[0] if counts else 1
    wide = [vectors("Forces", array, count) for array in arrays]
    scales = (
        np.ones(len(wide)) if weights is None else checks.numbers("weights", weights, len(wide))
    )
    if (scales < 0).any():
        raise InvalidValue(
            "weights are at least 0",
            got=f"{scales.min()}",
            remedy="Turn the behaviour round instead: flee for seek",
        )
    most = None if max_force is None else limits("max_force", max_force, count)
    priority = checks.flag("priority", priority)
    if priority and most is None:
        raise InvalidValue(
            "priority shares out max_force",
            got="priority=True without max_force",
            remedy="Pass max_force",
        )
    total = np.zeros((count, 2))
    left = most
    for force, scale in zip(wide, scales.tolist(), strict=True):
        part = force * scale
        if priority and left is not None:
            part, used = _shortened(part, left)
            left = np.maximum(left - used, 0.0)
        total += part
    if most is not None and not priority:
        total, _ = _shortened(total, most)
    return total if counts else total[0]


def accelerate(velocities: ArrayLike, force: ArrayLike, dt: float, *, max_speed: ArrayLike) -> Wide:
    """The velocities after `dt` seconds of a force: `velocities + force * dt`, shortened to
    `max_speed`; (N, 2), or (2,) for one.

    `velocities` in world units per second, `force` (from `combine`) per second squared, `max_speed`
    one number or one per agent.
    """
    moving = checks.array("Velocities", velocities)
    single = moving.shape == (2,)
    count = 1 if single else len(np.atleast_1d(moving))
    wide = vectors("Velocities", moving, count)
    step = checks.not_negative("dt", dt)
    after, _ = _shortened(
        wide + vectors("Forces", force, count) * step, limits("max_speed", max_speed, count)
    )
    return after[0] if single else after


def _shortened(found: Wide, most: Wide) -> tuple[Wide, Wide]:
    """Vectors of at most these lengths, and how long they are."""
    lengths = np.hypot(found[:, 0], found[:, 1])
    beyond = lengths > most
    scale = np.where(beyond, most / np.where(beyond, lengths, 1.0), 1.0)
    return found * scale[:, np.newaxis], np.minimum(lengths, most)
