"""Steering towards, away and along: after Reynolds, "Steering Behaviors for Autonomous Characters"
(1999).

Every behaviour gives the change of velocity that it wants, in world units per second: the velocity
it would have, minus the one that is. `combine` weighs them, `accelerate` applies them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.flow import FlowField
from fieldcraft.steering.arguments import limits, points, vectors

__all__ = ["arrive", "evade", "flee", "follow_flow", "pursue", "seek", "wander"]

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
    remedy = "Pass fc.flow_field(distance_map)"
    space = checks.instance(flow, FlowField, "flow is a flow field", remedy).space  # type: ignore[type-abstract]
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
