"""Agents in whole numbers, fast: the same bits as `fieldcraft.kernels.reference.swarm`.

Agents are served a block at a time, in passes over short arrays: those that only reckon become vector code, and those that look into layers
wait for many cells at once. Numbers are cut to 32 bits as they come up, so that a vector holds twice as many.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.reference.swarm import (
    ATANS,
    LONGEST_SINCE,
    NO_LAYER,
    ROLE,
    SHUT,
    SINCE,
    STEEPEST,
    Rule,
    Sights,
    circle,
    packed,
)

__all__ = ["LONGEST_SINCE", "NO_LAYER", "ROLE", "Rule", "Sights", "arrange", "circle", "forage", "leave", "packed", "walk"]

_BLOCK = 512
_ATANS = np.array(ATANS, dtype=np.uint32)
_1 = np.uint32(1)
_5 = np.uint32(5)
_15 = np.uint32(15)
_16 = np.uint32(16)
_31 = np.uint32(31)
_FIRST = np.uint32(0x7FEB352D)
_SECOND = np.uint32(0x846CA68B)
_STEP = np.uint32(0x85EBCA6B)
_GOLDEN = np.uint32(0x9E3779B9)
_HALF = np.uint32(1 << 31)


@kernel
def _mix(number):
    number = np.uint32((number ^ (number >> _16)) * _FIRST)
    number = np.uint32((number ^ (number >> _15)) * _SECOND)
    return np.uint32(number ^ (number >> _16))


@kernel
def _angle_of(along, across):
    """The direction of a vector; see the reference."""
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
            u = np.int32(u + by_v)
            v = np.int32(v - by_u)
            found = np.uint32(found + turn)
        else:
            u = np.int32(u - by_v)
            v = np.int32(v + by_u)
            found = np.uint32(found - turn)
    return np.int32(np.uint32(found + np.uint32(1 << 15)) >> _16)


@kernel(error_model="numpy", inline="never")
def _angles(along, across, found):
    """The directions of vectors, 16 times as long as the reference's."""
    count = along.shape[0]
    turned = np.empty(count, np.uint32)
    none = np.empty(count, np.uint8)
    for n in range(count):
        u = along[n] >> 4
        v = across[n] >> 4
        none[n] = (u == 0) & (v == 0)
        behind = u < 0
        along[n] = -u if behind else u
        across[n] = -v if behind else v
        turned[n] = _HALF if behind else np.uint32(0)
    for k in range(16):
        turn = _ATANS[k]
        for n in range(count):
            u = along[n]
            v = across[n]
            by_u = np.int32(u >> k)
            by_v = np.int32(v >> k)
            up = v >= 0
            along[n] = np.int32(u + by_v) if up else np.int32(u - by_v)
            across[n] = np.int32(v - by_u) if up else np.int32(v + by_u)
            turned[n] = np.uint32(turned[n] + turn) if up else np.uint32(turned[n] - turn)
    for n in range(count):
        found[n] = np.int32(0) if none[n] else np.int32(np.uint32(turned[n] + np.uint32(1 << 15)) >> _16)


@kernel
def _is_shut(closed, cell):
    return (closed[np.uint32(cell) >> _5] >> (np.uint32(cell) & _31)) & _1


@kernel
def _cell(closed, blank, height, width, wrap, x, y):
    """The cell at a place less than a map away, or -1."""
    column = x >> 16
    row = y >> 16
    if wrap:
        column = column + width if column < 0 else column
        column = column - width if column >= width else column
        row = row + height if row < 0 else row
        row = row - height if row >= height else row
    elif column < 0 or row < 0 or column >= width or row >= height:
        return np.int32(-1)
    cell = np.int32(row * width + column)
    if not blank and _is_shut(closed, cell):
        return np.int32(-1)
    return cell


@kernel(error_model="numpy", inline="never")
def _take(agents, numbers, key, step, first, x, y, mind, dies):
    inner = _mix(np.uint32(np.uint32(key) + _GOLDEN))
    salt = np.uint32(np.uint32(step) * _STEP)
    for k in range(x.shape[0]):
        x[k] = agents[0, first + k]
        y[k] = agents[1, first + k]
        mind[k] = agents[2, first + k]
    for k in range(x.shape[0]):
        dies[k] = _mix(np.uint32(_mix(np.uint32(inner + numbers[first + k])) + salt))


