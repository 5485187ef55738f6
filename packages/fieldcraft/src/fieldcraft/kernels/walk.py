"""Walkers led by layers, fast: the same bits as `fieldcraft.kernels.reference.walk`.

Agents are served a block at a time, and each block in passes over short arrays: those that only
reckon become vector code, and those that look into layers wait for many cells at once.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.chance import SHARE, throw
from fieldcraft.kernels.declare import kernel

__all__ = ["BLOCKED", "NO_LAYER", "NO_PUSH", "cell_at", "walk"]

BLOCKED = -1
NO_LAYER = np.zeros((1, 1), dtype=np.float32)
NO_PUSH = np.zeros((0, 2))

_SUBSTEP = 0.5
_TINY = 1e-12
_NOTHING = -np.inf
_11 = np.uint64(11)
_ONE = np.uint64(1)
_BLOCK = 256


@kernel
def cell_at(x, y, height, width, y_up, wrap):
    """The cell at a place, or BLOCKED off the map."""
    column = np.int64(np.floor(x))
    row = np.int64(np.floor(y))
    if wrap:
        while column < 0:
            column += width
        while column >= width:
            column -= width
        while row < 0:
            row += height
        while row >= height:
            row -= height
    elif column < 0 or column >= width or row < 0 or row >= height:
        return np.int64(BLOCKED)
    return (height - 1 - row if y_up else row) * width + column


@kernel(error_model="numpy")
def _take(positions, headings, key, step, first, x, y, hx, hy, dies):
    """Where agents from `first` on are, where they head, and what they throw."""
    for k in range(x.shape[0]):
        x[k] = positions[first + k, 0]
        y[k] = positions[first + k, 1]
        hx[k] = headings[first + k, 0]
        hy[k] = headings[first + k, 1]
    for k in range(x.shape[0]):
        dies[k] = throw(key, first + k, step)


@kernel(error_model="numpy")
def _cells_of(x, y, height, width, y_up, wrap, cells):
    """The cells at places, or BLOCKED."""
    wide = np.float64(width)
    high = np.float64(height)
    last_row = high - 1
    flip = -1.0 if y_up else 1.0
    top = last_row if y_up else 0.0
    if wrap:
        for k in range(x.shape[0]):
            column = np.floor(x[k])
            row = np.floor(y[k])
            column -= np.floor(column / wide) * wide
            row -= np.floor(row / high) * high
            is_sane = (column >= 0) & (column < wide) & (row >= 0) & (row < high)
            cells[k] = np.int64((top + flip * row) * wide + column) if is_sane else np.int64(0)
    else:
        for k in range(x.shape[0]):
            column = np.floor(x[k])
            row = np.floor(y[k])
            is_inside = (column >= 0) & (column < wide) & (row >= 0) & (row < high)
            cells[k] = (
                np.int64((top + flip * row) * wide + column) if is_inside else np.int64(BLOCKED)
            )


@kernel(error_model="numpy")
def _ahead(x, y, hx, hy, cosine, sine, distance, there_x, there_y):
    """The places a distance away, on headings turned by an angle."""
    for k in range(x.shape[0]):
        there_x[k] = x[k] + (hx[k] * cosine - hy[k] * sine) * distance
        there_y[k] = y[k] + (hy[k] * cosine + hx[k] * sine) * distance


@kernel(error_model="numpy")
def _look(cells, closed, blank, shut):
    """Which cells are walls, or off the map."""
    for k in range(cells.shape[0]):
        cell = cells[k]
        if blank:
            shut[k] = cell < 0
        else:
            shut[k] = closed[np.uint64(max(cell, 0))] | (cell < 0)


@kernel(error_model="numpy")
def _smell(trail_0, trail_1, roles, first, lefts, middles, rights, shut, found):
    """The values that the three sensors read of the trail of each agent's role, (3, agents): minus
    infinity where they are shut.
    """
    for k in range(lefts.shape[0]):
        if roles[first + k] == 0:
            found[0, k] = trail_0[np.uint64(max(lefts[k], 0))]
            found[1, k] = trail_0[np.uint64(max(middles[k], 0))]
            found[2, k] = trail_0[np.uint64(max(rights[k], 0))]
        else:
            found[0, k] = trail_1[np.uint64(max(lefts[k], 0))]
            found[1, k] = trail_1[np.uint64(max(middles[k], 0))]
            found[2, k] = trail_1[np.uint64(max(rights[k], 0))]
    for side in range(3):
        for k in range(lefts.shape[0]):
            found[side, k] = np.float32(_NOTHING) if shut[side, k] != 0 else found[side, k]


@kernel(error_model="numpy")
def _follow(found, dies, hx, hy, cosine, sine, follow, wish_x, wish_y):
    """Towards the strongest sensor, if that is not the middle one."""
    for k in range(hx.shape[0]):
        left = found[0, k]
        middle = found[1, k]
        right = found[2, k]
        turns = (left > middle) | (right > middle)
        to_left = (left > right) | ((left == right) & (dies[k] & _ONE == 0))
        side = sine if to_left else -sine
        ahead_x = wish_x[k] + follow * (hx[k] * cosine - hy[k] * side)
        ahead_y = wish_y[k] + follow * (hy[k] * cosine + hx[k] * side)
        wish_x[k] = ahead_x if turns else wish_x[k]
        wish_y[k] = ahead_y if turns else wish_y[k]


@kernel(error_model="numpy")
def _avoid(shut, dies, hx, hy, cosine, sine, avoid, wish_x, wish_y):
    """Towards the free side where a wall is ahead, or back where there is none."""
    for k in range(hx.shape[0]):
        if shut[1, k] == 0:
            continue
        if shut[0, k] != 0 and shut[2, k] != 0:
            wish_x[k] -= avoid * hx[k]
            wish_y[k] -= avoid * hy[k]
        elif shut[2, k] != 0 or (shut[0, k] == 0 and dies[k] & _ONE == 0):
            wish_x[k] += avoid * (hx[k] * cosine - hy[k] * sine)
            wish_y[k] += avoid * (hy[k] * cosine + hx[k] * sine)
        else:
            wish_x[k] += avoid * (hx[k] * cosine + hy[k] * sine)
            wish_y[k] += avoid * (hy[k] * cosine - hx[k] * sine)


@kernel(error_model="numpy")
def _align(
    flow_0, flow_1, flow_2, flow_3, roles, first, cells, shut, align, fx, fy, wish_x, wish_y
):
    """Towards the flow of each agent's role."""
    for k in range(cells.shape[0]):
        cell = np.uint64(max(cells[k], 0))
        if roles[first + k] == 0:
            fx[k] = flow_0[cell]
            fy[k] = flow_1[cell]
        else:
            fx[k] = flow_2[cell]
            fy[k] = flow_3[cell]
    for k in range(cells.shape[0]):
        size = np.sqrt(fx[k] * fx[k] + fy[k] * fy[k])
        share = align / size
        leads = (shut[k] == 0) & (size > _TINY)
        wish_x[k] = wish_x[k] + share * fx[k] if leads else wish_x[k]
        wish_y[k] = wish_y[k] + share * fy[k] if leads else wish_y[k]


