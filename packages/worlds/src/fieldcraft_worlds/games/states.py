"""States of games: frozen dataclasses with read-only arrays and declared ranges.

`check_state` reads the declarations, so a save with values out of range raises an error before any
rule uses them.
"""

from __future__ import annotations

import math
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Self, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid, Space
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.settings import field_types

_MOST = 2**62


class ReadOnly:
    """A base of frozen dataclasses: the arrays among their fields become read-only."""

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False


class Columns(ReadOnly):
    """A base of frozen dataclasses of arrays with one row for each agent or item."""

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))

    def at(self, rows: NDArray[Any]) -> Self:
        """Return some of the rows: row numbers, or True for the rows to return."""
        return type(self)(**{name: column[rows] for name, column in vars(self).items()})

    def joined(self, other: Self) -> Self:
        """Return these rows, then those of another."""
        theirs = vars(other)
        columns = {
            name: np.concatenate([column, theirs[name]]) for name, column in vars(self).items()
        }
        return type(self)(**columns)


class Contents:
    """Declaration of the values of a field, as `Annotated[..., Contents(...)]`.

    Parameters
    ----------
    *shape : int or str
        The sides of an array: numbers; "map" for the shape of the map; "cells", "dimensions" or
        a size of the game; any other name is a side of any length, the same in the whole object.
    low, high : float, optional
        The range of numbers.
    below : str, optional
        The name of a size that all numbers are below.
    is_unique : bool, optional
        Whether all numbers differ.
    is_on_map : bool, optional
        Whether numbers are world positions on the map.
    """

    def __init__(
        self,
        *shape: int | str,
        low: float = -math.inf,
        high: float = math.inf,
        below: str = "",
        is_unique: bool = False,
        is_on_map: bool = False,
    ) -> None:
        self.shape = shape
        self.low = low
        self.high = high
        self.below = below
        self.is_unique = is_unique
        self.is_on_map = is_on_map


def dataclasses_in(*types: Any) -> tuple[type, ...]:
    """Return all dataclasses in some types: classes, unions, and the types of their fields; each
    once.
    """
    found: dict[type, None] = {}
    waiting = list(types)
    while waiting:
        hint = waiting.pop(0)
        if isinstance(hint, type) and is_dataclass(hint):
            if hint not in found:
                found[hint] = None
                waiting += field_types(hint).values()
        else:
            waiting += get_args(hint)
    return tuple(found)


_USUAL = {bool: Contents(), int: Contents(low=0), float: Contents(low=-1e6, high=1e6)}


def check_state(state: Any, space: Space, **sizes: int) -> None:
    """Check the fields of a state, and of the dataclasses in it, against their declarations.

    Parameters
    ----------
    state : ReadOnly
        The state.
    space : Space
        The map.
    **sizes : int
        Numbers that the declarations name: of teams, say.

    Raises
    ------
    InvalidValue
        For the first field with another type, shape or value.
    OutsideMap
        For positions outside the map.
    """
    sizes |= {"cells": len(space), "dimensions": space.dimensions}
    _check("", state, space, sizes)


def _check(owner: str, state: Any, space: Space, sizes: dict[str, int]) -> None:
    """Check the fields of a state, or of a part of it, whose name is `owner`."""
    kind: Any = type(state)
    sizes = dict(sizes)
    for name, hint in field_types(kind).items():
        value = getattr(state, name)
        rule = None
        if get_origin(hint) is Annotated:
            hint, rule = get_args(hint)[:2]
        if isinstance(hint, UnionType):
            options = get_args(hint)
        else:
            options = (hint,)
        if value is None and NoneType in options:
            continue
        expected = _without_alias(options[0])
        path = name
        if owner:
            path += f" of {owner}"
        if rule is None:
            rule = _USUAL.get(expected, Contents())
        if not isinstance(rule, Contents):
            rule(path, value)
        elif get_origin(expected) is np.ndarray:
            dtype = np.dtype(get_args(get_args(expected)[1])[0])
            _check_array(path, value, dtype, rule, space, sizes)
        elif get_origin(expected) is tuple:
            if type(value) is not tuple or len(value) != len(get_args(expected)):
                raise _error(path, f"a tuple of {len(get_args(expected))}", repr(value)[:80])
            for part in value:
                _check_number(path, part, float, rule, sizes)
            if rule.is_on_map:
                _check_places(path, np.array([value], dtype=np.float64), space)
        elif expected in (int, float):
            _check_number(path, value, expected, rule, sizes)
        elif isinstance(expected, type) and type(value) is not expected:
            raise _error(path, f"of type {expected.__name__}", repr(value)[:80])
        elif isinstance(value, ReadOnly):
            _check(name, value, space, sizes)


