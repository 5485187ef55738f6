"""Directions to walk in on grids.

All arrays have row 0 where y is smallest. `bars` are `space.passages`.
"""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["pinch", "point", "sample"]

_EAST, _WEST, _NORTH, _SOUTH = 1, 2, 4, 8
_WALL = 255
_INSIDE = 1 - 2.0**-53


@kernel("f8[:,::1], u1[:,::1], u1[:,::1], i8[::1], b1, i8, i8, out u1[:,::1]")
def pinch(distances, bars, goals, cells, past_walls, first, last, pinched):
    """Write the side through which to pass the corner for each of `cells` from which only a
    diagonal step leads nearer; else 0. With `past_walls` diagonals pass a corner on one side, else
    only if both are open.
    """
    height, width = distances.shape
    far = distances.reshape(-1)
    blocked = bars.reshape(-1)
    goal = goals.reshape(-1)
    found = pinched.reshape(-1)
    for k in range(first, last):
        cell = cells[k]
        found[cell] = 0
        bits = blocked[cell]
        own = far[cell]
        if bits == _WALL or goal[cell] or own == np.inf:
            continue
        r = cell // width
        c = cell - r * width
        east = cell + 1 if c + 1 < width else cell + 1 - width
        west = cell - 1 if c > 0 else cell - 1 + width
        up = width if r + 1 < height else width - height * width
        down = -width if r > 0 else height * width - width
        if bits & _EAST == 0 and far[east] < own:
            continue
        if bits & _WEST == 0 and far[west] < own:
            continue
        if bits & _NORTH == 0 and far[cell + up] < own:
            continue
        if bits & _SOUTH == 0 and far[cell + down] < own:
            continue
        best = own
        for corner in range(4):
            side = _WEST if corner & 1 else _EAST
            level = _SOUTH if corner & 2 else _NORTH
            beside = west if corner & 1 else east
            step = down if corner & 2 else up
            by_side = bits & side == 0 and blocked[beside] & level == 0
            by_level = bits & level == 0 and blocked[cell + step] & side == 0
            allowed = (by_side or by_level) if past_walls else (by_side and by_level)
            if allowed and far[beside + step] < best:
                best = far[beside + step]
                nearer = far[beside] <= far[cell + step] if by_side and by_level else by_side
                found[cell] = side if nearer else level


@kernel(
    "f8[:,::1], u1[:,::1], u1[:,::1], u1[:,::1], i8[::1], i8, i8, out f4[:,:,::1], out u1[:,::1]"
)
def point(distances, bars, goals, pinched, cells, first, last, vectors, gates):
    """Write the direction of each of `cells` to `vectors` (h, w, 2), and the sides and corners
    through which an agent may leave it to `gates`.
    """
    height, width = distances.shape
    far = distances.reshape(-1)
    blocked = bars.reshape(-1)
    goal = goals.reshape(-1)
    through = pinched.reshape(-1)
    flat = vectors.reshape(-1)
    open_to = gates.reshape(-1)
    for k in range(first, last):
        cell = cells[k]
        flat[2 * cell], flat[2 * cell + 1] = 0, 0
        open_to[cell] = 0
        bits = blocked[cell]
        if bits == _WALL or goal[cell]:
            continue
        r = cell // width
        c = cell - r * width
        east = cell + 1 if c + 1 < width else cell + 1 - width
        west = cell - 1 if c > 0 else cell - 1 + width
        up = width if r + 1 < height else width - height * width
        down = -width if r > 0 else height * width - width
        if through[cell]:
            side = through[cell]
            open_to[cell] = side
            flat[2 * cell] = 1 if side == _EAST else (-1 if side == _WEST else 0)
            flat[2 * cell + 1] = 1 if side == _NORTH else (-1 if side == _SOUTH else 0)
            continue
        own = far[cell]
        cap = own
        if through[west] == _EAST and far[west] < cap and blocked[west] & _EAST == 0:
            cap = far[west]
        if through[east] == _WEST and far[east] < cap and blocked[east] & _WEST == 0:
            cap = far[east]
        if (
            through[cell + down] == _NORTH
            and far[cell + down] < cap
            and blocked[cell + down] & _NORTH == 0
        ):
            cap = far[cell + down]
        if (
            through[cell + up] == _SOUTH
            and far[cell + up] < cap
            and blocked[cell + up] & _SOUTH == 0
        ):
            cap = far[cell + up]
        if cap == np.inf:
            continue
        base = own if own < np.inf else cap
        gate = 0
        if bits & _EAST == 0 and far[east] < cap:
            gate |= _EAST
        if bits & _WEST == 0 and far[west] < cap:
            gate |= _WEST
        if bits & _NORTH == 0 and far[cell + up] < cap:
            gate |= _NORTH
        if bits & _SOUTH == 0 and far[cell + down] < cap:
            gate |= _SOUTH
        for corner in range(4):
            sides = (_WEST if corner & 1 else _EAST) | (_SOUTH if corner & 2 else _NORTH)
            across = (west if corner & 1 else east) + (down if corner & 2 else up)
            if gate & sides == sides and bits & (16 << corner) == 0 and far[across] < cap:
                gate |= 16 << corner
        open_to[cell] = gate
        x = base - far[east] if gate & _EAST else 0.0
        if gate & _WEST and base - far[west] > x:
            x = far[west] - base
        y = base - far[cell + up] if gate & _NORTH else 0.0
        if gate & _SOUTH and base - far[cell + down] > y:
            y = far[cell + down] - base
        if x != 0 and y != 0 and gate & (16 << ((1 if x < 0 else 0) + (2 if y < 0 else 0))) == 0:
            if abs(x) >= abs(y):
                y = 0.0
            else:
                x = 0.0
        scale = max(abs(x), abs(y))
        if scale > 0:
            x /= scale
            y /= scale
            length = math.sqrt(x * x + y * y)
            flat[2 * cell], flat[2 * cell + 1] = x / length, y / length


