"""Walkers led by layers, fast: the same bits as `fieldcraft.kernels.reference.walk`."""

from __future__ import annotations

import numpy as np
from numba import njit

from fieldcraft.kernels.chance import throw
from fieldcraft.kernels.reference.chance import SHARE
from fieldcraft.kernels.reference.walk import BLOCKED, NO_LAYER

__all__ = ["BLOCKED", "NO_LAYER", "sense", "walk"]

_SUBSTEP = 0.5
_TINY = 1e-12
_NOTHING = -np.inf
_11 = np.uint64(11)
_ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def _cell(x, y, height, width, y_up, wrap):  # type: ignore[no-untyped-def]
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


@njit(nogil=True, cache=True)
def _read(layer, walls, x, y, height, width, y_up, wrap, blocked):  # type: ignore[no-untyped-def]
    cell = _cell(x, y, height, width, y_up, wrap)
    if cell < 0 or walls[np.uint64(cell)]:
        return blocked
    return np.float64(layer[np.uint64(cell)])


@njit(nogil=True, cache=True)
def _slope(layer, walls, cell, height, width, y_up, wrap):  # type: ignore[no-untyped-def]
    row = np.int64(np.uint32(cell) // np.uint32(width))
    column = cell - row * width
    here = 0.0 if walls[np.uint64(cell)] else np.float64(layer[np.uint64(cell)])
    right = here
    left = here
    below = here
    above = here
    beside = cell + 1 if column + 1 < width else (cell + 1 - width if wrap else -1)
    if beside >= 0 and not walls[np.uint64(beside)]:
        right = np.float64(layer[np.uint64(beside)])
    beside = cell - 1 if column > 0 else (cell + width - 1 if wrap else -1)
    if beside >= 0 and not walls[np.uint64(beside)]:
        left = np.float64(layer[np.uint64(beside)])
    beside = cell + width if row + 1 < height else (column if wrap else -1)
    if beside >= 0 and not walls[np.uint64(beside)]:
        below = np.float64(layer[np.uint64(beside)])
    beside = cell - width if row > 0 else ((height - 1) * width + column if wrap else -1)
    if beside >= 0 and not walls[np.uint64(beside)]:
        above = np.float64(layer[np.uint64(beside)])
    onward = above if y_up else below
    back = below if y_up else above
    total = here + (right + left) + (onward + back)
    if total <= _TINY:
        return 0.0, 0.0
    scale = 5 / total
    return scale * (right - left), scale * (onward - back)


@njit(nogil=True, cache=True)
def _around(value, size):  # type: ignore[no-untyped-def]
    back = value - np.floor(value / size) * size
    return back if back < size else 0.0


@njit(nogil=True, cache=True)
def sense(  # type: ignore[no-untyped-def]
    layer, walls, y_up, wrap, positions, headings, distance, cosine, sine, blocked, first, last, found
):
    """What the agents [first, last) read a distance ahead: to the left (from x towards y), on the heading, to the right."""
    height, width = walls.shape
    values = layer.reshape(-1)
    closed = walls.reshape(-1)
    for i in range(first, last):
        x = positions[i, 0]
        y = positions[i, 1]
        hx = headings[i, 0]
        hy = headings[i, 1]
        found[i, 0] = _read(
            values, closed, x + (hx * cosine - hy * sine) * distance, y + (hy * cosine + hx * sine) * distance, height, width, y_up, wrap,
            blocked,
        )  # fmt: skip
        found[i, 1] = _read(values, closed, x + hx * distance, y + hy * distance, height, width, y_up, wrap, blocked)
        found[i, 2] = _read(
            values, closed, x + (hx * cosine + hy * sine) * distance, y + (hy * cosine - hx * sine) * distance, height, width, y_up, wrap,
            blocked,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def walk(  # type: ignore[no-untyped-def]
    walls, y_up, wrap, trails, roles, flow_x, flow_y, crowd, group, follow, align, separate, cohere, avoid, distance, cosine, sine,
    stride, wander, turn_cosine, turn_sine, key, step, positions, headings, first, last, new_positions, new_headings, cells,
):  # fmt: skip
    """One step of the agents [first, last): where they go, the headings they go with, and the cells they arrive in."""
    height, width = walls.shape
    closed = walls.reshape(-1)
    trail_0 = trails[0].reshape(-1)
    trail_1 = trails[1].reshape(-1)
    flows_x = flow_x.reshape(-1)
    flows_y = flow_y.reshape(-1)
    crowds = crowd.reshape(-1)
    groups = group.reshape(-1)
    pieces = max(int(np.ceil(stride / _SUBSTEP)), 1)
    piece = stride / pieces
    blank = not walls.any()
    ahead = follow != 0 or avoid != 0 or align != 0
    for i in range(first, last):
        x = positions[i, 0]
        y = positions[i, 1]
        hx = headings[i, 0]
        hy = headings[i, 1]
        die = throw(key, i, step)
        to_left = die & _ONE == 0
        left_x = hx * cosine - hy * sine
        left_y = hy * cosine + hx * sine
        right_x = hx * cosine + hy * sine
        right_y = hy * cosine - hx * sine
        ahead_x = x + hx * distance
        ahead_y = y + hy * distance
        wish_x = hx
        wish_y = hy
        middle_cell = np.int64(BLOCKED)
        middle_shut = True
        if ahead:
            middle_cell = _cell(ahead_x, ahead_y, height, width, y_up, wrap)
            middle_shut = middle_cell < 0 or (not blank and closed[np.uint64(middle_cell)])
        if follow != 0 or avoid != 0:
            left = 0.0
            middle = 0.0
            right = 0.0
            left_cell = _cell(x + left_x * distance, y + left_y * distance, height, width, y_up, wrap)
            right_cell = _cell(x + right_x * distance, y + right_y * distance, height, width, y_up, wrap)
            left_shut = left_cell < 0 or (not blank and closed[np.uint64(left_cell)])
            right_shut = right_cell < 0 or (not blank and closed[np.uint64(right_cell)])
            if follow != 0:
                trail = trail_0 if roles[i] == 0 else trail_1
                left = _NOTHING if left_shut else np.float64(trail[np.uint64(left_cell)])
                middle = _NOTHING if middle_shut else np.float64(trail[np.uint64(middle_cell)])
                right = _NOTHING if right_shut else np.float64(trail[np.uint64(right_cell)])
                if left > middle or right > middle:
                    if left > right or (left == right and to_left):
                        wish_x += follow * left_x
                        wish_y += follow * left_y
                    else:
                        wish_x += follow * right_x
                        wish_y += follow * right_y
            if avoid != 0 and middle_shut:
                if left_shut and right_shut:
                    wish_x -= avoid * hx
                    wish_y -= avoid * hy
                elif right_shut or (not left_shut and to_left):
                    wish_x += avoid * left_x
                    wish_y += avoid * left_y
                else:
                    wish_x += avoid * right_x
                    wish_y += avoid * right_y
        if align != 0 and not middle_shut:
            fx = np.float64(flows_x[np.uint64(middle_cell)])
            fy = np.float64(flows_y[np.uint64(middle_cell)])
            size = np.sqrt(fx * fx + fy * fy)
            if size > _TINY:
                share = align / size
                wish_x += share * fx
                wish_y += share * fy
        if separate != 0 or cohere != 0:
            cell = _cell(x, y, height, width, y_up, wrap)
            if separate != 0:
                gx, gy = _slope(crowds, closed, cell, height, width, y_up, wrap)
                wish_x -= separate * gx
                wish_y -= separate * gy
            if cohere != 0:
                gx, gy = _slope(groups, closed, cell, height, width, y_up, wrap)
                wish_x += cohere * gx
                wish_y += cohere * gy
        if wander != 0:
            half = (np.float64(die >> _11) * SHARE * 2 - 1) * wander
            below = 1 + half * half
            turned_cosine = (1 - half * half) / below
            turned_sine = 2 * half / below
            turned = wish_x * turned_cosine - wish_y * turned_sine
            wish_y = wish_y * turned_cosine + wish_x * turned_sine
            wish_x = turned
        size = np.sqrt(wish_x * wish_x + wish_y * wish_y)
        if size > _TINY:
            whole = 1 / size
            wish_x = wish_x * whole
            wish_y = wish_y * whole
            if wish_x * hx + wish_y * hy < turn_cosine:
                side = turn_sine if hx * wish_y - hy * wish_x >= 0 else -turn_sine
                wish_x = hx * turn_cosine - hy * side
                wish_y = hy * turn_cosine + hx * side
                size = np.sqrt(wish_x * wish_x + wish_y * wish_y)
                wish_x = wish_x / size
                wish_y = wish_y / size
        else:
            wish_x = hx
            wish_y = hy
        for _ in range(pieces):
            there = x + wish_x * piece
            cell = _cell(there, y, height, width, y_up, wrap)
            if cell < 0 or (not blank and closed[np.uint64(cell)]):
                wish_x = -wish_x
            else:
                x = there
            there = y + wish_y * piece
            cell = _cell(x, there, height, width, y_up, wrap)
            if cell < 0 or (not blank and closed[np.uint64(cell)]):
                wish_y = -wish_y
            else:
                y = there
        if wrap:
            x = _around(x, width)
            y = _around(y, height)
        new_positions[i, 0] = x
        new_positions[i, 1] = y
        new_headings[i, 0] = wish_x
        new_headings[i, 1] = wish_y
        cells[i] = _cell(x, y, height, width, y_up, wrap)
