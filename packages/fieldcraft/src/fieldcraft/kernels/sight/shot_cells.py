"""Cells along straight shots.

A shot passes from one grid line to the next, in whole numbers. Over ground of different heights it
descends or rises evenly from its start to its end. Cells are level: the ground rises or falls in
steps at their sides.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = [
    "LONGEST",
    "UNITS",
    "WIDEST",
    "is_above",
    "pass_cells",
    "scratch",
    "shot",
    "units",
]

UNITS = 4094
LONGEST = 2**18  # cells from start to end, so that products of two lengths fit 64 bits
WIDEST = 2**10  # cells on each side


def units(cells: float) -> int:
    """Return the nearest point to a coordinate in cells, within the same cell."""
    cell = math.floor(cells)
    half = UNITS // 2
    return cell * UNITS + 2 * min(math.floor((cells - cell) * half), half - 1) + 1


_HALF = UNITS // 2
_SHARE = np.float64(UNITS * _HALF)
"""What divides numbers along a line between centers, so that they are those of
`kernels.sight.visible`.
"""

Scratch = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]


def scratch(
    shape: tuple[int, ...], crossings: int, half_width: float, slot: NDArray[np.int32]
) -> Scratch:
    """Return arrays for shots of at most this number of steps from cell to cell and this width:
    cells, shares, and scratch, including `slot` with a 0 for each cell.

    A shot makes as many steps as its ends are apart in rows and columns together, and where nothing
    wraps no more than fit the map.
    """
    across = 2 * int(half_width / UNITS + 0.5) + 1
    most = min(shape[0] * shape[1], (crossings + across) * across)
    return (
        np.zeros(most, dtype=np.int64),
        np.zeros(most, dtype=np.float64),
        np.zeros((crossings + 1, 2), dtype=np.int64),
        slot,
    )


@kernel(forceinline=True)
def is_above(top, start, end, at, total):
    """Return whether ground at height `top` is above a line at one of its points; the line has
    height `start` at 0 and height `end` at `total`.
    """
    return (start - top) * (total - at) + (end - top) * at < 0


@kernel(forceinline=True)
def _descent(top, start, end, entered, leave, total):
    """Return the number of the last point at which a line is not below a height in a cell."""
    down = (start - top) / (start - end)
    return min(max(np.int64(math.floor(down * np.float64(total))), entered), leave)


@kernel
def pass_cells(walls, ground, y0, x0, y1, x1, wrap, end_stops, path):
    """Go from point to point; return (number of cells passed, where it stops, out of what number).

    `path` is None, or receives the cells passed, on the unrolled map. A wall at the start does not
    stop it, and a wall at the end only with `end_stops`. Points are in units, see `units`.

    `ground` is None, or (heights (height, width), height at the start, height at the end): ground
    above the line stops it, but not in the cells at its ends.
    """
    height, width = walls.shape
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    ay, ax = abs(y1 - y0), abs(x1 - x0)
    wy, wx = max(ay, 1), max(ax, 1)
    down = 1 if y1 > y0 else -1
    right = 1 if x1 > x0 else -1
    y, x = y0 // UNITS, x0 // UNITS
    left_y, left_x = abs(y1 // UNITS - y), abs(x1 // UNITS - x)
    next_y = ((y + 1) * UNITS - y0 if down > 0 else y0 - y * UNITS) * wx
    next_x = ((x + 1) * UNITS - x0 if right > 0 else x0 - x * UNITS) * wy
    touched_y, touched_x = False, False
    passed = 0
    entered = np.int64(0)
    while True:
        if path is not None:
            path[passed, 0], path[passed, 1] = y, x
        passed += 1
        if left_y == 0 and left_x == 0:
            return passed, wy * wx, wy * wx
        if left_y == 0 or (left_x > 0 and next_x < next_y):
            move = 1
        elif left_x == 0 or next_y < next_x:
            move = 2
        else:
            move = 3
        here = next_x if move != 2 else next_y
        if ground is not None:
            heights, start, end = ground
            total = np.float64(wy * wx) / _SHARE
            leaves = np.float64(here) / _SHARE
            if passed > 1:
                top = np.float64(heights[y % height, x % width])
                if is_above(top, start, end, np.float64(entered) / _SHARE, total):
                    return passed - 1, entered, wy * wx
                if is_above(top, start, end, leaves, total):
                    return passed, _descent(top, start, end, entered, here, wy * wx), wy * wx
            entered = here
            if move == 3:
                row, column = (y + down) % height, x % width
                if wrap_y or 0 <= y + down < height:
                    top = np.float64(heights[row, column])
                    touched_y = touched_y or is_above(top, start, end, leaves, total)
                row, column = y % height, (x + right) % width
                if wrap_x or 0 <= x + right < width:
                    top = np.float64(heights[row, column])
                    touched_x = touched_x or is_above(top, start, end, leaves, total)
        if move == 3:
            beside_y = y + down
            beside_x = x + right
            if wrap_x or wrap_y:
                if walls[beside_y % height, x % width] != 0:
                    touched_y = touched_y or wrap_y or 0 <= beside_y < height
                if walls[y % height, beside_x % width] != 0:
                    touched_x = touched_x or wrap_x or 0 <= beside_x < width
            else:
                touched_y = touched_y or (0 <= beside_y < height and walls[beside_y, x] != 0)
                touched_x = touched_x or (0 <= beside_x < width and walls[y, beside_x] != 0)
            if touched_y and touched_x:
                return passed, here, wy * wx
        if move != 1:
            y += down
            left_y -= 1
            next_y += UNITS * wx
        if move != 2:
            x += right
            left_x -= 1
            next_x += UNITS * wy
        if end_stops or left_y > 0 or left_x > 0:
            if not wrap_y and (y < 0 or y >= height):
                return passed, here, wy * wx
            if not wrap_x and (x < 0 or x >= width):
                return passed, here, wy * wx
            if (walls[y % height, x % width] if wrap_x or wrap_y else walls[y, x]) != 0:
                return passed, here, wy * wx


@kernel
def _along(y, x, y0, x0, dy, dx, stop):
    """Return the share of the path nearest to a cell's center."""
    squared = dy * dy + dx * dx
    if squared == 0:
        return 0.0
    share = np.float64((y * UNITS + _HALF - y0) * dy + (x * UNITS + _HALF - x0) * dx) / np.float64(
        squared
    )
    return max(0.0, min(stop, share))


