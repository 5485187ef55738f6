"""Drawing of layers without limits of their own."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft_worlds.scene import Arrows

_ARROWS_ACROSS = 56


def round_limit(values: NDArray[np.float32]) -> float:
    """Return a power of two that 3 % of the values above 0 exceed, as the end of a steady scale; 1
    without any.
    """
    some = values[values > 0]
    if len(some):
        return 2.0 ** math.ceil(math.log2(float(np.quantile(some, 0.97))))
    return 1.0


def arrows_of(grid: Grid, vectors: NDArray[np.float32], *, least: float = 0.0) -> Arrows:
    """Return the directions of vectors (height, width, 2) at even distances, without those up to
    `least` long.
    """
    stride = max(1, -(-max(grid.shape) // _ARROWS_ACROSS))
    rows, columns = np.meshgrid(
        np.arange(stride // 2, grid.height, stride),
        np.arange(stride // 2, grid.width, stride),
        indexing="ij",
    )
    some = vectors[rows, columns].reshape(-1, 2)
    lengths = np.sqrt((some * some).sum(axis=1, keepdims=True))
    long = lengths > least
    shown = np.where(long, some / np.where(long, lengths, 1), 0)
    return Arrows(
        grid.position_of((rows * grid.width + columns).reshape(-1)),
        shown * (0.8 * stride * grid.cell_size),
    )
