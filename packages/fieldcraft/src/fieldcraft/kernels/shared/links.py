"""The links of a grid around cells that have changed, see `space.grid.neighborhood`."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["patch"]


@kernel(forceinline=True)
def _cell(x, y, width, height, wrap):
    """Return the cell at a column and a row; -1 off the map."""
    if wrap & WRAP_X != 0:
        x %= width
    if wrap & WRAP_Y != 0:
        y %= height
    if 0 <= x < width and 0 <= y < height:
        return y * width + x
    return np.int64(-1)


@kernel(forceinline=True)
def _may_enter(start, end, free, terrain):
    """Return whether the terrain allows a step between two cells."""
    allowed = True
    if terrain is not None:
        classes, enter = terrain
        allowed = free[start] or enter[classes[start], classes[end]]
    return allowed


@kernel(
    "i8[::1], i8[:,::1], i8[:,::1], b1[::1], b1[::1], none, i8, i8, i8, i8, out u1[::1]",
    "i8[::1], i8[:,::1], i8[:,::1], b1[::1], b1[::1], none, i8, i8, i8, i8, out u8[::1]",
    "i8[::1], i8[:,::1], i8[:,::1], b1[::1], b1[::1], (u1[::1], b1[:,::1]), i8, i8, i8,"
    " i8, out u1[::1]",
    "i8[::1], i8[:,::1], i8[:,::1], b1[::1], b1[::1], (u1[::1], b1[:,::1]), i8, i8, i8,"
    " i8, out u8[::1]",
)
def patch(changed, around, steps, walls, free, terrain, needed, width, height, wrap, links):
    """Write the links of all cells that steps from, to or past changed cells enter.

    `steps` (K, 2) are columns and rows; `around` are the offsets from a changed cell to the cells
    with links that it affects. A diagonal needs so many of the two cells beside it open. Steps out
    of `free` cells are allowed whatever the `terrain` (classes, table), which is None without one.
    """
    for i in range(changed.shape[0]):
        column = changed[i] % width
        row = changed[i] // width
        for j in range(around.shape[0]):
            x = column + around[j, 0]
            y = row + around[j, 1]
            end = _cell(x, y, width, height, wrap)
            if end < 0:
                continue
            found = np.uint64(0)
            for k in range(steps.shape[0]):
                dx = steps[k, 0]
                dy = steps[k, 1]
                start = _cell(x - dx, y - dy, width, height, wrap)
                if walls[end] or start < 0 or not _may_enter(start, end, free, terrain):
                    continue
                passable = np.int64(0)
                if needed > 0 and abs(dx) == 1 and abs(dy) == 1:
                    for side in range(2):
                        if side == 0:
                            beside = _cell(x, y - dy, width, height, wrap)
                        else:
                            beside = _cell(x - dx, y, width, height, wrap)
                        if (
                            beside >= 0
                            and not walls[beside]
                            and _may_enter(start, beside, free, terrain)
                            and _may_enter(beside, end, free, terrain)
                        ):
                            passable += 1
                else:
                    passable = needed
                if passable >= needed:
                    found |= np.uint64(1) << np.uint64(k)
            links[end] = found