@kernel(error_model="numpy", inline="never")
def _look(x, y, mind, turned, ways, height, width, wrap, distance, cells):
    """The cells of sensors at a distance, on headings turned by an angle; -1 off the map."""
    wide = np.int32(width)
    high = np.int32(height)
    far = np.int32(distance)
    turn = np.int32(turned)
    for k in range(x.shape[0]):
        which = np.uint32((mind[k] + turn) & 0xFFFF) >> np.uint32(4)
        both = ways[which]
        column = np.int32(np.int32(x[k] + np.int32(np.int32(np.int32(both << 16) >> 16) * far)) >> 16)
        row = np.int32(np.int32(y[k] + np.int32(np.int32(both >> 16) * far)) >> 16)
        if wrap:
            column = np.int32(column + wide) if column < 0 else column
            column = np.int32(column - wide) if column >= wide else column
            row = np.int32(row + high) if row < 0 else row
            row = np.int32(row - high) if row >= high else row
            cells[k] = np.int32(np.int32(row * wide) + column)
        else:
            inside = (np.uint32(column) < np.uint32(wide)) & (np.uint32(row) < np.uint32(high))
            cells[k] = np.int32(np.int32(row * wide) + column) if inside else np.int32(-1)


@kernel(error_model="numpy", inline="never")
def _close(closed, cells):
    """Cells in walls become -1."""
    for k in range(cells.shape[0]):
        cell = np.uint32(max(cells[k], np.int32(0)))
        shut = (closed[cell >> _5] >> (cell & _31)) & _1
        cells[k] = np.int32(-1) if shut else cells[k]


@kernel(error_model="numpy", inline="never")
def _smell(trail, cells, found):
    """The values that a trail reads in cells, as whole numbers that compare as floats do."""
    for k in range(cells.shape[0]):
        found[k] = trail[np.uint32(max(cells[k], np.int32(0)))]
    for k in range(cells.shape[0]):
        bits = found[k]
        order = bits ^ np.int32(0x7FFFFFFF) if bits < 0 else bits
        found[k] = np.int32(SHUT) if cells[k] < 0 else order


@kernel(error_model="numpy", inline="never")
def _smell_by_role(trail_0, trail_1, mind, cells, found):
    for k in range(cells.shape[0]):
        cell = np.uint32(max(cells[k], np.int32(0)))
        if mind[k] & ROLE:
            found[k] = trail_1[cell] if trail_1.shape[0] > 1 else 0
        else:
            found[k] = trail_0[cell] if trail_0.shape[0] > 1 else 0
    for k in range(cells.shape[0]):
        bits = found[k]
        order = bits ^ np.int32(0x7FFFFFFF) if bits < 0 else bits
        found[k] = np.int32(SHUT) if cells[k] < 0 else order


@kernel(error_model="numpy", inline="never")
def _sides(low, middle, high, dies, sides):
    """To which side the strongest sensor lies: 0 for ahead, 1 for the lower one, 2 for the higher one."""
    for k in range(low.shape[0]):
        turns = (low[k] > middle[k]) | (high[k] > middle[k])
        to_low = (low[k] > high[k]) | ((low[k] == high[k]) & (dies[k] & _1 == 0))
        side = np.int32(1) if to_low else np.int32(2)
        sides[k] = side if turns else np.int32(0)


@kernel(error_model="numpy", inline="never")
def _frees(lows, middles, highs, dies, sides):
    """Where it is free: 0 for ahead, 4 for back, 8 for the lower side, 12 for the higher one; added to the sides."""
    for k in range(lows.shape[0]):
        low_shut = lows[k] < 0
        high_shut = highs[k] < 0
        to_low = high_shut | ((not low_shut) & (dies[k] & _1 == 0))
        side = np.int32(8) if to_low else np.int32(12)
        side = np.int32(4) if low_shut & high_shut else side
        sides[k] += side if middles[k] < 0 else np.int32(0)


@kernel
def _wishes(rule, alongs, acrosses):
    """The sum of each of the sides of `_sides` and `_frees`."""
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
            alongs[free * 4 + side] = along
            acrosses[free * 4 + side] = across


@kernel
def _scaled(bits, top):
    """A float32's bits as a whole number of 20 bits and a sign, by the largest exponent."""
    field = (bits >> 23) & 0xFF
    if field == 0:
        return np.int32(0)
    size = np.int32(((bits & 0x7FFFFF) | 0x800000) >> min(top - field + 4, 31))
    return np.int32(-size) if bits < 0 else size


