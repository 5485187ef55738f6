"""World positions and cells of a grid of squares.

A layout is (left, low, cell size, width, height, whether y points up, whether the grid is a torus).
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["cell_of", "cells", "centers", "columns_and_rows"]


@kernel
def _index(at, count, wrap, clamp):
    """Return the row or column of a coordinate in cells from the origin; -1 off the map."""
    index = np.floor(at)
    if wrap:
        if not np.isfinite(index):
            return np.int64(-1)
        return np.int64(index % count)
    if clamp:
        return np.int64(min(max(index, 0.0), count - 1.0))
    if index < 0 or index >= count:
        return np.int64(-1)
    return np.int64(index)


@kernel
def cell_of(x, y, layout, clamp):
    """Return the cell of a position; -1 if it is not finite, or off the map without `clamp`."""
    left, low, size, width, height, y_up, wrap = layout
    if not (np.isfinite(x) and np.isfinite(y)):
        return np.int64(-1)
    column = _index((x - left) / size, width, wrap, clamp)
    row = _index((y - low) / size, height, wrap, clamp)
    if column < 0 or row < 0:
        return np.int64(-1)
    if y_up:
        row = height - 1 - row
    return np.int64(row * width + column)


@kernel(
    "f8[:,::1], none, (f8, f8, f8, i8, i8, b1, b1), b1, out i8[::1]",
    "f8[:,::1], b1[::1], (f8, f8, f8, i8, i8, b1, b1), b1, out i8[::1]",
    error_model="numpy",
)
def cells(points, walls, layout, clamp, found):
    """Write the cells of positions (N, 2); return the index of the first that is refused, or -1.

    Positions are refused that are not finite, off the map without `clamp`, or in one of `walls`.
    """
    for i in range(points.shape[0]):
        cell = cell_of(points[i, 0], points[i, 1], layout, clamp)
        if cell < 0:
            return i
        if walls is not None and walls[cell]:
            return i
        found[i] = cell
    return -1


@kernel(
    "f8[:,::1], (f8, f8, f8, i8, i8, b1, b1), out f8[:,::1]",
    error_model="numpy",
)
def columns_and_rows(points, layout, found):
    """Write positions in cells from the origin, those off the map moved to its rim; return the
    index of the first that is too far away to be counted in cells, or -1.
    """
    left, low, size, width, height, _, wrap = layout
    for i in range(points.shape[0]):
        column = (points[i, 0] - left) / size
        row = (points[i, 1] - low) / size
        if not (np.isfinite(column) and np.isfinite(row)):
            return i
        if wrap:
            found[i, 0] = column % width
            found[i, 1] = row % height
        else:
            found[i, 0] = min(max(column, 0.0), np.float64(width))
            found[i, 1] = min(max(row, 0.0), np.float64(height))
    return -1


@kernel("i8[::1], (f8, f8, f8, i8, i8, b1, b1), out f8[:,::1]")
def centers(cells, layout, points):
    """Write the centers of cells, (N, 2); NaN for -1."""
    left, low, size, width, height, y_up, _ = layout
    for i in range(cells.shape[0]):
        row, column = divmod(cells[i], width)
        if y_up:
            row = height - 1 - row
        if cells[i] < 0:
            points[i, 0] = np.nan
            points[i, 1] = np.nan
        else:
            points[i, 0] = left + (column + 0.5) * size
            points[i, 1] = low + (row + 0.5) * size
