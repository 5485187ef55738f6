"""Windows of planes around agents, and whole maps in blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import Grid

__all__ = ["RASTER", "blocks", "marked", "place_on_raster", "spots", "windows"]

RASTER = 8
"""The places that commanders and keepers choose from lie on a raster of so many columns and rows.
"""

Planes = NDArray[np.float32]


def windows(
    space: Grid, planes: Planes, cells: ArrayLike, radius: int, outside: ArrayLike
) -> Planes:
    """Square windows (N, planes, 2 * radius + 1, 2 * radius + 1) of planes (planes, height, width)
    around cells (N,).

    Beyond the rim each plane reads its value of `outside` (planes,); on a torus it goes on at the
    other side.
    """
    reach = ((0, 0), (radius, radius), (radius, radius))
    if space.wrap:
        padded = np.pad(planes, reach, mode="wrap")
    else:
        padded = np.empty(
            (len(planes), space.height + 2 * radius, space.width + 2 * radius), dtype=np.float32
        )
        padded[:] = np.asarray(outside, dtype=np.float32)[:, None, None]
        padded[:, radius : radius + space.height, radius : radius + space.width] = planes
    side = 2 * radius + 1
    rows, columns = np.divmod(np.asarray(cells, dtype=np.int64), space.width)
    return (
        np.lib.stride_tricks.sliding_window_view(padded, (side, side), axis=(1, 2))[
            :, rows, columns
        ]
        .swapaxes(0, 1)
        .copy()
    )


def spots(
    space: Grid, here: int, cells: ArrayLike, radius: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows and columns of cells in the window around a cell; what lies outside stands on its
    rim, in its direction.
    """
    rows, columns = np.divmod(np.asarray(cells, dtype=np.int64), space.width)
    row, column = divmod(here, space.width)
    down, right = rows - row, columns - column
    if space.wrap:
        down = (down + space.height // 2) % space.height - space.height // 2
        right = (right + space.width // 2) % space.width - space.width // 2
    return np.clip(down, -radius, radius) + radius, np.clip(right, -radius, radius) + radius


def marked(space: Grid, cells: ArrayLike, amounts: ArrayLike = 1.0) -> Planes:
    """A plane (height, width) with an amount in each of these cells, the largest where several
    meet, 0 elsewhere.
    """
    plane = np.zeros(len(space), dtype=np.float32)
    np.maximum.at(plane, np.asarray(cells, dtype=np.int64), np.asarray(amounts, dtype=np.float32))
    return plane.reshape(space.shape)


def blocks(planes: Planes, size: int) -> Planes:
    """The means of square blocks of planes (planes, height, width): (planes, ceil(height / size),
    ceil(width / size)).
    """
    height, width = planes.shape[1:]
    rows, columns = np.arange(0, height, size), np.arange(0, width, size)
    sums = np.add.reduceat(
        np.add.reduceat(planes.astype(np.float64), rows, axis=1), columns, axis=2
    )
    areas = np.minimum(height - rows, size)[:, None] * np.minimum(width - columns, size)
    return np.asarray(sums / areas, dtype=np.float32)


def place_on_raster(space: Grid, column: int, row: int) -> NDArray[np.float64]:
    """The middle of a field of the raster over a map, world units, (2,)."""
    return np.asarray(
        np.array(space.origin) + (np.array([column, row]) + 0.5) / RASTER * np.array(space.size)
    )
