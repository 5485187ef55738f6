"""An order of points in which near points have near numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["along_curve"]

_BITS = {2: 20, 3: 16}


def along_curve(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """The numbers of the points, shape (N, 2) or (N, 3), in the order in which a Hilbert curve
    passes them; ties by number.

    Source: John Skilling, "Programming the Hilbert curve" (2004), for all points at once.
    """
    count, axes = points.shape
    if count < 2:
        return np.arange(count, dtype=np.int64)
    low = points.min(axis=0)
    extent = float((points - low).max())
    bits = _BITS[axes]
    scale = (2**bits - 1) / extent if extent > 0 else 0.0
    places = [((points[:, axis] - low[axis]) * scale).astype(np.int64) for axis in range(axes)]
    bit = 1 << (bits - 1)
    while bit > 1:
        below = bit - 1
        for axis in range(axes):
            inverted = places[axis] & bit != 0
            swapped = np.where(inverted, 0, (places[0] ^ places[axis]) & below)
            places[0] = np.where(inverted, places[0] ^ below, places[0] ^ swapped)
            places[axis] = places[axis] ^ swapped
        bit >>= 1
    for axis in range(1, axes):
        places[axis] = places[axis] ^ places[axis - 1]
    flipped = np.zeros(count, dtype=np.int64)
    bit = 1 << (bits - 1)
    while bit > 1:
        flipped ^= np.where(places[-1] & bit != 0, bit - 1, 0)
        bit >>= 1
    codes = np.zeros(count, dtype=np.int64)
    for position in range(bits - 1, -1, -1):
        for axis in range(axes):
            codes = (codes << 1) | (((places[axis] ^ flipped) >> position) & 1)
    return np.argsort(codes, kind="stable")
