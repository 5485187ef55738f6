"""The plan of a blur among walls: which cells have walls near, and what these exchange with.

What a cell near walls exchanges with is, in each row of the blur, a run of cells to both sides of
its own column, as long as the shortest open run of all rows from its own to that one. See
`exchanges` in tests/oracles/trail.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.declare import kernel

__all__ = ["Plan", "plan", "reach_out", "span"]

Plan = tuple[
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.uint64],
    NDArray[np.int8],
    NDArray[np.int8],
    NDArray[np.floating[Any]],
]
"""What `plan` says of a map."""

_NONE = np.float32(0)
_GAP = 32  # columns that are better done along with those beside them than skipped


@kernel("b1[:,::1], i8, b1")
def _runs(walls, reach, wrap):
    """How many cells to the left and to the right of each are open, up to `reach`; -1 in walls."""
    height, width = walls.shape
    lefts, rights = np.empty((height, width), np.int8), np.empty((height, width), np.int8)
    begin = -reach if wrap else 0
    for y in range(height):
        run = -1
        for x in range(begin, width):
            run = -1 if walls[y, x % width] else min(run + 1, reach)
            if x >= 0:
                lefts[y, x] = run
        run = -1
        for x in range(begin, width):
            run = -1 if walls[y, (width - 1 - x) % width] else min(run + 1, reach)
            if x >= 0:
                rights[y, width - 1 - x] = run
    return lefts, rights


@kernel("i1[:,::1], i1[:,::1], i8, b1")
def _near(lefts, rights, reach, wrap):
    """Which open cells have walls or the rim within the blur."""
    height, width = lefts.shape
    beside, near = np.empty((height, width), np.bool_), np.empty((height, width), np.bool_)
    for y in range(height):
        for x in range(width):
            beside[y, x] = (lefts[y, x] < reach) | (rights[y, x] < reach)
    for y in range(height):
        here = near[y]
        here[:] = False
        for n in range(-reach, reach + 1):
            row = (y + n) % height if wrap else y + n
            if row < 0 or row >= height:
                here[:] = True
            else:
                for x in range(width):
                    here[x] |= beside[row, x]
        for x in range(width):
            here[x] &= lefts[y, x] >= 0
    return near


@kernel
def span(columns, k, end):
    """Up to where columns[k:end] lie close together."""
    k += 1
    while k < end and columns[k] - columns[k - 1] <= _GAP:
        k += 1
    return k


@kernel
def reach_out(runs, y, left, right, wrap, found):
    """How far the columns [left, right) of row y exchange to one side, in each row of the blur: as
    far as the shortest run until there.
    """
    height = runs.shape[0]
    reach = found.shape[0] // 2
    for x in range(left, right):
        found[reach, x] = runs[y, x]
    for way in (-1, 1):
        for n in range(1, reach + 1):
            row = y + way * n
            if wrap:
                row %= height
            before, here = found[reach + way * (n - 1)], found[reach + way * n]
            if row < 0 or row >= height:
                here[left:right] = -1
            else:
                own = runs[row]
                for x in range(left, right):
                    here[x] = min(before[x], own[x])


@kernel(
    "i8[::1], i4[::1], i1[:,::1], i1[:,::1], f4[::1], b1, out i1[:,::1], out i1[:,::1], out"
    " f4[::1], out u8[::1], out f4[::1]",
    "i8[::1], i4[::1], i1[:,::1], i1[:,::1], f8[::1], b1, out i1[:,::1], out i1[:,::1], out"
    " f8[::1], out u8[::1], out f8[::1]",
)
def _weigh(
    starts,
    columns,
    lefts,
    rights,
    weights,
    wrap,
    found_lefts,
    found_rights,
    lacking,
    masks,
    missing,
):
    """Fill in `masks` (for a blur of 3) and `missing`."""
    side = weights.shape[0]
    reach = side // 2
    for y in range(lefts.shape[0]):
        k = starts[y]
        while k < starts[y + 1]:
            stop = span(columns, k, starts[y + 1])
            left, right = columns[k], columns[stop - 1] + 1
            reach_out(lefts, y, left, right, wrap, found_lefts)
            reach_out(rights, y, left, right, wrap, found_rights)
            lack = lacking[left:right]
            lack[:] = weights[0] * _NONE
            for j in range(side):
                for i in range(side):
                    away = np.int8(abs(i - reach))
                    reaches = (
                        found_lefts[j, left:right] if i < reach else found_rights[j, left:right]
                    )
                    weight = weights[j] * weights[i]
                    for x in range(lack.shape[0]):
                        lack[x] += weights[0] * _NONE if reaches[x] >= away else weight
            for n in range(k, stop):
                x = columns[n]
                missing[n] = lacking[x]
                if side == 3:
                    for j in range(3):
                        masks[n] |= np.uint64(found_lefts[j, x] >= 1) << np.uint64(j * 3)
                        masks[n] |= np.uint64(found_lefts[j, x] >= 0) << np.uint64(j * 3 + 1)
                        masks[n] |= np.uint64(found_rights[j, x] >= 1) << np.uint64(j * 3 + 2)
            k = stop


def plan(walls: NDArray[np.bool_], weights: NDArray[np.floating[Any]], wrap: bool) -> Plan:
    """The open cells that have walls or the rim within the blur.

    Row y has the cells of `starts[y]` to `starts[y + 1]`. Of each: its column; for a blur of 3 a
    mask of those that it exchanges with, a bit for each, row by row; last the weight of those that
    it does not exchange with. Before that stand how many cells to the left and to the right of each
    cell of the map are open, as far as the blur goes; -1 in walls.
    """
    reach = len(weights) // 2
    lefts, rights = _runs(walls, reach, wrap)
    rows, found = np.nonzero(_near(lefts, rights, reach, wrap))
    starts, columns = (
        np.searchsorted(rows, np.arange(len(walls) + 1)).astype(np.int64),
        found.astype(np.int32),
    )
    width, side = walls.shape[1], len(weights)
    far_left, far_right = np.zeros((side, width), np.int8), np.zeros((side, width), np.int8)
    masks, missing = np.zeros(len(rows), dtype=np.uint64), np.zeros(len(rows), dtype=weights.dtype)
    _weigh(
        starts,
        columns,
        lefts,
        rights,
        weights,
        wrap,
        far_left,
        far_right,
        np.zeros(width, weights.dtype),
        masks,
        missing,
    )
    return starts, columns, masks, lefts, rights, missing
