"""Shortest paths on ground of uniform cost.

Scratch is restored: `best` is infinite everywhere, and only what a search touched is reset.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.compiling.low_level import bit_length, lowest_bit
from fieldcraft.kernels.paths.path_ground import UNIFORM_GROUND, UniformGround
from fieldcraft.kernels.paths.shortest_path_weighted import least_cost
from fieldcraft.kernels.shared.moves import PRUNED, STEPS, turned_round, wrapped

__all__ = ["UniformGround", "uniform", "uniform_scratch"]

LONGEST_RUN = 2**14  # straight steps
UNREACHED = 2**62


def bits_for(cells: int) -> int:
    """Return the number of binary places of a length, so that no path on this number of cells
    exceeds 57 bits.
    """
    bits = 57
    longest = 2 * cells
    while longest > 0:
        longest //= 2
        bits -= 1
    return bits


_DX = np.array([dx for dx, _ in STEPS], dtype=np.int64)
_DY = np.array([dy for _, dy in STEPS], dtype=np.int64)
_START = 8  # the step into the start
_CLOSED = 16
_bits_for = kernel(bits_for)


def uniform_scratch(cells: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Return scratch for `uniform`: `best`, `parents` and `pool`; double the pool if it was too
    small.
    """
    return (
        np.full(cells, UNREACHED, dtype=np.int64),
        np.empty(cells, dtype=np.int32),
        np.empty((cells + 64, 4), dtype=np.int32),
    )


@kernel
def _run(bits, k, x, y, width, height):
    """Return the number of steps `k` (right, left, down or up) of a straight run from a cell."""
    row_words = (width + 63) // 64
    if k < 2:
        word = k * height * row_words + y * row_words
        at = x
    else:
        column_words = (height + 63) // 64
        word = 2 * height * row_words + (k - 2) * width * column_words + x * column_words
        at = y
    if k & 1 == 0:
        i = (at + 1) >> 6
        left = bits[word + i] >> ((at + 1) & 63)
        if left != 0:
            return 1 + lowest_bit(left)
        i += 1
        while bits[word + i] == 0:
            i += 1
        return i * 64 + lowest_bit(bits[word + i]) - at
    i = (at - 1) >> 6
    left = bits[word + i] << (63 - ((at - 1) & 63))
    if left != 0:
        return 1 + 64 - bit_length(left)
    i -= 1
    while bits[word + i] == 0:
        i -= 1
    return at - (i * 64 + bit_length(bits[word + i]) - 1)


