"""Directions that layers give to the agents of a swarm: flows, slopes, and angles of vectors."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.agents.swarm_layout import ATANS, ROLE, STEEPEST
from fieldcraft.kernels.agents.swarm_senses import cells_at, mark_walls
from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["align", "angles", "follow_slope"]

_ATANS = np.array(ATANS, dtype=np.uint32)
_16 = np.uint32(16)
_HALF = np.uint32(1 << 31)
# an agent's own cell, then those to the right, to the left, below and above
_RIGHT = np.array([0, 1 << 16, -1 << 16, 0, 0], dtype=np.int32)
_DOWN = np.array([0, 0, 0, 1 << 16, -1 << 16], dtype=np.int32)


@kernel(error_model="numpy")
def angles(along, across, found):
    """Write the angles of vectors, in 2**-16 of a turn; 0 for the vector 0.

    The vectors are in 1/16 of a unit and below 2**27 units; they are overwritten.
    """
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
def _scaled(bits, top):
    """Return the bits of a float32 as a whole number of 20 bits and a sign, relative to `top`."""
    field = (bits >> 23) & 0xFF
    if field == 0:
        return np.int32(0)
    size = np.int32(((bits & 0x7FFFFF) | 0x800000) >> min(top - field + 4, 31))
    return np.int32(-size) if bits < 0 else size


@kernel(error_model="numpy")
def align(
    flow_x_0, flow_y_0, flow_x_1, flow_y_1, states, cells, circle_table, flip, weight, along, across
):
    """Add the direction of the flow of each agent's role in its cell."""
    count = cells.shape[0]
    xs, ys, turns = np.zeros(count, np.int32), np.zeros(count, np.int32), np.empty(count, np.int32)
    flows = np.zeros(count, np.uint8)
    for k in range(count):
        if cells[k] < 0:
            continue
        at = np.uint32(cells[k])
        if states[k] & ROLE:
            bits_x = flow_x_1[at] if flow_x_1.shape[0] > 1 else 0
            bits_y = flow_y_1[at] if flow_y_1.shape[0] > 1 else 0
        else:
            bits_x = flow_x_0[at] if flow_x_0.shape[0] > 1 else 0
            bits_y = flow_y_0[at] if flow_y_0.shape[0] > 1 else 0
        top = max((bits_x >> 23) & 0xFF, (bits_y >> 23) & 0xFF)
        x, y = _scaled(bits_x, top), _scaled(bits_y, top)
        xs[k], ys[k] = x << 4, (-y if flip else y) << 4
        flows[k] = (x != 0) | (y != 0)
    angles(xs, ys, turns)
    for k in range(count):
        if flows[k] != 0:
            direction = np.uint32((turns[k] - states[k]) & 0xFFFF) >> np.uint32(4)
            along[k] += np.int32(weight * circle_table[direction, 0])
            across[k] += np.int32(weight * circle_table[direction, 1])


@kernel(error_model="numpy")
def _steep(difference, total):
    """Return a part of the total in 2**-8; cut quotients of doubles are exact here."""
    size = np.float64(-difference if difference < 0 else difference) * np.float64(STEEPEST)
    share = np.int32(min(np.floor(size / np.float64(total)), np.float64(STEEPEST)))
    return -share if difference < 0 else share


@kernel(error_model="numpy")
def follow_slope(layer, ground, x, y, states, circle_table, weight, along, across):
    """Add the relative slope of a layer: uphill, or downhill with a negative weight."""
    wall_bits, no_walls, height, width, wrap = ground
    count = x.shape[0]
    around, cells = np.zeros((5, count), np.int32), np.empty(count, np.int32)
    there_x, there_y = np.empty(count, np.int32), np.empty(count, np.int32)
    for side in range(5):
        for k in range(count):
            there_x[k], there_y[k] = x[k] + _RIGHT[side], y[k] + _DOWN[side]
        cells_at(there_x, there_y, height, width, wrap, cells)
        if not no_walls:
            mark_walls(wall_bits, cells, there_x)
        for k in range(count):
            beside = layer[np.uint32(max(cells[k], 0))]
            around[side, k] = beside if cells[k] >= 0 else around[0, k]
    for k in range(count):
        here, right, left = around[0, k], around[1, k], around[2, k]
        below, above = around[3, k], around[4, k]
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
