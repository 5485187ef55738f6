"""Sight on grids.

The plane around the viewer's cell is cut by its two diagonals into four quarters. In a quarter a
line has a slope between -1 and 1, and one row after the other the walls of the row are cut out of
the slopes still in sight: sectors with rational ends, so results do not depend on rounding. A cell
of the next row is seen if the slope to its center is in a sector, ends included. A sector of one
slope is dropped: that is a line between a corner on its left and one on its right. The diagonals,
which have corners on both sides, are walked cell by cell.

All work happens in a window that holds the cells within reach.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.sight.shot_cells import is_above

__all__ = [
    "NO_CONES",
    "NO_HEIGHTS",
    "field_of_view",
    "most_cells",
    "scratch",
    "sight_cells",
    "squared_reach",
    "squared_reaches",
]

NO_HEIGHTS: NDArray[np.float32] = np.zeros((0, 0), dtype=np.float32)
NO_CONES: NDArray[np.float64] = np.zeros((0, 3))
"""The cones of viewers that see in all directions. Others have a row (x, y, cosine) each: a viewer
sees only offsets whose cosine to the unit vector (x, y), in columns and rows, is at least this.
"""
_FARTHEST = 2.0**29
# The bits of a cell in the window: it is a wall, it is in sight, it is a wall whose near sides are
# in sight, it is a wall in a corner beside such a one.
_WALL = np.uint8(1)
_SEEN = np.uint8(2)
_LIT = np.uint8(4)
_CORNER = np.uint8(8)
_ACROSS, _DOWN, _BOTH = 1, 2, 3
"""What a line crosses next: into another column, into another row, or both at a corner."""

Scratch = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.float32]]


def squared_reach(limit: float) -> int:
    """Return the largest squared distance between two cells' centers that are at most `limit` cells
    apart.
    """
    return int(min(limit, _FARTHEST) ** 2)


def squared_reaches(limits: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return `squared_reach` of each limit."""
    return (np.minimum(limits, _FARTHEST) ** 2).astype(np.int64)


def most_cells(shape: tuple[int, ...], limit: int) -> int:
    """Return the length of arrays of the cells in sight, for a map's shape and the largest squared
    distance.
    """
    side = 2 * math.isqrt(limit) + 1
    return min(side, shape[0] + 1) * min(side, shape[1] + 1)


def scratch(shape: tuple[int, ...], limit: int, *, heights: bool = False) -> Scratch:
    """Return scratch for calls on a map of this shape up to this largest squared distance: window,
    sectors, ground.

    Calls with heights need one made with `heights`; one call at a time may use it.
    """
    cells = most_cells(shape, limit)
    deepest = min(math.isqrt(limit), max(shape))
    return (
        np.zeros(cells, dtype=np.uint8),
        np.zeros((2, 2 * deepest + 2, 4), dtype=np.int64),
        np.zeros(cells + 1 if heights else 0, dtype=np.float32),
    )


@kernel
def _root(square):
    """Return the largest whole number whose square is at most `square`."""
    root = np.int64(math.sqrt(np.float64(square)))
    while root * root > square:
        root -= 1
    while (root + 1) * (root + 1) <= square:
        root += 1
    return root


