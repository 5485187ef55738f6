"""The senses of agents of a swarm: the cells that their sensors lie in, what they smell there, and
to which side that leads.

The bits are those of `tests/oracles/swarm`. Loops that only reckon become vector
code, and those that fetch from arrays do
nothing else: mixed, neither would be fast.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.swarm_layout import SHUT

__all__ = ["close", "frees", "look", "places", "sides", "smell", "wishes"]

_0 = np.int32(0)
_1 = np.uint32(1)
_5 = np.uint32(5)
_16 = np.int32(16)
_31 = np.uint32(31)
_NOWHERE = np.int32(-1)


@kernel(error_model="numpy", inline="never")
def places(x, y, height, width, wrap, cells):
    """The cells at places less than a map away; -1 off the map."""
    wide = np.int32(width)
    high = np.int32(height)
    if wrap:
        for k in range(x.shape[0]):
            column, row = np.int32(x[k] >> _16), np.int32(y[k] >> _16)
            column = np.int32(column + wide) if column < 0 else column
            column = np.int32(column - wide) if column >= wide else column
            row = np.int32(row + high) if row < 0 else row
            row = np.int32(row - high) if row >= high else row
            cells[k] = np.int32(np.int32(row * wide) + column)
    else:
        for k in range(x.shape[0]):
            column, row = np.int32(x[k] >> _16), np.int32(y[k] >> _16)
            inside = (np.uint32(column) < np.uint32(wide)) & (np.uint32(row) < np.uint32(high))
            cells[k] = np.int32(np.int32(row * wide) + column) if inside else _NOWHERE


@kernel(error_model="numpy", inline="never")
def close(closed, cells, words):
    """Cells in walls become -1; `words` is scratch."""
    for k in range(cells.shape[0]):
        words[k] = np.int32(closed[np.uint32(max(cells[k], _0)) >> _5])
    for k in range(cells.shape[0]):
        shut = (np.uint32(words[k]) >> (np.uint32(cells[k]) & _31)) & _1
        cells[k] = _NOWHERE if shut else cells[k]


@kernel(error_model="numpy", inline="never")
def look(x, y, mind, turned, ways, distance, there_x, there_y):
    """The places of sensors at a distance, on headings turned by an angle."""
    far = np.int32(distance)
    turn = np.int32(turned)
    for k in range(x.shape[0]):
        there_x[k] = ways[np.uint32((mind[k] + turn) & np.int32(0xFFFF)) >> np.uint32(4)]
    for k in range(x.shape[0]):
        both = there_x[k]
        there_x[k] = np.int32(x[k] + np.int32(np.int32(np.int32(both << _16) >> _16) * far))
        there_y[k] = np.int32(y[k] + np.int32(np.int32(both >> _16) * far))


@kernel(error_model="numpy", inline="never")
def smell(trail_0, trail_1, roles, mind, cells, found):
    """The values in cells of the trail of each role, as whole numbers that compare as floats do; of
    trail 0 for all if `roles` is 0.
    """
    last_0 = np.int32(trail_0.shape[0] - 1)
    last_1 = np.int32(trail_1.shape[0] - 1)
    mask = np.int32(roles)
    for k in range(cells.shape[0]):
        cell = max(cells[k], _0)
        if mind[k] & mask:
            found[k] = trail_1[np.uint32(min(cell, last_1))]
        else:
            found[k] = trail_0[np.uint32(min(cell, last_0))]
    for k in range(cells.shape[0]):
        bits = found[k]
        order = bits ^ np.int32(0x7FFFFFFF) if bits < 0 else bits
        found[k] = np.int32(SHUT) if cells[k] < 0 else order


@kernel(error_model="numpy", inline="never")
def sides(low, middle, high, dies, found):
    """To which side the strongest sensor lies: 0 for ahead, 1 for the lower one, 2 for the higher
    one.
    """
    for k in range(low.shape[0]):
        turns = (low[k] > middle[k]) | (high[k] > middle[k])
        to_low = (low[k] > high[k]) | ((low[k] == high[k]) & (dies[k] & _1 == 0))
        side = np.int32(1) if to_low else np.int32(2)
        found[k] = side if turns else np.int32(0)


@kernel(error_model="numpy", inline="never")
def frees(lows, middles, highs, dies, found):
    """Where it is free: 0 for ahead, 4 for back, 8 for the lower side, 12 for the higher one; added
    to the sides.
    """
    for k in range(lows.shape[0]):
        low_shut = lows[k] < 0
        high_shut = highs[k] < 0
        to_low = high_shut | ((not low_shut) & (dies[k] & _1 == 0))
        side = np.int32(8) if to_low else np.int32(12)
        side = np.int32(4) if low_shut & high_shut else side
        found[k] += side if middles[k] < 0 else np.int32(0)


@kernel
def wishes(rule, alongs, acrosses):
    """The sum of each of the sides of `sides` and `frees`."""
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
