"""The values that agents read ahead of them, fast: the same bits as
`fieldcraft.kernels.reference.sense`.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.walk import cell_at

__all__ = ["sense"]


@kernel
def _read(layer, walls, x, y, height, width, y_up, wrap, blocked):
    cell = cell_at(x, y, height, width, y_up, wrap)
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
