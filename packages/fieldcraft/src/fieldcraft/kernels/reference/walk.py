"""Walkers led by layers, spelled out: the specification of `fieldcraft.kernels.walk`.

Positions are in cells along the world's axes from the map's smallest corner; directions are unit
vectors along the same axes. Only additions, products, quotients and roots are used, so that both
tiers agree to the last bit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.chance import SHARE, throw

__all__ = ["BLOCKED", "NO_LAYER", "NO_PUSH", "cell_at", "read", "walk"]

BLOCKED = -1
NO_LAYER = np.zeros((1, 1), dtype=np.float32)
NO_PUSH = np.zeros((0, 2))
_SUBSTEP = 0.5
_TINY = 1e-12


def cell_at(x: float, y: float, shape: tuple[int, ...], y_up: bool, wrap: bool) -> int:
    """The cell at a place, or BLOCKED off the map."""
    height, width = shape
    column, row = math.floor(x), math.floor(y)
    if wrap:
        column, row = column % width, row % height
    elif not (0 <= column < width and 0 <= row < height):
        return BLOCKED
    return (height - 1 - row if y_up else row) * width + column


def read(
    layer: NDArray[np.float32],
    walls: NDArray[np.bool_],
    x: float,
    y: float,
    y_up: bool,
    wrap: bool,
    blocked: float,
) -> float:
    """The value at a place, or `blocked` in walls and off the map."""
    cell = cell_at(x, y, walls.shape, y_up, wrap)
    if cell == BLOCKED or walls.reshape(-1)[cell]:
        return blocked
    return float(layer.reshape(-1)[cell])


def walk(
    walls: NDArray[np.bool_],
    y_up: bool,
    wrap: bool,
    trails: tuple[NDArray[np.float32], NDArray[np.float32]],
    flows: tuple[
        NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]
    ],
    roles: NDArray[np.uint8],
    crowd: NDArray[np.float32],
    group: NDArray[np.float32],
    push: NDArray[np.float64],
    follow: float,
    align: float,
    separate: float,
    cohere: float,
    avoid: float,
    distance: float,
    cosine: float,
    sine: float,
    stride: float,
    wander: float,
    turn_cosine: float,
    turn_sine: float,
    key: int,
    step: int,
    positions: NDArray[np.float64],
    headings: NDArray[np.float64],
    first: int,
    last: int,
    new_positions: NDArray[np.float64],
    new_headings: NDArray[np.float64],
    cells: NDArray[np.int64],
) -> None:
    """One step of the agents [first, last): where they go, the headings they go with, and the cells
    they arrive in.

    Each weighs its heading (1) with: the best of three sensors of the trail of its role, a
    `distance` ahead (`follow`); the flow of its role there (`align`; `flows` are the x and y of
    role 0, then those of role 1); less of the crowd (`separate`) and more of the group (`cohere`)
    around its cell, by their relative slopes; the free side where a wall is ahead (`avoid`); and
    its row of `push`, if that has any. The sum is turned by a die, by an angle whose half has a
    tangent of up to `wander`; turns are cut to that with `turn_cosine` and `turn_sine` (-1 and 0:
    none are). It goes `stride` cells in pieces of at most half a cell, along x and then along y,
    and bounces off walls and the rim.
    """
    height, width = walls.shape
    flat_walls = walls.reshape(-1)
    for i in range(first, last):
        (x, y), (hx, hy) = positions[i].tolist(), headings[i].tolist()
        die = throw(key, i, step)
        to_left = die & 1 == 0
        left_x, left_y = hx * cosine - hy * sine, hy * cosine + hx * sine
        right_x, right_y = hx * cosine + hy * sine, hy * cosine - hx * sine
        ahead_x, ahead_y = x + hx * distance, y + hy * distance
        wish_x, wish_y = hx, hy
        if follow != 0 or avoid != 0:
            trail = trails[0] if roles[i] == 0 else trails[1]
            source = trail if follow != 0 else NO_LAYER
            reads = [
                _sensed(source, walls, sx, sy, y_up, wrap)
                for sx, sy in (
                    (x + left_x * distance, y + left_y * distance),
                    (ahead_x, ahead_y),
                    (x + right_x * distance, y + right_y * distance),
                )
            ]
            left, middle, right = reads
            if follow != 0 and (left > middle or right > middle):
                if left > right or (left == right and to_left):
                    wish_x, wish_y = wish_x + follow * left_x, wish_y + follow * left_y
                else:
                    wish_x, wish_y = wish_x + follow * right_x, wish_y + follow * right_y
            if avoid != 0 and middle == -math.inf:
                if left == -math.inf and right == -math.inf:
                    wish_x, wish_y = wish_x - avoid * hx, wish_y - avoid * hy
                elif right == -math.inf or (left != -math.inf and to_left):
                    wish_x, wish_y = wish_x + avoid * left_x, wish_y + avoid * left_y
                else:
                    wish_x, wish_y = wish_x + avoid * right_x, wish_y + avoid * right_y
        if align != 0:
            flow_x, flow_y = flows[:2] if roles[i] == 0 else flows[2:]
            fx = read(flow_x, walls, ahead_x, ahead_y, y_up, wrap, 0.0)
            fy = read(flow_y, walls, ahead_x, ahead_y, y_up, wrap, 0.0)
            size = math.sqrt(fx * fx + fy * fy)
            if size > _TINY:
                share = align / size
                wish_x, wish_y = wish_x + share * fx, wish_y + share * fy
        if separate != 0:
            gx, gy = _slope(crowd, walls, x, y, y_up, wrap)
            wish_x, wish_y = wish_x - separate * gx, wish_y - separate * gy
        if cohere != 0:
            gx, gy = _slope(group, walls, x, y, y_up, wrap)
            wish_x, wish_y = wish_x + cohere * gx, wish_y + cohere * gy
        if len(push):
            wish_x, wish_y = wish_x + float(push[i, 0]), wish_y + float(push[i, 1])
        if wander != 0:
            half = ((die >> 11) * SHARE * 2 - 1) * wander
            below = 1 + half * half
            turned_cosine, turned_sine = (1 - half * half) / below, 2 * half / below
            wish_x, wish_y = (
                wish_x * turned_cosine - wish_y * turned_sine,
                wish_y * turned_cosine + wish_x * turned_sine,
            )
        size = math.sqrt(wish_x * wish_x + wish_y * wish_y)
        if size > _TINY:
            whole = 1 / size
            wish_x, wish_y = wish_x * whole, wish_y * whole
            if wish_x * hx + wish_y * hy < turn_cosine:
                side = turn_sine if hx * wish_y - hy * wish_x >= 0 else -turn_sine
                wish_x, wish_y = hx * turn_cosine - hy * side, hy * turn_cosine + hx * side
                size = math.sqrt(wish_x * wish_x + wish_y * wish_y)
                wish_x, wish_y = wish_x / size, wish_y / size
        else:
            wish_x, wish_y = hx, hy
        pieces = max(math.ceil(stride / _SUBSTEP), 1)
        for _ in range(pieces):
            there = x + wish_x * (stride / pieces)
            cell = cell_at(there, y, walls.shape, y_up, wrap)
            if cell == BLOCKED or flat_walls[cell]:
                wish_x = -wish_x
            else:
                x = there
            there = y + wish_y * (stride / pieces)
            cell = cell_at(x, there, walls.shape, y_up, wrap)
            if cell == BLOCKED or flat_walls[cell]:
                wish_y = -wish_y
            else:
                y = there
        if wrap:
            x, y = _around(x, width), _around(y, height)
        new_positions[i] = x, y
        new_headings[i] = wish_x, wish_y
        cells[i] = cell_at(x, y, walls.shape, y_up, wrap)


def _sensed(
    layer: NDArray[np.float32], walls: NDArray[np.bool_], x: float, y: float, y_up: bool, wrap: bool
) -> float:
    """The value that a sensor reads; without a layer 0, in walls and off the map minus infinity."""
    cell = cell_at(x, y, walls.shape, y_up, wrap)
    if cell == BLOCKED or walls.reshape(-1)[cell]:
        return -math.inf
    return float(layer.reshape(-1)[cell]) if layer.shape == walls.shape else 0.0


def _slope(
    layer: NDArray[np.float32], walls: NDArray[np.bool_], x: float, y: float, y_up: bool, wrap: bool
) -> tuple[float, float]:
    """How fast a layer grows along x and y per cell, relative to what the place and its neighbours
    read; walls read as the place.
    """
    column, row = math.floor(x) + 0.5, math.floor(y) + 0.5
    here = read(layer, walls, column, row, y_up, wrap, 0.0)
    sides = [
        read(layer, walls, column + dx, row + dy, y_up, wrap, here)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    total = here + (sides[0] + sides[1]) + (sides[2] + sides[3])
    if total <= _TINY:
        return 0.0, 0.0
    scale = 5 / total
    return scale * (sides[0] - sides[1]), scale * (sides[2] - sides[3])


def _around(value: float, size: int) -> float:
    """A coordinate brought back onto a torus."""
    back: Any = value - math.floor(value / size) * size
    return float(back) if back < size else 0.0
