"""Sensors of the agents of a swarm: their cells, the values there, and the side to turn to.

Loops that only compute become vector code; loops that read arrays do nothing else. Mixed loops
would be slow.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.agents.swarm_layout import BLOCKED
from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = [
    "add_free_sides",
    "cells_at",
    "mark_walls",
    "read_trail",
    "sensor_positions",
    "side_vectors",
    "stronger_sides",
]

_0 = np.int32(0)
_1 = np.uint32(1)
_5 = np.uint32(5)
_16 = np.int32(16)
_31 = np.uint32(31)
_NOWHERE = np.int32(-1)


@kernel(error_model="numpy")
def cells_at(x, y, height, width, wrap, cells):
    """Write the cells at places less than a map away; -1 off the map."""
    wide = np.int32(width)
    high = np.int32(height)
    if wrap == WRAP_X + WRAP_Y:
        for k in range(x.shape[0]):
            column, row = np.int32(x[k] >> _16), np.int32(y[k] >> _16)
            column = np.int32(column + wide) if column < 0 else column
            column = np.int32(column - wide) if column >= wide else column
            row = np.int32(row + high) if row < 0 else row
            row = np.int32(row - high) if row >= high else row
            cells[k] = np.int32(np.int32(row * wide) + column)
    elif wrap != 0:
        around_x = wide if wrap & WRAP_X != 0 else _0
        around_y = high if wrap & WRAP_Y != 0 else _0
        for k in range(x.shape[0]):
            column, row = np.int32(x[k] >> _16), np.int32(y[k] >> _16)
            column = np.int32(column + around_x) if column < 0 else column
            column = np.int32(column - around_x) if column >= wide else column
            row = np.int32(row + around_y) if row < 0 else row
            row = np.int32(row - around_y) if row >= high else row
            inside = (np.uint32(column) < np.uint32(wide)) & (np.uint32(row) < np.uint32(high))
            cells[k] = np.int32(np.int32(row * wide) + column) if inside else _NOWHERE
    else:
        for k in range(x.shape[0]):
            column, row = np.int32(x[k] >> _16), np.int32(y[k] >> _16)
            inside = (np.uint32(column) < np.uint32(wide)) & (np.uint32(row) < np.uint32(high))
            cells[k] = np.int32(np.int32(row * wide) + column) if inside else _NOWHERE


@kernel(error_model="numpy")
def mark_walls(wall_bits, cells, words):
    """Replace cells in walls by -1; `words` is scratch."""
    for k in range(cells.shape[0]):
        words[k] = np.int32(wall_bits[np.uint32(max(cells[k], _0)) >> _5])
    for k in range(cells.shape[0]):
        blocked = (np.uint32(words[k]) >> (np.uint32(cells[k]) & _31)) & _1
        cells[k] = _NOWHERE if blocked else cells[k]


@kernel(error_model="numpy")
def sensor_positions(x, y, states, turned, directions, distance, there_x, there_y):
    """Write the places of sensors at a distance, on headings turned by an angle."""
    far = np.int32(distance)
    turn = np.int32(turned)
    for k in range(x.shape[0]):
        there_x[k] = directions[np.uint32((states[k] + turn) & np.int32(0xFFFF)) >> np.uint32(4)]
    for k in range(x.shape[0]):
        both = there_x[k]
        there_x[k] = np.int32(x[k] + np.int32(np.int32(np.int32(both << _16) >> _16) * far))
        there_y[k] = np.int32(y[k] + np.int32(np.int32(both >> _16) * far))


@kernel(error_model="numpy")
def read_trail(trail_0, trail_1, roles, states, cells, found):
    """Write the values of the trail of each role in cells, as whole numbers that compare like
    floats; of trail 0 for all agents if `roles` is 0.
    """
    last_0 = np.int32(trail_0.shape[0] - 1)
    last_1 = np.int32(trail_1.shape[0] - 1)
    mask = np.int32(roles)
    for k in range(cells.shape[0]):
        cell = max(cells[k], _0)
        if states[k] & mask:
            found[k] = trail_1[np.uint32(min(cell, last_1))]
        else:
            found[k] = trail_0[np.uint32(min(cell, last_0))]
    for k in range(cells.shape[0]):
        bits = found[k]
        order = bits ^ np.int32(0x7FFFFFFF) if bits < 0 else bits
        found[k] = np.int32(BLOCKED) if cells[k] < 0 else order


@kernel(error_model="numpy")
def stronger_sides(low, middle, high, bits, found):
    """Write the side of the strongest sensor: 0 ahead, 1 the lower angle, 2 the higher one."""
    for k in range(low.shape[0]):
        turns = (low[k] > middle[k]) | (high[k] > middle[k])
        to_low = (low[k] > high[k]) | ((low[k] == high[k]) & (bits[k] & _1 == 0))
        side = np.int32(1) if to_low else np.int32(2)
        found[k] = side if turns else np.int32(0)


@kernel(error_model="numpy")
def add_free_sides(lows, middles, highs, bits, found):
    """Add the free side to the sides: 0 ahead, 4 back, 8 the lower angle, 12 the higher one."""
    for k in range(lows.shape[0]):
        low_blocked = lows[k] < 0
        high_blocked = highs[k] < 0
        to_low = high_blocked | ((not low_blocked) & (bits[k] & _1 == 0))
        side = np.int32(8) if to_low else np.int32(12)
        side = np.int32(4) if low_blocked & high_blocked else side
        found[k] = np.int32(found[k] + side) if middles[k] < 0 else found[k]


@kernel
def side_vectors(rule, alongs, acrosses):
    """Write the vector of each sum of `stronger_sides` and `add_free_sides`."""
    for free in range(4):
        for side in range(3):
            along = 1 << 22
            across = 0
            if side > 0:
                along += rule.follow * rule.cosine
                across += rule.follow * rule.sine * (-1 if side == 1 else 1)
            if free == 1:
                along -= rule.avoid << 14
            elif free > 1:
                along += rule.avoid * rule.cosine
                across += rule.avoid * rule.sine * (-1 if free == 2 else 1)
            alongs[free * 4 + side], acrosses[free * 4 + side] = along, across
