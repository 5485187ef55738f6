"""World positions and cells of a grid of squares."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import GRID_FRAME, WRAP_X, WRAP_Y, GridFrame

__all__ = ["GridFrame", "cell_of", "cells", "centers", "columns_and_rows"]


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
def cell_of(x, y, frame, clamp):
    """Return the cell of a position; -1 if it is not finite, or off the map without `clamp`."""
    if not (np.isfinite(x) and np.isfinite(y)):
        return np.int64(-1)
    column = _index((x - frame.left) / frame.size, frame.width, frame.wrap & WRAP_X != 0, clamp)
    row = _index((y - frame.low) / frame.size, frame.height, frame.wrap & WRAP_Y != 0, clamp)
    if column < 0 or row < 0:
        return np.int64(-1)
    if frame.y_up:
        row = frame.height - 1 - row
    return np.int64(row * frame.width + column)


@kernel(
    f"f8[:,::1], none, {GRID_FRAME}, b1, out i8[::1]",
    f"f8[:,::1], b1[::1], {GRID_FRAME}, b1, out i8[::1]",
    error_model="numpy",
)
def cells(points, walls, frame, clamp, found):
    """Write the cells of positions (N, 2); return the index of the first that is refused, or -1.

    Positions are refused that are not finite, off the map without `clamp`, or in one of `walls`.
    """
    for i in range(points.shape[0]):
        cell = cell_of(points[i, 0], points[i, 1], frame, clamp)
        if cell < 0:
            return i
        if walls is not None and walls[cell]:
            return i
        found[i] = cell
    return -1


@kernel(
    f"f8[:,::1], {GRID_FRAME}, out f8[:,::1]",
    error_model="numpy",
)
def columns_and_rows(points, frame, found):
    """Write positions in cells from the origin, those off the map moved to its rim; return the
    index of the first that is too far away to be counted in cells, or -1.
    """
    for i in range(points.shape[0]):
        column = (points[i, 0] - frame.left) / frame.size
        row = (points[i, 1] - frame.low) / frame.size
        if not (np.isfinite(column) and np.isfinite(row)):
            return i
        if frame.wrap & WRAP_X != 0:
            found[i, 0] = column % frame.width
        else:
            found[i, 0] = min(max(column, 0.0), np.float64(frame.width))
        if frame.wrap & WRAP_Y != 0:
            found[i, 1] = row % frame.height
        else:
            found[i, 1] = min(max(row, 0.0), np.float64(frame.height))
    return -1


@kernel(f"i8[::1], {GRID_FRAME}, out f8[:,::1]")
def centers(cells, frame, points):
    """Write the centers of cells, (N, 2); NaN for -1."""
    for i in range(cells.shape[0]):
        row, column = divmod(cells[i], frame.width)
        if frame.y_up:
            row = frame.height - 1 - row
        if cells[i] < 0:
            points[i, 0] = np.nan
            points[i, 1] = np.nan
        else:
            points[i, 0] = frame.left + (column + 0.5) * frame.size
            points[i, 1] = frame.low + (row + 0.5) * frame.size
