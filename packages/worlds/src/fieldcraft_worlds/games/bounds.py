"""Checks of states that come from saves: values out of range are refused before any rule runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, Space
from fieldcraft.errors import InvalidValue

__all__ = [
    "array",
    "cells",
    "flag",
    "integer",
    "kind",
    "number",
    "one_of",
    "places",
    "unique",
    "vector",
]

_USUAL = 1_000_000.0
_LONGEST = 2**62
_AGAIN = "Use another copy of the save"


def integer(name: str, value: Any, low: int = 0, high: int = _LONGEST) -> None:
    """Refuse anything but an int from `low` to `high`."""
    if type(value) is not int or not low <= value <= high:
        raise InvalidValue(
            f"{name} is a whole number, {low} to {high}", got=repr(value)[:80], remedy=_AGAIN
        )


def number(name: str, value: Any, low: float = -_USUAL, high: float = _USUAL) -> None:
    """Refuse anything but a float from `low` to `high`."""
    if type(value) not in (int, float) or not low <= value <= high:
        raise InvalidValue(
            f"{name} is a number, {low:g} to {high:g}", got=repr(value)[:80], remedy=_AGAIN
        )


def flag(name: str, value: Any) -> None:
    """Refuse anything but True and False."""
    if type(value) is not bool:
        raise InvalidValue(f"{name} is True or False", got=repr(value)[:80], remedy=_AGAIN)


def one_of(name: str, value: Any, known: Iterable[object]) -> None:
    """Refuse anything but one of these."""
    options = tuple(known)
    if not any(type(value) is type(option) and value == option for option in options):
        raise InvalidValue(
            f"{name} is one of {', '.join(map(str, options))}", got=repr(value)[:80], remedy=_AGAIN
        )


def kind(name: str, value: Any, wanted: type) -> None:
    """Refuse anything but an object of this very kind."""
    if type(value) is not wanted:
        raise InvalidValue(f"{name} is {wanted.__name__}", got=type(value).__name__, remedy=_AGAIN)


def vector(name: str, value: Any, longest: float = _USUAL) -> None:
    """Refuse anything but a pair of floats, each of at most `longest` in size."""
    if not isinstance(value, tuple) or len(value) != 2:
        raise InvalidValue(f"{name} is a pair of numbers", got=repr(value)[:80], remedy=_AGAIN)
    for part in value:
        number(name, part, -longest, longest)


def array(
    name: str,
    value: Any,
    dtype: type,
    shape: tuple[int | None, ...],
    low: float = -math.inf,
    high: float = math.inf,
) -> NDArray[Any]:
    """An array of a dtype, a shape (None: of any length) and values from `low` to `high`, all of
    them finite; or a refusal.
    """
    wanted = np.dtype(dtype)
    given = getattr(value, "dtype", type(value).__name__)
    if not isinstance(value, np.ndarray) or value.dtype != wanted:
        raise InvalidValue(f"{name} is an array of {wanted}", got=str(given), remedy=_AGAIN)
    if value.ndim != len(shape) or any(
        side is not None and side != own for own, side in zip(value.shape, shape, strict=True)
    ):
        sides = ", ".join("any" if side is None else str(side) for side in shape)
        raise InvalidValue(
            f"{name} is of shape ({sides})", got=f"shape {value.shape}", remedy=_AGAIN
        )
    if value.size and wanted.kind == "f" and not np.isfinite(value).all():
        raise InvalidValue(
            f"{name} holds finite numbers",
            got=f"{int((~np.isfinite(value)).sum())} that are not",
            remedy=_AGAIN,
        )
    if value.size and wanted.kind != "b" and not (low <= value.min() and value.max() <= high):
        raise InvalidValue(
            f"{name} lies within {low:g} to {high:g}",
            got=f"{value.min():g} to {value.max():g}",
            remedy=_AGAIN,
        )
    return value


def cells(name: str, value: Any, count: int | None, space: Space, least: int = 0) -> None:
    """Refuse anything but cells of a space, (count,), or numbers from `least` that stand for
    none.
    """
    array(name, value, np.int64, (count,), least, len(space) - 1)


def places(name: str, value: Any, count: int | None, space: Space) -> NDArray[Any]:
    """World positions on a space, (count, D); or a refusal."""
    points = array(name, value, np.float64, (count, space.dimensions))
    if isinstance(space, Grid):
        space.cell_at(points)  # raises `OutsideMap`
    elif len(points):
        low, high = space.extent
        slack = 0.01 * float((high - low).max())
        outside = ((points < low - slack) | (points > high + slack)).any(axis=1)
        if outside.any():
            worst = points[int(np.flatnonzero(outside)[0])]
            raise InvalidValue(
                f"{name} lie on the map", got=str(tuple(worst.tolist())), remedy=_AGAIN
            )
    return points


def unique(name: str, value: NDArray[Any]) -> None:
    """Refuse arrays in which something stands twice."""
    if len(np.unique(value)) != len(value):
        raise InvalidValue(f"{name} are all different", got="one that stands twice", remedy=_AGAIN)
