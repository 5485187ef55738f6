"""Trails on hexagons, spelled out: the specification of `fieldcraft.kernels.hex_trail`.

Sums are float64; a cell's neighbors are added up in the order of cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.stamps import SCALE

__all__ = ["AROUND", "SHARE", "mixed", "updated"]

SHARE = 1 / 7
"""What a cell keeps of its own and gives to each of its six neighbors."""

AROUND = {
    (-1, -1): 1,
    (0, -1): 2,
    (1, -1): 4,
    (-1, 0): 8,
    (1, 0): 16,
    (-1, 1): 32,
    (0, 1): 64,
    (1, 1): 128,
}
"""The bit of each neighbor (columns, rows) away."""

Floats = NDArray[np.float64]


def mixed(
    values: Floats, starts: NDArray[np.int64], beside: NDArray[np.int32], missing: NDArray[np.uint8]
) -> Floats:
    """The mean of each cell and those that it exchanges with; `missing` is how many shares of its
    own it keeps besides.
    """
    total = np.zeros(len(values))
    counts = np.diff(starts)
    for k in range(int(counts.max(initial=0))):
        cells = np.flatnonzero(counts > k)
        total[cells] += values[beside[starts[cells] + k]]
    return np.asarray(SHARE * (values + total + missing * values))


def updated(
    mean: Floats,
    walls: NDArray[np.bool_],
    gain: float,
    floor: np.float32,
    inflow: NDArray[np.int64],
) -> NDArray[np.float32]:
    """The rest of the mean after an update, and all that has come."""
    new = (gain * mean + inflow / SCALE).astype(np.float32)
    return np.where(walls | (np.abs(new) < floor), np.float32(0), new)