@kernel
def _extents(shape, row, column, limit, wrap):
    """Return how many cells the window reaches to the north, south, west and east of a cell: as far
    as the limit and the map allow, and half around an axis that wraps.
    """
    reach = _root(limit)
    height, width = shape
    north = min(reach, row)
    south = min(reach, height - 1 - row)
    west = min(reach, column)
    east = min(reach, width - 1 - column)
    if wrap & WRAP_Y != 0:
        north = min(reach, height // 2)
        south = north
    if wrap & WRAP_X != 0:
        west = min(reach, width // 2)
        east = west
    return north, south, west, east


@kernel
def _copy_row(walls, heights, y, left, columns, window, ground, start):
    """Copy a row of the map into the window; the last entry of `ground` gathers the highest."""
    width = walls.shape[1]
    done = 0
    while done < columns:
        x = (left + done) % width
        count = min(columns - done, width - x)
        row = walls[y, x : x + count]
        into = window[start + done : start + done + count]
        for i in range(count):
            into[i] = np.uint8(row[i] != 0)
        if heights.shape[0] > 0:
            top = ground[ground.shape[0] - 1]
            for i in range(count):
                here = heights[y, x + i]
                ground[start + done + i] = here
                top = here if here > top else top
            ground[ground.shape[0] - 1] = top
        done += count


# Walls
# -----------------------------------------------------------------------------


@kernel
def _first_over(n, d, depth):
    """Return the first cell of a row with slopes beyond n / d."""
    edge = 2 * depth - 1 if n >= 0 else 2 * depth + 1
    return (n * edge - d) // (2 * d) + 1


@kernel
def _scan_row(window, base, across, depth, least, most, now, new, count):
    """Mark the visible cells of the row at `depth`, and cut its walls out of the sectors; return
    the number of sectors.

    The row has its middle at `base` in the window, and its cells lie `across` apart there; the
    cells `least` to `most` to the side are in the window. `now` holds the `count` sectors in which
    the row is in sight, and `new` receives those in which the next one is. A sector is (numerator
    and denominator of its first slope, both of its last slope). A cell `c` to the side covers the
    slopes between those of two of its corners.
    """
    size = 0
    for k in range(count):
        start_n = now[k, 0]
        start_d = now[k, 1]
        end_n = now[k, 2]
        end_d = now[k, 3]
        # Of the whole quarter, the diagonals are walked apart.
        is_full = start_n == -start_d and end_n == end_d
        first = 1 - depth if is_full else -((-start_n * depth) // start_d)
        last = depth - 1 if is_full else (end_n * depth) // end_d
        for c in range(max(first, least, 1 - depth), min(last, most, depth - 1) + 1):
            window[base + c * across] |= _SEEN
        # Walls that cover slopes of the sector: `start` moves past each of them, and what is in
        # sight before it is a sector of the next row.
        first = -depth if is_full else _first_over(start_n, start_d, depth)
        last = depth if is_full else -_first_over(-end_n, end_d, depth)
        left_n = start_n
        left_d = start_d
        alive = True
        for c in range(max(first, least), min(last, most) + 1):
            if window[base + c * across] & _WALL == 0:
                continue
            # Left of the axis, a wall to the right hides all but the front; right of it, `start` is
            # past the wall to the left.
            if (
                c >= 0
                or window[base + (c + 1) * across] & _WALL == 0
                or (2 * c + 1) * left_d > left_n * (2 * depth - 1)
            ):
                window[base + c * across] |= _LIT
            low_n = 2 * c - 1
            low_d = 2 * depth + 1 if c > 0 else 2 * depth - 1
            if low_n * start_d > start_n * low_d:
                new[size, 0] = start_n
                new[size, 1] = start_d
                new[size, 2] = low_n
                new[size, 3] = low_d
                size += 1
            high_n = 2 * c + 1
            high_d = 2 * depth - 1 if c >= 0 else 2 * depth + 1
            if high_n * start_d > start_n * high_d:
                start_n = high_n
                start_d = high_d
            if start_n * end_d >= end_n * start_d:
                alive = False
                if c >= 0:
                    break
        if alive:
            new[size, 0] = start_n
            new[size, 1] = start_d
            new[size, 2] = end_n
            new[size, 3] = end_d
            size += 1
    return size


@kernel
def _scan(window, origin, ahead, across, deepest, low, high, limit, sectors):
    """Mark the visible cells of a quarter, one row after the other.

    Rows lie `ahead` apart in the window, and the cells of a row `across`; the window reaches
    `deepest` rows ahead, and `low` and `high` cells to the sides. `sectors` (2, n, 4) is scratch.
    """
    cap = min(_root(limit), max(low, high))  # cells to the side within the limit
    # The first row is in sight from slope -1 to slope 1.
    sectors[1, 0, 0] = -1
    sectors[1, 0, 1] = 1
    sectors[1, 0, 2] = 1
    sectors[1, 0, 3] = 1
    depth = 1
    count = 1
    while depth <= deepest and count > 0:
        while cap * cap > limit - depth * depth:
            cap -= 1
        count = _scan_row(
            window,
            origin + depth * ahead,
            across,
            depth,
            -min(cap, low, depth),
            min(cap, high, depth),
            sectors[depth & 1],
            sectors[1 - (depth & 1)],
            count,
        )
        depth += 1


@kernel
def _diagonal(window, origin, down, right, count):
    """Mark the visible cells of a diagonal, `count` cells long; `down` and `right` are the steps in
    the window along its two axes. It ends where walls have touched it on both sides.
    """
    on_left = False
    on_right = False
    here = origin
    for _ in range(count):
        on_left = on_left or window[here + down] & _WALL != 0
        on_right = on_right or window[here + right] & _WALL != 0
        here += down + right
        if on_left and on_right:
            return
        window[here] |= _SEEN
        if window[here] & _WALL != 0:
            return


# Heights and cones
# -----------------------------------------------------------------------------


@kernel
def _is_clear(window, ground, columns, origin, dy, dx, start, end, with_walls):
    """Return whether the ground is below the line from height `start` at the origin to height `end`
    at an offset.

    Places on the line are counted from 0 at the origin to `scale` at its end, so that it crosses
    all columns and rows at whole numbers. At a corner, ground on one side alone hides nothing.
    """
    left_y = abs(dy)  # rows that are still to be crossed
    left_x = abs(dx)
    down = columns if dy > 0 else -columns
    right = 1 if dx > 0 else -1
    size_y = max(left_y, 1)
    size_x = max(left_x, 1)
    scale = np.float64(2 * size_y * size_x)
    next_x = size_y  # where the line crosses into the next column
    next_y = size_x
    here = origin
    entered = np.float64(0)
    side_x = False
    side_y = False
    while True:
        if left_y == 0 or (left_x > 0 and next_x < next_y):
            move = _ACROSS
        elif left_x == 0 or next_y < next_x:
            move = _DOWN
        else:
            move = _BOTH
        leave = np.float64(next_x) if move != _DOWN else np.float64(next_y)
        if here != origin and (with_walls or window[here] & _WALL == 0):
            top = np.float64(ground[here])
            if top > start or top > end:
                if is_above(top, start, end, entered, scale):
                    return False
                if is_above(top, start, end, leave, scale):
                    return False
        if move == _BOTH:
            beside = here + right
            if window[beside] & _WALL != 0:
                side_x = side_x or with_walls
            else:
                top = np.float64(ground[beside])
                side_x = side_x or is_above(top, start, end, leave, scale)
            beside = here + down
            if window[beside] & _WALL != 0:
                side_y = side_y or with_walls
            else:
                top = np.float64(ground[beside])
                side_y = side_y or is_above(top, start, end, leave, scale)
            if side_x and side_y:
                return False
        if move != _DOWN:
            here += right
            next_x += 2 * size_y
            left_x -= 1
        if move != _ACROSS:
            here += down
            next_y += 2 * size_x
            left_y -= 1
        entered = leave
        if left_x == 0 and left_y == 0:
            return True


@kernel
def _refine(window, ground, with_heights, size, eye, cone):
    """Unmark what is outside of the cone or behind ground."""
    rows, columns, north, west = size
    facing_x, facing_y, min_cosine = cone
    origin = north * columns + west
    start = np.float64(0)
    highest = np.float64(0)
    if with_heights:
        start = np.float64(ground[origin]) + eye
        highest = np.float64(ground[ground.shape[0] - 1])
    has_cone = min_cosine >= -1
    for j in range(rows):
        for i in range(columns):
            at = j * columns + i
            dy = j - north
            dx = i - west
            bits = window[at]
            if bits <= _WALL or at == origin:
                continue
            is_outside = False
            if has_cone:
                away = math.sqrt(np.float64(dy * dy + dx * dx))
                is_outside = facing_x * dx + facing_y * dy < min_cosine * away
            if is_outside:
                window[at] = bits & _WALL
            elif with_heights:
                end = np.float64(ground[at]) + eye
                is_open = bits & _WALL == 0
                if (highest > start or highest > end) and not _is_clear(
                    window, ground, columns, origin, dy, dx, start, end, is_open
                ):
                    window[at] = bits & _WALL


@kernel
def _find_corners(window, rows, columns, north, west, limit):
    """Mark the walls in corners between two walls of which one is lit, behind an open cell: seen
    from there, all three are one corner.
    """
    for j in range(rows):
        dy = j - north
        back_y = -columns if dy > 0 else columns
        for i in range(columns):
            dx = i - west
            at = j * columns + i
            if dy == 0 or dx == 0 or window[at] & _WALL == 0 or dy * dy + dx * dx > limit:
                continue
            back_x = -1 if dx > 0 else 1
            both = window[at + back_y] & window[at + back_x]
            if both & _LIT != 0 and both & _WALL != 0 and window[at + back_y + back_x] & _WALL == 0:
                window[at] |= _CORNER


# Fields of view
# -----------------------------------------------------------------------------


@kernel
def _mark(walls, heights, eye, row, column, limit, extents, lit, cone, scratch):
    """Mark the visible cells in the window."""
    north, south, west, east = extents
    window, sectors, ground = scratch
    height = walls.shape[0]
    rows = north + south + 1
    columns = west + east + 1
    origin = north * columns + west
    with_heights = heights.shape[0] > 0
    if with_heights:
        ground[ground.shape[0] - 1] = heights[row, column]
    for j in range(rows):
        y = (row - north + j) % height
        _copy_row(walls, heights, y, column - west, columns, window, ground, j * columns)
    window[origin] |= _SEEN | _LIT
    _scan(window, origin, -columns, 1, north, west, east, limit, sectors)
    _scan(window, origin, columns, 1, south, west, east, limit, sectors)
    _scan(window, origin, -1, columns, west, north, south, limit, sectors)
    _scan(window, origin, 1, columns, east, north, south, limit, sectors)
    longest = _root(limit // 2)
    _diagonal(window, origin, -columns, -1, min(longest, north, west))
    _diagonal(window, origin, -columns, 1, min(longest, north, east))
    _diagonal(window, origin, columns, -1, min(longest, south, west))
    _diagonal(window, origin, columns, 1, min(longest, south, east))
    if with_heights or cone[2] >= -1:
        _refine(window, ground, with_heights, (rows, columns, north, west), eye, cone)
    if lit:
        _find_corners(window, rows, columns, north, west, limit)


@kernel
def _fold(window, rows, columns, height, width):
    """Where an axis was looked round both ways, join its last row or column to the first, which is
    the same.
    """
    if rows > height:
        for i in range(columns):
            window[i] |= window[(rows - 1) * columns + i]
    if columns > width:
        for j in range(rows):
            window[j * columns] |= window[j * columns + columns - 1]


@kernel
def _counts(bits, lit):
    """Return 1 if a cell is to be reported, else 0; `lit` is 0 or 1."""
    return (bits >> 1) & ~bits & 1 | bits & ((bits >> 2) | (bits >> 3)) & lit


@kernel(
    "u1[:,::1], f4[:,::1], f8, i8, i8, i8, b1, out i8[::1], out i8[::1], (out u1[::1], out"
    " i8[:,:,::1], out f4[::1])",
)
def sight_cells(walls, heights, eye, cell, limit, wrap, lit, cells, squares, scratch):
    """Write the cells seen from a cell, ascending, and their squared distances; return their
    number.

    `walls` (height, width), not 0 on walls; `heights` (height, width) float32 or `NO_HEIGHTS`;
    `limit` is the largest squared distance in cells. Only open cells count, with `lit` also walls
    that are partly seen. `cells` and `squares` are int64 with space for `most_cells`.
    """
    height, width = walls.shape
    row, column = divmod(cell, width)
    window, _, _ = scratch
    extents = _extents(walls.shape, row, column, limit, wrap)
    north, south, west, east = extents
    cone = 0.0, 0.0, -2.0  # a cosine below -1: all directions
    _mark(walls, heights, eye, row, column, limit, extents, lit, cone, scratch)
    rows = north + south + 1
    columns = west + east + 1
    _fold(window, rows, columns, height, width)
    distinct_rows = min(rows, height)
    distinct_columns = min(columns, width)
    top = (row - north) % height
    left = (column - west) % width
    # Where an axis wraps, the rows or columns that lie beyond the seam come first.
    first_row = height - top if top + distinct_rows > height else 0
    first_column = width - left if left + distinct_columns > width else 0
    n = 0
    walls_too = np.uint8(1) if lit else np.uint8(0)
    for j in range(distinct_rows):
        k = first_row + j
        if k >= distinct_rows:
            k -= distinct_rows
        dy = k - north
        start = ((top + k) % height) * width
        for part in range(2):
            i0 = first_column if part == 0 else 0
            i1 = distinct_columns if part == 0 else first_column
            shift = left - width if part == 0 and first_column > 0 else left
            for i in range(i0, i1):
                if _counts(window[k * columns + i], walls_too) != 0:
                    cells[n] = start + shift + i
                    squares[n] = dy * dy + (i - west) * (i - west)
                    n += 1
    return n


@kernel(
    "u1[:,::1], f4[:,::1], i8[::1], i8[::1], f8[:,::1], f8, i8, b1, out i4[:,::1], (out"
    " u1[::1], out i8[:,:,::1], out f4[::1])",
)
def field_of_view(walls, heights, sources, limits, cones, eye, wrap, lit, counts, scratch):
    """Add 1 to `counts` (height, width) wherever a source sees, once per source.

    `sources` are cells, `limits` the largest squared distance of each, and `cones` (N, 3) where
    each looks, see `NO_CONES`; a source sees its own cell in any case. The rest as in
    `sight_cells`.
    """
    height, width = walls.shape
    window, _, _ = scratch
    walls_too = np.uint8(1) if lit else np.uint8(0)
    for s in range(sources.shape[0]):
        row, column = divmod(sources[s], width)
        extents = _extents(walls.shape, row, column, limits[s], wrap)
        north, south, west, east = extents
        cone = 0.0, 0.0, -2.0  # a cosine below -1: all directions
        if cones.shape[0] > 0:
            cone = cones[s, 0], cones[s, 1], cones[s, 2]
        _mark(walls, heights, eye, row, column, limits[s], extents, lit, cone, scratch)
        rows = north + south + 1
        columns = west + east + 1
        _fold(window, rows, columns, height, width)
        distinct_columns = min(columns, width)
        for j in range(min(rows, height)):
            y = (row - north + j) % height
            done = 0
            while done < distinct_columns:
                x = (column - west + done) % width
                count = min(distinct_columns - done, width - x)
                seen = window[j * columns + done : j * columns + done + count]
                into = counts[y, x : x + count]
                for i in range(count):
                    into[i] += _counts(seen[i], walls_too)
                done += count