@kernel(error_model="numpy", inline="never")
def _align(flow_x_0, flow_y_0, flow_x_1, flow_y_1, mind, cells, table, flip, weight, along, across):
    for k in range(cells.shape[0]):
        cell = cells[k]
        if cell < 0:
            continue
        at = np.uint32(cell)
        if mind[k] & ROLE:
            bits_x = flow_x_1[at] if flow_x_1.shape[0] > 1 else 0
            bits_y = flow_y_1[at] if flow_y_1.shape[0] > 1 else 0
        else:
            bits_x = flow_x_0[at] if flow_x_0.shape[0] > 1 else 0
            bits_y = flow_y_0[at] if flow_y_0.shape[0] > 1 else 0
        top = max((bits_x >> 23) & 0xFF, (bits_y >> 23) & 0xFF)
        x = _scaled(bits_x, top)
        y = _scaled(bits_y, top)
        if x == 0 and y == 0:
            continue
        way = np.uint32((_angle_of(x, -y if flip else y) - mind[k]) & 0xFFFF) >> np.uint32(4)
        along[k] += np.int32(weight * table[way, 0])
        across[k] += np.int32(weight * table[way, 1])


@kernel(error_model="numpy")
def _steep(difference, total):
    """A share of the total in 2**-8; quotients of doubles are exact here once they are cut."""
    size = np.float64(-difference if difference < 0 else difference) * np.float64(STEEPEST)
    share = np.int32(min(np.floor(size / np.float64(total)), np.float64(STEEPEST)))
    return -share if difference < 0 else share


@kernel(error_model="numpy", inline="never")
def _slide(layer, closed, blank, height, width, wrap, x, y, mind, table, weight, along, across):
    """Along the relative slope of what is around: up it, or down it with a negative weight."""
    for k in range(x.shape[0]):
        own = _cell(closed, blank, height, width, wrap, x[k], y[k])
        here = layer[np.uint32(max(own, 0))] if own >= 0 else np.int32(0)
        column = x[k] >> 16
        row = y[k] >> 16
        if blank and column > 0 and row > 0 and column + 1 < width and row + 1 < height:
            right = layer[np.uint32(own + 1)]
            left = layer[np.uint32(own - 1)]
            below = layer[np.uint32(own + width)]
            above = layer[np.uint32(own - width)]
        else:
            at = _cell(closed, blank, height, width, wrap, x[k] + 65536, y[k])
            right = layer[np.uint32(max(at, 0))] if at >= 0 else here
            at = _cell(closed, blank, height, width, wrap, x[k] - 65536, y[k])
            left = layer[np.uint32(max(at, 0))] if at >= 0 else here
            at = _cell(closed, blank, height, width, wrap, x[k], y[k] + 65536)
            below = layer[np.uint32(max(at, 0))] if at >= 0 else here
            at = _cell(closed, blank, height, width, wrap, x[k], y[k] - 65536)
            above = layer[np.uint32(max(at, 0))] if at >= 0 else here
        top = max((here >> 23) & 0xFF, (right >> 23) & 0xFF, (left >> 23) & 0xFF, (below >> 23) & 0xFF, (above >> 23) & 0xFF)
        to_right = _scaled(right, top)
        to_left = _scaled(left, top)
        to_below = _scaled(below, top)
        to_above = _scaled(above, top)
        total = _scaled(here, top) + to_right + to_left + to_below + to_above
        if total <= 0:
            continue
        steep_x = _steep(to_right - to_left, total)
        steep_y = _steep(to_below - to_above, total)
        way = np.uint32(mind[k] & 0xFFFF) >> np.uint32(4)
        cosine = table[way, 0]
        sine = table[way, 1]
        along[k] += np.int32(weight * ((steep_x * cosine + steep_y * sine) >> 8))
        across[k] += np.int32(weight * ((steep_y * cosine - steep_x * sine) >> 8))


@kernel(error_model="numpy", inline="never")
def _turn(mind, dies, changes, wander, turn):
    """Heads turned, no further than they may be; roles and counts stay."""
    spread = np.uint32(2 * wander + 1)
    aside = np.int32(wander)
    most = np.int32(turn)
    for k in range(mind.shape[0]):
        change = np.int32(((changes[k] + np.int32(0x8000)) & np.int32(0xFFFF)) - np.int32(0x8000))
        die = np.int32(np.uint32(np.uint32(dies[k] >> _16) * spread) >> _16)
        change = np.int32(np.int32(change + die) - aside)
        change = min(max(change, np.int32(-most)), most)
        mind[k] = np.int32((mind[k] & np.int32(-65536)) | (np.int32(mind[k] + change) & np.int32(0xFFFF)))


