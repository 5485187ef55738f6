"""Directions that layers give to the agents of a swarm: flows, slopes, and angles of vectors.

Loops that only compute have no branches and become vector code; loops that read layers do nothing
else. `scratch` is (8, B), for blocks of at most B agents.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.agents.swarm_layout import ATANS, ROLE, STEEPEST
from fieldcraft.kernels.agents.swarm_senses import cells_at, mark_walls
from fieldcraft.kernels.compiling.declare import kernel

__all__ = ["align", "angles", "follow_slope"]

_ATANS = np.array(ATANS, dtype=np.int32)
_0 = np.int32(0)
_1 = np.int32(1)
_4 = np.int32(4)
_8 = np.int32(8)
_16 = np.int32(16)
_23 = np.int32(23)
_31 = np.int32(31)
_EXPONENT = np.int32(0xFF)
_FRACTION = np.int32(0x7FFFFF)
_LEADING = np.int32(0x800000)
_HEADING = np.int32(0xFFFF)
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
        u = np.int32(along[n] >> _4)
        v = np.int32(across[n] >> _4)
        none[n] = (u == 0) & (v == 0)
        behind = np.int32(u >> _31)  # -1 behind, else 0
        along[n] = np.int32(np.int32(u ^ behind) - behind)
        across[n] = np.int32(np.int32(v ^ behind) - behind)
        turned[n] = np.uint32(behind) << np.uint32(31)
    for k in range(16):
        turn = _ATANS[k]
        shift = np.int32(k)
        for n in range(count):
            u = along[n]
            v = across[n]
            below = np.int32(v >> _31)  # -1 below, where what follows changes its sign, else 0
            by_u = np.int32(np.int32(np.int32(u >> shift) ^ below) - below)
            by_v = np.int32(np.int32(np.int32(v >> shift) ^ below) - below)
            by_turn = np.int32(np.int32(turn ^ below) - below)
            along[n] = np.int32(u + by_v)
            across[n] = np.int32(v - by_u)
            turned[n] = np.uint32(turned[n] + np.uint32(by_turn))
    for n in range(count):
        angle = np.int32(np.uint32(turned[n] + np.uint32(1 << 15)) >> np.uint32(16))
        found[n] = _0 if none[n] else angle


@kernel
def _exponent(bits):
    """Return the exponent in the bits of a float32."""
    return np.int32(np.int32(bits >> _23) & _EXPONENT)


@kernel
def _scaled(bits, top):
    """Return the bits of a float32 as a whole number of 20 bits and a sign, relative to `top`."""
    exponent = _exponent(bits)
    shift = min(np.int32(np.int32(top - exponent) + _4), _31)
    size = np.int32(np.int32(np.int32(bits & _FRACTION) | _LEADING) >> shift)
    size = size if exponent != 0 else _0
    return np.int32(-size) if bits < 0 else size


@kernel(error_model="numpy")
def _directions_of(states, turns, directions, found):
    """Write the directions at angles seen from headings."""
    for k in range(states.shape[0]):
        turn = np.int32(np.int32(turns[k] - states[k]) & _HEADING)
        found[k] = directions[np.uint32(turn) >> np.uint32(4)]


@kernel(error_model="numpy")
def align(
    flow_x_0,
    flow_y_0,
    flow_x_1,
    flow_y_1,
    states,
    cells,
    directions,
    flip,
    weight,
    scratch,
    along,
    across,
):
    """Add the direction of the flow of each agent's role in its cell."""
    count = cells.shape[0]
    xs = scratch[0, :count]
    ys = scratch[1, :count]
    pulls = scratch[2, :count]
    turns = scratch[3, :count]
    last_0 = np.int32(flow_x_0.shape[0] - 1)
    last_1 = np.int32(flow_x_1.shape[0] - 1)
    for k in range(count):
        cell = max(cells[k], _0)
        if states[k] & ROLE:
            xs[k] = flow_x_1[np.uint32(min(cell, last_1))]
            ys[k] = flow_y_1[np.uint32(min(cell, last_1))]
        else:
            xs[k] = flow_x_0[np.uint32(min(cell, last_0))]
            ys[k] = flow_y_0[np.uint32(min(cell, last_0))]
    up = np.int32(-1 if flip else 0)
    most = np.int32(weight)
    for k in range(count):
        bits_x = xs[k]
        bits_y = ys[k]
        top = max(_exponent(bits_x), _exponent(bits_y))
        x = _scaled(bits_x, top)
        y = _scaled(bits_y, top)
        xs[k] = np.int32(x << _4)
        ys[k] = np.int32(np.int32(np.int32(y ^ up) - up) << _4)
        flows = (cells[k] >= 0) & (np.int32(x | y) != 0)
        pulls[k] = most if flows else _0
    angles(xs, ys, turns)
    _directions_of(states, turns, directions, xs)
    for k in range(count):
        both = xs[k]
        cosine = np.int32(np.int32(both << _16) >> _16)
        sine = np.int32(both >> _16)
        along[k] = np.int32(along[k] + np.int32(pulls[k] * cosine))
        across[k] = np.int32(across[k] + np.int32(pulls[k] * sine))


