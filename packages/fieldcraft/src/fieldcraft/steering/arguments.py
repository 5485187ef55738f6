"""The checks of the arguments of steering."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import read_only
from fieldcraft.space import Grid, grid_of

__all__ = [
    "FARTHEST",
    "cells_long",
    "chosen_rows",
    "grid",
    "limits",
    "longest",
    "points",
    "vectors",
]

FARTHEST = 1e6
"""The most cells that anything may move or look at a time."""

_REMEDY = (
    "Pass fc.Grid(...); on a mesh use steering.Crowd or steering.move, on waypoints"
    " steering.Travellers"
)

Wide = NDArray[np.float64]


def grid(space: object) -> Grid:
    """`space` if it is a grid."""
    return grid_of(space, "This way of steering among walls", remedy=_REMEDY)


def points(value: ArrayLike) -> tuple[Wide, bool]:
    """World positions as a read-only, contiguous (N, 2) array, and whether it was one pair."""
    array, single = checks.positions(value)
    return read_only(np.ascontiguousarray(array)), single


def vectors(name: str, value: ArrayLike, count: int) -> Wide:
    """`count` finite vectors as a read-only, contiguous (N, 2) array; one pair stands for all."""
    remedy = f"Pass one (x, y) pair, or an array of shape ({count}, 2)"
    array: NDArray[Any] = checks.array(name, value)
    if array.size == 0 and count == 0:
        return read_only(np.empty((0, 2)))
    if array.dtype.kind not in "iuf" or array.shape not in ((2,), (count, 2)):
        raise InvalidValue(
            f"{name} are (x, y) pairs of numbers, one per agent",
            got=f"{array.dtype} of shape {array.shape} for {count} agents",
            remedy=remedy,
        )
    wide = array.astype(np.float64)
    if not np.isfinite(wide).all():
        bad = int(np.flatnonzero(~np.isfinite(wide).reshape(-1, 2).all(axis=1))[0])
        raise InvalidValue(
            f"{name} are finite",
            got=f"{tuple(wide.reshape(-1, 2)[bad].tolist())} at index {bad}",
            remedy="Drop or mend it",
        )
    return read_only(np.ascontiguousarray(np.broadcast_to(wide, (count, 2))))


def limits(name: str, value: ArrayLike, count: int, *, positive: bool = False) -> Wide:
    """`count` numbers of at least 0, or above it if `positive`; one number stands for all."""
    found, rule = checks.numbers(name, value, count), "above 0" if positive else "at least 0"
    wrong = found <= 0 if positive else found < 0
    checks.none_wrong(f"{name} is {rule}", found, wrong, f"Pass numbers {rule}")
    return found


def cells_long(name: str, lengths: Wide, space: Grid) -> None:
    """Refuse lengths of more than `FARTHEST` cells."""
    with np.errstate(over="ignore"):
        beyond = ~(np.abs(lengths) / space.cell_size <= FARTHEST)
    if beyond.any():
        bad = int(np.flatnonzero(beyond.reshape(len(lengths), -1).any(axis=1))[0])
        got = lengths[bad].tolist()
        raise InvalidValue(
            f"{name} reach at most {FARTHEST:,.0f} cells",
            got=(
                f"{tuple(got) if isinstance(got, list) else got} at index {bad}, in cells of"
                f" {space.cell_size:g}"
            ),
            remedy="Pass a shorter one",
        )


def longest(value: ArrayLike, count: int) -> Wide:
    """The longest forces; infinity for no limit."""
    amounts = checks.array("max_force", value)
    if amounts.shape == () and amounts.dtype.kind == "f" and np.isposinf(amounts):
        return np.full(count, math.inf)
    return limits("max_force", amounts, count)


def chosen_rows(rows: NDArray[Any], agents: ArrayLike) -> NDArray[Any]:
    """Return the rows of agents: of a mask, bool (N,), or of numbers."""
    which = checks.array("Agents", agents)
    count = len(rows)
    if which.dtype == np.bool_ and which.shape == (count,):
        return np.asarray(rows[which])
    fits = which.ndim == 1 and (which.dtype.kind in "iu" or not which.size)
    if not fits or not ((which >= -count) & (which < count)).all():
        raise InvalidValue(
            f"Agents are chosen by a mask of {count} bools or by numbers below {count}",
            got=repr(agents)[:60],
            remedy="Pass swarm.roles == 1, say, or [0, 1, 2]",
        )
    return np.asarray(rows[which.astype(np.int64)])
