"""A crowd's step as one writes it with NumPy and SciPy's cKDTree, and no loop over agents.

It takes the flow field's directions and the ground's bars ready made, like fieldcraft's own step
does, and follows the same rules: mix the directions of four cells and keep to the sides a cell may
be left by, push neighbors apart, feel for walls along three lines, limit force and speed, walk
from cell to cell along walls and around corners. Agents that need no second look are done with in
the first pass over all; the loops go on with those that do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from fieldcraft import kernels
from fieldcraft.steering import Crowd

Array = Any

EAST = 1
WEST = 2
NORTH = 4
SOUTH = 8
COS = np.sqrt(0.75)
SIN = 0.5
SLACK = 1e-24


def step(
    crowd: Crowd,
    bars: Array,
    vectors: Array,
    gates: Array,
    at: Array,
    moving: Array,
    dt: float,
    max_speed: float,
    max_force: float,
) -> tuple[Array, Array]:
    """Positions and velocities after `dt`; on a map with y down and no torus, its origin at 0 and
    cells of 1.
    """
    cells = np.floor(at).astype(np.int64)
    columns, rows = cells[:, 0], cells[:, 1]
    place = at - cells
    force = (sample(vectors, gates, columns, rows, place) * max_speed - moving) * crowd.response
    force += separation(at, crowd.separation_radius) * (crowd.separation * max_speed)
    force += avoid(bars, columns, rows, place, moving, crowd.ahead) * crowd.avoidance
    moving = limited(moving + limited(force, max_force) * dt, max_speed)
    near = min(max(crowd.radius, 1e-6), 0.49)
    after, touched = walk(bars, columns, rows, place, moving * dt, near)
    moving[touched] = (after[touched] - at[touched]) / dt
    return after, moving


def limited(found: Array, most: float) -> Array:
    lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
    return found * np.minimum(1.0, most / np.maximum(lengths, 1e-300))[:, np.newaxis]


def sample(vectors: Array, gates: Array, columns: Array, rows: Array, place: Array) -> Array:
    """The directions of a flow field."""
    height, width = gates.shape
    flat = vectors.reshape(-1, 2)
    gate = gates.reshape(-1)
    offset = place - 0.5
    beside = columns + np.where(offset[:, 0] >= 0, 1, -1)
    above = rows + np.where(offset[:, 1] >= 0, 1, -1)
    off = np.abs(offset)
    tx = np.where((beside >= 0) & (beside < width), off[:, 0], 0.0)[:, np.newaxis]
    ty = np.where((above >= 0) & (above < height), off[:, 1], 0.0)[:, np.newaxis]
    beside = np.clip(beside, 0, width - 1)
    above = np.clip(above, 0, height - 1)
    here = rows * width + columns
    own = flat[here]
    one = flat[rows * width + beside]
    two = flat[above * width + columns]
    some = (one.any(axis=1) | two.any(axis=1))[:, np.newaxis]
    mixed = own * ((1 - tx) * (1 - ty)) + one * (tx * (1 - ty)) + two * ((1 - tx) * ty)
    mixed += np.where(some, flat[above * width + beside] * (tx * ty), 0.0)
    leave = gate[here]
    x, y = mixed.T
    x = np.where(leave & np.where(x > 0, EAST, WEST), x, 0.0)
    y = np.where(leave & np.where(y > 0, NORTH, SOUTH), y, 0.0)
    corner = (x != 0) & (y != 0) & (leave & (16 << ((x < 0) + 2 * (y < 0))) == 0)
    if corner.any():
        flatter = np.abs(own[:, 0]) >= np.abs(own[:, 1])
        x, y = np.where(corner & ~flatter, 0.0, x), np.where(corner & flatter, 0.0, y)
    found = np.stack([x, y], axis=1)
    lengths = np.sqrt(x * x + y * y)
    alone = (x * own[:, 0] + y * own[:, 1] < 0.5 * lengths) | (lengths == 0)
    found[alone] = own[alone]
    return found / np.maximum(np.sqrt(np.einsum("ij,ij->i", found, found)), 1e-300)[:, np.newaxis]


def separation(at: Array, radius: float) -> Array:
    """Pushes away from neighbors."""
    pairs = cKDTree(at).query_pairs(radius, output_type="ndarray")
    first = pairs[:, 0]
    second = pairs[:, 1]
    apart = at[first] - at[second]
    squared = np.einsum("ij,ij->i", apart, apart)
    together = np.flatnonzero(squared == 0)
    squared[together] = 1.0
    share = 1 / np.sqrt(squared) - 1 / radius
    found = np.empty_like(at)
    for axis, parting in (
        (0, kernels.shared.agent_neighbors.APART_X),
        (1, kernels.shared.agent_neighbors.APART_Y),
    ):
        push = apart[:, axis] * share
        push[together] = parting[
            (first[together] + second[together]) % len(parting)
        ]  # the first of a pair has the lower number
        found[:, axis] = np.bincount(first, push, len(at)) - np.bincount(second, push, len(at))
    return found


def avoid(
    bars: Array, columns: Array, rows: Array, place: Array, moving: Array, ahead: float
) -> Array:
    """The change of velocity away from walls: three feelers for each agent, all at once."""
    speed = np.sqrt(np.einsum("ij,ij->i", moving, moving))
    heading = moving / np.maximum(speed, 1e-300)[:, np.newaxis]
    across = np.stack([-heading[:, 1], heading[:, 0]], axis=1)
    side = 0.5 * ahead
    lines = np.concatenate(
        [
            heading * ahead,
            (heading * COS + across * SIN) * side,
            (heading * COS - across * SIN) * side,
        ]
    )
    count = len(speed)
    parts, faces = feel(bars, np.tile(columns, 3), np.tile(rows, 3), np.tile(place, (3, 1)), lines)
    pushes = (faces * (1 - parts)[:, np.newaxis]).reshape(3, count, 2).sum(axis=0)
    free, left, right = parts.reshape(3, count)
    turn = np.where(left >= right, 1 - free, free - 1)
    return (pushes + across * turn[:, np.newaxis]) * speed[:, np.newaxis]


def feel(
    bars: Array, columns: Array, rows: Array, place: Array, lines: Array
) -> tuple[Array, Array]:
    """How far lines get, as parts of them, and which way the side that ends each faces."""
    width = bars.shape[1]
    flat = bars.reshape(-1)
    parts = np.ones(len(lines))
    faces = np.zeros((len(lines), 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        per = 1 / np.abs(lines)
        times = np.where(lines > 0, 1 - place, place) * per
    times[lines == 0] = np.inf
    cells = rows * width + columns
    index = np.flatnonzero(times.min(axis=1) < 1)  # most lines end in the cell they begin in
    cells = cells[index]
    times = times[index]
    per = per[index]
    forward = lines[index] > 0
    while len(index):
        by_x = times[:, 0] <= times[:, 1]
        ahead = np.where(by_x, forward[:, 0], forward[:, 1])
        side = np.where(by_x, np.where(ahead, EAST, WEST), np.where(ahead, NORTH, SOUTH))
        barred = flat[cells] & side != 0
        end = index[barred]
        parts[end] = np.where(by_x, times[:, 0], times[:, 1])[barred]
        faces[end, np.where(by_x, 0, 1)[barred]] = np.where(ahead, -1.0, 1.0)[barred]
        cells = cells + np.where(ahead, 1, -1) * np.where(by_x, 1, width)
        times[by_x, 0] += per[by_x, 0]
        times[~by_x, 1] += per[~by_x, 1]
        goes_on = ~barred & (times.min(axis=1) < 1)
        index = index[goes_on]
        cells = cells[goes_on]
        times = times[goes_on]
        per = per[goes_on]
        forward = forward[goes_on]
    return parts, faces


def walk(
    bars: Array, columns: Array, rows: Array, place: Array, shifts: Array, near: float
) -> tuple[Array, Array]:
    """Where agents get by walking, and who touched a wall."""
    flat = bars.reshape(-1)
    width = bars.shape[1]
    touched = np.zeros(len(place), dtype=bool)
    ends = np.empty_like(place)
    index = np.arange(len(place))
    cells = np.stack([columns, rows], axis=1)
    at = place
    left = shifts
    while len(index):
        bits = flat[cells[:, 1] * width + cells[:, 0]]
        high = np.stack(
            [np.where(bits & EAST, 1 - near, 1.0), np.where(bits & NORTH, 1 - near, 1.0)], axis=1
        )
        low = np.stack(
            [np.where(bits & WEST, near, 0.0), np.where(bits & SOUTH, near, 0.0)], axis=1
        )
        high, low = np.maximum(high, at), np.minimum(low, at)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(left == 0, np.inf, (np.where(left > 0, high, low) - at) / left)
        first = times.min(axis=1)
        rounding = np.zeros((len(index), 2))
        at_corner = np.zeros(len(index), dtype=bool)
        for corner in range(4):
            some = np.flatnonzero(bits & (16 << corner))
            if not len(some):
                continue
            vertex = np.array([1.0 - (corner & 1), 1.0 - (corner >> 1)])
            when = reaches(at[some] - vertex, left[some], near)
            sooner = when < first[some]
            first[some[sooner]] = when[sooner]
            rounding[some[sooner]], at_corner[some[sooner]] = vertex, True
        done = first >= 1
        part = np.minimum(first, 1.0)[:, np.newaxis]
        at = np.clip(at + part * left, low, high)
        ends[index[done]] = cells[done] + at[done]
        if done.all():
            break
        index, cells, at, left, bits = (
            found[~done] for found in (index, cells, at, left * (1 - part), bits)
        )
        high, low, times, rounding, at_corner = (
            found[~done] for found in (high, low, times, rounding, at_corner)
        )
        away = at - rounding
        share = np.einsum("ij,ij->i", left, away) / np.einsum("ij,ij->i", away, away)
        bent = left - share[:, np.newaxis] * away
        axis = np.where(times[:, 0] <= times[:, 1], 0, 1)
        number = np.arange(len(index))
        goes_up = left[number, axis] > 0
        side = np.where(axis == 0, np.where(goes_up, EAST, WEST), np.where(goes_up, NORTH, SOUTH))
        barred = (bits & side != 0) & ~at_corner
        passes = ~barred & ~at_corner
        touched[index[barred | at_corner]] = True
        left = np.where(at_corner[:, np.newaxis], bent, left)
        left[number[barred], axis[barred]] = 0.0
        at[number[barred], axis[barred]] = np.where(goes_up, high[number, axis], low[number, axis])[
            barred
        ]
        cells[number[passes], axis[passes]] += np.where(goes_up, 1, -1)[passes]
        at[number[passes], axis[passes]] = np.where(goes_up, 0.0, 1.0)[passes]
        still = (left == 0).all(axis=1)
        ends[index[still]] = cells[still] + at[still]
        index, cells, at, left = (found[~still] for found in (index, cells, at, left))
    return ends, touched


def reaches(away: Array, left: Array, near: float) -> Array:
    """The part of each displacement after which it is `near` to a corner."""
    a, b, ee = (
        np.einsum("ij,ij->i", one, other)
        for one, other in ((left, left), (away, left), (away, away))
    )
    k = ee - near * near
    inside = b * b - a * k
    with np.errstate(divide="ignore", invalid="ignore"):
        when = np.where(
            k <= 0, 0.0, np.where(inside > 0, k / (np.sqrt(np.maximum(inside, 0)) - b), np.inf)
        )
    return np.where((b >= 0) | (b * b <= SLACK * (a * ee)), np.inf, when)
