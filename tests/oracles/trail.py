"""Trails: the specification of `fieldcraft.kernels.trail.trail_steps`.

All sums are of the weights' type and in the order written here: along each row of the blur first,
then over its rows. The factor and the inflow are float64: a float32 factor such as 1/9 would be
wrong by the same part at every update.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.trail.stamp_units import SCALE

__all__ = ["exchanges", "updated"]


def exchanges(walls: NDArray[np.bool_], reach: int, wrap: int) -> NDArray[np.bool_]:
    """Which cells exchange: (2 reach + 1, 2 reach + 1, height, width), [row offset, column offset,
    row, column].

    Two cells do if every cell of the rectangle between them is open, so that nothing passes through
    walls or past their corners, and what one may give the other may give back.
    """
    height, width = walls.shape
    side = 2 * reach + 1
    found = np.zeros((side, side, height, width), dtype=np.bool_)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            is_open = np.ones((height, width), dtype=np.bool_)
            for j in range(min(dy, 0), max(dy, 0) + 1):
                for i in range(min(dx, 0), max(dx, 0) + 1):
                    is_open &= ~_beside(walls, j, i, wrap)
            found[dy + reach, dx + reach] = is_open
    return found


def _beside(walls: NDArray[np.bool_], dy: int, dx: int, wrap: int) -> NDArray[np.bool_]:
    """For each cell, whether the cell (dy, dx) from it is a wall, or off the map."""
    if wrap == WRAP_X + WRAP_Y:
        return np.roll(walls, (-dy, -dx), axis=(0, 1))
    if wrap & WRAP_X:
        return _beside(np.roll(walls, -dx, axis=1), dy, 0, 0)
    if wrap & WRAP_Y:
        return _beside(np.roll(walls, -dy, axis=0), 0, dx, 0)
    height, width = walls.shape
    found = np.ones_like(walls)
    if abs(dy) < height and abs(dx) < width:
        found[max(-dy, 0) : height - max(dy, 0), max(-dx, 0) : width - max(dx, 0)] = walls[
            max(dy, 0) : height - max(-dy, 0), max(dx, 0) : width - max(-dx, 0)
        ]
    return found


def updated(
    values: NDArray[np.float32],
    inflow: NDArray[np.int64],
    walls: NDArray[np.bool_],
    weights: NDArray[np.floating[Any]],
    gain: float,
    conserves: bool,
    floor: np.float32,
    wrap: int,
) -> NDArray[np.float32]:
    """One update: `gain * blur + inflow`, the inflow in units of 1 / SCALE; sizes below `floor`,
    and walls, become 0.

    The blur of a cell is the sum of the cells around it that exchange with it, weighted by
    `weights` along rows and columns. If it `conserves`, the weight of those that don't goes to the
    cell itself.
    """
    reach = len(weights) // 2
    between = exchanges(walls, reach, wrap)
    blurred = np.zeros(values.shape, dtype=weights.dtype)
    missing = np.zeros(values.shape, dtype=weights.dtype)
    for j in range(2 * reach + 1):
        row = np.zeros(values.shape, dtype=weights.dtype)
        for i in range(2 * reach + 1):
            other = np.roll(values, (reach - j, reach - i), axis=(0, 1))
            row = row + weights[i] * np.where(between[j, i], other, np.float32(0))
            missing = missing + np.where(
                between[j, i], weights.dtype.type(0), weights[j] * weights[i]
            )
        blurred = blurred + weights[j] * row
    if conserves:
        blurred = np.where(missing > 0, blurred + missing * values, blurred)
    new = (gain * blurred.astype(np.float64) + inflow / SCALE).astype(np.float32)
    return np.where(walls | (np.abs(new) < floor), np.float32(0), new)
