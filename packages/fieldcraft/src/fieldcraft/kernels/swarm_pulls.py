"""Directions that layers give to the agents of a swarm: flows, slopes, and angles of vectors."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.swarm_layout import ATANS, ROLE, STEEPEST

__all__ = ["align", "angle_of", "angles", "follow_slope"]

_ATANS = np.array(ATANS, dtype=np.uint32)
_1 = np.uint32(1)
_5 = np.uint32(5)
_16 = np.uint32(16)
_31 = np.uint32(31)
_HALF = np.uint32(1 << 31)


@kernel
def angle_of(along, across):
    """Return the angle of a vector, in 2**-16 of a turn."""
    if along == 0 and across == 0:
        return np.int32(0)
    behind = along < 0
    u = np.int32(-along) if behind else np.int32(along)
    v = np.int32(-across) if behind else np.int32(across)
    found = _HALF if behind else np.uint32(0)
    for k in range(16):
        by_u = np.int32(u >> k)
        by_v = np.int32(v >> k)
        turn = _ATANS[k]
        if v >= 0:
            u, v = np.int32(u + by_v), np.int32(v - by_u)
            found = np.uint32(found + turn)
        else:
            u, v = np.int32(u - by_v), np.int32(v + by_u)
            found = np.uint32(found - turn)
    return np.int32(np.uint32(found + np.uint32(1 << 15)) >> _16)


@kernel(error_model="numpy", inline="never")
def angles(along, across, found):
    """Write the angles of vectors that are 16 times as long as those of `angle_of`."""
    count = along.shape[0]
    turned, none = np.empty(count, np.uint32), np.empty(count, np.uint8)
    for n in range(count):
        u, v = along[n] >> 4, across[n] >> 4
        none[n] = (u == 0) & (v == 0)
        behind = u < 0
        along[n] = -u if behind else u
        across[n] = -v if behind else v
        turned[n] = _HALF if behind else np.uint32(0)
    for k in range(16):
        turn = _ATANS[k]
        for n in range(count):
            u, v = along[n], across[n]
            by_u = np.int32(u >> k)
            by_v = np.int32(v >> k)
            up = v >= 0
            along[n] = np.int32(u + by_v) if up else np.int32(u - by_v)
            across[n] = np.int32(v - by_u) if up else np.int32(v + by_u)
            turned[n] = np.uint32(turned[n] + turn) if up else np.uint32(turned[n] - turn)
    for n in range(count):
        found[n] = (
            np.int32(0) if none[n] else np.int32(np.uint32(turned[n] + np.uint32(1 << 15)) >> _16)
        )


@kernel
def _is_wall(wall_bits, cell):
    return (wall_bits[np.uint32(cell) >> _5] >> (np.uint32(cell) & _31)) & _1


@kernel
def _cell(wall_bits, no_walls, height, width, wrap, x, y):
    """Return the open cell at a place less than a map away, or -1."""
    column, row = x >> 16, y >> 16
    if wrap:
        column = column + width if column < 0 else column
        column = column - width if column >= width else column
        row = row + height if row < 0 else row
        row = row - height if row >= height else row
    elif column < 0 or row < 0 or column >= width or row >= height:
        return np.int32(-1)
    cell = np.int32(row * width + column)
    if not no_walls and _is_wall(wall_bits, cell):
        return np.int32(-1)
    return cell


@kernel
def _scaled(bits, top):
    """Return the bits of a float32 as a whole number of 20 bits and a sign, relative to `top`."""
    field = (bits >> 23) & 0xFF
    if field == 0:
        return np.int32(0)
    size = np.int32(((bits & 0x7FFFFF) | 0x800000) >> min(top - field + 4, 31))
    return np.int32(-size) if bits < 0 else size


@kernel(error_model="numpy", inline="never")
def align(
    flow_x_0, flow_y_0, flow_x_1, flow_y_1, states, cells, circle_table, flip, weight, along, across
):
    """Add the direction of the flow of each agent's role in its cell."""
    for k in range(cells.shape[0]):
        cell = cells[k]
        if cell < 0:
            continue
        at = np.uint32(cell)
        if states[k] & ROLE:
            bits_x = flow_x_1[at] if flow_x_1.shape[0] > 1 else 0
            bits_y = flow_y_1[at] if flow_y_1.shape[0] > 1 else 0
        else:
            bits_x = flow_x_0[at] if flow_x_0.shape[0] > 1 else 0
            bits_y = flow_y_0[at] if flow_y_0.shape[0] > 1 else 0
        top = max((bits_x >> 23) & 0xFF, (bits_y >> 23) & 0xFF)
        x, y = _scaled(bits_x, top), _scaled(bits_y, top)
        if x == 0 and y == 0:
            continue
        direction = np.uint32((angle_of(x, -y if flip else y) - states[k]) & 0xFFFF) >> np.uint32(4)
        along[k] += np.int32(weight * circle_table[direction, 0])
        across[k] += np.int32(weight * circle_table[direction, 1])


