"""Cheapest paths.

Scratch is restored: `best` is infinite everywhere, and only what a search touched is reset.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.compiling.low_level import bit_length, lowest_bit
from fieldcraft.kernels.paths.path_ground import COST_BOUNDS, CostBounds, CostGround
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.shared.moves import turned_round, wrapped

__all__ = ["CostBounds", "CostGround", "least_cost", "weighted", "weighted_scratch"]

EVEN = 1.0 - 2.0**-44  # paths that differ by less are of the same cost: sums in another order
LINEAR = 2.0**61
"""Below, keys are whole numbers of buckets; above, every number has a bucket of its own."""
_LONGEST_RING = 4096.0
_START = 64  # the step into the start
_CLOSED = 128
_LINEAR_BITS = np.int64(np.float64(LINEAR).view(np.int64))


def weighted_scratch(
    cells: int,
) -> tuple[NDArray[np.float64], NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]:
    """Return scratch for `weighted`: `best`, `came`, `pool` and `keys`; double the last two if they
    were too small.
    """
    count = 2 * cells + 64
    return (
        np.full(cells, np.inf),
        np.empty(cells, dtype=np.uint8),
        np.empty((count, 4), dtype=np.int32),
        np.empty(count, dtype=np.int64),
    )


@kernel(
    f"CostGround(i8[::1], i8[:,::1], f8[::1], f8[::1], b1, i8, i8, i8), {COST_BOUNDS}, i8, i8,"
    " out f8[::1], out u1[::1], out i4[:,::1], out i8[::1]",
    f"CostGround(u1[::1], i8[:,::1], f8[::1], f8[::1], b1, i8, i8, i8), {COST_BOUNDS}, i8, i8,"
    " out f8[::1], out u1[::1], out i4[:,::1], out i8[::1]",
)
def weighted(ground, bounds, start, goal, best, came, pool, keys):
    """Find the cheapest path with any table of steps over ground of different cost.

    The scratch and the number of cells returned are as for `uniform`; then come the length and the
    cost.
    """
    moves = ground.moves
    steps = ground.steps
    lengths = ground.lengths
    costs = ground.costs
    has_walls = ground.has_walls
    width = ground.width
    height = ground.height
    wrap = ground.wrap
    least = bounds.least
    highest = bounds.highest
    straight = least * bounds.straight
    diagonal = least * bounds.diagonal
    uneven = costs.shape[0] > 0
    goal_y, goal_x = divmod(goal, width)
    y, x = divmod(start, width)
    per_bucket = 8.0 / (least * lengths.min())
    # A step raises f by at most twice its cost. If that is few buckets they form a ring, else a
    # radix heap.
    span = 2.0 * highest * lengths.max() * per_bucket
    ring = np.int64(0)
    if span < _LONGEST_RING:
        ring = np.int64(1) << bit_length(np.int64(span) + 2)
    heads = np.full(ring if ring > 64 else np.int64(64), -1, dtype=np.int32)
    top = np.inf
    best[start], came[start] = 0.0, _START
    pool[0, 0], pool[0, 1], pool[0, 2] = x, y, -1
    f = least_cost(x, y, goal_x, goal_y, width, height, wrap, straight, diagonal)
    now = _key(f * per_bucket)
    slot = now & (ring - 1) if ring > 0 else np.int64(0)
    keys[0] = now
    heads[slot] = 0
    count = 1
    if start == goal:
        top = 0.0
    while top > 0.0:
        entry = heads[slot]
        if entry < 0:
            if ring > 0:
                end = now + ring
                while now < end and heads[now & (ring - 1)] < 0:
                    now += 1
                if now == end:
                    break
                slot = now & (ring - 1)
            else:
                now = _next_bucket(heads, pool, keys, now)
            if now < 0 or now > _key(top * per_bucket):
                break
            continue
        heads[slot] = pool[entry, 2]
        x, y = np.int64(pool[entry, 0]), np.int64(pool[entry, 1])
        cell = y * width + x
        if came[cell] & _CLOSED != 0:
            continue
        g = best[cell]
        if (
            top != np.inf
            and g + least_cost(x, y, goal_x, goal_y, width, height, wrap, straight, diagonal) >= top
        ):
            continue
        came[cell] |= _CLOSED
        if count + 64 > pool.shape[0]:
            top = -1.0
            break
        here = costs[cell] if uneven else 1.0
        left = np.int64(moves[cell])
        while left != 0:
            k = lowest_bit(left)
            left &= left - 1
            dx, dy = steps[k, 0], steps[k, 1]
            nx, ny = x + dx, y + dy
            if wrap:
                nx, ny = wrapped(nx, ny, width, height)
            next_cell = ny * width + nx
            known = best[next_cell]
            if known <= g:  # no step is free, so this one leads to nothing better
                continue
            if uneven:
                if (
                    has_walls
                    and abs(dx) == 1
                    and abs(dy) == 1
                    and (costs[y * width + nx] == np.inf or costs[ny * width + x] == np.inf)
                ):
                    continue
                reached = g + (lengths[k] * 0.5) * (here + costs[next_cell])
            else:
                reached = g + lengths[k]
            if reached < known * EVEN:
                best[next_cell], came[next_cell] = reached, k
                pool[count, 0], pool[count, 1] = nx, ny
                if next_cell == goal:
                    top = reached
                else:
                    f = reached + least_cost(
                        nx, ny, goal_x, goal_y, width, height, wrap, straight, diagonal
                    )
                    key = max(_key(f * per_bucket), now)
                    if ring > 0:
                        bucket = key & (ring - 1)
                    else:
                        keys[count] = key
                        bucket = bit_length(key ^ now)
                    pool[count, 2] = heads[bucket]
                    heads[bucket] = count
                count += 1
    length = 0
    cost, world = np.inf, np.inf
    if top >= 0.0 and top != np.inf:
        walked = np.zeros(steps.shape[0], dtype=np.int64)
        cost = 0.0
        cell = goal
        while True:
            pool[length, 3] = cell
            length += 1
            k = np.int64(came[cell]) & (_CLOSED - 1)
            if k == _START:
                break
            walked[k] += 1
            y, x = divmod(cell, width)
            before = (y - steps[k, 1]) % height * width + (x - steps[k, 0]) % width
            if uneven:
                cost += (lengths[k] * 0.5) * (costs[cell] + costs[before])
            cell = before
        turned_round(pool[:length, 3])
        world = 0.0
        for k in range(steps.shape[0]):
            for other in range(k + 1, steps.shape[0]):
                if lengths[other] == lengths[k]:
                    walked[k] += walked[other]
                    walked[other] = 0
            world += walked[k] * lengths[k]
        if not uneven:
            cost = world
    for entry in range(count):
        best[np.int64(pool[entry, 1]) * width + pool[entry, 0]] = np.inf
    return (-1 if top < 0.0 else length), world, cost


@kernel
def _key(buckets):
    """Return the whole number that a cost, in buckets, is sorted by: the number of its bucket, and
    for large costs one that follows from its bits, which grow with it.
    """
    if buckets < LINEAR:
        return np.int64(buckets)
    if buckets == np.inf:
        return np.int64(2**63 - 1)
    return np.int64(LINEAR) + (np.float64(buckets).view(np.int64) - _LINEAR_BITS)


@kernel
def least_cost(x, y, goal_x, goal_y, width, height, wrap, straight, diagonal):
    """Return a lower bound of the cost of all paths to the goal."""
    dx, dy = abs(goal_x - x), abs(goal_y - y)
    if wrap != 0:
        if wrap & WRAP_X != 0:
            dx = min(dx, width - dx)
        if wrap & WRAP_Y != 0:
            dy = min(dy, height - dy)
    return straight * max(dx, dy) + diagonal * min(dx, dy)


@kernel
def _next_bucket(heads, pool, keys, now):
    """Move the entries with the least key to `heads[0]`; return that key, or -1 if there are no
    entries.

    A radix heap: bucket b holds the keys that differ from `now` in bit b - 1 and in no higher bit.
    Entries of one key keep their order, the last one on top.
    """
    bucket = 1
    while bucket < 64 and heads[bucket] < 0:
        bucket += 1
    if bucket == 64:
        return np.int64(-1)
    entry = heads[bucket]
    heads[bucket] = -1
    now = keys[entry]
    turned = np.int32(-1)
    while entry >= 0:
        now = min(now, keys[entry])
        following = pool[entry, 2]
        pool[entry, 2] = turned
        turned = entry
        entry = following
    while turned >= 0:
        following = pool[turned, 2]
        into = bit_length(keys[turned] ^ now)
        pool[turned, 2] = heads[into]
        heads[into] = turned
        turned = following
    return now
