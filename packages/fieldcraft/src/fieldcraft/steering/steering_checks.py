"""Checks of the arguments of steering."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Floats, read_only
from fieldcraft.space import Grid

_MOST_CELLS = 1e6  # that anything may move or look at a time


def points(value: ArrayLike) -> tuple[Floats, bool]:
    """Return world positions as a read-only, contiguous (N, 2) array, and whether it was one
    pair.
    """
    array, single = checks.positions(value)
    return read_only(np.ascontiguousarray(array)), single


def vectors(name: str, value: ArrayLike, count: int) -> Floats:
    """Return `count` finite vectors as a read-only, contiguous (N, 2) array; one pair is for
    all.
    """
    remedy = f"Pass one (x, y) pair, or an array of shape ({count}, 2)"
    array: NDArray[Any] = checks.array(name, value)
    if array.size == 0 and count == 0:
        return read_only(np.empty((0, 2)))
    if array.dtype.kind not in "iuf" or array.shape not in ((2,), (count, 2)):
        got = f"{array.dtype} of shape {array.shape} for {count} agents"
        raise InvalidValue(f"{name} are one (x, y) pair, or one per agent", got=got, remedy=remedy)
    wide = array.astype(np.float64)
    if not np.isfinite(wide).all():
        bad = int(np.flatnonzero(~np.isfinite(wide).reshape(-1, 2).all(axis=1))[0])
        raise InvalidValue(
            f"{name} are finite",
            got=f"{tuple(wide.reshape(-1, 2)[bad].tolist())} at index {bad}",
            remedy="Replace it, or leave that agent out",
        )
    return read_only(np.ascontiguousarray(np.broadcast_to(wide, (count, 2))))


def per_agent(name: str, value: ArrayLike, count: int) -> Floats:
    """Return `count` numbers of at least 0; one number is for all."""
    found = checks.numbers(name, value, count)
    checks.none_wrong(f"{name} is at least 0", found, found < 0, "Pass numbers of at least 0")
    return found


def max_forces(value: ArrayLike, count: int) -> Floats:
    """Return the longest force of each agent; infinity for no limit."""
    amounts = checks.array("max_force", value)
    if amounts.shape == () and amounts.dtype.kind == "f" and np.isposinf(amounts):
        return np.full(count, math.inf)
    return per_agent("max_force", amounts, count)


def check_lengths(name: str, lengths: Floats, space: Grid) -> None:
    """Refuse lengths of more than a million cells."""
    with np.errstate(over="ignore"):
        beyond = ~(np.abs(lengths) / space.cell_size <= _MOST_CELLS)
    if beyond.any():
        bad = int(np.flatnonzero(beyond.reshape(len(lengths), -1).any(axis=1))[0])
        raise InvalidValue(
            f"{name} reach at most {_MOST_CELLS:,.0f} cells",
            got=f"{lengths[bad].tolist()} at index {bad}, in cells of {space.cell_size:g}",
            remedy="Pass a shorter one",
        )


def rows_of(rows: NDArray[Any], agents: ArrayLike) -> NDArray[Any]:
    """Return the rows of agents given by a mask, bool (N,), or by numbers."""
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