@kernel(inline="never")
def _around_cells(layer, walls, blank, cells, height, width, wrap, found):
    """The values of a layer in cells and right, left, below and above of them, (5, agents); walls
    read as the place itself.
    """
    inner = np.uint64(len(layer) - 2 * width) if height > 2 and width > 2 else np.uint64(0)
    for k in range(cells.shape[0]):
        cell = cells[k]
        here = layer[np.uint64(cell)]
        found[0, k] = here
        column = cell - np.int64(np.uint32(cell) // np.uint32(width)) * width
        if blank and np.uint64(cell - width) < inner and column > 0 and column + 1 < width:
            found[1, k] = layer[np.uint64(cell + 1)]
            found[2, k] = layer[np.uint64(cell - 1)]
            found[3, k] = layer[np.uint64(cell + width)]
            found[4, k] = layer[np.uint64(cell - width)]
            continue
        here = np.float32(0) if walls[np.uint64(cell)] else here
        found[0, k] = here
        row = np.int64(np.uint32(cell) // np.uint32(width))
        right = cell + 1 if column + 1 < width else (cell + 1 - width if wrap else -1)
        left = cell - 1 if column > 0 else (cell + width - 1 if wrap else -1)
        below = cell + width if row + 1 < height else (column if wrap else -1)
        above = cell - width if row > 0 else ((height - 1) * width + column if wrap else -1)
        found[1, k] = (
            layer[np.uint64(right)] if right >= 0 and not walls[np.uint64(right)] else here
        )
        found[2, k] = layer[np.uint64(left)] if left >= 0 and not walls[np.uint64(left)] else here
        found[3, k] = (
            layer[np.uint64(below)] if below >= 0 and not walls[np.uint64(below)] else here
        )
        found[4, k] = (
            layer[np.uint64(above)] if above >= 0 and not walls[np.uint64(above)] else here
        )


@kernel(error_model="numpy")
def _slide(found, y_up, weight, wish_x, wish_y):
    """Along the relative slope of what is around: up it, or down it with a negative weight."""
    onward = 4 if y_up else 3
    back = 3 if y_up else 4
    for k in range(wish_x.shape[0]):
        right = np.float64(found[1, k])
        left = np.float64(found[2, k])
        further = np.float64(found[onward, k])
        behind = np.float64(found[back, k])
        total = np.float64(found[0, k]) + (right + left) + (further + behind)
        scale = 5 / total
        gx = scale * (right - left)
        gy = scale * (further - behind)
        some = total > _TINY
        wish_x[k] += weight * (gx if some else 0.0)
        wish_y[k] += weight * (gy if some else 0.0)


@kernel(error_model="numpy")
def _wander(dies, wander, wish_x, wish_y):
    """Turned by the dice."""
    for k in range(wish_x.shape[0]):
        half = (np.float64(dies[k] >> _11) * SHARE * 2 - 1) * wander
        below = 1 + half * half
        turned_cosine = (1 - half * half) / below
        turned_sine = 2 * half / below
        x = wish_x[k]
        y = wish_y[k]
        wish_x[k] = x * turned_cosine - y * turned_sine
        wish_y[k] = y * turned_cosine + x * turned_sine


@kernel(error_model="numpy")
def _turn(hx, hy, turn_cosine, turn_sine, wish_x, wish_y):
    """Unit headings, turned no further than they may be."""
    for k in range(wish_x.shape[0]):
        x = wish_x[k]
        y = wish_y[k]
        size = np.sqrt(x * x + y * y)
        whole = 1 / size
        some = size > _TINY
        x = x * whole
        y = y * whole
        too_far = x * hx[k] + y * hy[k] < turn_cosine
        side = turn_sine if hx[k] * y - hy[k] * x >= 0 else -turn_sine
        most_x = hx[k] * turn_cosine - hy[k] * side
        most_y = hy[k] * turn_cosine + hx[k] * side
        size = np.sqrt(most_x * most_x + most_y * most_y)
        x = most_x / size if too_far else x
        y = most_y / size if too_far else y
        wish_x[k] = x if some else hx[k]
        wish_y[k] = y if some else hy[k]


@kernel(error_model="numpy")
def _stride_freely(x, y, wish_x, wish_y, height, width, wrap, pieces, piece):
    """A stride where there are no walls; the rim is one, but on a torus."""
    wide = np.float64(width)
    high = np.float64(height)
    for _ in range(pieces):
        if wrap:
            for k in range(x.shape[0]):
                x[k] += wish_x[k] * piece
                y[k] += wish_y[k] * piece
        else:
            for k in range(x.shape[0]):
                there = x[k] + wish_x[k] * piece
                free = (there >= 0) & (there < wide)
                x[k] = there if free else x[k]
                wish_x[k] = wish_x[k] if free else -wish_x[k]
                there = y[k] + wish_y[k] * piece
                free = (there >= 0) & (there < high)
                y[k] = there if free else y[k]
                wish_y[k] = wish_y[k] if free else -wish_y[k]


@kernel(inline="never")
def _stride(x, y, wish_x, wish_y, closed, height, width, y_up, wrap, pieces, piece):
    """A stride among walls."""
    for k in range(x.shape[0]):
        at_x = x[k]
        at_y = y[k]
        go_x = wish_x[k]
        go_y = wish_y[k]
        for _ in range(pieces):
            there = at_x + go_x * piece
            cell = cell_at(there, at_y, height, width, y_up, wrap)
            if cell < 0 or closed[np.uint64(cell)]:
                go_x = -go_x
            else:
                at_x = there
            there = at_y + go_y * piece
            cell = cell_at(at_x, there, height, width, y_up, wrap)
            if cell < 0 or closed[np.uint64(cell)]:
                go_y = -go_y
            else:
                at_y = there
        x[k] = at_x
        y[k] = at_y
        wish_x[k] = go_x
        wish_y[k] = go_y


@kernel(error_model="numpy")
def _back_onto_torus(places, size):
    whole = np.float64(size)
    for k in range(places.shape[0]):
        back = places[k] - np.floor(places[k] / whole) * whole
        places[k] = back if back < whole else 0.0


@kernel(
    "b1[:,::1], b1, b1, (f4[:,::1], f4[:,::1]), (f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1]),"
    " u1[::1], f4[:,::1], f4[:,::1], f8[:,::1], f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, i8,"
    " i8, f8[:,::1], f8[:,::1], i8, i8, out f8[:,::1], out f8[:,::1], out i8[::1]",
)
def walk(
    walls,
    y_up,
    wrap,
    trails,
    flows,
    roles,
    crowd,
    group,
    push,
    follow,
    align,
    separate,
    cohere,
    avoid,
    distance,
    cosine,
    sine,
    stride,
    wander,
    turn_cosine,
    turn_sine,
    key,
    step,
    positions,
    headings,
    first,
    last,
    new_positions,
    new_headings,
    cells,
):
    """One step of the agents [first, last): where they go, the headings they go with, and the cells
    they arrive in.
    """
    height, width = walls.shape
    closed = walls.reshape(-1)
    trail_0 = trails[0].reshape(-1)
    trail_1 = trails[1].reshape(-1)
    flow_0 = flows[0].reshape(-1)
    flow_1 = flows[1].reshape(-1)
    flow_2 = flows[2].reshape(-1)
    flow_3 = flows[3].reshape(-1)
    crowds = crowd.reshape(-1)
    groups = group.reshape(-1)
    pieces = max(int(np.ceil(stride / _SUBSTEP)), 1)
    piece = stride / pieces
    blank = not walls.any()
    to_sides = follow != 0 or avoid != 0
    room = np.empty((10, _BLOCK))
    all_cells = np.empty((3, _BLOCK), np.int64)
    all_shut = np.empty((3, _BLOCK), np.uint8)
    all_dies = np.empty(_BLOCK, np.uint64)
    all_found = np.empty((5, _BLOCK), np.float32)
    for start in range(first, last, _BLOCK):
        count = min(last - start, _BLOCK)
        x = room[0, :count]
        y = room[1, :count]
        hx = room[2, :count]
        hy = room[3, :count]
        wish_x = room[4, :count]
        wish_y = room[5, :count]
        one = room[6, :count]
        other = room[7, :count]
        lefts = all_cells[0, :count]
        middles = all_cells[1, :count]
        rights = all_cells[2, :count]
        shut = all_shut[:, :count]
        dies = all_dies[:count]
        found = all_found[:, :count]
        _take(positions, headings, key, step, start, x, y, hx, hy, dies)
        for k in range(count):
            wish_x[k] = hx[k]
            wish_y[k] = hy[k]
        if to_sides or align != 0:
            _ahead(x, y, hx, hy, 1.0, 0.0, distance, one, other)
            _cells_of(one, other, height, width, y_up, wrap, middles)
            _look(middles, closed, blank, shut[1])
        if to_sides:
            _ahead(x, y, hx, hy, cosine, sine, distance, one, other)
            _cells_of(one, other, height, width, y_up, wrap, lefts)
            _look(lefts, closed, blank, shut[0])
            _ahead(x, y, hx, hy, cosine, -sine, distance, one, other)
            _cells_of(one, other, height, width, y_up, wrap, rights)
            _look(rights, closed, blank, shut[2])
            if follow != 0:
                _smell(trail_0, trail_1, roles, start, lefts, middles, rights, shut, found)
                _follow(found, dies, hx, hy, cosine, sine, follow, wish_x, wish_y)
            if avoid != 0:
                _avoid(shut, dies, hx, hy, cosine, sine, avoid, wish_x, wish_y)
        if align != 0:
            _align(
                flow_0,
                flow_1,
                flow_2,
                flow_3,
                roles,
                start,
                middles,
                shut[1],
                align,
                one,
                other,
                wish_x,
                wish_y,
            )
        if separate != 0 or cohere != 0:
            _cells_of(x, y, height, width, y_up, wrap, lefts)
            if separate != 0:
                _around_cells(crowds, closed, blank, lefts, height, width, wrap, found)
                _slide(found, y_up, -separate, wish_x, wish_y)
            if cohere != 0:
                _around_cells(groups, closed, blank, lefts, height, width, wrap, found)
                _slide(found, y_up, cohere, wish_x, wish_y)
        if push.shape[0] > 0:
            for k in range(count):
                wish_x[k] += push[start + k, 0]
                wish_y[k] += push[start + k, 1]
        if wander != 0:
            _wander(dies, wander, wish_x, wish_y)
        _turn(hx, hy, turn_cosine, turn_sine, wish_x, wish_y)
        if blank:
            _stride_freely(x, y, wish_x, wish_y, height, width, wrap, pieces, piece)
        else:
            _stride(x, y, wish_x, wish_y, closed, height, width, y_up, wrap, pieces, piece)
        if wrap:
            _back_onto_torus(x, width)
            _back_onto_torus(y, height)
        _cells_of(x, y, height, width, y_up, wrap, cells[start : start + count])
        for k in range(count):
            new_positions[start + k, 0] = x[k]
            new_positions[start + k, 1] = y[k]
            new_headings[start + k, 0] = wish_x[k]
            new_headings[start + k, 1] = wish_y[k]
