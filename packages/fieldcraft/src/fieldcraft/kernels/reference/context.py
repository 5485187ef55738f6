"""Where to go by what lies around, spelled out: the specification of
`fieldcraft.kernels.context`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["choose", "read"]

Wide = NDArray[np.float64]


def read(
    values: NDArray[np.float32],
    points: Wide,
    directions: Wide,
    x0: float,
    y0: float,
    size: float,
    y_up: bool,
    wrap: bool,
    reach: float,
    count: int,
    free: Wide,
    first: int,
    last: int,
    out: Wide,
) -> None:
    """The strongest of `values` that each of `points` sees along `directions` (K, 2), into `out`
    (N, K); `reach` in world units.

    Read are `count` spots at equal distances up to `reach`, as far as the `free` part of it goes,
    each worth less the further it is.
    """
    height, width = values.shape
    found = np.zeros((last - first, len(directions)))
    for n in range(1, count + 1):
        part = n / count
        spots = points[first:last, np.newaxis] + directions * (reach * part)
        columns, rows = np.floor((spots[..., 0] - x0) / size), np.floor((spots[..., 1] - y0) / size)
        if wrap:
            columns, rows = columns % width, rows % height
        seen = (
            (part <= free[first:last])
            & (columns >= 0)
            & (columns < width)
            & (rows >= 0)
            & (rows < height)
        )
        rows, columns = (
            np.where(seen, rows, 0).astype(np.int64),
            np.where(seen, columns, 0).astype(np.int64),
        )
        here = values[height - 1 - rows if y_up else rows, columns].astype(np.float64) * (
            (count - n + 1) / count
        )
        found = np.where(seen, np.maximum(found, here), found)
    out[first:last] = found


def choose(
    interest: Wide,
    danger: Wide,
    free: Wide,
    directions: Wide,
    velocities: Wide,
    tolerance: float,
    room: float,
    first: int,
    last: int,
    out: Wide,
) -> None:
    """A unit direction for each agent, or 0, into `out` (N, 2), by what it sees in each of
    `directions` (K, 2).

    Directions with less than `room` free count only if there are no others. Of these, those stay
    whose danger is at most `tolerance` above the lowest, and of those the one of most interest is
    taken (of equals the one nearest to the velocity, then the first), turned towards its two
    neighbours by their interest. Without interest, but with danger, it is the one most against the
    sum of dangers; without both there is none.
    """
    for i in range(first, last):
        out[i] = 0
        need = room if (free[i] >= room).any() else 0.0
        stays = free[i] >= need
        stays &= danger[i] <= danger[i][stays].min() + tolerance
        chosen = np.flatnonzero(stays)
        turns = directions[:, 0] * velocities[i, 0] + directions[:, 1] * velocities[i, 1]
        x = y = 0.0
        if interest[i][chosen].max() > 0:
            best = max(chosen.tolist(), key=lambda k: (interest[i, k], turns[k], -k))
            for k in ((best - 1) % len(directions), best, (best + 1) % len(directions)):
                if stays[k]:
                    x += float(interest[i, k] * directions[k, 0])
                    y += float(interest[i, k] * directions[k, 1])
        elif danger[i].max() > 0:
            fear_x, fear_y = (
                float(np.add.accumulate(danger[i] * directions[:, axis])[-1]) for axis in (0, 1)
            )
            best = min(
                chosen.tolist(), key=lambda k: directions[k, 0] * fear_x + directions[k, 1] * fear_y
            )
            x, y = directions[best].tolist()
        else:
            continue
        length = math.sqrt(x * x + y * y)
        out[i] = x / length, y / length
