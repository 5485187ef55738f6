"""Straight lines from the center of a cell to those of all cells within a range, as lists of cells.

The lists are written once. Then whole rows of cells are looked from at a time: a map is one bit per
cell, and 64 lines in the same direction are cut by a few reads of it. Over ground of different
heights each line is tested alone.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.sight.center_lines import CenterLines
from fieldcraft.kernels.sight.shot_cells import is_above

__all__ = ["CenterLines", "bits_from", "blocked_lines", "is_below_line", "write_lines"]

_PASSED, _BESIDE_X, _BESIDE_Y = np.uint8(0), np.uint8(1), np.uint8(2)
_WORD = np.uint64(64)
_NONE = np.uint64(0)


@kernel
def _put(lines, n, y, x, kind, enters, leaves):
    """Add a cell to a line; return the number of cells."""
    lines.cells[n, 0] = y
    lines.cells[n, 1] = x
    lines.kinds[n] = kind
    lines.crossings[n, 0] = enters
    lines.crossings[n, 1] = leaves
    return n + 1


@kernel("CenterLines(i8[:,::1], out i8[::1], out i8[:,::1], out u1[::1], out f8[:,::1])")
def write_lines(lines):
    """Write the lines to `offsets`; return the number of cells.

    A line makes as many steps as its ends are apart in rows and columns together, and touches two
    more cells where it passes a corner.
    """
    n = 0
    for i in range(len(lines.offsets)):
        lines.starts[i] = n
        left_y = abs(lines.offsets[i, 0])
        left_x = abs(lines.offsets[i, 1])
        down = 1 if lines.offsets[i, 0] > 0 else -1
        right = 1 if lines.offsets[i, 1] > 0 else -1
        wy = max(left_y, 1)
        wx = max(left_x, 1)
        next_x = wy
        next_y = wx
        y = 0
        x = 0
        enters = 0
        while left_x > 0 or left_y > 0:
            if left_y == 0 or (left_x > 0 and next_x < next_y):
                move = 1
                leaves = next_x
            elif left_x == 0 or next_y < next_x:
                move = 2
                leaves = next_y
            else:
                move = 3
                leaves = next_x
            if y != 0 or x != 0:
                n = _put(lines, n, y, x, _PASSED, enters, leaves)
            if move == 3:
                n = _put(lines, n, y, x + right, _BESIDE_X, leaves, leaves)
                n = _put(lines, n, y + down, x, _BESIDE_Y, leaves, leaves)
            enters = leaves
            if move != 2:
                x += right
                next_x += 2 * wy
                left_x -= 1
            if move != 1:
                y += down
                next_y += 2 * wx
                left_y -= 1
    lines.starts[len(lines.offsets)] = n
    return n


@kernel(forceinline=True)
def bits_from(bits, row, first):
    """Return 64 bits of a row, from bit `first` on."""
    word = first // 64
    shift = np.uint64(first % 64)
    found = bits[row, word] >> shift
    if shift != _NONE:
        found |= bits[row, word + 1] << (_WORD - shift)
    return found


@kernel(forceinline=True)
def blocked_lines(opaque, lines, i, row, first, wanted):
    """Return which lines of direction i are cut: one bit for each of 64 cells of a row, from bit
    `first` on. Lines that are not `wanted` may count as uncut.
    """
    blocked = _NONE
    beside_x = _NONE
    beside_y = _NONE
    for k in range(lines.starts[i], lines.starts[i + 1]):
        found = bits_from(opaque, row + lines.cells[k, 0], first + lines.cells[k, 1])
        kind = lines.kinds[k]
        if kind == _PASSED:
            blocked |= found
        elif kind == _BESIDE_X:
            beside_x |= found
        else:
            beside_y |= found
            blocked |= beside_x & beside_y
        if wanted & ~blocked == _NONE:
            break
    return blocked


@kernel
def is_below_line(tops, lines, i, row, column, start, end):
    """Return whether the ground is below line i from height `start` in a cell to height `end`.

    `tops` are the heights of the ground, infinite where it is opaque. The numbers are those of
    `kernels.sight.visible`.
    """
    offsets, starts, cells, kinds, crossings = lines
    rows = max(abs(offsets[i, 0]), 1)
    columns = max(abs(offsets[i, 1]), 1)
    total = np.float64(2 * rows * columns)
    beside_x = False
    beside_y = False
    for k in range(starts[i], starts[i + 1]):
        top = np.float64(tops[row + cells[k, 0], column + cells[k, 1]])
        if top <= start and top <= end:
            continue
        if not is_above(top, start, end, crossings[k, 0], total) and not is_above(
            top, start, end, crossings[k, 1], total
        ):
            continue
        kind = kinds[k]
        if kind == _PASSED:
            return False
        if kind == _BESIDE_X:
            beside_x = True
        else:
            beside_y = True
        if beside_x and beside_y:
            return False
    return True
