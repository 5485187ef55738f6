"""The weights of a walk, and the whole numbers that a swarm computes with."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.agents.swarm_layout import Rule
from fieldcraft.space import Grid

MOST_AGENTS = 1 << 27
_MOST_KEY = 2**62
_MOST_WEIGHT = 16.0
_MOST_STRIDE = 256.0
_MOST_DISTANCE = 4096.0


@dataclass(frozen=True)
class Walk:
    """Weights of what turns the agents of a `Swarm`, and their speed.

    An agent turns to the weighted sum of these directions. Its own heading weighs 1; each other
    weight is at least 0, and 0 leaves it out. Three sensors are at a `distance` ahead: left, middle
    and right.

    Parameters
    ----------
    speed : float
        World units per second, at least 0. Agents don't jump over walls: a step is made in pieces
        of at most half a cell.
    wander : float, optional
        Largest random turn at each step, in degrees, below 180.
    turn : float, optional
        Largest turn of a whole step, in degrees; None for no limit. Bouncing off a wall is free.
    follow : float, optional
        Weight of the direction of the sensor with the largest value of a trail.
    align : float, optional
        Weight of the direction of a layer of vectors at the middle sensor.
    separate : float, optional
        Weight of the relative slope of a crowd, downhill.
    cohere : float, optional
        Weight of the relative slope of a group, uphill.
    avoid : float, optional
        Weight of the free side where the middle sensor is in a wall or off the map.
    distance : float, optional
        World units from an agent to its sensors, above 0.
    angle : float, optional
        Degrees between the middle sensor and the other two.

    Raises
    ------
    InvalidValue
        If a number is out of its range.

    References
    ----------
    J. Jones, "Characteristics of Pattern Formation and Evolution in Approximations of Physarum
    Transport Networks" (2010), describes the three sensors. Alignment at a sensor and separation
    by a second layer are from "Influence Maps, Ants, and Flocking".

    Examples
    --------
    >>> import fieldcraft as fc
    >>> from fieldcraft.steering import Swarm, Walk
    >>> values = [[9, 9, 9, 9, 9], [9, 9, 9, 9, 9], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]
    >>> smell = fc.InfluenceMap(fc.Grid(5, 4)).add_layer("smell", values=values)
    >>> ant = Swarm.at(smell.space, [(1.5, 2.5)], headings=[(1, 0)])
    >>> ant.run(Walk(speed=0.0, wander=0.0, follow=1.0, distance=2.0), 1.0, trail=smell)
    >>> ant.headings.round(2)  # between straight on and the sensor on the left
    array([[ 0.92, -0.38]])
    """

    speed: float
    wander: float = 20.0
    turn: float | None = None
    follow: float = 0.0
    align: float = 0.0
    separate: float = 0.0
    cohere: float = 0.0
    avoid: float = 0.0
    distance: float = 3.0
    angle: float = 45.0

    def __post_init__(self) -> None:
        numbers = ("speed", "wander", "follow", "align", "separate", "cohere", "avoid")
        checks.fields(self, **dict.fromkeys(numbers, checks.not_negative))
        checks.fields(self, distance=checks.positive, angle=checks.finite)
        checks.fields(self, turn=checks.optional(checks.not_negative))
        if self.wander >= 180:
            raise InvalidValue(
                "wander is below 180 degrees",
                got=f"wander={self.wander:g}",
                remedy="Pass degrees a step",
            )


def checked_key(seed: Any) -> int:
    """Return the key of random numbers of a seed; raise `InvalidValue` if it is none."""
    return checks.integer("seed", seed, maximum=_MOST_KEY)


def fixed_positions(
    space: Grid, points: NDArray[np.float64], cells: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return world positions (N, 2) in cells (N,) as columns and rows in 2**-16 of a cell,
    (2, N).
    """
    height, width = space.shape
    columns, rows = ((points - np.array(space.origin)) / space.cell_size).T
    if space.y_up:
        rows = height - rows
    if space.wraps_x:
        columns = columns % width
    if space.wraps_y:
        rows = rows % height
    firsts = np.stack([cells % width, cells // width]) << 16
    found = np.floor(np.stack([columns, rows]) * 65536)
    return np.asarray(np.clip(found, firsts, firsts + 65535), dtype=np.int64)


def packed_states(
    headings: ArrayLike | None, roles: ArrayLike | None, count: int, y_up: bool, key: int
) -> NDArray[np.int32]:
    """Return the headings and roles of agents in one word each, (N,); the key draws headings if
    there are none.
    """
    if headings is None:
        states = np.random.default_rng(key).integers(1 << 16, size=count).astype(np.int32)
    else:
        x, y = _unit_headings(headings, count).T
        turns = np.rint(np.arctan2(-y if y_up else y, x) / (2 * np.pi) * 65536)
        states = (turns.astype(np.int64) & 0xFFFF).astype(np.int32)
    if roles is not None:
        rule = "roles are 0 or 1, one per agent"
        remedy = f"Pass shape ({count},)"
        given = checks.array_of(roles, (count,), "biu", rule, remedy)
        if given.size and not 0 <= given.min() <= given.max() <= 1:
            raise InvalidValue(rule, got=f"{given.min()} to {given.max()}", remedy=remedy)
        states |= given.astype(np.int32) << 16
    return states


def _unit_headings(headings: ArrayLike, count: int) -> NDArray[np.float64]:
    """Return directions as `count` unit vectors; raises `InvalidValue` for (0, 0), NaN and
    infinity.
    """
    pairs, single = checks.positions(headings, what="Headings")
    if single:
        pairs = np.repeat(pairs, count, axis=0)
    if len(pairs) != count:
        raise InvalidValue(
            "headings are one (x, y), or one per position",
            got=f"{len(pairs)} for {count} positions",
            remedy=f"Pass shape ({count}, 2)",
        )
    squares = pairs[:, 0] * pairs[:, 0] + pairs[:, 1] * pairs[:, 1]
    if (np.abs(squares - 1) <= 1e-9).all():
        return np.ascontiguousarray(pairs)
    largest = np.abs(pairs).max(axis=1, keepdims=True)
    if (largest == 0).any():
        index = int(np.flatnonzero(largest[:, 0] == 0)[0])
        raise InvalidValue(
            "A heading is not (0, 0)",
            got=f"(0, 0) at index {index}",
            remedy="Pass the last direction of the agent",
        )
    shrunk = pairs / largest
    return np.asarray(shrunk / np.sqrt(shrunk[:, 0] ** 2 + shrunk[:, 1] ** 2)[:, None])


def rule_of(walk: Walk, dt: float, space: Grid, key: int) -> Rule:
    """Return a walk in steps of `dt` seconds as whole numbers; raise `InvalidValue` for settings
    that don't fit into them.
    """
    checks.instance(walk, Walk, "walk is a Walk", "Pass steering.Walk(speed=...), then dt")
    stride = walk.speed * checks.not_negative("dt", dt) / space.cell_size
    if stride > _MOST_STRIDE:
        raise InvalidValue(
            f"A step of a swarm is at most {_MOST_STRIDE:g} cells long",
            got=f"{stride:g}",
            remedy="Pass dt in seconds, or less speed",
        )
    names = ("follow", "avoid", "align", "separate", "cohere")
    weights = {name: getattr(walk, name) for name in names}
    name = max(weights, key=weights.__getitem__)
    if weights[name] > _MOST_WEIGHT:
        raise InvalidValue(
            f"Weights of a swarm are at most {_MOST_WEIGHT:g}",
            got=f"{name}={weights[name]:g}",
            remedy="Their heading weighs 1: divide all",
        )
    distance = walk.distance / space.cell_size
    most = _MOST_DISTANCE
    if space.wraps_x:
        most = min(most, space.width)
    if space.wraps_y:
        most = min(most, space.height)
    if distance > most:
        raise InvalidValue(
            "Sensors of a swarm are at most 4,096 cells away, and as far as an axis that wraps"
            " is long",
            got=f"distance={walk.distance:g}, {distance:g} cells",
            remedy="Pass a shorter distance",
        )
    pieces = max(math.ceil(stride / 0.5), 1)
    angle = math.radians(walk.angle)
    turn = 1 << 17  # more than half a turn: no limit
    if walk.turn is not None and walk.turn < 180:
        turn = round(walk.turn / 360 * 65536)
    return Rule(
        height=space.height,
        width=space.width,
        wrap=space.wrap_flags,
        distance=max(round(distance * 4), 1),
        angle=round(walk.angle / 360 * 65536) & 0xFFFF,
        cosine=round(math.cos(angle) * (1 << 14)),
        sine=round(math.sin(angle) * (1 << 14)),
        stride=round(stride / pieces * 65536),
        pieces=pieces,
        turn=turn,
        wander=min(round(walk.wander / 360 * 65536), (1 << 15) - 1),
        **{name: round(weight * 256) for name, weight in weights.items()},
        flip=int(space.y_up),
        key=_folded(key),
    )


def _folded(key: int) -> int:
    """Return a key of 62 bits as one of 32."""
    return (key ^ (key >> 32) * 0x9E3779B1) & 0xFFFFFFFF
