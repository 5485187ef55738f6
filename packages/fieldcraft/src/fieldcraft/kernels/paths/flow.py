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


@kernel(forceinline=True)
def _beside(cell, height, width):
    """Return the cells to the east and to the west of a cell, and what is to be added to a number
    for the cell above and for the one below; around the edges, where walls are unless they wrap.
    """
    row = cell // width
    column = cell - row * width
    east = cell + 1 if column + 1 < width else cell + 1 - width
    west = cell - 1 if column > 0 else cell - 1 + width
    up = width if row + 1 < height else width - height * width
    down = -width if row > 0 else height * width - width
    return east, west, up, down


@kernel(forceinline=True)
def _corner_bit(x, y):
    """Return the bit of the corner that a direction with both parts leads to."""
    corner = 0
    if x < 0:
        corner += 1
    if y < 0:
        corner += 2
    return 16 << corner


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
        east, west, up, down = _beside(cell, height, width)
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
                first_to_side = by_side
                if by_side and by_level:
                    first_to_side = far[beside] <= far[cell + step]
                found[cell] = side if first_to_side else level


@kernel(
    "f8[:,::1], u1[:,::1], u1[:,::1], u1[:,::1], i8[::1], i8, i8, out f4[:,:,::1], out u1[:,::1]"
)
def point(distances, bars, goals, pinched, cells, first, last, vectors, gates):
    """Write the direction of each of `cells` to `vectors` (h, w, 2), and the sides and corners
    through which an agent may leave it to `gates`: bits 0 to 3 for sides, and 4 to 7 for corners
    (bit 0 of a corner's number is set in the west, bit 1 in the south).
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
        flat[2 * cell] = 0
        flat[2 * cell + 1] = 0
        open_to[cell] = 0
        bits = blocked[cell]
        if bits == _WALL or goal[cell]:
            continue
        east, west, up, down = _beside(cell, height, width)
        if through[cell]:
            side = through[cell]
            open_to[cell] = side
            if side == _EAST:
                flat[2 * cell] = 1
            elif side == _WEST:
                flat[2 * cell] = -1
            elif side == _NORTH:
                flat[2 * cell + 1] = 1
            else:
                flat[2 * cell + 1] = -1
            continue
        # A pinched neighbor sends agents through this cell, though it may be nearer itself: only
        # cells nearer than that neighbor lead on.
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
        if x != 0 and y != 0 and gate & _corner_bit(x, y) == 0:
            if abs(x) >= abs(y):
                y = 0.0
            else:
                x = 0.0
        scale = max(abs(x), abs(y))
        if scale > 0:
            x /= scale
            y /= scale
            length = math.sqrt(x * x + y * y)
            flat[2 * cell] = x / length
            flat[2 * cell + 1] = y / length


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
        u = (points[i, 0] - x0) / size
        v = (points[i, 1] - y0) / size
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
        column = np.floor(u)
        row = np.floor(v)
        # How far the point is from the center of its cell (c, r) towards the one at (c1, r1).
        tx = u - column - 0.5
        ty = v - row - 0.5
        c = np.int64(column)
        r = np.int64(row)
        if wrap_x:
            c = np.int64(column % width)
        if wrap_y:
            r = np.int64(row % height)
        own_x = np.float64(vectors[r, c, 0])
        own_y = np.float64(vectors[r, c, 1])
        if own_x == 0 and own_y == 0:
            out[i, 0] = 0.0
            out[i, 1] = 0.0
            continue
        gate = gates[r, c]
        c1 = c + 1 if tx >= 0 else c - 1
        r1 = r + 1 if ty >= 0 else r - 1
        if wrap_x:
            c1 %= width
        if wrap_y:
            r1 %= height
        tx = abs(tx)
        if not 0 <= c1 < width:
            tx = 0.0
            c1 = c
        ty = abs(ty)
        if not 0 <= r1 < height:
            ty = 0.0
            r1 = r
        beside_x = np.float64(vectors[r, c1, 0])
        beside_y = np.float64(vectors[r, c1, 1])
        level_x = np.float64(vectors[r1, c, 0])
        level_y = np.float64(vectors[r1, c, 1])
        own_share = (1.0 - tx) * (1.0 - ty)
        beside_share = tx * (1.0 - ty)
        level_share = (1.0 - tx) * ty
        x = own_x * own_share + beside_x * beside_share + level_x * level_share
        y = own_y * own_share + beside_y * beside_share + level_y * level_share
        # Across a corner between two cells without a direction nothing is mixed in.
        if beside_x != 0 or beside_y != 0 or level_x != 0 or level_y != 0:
            x += np.float64(vectors[r1, c1, 0]) * (tx * ty)
            y += np.float64(vectors[r1, c1, 1]) * (tx * ty)
        if gate & (_EAST if x > 0 else _WEST) == 0:
            x = 0.0
        if gate & (_NORTH if y > 0 else _SOUTH) == 0:
            y = 0.0
        if x != 0 and y != 0 and gate & _corner_bit(x, y) == 0:
            if abs(own_x) >= abs(own_y):
                y = 0.0
            else:
                x = 0.0
        length = math.sqrt(x * x + y * y)
        if x * own_x + y * own_y < 0.5 * length or length == 0:
            x = own_x
            y = own_y
            length = math.sqrt(x * x + y * y)
        out[i, 0] = x / length
        out[i, 1] = y / length
