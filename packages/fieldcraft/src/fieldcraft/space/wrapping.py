"""Axes of a space that wrap: which they are, and distances across them.

A period is the size of a space along each axis in world units, (2,): infinite along an axis that
does not wrap.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

Wrap = bool | Literal["x", "y"]
"""True where both axes wrap, False where none does, else the one that does."""

_SAME = 1e-9  # Lengths that differ by less, relatively, are equal.
_FLAGS: dict[Wrap, int] = {False: 0, True: WRAP_X + WRAP_Y, "x": WRAP_X, "y": WRAP_Y}


def checked_wrap(wrap: Any) -> Wrap:
    """Return which axes wrap; raise `InvalidValue` for anything but a truth value, "x" and "y"."""
    if isinstance(wrap, bool | np.bool_):
        return bool(wrap)
    if isinstance(wrap, str) and wrap == "x":
        return "x"
    if isinstance(wrap, str) and wrap == "y":
        return "y"
    raise InvalidValue(
        'wrap is True, False, "x" or "y"',
        got=f"{wrap!r}",
        remedy='Pass wrap="x" for a map whose left and right edges are joined',
    )


def flags_of(wrap: Wrap) -> int:
    """Return which axes wrap, as kernels take it: see `grid_frame.WRAP_X`."""
    return _FLAGS[wrap]


def period_of(wrap: Wrap, size: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the period of a space of this size, read-only."""
    if not wrap:
        return None
    flags = flags_of(wrap)
    return read_only(np.where([flags & WRAP_X != 0, flags & WRAP_Y != 0], size, np.inf))


def wraps_everywhere(period: NDArray[np.float64] | None) -> bool:
    """Return whether both axes wrap, so that every position is on the map."""
    # As numbers: `np.isfinite` takes as long as the rest of a call for one position.
    return period is not None and math.isfinite(period[0]) and math.isfinite(period[1])


def within_period(
    values: NDArray[np.float64], period: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return coordinates (..., 2), from 0 up to the period along axes that wrap."""
    if period is None:
        return values
    if wraps_everywhere(period):
        return np.asarray(np.mod(values, period))
    axes = np.isfinite(period)
    found = np.array(values, dtype=np.float64)
    found[..., axes] = np.mod(found[..., axes], period[axes])
    return found


def nearest_images(
    away: NDArray[np.float64], period: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return differences (..., 2), the short way around axes that wrap."""
    if period is None:
        return away
    if wraps_everywhere(period):
        return np.asarray((away + period / 2) % period - period / 2)
    axes = np.isfinite(period)
    size = period[axes]
    found = np.array(away, dtype=np.float64)
    found[..., axes] = (found[..., axes] + size / 2) % size - size / 2
    return found


def both_directions(
    away: NDArray[np.float64], period: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return differences (M, 2) for N differences, and which of the N each is: itself, and for one
    of half a period along an axis the equally short one in the other direction. On a map two cells
    wide one step stands for two.
    """
    which = np.arange(len(away))
    if period is None:
        return which, away
    for axis in np.flatnonzero(np.isfinite(period)).tolist():
        half = period[axis] / 2
        both = np.flatnonzero(np.abs(np.abs(away[:, axis]) - half) <= _SAME * half)
        other = away[both]
        other[:, axis] *= -1
        which = np.concatenate([which, which[both]])
        away = np.concatenate([away, other])
    return which, away


def box_of(period: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return a period as `scipy.spatial.cKDTree` takes it: 0 for an axis that does not wrap."""
    if period is None:
        return None
    return np.where(np.isfinite(period), period, 0.0)