@kernel(error_model="numpy", inline="never")
def _stride_freely(x, y, mind, table, height, width, wrap, stride, pieces):
    """A step where there are no walls; the rim is one, but on a torus."""
    wide = np.int32(width << 16)
    high = np.int32(height << 16)
    piece = np.int32(stride)
    for k in range(x.shape[0]):
        way = np.uint32(mind[k] & 0xFFFF) >> np.uint32(4)
        dx = np.int32(np.int32(np.int32(table[way, 0] * piece) + np.int32(1 << 13)) >> 14)
        dy = np.int32(np.int32(np.int32(table[way, 1] * piece) + np.int32(1 << 13)) >> 14)
        at_x = x[k]
        at_y = y[k]
        bounced_x = np.int32(0)
        bounced_y = np.int32(0)
        for _ in range(pieces):
            there = np.int32(at_x + dx)
            if wrap:
                there = np.int32(there + wide) if there < 0 else there
                at_x = np.int32(there - wide) if there >= wide else there
            else:
                free = (there >= 0) & (there < wide)
                at_x = there if free else at_x
                dx = dx if free else np.int32(-dx)
                bounced_x ^= np.int32(0) if free else np.int32(1)
            there = np.int32(at_y + dy)
            if wrap:
                there = np.int32(there + high) if there < 0 else there
                at_y = np.int32(there - high) if there >= high else there
            else:
                free = (there >= 0) & (there < high)
                at_y = there if free else at_y
                dy = dy if free else np.int32(-dy)
                bounced_y ^= np.int32(0) if free else np.int32(1)
        x[k] = at_x
        y[k] = at_y
        heading = np.int32(mind[k])
        heading = np.int32(np.int32(0x8000) - heading) if bounced_x else heading
        heading = np.int32(-heading) if bounced_y else heading
        mind[k] = np.int32((mind[k] & np.int32(-65536)) | (heading & np.int32(0xFFFF)))


@kernel(error_model="numpy", inline="never")
def _stride(x, y, mind, table, closed, height, width, wrap, stride, pieces):
    """A step among walls. Who stays in its cell needs no look at walls."""
    wide = width << 16
    high = height << 16
    for k in range(x.shape[0]):
        way = np.uint32(mind[k] & 0xFFFF) >> np.uint32(4)
        dx = np.int64(np.int32(table[way, 0] * stride + (1 << 13)) >> 14)
        dy = np.int64(np.int32(table[way, 1] * stride + (1 << 13)) >> 14)
        at_x = np.int64(x[k])
        at_y = np.int64(y[k])
        bounced_x = False
        bounced_y = False
        inside = _cell(closed, False, height, width, wrap, at_x, at_y) >= 0
        for _ in range(pieces):
            there = at_x + dx
            if (inside and there >> 16 == at_x >> 16) or _cell(closed, False, height, width, wrap, there, at_y) >= 0:
                at_x = there
                inside = True
                if wrap:
                    at_x = at_x + wide if at_x < 0 else (at_x - wide if at_x >= wide else at_x)
            else:
                dx = -dx
                bounced_x = not bounced_x
            there = at_y + dy
            if (inside and there >> 16 == at_y >> 16) or _cell(closed, False, height, width, wrap, at_x, there) >= 0:
                at_y = there
                inside = True
                if wrap:
                    at_y = at_y + high if at_y < 0 else (at_y - high if at_y >= high else at_y)
            else:
                dy = -dy
                bounced_y = not bounced_y
        x[k] = at_x
        y[k] = at_y
        heading = np.int64(mind[k])
        heading = 0x8000 - heading if bounced_x else heading
        heading = -heading if bounced_y else heading
        mind[k] = np.int32((mind[k] & np.int32(-65536)) | np.int32(heading & 0xFFFF))


