"""The weights of a walk, and the whole numbers that a swarm makes of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.swarm_layout import Rule

__all__ = ["MOST_AGENTS", "Walk", "by_role", "checked_key", "minds_of", "places_of", "rule_of"]

MOST_AGENTS = 1 << 27
_MOST_KEY = 2**62
_MOST_WEIGHT = 16.0
_MOST_STRIDE = 256.0
_MOST_DISTANCE = 4096.0


@dataclass(frozen=True)
class Walk:
    """Weights of what leads the agents of a `Swarm`. Their own heading weighs 1; each other weight
    is at least 0, and 0 leaves it out.

    Parameters
    ----------
    speed : float
        World units per second, at least 0. Nothing is leapt over: a step is made in pieces of at
        most half a cell.
    wander : float, optional
        Most degrees of a random turn at each step, below 180: a random walk with persistence.
    turn : float, optional
        Most degrees of a step's whole turn; None for no limit. Bouncing off a wall is free.
    follow : float, optional
        Towards the strongest of three sensors of a trail: left, middle, right.
    align : float, optional
        Towards the direction of a layer of vectors, read by the middle sensor.
    separate : float, optional
        Down the relative slope of a crowd.
    cohere : float, optional
        Up the relative slope of a group.
    avoid : float, optional
        Towards the free side where the middle sensor is in a wall or off the map.
    distance : float, optional
        World units from an agent to its sensors, above 0.
    angle : float, optional
        Degrees between the middle sensor and those beside it.

    Raises
    ------
    InvalidValue
        For numbers outside of these ranges.

    References
    ----------
    The three sensors are those of Jones, "Characteristics of Pattern Formation and Evolution in
    Approximations of Physarum Transport Networks" (2010); aligning ahead, and keeping apart by a
    second layer, are from "Influence Maps, Ants, and Flocking".
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
        numbers = "speed", "wander", "follow", "align", "separate", "cohere", "avoid"
        checks.fields(self, **dict.fromkeys(numbers, checks.not_negative))
        checks.fields(self, distance=checks.positive, angle=checks.finite)
        checks.fields(self, turn=checks.optional(checks.not_negative))
        if self.wander >= 180:
            raise InvalidValue(
                "wander is below 180 degrees",
                got=f"wander={self.wander:g}",
                remedy="Pass degrees a step",
            )


def by_role(name: str, given: Any) -> list[Any]:
    """The layer that all read, or the two of the roles 0 and 1."""
    several = isinstance(given, (list, tuple))
    layers = list(given) if several else [given]
    if several and len(layers) != 2:
        raise InvalidValue(
            f"{name} is one layer, or two",
            got=f"{len(layers)}",
            remedy="Pass one layer per role, 0 and 1",
        )
    return layers


def checked_key(seed: Any) -> int:
    """The key of a seed's dice; raises `InvalidValue` for what is none."""
    return checks.integer("seed", seed, maximum=_MOST_KEY)


def places_of(
    points: NDArray[np.float64],
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    shape: tuple[int, int],
    *,
    cell_size: float,
    origin: tuple[float, float],
    y_up: bool,
    wrap: bool,
) -> NDArray[np.int64]:
    """The places of world positions (N, 2) in the rows and columns that they lie in, (2, N):
    columns, rows, in 2**-16 of a cell.
    """
    places = (points - np.array(origin)) / cell_size
    found = np.empty((2, len(points)), dtype=np.int64)
    height, width = shape
    for k, (place, cell, size) in enumerate(
        ((places[:, 0], columns, width), (places[:, 1], rows, height))
    ):
        flipped = size - place if k == 1 and y_up else place
        found[k] = np.clip(
            np.floor((flipped % size if wrap else flipped) * 65536),
            cell << 16,
            (cell << 16) + 65535,
        )
    return found


def minds_of(
    headings: ArrayLike | None, roles: ArrayLike | None, count: int, y_up: bool, key: int
) -> NDArray[np.int32]:
    """The headings and roles of agents as they are kept, (N,); headings are drawn from the key
    where there are none.
    """
    minds: NDArray[np.int32]
    if headings is None:
        minds = np.random.default_rng(key).integers(1 << 16, size=count).astype(np.int32)
    else:
        ways = _unit_headings(headings, count)
        turns = np.rint(
            np.arctan2(-ways[:, 1] if y_up else ways[:, 1], ways[:, 0]) / (2 * np.pi) * 65536
        )
        minds = (turns.astype(np.int64) & 0xFFFF).astype(np.int32)
    if roles is not None:
        rule, remedy = "roles are 0 or 1, one per agent", f"Pass shape ({count},)"
        which = checks.array_of(roles, (count,), "biu", rule, remedy)
        if which.size and not 0 <= which.min() <= which.max() <= 1:
            raise InvalidValue(rule, got=f"{which.min()} to {which.max()}", remedy=remedy)
        minds |= which.astype(np.int32) << 16
    return minds


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


def rule_of(
    how: Walk,
    dt: float,
    shape: tuple[int, int],
    *,
    cell_size: float,
    y_up: bool,
    wrap: bool,
    key: int,
) -> Rule:
    """A walk in steps of `dt` seconds as whole numbers; raises `InvalidValue` for settings beyond
    what these hold.
    """
    checks.instance(how, Walk, "how is a Walk", "Pass steering.Walk(speed=...), then dt")
    stride = how.speed * checks.not_negative("dt", dt) / cell_size
    if stride > _MOST_STRIDE:
        raise InvalidValue(
            f"A step of a swarm is at most {_MOST_STRIDE:g} cells long",
            got=f"{stride:g}",
            remedy="Pass dt in seconds, or less speed",
        )
    names = "follow", "avoid", "align", "separate", "cohere"
    weights = {name: getattr(how, name) for name in names}
    name = max(weights, key=weights.__getitem__)
    if weights[name] > _MOST_WEIGHT:
        raise InvalidValue(
            f"Weights of a swarm are at most {_MOST_WEIGHT:g}",
            got=f"{name}={weights[name]:g}",
            remedy="Their heading weighs 1: divide all",
        )
    distance = how.distance / cell_size
    most = min(_MOST_DISTANCE, min(shape)) if wrap else _MOST_DISTANCE
    if distance > most:
        raise InvalidValue(
            "Sensors of a swarm are at most 4,096 cells away, on a torus as far as its shorter"
            " side",
            got=f"distance={how.distance:g}, {distance:g} cells",
            remedy="Pass a shorter distance",
        )
    pieces = max(math.ceil(stride / 0.5), 1)
    angle, turn = math.radians(how.angle), 180.0 if how.turn is None else min(how.turn, 180.0)
    return Rule(
        height=shape[0],
        width=shape[1],
        wrap=int(wrap),
        distance=max(round(distance * 4), 1),
        angle=round(how.angle / 360 * 65536) & 0xFFFF,
        cosine=round(math.cos(angle) * (1 << 14)),
        sine=round(math.sin(angle) * (1 << 14)),
        stride=round(stride / pieces * 65536),
        pieces=pieces,
        turn=1 << 17 if turn >= 180 else round(turn / 360 * 65536),
        wander=min(round(how.wander / 360 * 65536), (1 << 15) - 1),
        **{name: round(weight * 256) for name, weight in weights.items()},
        flip=int(y_up),
        key=_folded(key),
    )


def _folded(key: int) -> int:
    """A key of 62 bits as one of 32."""
    return (key ^ (key >> 32) * 0x9E3779B1) & 0xFFFFFFFF
