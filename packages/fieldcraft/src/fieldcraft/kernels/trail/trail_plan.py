"""The plan of a blur among walls: the cells near walls, and the cells that these exchange with.

In each row of the blur a cell near walls exchanges with a run of cells to both sides of its own
column, as long as the shortest open run of all rows from its own to that one. See `exchanges` in
tests/oracles/trail.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["Plan", "exchanged_runs", "plan"]

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


@kernel("b1[:,::1], i8, b1")
def _runs(walls, reach, wrap):
    """Return the number of open cells to the left and to the right of each cell, up to `reach`; -1
    in walls.
    """
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
    """Return a mask of the open cells with walls or the rim within the blur."""
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
def exchanged_runs(open_left, open_right, y, x, wrap, lefts, rights):
    """Write how far a cell exchanges to both sides in each row of the blur: as far as the shortest
    run of all rows from its own to that one, -1 for not at all.
    """
    height = open_left.shape[0]
    reach = lefts.shape[0] // 2
    for step in (-1, 1):
        left, right = open_left[y, x], open_right[y, x]
        row, slot = y, reach
        lefts[slot], rights[slot] = left, right
        for _ in range(reach):
            row, slot = row + step, slot + step
            if wrap:
                row %= height
            if 0 <= row < height:
                left, right = min(left, open_left[row, x]), min(right, open_right[row, x])
            else:
                left, right = np.int8(-1), np.int8(-1)
            lefts[slot], rights[slot] = left, right


@kernel(
    "i8[::1], i4[::1], i1[:,::1], i1[:,::1], f4[::1], b1, out i1[::1], out i1[::1], out u8[::1],"
    " out f4[::1]",
    "i8[::1], i4[::1], i1[:,::1], i1[:,::1], f8[::1], b1, out i1[::1], out i1[::1], out u8[::1],"
    " out f8[::1]",
)
def _weigh(rows, columns, open_left, open_right, weights, wrap, lefts, rights, masks, missing):
    """Fill in `masks` (for a blur of 3) and `missing` for cells at these rows and columns."""
    side = weights.shape[0]
    reach = side // 2
    for n in range(columns.shape[0]):
        exchanged_runs(open_left, open_right, rows[n], columns[n], wrap, lefts, rights)
        lack = weights[0] * _NONE
        for j in range(side):
            for i in range(side):
                exchanges = reach - i <= lefts[j] and i - reach <= rights[j] and lefts[j] >= 0
                lack += weights[0] * _NONE if exchanges else weights[j] * weights[i]
                if side == 3:
                    masks[n] |= np.uint64(exchanges) << np.uint64(j * 3 + i)
        missing[n] = lack


def plan(walls: NDArray[np.bool_], weights: NDArray[np.floating[Any]], wrap: int) -> Plan:
    """Return the open cells with walls or the rim within the blur.

    Row y has the cells `starts[y]` to `starts[y + 1]`. For each: its column; for a blur of 3 a mask
    of the cells that it exchanges with, a bit for each, row by row; last the weight of the cells
    that it does not exchange with. Before the last come the numbers of open cells to the left and
    to the right of each cell of the map, up to the reach of the blur; -1 in walls.
    """
    reach = len(weights) // 2
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    lefts, rights = _runs(walls, reach, wrap_x)
    rows, found = map(np.ascontiguousarray, np.nonzero(_near(lefts, rights, reach, wrap_y)))
    starts = np.searchsorted(rows, np.arange(len(walls) + 1)).astype(np.int64)
    columns = found.astype(np.int32)
    side = len(weights)
    runs = np.zeros(side, np.int8), np.zeros(side, np.int8)
    masks, missing = np.zeros(len(rows), dtype=np.uint64), np.zeros(len(rows), dtype=weights.dtype)
    _weigh(rows, columns, lefts, rights, weights, wrap_y, *runs, masks, missing)
    return starts, columns, masks, lefts, rights, missing