@kernel(
    "out i4[:,::1], u4[::1], (u4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1]), i4[:,::1],"
    " (i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8), b1, i8, i8, i8",
    error_model="numpy",
)
def walk(agents, numbers, seen, table, how, blank, step, first, last):
    """One step of the agents [first, last) of (3, N), in place; without walls the map is `blank`. The tuples are a Sights and a Rule."""
    sights = Sights(seen[0], seen[1], seen[2], seen[3], seen[4], seen[5], seen[6], seen[7], seen[8])
    rule = Rule(
        how[0], how[1], how[2], how[3], how[4], how[5], how[6], how[7], how[8], how[9], how[10], how[11], how[12], how[13], how[14],
        how[15], how[16], how[17],
    )  # fmt: skip
    height = rule.height
    width = rule.width
    wrap = rule.wrap != 0
    senses = (rule.follow != 0) | (rule.avoid != 0)
    by_vectors = (rule.align != 0) | (rule.separate != 0) | (rule.cohere != 0)
    same = sights.trail_0.ctypes.data == sights.trail_1.ctypes.data
    ways = np.empty(table.shape[0], np.int32)  # cosine and sine side by side, to be fetched at once
    for k in range(table.shape[0]):
        ways[k] = np.int32((table[k, 0] & 0xFFFF) | (table[k, 1] << 16))
    alongs = np.zeros(16, np.int32)
    acrosses = np.zeros(16, np.int32)
    _wishes(rule, alongs, acrosses)
    turns = np.zeros(16, np.int32)
    for k in range(16):
        turns[k] = _angle_of(alongs[k] >> 4, acrosses[k] >> 4)
    room = np.empty((13, _BLOCK), np.int32)
    all_dies = np.empty(_BLOCK, np.uint32)
    for start in range(first, last, _BLOCK):
        count = min(last - start, _BLOCK)
        x = room[0, :count]
        y = room[1, :count]
        mind = room[2, :count]
        sides = room[3, :count]
        changes = room[4, :count]
        lows = room[5, :count]
        middles = room[6, :count]
        highs = room[7, :count]
        low = room[8, :count]
        middle = room[9, :count]
        high = room[10, :count]
        along = room[11, :count]
        across = room[12, :count]
        dies = all_dies[:count]
        _take(agents, numbers, rule.key, step, start, x, y, mind, dies)
        sides[:] = 0
        if senses or rule.align != 0:
            _look(x, y, mind, 0, ways, height, width, wrap, rule.distance, middles)
            if not blank:
                _close(sights.closed, middles)
        if senses:
            _look(x, y, mind, -rule.angle, ways, height, width, wrap, rule.distance, lows)
            _look(x, y, mind, rule.angle, ways, height, width, wrap, rule.distance, highs)
            if not blank:
                _close(sights.closed, lows)
                _close(sights.closed, highs)
            if rule.follow != 0:
                if same:
                    _smell(sights.trail_0, lows, low)
                    _smell(sights.trail_0, middles, middle)
                    _smell(sights.trail_0, highs, high)
                else:
                    _smell_by_role(sights.trail_0, sights.trail_1, mind, lows, low)
                    _smell_by_role(sights.trail_0, sights.trail_1, mind, middles, middle)
                    _smell_by_role(sights.trail_0, sights.trail_1, mind, highs, high)
                _sides(low, middle, high, dies, sides)
            if rule.avoid != 0:
                _frees(lows, middles, highs, dies, sides)
        if by_vectors:
            for k in range(count):
                along[k] = alongs[np.uint32(sides[k])]
                across[k] = acrosses[np.uint32(sides[k])]
            if rule.align != 0:
                _align(
                    sights.flow_x_0, sights.flow_y_0, sights.flow_x_1, sights.flow_y_1, mind, middles, table, rule.flip != 0, rule.align,
                    along, across,
                )  # fmt: skip
            if rule.separate != 0:
                _slide(sights.crowd, sights.closed, blank, height, width, wrap, x, y, mind, table, -rule.separate, along, across)
            if rule.cohere != 0:
                _slide(sights.group, sights.closed, blank, height, width, wrap, x, y, mind, table, rule.cohere, along, across)
            _angles(along, across, changes)
        else:
            for k in range(count):
                changes[k] = turns[np.uint32(sides[k])]
        _turn(mind, dies, changes, rule.wander, rule.turn)
        if blank:
            _stride_freely(x, y, mind, table, height, width, wrap, rule.stride, rule.pieces)
        else:
            _stride(x, y, mind, table, sights.closed, height, width, wrap, rule.stride, rule.pieces)
        for k in range(count):
            agents[0, start + k] = x[k]
            agents[1, start + k] = y[k]
            agents[2, start + k] = mind[k]


