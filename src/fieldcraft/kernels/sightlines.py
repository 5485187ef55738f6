"""Straight lines over polygons, and between the cells of a grid, fast: `fieldcraft.kernels.reference.sightlines`."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fieldcraft.kernels.reference.sightlines import BLOCKED, CLOSED, INWARDS, NO_FACINGS, OPEN

__all__ = [
    "BLOCKED",
    "CLOSED",
    "INWARDS",
    "NO_FACINGS",
    "OPEN",
    "between",
    "between_cells",
    "look_cells",
    "look_places",
    "scratch",
    "settle",
    "sweep",
]

_STACK = 64


@njit(nogil=True, cache=True)
def settle(starts, rings, centres, cells, points, places):  # type: ignore[no-untyped-def]
    """Where points stand in their polygons, a little to the middle."""
    for i in range(len(cells)):
        cell = cells[i]
        x, y = points[i, 0], points[i, 1]
        inside = True
        best, bx, by = math.inf, x, y
        for k in range(starts[cell], starts[cell + 1]):
            after = k + 1 if k + 1 < starts[cell + 1] else starts[cell]
            ux, uy, vx, vy = rings[k, 0], rings[k, 1], rings[after, 0], rings[after, 1]
            dx, dy = vx - ux, vy - uy
            if dx * (y - uy) - dy * (x - ux) < 0:
                inside = False
            size = dx * dx + dy * dy
            share = 0.0
            if size > 0:
                share = min(max(((x - ux) * dx + (y - uy) * dy) / size, 0.0), 1.0)
            px, py = ux + share * dx, uy + share * dy
            away = (px - x) * (px - x) + (py - y) * (py - y)
            if away < best:
                best, bx, by = away, px, py
        if inside:
            bx, by = x, y
        places[i, 0] = bx + (centres[cell, 0] - bx) * INWARDS
        places[i, 1] = by + (centres[cell, 1] - by) * INWARDS


@njit(nogil=True, cache=True)
def _cross(ax, ay, bx, by, cx, cy):  # type: ignore[no-untyped-def]
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@njit(nogil=True, cache=True)
def _walk(starts, ends, sides, shut, first, ax, ay, goal, bx, by, left, stack):  # type: ignore[no-untyped-def]
    """Whether the line arrives, and whether it touched a corner."""
    stack[0] = first
    height = 1
    touched = False
    for _ in range(4 * len(starts) + _STACK):
        if height == 0:
            return False, touched
        height -= 1
        here = stack[height]
        if here == goal:
            return True, touched
        for portal in range(starts[here], starts[here + 1]):
            end = ends[portal]
            if shut[portal] != OPEN and (shut[portal] == CLOSED or end != goal):
                continue
            ux, uy, vx, vy = sides[portal, 0], sides[portal, 1], sides[portal, 2], sides[portal, 3]
            to_u, to_v = _cross(ax, ay, bx, by, ux, uy), _cross(ax, ay, bx, by, vx, vy)
            touched = touched or to_u == 0 or to_v == 0
            u_is_left = to_u > 0 or (to_u == 0 and not left)
            v_is_left = to_v > 0 or (to_v == 0 and not left)
            if u_is_left or not v_is_left or _cross(ux, uy, vx, vy, bx, by) >= 0:
                continue
            if height < _STACK:
                stack[height] = end
                height += 1
    return False, touched


@njit(nogil=True, cache=True)
def between(starts, ends, sides, shut, one, ax, ay, other, bx, by, stack):  # type: ignore[no-untyped-def]
    """Whether places in two polygons see each other."""
    if one == other:
        return True
    if bx < ax or (bx == ax and by < ay):
        one, ax, ay, other, bx, by = other, bx, by, one, ax, ay
    seen, touched = _walk(starts, ends, sides, shut, one, ax, ay, other, bx, by, True, stack)
    if not seen and touched:
        seen, touched = _walk(starts, ends, sides, shut, one, ax, ay, other, bx, by, False, stack)
    return seen


def scratch() -> tuple[NDArray[np.int64]]:
    """What `between` needs besides."""
    return (np.empty(_STACK, dtype=np.int64),)


@njit(nogil=True, cache=True)
def look_places(
    starts, ends, sides, shut, has_mesh, cells, points, places, limits, facings, narrow, goals, aims, spots, own, first, last, seen
):  # type: ignore[no-untyped-def]
    """Which of the aims the viewers [first, last) see."""
    stack = np.empty(_STACK, dtype=np.int64)
    for v in range(first, last):
        for t in range(len(goals)):
            seen[v, t] = False
            if own and goals[t] == cells[v]:
                seen[v, t] = True
                continue
            squared = 0.0
            for axis in range(points.shape[1]):
                squared += (aims[t, axis] - points[v, axis]) * (aims[t, axis] - points[v, axis])
            if squared > limits[v]:
                continue
            if len(facings) and squared != 0:
                dx, dy = aims[t, 0] - points[v, 0], aims[t, 1] - points[v, 1]
                if not facings[v, 0] * dx + facings[v, 1] * dy >= narrow * math.sqrt(dx * dx + dy * dy):
                    continue
            seen[v, t] = not has_mesh or between(
                starts, ends, sides, shut, cells[v], places[v, 0], places[v, 1], goals[t], spots[t, 0], spots[t, 1], stack
            )


@njit(nogil=True, cache=True)
def _leaves(corners, rings, cell, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """The share of a line at which it leaves a polygon."""
    first, last = corners[cell], corners[cell + 1]
    share = math.inf
    for k in range(first, last):
        after = k + 1 if k + 1 < last else first
        ux, uy, vx, vy = rings[k, 0], rings[k, 1], rings[after, 0], rings[after, 1]
        turn = (vx - ux) * (by - ay) - (vy - uy) * (bx - ax)
        if turn < 0:
            share = min(share, _cross(ux, uy, vx, vy, ax, ay) / -turn)
    return max(share, 0.0)


@njit(nogil=True, cache=True)
def sweep(starts, ends, sides, shut, corners, rings, first, ax, ay, bx, by, left, passed, leaves):  # type: ignore[no-untyped-def]
    """The polygons that a line runs over."""
    here = first
    for count in range(len(passed)):
        passed[count] = here
        leaves[count] = _leaves(corners, rings, here, ax, ay, bx, by)
        if leaves[count] >= 1:
            leaves[count] = 1.0
            return count + 1, False
        following = -1
        for portal in range(starts[here], starts[here + 1]):
            ux, uy, vx, vy = sides[portal, 0], sides[portal, 1], sides[portal, 2], sides[portal, 3]
            to_u, to_v = _cross(ax, ay, bx, by, ux, uy), _cross(ax, ay, bx, by, vx, vy)
            u_is_left = to_u > 0 or (to_u == 0 and not left)
            v_is_left = to_v > 0 or (to_v == 0 and not left)
            if not u_is_left and v_is_left and shut[portal] == OPEN:
                following = ends[portal]
                break
        if following < 0:
            return count + 1, True
        here = following
    return len(passed), True


@njit(nogil=True, cache=True)
def between_cells(walls, row, column, dy, dx):  # type: ignore[no-untyped-def]
    """Whether the centres of two cells of a grid see each other."""
    height, width = walls.shape
    down, right = 1 if dy > 0 else -1, 1 if dx > 0 else -1
    ay, ax = abs(dy), abs(dx)
    i = j = 0
    beside_rows = beside_columns = False
    while i < ax or j < ay:
        to_column, to_row = (2 * i + 1) * ay, (2 * j + 1) * ax
        if to_column == to_row:
            beside_columns = beside_columns or walls[(row + j * down) % height, (column + (i + 1) * right) % width] != 0
            beside_rows = beside_rows or walls[(row + (j + 1) * down) % height, (column + i * right) % width] != 0
            if beside_rows and beside_columns:
                return False
        if to_column <= to_row:
            i += 1
        if to_row <= to_column:
            j += 1
        if (i < ax or j < ay) and walls[(row + j * down) % height, (column + i * right) % width] != 0:
            return False
    return True


@njit(nogil=True, cache=True)
def look_cells(walls, wrap, cells, limits, facings, narrow, goals, first, last, seen):  # type: ignore[no-untyped-def]
    """Which of the cells `goals` the viewers [first, last) see."""
    height, width = walls.shape
    for v in range(first, last):
        row, column = cells[v] // width, cells[v] % width
        for t in range(len(goals)):
            dy, dx = goals[t] // width - row, goals[t] % width - column
            down = across = 1
            if wrap:
                dy, dx = (dy + height // 2) % height - height // 2, (dx + width // 2) % width - width // 2
                down = 2 if 2 * abs(dy) == height else 1
                across = 2 if 2 * abs(dx) == width else 1
            found = False
            squared = dy * dy + dx * dx
            for way in range(down * across if squared <= limits[v] else 0):
                y = -dy if way % down else dy
                x = -dx if way // down else dx
                if squared > 0 and len(facings) and not facings[v, 0] * x + facings[v, 1] * y >= narrow * math.sqrt(float(squared)):
                    continue
                if between_cells(walls, row, column, y, x):
                    found = True
                    break
            seen[v, t] = found