@kernel(
    "f4[:,:,::1], u1[:,::1], f8[:,::1], f8, f8, f8, i8, b1, i8, i8, out i8[::1], out f8[:,::1]",
    error_model="numpy",
)
def sample(vectors, gates, points, x0, y0, size, wrap, clamp, first, last, wrong, out):
    """Write the direction at each of `points` (N, 2), world units, to `out` (N, 2), unit or 0; a
    point off the map to `wrong[0]`.
    """
    height, width = gates.shape
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    for i in range(first, last):
        u, v = (points[i, 0] - x0) / size, (points[i, 1] - y0) / size
        if not (0 <= u < width and 0 <= v < height):
            on_map_x = clamp or wrap_x or 0 <= u < width
            on_map_y = clamp or wrap_y or 0 <= v < height
            if not (np.isfinite(u) and np.isfinite(v) and on_map_x and on_map_y):
                wrong[0] = i
                continue
            if not wrap_x:
                u = min(max(u, 0.0), width * _INSIDE)
            if not wrap_y:
                v = min(max(v, 0.0), height * _INSIDE)
        column, row = np.floor(u), np.floor(v)
        tx, ty = u - column - 0.5, v - row - 0.5
        c, r = np.int64(column), np.int64(row)
        if wrap_x:
            c = np.int64(column % width)
        if wrap_y:
            r = np.int64(row % height)
        own_x, own_y = np.float64(vectors[r, c, 0]), np.float64(vectors[r, c, 1])
        if own_x == 0 and own_y == 0:
            out[i, 0], out[i, 1] = 0.0, 0.0
            continue
        gate = gates[r, c]
        c1 = c + 1 if tx >= 0 else c - 1
        r1 = r + 1 if ty >= 0 else r - 1
        if wrap_x:
            c1 %= width
        if wrap_y:
            r1 %= height
        tx = abs(tx) if 0 <= c1 < width else 0.0
        ty = abs(ty) if 0 <= r1 < height else 0.0
        c1 = c1 if 0 <= c1 < width else c
        r1 = r1 if 0 <= r1 < height else r
        ax, ay = np.float64(vectors[r, c1, 0]), np.float64(vectors[r, c1, 1])
        bx, by = np.float64(vectors[r1, c, 0]), np.float64(vectors[r1, c, 1])
        x = own_x * ((1.0 - tx) * (1.0 - ty)) + ax * (tx * (1.0 - ty)) + bx * ((1.0 - tx) * ty)
        y = own_y * ((1.0 - tx) * (1.0 - ty)) + ay * (tx * (1.0 - ty)) + by * ((1.0 - tx) * ty)
        if ax != 0 or ay != 0 or bx != 0 or by != 0:
            x += np.float64(vectors[r1, c1, 0]) * (tx * ty)
            y += np.float64(vectors[r1, c1, 1]) * (tx * ty)
        if gate & (_EAST if x > 0 else _WEST) == 0:
            x = 0.0
        if gate & (_NORTH if y > 0 else _SOUTH) == 0:
            y = 0.0
        if x != 0 and y != 0 and gate & (16 << ((1 if x < 0 else 0) + (2 if y < 0 else 0))) == 0:
            if abs(own_x) >= abs(own_y):
                y = 0.0
            else:
                x = 0.0
        length = math.sqrt(x * x + y * y)
        if x * own_x + y * own_y < 0.5 * length or length == 0:
            x, y = own_x, own_y
            length = math.sqrt(x * x + y * y)
        out[i, 0], out[i, 1] = x / length, y / length