@kernel(f"{UNIFORM_GROUND}, i8, i8, out i8[::1], out i4[::1], out i4[:,::1]")
def uniform(ground, start, goal, best, parents, pool):
    """Find the shortest path on ground that costs the same everywhere.

    Return the number of cells of the path, which are in `pool[:, 3]`, and how many of its steps are
    diagonal; 0 cells where there is no path, -1 where `pool` is too small. A row of the pool is
    (column, row, next entry of its bucket). `best` is the length of the path to a cell, times 32,
    with the step into it and `_CLOSED`.
    """
    moves = ground.moves
    bits = ground.stops
    eight = ground.eight
    width = ground.width
    height = ground.height
    wrap = ground.wrap
    places = _bits_for(best.shape[0])
    straight = np.int64(1) << places
    diagonal = np.int64(np.rint(math.sqrt(2.0) * straight))
    bend = diagonal - straight if eight else straight
    leading = diagonal if eight else straight
    table = PRUNED[1] if eight else PRUNED[0]
    # Straight runs branch off from these steps: diagonals, or those along the row.
    leads = np.int64(240 if eight else 3)
    shift = places + 1
    goal_y, goal_x = divmod(goal, width)
    y, x = divmod(start, width)
    # Entries that are added while a bucket is emptied are at most two runs behind it.
    longest = 1 if wrap else min(max(width, height), LONGEST_RUN)
    mask = (np.int64(1) << bit_length((np.int64(2 * longest + 8) << places) >> shift)) - 1
    heads = np.full(mask + 1, -1, dtype=np.int32)
    top = np.int64(UNREACHED)
    best[start] = _START
    pool[0, 0] = x
    pool[0, 1] = y
    pool[0, 2] = -1
    count = 1
    now = least_cost(x, y, goal_x, goal_y, width, height, wrap, straight, bend) >> shift
    heads[now & mask] = 0
    if start == goal:
        top = np.int64(0)
    while top > 0:
        entry = heads[now & mask]
        if entry < 0:
            end = now + mask + 1
            while heads[now & mask] < 0 and now < end:
                now += 1
            if now == end or now > top >> shift:
                break
            continue
        heads[now & mask] = pool[entry, 2]
        x = np.int64(pool[entry, 0])
        y = np.int64(pool[entry, 1])
        cell = y * width + x
        state = best[cell]
        if state & _CLOSED != 0:
            continue
        length_here = state >> 5
        if top != UNREACHED:
            ahead = least_cost(x, y, goal_x, goal_y, width, height, wrap, straight, bend)
            if length_here + ahead >= top:
                continue
        best[cell] = state | _CLOSED
        follow = np.int64(table[((state & 15) << 8) | np.int64(moves[cell])])
        while follow != 0 and top >= 0:
            # One step that leads, and the runs that branch off from its end; or a run from this
            # cell.
            k = lowest_bit(follow)
            follow &= follow - 1
            from_x, from_y = x, y
            from_length = length_here
            lead = (leads >> k) & 1
            going = True
            while going and top >= 0:
                going = False
                branches = np.int64(1) << k
                if lead:
                    from_x += _DX[k]
                    from_y += _DY[k]
                    if wrap:
                        from_x, from_y = wrapped(from_x, from_y, width, height)
                    from_length += leading
                    here = from_y * width + from_x
                    if here == goal:
                        branches = np.int64(0)
                        if from_length < top:
                            top = from_length
                            best[goal] = (from_length << 5) | k
                            parents[goal] = cell
                        continue
                    branches = np.int64(table[(k << 8) | np.int64(moves[here])])
                    if branches == 0:
                        continue
                    bucket = (
                        from_length
                        + least_cost(
                            from_x, from_y, goal_x, goal_y, width, height, wrap, straight, bend
                        )
                    ) >> shift
                    if wrap or bucket > now:
                        if from_length < best[here] >> 5:
                            if count >= pool.shape[0]:
                                top = np.int64(-1)
                                continue
                            best[here] = (from_length << 5) | k
                            parents[here] = cell
                            pool[count, 0] = from_x
                            pool[count, 1] = from_y
                            pool[count, 2] = heads[bucket & mask]
                            heads[bucket & mask] = count
                            count += 1
                        continue
                    going = (branches >> k) & 1 == 1
                    branches &= ~(np.int64(1) << k)
                while branches != 0:
                    j = lowest_bit(branches)
                    branches &= branches - 1
                    steps = np.int64(1)
                    if not wrap:
                        run = _run(bits, j, from_x, from_y, width, height)
                        steps = np.int64(min(run, LONGEST_RUN))
                        # The goal ends a run, too.
                        ahead = (goal_x - from_x) * _DX[j] + (goal_y - from_y) * _DY[j]
                        beside = goal_y - from_y if j < 2 else goal_x - from_x
                        if beside == 0 and 0 < ahead < steps:
                            steps = ahead
                    to_x = from_x + _DX[j] * steps
                    to_y = from_y + _DY[j] * steps
                    if wrap:
                        to_x, to_y = wrapped(to_x, to_y, width, height)
                    there = to_y * width + to_x
                    reached = from_length + straight * steps
                    if reached >= best[there] >> 5 or (
                        there != goal and table[(j << 8) | np.int64(moves[there])] == 0
                    ):
                        continue
                    if there == goal:
                        top = reached
                    else:
                        if count >= pool.shape[0]:
                            top = np.int64(-1)
                            break
                        bucket = (
                            reached
                            + least_cost(
                                to_x, to_y, goal_x, goal_y, width, height, wrap, straight, bend
                            )
                        ) >> shift
                        pool[count, 0] = to_x
                        pool[count, 1] = to_y
                        pool[count, 2] = heads[bucket & mask]
                        heads[bucket & mask] = count
                        count += 1
                    best[there] = (reached << 5) | j
                    parents[there] = cell
    length = 0
    diagonals = 0
    if top >= 0 and top != UNREACHED:
        length, diagonals = _trace(best, parents, pool, goal, width, height, wrap, eight)
    for entry in range(count):
        best[np.int64(pool[entry, 1]) * width + pool[entry, 0]] = UNREACHED
    best[goal] = UNREACHED
    return (-1 if top < 0 or length < 0 else length), diagonals


@kernel
def _trace(best, parents, pool, goal, width, height, wrap, eight):
    """Write the cells of the path to `pool[:, 3]`; return their number, -1 where there is no room,
    and how many steps are diagonal.

    From a cell to the next that it led to, the path goes diagonally first, or along the row, and
    then straight.
    """
    length = 1
    diagonals = 0
    pool[0, 3] = goal
    y, x = divmod(goal, width)
    while best[y * width + x] & 15 != _START:
        if wrap:
            k = best[y * width + x] & 15
            dx = -_DX[k]
            dy = -_DY[k]
        else:
            from_y, from_x = divmod(np.int64(parents[y * width + x]), width)
            dx = from_x - x
            dy = from_y - y
        right = 1 if dx > 0 else -1
        down = 1 if dy > 0 else -1
        bent = min(abs(dx), abs(dy)) if eight else 0
        many = max(abs(dx), abs(dy)) if eight else abs(dx) + abs(dy)
        if length + many > pool.shape[0]:
            return -1, 0
        diagonals += bent
        for i in range(many):
            last = i >= many - bent
            if last or (abs(dx) > abs(dy) if eight else i >= abs(dy)):
                x += right
            if last or (abs(dx) < abs(dy) if eight else i < abs(dy)):
                y += down
            if wrap:
                x, y = wrapped(x, y, width, height)
            pool[length, 3] = y * width + x
            length += 1
    turned_round(pool[:length, 3])
    return length, diagonals