@kernel(error_model="numpy")
def _steep(difference, total):
    """Return a part of a positive total in 2**-8; cut quotients of doubles are exact here."""
    size = np.float64(abs(difference)) * np.float64(STEEPEST)
    share = np.int32(min(size / np.float64(total), np.float64(STEEPEST)))
    return np.int32(-share) if difference < 0 else share


@kernel(error_model="numpy")
def follow_slope(
    layer, wall_bits, no_walls, size, wrap, x, y, states, directions, weight, scratch, along, across
):
    """Add the relative slope of a layer: uphill, or downhill with a negative weight."""
    height, width = size
    count = x.shape[0]
    here = scratch[0, :count]
    cells = scratch[5, :count]
    there_x = scratch[6, :count]
    there_y = scratch[7, :count]
    for side in range(5):
        right = _RIGHT[side]
        down = _DOWN[side]
        for k in range(count):
            there_x[k] = np.int32(x[k] + right)
            there_y[k] = np.int32(y[k] + down)
        cells_at(there_x, there_y, height, width, wrap, cells)
        if not no_walls:
            mark_walls(wall_bits, cells, there_x)
        beside = scratch[side, :count]
        for k in range(count):
            beside[k] = layer[np.uint32(max(cells[k], _0))]
        for k in range(count):
            beside[k] = beside[k] if cells[k] >= 0 else here[k]
    slope_x = cells
    slope_y = there_x
    for k in range(count):
        right = scratch[1, k]
        left = scratch[2, k]
        below = scratch[3, k]
        above = scratch[4, k]
        top = max(_exponent(here[k]), _exponent(right), _exponent(left))
        top = max(top, _exponent(below), _exponent(above))
        to_right = _scaled(right, top)
        to_left = _scaled(left, top)
        to_below = _scaled(below, top)
        to_above = _scaled(above, top)
        total = np.int32(np.int32(_scaled(here[k], top) + to_right) + to_left)
        total = np.int32(np.int32(total + to_below) + to_above)
        steep_x = _steep(np.int32(to_right - to_left), max(total, _1))
        steep_y = _steep(np.int32(to_below - to_above), max(total, _1))
        slope_x[k] = steep_x if total > 0 else _0
        slope_y[k] = steep_y if total > 0 else _0
    for k in range(count):
        there_y[k] = directions[np.uint32(states[k] & _HEADING) >> np.uint32(4)]
    most = np.int32(weight)
    for k in range(count):
        both = there_y[k]
        cosine = np.int32(np.int32(both << _16) >> _16)
        sine = np.int32(both >> _16)
        ahead = np.int32(np.int32(slope_x[k] * cosine) + np.int32(slope_y[k] * sine))
        aside = np.int32(np.int32(slope_y[k] * cosine) - np.int32(slope_x[k] * sine))
        along[k] = np.int32(along[k] + np.int32(most * np.int32(ahead >> _8)))
        across[k] = np.int32(across[k] + np.int32(most * np.int32(aside >> _8)))
