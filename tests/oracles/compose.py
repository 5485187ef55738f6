"""Expressions over maps, box means and the strength of teams: what the kernels `compose` and
`teams` have to give.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.operations import NOBODY, RANGE, apply

__all__ = ["box_mean", "evaluated", "leading", "surveyed"]

Floats = NDArray[np.float32]
Numbers = NDArray[np.int32]


def evaluated(
    program: NDArray[np.int64],
    table: list[Floats],
    walls: NDArray[np.bool_],
    ranges: NDArray[np.float32],
) -> None:
    """Run a program over rows of cells.

    `table` holds the rows of the result, maps and constants, and as many registers more as the
    program names. `walls` is True for cells that read 0 and don't count for a range, or empty. A
    RANGE instruction widens `ranges[result]`, the (smallest, largest) value met so far, by row `a`.
    """
    for operation, result, a, b, c in program.tolist():
        if operation == RANGE:
            counted = table[a][~walls] if len(walls) else table[a]
            ranges[result, 0] = min(ranges[result, 0], counted.min(initial=np.inf))
            ranges[result, 1] = max(ranges[result, 1], counted.max(initial=-np.inf))
        else:
            table[result][:] = apply(operation, table[a], table[b], table[c])
    if len(walls) and len(table[0]):
        table[0][walls] = 0


def box_mean(values: Floats, counts: Floats, reach: int, wrap: bool) -> Floats:
    """The sum of the cells up to `reach` rows and columns away over `counts`; 0 where the count is
    0.

    `values` and `counts` have shape (height, width); what lies beyond the rim is 0. The sums are
    float64: first along each row from left to right, then those sums from the first row to the
    last.
    """
    along = np.zeros(values.shape)
    for step in range(-reach, reach + 1):
        along += _shifted(values.astype(np.float64), step, 1, wrap)
    total = np.zeros(values.shape)
    for step in range(-reach, reach + 1):
        total += _shifted(along, step, 0, wrap)
    return np.where(counts > 0, total / np.maximum(counts, 1), 0).astype(np.float32)


def _shifted(array: NDArray[np.float64], step: int, axis: int, wrap: bool) -> NDArray[np.float64]:
    """For each cell the value `step` cells further along an axis, 0 beyond the rim."""
    if wrap:
        return np.roll(array, -step, axis)
    length = array.shape[axis]
    moved = np.zeros_like(array)
    if abs(step) < length:
        to: list[slice] = [slice(None), slice(None)]
        of: list[slice] = [slice(None), slice(None)]
        to[axis] = slice(max(-step, 0), length - max(step, 0))
        of[axis] = slice(max(step, 0), length - max(-step, 0))
        moved[tuple(to)] = array[tuple(of)]
    return moved


def surveyed(maps: Sequence[Floats], total: Floats, contested: Floats, leader: Numbers) -> None:
    """Look through the maps of all teams, in their order.

    `total` becomes the sum of presences, `contested` twice the sum of all but the strongest,
    `leader` the number of the
    strongest team: the first of equals, `NOBODY` where all are 0.
    """
    strongest, rest = np.zeros_like(total), np.zeros_like(total)
    leader[:] = NOBODY
    for number, values in enumerate(maps):
        presence = np.abs(values)
        rest += np.minimum(presence, strongest)
        leader[presence > strongest] = number
        np.maximum(strongest, presence, out=strongest)
    np.add(strongest, rest, out=total)
    np.add(rest, rest, out=contested)


def leading(maps: Sequence[Floats], margin: float, neutral: int, owner: Numbers) -> None:
    """Write into `owner` the number of the strongest team where it is ahead of the second by at
    least `margin`.

    And `neutral` where it is not, or where all are 0.
    """
    strongest, second = (
        np.zeros(owner.shape, dtype=np.float32),
        np.zeros(owner.shape, dtype=np.float32),
    )
    owner[:] = neutral
    for number, values in enumerate(maps):
        presence = np.abs(values)
        np.maximum(second, np.minimum(presence, strongest), out=second)
        owner[presence > strongest] = number
        np.maximum(strongest, presence, out=strongest)
    owner[strongest - second < np.float32(margin)] = neutral