@kernel("out i4[:,::1], u4[::1], i8, out i4[::1], u4[::1], out i4[:,::1]")
def forage(agents, numbers, width, food, homes, claims):
    """Let agents take food and bring it home; returns how many were brought. See the reference."""
    count = agents.shape[1]
    for i in range(count):
        if agents[2, i] & ROLE == 0:
            cell = np.uint64((agents[1, i] >> 16) * width + (agents[0, i] >> 16))
            if food[cell] > 0:
                if claims[0, cell] == 0 or numbers[i] < np.uint32(claims[1, cell]):
                    claims[1, cell] = numbers[i]
                claims[0, cell] += 1
    brought = 0
    for i in range(count):
        cell = np.uint64((agents[1, i] >> 16) * width + (agents[0, i] >> 16))
        mind = np.uint32(agents[2, i])
        carries = (mind >> _16) & _1 != 0
        wanted = claims[0, cell]
        took = (not carries) and wanted > 0 and (wanted <= food[cell] or np.uint32(claims[1, cell]) == numbers[i])
        at_home = (homes[cell >> np.uint64(5)] >> (np.uint32(cell) & _31)) & _1 != 0
        came = carries and at_home
        since = np.int64(mind >> np.uint32(SINCE)) + 1
        since = since if since < LONGEST_SINCE else np.int64(LONGEST_SINCE)
        heading = mind & np.uint32(0xFFFF)
        if took or came:
            carries = not carries
            since = np.int64(0)
            heading = np.uint32(heading + 0x8000) & np.uint32(0xFFFF)
        elif at_home and not carries:
            since = np.int64(0)
        brought += came
        agents[2, i] = np.int32(
            np.uint32(heading | (np.uint32(ROLE) if carries else np.uint32(0)) | (np.uint32(since) << np.uint32(SINCE)))
        )
    for i in range(count):
        cell = np.uint64((agents[1, i] >> 16) * width + (agents[0, i] >> 16))
        wanted = claims[0, cell]
        if wanted > 0:
            food[cell] -= wanted if wanted <= food[cell] else 1
            claims[0, cell] = 0
    return brought


@kernel("i4[:,::1], u4[::1], i8, i8, out i4[:,::1], out u4[::1]")
def arrange(agents, numbers, height, width, new_agents, new_numbers):
    """Put agents into the order of the tiles of 64 x 64 cells that they are in, so that neighbours lie side by side in memory."""
    across = (width + 63) // 64
    places = np.zeros(across * ((height + 63) // 64) + 1, np.int64)
    for i in range(agents.shape[1]):
        places[np.uint64((agents[1, i] >> 22) * across + (agents[0, i] >> 22) + 1)] += 1
    for tile in range(1, len(places)):
        places[tile] += places[tile - 1]
    for i in range(agents.shape[1]):
        key = np.uint64((agents[1, i] >> 22) * across + (agents[0, i] >> 22))
        at = np.uint64(places[key])
        places[key] += 1
        new_agents[0, at] = agents[0, i]
        new_agents[1, at] = agents[1, i]
        new_agents[2, at] = agents[2, i]
        new_numbers[at] = numbers[i]


@kernel("i4[:,::1], i8, i8, i8[::1], b1, out i8[:,::1], out u1[:,::1], i8, i8")
def leave(agents, width, role, amounts, by_heading, sums, dirty, top, bottom):
    """Add what agents leave in the rows [top, bottom) to the sums there. Who is elsewhere is sorted out without guessing."""
    flat = sums.reshape(-1)
    low = top << 16
    size = np.uint32((bottom - top) << 16)
    longest = np.uint32(amounts.shape[0] - 1)
    found = np.empty(_BLOCK, np.uint32)
    for start in range(0, agents.shape[1], _BLOCK):
        count = min(agents.shape[1] - start, _BLOCK)
        here = 0
        for k in range(start, start + count):
            found[here] = k
            is_here = np.uint32(np.int32(agents[1, k] - low)) < size
            is_meant = (role < 0) | ((agents[2, k] >> 16) & 1 == role)
            here += is_here & is_meant
        for k in range(here):
            i = found[k]
            column = np.uint32(agents[0, i]) >> _16
            row = np.uint32(agents[1, i]) >> _16
            mind = np.uint32(agents[2, i])
            which = (mind & np.uint32(0xFFFF)) >> np.uint32(4) if by_heading else min(mind >> np.uint32(SINCE), longest)
            flat[np.uint64(row) * np.uint64(width) + np.uint64(column)] += amounts[which]
            dirty[row >> np.uint32(3), column >> _5] |= np.uint8(1) << np.uint8(row & np.uint32(7))
