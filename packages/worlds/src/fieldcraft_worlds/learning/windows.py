"""Square windows of planes around agents."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import Grid

__all__ = ["marked", "places_in", "windows"]

Planes = NDArray[np.float32]


def windows(
    space: Grid, planes: Planes, cells: ArrayLike, radius: int, outside: ArrayLike
) -> Planes:
    """Return square windows (N, planes, 2 * radius + 1, 2 * radius + 1) of planes (planes, height,
    width) around cells (N,).

    Outside the map each plane has its value of `outside` (planes,); a torus continues on the other
    side.
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


def places_in(
    space: Grid, here: int, cells: ArrayLike, radius: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of cells in the window around a cell; cells outside are moved to its
    edge.
    """
    rows, columns = np.divmod(np.asarray(cells, dtype=np.int64), space.width)
    row, column = divmod(here, space.width)
    down, right = rows - row, columns - column
    if space.wrap:
        down = (down + space.height // 2) % space.height - space.height // 2
        right = (right + space.width // 2) % space.width - space.width // 2
    return np.clip(down, -radius, radius) + radius, np.clip(right, -radius, radius) + radius


def marked(space: Grid, cells: ArrayLike, amounts: ArrayLike = 1.0) -> Planes:
    """Return a plane (height, width) with an amount in each of some cells, the largest where
    several meet.
    """
    plane = np.zeros(len(space), dtype=np.float32)
    np.maximum.at(plane, np.asarray(cells, dtype=np.int64), np.asarray(amounts, dtype=np.float32))
    return plane.reshape(space.shape)
