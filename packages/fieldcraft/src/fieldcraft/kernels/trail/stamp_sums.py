"""Stamps on a map of whole numbers.

Amounts are rounded by adding and subtracting `_MAGIC`, which vectorizes.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.trail.footprint_tables import (
    FOOTPRINT_TABLES,
    STAMP_PLACES,
    FootprintTables,
    StampPlaces,
)
from fieldcraft.kernels.trail.stamp_units import ADD, MAX, SCALE, TILE_COLUMNS, TILE_ROWS

__all__ = [
    "FOOTPRINT_TABLES",
    "FootprintTables",
    "StampPlaces",
    "blit",
    "drain",
    "publish",
    "scatter",
    "shape_of",
    "stamp",
]

_MAGIC = np.float64(1.5 * 2.0**52)
_MAGIC_BITS = _MAGIC.view(np.int64)
_ONE = np.uint64(1)
_ZERO = np.float32(0)
_HIGH = np.uint32(TILE_ROWS)
_WIDE = np.uint32(TILE_COLUMNS)
_FIRST = np.uint32(1)


@kernel
def _rounded(x):
    """Return the nearest whole number, as int64."""
    return np.float64(x + _MAGIC).view(np.int64) - _MAGIC_BITS


@kernel
def _add(flat, place, pitch, tables, start, stride, height, width, amount):
    """Add rows of a stamp centered on a cell. Unsigned indices need no check for negative ones, and
    slices would cost more.
    """
    for j in range(height):
        here = np.uint64(place + j * pitch)
        own = np.uint64(start + j * stride) + _ONE
        for k in range(width):
            flat[here + np.uint64(k)] += _rounded(amount * tables[own + np.uint64(k)])


@kernel
def _add_between(flat, place, pitch, tables, start, stride, height, width, w00, w01, w10, w11):
    """Add rows of a stamp between cells, each made of its own weights and those of the row
    above.
    """
    for j in range(height):
        here, own = np.uint64(place + j * pitch), np.uint64(start + j * stride)
        above = np.uint64(start + j * stride - stride)
        for k in range(width):
            i = np.uint64(k)
            flat[here + i] += _rounded(
                (w00 * tables[own + i + _ONE] + w01 * tables[own + i])
                + (w10 * tables[above + i + _ONE] + w11 * tables[above + i])
            )


@kernel
def _blended(old, new, blend):
    """Return the stronger magnitude, the positive one of equals; or the new value, unless it is
    0.
    """
    if blend == MAX:
        return new if abs(new) > abs(old) or (abs(new) == abs(old) and new > old) else old
    return new if new != 0 else old


@kernel
def _blend(flat, place, pitch, tables, start, stride, height, width, weights, blend):
    """Blend rows of a stamp between cells, see `_add_between`, as MAX or REPLACE."""
    w00, w01, w10, w11 = weights
    for j in range(height):
        own = start + j * stride
        above = own - stride
        for k in range(width):
            new = _rounded(
                (w00 * tables[own + k + 1] + w01 * tables[own + k])
                + (w10 * tables[above + k + 1] + w11 * tables[above + k])
            )
            at = place + j * pitch + k
            flat[at] = _blended(flat[at], new, blend)


@kernel
def _mark(dirty, top, bottom, left, right):
    """Mark the rows [top, bottom) as changed in the tiles of the columns [left, right)."""
    for band in range(top // TILE_ROWS, (bottom - 1) // TILE_ROWS + 1):
        above, below = max(top - band * TILE_ROWS, 0), min(bottom - band * TILE_ROWS, TILE_ROWS)
        rows = np.uint8((1 << below) - (1 << above))
        for tile in range(left // TILE_COLUMNS, (right - 1) // TILE_COLUMNS + 1):
            dirty[band, tile] |= rows


@kernel
def stamp(place, amount, tables, shape, blend, wrap, top, bottom, sums, dirty):
    """Blend one stamp into the rows [top, bottom); see `blit`.

    `place` is (row, column, down, right), and `shape` the start of a table, its size, and where it
    begins from its cell.
    """
    row, column, down, right = place
    start, table_height, table_width, first_row, first_column = shape
    map_height, map_width = sums.shape
    flat = sums.reshape(-1)
    y0, x0 = row + first_row, column + first_column
    between = down > 0.0 or right > 0.0
    more = 1 if between else 0
    covered, across = table_height + more, table_width + more
    stride = table_width + 2
    own = start + stride
    far, near = (1 - down) * amount, down * amount
    w00, w01, w10, w11 = (1 - right) * far, right * far, (1 - right) * near, right * near
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    first = 0 if wrap_y else max(0, top - y0)
    last = covered if wrap_y else min(covered, bottom - y0)
    # A stamp is cut where it goes over an edge that wraps, elsewhere it is one piece.
    j = first
    while j < last:
        y = (y0 + j) % map_height if wrap_y else y0 + j
        j_end = min(last, j + map_height - y)
        if wrap_y and y < top:
            j_end = min(last, j + top - y)
        height = min(j_end - j, bottom - y)
        if y < top:
            height = 0
        k = 0 if wrap_x else max(0, -x0)
        k_last = across if wrap_x else min(across, map_width - x0)
        while k < k_last and height > 0:
            x = (x0 + k) % map_width if wrap_x else x0 + k
            k_end = min(k_last, k + map_width - x)
            at = y * map_width + x
            begin = own + j * stride + k
            width = k_end - k
            if blend != ADD:
                weights = (w00, w01, w10, w11)
                _blend(flat, at, map_width, tables, begin, stride, height, width, weights, blend)
            elif between:
                _add_between(
                    flat, at, map_width, tables, begin, stride, height, width, w00, w01, w10, w11
                )
            else:
                _add(flat, at, map_width, tables, begin, stride, height, width, w00)
            _mark(dirty, y, y + height, x, x + width)
            k = k_end
        j = j_end


@kernel
def shape_of(shapes, number):
    """Return a row of shapes; see `stamp`."""
    return (
        shapes[number, 0],
        shapes[number, 1],
        shapes[number, 2],
        shapes[number, 3],
        shapes[number, 4],
    )


@kernel(
    f"{STAMP_PLACES}, f8[::1], {FOOTPRINT_TABLES}, i8[::1], i8, i8, i8, i8, out i8[:,::1],"
    " out u1[:,::1]"
)
def blit(places, amounts, footprints, which, blend, wrap, top, bottom, sums, dirty):
    """Blend stamps around cells into the rows [top, bottom): at each place the footprint of the
    number `which`, times an amount.
    """
    rows = places.rows
    columns = places.columns
    below = places.below
    right = places.right
    for i in range(which.shape[0]):
        place = (rows[i], columns[i], below[i], right[i])
        shape = shape_of(footprints.shapes, which[i])
        stamp(place, amounts[i], footprints.weights, shape, blend, wrap, top, bottom, sums, dirty)


@kernel("i8[::1], f8[::1], i8, out i8[:,::1], out u1[:,::1]")
def scatter(cells, amounts, blend, sums, dirty):
    """Blend amounts, times SCALE, into cells; any of them several times, in their order."""
    width = np.uint32(sums.shape[1])
    flat = sums.reshape(-1)
    for i in range(cells.shape[0]):
        cell = np.uint64(cells[i])
        new = _rounded(amounts[i])
        if blend == ADD:
            flat[cell] += new
        else:
            flat[cell] = _blended(flat[cell], new, blend)
        y = np.uint32(cell) // width
        x = np.uint32(cell) - y * width
        dirty[np.uint64(y // _HIGH), np.uint64(x // _WIDE)] |= np.uint8(_FIRST << (y % _HIGH))


@kernel(
    "i8[:,::1], none, i8, i8, out u1[:,::1], out f4[:,::1]",
    "i8[:,::1], b1[:,::1], i8, i8, out u1[:,::1], out f4[:,::1]",
)
def publish(sums, walls, first, last, dirty, values):
    """Write the dirty rows of tiles of the tile rows [first, last) as float32, and mark them clean.

    Cells of `walls` (height, width) become 0; with None there are none.
    """
    height, width = sums.shape
    for band in range(first, last):
        for tile in range(dirty.shape[1]):
            rows = np.int64(dirty[band, tile])
            if rows == 0:
                continue
            dirty[band, tile] = 0
            left, right = tile * TILE_COLUMNS, min((tile + 1) * TILE_COLUMNS, width)
            top = band * TILE_ROWS
            for y in range(top, min(top + TILE_ROWS, height)):
                if rows >> (y - top) & 1 == 0:
                    continue
                row, shown = sums[y, left:right], values[y, left:right]
                for x in range(row.shape[0]):
                    shown[x] = np.float32(np.float64(row[x]) * (1.0 / SCALE))
                if walls is not None:
                    wall = walls[y, left:right]
                    for x in range(row.shape[0]):
                        shown[x] = _ZERO if wall[x] else shown[x]


@kernel("out i8[:,::1], out u1[:,::1], out f4[:,::1]")
def drain(sums, dirty, values):
    """Write all sums as float32 and reset them."""
    height, width = sums.shape
    flat = sums.reshape(-1)
    shown = values.reshape(-1)
    for y in range(height):
        for tile in range(dirty.shape[1]):
            place = np.uint64(y * width + tile * TILE_COLUMNS)
            length = min(TILE_COLUMNS, width - tile * TILE_COLUMNS)
            if dirty[y // TILE_ROWS, tile] == 0:
                for k in range(length):
                    shown[place + np.uint64(k)] = _ZERO
                continue
            for k in range(length):
                shown[place + np.uint64(k)] = np.float32(
                    np.float64(flat[place + np.uint64(k)]) / SCALE
                )
                flat[place + np.uint64(k)] = 0
    dirty[:] = 0