@kernel(error_model="numpy")
def _steep(difference, total):
    """Return a part of the total in 2**-8; cut quotients of doubles are exact here."""
    size = np.float64(-difference if difference < 0 else difference) * np.float64(STEEPEST)
    share = np.int32(min(np.floor(size / np.float64(total)), np.float64(STEEPEST)))
    return -share if difference < 0 else share


@kernel(error_model="numpy", inline="never")
def follow_slope(layer, ground, x, y, states, circle_table, weight, along, across):
    """Add the relative slope of a layer: uphill, or downhill with a negative weight."""
    wall_bits, no_walls, height, width, wrap = ground
    for k in range(x.shape[0]):
        own = _cell(wall_bits, no_walls, height, width, wrap, x[k], y[k])
        here = layer[np.uint32(max(own, 0))] if own >= 0 else np.int32(0)
        column, row = x[k] >> 16, y[k] >> 16
        if no_walls and column > 0 and row > 0 and column + 1 < width and row + 1 < height:
            right, left = layer[np.uint32(own + 1)], layer[np.uint32(own - 1)]
            below, above = layer[np.uint32(own + width)], layer[np.uint32(own - width)]
        else:
            at = _cell(wall_bits, no_walls, height, width, wrap, x[k] + 65536, y[k])
            right = layer[np.uint32(max(at, 0))] if at >= 0 else here
            at = _cell(wall_bits, no_walls, height, width, wrap, x[k] - 65536, y[k])
            left = layer[np.uint32(max(at, 0))] if at >= 0 else here
            at = _cell(wall_bits, no_walls, height, width, wrap, x[k], y[k] + 65536)
            below = layer[np.uint32(max(at, 0))] if at >= 0 else here
            at = _cell(wall_bits, no_walls, height, width, wrap, x[k], y[k] - 65536)
            above = layer[np.uint32(max(at, 0))] if at >= 0 else here
        top = max(
            (here >> 23) & 0xFF,
            (right >> 23) & 0xFF,
            (left >> 23) & 0xFF,
            (below >> 23) & 0xFF,
            (above >> 23) & 0xFF,
        )
        to_right, to_left = _scaled(right, top), _scaled(left, top)
        to_below, to_above = _scaled(below, top), _scaled(above, top)
        total = _scaled(here, top) + to_right + to_left + to_below + to_above
        if total <= 0:
            continue
        steep_x, steep_y = _steep(to_right - to_left, total), _steep(to_below - to_above, total)
        direction = np.uint32(states[k] & 0xFFFF) >> np.uint32(4)
        cosine, sine = circle_table[direction, 0], circle_table[direction, 1]
        along[k] += np.int32(weight * ((steep_x * cosine + steep_y * sine) >> 8))
        across[k] += np.int32(weight * ((steep_y * cosine - steep_x * sine) >> 8))
