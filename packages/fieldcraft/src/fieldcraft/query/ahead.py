"""The values ahead of an agent: to its left, on its heading, to its right."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OutsideMap
from fieldcraft.kernels.arrays import frozen
from fieldcraft.query.ground import Readable, crowd
from fieldcraft.query.on_grid import GridGround

__all__ = ["sense", "unit_headings"]

_AGENTS = 5_000  # as many pay for waking a thread
_SLACK = 1e-9


def sense(
    layer: Readable,
    positions: ArrayLike,
    headings: ArrayLike,
    distance: float,
    *,
    angle: float = 45.0,
    blocked: float = 0.0,
    vectors: bool = False,
) -> NDArray[np.float32]:
    """The values a distance ahead of agents: (N, 3), or (3,) for one: left, middle, right.

    Middle is on the heading; left is `angle` degrees from it towards the y axis as seen from the x
    axis, right as far to the other side. Each sensor reads the cell that it is in.

    Parameters
    ----------
    layer: a layer or an expression; with `vectors=True` a layer with `Trail(vector=True)`.
    positions: one (x, y) pair or an (N, 2) array of world positions.
    headings: (x, y) directions, one or N, of any length but 0.
    distance: world units, above 0.
    blocked: what a sensor reads in a wall or off the map.
    vectors: read the vectors of a layer, in world axes: (N, 3, 2), or (3, 2) for one.

    Raises `OutsideMap` or `InvalidValue`.
    """
    ground = GridGround(layer, "sense()")
    space = ground.space
    far = checks.positive("distance", distance) / space.cell_size
    try:
        places, single = ground.places(positions, "refuse")
    except OutsideMap as error:
        raise OutsideMap(
            error.rule, got=error.got, remedy="Mend the position, or clip it to the map"
        ) from None
    directions = unit_headings(headings, len(places))
    turn = math.radians(checks.finite("angle", angle))
    fallback = checks.finite("blocked", blocked)
    planes = [ground.values]
    if vectors:
        parts: Any = getattr(layer, "vectors", None)
        if not isinstance(parts, np.ndarray):
            raise InvalidValue(
                "vectors=True is for a layer of vectors",
                got=repr(layer),
                remedy="Add it with fc.Trail(vector=True)",
            )
        planes = [frozen(np.ascontiguousarray(parts[..., k])) for k in (0, 1)]
    found = np.zeros((len(planes), len(places), 3), dtype=np.float32)
    for plane, out in zip(planes, found, strict=True):
        common = (
            plane,
            ground.walls,
            space.y_up,
            space.wrap,
            places,
            directions,
            far,
            math.cos(turn),
            math.sin(turn),
            fallback,
        )
        crowd(
            lambda first, last, common=common, out=out: (  # type: ignore[misc]
                kernels.sense.sense,
                (*common, first, last, out),
            ),
            len(places),
            _AGENTS,
        )
    shaped = np.moveaxis(found, 0, -1) if vectors else found[0]
    return np.asarray(shaped[0] if single else shaped)


def unit_headings(headings: ArrayLike, count: int) -> NDArray[np.float64]:
    """Directions as `count` unit vectors; raises `InvalidValue` for (0, 0), NaN and infinity."""
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
    if (np.abs(squares - 1) <= _SLACK).all():
        return np.ascontiguousarray(pairs)
    largest = np.abs(pairs).max(axis=1, keepdims=True)
    if (largest == 0).any():
        index = int(np.flatnonzero(largest[:, 0] == 0)[0])
        raise InvalidValue(
            "A heading is not (0, 0)",
            got=f"(0, 0) at index {index}",
            remedy="Pass the last direction that the agent had",
        )
    shrunk = pairs / largest
    return np.asarray(shrunk / np.sqrt(shrunk[:, 0] ** 2 + shrunk[:, 1] ** 2)[:, None])
