"""The values that agents read ahead of them."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["sense"]


@kernel
def _cell_at(x, y, height, width, y_up, wrap):
    """Return the cell at a position, or -1 off the map."""
    column = np.int64(np.floor(x))
    row = np.int64(np.floor(y))
    if wrap:
        while column < 0:
            column += width
        while column >= width:
            column -= width
        while row < 0:
            row += height
        while row >= height:
            row -= height
    elif column < 0 or column >= width or row < 0 or row >= height:
        return np.int64(-1)
    return (height - 1 - row if y_up else row) * width + column


@kernel
def _read(layer, walls, x, y, height, width, y_up, wrap, blocked):
    cell = _cell_at(x, y, height, width, y_up, wrap)
    if cell < 0 or walls[np.uint64(cell)]:
        return blocked
    return np.float64(layer[np.uint64(cell)])


@kernel("f4[:,::1], b1[:,::1], b1, b1, f8[:,::1], f8[:,::1], f8, f8, f8, f8, i8, i8, out f4[:,::1]")
def sense(
    layer,
    walls,
    y_up,
    wrap,
    positions,
    headings,
    distance,
    cosine,
    sine,
    blocked,
    first,
    last,
    found,
):
    """The values that the agents [first, last) read a distance ahead: to the left (from x towards
    y), on the heading, to the right.
    """
    height, width = walls.shape
    values = layer.reshape(-1)
    closed = walls.reshape(-1)
    for i in range(first, last):
        x = positions[i, 0]
        y = positions[i, 1]
        hx = headings[i, 0]
        hy = headings[i, 1]
        found[i, 0] = _read(
            values,
            closed,
            x + (hx * cosine - hy * sine) * distance,
            y + (hy * cosine + hx * sine) * distance,
            height,
            width,
            y_up,
            wrap,
            blocked,
        )
        found[i, 1] = _read(
            values, closed, x + hx * distance, y + hy * distance, height, width, y_up, wrap, blocked
        )
        found[i, 2] = _read(
            values,
            closed,
            x + (hx * cosine + hy * sine) * distance,
            y + (hy * cosine - hx * sine) * distance,
            height,
            width,
            y_up,
            wrap,
            blocked,
        )
