"""The values that agents read ahead of them, spelled out: the specification of
`fieldcraft.kernels.sense`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.walk import read

__all__ = ["sense"]


def sense(
    layer: NDArray[np.float32],
    walls: NDArray[np.bool_],
    y_up: bool,
    wrap: bool,
    positions: NDArray[np.float64],
    headings: NDArray[np.float64],
    distance: float,
    cosine: float,
    sine: float,
    blocked: float,
    first: int,
    last: int,
    found: NDArray[np.float32],
) -> None:
    """The values that the agents [first, last) read a distance ahead: to the left (from x towards
    y), on the heading, to the right.
    """
    for i in range(first, last):
        (x, y), (hx, hy) = positions[i].tolist(), headings[i].tolist()
        for k, (dx, dy) in enumerate(
            (
                (hx * cosine - hy * sine, hy * cosine + hx * sine),
                (hx, hy),
                (hx * cosine + hy * sine, hy * cosine - hx * sine),
            )
        ):
            found[i, k] = read(
                layer, walls, x + dx * distance, y + dy * distance, y_up, wrap, blocked
            )
