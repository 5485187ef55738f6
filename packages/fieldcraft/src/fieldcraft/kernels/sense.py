"""The values that agents read ahead of them."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["sense"]


@kernel
def _read(layer, walls, x, y, axes, blocked):
    """The value at a position, `blocked` in walls and off the map."""
    (height, width), (y_up, wrap) = walls.shape, axes
    column, row = np.int64(np.floor(x)), np.int64(np.floor(y))
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
        return blocked
    r, c = np.uint64(height - 1 - row if y_up else row), np.uint64(column)
    return blocked if walls[r, c] else np.float64(layer[r, c])


@kernel(
    "f4[:,::1], b1[:,::1], f8[:,::1], f8[:,::1], (b1, b1), f8, (f8, f8), f8, i8, i8, out f4[:,::1]"
)
def sense(layer, walls, positions, headings, axes, distance, turn, blocked, first, last, found):
    """The values that the agents [first, last) read a distance ahead: to the left (from x towards
    y), on the heading, to the right.

    `axes` says (whether the world's y points up, whether the grid is a torus); `turn` is the cosine
    and the sine of the angle to both sides.
    """
    cosine, sine = turn
    for i in range(first, last):
        hx, hy = headings[i, 0], headings[i, 1]
        for side in range(3):
            along, across = (1.0, 0.0) if side == 1 else (cosine, sine if side == 0 else -sine)
            x = positions[i, 0] + (hx * along - hy * across) * distance
            y = positions[i, 1] + (hy * along + hx * across) * distance
            found[i, side] = _read(layer, walls, x, y, axes, blocked)
