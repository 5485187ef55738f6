"""Steering behaviors: towards, away and along.

A behavior returns the change of velocity that an agent needs: the velocity that it should have,
minus the one that it has. Multiply behaviors by weights, add them up, and pass the sum to
`accelerate`. After Reynolds, "Steering Behaviors for Autonomous Characters" (1999).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.ranges import farthest_within
from fieldcraft.base.words import IfOutside
from fieldcraft.paths.flow.flow_field import FlowField
from fieldcraft.space.kinds import graph_of
from fieldcraft.steering.steering_checks import max_forces, per_agent, points, vectors

Floats = NDArray[np.float64]


def seek(
    positions: ArrayLike, velocities: ArrayLike, targets: ArrayLike, max_speed: ArrayLike
) -> Floats:
    """Return the change of velocity straight to a target at full speed.

    Parameters
    ----------
    positions : array_like of shape (2,) or (N, 2)
        World positions of agents.
    velocities : array_like of shape (2,) or (N, 2)
        World units per second; one pair for all agents.
    targets : array_like of shape (2,) or (N, 2)
        World positions. An agent on its target should stand still.
    max_speed : float or array_like of shape (N,)
        World units per second.

    Returns
    -------
    ndarray of float64
        (N, 2) world units per second, or (2,) for one agent.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> steering.seek((1, 1), (0, 0), (4, 5), max_speed=10.0)
    array([6., 8.])
    """
    at, moving, speeds, single = _agents(positions, velocities, max_speed)
    offsets = vectors("Targets", targets, len(at)) - at
    return _unwrapped(_directions(offsets) * speeds - moving, single)


def flee(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    max_speed: ArrayLike,
    *,
    within: float = math.inf,
) -> Floats:
    """Return the change of velocity straight away from a target at full speed.

    Parameters
    ----------
    positions, velocities, targets, max_speed
        As in `seek`.
    within : float
        Agents farther away than this, in world units, and agents on the target get (0, 0).

    Examples
    --------
    >>> from fieldcraft import steering
    >>> steering.flee([(4, 5), (9, 9)], (0, 0), (1, 1), max_speed=10.0, within=6)
    array([[6., 8.],
           [0., 0.]])
    """
    at, moving, speeds, single = _agents(positions, velocities, max_speed)
    unlimited = isinstance(within, float) and within == math.inf
    if unlimited:
        reach = within
    else:
        reach = checks.not_negative("within", within)
    goals = vectors("Targets", targets, len(at))
    away = at - goals
    distances = _lengths(away)
    largest = max(float(np.abs(given).max(initial=0)) for given in (at, goals))
    afraid = (distances <= farthest_within(reach, largest)) & (distances > 0)
    return _unwrapped(np.where(afraid, _directions(away) * speeds - moving, 0.0), single)


def arrive(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    max_speed: ArrayLike,
    *,
    slowing: float,
) -> Floats:
    """Return the change of velocity to a target at which the agent stops.

    Parameters
    ----------
    positions, velocities, targets, max_speed
        As in `seek`.
    slowing : float
        World units from the target within which the speed falls evenly to 0.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> steering.arrive([(0, 0), (8, 0), (10, 0)], (0, 0), (10, 0), max_speed=4.0, slowing=4.0)
    array([[4., 0.],
           [2., 0.],
           [0., 0.]])
    """
    at, moving, speeds, single = _agents(positions, velocities, max_speed)
    brake = checks.positive("slowing", slowing)
    offsets = vectors("Targets", targets, len(at)) - at
    speeds = speeds * np.minimum(_lengths(offsets) / brake, 1.0)
    return _unwrapped(_directions(offsets) * speeds - moving, single)


def pursue(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    target_velocities: ArrayLike,
    max_speed: ArrayLike,
    *,
    horizon: float,
) -> Floats:
    """Return the change of velocity to where a moving target will be.

    Parameters
    ----------
    positions, velocities, targets, max_speed
        As in `seek`.
    target_velocities : array_like of shape (2,) or (N, 2)
        World units per second.
    horizon : float
        Most seconds by which the agent aims ahead. Below that it aims ahead by the time that the
        distance to the target takes at full speed.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> steering.pursue((0, 0), (0, 0), (3, 0), (0, 4), max_speed=3.0, horizon=1.0)
    array([1.8, 2.4])
    """
    at, _, speeds, single = _agents(positions, velocities, max_speed)
    goals = _ahead(at, targets, target_velocities, speeds, horizon)
    return _unwrapped(seek(at, velocities, goals, max_speed), single)


def evade(
    positions: ArrayLike,
    velocities: ArrayLike,
    targets: ArrayLike,
    target_velocities: ArrayLike,
    max_speed: ArrayLike,
    *,
    horizon: float,
    within: float = math.inf,
) -> Floats:
    """Return the change of velocity away from where a moving pursuer will be.

    Parameters
    ----------
    positions, velocities, targets, target_velocities, max_speed, horizon
        As in `pursue`.
    within : float
        Agents farther than this from that place, in world units, get (0, 0).

    Examples
    --------
    >>> from fieldcraft import steering
    >>> steering.evade((0, 0), (0, 0), (3, 0), (0, 4), max_speed=3.0, horizon=1.0)
    array([-1.8, -2.4])
    """
    at, _, speeds, single = _agents(positions, velocities, max_speed)
    goals = _ahead(at, targets, target_velocities, speeds, horizon)
    return _unwrapped(flee(at, velocities, goals, max_speed, within=within), single)


def wander(
    velocities: ArrayLike,
    angles: ArrayLike,
    rng: np.random.Generator,
    *,
    max_speed: ArrayLike,
    jitter: float = 17.0,
    wildness: float = 0.5,
) -> tuple[Floats, Floats]:
    """Return the change of velocity of a random walk without sudden turns.

    Each agent heads for a point on a circle ahead of it, and that point moves around the circle by
    random steps.

    Parameters
    ----------
    velocities : array_like of shape (N, 2)
        World units per second. For agents at rest x is ahead.
    angles : float or array_like of shape (N,)
        Degrees of the point on the circle, from ahead. Start with 0.
    rng : numpy.random.Generator
        Source of one normal number for each agent.
    max_speed : float or array_like of shape (N,)
        Wanted speed in world units per second.
    jitter : float
        Standard deviation of the change of an angle in one call, in degrees.
    wildness : float
        Radius of the circle relative to the distance of its center: 0 is straight on.

    Returns
    -------
    changes : ndarray of float64, (N, 2)
        World units per second.
    angles : ndarray of float64, (N,)
        The angles to pass in the next call.

    Examples
    --------
    >>> import numpy as np
    >>> from fieldcraft import steering
    >>> rng = np.random.default_rng(1)
    >>> change, angles = steering.wander([(1, 0)], 0, rng, max_speed=2.0)
    >>> angles.round(1)
    array([5.9])
    """
    given = checks.array("Velocities", velocities)
    moving = vectors("Velocities", given, len(np.atleast_2d(given)) if given.size else 0)
    count = len(moving)
    checks.generator(rng)
    spread = checks.not_negative("jitter", jitter)
    radius = checks.not_negative("wildness", wildness)
    turned = checks.numbers("angles", angles, count) + spread * rng.standard_normal(count)
    turned = np.mod(turned + 180.0, 360.0) - 180.0
    ahead = _directions(moving)
    ahead[(ahead == 0).all(axis=1)] = (1.0, 0.0)
    beside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    radians = np.radians(turned)[:, np.newaxis]
    aim = ahead + radius * np.cos(radians) * ahead + radius * np.sin(radians) * beside
    speeds = per_agent("max_speed", max_speed, count)[:, np.newaxis]
    return _directions(aim) * speeds - moving, turned


def follow_flow(
    positions: ArrayLike,
    velocities: ArrayLike,
    flow: FlowField,
    max_speed: ArrayLike,
    *,
    outside: IfOutside = "refuse",
) -> Floats:
    """Return the change of velocity along a flow field at full speed.

    Parameters
    ----------
    positions : array_like of shape (2,) or (N, 2)
        World positions; (N, 3) on a 3D mesh.
    velocities, max_speed
        As in `seek`, in the ground plane.
    flow : FlowField
        The field of a grid, hexagons or a mesh. Where it has no direction, agents stop.
    outside : {"refuse", "clamp"}
        With "clamp" a position outside the map counts as the nearest cell.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> flow = fc.flow_field(fc.distance_map(fc.Grid(5, 1), (4.5, 0.5)))
    >>> fc.steering.follow_flow([(1.5, 0.5), (4.5, 0.5)], (1, 0), flow, max_speed=3.0)
    array([[ 2.,  0.],
           [-1.,  0.]])
    """
    space = checks.instance(
        flow, FlowField, "flow is a flow field", "Pass fc.flow_field(distance_map)"
    ).space
    if space.dimensions == 3 and graph_of(space).mesh is None:
        raise InvalidValue(
            "Behaviors steer in the ground plane",
            got="a flow field on waypoints in 3D",
            remedy="Move agents along paths: fc.shortest_path(...).at(distance)",
        )
    at, single = checks.positions(positions, dimensions=space.dimensions)
    moving = vectors("Velocities", velocities, len(at))
    speeds = per_agent("max_speed", max_speed, len(at))[:, np.newaxis]
    return _unwrapped(flow.sample(at, outside=outside)[:, :2] * speeds - moving, single)


def accelerate(
    velocities: ArrayLike,
    force: ArrayLike,
    dt: float,
    *,
    max_speed: ArrayLike,
    max_force: ArrayLike = math.inf,
) -> Floats:
    """Return the velocities after `dt` seconds of a force.

    Parameters
    ----------
    velocities : array_like of shape (2,) or (N, 2)
        World units per second.
    force : array_like of shape (2,) or (N, 2)
        World units per second squared: behaviors times weights, added up. With a weight of 4 a
        change of velocity takes about 1/4 s.
    dt : float
        Seconds, at least 0.
    max_speed, max_force : float or array_like of shape (N,)
        Longer velocities and forces are shortened to this length.

    Returns
    -------
    ndarray of float64
        (N, 2), or (2,) for one agent.

    Examples
    --------
    >>> from fieldcraft import steering
    >>> force = 4 * steering.seek((0, 0), (1, 0), (0, 5), max_speed=2.0)
    >>> steering.accelerate((1, 0), force, dt=0.1, max_speed=2.0).round(3)
    array([0.6, 0.8])
    """
    moving = checks.array("Velocities", velocities)
    single = moving.shape == (2,)
    if single:
        count = 1
    else:
        count = len(np.atleast_1d(moving))
    wide = vectors("Velocities", moving, count)
    seconds = checks.not_negative("dt", dt)
    change = shortened(vectors("Forces", force, count), max_forces(max_force, count)) * seconds
    return _unwrapped(shortened(wide + change, per_agent("max_speed", max_speed, count)), single)


def _agents(
    positions: ArrayLike, velocities: ArrayLike, max_speed: ArrayLike
) -> tuple[Floats, Floats, Floats, bool]:
    """Return positions and velocities (N, 2), speeds (N, 1), and whether it was one agent."""
    at, single = points(positions)
    moving = vectors("Velocities", velocities, len(at))
    return at, moving, per_agent("max_speed", max_speed, len(at))[:, np.newaxis], single


def _ahead(
    at: Floats, targets: ArrayLike, target_velocities: ArrayLike, speeds: Floats, horizon: float
) -> Floats:
    """Return where targets will be when agents can reach them."""
    goals = vectors("Targets", targets, len(at))
    moving = vectors("Target velocities", target_velocities, len(at))
    most = checks.not_negative("horizon", horizon)
    times = np.minimum(_lengths(goals - at) / np.where(speeds > 0, speeds, 1.0), most)
    return goals + moving * np.where(speeds > 0, times, most)


def _lengths(offsets: Floats) -> Floats:
    return np.hypot(offsets[:, :1], offsets[:, 1:])


def _directions(offsets: Floats) -> Floats:
    """Return unit vectors; 0 stays 0."""
    lengths = _lengths(offsets)
    return offsets / np.where(lengths > 0, lengths, 1.0)


def shortened(found: Floats, most: Floats) -> Floats:
    """Return vectors (N, 2), shortened to these lengths (N,)."""
    lengths = np.hypot(found[:, 0], found[:, 1])
    beyond = lengths > most
    scale = np.where(beyond, most / np.where(beyond, lengths, 1.0), 1.0)
    return found * scale[:, np.newaxis]


def _unwrapped(found: Floats, single: bool) -> Floats:
    """Return the one row for one agent."""
    return found[0] if single else found
