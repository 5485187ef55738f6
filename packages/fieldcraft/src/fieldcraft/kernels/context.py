"""Where to go by what lies around."""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["choose", "read"]


@kernel(
    "f4[:,::1], f8[:,::1], f8[:,::1], f8[:,::1], (f8, f8, f8, b1, b1), f8, i8, i8, i8, out"
    " f8[:,::1]",
    error_model="numpy",
)
def read(values, points, directions, free, frame, reach, count, first, last, out):
    """The strongest of `values` that each of `points` sees along `directions` (K, 2), into `out`
    (N, K); `reach` in world units.

    Read are `count` spots at equal distances up to `reach`, as far as the `free` part of it goes,
    each worth less the further it is. `frame` is (origin x, origin y, cell size, y_up, wrap).
    """
    (height, width), (x0, y0, size, y_up, wrap) = values.shape, frame
    for i in range(first, last):
        for k in range(directions.shape[0]):
            best = 0.0
            for n in range(1, count + 1):
                part = n / count
                if part > free[i, k]:
                    break
                column = np.floor((points[i, 0] + directions[k, 0] * (reach * part) - x0) / size)
                row = np.floor((points[i, 1] + directions[k, 1] * (reach * part) - y0) / size)
                if wrap:
                    column, row = column % width, row % height
                elif not (0 <= column < width and 0 <= row < height):
                    continue
                r = np.int64(height - 1 - row if y_up else row)
                value = np.float64(values[r, np.int64(column)]) * ((count - n + 1) / count)
                if value > best:
                    best = value
            out[i, k] = best


@kernel(
    "f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1], f8[:,::1], f8, f8, i8, i8, out f8[:,::1]",
    error_model="numpy",
)
def choose(interest, danger, free, directions, velocities, tolerance, room, first, last, out):
    """A unit direction for each agent, or 0, into `out` (N, 2), by what it sees in each of
    `directions` (K, 2).
    """
    slots = directions.shape[0]
    for i in range(first, last):
        out[i, 0], out[i, 1] = 0.0, 0.0
        roomy = 0
        for k in range(slots):
            roomy += free[i, k] >= room
        need = room if roomy else 0.0
        lowest, highest, fear_x, fear_y = np.inf, 0.0, 0.0, 0.0
        for k in range(slots):
            fear_x += danger[i, k] * directions[k, 0]
            fear_y += danger[i, k] * directions[k, 1]
            highest = max(highest, danger[i, k])
            if free[i, k] >= need and danger[i, k] < lowest:
                lowest = danger[i, k]
        most = lowest + tolerance
        best, best_interest, best_turn = -1, 0.0, -np.inf
        for k in range(slots):
            if free[i, k] < need or danger[i, k] > most:
                continue
            turn = directions[k, 0] * velocities[i, 0] + directions[k, 1] * velocities[i, 1]
            if interest[i, k] > best_interest or (
                interest[i, k] == best_interest and best_interest > 0 and turn > best_turn
            ):
                best, best_interest, best_turn = k, interest[i, k], turn
        if best >= 0:
            x, y = 0.0, 0.0
            for side in range(-1, 2):
                k = (best + side) % slots
                if free[i, k] >= need and danger[i, k] <= most:
                    x += interest[i, k] * directions[k, 0]
                    y += interest[i, k] * directions[k, 1]
        elif highest > 0:
            least = np.inf
            for k in range(slots):
                fear = directions[k, 0] * fear_x + directions[k, 1] * fear_y
                if free[i, k] >= need and danger[i, k] <= most and fear < least:
                    least = fear
                    best = k
            x, y = directions[best, 0], directions[best, 1]
        else:
            continue
        length = math.sqrt(x * x + y * y)
        out[i, 0], out[i, 1] = x / length, y / length
