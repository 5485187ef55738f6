"""Influence along paths."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["along"]


@kernel(
    "f4[:,::1], f8[:,::1], i8[::1], b1, i8, i8, i8, out f8[::1], out f8[::1], out f8[::1], out"
    " f8[:,::1]"
)
def along(values, places, starts, y_up, wrap, first, last, sums, lengths, highest, where):
    """Write for each path, in cells: the sum of value times length, its length, the highest value
    and the middle of its stretch.

    Path `p` is straight between consecutive `places[starts[p] : starts[p + 1]]`, the short
    way around axes that wrap.
    """
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    height, width = values.shape
    for p in range(first, last):
        total, length = 0.0, 0.0
        top = -np.inf
        top_u, top_v = places[starts[p], 0], places[starts[p], 1]
        for i in range(starts[p], starts[p + 1] - 1):
            u, v = places[i, 0], places[i, 1]
            du = places[i + 1, 0] - u
            dv = places[i + 1, 1] - v
            if wrap_x:
                du -= width * np.rint(du / width)
            if wrap_y:
                dv -= height * np.rint(dv / height)
            span = np.sqrt(du * du + dv * dv)
            if span == 0:
                continue
            length += span
            c, r = np.int64(np.floor(u)), np.int64(np.floor(v))
            left_c = abs(np.int64(np.floor(u + du)) - c)
            left_r = abs(np.int64(np.floor(v + dv)) - r)
            t = 0.0
            while True:
                until_c = ((c + 1 if du > 0 else c) - u) / du if left_c > 0 else np.inf
                until_r = ((r + 1 if dv > 0 else r) - v) / dv if left_r > 0 else np.inf
                until = min(min(until_c, until_r), 1.0)
                if until > t:
                    x = c % width if wrap_x else min(max(c, 0), width - 1)
                    y = r % height if wrap_y else min(max(r, 0), height - 1)
                    value = values[height - 1 - y if y_up else y, x]
                    total += value * ((until - t) * span)
                    if value > top:
                        top = np.float64(value)
                        top_u = u + du * ((t + until) / 2.0)
                        top_v = v + dv * ((t + until) / 2.0)
                    t = until
                if left_c == 0 and left_r == 0:
                    break
                if until_c <= until_r:
                    c += 1 if du > 0 else -1
                    left_c -= 1
                else:
                    r += 1 if dv > 0 else -1
                    left_r -= 1
        if top == -np.inf:
            x, y = min(np.int64(top_u), width - 1), min(np.int64(top_v), height - 1)
            top = np.float64(values[height - 1 - y if y_up else y, x])
        sums[p], lengths[p], highest[p] = total, length, top
        where[p, 0], where[p, 1] = top_u, top_v
