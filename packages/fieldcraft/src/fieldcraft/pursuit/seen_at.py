"""Where a fugitive was last seen, which way it ran, and what lies behind it then."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.pursuit.backend import backend
from fieldcraft.space import Space

__all__ = ["behind", "heading_of", "place"]


def place(space: Space, last_seen: ArrayLike) -> tuple[int, NDArray[np.float64]]:
    """The cell and the world position of what is one or the other."""
    if isinstance(last_seen, (int, np.integer)) and not isinstance(last_seen, bool):
        return int(last_seen), space.position_of(last_seen)
    point, single = checks.positions(last_seen, dimensions=space.dimensions)
    if not single:
        raise InvalidValue(
            "last_seen is one position",
            got=f"shape {np.shape(last_seen)}",
            remedy="Make a Pursuit for each fugitive",
        )
    backend(space).check_near(point[0])
    return int(space.cell_at(point[0])), point[0]


def heading_of(
    velocity: ArrayLike | None, dimensions: int
) -> tuple[NDArray[np.float64] | None, float | None]:
    """The direction of a velocity and its size."""
    if velocity is None:
        return None, None
    given = checks.array("The parts of a velocity", velocity)
    if (
        given.shape not in ((2,), (dimensions,))
        or given.dtype.kind not in "iuf"
        or not (np.abs(given) <= checks.LARGEST).all()
    ):
        axes = "(x, y)" if dimensions == 2 else "(x, y) or (x, y, z)"
        raise InvalidValue(
            f"velocity is one vector {axes} of numbers up to {checks.LARGEST:g}",
            got=f"velocity={velocity!r}"[:90],
            remedy="Pass world units a second, or None and a speed if you don't know where he ran",
        )
    move = np.zeros(dimensions)
    move[: len(given)] = given
    size = float(np.sqrt((move**2).sum()))
    if size == 0:
        raise InvalidValue(
            "velocity is one vector that is not 0",
            got=f"velocity={velocity!r}",
            remedy="Pass None and a speed if you don't know where he ran",
        )
    return move / size, size


def behind(
    space: Space,
    last_seen: NDArray[np.float64],
    heading: NDArray[np.float64] | None,
    angle: float,
    reach: float,
) -> NDArray[np.bool_]:
    """Which cells lie more than an angle away from the heading, at most `reach` away."""
    if heading is None:
        return np.zeros(len(space), dtype=np.bool_)
    away = space.offsets_from(last_seen)
    distance = np.sqrt((away**2).sum(axis=1))
    return np.asarray(
        (away @ heading < math.cos(angle) * distance - 1e-12 * distance) & (distance <= reach)
    )
