"""Moving many sources of a grid in one pass, where nothing has to be refused.

What is refused, and why, is said by `fieldcraft.sources.placing.place` and `Sources`, which are the
specification too.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["move"]

_SEEN = np.uint8(2)


@kernel
def _forget(ids, count, changed):
    for i in range(count):
        changed[ids[i] & 0xFFFFFFFF] &= np.uint8(1)


@kernel(
    "b1[:,::1], i8[::1], f8[:,::1], b1[::1], i8[::1], (f8, f8, f8, b1), b1, out u1[::1], out"
    " i8[::1], out f8[:,::1]"
)
def move(walls, ids, points, alive, generation, frame, through, changed, cells, positions):
    """Put the sources with these ids at world `points` (N, 2), off a torus; `through` lets them
    stand on walls.

    Returns False, and has changed nothing, if an id is unknown or comes twice, or a point is not
    finite, off the map or on a wall. `changed` is uint8, 0 or 1 before and after.
    `frame` is (origin x, origin y, cell size, y_up).
    """
    left, low, size, y_up = frame
    height, width = walls.shape
    rows = alive.shape[0]
    for i in range(ids.shape[0]):
        slot = ids[i] & 0xFFFFFFFF
        column, row = np.floor((points[i, 0] - left) / size), np.floor((points[i, 1] - low) / size)
        good = (
            ids[i] >= 0
            and slot < rows
            and alive[slot]
            and generation[slot] == ids[i] >> 32
            and changed[slot] & _SEEN == 0
        )
        if not good or not (0 <= column < width and 0 <= row < height):
            _forget(ids, i, changed)
            return False
        y = height - 1 - np.int64(row) if y_up else np.int64(row)
        if not through and walls[y, np.int64(column)]:
            _forget(ids, i, changed)
            return False
        changed[slot] |= _SEEN
    for i in range(ids.shape[0]):
        slot = ids[i] & 0xFFFFFFFF
        row = np.int64(np.floor((points[i, 1] - low) / size))
        cells[slot] = (height - 1 - row if y_up else row) * width + np.int64(
            np.floor((points[i, 0] - left) / size)
        )
        positions[slot, 0], positions[slot, 1] = points[i, 0], points[i, 1]
        changed[slot] = 1
    return True
