"""The cost of a step: one number per cell, from whatever a caller has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.operand import Operand
from fieldcraft.space import Space

__all__ = ["LEAST", "Cost", "checked", "picked", "read", "resolve"]

LEAST = 1e-6
"""The smallest cost of a cell: searches look at distances in steps of the smallest one."""

Cost = Operand | ArrayLike | None


def resolve(space: Space, cost: Cost) -> NDArray[np.float64] | None:
    """The cost of each cell, float64 of the space's shape, read-only; None where every cell costs
    1.

    `cost` is None, a number, an array of the space's shape, a layer, an expression, or anything
    else with `values` on a `space`.
    What comes back is a copy: later changes of `cost` don't reach it. +inf is a wall; what is
    written on the space's walls is not looked at. A step from a to b costs `(length * 0.5) *
    (cost[a] + cost[b])`, its length in world units.

    Raises `InvalidValue` for costs below `LEAST` (so for 0 and negative ones), above 1e30 but
    finite, or NaN on open ground, for another shape and for the cells of another space.
    """
    if cost is None:
        return None
    resolved = np.empty(space.shape)
    read(space, cost, resolved.reshape(-1))
    resolved.flags.writeable = False
    return resolved


def read(space: Space, cost: Cost, out: NDArray[np.float64]) -> tuple[float, float, bool]:
    """`resolve` into `out`, flat. Returns the least cost of open ground, the dearest finite one,
    and whether some are infinite.
    """
    values = np.ascontiguousarray(_looked(space, cost)).reshape(-1)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    values = values.view()
    values.flags.writeable = (
        False  # always: kernels are compiled anew for arrays that can be written to
    )
    least, dearest, infinite, bad = kernels.distance.price(
        values, space.walls.reshape(-1), LEAST, checks.LARGEST, out
    )
    if bad >= 0:
        raise _refusal(space, float(values[bad]), bad)
    return float(least), float(dearest), bool(infinite)


def picked(space: Space, cost: Cost, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """The costs that `resolve` gives for some cells, of which alone they are checked."""
    flat = _looked(space, cost).reshape(-1)
    found: NDArray[np.float64] = flat[cells].astype(np.float64)
    _check(space, found, cells)
    return found


def checked(
    space: Space, cost: NDArray[np.float64], cells: NDArray[np.int64] | None = None
) -> None:
    """Refuse costs on open ground, all of it or that among `cells`, that are too small, too large
    or NaN.
    """
    flat = cost.reshape(-1)
    _check(space, flat if cells is None else flat[cells], cells)


def _check(space: Space, found: NDArray[np.float64], cells: NDArray[np.int64] | None) -> None:
    shut = space.walls.reshape(-1)
    good = (found >= LEAST) & ((found <= checks.LARGEST) | (found == math.inf)) | (
        shut if cells is None else shut[cells]
    )
    if good.all():
        return
    index = int(np.flatnonzero(~good)[0])
    raise _refusal(space, float(found[index]), index if cells is None else int(cells[index]))


def _refusal(space: Space, cost: float, cell: int) -> InvalidValue:
    return InvalidValue(
        f"The cost of open ground lies from {LEAST:g} to {checks.LARGEST:g}, or is inf for a wall",
        got=f"{cost:g} at {space.describe(cell)}",
        remedy=(
            "Begin with a cost of its own for every step: 1 + 4 * threat, with nothing negative in"
            " threat"
        )
        + (
            ""
            if cost
            else (
                ". Expressions read 0 on walls of their own maps: write 1 + 4 * threat.on(space),"
                " not (1 + 4 * threat).on(space)"
            )
        ),
    )


def _looked(space: Space, cost: Cost) -> NDArray[Any]:
    """A cost as numbers of the space's shape; not a copy."""
    if isinstance(cost, (bool, np.bool_)):
        raise InvalidValue(
            "cost is a number, an array or a layer",
            got=repr(cost),
            remedy="Pass 1 + 4 * layer, say",
        )
    other = getattr(cost, "space", None)
    if isinstance(other, Space):
        _same_cells(space, other, cost)
        values: NDArray[Any] = np.asarray(cost.values)  # type: ignore[union-attr]
    else:
        values = checks.array("cost", cost)  # type: ignore[arg-type]
    if values.ndim == 0 and values.dtype.kind in "iuf":
        number = float(values)
        if number == math.inf:
            raise InvalidValue(
                "Some ground can be walked on",
                got="an infinite cost everywhere",
                remedy="Pass an array with inf for walls",
            )
        values = np.full(space.shape, number)
    if values.shape != space.shape or values.dtype.kind not in "iuf":
        hint = (
            " (it looks like [x, y]: transpose it)"
            if values.shape == space.shape[::-1] != space.shape
            else ""
        )
        raise InvalidValue(
            f"cost is numbers of the space's shape, {space.axes}",
            got=f"{values.dtype} of shape {values.shape} on a space of {space.shape}{hint}",
            remedy="Pass one number per cell, a layer, an expression, or one number for all",
        )
    return values


def _same_cells(space: Space, other: Space, cost: object) -> None:
    differs = space.difference(other)
    if differs:
        raise InvalidValue(
            "cost lies on the cells of the space",
            got=f"{getattr(cost, 'name', type(cost).__name__)} {differs}",
            remedy=(
                f"Use a layer of a map on {space!r}, or read a coarse one on the fine cells:"
                " coarse.on(space)"
            ),
        )
