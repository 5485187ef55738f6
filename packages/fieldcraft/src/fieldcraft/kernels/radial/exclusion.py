"""Sums of sources without one of them, in the cells near an agent."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.radial.radial_arrays import EMISSIONS, Emissions
from fieldcraft.kernels.trail.stamp_sums import _rounded, shape_of, stamp
from fieldcraft.kernels.trail.stamp_units import ADD, SCALE

__all__ = ["Emissions", "drawn", "listed"]

_ZERO = np.float32(0)
# With the type of the argument: a function is compiled again for a literal number.
_ONE = np.int64(1)


@kernel
def _wall_up(walls, cells, columns, row, out):
    """Write 0 in walls; `columns` are those of `_write`."""
    wall = walls.reshape(-1)
    values = out.reshape(-1)
    count = cells.shape[1]
    begin = np.uint64(row * count)
    if columns > 1:
        first = cells[row, 0]
        for y in range(count // columns):
            here = np.uint64(first + y * walls.shape[1])
            own = begin + np.uint64(y * columns)
            for x in range(columns):
                at = np.uint64(x)
                values[own + at] = _ZERO if wall[here + at] else values[own + at]
    else:
        for k in range(count):
            if wall[np.uint64(cells[row, k])]:
                values[begin + np.uint64(k)] = _ZERO


@kernel
def _write(sums, taken, walls, cells, columns, row, out):
    """Write the sums of a row of cells, less what was taken off, as float32; 0 in walls.

    With more than one of `columns` the cells are a rectangle that no edge of the map cuts.
    """
    flat, less = sums.reshape(-1), taken.reshape(-1)
    values = out.reshape(-1)
    count = cells.shape[1]
    begin = np.uint64(row * count)
    if columns > 1:
        first = cells[row, 0]
        for y in range(count // columns):
            here = np.uint64(first + y * sums.shape[1])
            own = begin + np.uint64(y * columns)
            for x in range(columns):
                at = np.uint64(x)
                values[own + at] = np.float32(
                    np.float64(flat[here + at] - less[here + at]) * (1.0 / SCALE)
                )
    else:
        for k in range(count):
            cell = np.uint64(cells[row, k])
            values[begin + np.uint64(k)] = np.float32(
                np.float64(flat[cell] - less[cell]) * (1.0 / SCALE)
            )
    if walls is not None:
        _wall_up(walls, cells, columns, row, out)


@kernel
def _write_rectangle(sums, walls, cells, columns, row, place, amount, tables, shape, window, out):
    """Write the sums of a row of cells, less a footprint, as float32; 0 in walls.

    The cells are a rectangle with so many columns that no edge of the map cuts. `window` is scratch
    for a number for each of them.
    """
    source_row, source_column = place
    start, table_height, table_width, first_row, first_column = shape
    width = sums.shape[1]
    flat = sums.reshape(-1)
    values = out.reshape(-1)
    count = cells.shape[1]
    top, left = divmod(cells[row, 0], width)
    rows = count // columns
    for y in range(rows):
        here = np.uint64((top + y) * width + left)
        own = np.uint64(y * columns)
        for x in range(columns):
            window[own + np.uint64(x)] = flat[here + np.uint64(x)]
    # Rows and columns of the rectangle that the footprint covers.
    y0 = source_row + first_row - top
    x0 = source_column + first_column - left
    low_x = max(x0, 0)
    end_x = min(x0 + table_width, columns)
    for y in range(max(y0, 0), min(y0 + table_height, rows)):
        own = np.uint64(y * columns + low_x)
        weight = np.uint64(start + (y - y0 + 1) * (table_width + 2) + 1 + low_x - x0)
        for x in range(end_x - low_x):
            at = np.uint64(x)
            window[own + at] -= _rounded(amount * tables[weight + at])
    begin = np.uint64(row * count)
    for k in range(count):
        at = np.uint64(k)
        values[begin + at] = np.float32(np.float64(window[at]) * (1.0 / SCALE))
    if walls is not None:
        _wall_up(walls, cells, columns, row, out)


@kernel(
    f"i8[:,::1], none, i8[:,::1], {EMISSIONS}, (f8[::1], i8[:,::1]), i8, i8, out f4[:,::1],"
    " out i8[:,::1], out u1[:,::1], out i8[::1]",
    f"i8[:,::1], b1[:,::1], i8[:,::1], {EMISSIONS}, (f8[::1], i8[:,::1]), i8, i8, out f4[:,::1],"
    " out i8[:,::1], out u1[:,::1], out i8[::1]",
)
def drawn(sums, walls, cells, sources, footprints, columns, wrap, out, scratch, dirty, window):
    """Write the sums of `cells` (N, k) without the source i in row i, as float32, into `out`.

    `sources` are `Emissions` with footprints that are drawn from tables, and `footprints` are
    (tables, shapes); see `stamp_sums.blit`. Cells of `walls` (height, width) become 0; with None
    there are none. With more than one of `columns`, each row of `cells` is a rectangle, row by row.
    `scratch` is like `sums`, all 0 before and after, `dirty` are its tiles, and `window` (k,) is
    scratch with any numbers.
    """
    places, strengths, numbers = sources
    tables, shapes = footprints
    height, width = sums.shape
    for i in range(cells.shape[0]):
        row, column = divmod(places[i], width)
        shape = shape_of(shapes, numbers[i])
        amount = strengths[i] * SCALE
        if columns > 1 and wrap == 0:
            corner = (row, column)
            _write_rectangle(
                sums, walls, cells, columns, i, corner, amount, tables, shape, window, out
            )
            continue
        place = (row, column, 0.0, 0.0)
        stamp(place, amount, tables, shape, ADD, wrap, 0, height, scratch, dirty)
        _write(sums, scratch, walls, cells, _ONE, i, out)
        stamp(place, -amount, tables, shape, ADD, wrap, 0, height, scratch, dirty)


@kernel(
    "i8[:,::1], none, i8[:,::1], f8[::1], (i8[::1], i8[::1], f8[::1]), i8, out f4[:,::1], out"
    " i8[:,::1]",
    "i8[:,::1], b1[:,::1], i8[:,::1], f8[::1], (i8[::1], i8[::1], f8[::1]), i8, out f4[:,::1], out"
    " i8[:,::1]",
)
def listed(sums, walls, cells, strengths, footprints, columns, out, scratch):
    """Write the sums of `cells` (N, k) without the source i in row i, as float32, into `out`.

    `footprints` are (starts, cells, weights): source i adds its strength times
    `weights[starts[i]:starts[i + 1]]` to these cells. `walls` and `scratch` are those of `drawn`.
    With more than one of `columns`, each row of `cells` is a rectangle that no edge cuts.
    """
    (starts, covered, weights), taken = footprints, scratch.reshape(-1)
    for i in range(cells.shape[0]):
        for j in range(starts[i], starts[i + 1]):
            taken[covered[j]] += np.int64(np.rint(weights[j] * strengths[i] * SCALE))
        _write(sums, scratch, walls, cells, columns, i, out)
        for j in range(starts[i], starts[i + 1]):
            taken[covered[j]] = 0
