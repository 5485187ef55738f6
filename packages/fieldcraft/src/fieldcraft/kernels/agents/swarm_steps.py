"""Steps of the agents of a swarm, in whole numbers.

Agents are processed in blocks, in loops over short arrays: loops that only compute become vector
code, and loops that read layers have many memory accesses in flight. Numbers are cut to 32 bits at
once, so that a vector holds twice as many.

Elements are assigned plainly. With `bits[k] ^= a if b else c` Numba counts references to `bits` at
each element, and the loop takes ten times as long.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.agents.swarm_layout import (
    INPUTS,
    LONGEST_SINCE,
    NO_LAYER,
    ROLE,
    RULE,
    Inputs,
    Rule,
    circle,
    packed,
)
from fieldcraft.kernels.agents.swarm_marks import arrange, forage, leave
from fieldcraft.kernels.agents.swarm_pulls import align, angles, follow_slope
from fieldcraft.kernels.agents.swarm_senses import (
    add_free_sides,
    cells_at,
    mark_walls,
    read_trail,
    sensor_positions,
    side_vectors,
    stronger_sides,
)
from fieldcraft.kernels.compiling.declare import kernel

__all__ = [
    "LONGEST_SINCE",
    "NO_LAYER",
    "ROLE",
    "Inputs",
    "Rule",
    "arrange",
    "circle",
    "forage",
    "leave",
    "packed",
    "walk",
]

_BLOCK = 512
_0 = np.int32(0)
_1 = np.int32(1)
_15 = np.uint32(15)
_16 = np.uint32(16)
_FIRST = np.uint32(0x7FEB352D)
_SECOND = np.uint32(0x846CA68B)
_STEP = np.uint32(0x85EBCA6B)
_GOLDEN = np.uint32(0x9E3779B9)
_OTHERS = np.int32(-65536)  # the bits of a state that are no heading
_HEADING = np.int32(0xFFFF)


@kernel
def _mix(number):
    """Return a number of 32 bits with its bits mixed: a bijection whose results look random."""
    number = np.uint32((number ^ (number >> _16)) * _FIRST)
    number = np.uint32((number ^ (number >> _15)) * _SECOND)
    return np.uint32(number ^ (number >> _16))


@kernel(error_model="numpy")
def _draw(numbers, key, step, bits):
    """Write 32 random bits of each agent at a step, which follow from the key, its number and the
    step.
    """
    inner = _mix(np.uint32(np.uint32(key) + _GOLDEN))
    salt = np.uint32(np.uint32(step) * _STEP)
    for k in range(numbers.shape[0]):
        bits[k] = _mix(np.uint32(_mix(np.uint32(inner + numbers[k])) + salt))


@kernel(error_model="numpy")
def _turn(states, bits, changes, wander, turn):
    """Turn headings by at most `turn`; roles and counts stay."""
    spread = np.uint32(2 * wander + 1)
    aside = np.int32(wander)
    most = np.int32(turn)
    for k in range(states.shape[0]):
        change = np.int32(((changes[k] + np.int32(0x8000)) & _HEADING) - np.int32(0x8000))
        change_by = np.int32(np.uint32(np.uint32(bits[k] >> _16) * spread) >> _16)
        change = np.int32(np.int32(change + change_by) - aside)
        change = min(max(change, np.int32(-most)), most)
        states[k] = np.int32((states[k] & _OTHERS) | (np.int32(states[k] + change) & _HEADING))


@kernel(error_model="numpy")
def _step_pieces(states, directions, stride, dx, dy):
    """Write the pieces of steps along headings to `dx` and `dy`."""
    piece = np.int32(stride)
    half = np.int32(1 << 13)
    for k in range(states.shape[0]):
        dx[k] = directions[np.uint32(states[k] & _HEADING) >> np.uint32(4)]
    for k in range(states.shape[0]):
        both = dx[k]
        dx[k] = np.int32(
            np.int32(
                np.int32(np.int32(np.int32(both << np.int32(16)) >> np.int32(16)) * piece) + half
            )
            >> np.int32(14)
        )
        dy[k] = np.int32(
            np.int32(np.int32(np.int32(both >> np.int32(16)) * piece) + half) >> np.int32(14)
        )


@kernel(error_model="numpy")
def _move(at, there, cells, along, bounced, size):
    """Move along one axis to free cells, on a torus of this `size` across its edge; otherwise
    reverse the direction and mark the agent as bounced.
    """
    around = np.int32(size)
    for k in range(at.shape[0]):
        free = cells[k] >= 0
        place = there[k]
        place = np.int32(place + around) if place < 0 else place
        place = np.int32(place - around) if place >= around else place
        at[k] = place if free else at[k]
        along[k] = along[k] if free else np.int32(-along[k])
        bounced[k] = bounced[k] if free else np.int32(bounced[k] ^ _1)


@kernel(error_model="numpy")
def _add(one, other, found):
    """Write the sums of two columns, which overflow as integers of 32 bits do."""
    for k in range(one.shape[0]):
        found[k] = np.int32(one[k] + other[k])


@kernel(error_model="numpy")
def _bounce(states, bounced_x, bounced_y):
    """Turn the headings of agents that could not move along an axis: mirror them there."""
    for k in range(states.shape[0]):
        heading = np.int32(states[k])
        heading = np.int32(np.int32(0x8000) - heading) if bounced_x[k] else heading
        heading = np.int32(-heading) if bounced_y[k] else heading
        states[k] = np.int32((states[k] & _OTHERS) | (heading & _HEADING))


@kernel(error_model="numpy")
def _gather(which, of, found):
    """Write the entries of a table at the indices `which`."""
    for k in range(which.shape[0]):
        found[k] = of[np.uint32(which[k])]


@kernel(
    f"u4[::1], {INPUTS}, i4[:,::1], {RULE}, b1, i8, i8, i8, out i4[:,::1]",
    error_model="numpy",
)
def walk(numbers, inputs, circle_table, rule, no_walls, step, first, last, agents):
    """Take one step of the agents [first, last) of (3, N), in place."""
    height = rule.height
    width = rule.width
    wrap = rule.wrap
    senses = (rule.follow != 0) | (rule.avoid != 0)
    by_vectors = (rule.align != 0) | (rule.separate != 0) | (rule.cohere != 0)
    roles = 0 if inputs.trail_0.ctypes.data == inputs.trail_1.ctypes.data else ROLE
    directions = np.empty(circle_table.shape[0], np.int32)  # cosine and sine in one word
    for k in range(circle_table.shape[0]):
        directions[k] = np.int32((circle_table[k, 0] & 0xFFFF) | (circle_table[k, 1] << 16))
    alongs, acrosses = np.zeros(16, np.int32), np.zeros(16, np.int32)
    side_vectors(rule, alongs, acrosses)
    turns = np.zeros(16, np.int32)
    angles(alongs.copy(), acrosses.copy(), turns)
    scratch, all_bits = np.empty((12, _BLOCK), np.int32), np.empty(_BLOCK, np.uint32)
    pulls = np.empty((8, _BLOCK), np.int32)
    for start in range(first, last, _BLOCK):
        count = min(last - start, _BLOCK)
        x, y = agents[0, start : start + count], agents[1, start : start + count]
        states = agents[2, start : start + count]
        side = scratch[0, :count]
        changes = scratch[1, :count]
        lows = scratch[2, :count]
        middles = scratch[3, :count]
        highs = scratch[4, :count]
        low = scratch[5, :count]
        middle = scratch[6, :count]
        high = scratch[7, :count]
        one = scratch[8, :count]
        other = scratch[9, :count]
        along = scratch[10, :count]
        across = scratch[11, :count]
        bits = all_bits[:count]
        _draw(numbers[start : start + count], rule.key, step, bits)
        side[:] = 0
        if senses or rule.align != 0:
            sensor_positions(x, y, states, 0, directions, rule.distance, one, other)
            cells_at(one, other, height, width, wrap, middles)
            if not no_walls:
                mark_walls(inputs.wall_bits, middles, one)
        if senses:
            sensor_positions(x, y, states, -rule.angle, directions, rule.distance, one, other)
            cells_at(one, other, height, width, wrap, lows)
            sensor_positions(x, y, states, rule.angle, directions, rule.distance, one, other)
            cells_at(one, other, height, width, wrap, highs)
            if not no_walls:
                mark_walls(inputs.wall_bits, lows, one)
                mark_walls(inputs.wall_bits, highs, one)
            if rule.follow != 0:
                read_trail(inputs.trail_0, inputs.trail_1, roles, states, lows, low)
                read_trail(inputs.trail_0, inputs.trail_1, roles, states, middles, middle)
                read_trail(inputs.trail_0, inputs.trail_1, roles, states, highs, high)
                stronger_sides(low, middle, high, bits, side)
            if rule.avoid != 0:
                add_free_sides(lows, middles, highs, bits, side)
        if by_vectors:
            _gather(side, alongs, along)
            _gather(side, acrosses, across)
            if rule.align != 0:
                align(
                    inputs.flow_x_0,
                    inputs.flow_y_0,
                    inputs.flow_x_1,
                    inputs.flow_y_1,
                    states,
                    middles,
                    directions,
                    rule.flip != 0,
                    rule.align,
                    pulls,
                    along,
                    across,
                )
            for layer, weight in ((inputs.crowd, -rule.separate), (inputs.group, rule.cohere)):
                if weight != 0:
                    follow_slope(
                        layer,
                        inputs.wall_bits,
                        no_walls,
                        (height, width),
                        wrap,
                        x,
                        y,
                        states,
                        directions,
                        weight,
                        pulls,
                        along,
                        across,
                    )
            angles(along, across, changes)
        else:
            _gather(side, turns, changes)
        _turn(states, bits, changes, rule.wander, rule.turn)
        dx, dy = along, across
        bounced_x, bounced_y = low, high
        _step_pieces(states, directions, rule.stride, dx, dy)
        bounced_x[:], bounced_y[:] = 0, 0
        for _ in range(rule.pieces):
            _add(x, dx, one)
            cells_at(one, y, height, width, wrap, middles)
            if not no_walls:
                mark_walls(inputs.wall_bits, middles, other)
            _move(x, one, middles, dx, bounced_x, width << 16)
            _add(y, dy, one)
            cells_at(x, one, height, width, wrap, middles)
            if not no_walls:
                mark_walls(inputs.wall_bits, middles, other)
            _move(y, one, middles, dy, bounced_y, height << 16)
        _bounce(states, bounced_x, bounced_y)
