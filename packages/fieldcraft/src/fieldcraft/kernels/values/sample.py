"""Values between cells.

Rows and columns are those of the arrays; `u` and `v` are world positions in cells from the origin,
so that `v` grows with the world's y, and is in row `height - 1 - floor(v)` if `y_up`.

Passing an array to another compiled function counts its references, which takes longer than the
work for a few cells. So functions that are called per cell take numbers only, and the loops that
read cells are written out.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import GRID_FRAME, WRAP_X, WRAP_Y, GridFrame
from fieldcraft.kernels.values.obstacles import OBSTACLES, Obstacles

__all__ = ["GridFrame", "Obstacles", "bilinear", "gradient", "on_map"]

_POINTS = 512  # at a time: their scratch stays in the first-level cache
_INSIDE = 1 - 2.0**-53  # times a count: the last position before the far rim


@kernel
def on_map(index, count, wrap):
    """Return a row or column; beyond an edge the one on the other side if it wraps, else -1."""
    if 0 <= index < count:
        return np.int64(index)
    return np.int64(index % count) if wrap else np.int64(-1)


@kernel(error_model="numpy")
def _around(u, count, flip, wrap):
    """Return along one axis the two rows or columns with centers on both sides of a position (-1
    off the map), and the position between them, 0 to 1.
    """
    before = np.floor(u - 0.5)
    part = (u - 0.5) - before
    low, high = on_map(before, count, wrap), on_map(before + 1.0, count, wrap)
    if flip:
        low = count - 1 - low if low >= 0 else low
        high = count - 1 - high if high >= 0 else high
    return low, high, part


@kernel
def _reached(own, bottom, top, left, right):
    """Return which of four cells (0 1 below, 2 3 above) straight steps reach from `own`, as bits,
    by the sides that are joined.
    """
    along = bottom if own < 2 else top
    across = left if own % 2 == 0 else right
    part = 1 << own
    if along:
        part |= 1 << (own ^ 1)
    if across:
        part |= 1 << (own ^ 2)
    if (along and (right if own % 2 == 0 else left)) or (across and (top if own < 2 else bottom)):
        part |= 1 << (own ^ 3)
    return part


@kernel(error_model="numpy", forceinline=True)
def _surroundings(obstacles, x, y, frame, clamp, kind):
    """Return whether a position is valid; rows and columns of the four cells with centers around it
    (-1 off the map), and the position between them; the nearest cell, and as bits the cells joined
    to it.

    `kind` receives the class of ground of each, -1 for none.
    """
    walls = obstacles.walls
    classes = obstacles.classes
    both = obstacles.both
    kinds = obstacles.kinds
    height, width = walls.shape
    u = (x - frame.left) / frame.size
    v = (y - frame.low) / frame.size
    wrap_x = frame.wrap & WRAP_X != 0
    wrap_y = frame.wrap & WRAP_Y != 0
    is_served = (clamp or wrap_x or 0 <= u < width) and (clamp or wrap_y or 0 <= v < height)
    if not (is_served and np.isfinite(u) and np.isfinite(v)):
        is_served = False
        u = 0.0
        v = 0.0
    if not wrap_x:
        u = min(max(u, 0.0), width * _INSIDE)
    if not wrap_y:
        v = min(max(v, 0.0), height * _INSIDE)
    r0, r1, tv = _around(v, height, frame.y_up, wrap_y)
    c0, c1, tu = _around(u, width, False, wrap_x)
    for corner in range(4):
        r = r1 if corner >= 2 else r0
        c = c1 if corner % 2 == 1 else c0
        if r < 0 or c < 0 or walls[r, c]:
            kind[corner] = -1
        else:
            kind[corner] = np.int64(classes[r, c]) if kinds else 0
    bottom = kind[0] >= 0 and kind[1] >= 0 and (not kinds or both[kind[0], kind[1]])
    top = kind[2] >= 0 and kind[3] >= 0 and (not kinds or both[kind[2], kind[3]])
    left = kind[0] >= 0 and kind[2] >= 0 and (not kinds or both[kind[0], kind[2]])
    right = kind[1] >= 0 and kind[3] >= 0 and (not kinds or both[kind[1], kind[3]])
    own = (2 if tv >= 0.5 else 0) + (1 if tu >= 0.5 else 0)
    part = _reached(own, bottom, top, left, right)
    return is_served, r0, r1, tv, c0, c1, tu, own, part


@kernel(error_model="numpy")
def _block(u, v, height, width, y_up):
    """Return the flat index of the cell with the smallest x and y of the four around a position, or
    -1 if one is off the map, and the position between their centers.
    """
    left = np.floor(u - 0.5)
    below = np.floor(v - 0.5)
    row = height - 1.0 - below if y_up else below
    on_map = (left >= 0) & (left < width - 1) & (below >= 0) & (below < height - 1)
    return row * width + left if on_map else -1.0, (u - 0.5) - left, (v - 0.5) - below


@kernel(error_model="numpy")
def _blocks(points, x0, y0, size, height, width, y_up, corner, across, along, bases):
    """Write where the 2 x 2 cells around points begin: the flat index of the cell with the smallest
    x and y, and the position between the cells.

    `points` holds x and y in turn. -1 for a point with one of the four cells off the map. A
    function of its own, with `corner` beside `bases`, so that it runs on vectors.
    """
    inverse = 1.0 / size
    if math.frexp(size)[0] == 0.5:  # of a power of 2 the inverse is exact
        for i in range(bases.shape[0]):
            u, v = (points[2 * i] - x0) * inverse, (points[2 * i + 1] - y0) * inverse
            corner[i], across[i], along[i] = _block(u, v, height, width, y_up)
    else:
        for i in range(bases.shape[0]):
            u, v = (points[2 * i] - x0) / size, (points[2 * i + 1] - y0) / size
            corner[i], across[i], along[i] = _block(u, v, height, width, y_up)
    for i in range(bases.shape[0]):
        bases[i] = np.int64(corner[i])


@kernel(
    f"f4[:,::1], {OBSTACLES}, f8[:,::1], {GRID_FRAME}, b1, i8, i8, out i8[::1], out f4[::1]",
    error_model="numpy",
)
def bilinear(values, obstacles, points, frame, clamp, first, last, outside, out):
    """Write the values between the cells around each of `points` (N, 2) into `out` (N,); a point
    off the map or not finite into `outside`.
    """
    bare = obstacles.bare
    kinds = obstacles.kinds
    y_up = frame.y_up
    height, width = values.shape
    flat = values.reshape(-1)
    wall = obstacles.walls.reshape(-1)
    pairs = points.reshape(-1)
    corners = np.empty(_POINTS)
    bases = np.empty(_POINTS, np.int64)
    across = np.empty(_POINTS)
    along = np.empty(_POINTS)
    kind = np.empty(4, np.int64)
    right = np.uint64(1)
    up = np.uint64(np.int64(-width if y_up else width))
    for start in range(first, last, _POINTS):
        count = min(_POINTS, last - start)
        here = pairs[2 * start : 2 * (start + count)]
        _blocks(
            here,
            frame.left,
            frame.low,
            frame.size,
            np.float64(height),
            np.float64(width),
            y_up,
            corners,
            across,
            along,
            bases[:count],
        )
        for i in range(count):
            base = np.uint64(bases[i])
            known = bare
            if bases[i] >= 0 and not bare and not kinds:
                known = not (
                    wall[base] | wall[base + right] | wall[base + up] | wall[base + up + right]
                )
            if bases[i] >= 0 and known:
                low = flat[base] + (np.float64(flat[base + right]) - flat[base]) * across[i]
                high = (
                    flat[base + up]
                    + (np.float64(flat[base + up + right]) - flat[base + up]) * across[i]
                )
                out[start + i] = low + (high - low) * along[i]
                continue
            x, y = points[start + i, 0], points[start + i, 1]
            is_served, r0, r1, tv, c0, c1, tu, _, part = _surroundings(
                obstacles, x, y, frame, clamp, kind
            )
            if not is_served:
                outside[0] = start + i
                continue
            if part == 15:
                low = values[r0, c0] + (np.float64(values[r0, c1]) - values[r0, c0]) * tu
                high = values[r1, c0] + (np.float64(values[r1, c1]) - values[r1, c0]) * tu
                out[start + i] = low + (high - low) * tv
                continue
            total, total_weight = 0.0, 0.0
            for corner in range(4):
                if part & (1 << corner) != 0:
                    weight = (tv if corner >= 2 else 1.0 - tv) * (
                        tu if corner % 2 == 1 else 1.0 - tu
                    )
                    total += (
                        weight * values[r1 if corner >= 2 else r0, c1 if corner % 2 == 1 else c0]
                    )
                    total_weight += weight
            out[start + i] = total / total_weight


@kernel(
    f"f4[:,::1], {OBSTACLES}, f8[:,::1], {GRID_FRAME}, b1, b1, i8, i8, out i8[::1], out f8[:,::1]",
    error_model="numpy",
)
def gradient(values, obstacles, points, frame, clamp, smooth, first, last, outside, out):
    """Write the slopes along the world's x and y at each of `points` (N, 2), per world unit, into
    `out` (N, 2); a wrong point into `outside`. The rest as in `bilinear`.
    """
    walls = obstacles.walls
    classes = obstacles.classes
    both = obstacles.both
    kinds = obstacles.kinds
    size = frame.size
    y_up = frame.y_up
    wrap_x = frame.wrap & WRAP_X != 0
    wrap_y = frame.wrap & WRAP_Y != 0
    height, width = values.shape
    kind = np.empty(4, np.int64)
    beside = np.empty(2)
    for i in range(first, last):
        is_served, r0, r1, tv, c0, c1, tu, own, part = _surroundings(
            obstacles, points[i, 0], points[i, 1], frame, clamp, kind
        )
        if not is_served:
            outside[0] = i
            continue
        if not smooth:
            part = 1 << own
        x, y, total_weight = 0.0, 0.0, 0.0
        for corner in range(4):
            if part & (1 << corner) == 0:
                continue
            weight = (
                (tv if corner >= 2 else 1.0 - tv) * (tu if corner % 2 == 1 else 1.0 - tu)
                if smooth
                else 1.0
            )
            total_weight += weight
            if kind[corner] < 0:
                continue
            r = r1 if corner >= 2 else r0
            c = c1 if corner % 2 == 1 else c0
            for axis in range(2):
                sides = 0
                for side in range(2):
                    beside[side] = np.float64(values[r, c])
                    move = 1 if side == 1 else -1
                    rb = on_map(r + (-move if y_up else move), height, wrap_y) if axis == 1 else r
                    cb = on_map(c + move, width, wrap_x) if axis == 0 else c
                    if (
                        rb >= 0
                        and cb >= 0
                        and not walls[rb, cb]
                        and (not kinds or both[kind[corner], classes[rb, cb]])
                    ):
                        beside[side] = np.float64(values[rb, cb])
                        sides += 1
                slope = (beside[1] - beside[0]) / 2.0 if sides == 2 else beside[1] - beside[0]
                if axis == 0:
                    x += weight * slope
                else:
                    y += weight * slope
        out[i, 0], out[i, 1] = x / total_weight / size, y / total_weight / size
