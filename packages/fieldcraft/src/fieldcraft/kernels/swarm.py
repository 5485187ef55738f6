"""Agents in whole numbers.

Agents are served a block at a time, in passes over short arrays: those that only reckon become
vector code, and those that look into layers wait for many cells at once. Numbers are cut to 32 bits
as they come up, so that a vector holds twice as many.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.swarm_layout import (
    LONGEST_SINCE,
    NO_LAYER,
    ROLE,
    Rule,
    Sights,
    circle,
    packed,
)
from fieldcraft.kernels.swarm_marks import arrange, forage, leave
from fieldcraft.kernels.swarm_pulls import align, angle_of, angles, slide
from fieldcraft.kernels.swarm_senses import close, frees, look, places, sides, smell, wishes

__all__ = [
    "LONGEST_SINCE",
    "NO_LAYER",
    "ROLE",
    "Rule",
    "Sights",
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
_OTHERS = np.int32(-65536)  # the bits of a mind that are no heading
_HEADING = np.int32(0xFFFF)


@kernel
def _mix(number):
    number = np.uint32((number ^ (number >> _16)) * _FIRST)
    number = np.uint32((number ^ (number >> _15)) * _SECOND)
    return np.uint32(number ^ (number >> _16))


@kernel(error_model="numpy", inline="never")
def _throw(numbers, key, step, dies):
    inner = _mix(np.uint32(np.uint32(key) + _GOLDEN))
    salt = np.uint32(np.uint32(step) * _STEP)
    for k in range(numbers.shape[0]):
        dies[k] = _mix(np.uint32(_mix(np.uint32(inner + numbers[k])) + salt))


@kernel(error_model="numpy", inline="never")
def _turn(mind, dies, changes, wander, turn):
    """Heads turned, no further than they may be; roles and counts stay."""
    spread = np.uint32(2 * wander + 1)
    aside = np.int32(wander)
    most = np.int32(turn)
    for k in range(mind.shape[0]):
        change = np.int32(((changes[k] + np.int32(0x8000)) & _HEADING) - np.int32(0x8000))
        die = np.int32(np.uint32(np.uint32(dies[k] >> _16) * spread) >> _16)
        change = np.int32(np.int32(change + die) - aside)
        change = min(max(change, np.int32(-most)), most)
        mind[k] = np.int32((mind[k] & _OTHERS) | (np.int32(mind[k] + change) & _HEADING))


@kernel(error_model="numpy", inline="never")
def _pieces(mind, ways, stride, dx, dy):
    """The pieces of steps along headings."""
    piece = np.int32(stride)
    half = np.int32(1 << 13)
    for k in range(mind.shape[0]):
        dx[k] = ways[np.uint32(mind[k] & _HEADING) >> np.uint32(4)]
    for k in range(mind.shape[0]):
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


@kernel(error_model="numpy", inline="never")
def _go(at, there, cells, along, bounced, size):
    """Go there where a cell is free, round a torus of a `size`, or bounce."""
    around = np.int32(size)
    for k in range(at.shape[0]):
        free = cells[k] >= 0
        place = there[k]
        place = np.int32(place + around) if place < 0 else place
        place = np.int32(place - around) if place >= around else place
        at[k] = place if free else at[k]
        along[k] = along[k] if free else np.int32(-along[k])
        bounced[k] ^= _0 if free else _1


@kernel(error_model="numpy", inline="never")
def _sum(one, other, found):
    for k in range(one.shape[0]):
        found[k] = np.int32(one[k] + other[k])


@kernel(error_model="numpy", inline="never")
def _bounce(mind, bounced_x, bounced_y):
    for k in range(mind.shape[0]):
        heading = np.int32(mind[k])
        heading = np.int32(np.int32(0x8000) - heading) if bounced_x[k] else heading
        heading = np.int32(-heading) if bounced_y[k] else heading
        mind[k] = np.int32((mind[k] & _OTHERS) | (heading & _HEADING))


@kernel(error_model="numpy", inline="never")
def _chosen(which, of, found):
    for k in range(which.shape[0]):
        found[k] = of[np.uint32(which[k])]


@kernel(
    "u4[::1], (u4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1]),"
    " i4[:,::1], (i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8), b1, i8,"
    " i8, i8, out i4[:,::1]",
    error_model="numpy",
)
def walk(numbers, seen, table, how, blank, step, first, last, agents):
    """One step of the agents [first, last) of (3, N), in place; without walls the map is `blank`.
    The tuples are a Sights and a Rule.
    """
    sights, rule = Sights(*seen), Rule(*how)
    height, width = rule.height, rule.width
    wrap = rule.wrap != 0
    ground = sights.closed, blank, height, width, wrap
    senses = (rule.follow != 0) | (rule.avoid != 0)
    by_vectors = (rule.align != 0) | (rule.separate != 0) | (rule.cohere != 0)
    roles = 0 if sights.trail_0.ctypes.data == sights.trail_1.ctypes.data else ROLE
    ways = np.empty(table.shape[0], np.int32)  # cosine and sine side by side, to be fetched at once
    for k in range(table.shape[0]):
        ways[k] = np.int32((table[k, 0] & 0xFFFF) | (table[k, 1] << 16))
    alongs, acrosses = np.zeros(16, np.int32), np.zeros(16, np.int32)
    wishes(rule, alongs, acrosses)
    turns = np.zeros(16, np.int32)
    for k in range(16):
        turns[k] = angle_of(alongs[k] >> 4, acrosses[k] >> 4)
    room, all_dies = np.empty((12, _BLOCK), np.int32), np.empty(_BLOCK, np.uint32)
    for start in range(first, last, _BLOCK):
        count = min(last - start, _BLOCK)
        x, y = agents[0, start : start + count], agents[1, start : start + count]
        mind = agents[2, start : start + count]
        side, changes, lows = room[0, :count], room[1, :count], room[2, :count]
        middles, highs, low = room[3, :count], room[4, :count], room[5, :count]
        middle, high, one = room[6, :count], room[7, :count], room[8, :count]
        other, along, across = room[9, :count], room[10, :count], room[11, :count]
        dies = all_dies[:count]
        _throw(numbers[start : start + count], rule.key, step, dies)
        side[:] = 0
        if senses or rule.align != 0:
            look(x, y, mind, 0, ways, rule.distance, one, other)
            places(one, other, height, width, wrap, middles)
            if not blank:
                close(sights.closed, middles, one)
        if senses:
            look(x, y, mind, -rule.angle, ways, rule.distance, one, other)
            places(one, other, height, width, wrap, lows)
            look(x, y, mind, rule.angle, ways, rule.distance, one, other)
            places(one, other, height, width, wrap, highs)
            if not blank:
                close(sights.closed, lows, one)
                close(sights.closed, highs, one)
            if rule.follow != 0:
                smell(sights.trail_0, sights.trail_1, roles, mind, lows, low)
                smell(sights.trail_0, sights.trail_1, roles, mind, middles, middle)
                smell(sights.trail_0, sights.trail_1, roles, mind, highs, high)
                sides(low, middle, high, dies, side)
            if rule.avoid != 0:
                frees(lows, middles, highs, dies, side)
        if by_vectors:
            _chosen(side, alongs, along)
            _chosen(side, acrosses, across)
            if rule.align != 0:
                align(
                    sights.flow_x_0,
                    sights.flow_y_0,
                    sights.flow_x_1,
                    sights.flow_y_1,
                    mind,
                    middles,
                    table,
                    rule.flip != 0,
                    rule.align,
                    along,
                    across,
                )
            if rule.separate != 0:
                slide(sights.crowd, ground, x, y, mind, table, -rule.separate, along, across)
            if rule.cohere != 0:
                slide(sights.group, ground, x, y, mind, table, rule.cohere, along, across)
            angles(along, across, changes)
        else:
            _chosen(side, turns, changes)
        _turn(mind, dies, changes, rule.wander, rule.turn)
        dx, dy = along, across
        bounced_x, bounced_y = low, high
        _pieces(mind, ways, rule.stride, dx, dy)
        bounced_x[:], bounced_y[:] = 0, 0
        for _ in range(rule.pieces):
            _sum(x, dx, one)
            places(one, y, height, width, wrap, middles)
            if not blank:
                close(sights.closed, middles, other)
            _go(x, one, middles, dx, bounced_x, width << 16)
            _sum(y, dy, one)
            places(x, one, height, width, wrap, middles)
            if not blank:
                close(sights.closed, middles, other)
            _go(y, one, middles, dy, bounced_y, height << 16)
        _bounce(mind, bounced_x, bounced_y)
