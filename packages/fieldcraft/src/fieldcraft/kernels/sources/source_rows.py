"""The rows that store sources."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["REPEATED", "place", "rows_of", "set_strengths"]

REPEATED = -2
"""An id comes twice."""
_ROW = 0xFFFFFFFF  # of an id; the rest is its generation, see `layers.sources.source_ids`


@kernel("i8[::1], b1[::1], i8[::1], out i8[::1], out b1[::1]")
def rows_of(ids, alive, generations, rows, marks):
    """Write the rows of live sources.

    Return the index of the first id that is none of a live source, `REPEATED` if an id comes twice,
    else -1. `marks` are False for all rows, before and after.
    """
    for i in range(ids.shape[0]):
        row = ids[i] & _ROW
        if row >= alive.shape[0] or not alive[row] or generations[row] != ids[i] >> 32:
            return i
        rows[i] = row
    found = -1
    for i in range(rows.shape[0]):
        if marks[rows[i]]:
            found = REPEATED
        marks[rows[i]] = True
    for i in range(rows.shape[0]):
        marks[rows[i]] = False
    return found


@kernel(
    "i8[::1], f8[:,::1], i8[::1], out f8[:,::1], out i8[::1], out b1[::1]",
)
def place(rows, points, cells, row_points, row_cells, changed):
    """Put sources at positions and into cells."""
    for i in range(rows.shape[0]):
        row = rows[i]
        for axis in range(points.shape[1]):
            row_points[row, axis] = points[i, axis]
        row_cells[row] = cells[i]
        changed[row] = True


@kernel(
    "i8[::1], f4[::1], f8, out f4[::1]",
    "i8[::1], f8[::1], f8, out f4[::1]",
)
def set_strengths(rows, strengths, most, row_strengths):
    """Set the strengths of sources, unless one of them is no number or above `most` in size; return
    whether they were set.
    """
    for i in range(rows.shape[0]):
        if not abs(np.float64(strengths[i])) <= most:
            return False
    for i in range(rows.shape[0]):
        row_strengths[rows[i]] = np.float32(strengths[i])
    return True
