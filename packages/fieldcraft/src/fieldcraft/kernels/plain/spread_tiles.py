"""Spread where something can change, called as the compiled kernels are: each step of the whole map
says which tiles are awake.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.plain.spread import near
from fieldcraft.kernels.reference import spread as reference

__all__ = ["TILE_COLUMNS", "TILE_ROWS", "tiles_any", "tiles_near", "wake"]

TILE_ROWS = 16
TILE_COLUMNS = 32

Floats = NDArray[np.float32]
Ground = NDArray[np.uint8]
Whole = NDArray[np.int64]


def wake(
    cells: Whole, width: int, height: int, reach: int, wrap: bool, awake: Ground, band_awake: Ground
) -> None:
    """Wake every tile that a change of `cells` can reach."""
    rows, columns = np.divmod(cells, width)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            y, x = rows + dy, columns + dx
            inside = (
                np.ones(len(cells), dtype=np.bool_)
                if wrap
                else (y >= 0) & (y < height) & (x >= 0) & (x < width)
            )
            awake[y[inside] % height // TILE_ROWS, x[inside] % width // TILE_COLUMNS] = 1
    band_awake[:] = awake.any(axis=1)


def tiles_near(
    values: Floats,
    ground: Ground,
    straight: np.float32,
    diagonal: np.float32 | None,
    power: int | None,
    momentum: np.float32,
    floor: np.float32,
    wrap: bool,
    count: int,
    most: int,
    awake: Ground,
    band_awake: Ground,
    *_scratch: Any,
) -> tuple[int, int]:
    """Up to `count` steps, in place; stops early above `most` awake tiles. Returns (steps made,
    tiles awake now).
    """
    return _steps(
        values,
        lambda: near(values, ground, straight, diagonal, power, momentum, floor, wrap),
        1,
        wrap,
        count,
        most,
        awake,
        band_awake,
    )


def tiles_any(
    values: Floats,
    frozen: Ground,
    links: NDArray[np.unsignedinteger],
    _masks: NDArray[np.unsignedinteger],
    through: Floats,
    steps: Whole,
    losses: Floats,
    exponent: int,
    _signed: bool,
    reach: int,
    momentum: np.float32,
    keep: np.float32,
    floor: np.float32,
    wrap: bool,
    count: int,
    most: int,
    awake: Ground,
    band_awake: Ground,
    *_scratch: Any,
) -> tuple[int, int]:
    """`tiles_near` for any neighbourhood, falloff and sign."""
    let = through if through.shape[1] else None
    return _steps(
        values,
        lambda: reference.step(
            values, frozen, links, steps, losses, exponent, momentum, keep, floor, wrap, let
        ),
        reach,
        wrap,
        count,
        most,
        awake,
        band_awake,
    )


def _steps(
    values: Floats,
    step: Callable[[], Floats],
    reach: int,
    wrap: bool,
    count: int,
    most: int,
    awake: Ground,
    band_awake: Ground,
) -> tuple[int, int]:
    height, width = values.shape
    made, total = 0, 1
    while made < count and total > 0 and (made == 0 or total <= most):
        new = step()
        changed = np.flatnonzero(new != values)
        values[:] = new
        awake[:] = 0
        wake(changed, width, height, reach, wrap, awake, band_awake)
        made, total = made + 1, int(np.count_nonzero(awake))
    return made, total
