"""The cells of a grid that agents can hit from the cells that they can walk to."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.hit_arrays import AttackHeights, AttackMaps, Damage
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.sight.center_lines import CENTER_LINES, CenterLines
from fieldcraft.kernels.sight.line_cells import bits_from, blocked_lines, is_below_line

__all__ = ["AttackHeights", "AttackMaps", "CenterLines", "Damage", "hits", "hits_in_sight"]

_NONE = np.uint64(0)


@kernel
def _is_inside(reached, number, y, x, wrap):
    """Return whether this agent can walk to the four cells beside a cell."""
    height, width = reached.shape
    for side in range(4):
        row, column = y, x
        if side == 0:
            row -= 1
        elif side == 1:
            row += 1
        elif side == 2:
            column -= 1
        else:
            column += 1
        if wrap & WRAP_X != 0:
            column %= width
        if wrap & WRAP_Y != 0:
            row %= height
        if row < 0 or row >= height or column < 0 or column >= width:
            return False
        if reached[row, column] != number:
            return False
    return True


@kernel(
    "b1[:,::1], i8[::1], i8[::1], i8[::1], i8, f8, i8, out f8[:,::1], out f8[:,::1], out i4[:,::1],"
    " out i4[:,::1]"
)
def hits(walls, cells, reaches, widths, wrap, strength, number, total, most, last, reached):
    """Add what one agent can do to each open cell within its range of one of `cells`, which it can
    walk to: to `total`, and to `most` if it is more.

    A cell is within range if it is `dy` rows away and at most `widths[dy]` columns; `reaches` holds
    the number of rows and of columns to each side. `last` and `reached` hold the number of the last
    agent that hits a cell, and that can walk to it; `number` is that of this one, larger than all
    before.

    A cell whose four neighbors are among `cells` is left out: whatever is in range of it, other
    than itself, is nearer to one of these.
    """
    height, width = walls.shape
    rows, columns = reaches[0], reaches[1]
    for k in range(cells.shape[0]):
        r = cells[k] // width
        c = cells[k] - r * width
        reached[r, c] = number
        if not walls[r, c]:
            last[r, c] = number
            total[r, c] += strength
            most[r, c] = max(most[r, c], strength)
    for k in range(cells.shape[0]):
        r = cells[k] // width
        c = cells[k] - r * width
        if _is_inside(reached, number, r, c, wrap):
            continue
        for dy in range(-rows, rows + 1):
            y = r + dy
            if wrap & WRAP_Y != 0:
                y %= height
            if y < 0 or y >= height:
                continue
            across = min(widths[abs(dy)], columns)
            first, end = c - across, c + across + 1
            if wrap & WRAP_X == 0:
                first, end = max(first, 0), min(end, width)
            for column in range(first, end):
                x = column
                if x < 0 or x >= width:
                    x %= width
                if walls[y, x] or last[y, x] == number:
                    continue
                last[y, x] = number
                total[y, x] += strength
                most[y, x] = max(most[y, x], strength)


@kernel(forceinline=True)
def _add_bits(bits, row, first, more):
    """Set bits of a row, from bit `first` on."""
    word = first // 64
    shift = np.uint64(first % 64)
    bits[row, word] |= more << shift
    if shift != _NONE:
        bits[row, word + 1] |= more >> (np.uint64(64) - shift)


@kernel
def _over_ground(ground, lines, i, row, column, wanted):
    """Return which of the `wanted` lines of direction i pass over the ground: one bit for each of
    64 cells of a row, from `column` on.
    """
    heights, tops, eye = ground
    end_row = row + lines.offsets[i, 0]
    to_end = lines.offsets[i, 1]
    found = _NONE
    one = np.uint64(1)
    while wanted != _NONE:
        if wanted & np.uint64(1) != _NONE:
            start = np.float64(heights[row, column]) + eye
            end = np.float64(heights[end_row, column + to_end]) + eye
            if is_below_line(tops, lines, i, row, column, start, end):
                found |= one
        wanted >>= np.uint64(1)
        one <<= np.uint64(1)
        column += 1
    return found


_MAPS = "AttackMaps(b1[:,::1], u8[:,::1], u8[:,::1])"
_HEIGHTS = "AttackHeights(f4[:,::1], f4[:,::1], f8)"
_REST = (
    f"i8[::1], {CENTER_LINES}, i8[::1], i8, i8, f8, i8, Damage(out f8[:,::1], out f8[:,::1],"
    " out i4[:,::1]), out u8[:,::1], out u8[:,::1]"
)


@kernel(f"{_MAPS}, none, {_REST}", f"{_MAPS}, {_HEIGHTS}, {_REST}")
def hits_in_sight(
    maps, ground, cells, lines, reaches, count, wrap, strength, number, damage, reached, done
):
    """Add what one agent can do to each open cell that it sees from one of `cells`, within its
    range; the rest as in `hits`.

    `ground` is None, or heights over which it sees. The first `count` of `lines` lead to the cells
    within range, at most `reaches` (rows, columns) away. `reached` and `done` are maps of bits as
    in `maps`. `reached` is all 0 before and after; `done` is scratch.
    """
    walls, opaque, closed = maps
    total, most, last = damage
    height, width = walls.shape
    rows = reaches[0]
    columns = reaches[1]
    one = np.uint64(1)
    first_row = height
    last_row = 0
    first_column = width
    last_column = 0
    for k in range(cells.shape[0]):
        r = cells[k] // width
        c = cells[k] - r * width
        first_row = min(first_row, r)
        last_row = max(last_row, r)
        first_column = min(first_column, c)
        last_column = max(last_column, c)
        bit = columns + c
        reached[rows + r, bit // 64] |= one << np.uint64(bit % 64)
    low = first_column // 64
    high = (last_column + 2 * columns) // 64 + 2
    for y in range(first_row, last_row + 2 * rows + 1):
        for word in range(low, high):
            done[y, word] = closed[y, word] | reached[y, word]
    for i in range(count):
        dy = lines.offsets[i, 0]
        dx = lines.offsets[i, 1]
        for r in range(first_row, last_row + 1):
            for c in range(first_column, last_column + 1, 64):
                here = bits_from(reached, rows + r, columns + c)
                wanted = here & ~bits_from(done, rows + r + dy, columns + c + dx)
                if wanted == _NONE:
                    continue
                seen = wanted & ~blocked_lines(opaque, lines, i, rows + r, columns + c, wanted)
                if ground is not None:
                    seen = _over_ground(ground, lines, i, rows + r, columns + c, seen)
                if seen != _NONE:
                    _add_bits(done, rows + r + dy, columns + c + dx, seen)
    for k in range(cells.shape[0]):
        r = cells[k] // width
        bit = columns + cells[k] - r * width
        reached[rows + r, bit // 64] = _NONE
        done[rows + r, bit // 64] |= one << np.uint64(bit % 64)
    for k in range(cells.shape[0]):
        r = cells[k] // width
        c = cells[k] - r * width
        last[r, c] = number
        if not walls[r, c]:
            total[r, c] += strength
            most[r, c] = max(most[r, c], strength)
    for y in range(first_row, last_row + 2 * rows + 1):
        for word in range(low, high):
            found = done[y, word] & ~closed[y, word]
            bit = 64 * word
            while found != _NONE:
                if found & one != _NONE:
                    row = y - rows
                    column = bit - columns
                    if wrap & WRAP_Y != 0:
                        row %= height
                    if wrap & WRAP_X != 0:
                        column %= width
                    if last[row, column] != number and not walls[row, column]:
                        last[row, column] = number
                        total[row, column] += strength
                        most[row, column] = max(most[row, column], strength)
                found >>= one
                bit += 1