@kernel
def _put(cell, along, cells, shares, slot, count):
    """Add a cell, or lower its share; return the number of cells."""
    place = slot[cell]
    if place == 0:
        cells[count], shares[count] = cell, along
        slot[cell] = count + 1
        return count + 1
    shares[place - 1] = min(shares[place - 1], along)
    return count


@kernel
def _beside(walls, heights, y, x, line, half_width, wrap, count, cells, shares, slot):
    """Add a cell if its center is near the path and visible from it; return the number of cells."""
    y0, x0, dy, dx, stop, start, end, eye = line
    height, width = walls.shape
    if wrap & WRAP_Y == 0 and (y < 0 or y >= height):
        return count
    if wrap & WRAP_X == 0 and (x < 0 or x >= width):
        return count
    if wrap == 0 and slot[y * width + x] != 0:
        return count
    along = _along(y, x, y0, x0, dy, dx, stop)
    near_y, near_x = y0 + along * dy, x0 + along * dx
    cy, cx = y * UNITS + _HALF, x * UNITS + _HALF
    away_y, away_x = cy - near_y, cx - near_x
    if (
        away_y * away_y + away_x * away_x > half_width * half_width
        or walls[y % height, x % width] != 0
    ):
        return count
    ty, tx = 2 * np.int64(np.floor(near_y / 2)) + 1, 2 * np.int64(np.floor(near_x / 2)) + 1
    if heights.shape[0] > 0:
        above = start + along * (end - start)
        ground = heights, np.float64(heights[y % height, x % width]) + eye, above
        _, where, length = pass_cells(walls, ground, cy, cx, ty, tx, wrap, False, None)
    else:
        _, where, length = pass_cells(walls, None, cy, cx, ty, tx, wrap, False, None)
    if where < length:
        return count
    return _put((y % height) * width + x % width, along, cells, shares, slot, count)


@kernel(
    "u1[:,::1], f4[:,::1], f8, f8, f8, i8, i8, i8, i8, f8, i8, out i8[::1], out f8[::1],"
    " out i8[:,::1], out i4[::1]"
)
def shot(
    walls,
    heights,
    start,
    end,
    eye,
    y0,
    x0,
    y1,
    x1,
    half_width,
    wrap,
    cells,
    shares,
    path,
    slot,
):
    """Write the cells that a shot acts on and the share of the path at which it passes each; return
    (count, where it stops).

    `walls` (height, width) is not 0 in walls; `heights` (height, width) float32 or `NO_HEIGHTS`,
    with which the line has the heights `start` and `end` at its ends, and cells beside it are seen
    from `eye` above their ground. Points in units (rows, columns), see `units`; the
    start on the map, at most `LONGEST` cells from the end along each axis; `half_width` in units,
    at most `WIDEST` cells. Where: shares of the way from start (0) to end (1). The last four
    arguments come from `scratch`; `slot` is all 0 before and after. First come the cells crossed in
    their order, then the cells beside them.

    More than 12 arguments: two points and two heights are numbers, since a record that is built
    for each call costs 0.2 us.
    """
    height, width = walls.shape
    dy, dx = y1 - y0, x1 - x0
    if heights.shape[0] > 0:
        ground = heights, start, end
        passed, where, length = pass_cells(walls, ground, y0, x0, y1, x1, wrap, True, path)
    else:
        passed, where, length = pass_cells(walls, None, y0, x0, y1, x1, wrap, True, path)
    stop = np.float64(where) / np.float64(length)
    count = 0
    for k in range(passed):
        y, x = path[k, 0], path[k, 1]
        if walls[y % height, x % width] == 0:
            along = _along(y, x, y0, x0, dy, dx, stop)
            count = _put((y % height) * width + x % width, along, cells, shares, slot, count)
    if half_width > 0:
        # A square slides along the way; at each step only its leading edges are new.
        reach = np.int64(half_width / UNITS + 0.5)
        line = y0, x0, dy, dx, stop, start, end, eye
        for k in range(passed):
            y, x = path[k, 0], path[k, 1]
            down = y - path[k - 1, 0] if k > 0 else 1
            right = x - path[k - 1, 1] if k > 0 else 0
            if k == 0:
                first, last = y - reach, y + reach
            elif down != 0:
                first = last = y + down * reach
            else:
                first, last = 1, 0
            for j in range(first, last + 1):
                for i in range(x - reach, x + reach + 1):
                    count = _beside(
                        walls, heights, j, i, line, half_width, wrap, count, cells, shares, slot
                    )
            for j in range(y - reach, y + reach + 1 if right != 0 else y - reach):
                if j != first or down == 0:
                    i = x + right * reach
                    count = _beside(
                        walls, heights, j, i, line, half_width, wrap, count, cells, shares, slot
                    )
    for k in range(count):
        slot[cells[k]] = 0
    return count, stop