def _without_alias(hint: Any) -> Any:
    """Return the type that an alias with arguments is for: `NDArray` is an alias from NumPy 2.5 on,
    where Python has aliases.
    """
    meant = getattr(get_origin(hint), "__value__", None)
    if meant is None:
        return hint
    return meant[get_args(hint)]


def _check_number(path: str, value: Any, kind: type, rule: Contents, sizes: dict[str, int]) -> None:
    low, high = _range(rule, sizes)
    high = min(high, _MOST)
    if kind is int:
        allowed: tuple[type, ...] = (int,)
        word = "a whole number"
    else:
        allowed = (int, float)
        word = "a number"
    if type(value) not in allowed or not low <= value <= high:
        raise _error(path, f"{word} from {low:g} to {high:g}", repr(value)[:80])


def _check_array(
    path: str,
    value: Any,
    dtype: np.dtype[Any],
    rule: Contents,
    space: Space,
    sizes: dict[str, int],
) -> None:
    shape: list[int | str] = []
    for side in rule.shape:
        if side == "map":
            shape += space.shape
        else:
            shape.append(side)
    if not isinstance(value, np.ndarray) or value.dtype != dtype:
        got = getattr(value, "dtype", type(value).__name__)
        raise _error(path, f"an array of {dtype}", str(got))
    if not _has_shape(value, shape, sizes):
        raise _error(path, f"of shape ({', '.join(map(str, shape))})", f"shape {value.shape}")
    if value.size and dtype.kind == "f" and not np.isfinite(value).all():
        raise _error(path, "an array of finite numbers", "others")
    low, high = _range(rule, sizes)
    if value.size and dtype.kind != "b" and not (low <= value.min() and value.max() <= high):
        raise _error(path, f"from {low:g} to {high:g}", f"{value.min():g} to {value.max():g}")
    if rule.is_unique and len(np.unique(value)) != len(value):
        raise _error(path, "an array of different numbers", "the same number twice")
    if rule.is_on_map:
        _check_places(path, value, space)


def _has_shape(value: NDArray[Any], shape: list[int | str], sizes: dict[str, int]) -> bool:
    """Return whether an array has a shape. A named side has the length of all sides of its name;
    `sizes` gets the lengths of new names.
    """
    if value.ndim != len(shape):
        return False
    for length, side in zip(value.shape, shape, strict=True):
        if isinstance(side, str):
            side = sizes.setdefault(side, length)
        if length != side:
            return False
    return True


def _range(rule: Contents, sizes: dict[str, int]) -> tuple[float, float]:
    """Return the least and the greatest number that a declaration allows."""
    if rule.below:
        return rule.low, sizes[rule.below] - 1
    return rule.low, rule.high


def _check_places(path: str, points: NDArray[Any], space: Space) -> None:
    """Refuse positions outside the map; around a graph a hundredth of its size is allowed."""
    if isinstance(space, Grid):
        space.cell_at(points)  # raises `OutsideMap`
    elif len(points):
        low, high = space.extent
        slack = 0.01 * float((high - low).max())
        outside = ((points < low - slack) | (points > high + slack)).any(axis=1)
        if outside.any():
            raise _error(path, "positions on the map", str(tuple(points[outside][0].tolist())))


def _error(path: str, rule: str, got: str) -> InvalidValue:
    return InvalidValue(f"{path} is {rule}", got=got, remedy="Use another copy of the save")
