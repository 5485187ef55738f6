"""Bringing a map of distances up to date.

`mend` clears the cells that no longer have a neighbour giving exactly their distance, then searches
again from the rim of what is left.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.buckets import shelve
from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.distance import there, weight
from fieldcraft.kernels.goals import goal_distance
from fieldcraft.kernels.heap import TWICE, longer, sift_down, sift_up

__all__ = ["mend"]


@kernel
def _clear(grid, walls, goals, far, high, count, dist, marks, stack, touched, olds):
    """Clear each cell of the stack that has no neighbour giving exactly its distance, and look at
    those that had theirs from it.

    Stops while there is still room. Returns (cells on the stack, cells touched).
    """
    links, steps, offsets, lengths, cost, width, height, wrap = grid
    cells, starts = goals
    several = steps.shape[0]
    while 0 < high <= stack.shape[0] - several and count < touched.shape[0]:
        high -= 1
        u = stack[high]
        d = dist[u]
        if d == far:
            continue
        if not walls[u]:
            kept = goal_distance(u, cells, starts, far) == d
            for k in range(several):
                if kept:
                    break
                n = there(u, steps[k, 0], steps[k, 1], offsets[k], width, height, wrap)
                kept = (
                    n >= 0
                    and (links[n] >> k) & 1 != 0
                    and dist[n] != far
                    and dist[n] + weight(u, n, k, lengths, cost) == d
                )
            if kept:
                continue
        touched[count], olds[count] = u, d
        count += 1
        marks[u] |= 1
        dist[u] = far
        if walls[u]:
            # Who came this way stands beside it, and is looked at anyway.
            continue
        m = links[u]
        for k in range(several):
            if (m >> k) & 1:
                n = there(u, -steps[k, 0], -steps[k, 1], -offsets[k], width, height, wrap)
                if dist[n] == d + weight(n, u, k, lengths, cost) and not walls[n]:
                    stack[high] = n
                    high += 1
    return high, count


@kernel
def _empty(grid, walls, far, inverse, limit, bucket, state, dist, marks, queue, touched, olds):
    """Relax the cells of one bucket while there is room. Returns the new `state`: the first free
    node, nodes used, cells waiting, cells touched.
    """
    links, steps, offsets, lengths, cost, width, height, wrap = grid
    free, used, waiting, count = state
    heads, nodes, following = queue
    several = steps.shape[0]
    rounds = heads.shape[0]
    slot = bucket % rounds
    while (
        heads[slot] >= 0
        and used + several <= nodes.shape[0]
        and count + several <= touched.shape[0]
    ):
        node = heads[slot]
        heads[slot] = following[node]
        following[node] = free
        free = node
        waiting -= 1
        u = nodes[node]
        d = dist[u]
        if np.int64(d * inverse) != bucket:
            continue
        m = links[u]
        for k in range(several):
            if (m >> k) & 1 == 0:
                continue
            n = there(u, -steps[k, 0], -steps[k, 1], -offsets[k], width, height, wrap)
            s = d + weight(n, u, k, lengths, cost)
            o = dist[n]
            if s < o and s <= limit and not walls[n]:
                dist[n] = s
                t = np.int64(s * inverse)
                if marks[n] & 1 == 0:
                    touched[count], olds[count] = n, o
                    count += 1
                    marks[n] |= 1
                elif o != far and t != bucket and np.int64(o * inverse) == t:
                    continue
                free, used = shelve(n, t % rounds, heads, nodes, following, free, used)
                waiting += 1
    return free, used, waiting, count


@kernel(
    "(u1[::1], i8[:,::1], f8[::1], f8[::1], i8, b1), b1[::1], b1[::1], i8[:,::1], i8[::1],"
    " (i8[::1], f8[::1]), f8, f8, i8, f8, out f8[::1], out i1[::1]",
    "(u8[::1], i8[:,::1], f8[::1], f8[::1], i8, b1), b1[::1], b1[::1], i8[:,::1], i8[::1],"
    " (i8[::1], f8[::1]), f8, f8, i8, f8, out f8[::1], out i1[::1]",
    "(u1[::1], i8[:,::1], i8[::1], none, i8, b1), b1[::1], b1[::1], i8[:,::1], i8[::1], (i8[::1],"
    " i8[::1]), i8, f8, i8, i8, out i8[::1], out i1[::1]",
)
def mend(grid, walls, before, around, changed, goals, far, inverse, rounds, limit, dist, marks):
    """Bring a finished map up to date after the walls or costs of the cells `changed` have. Returns
    (cells, what they were).

    `grid` is that of `distance.add`, as it is now like `walls`, and `before` the walls of then; on
    walls `dist` may hold anything. `around` are the offsets (columns, rows) from a changed cell to
    those whose steps it may bear on. `goals` are (cells in ascending order, their start costs).
    `inverse` and `rounds` are 1 / the width of a bucket and more than the dearest step spans.
    `marks` is scratch of one int8 per cell, 0 before and after. The cells returned are those whose
    distance is another one now.
    """
    links, steps, lengths, cost, width, wrap = grid
    goal_cells, starts = goals
    height = dist.shape[0] // width
    offsets = steps[:, 1] * width + steps[:, 0]
    ground = links, steps, offsets, lengths, cost, width, height, wrap
    several = steps.shape[0]
    stack = np.empty(max(256, changed.shape[0] * around.shape[0] + several), np.int64)
    high = np.int64(0)
    for i in range(changed.shape[0]):
        if before[changed[i]]:
            dist[changed[i]] = far
        for j in range(around.shape[0]):
            y, x = divmod(changed[i], width)
            y += around[j, 1]
            x += around[j, 0]
            if wrap:
                y, x = y % height, x % width
            elif y < 0 or y >= height or x < 0 or x >= width:
                continue
            u = y * width + x
            if marks[u] & 2 == 0 and not (walls[u] and before[u]):
                marks[u] |= 2
                stack[high] = u
                high += 1
    near = stack[:high].copy()
    touched, olds = np.empty(256, np.int64), np.empty(256, dist.dtype)
    count = np.int64(
        0
        # of this type from the beginning, like the others below: kernels are compiled anew for each
        # number in the code
    )
    while high > 0:
        if high > stack.shape[0] - several:
            stack = longer(stack, TWICE)
        if count == touched.shape[0]:
            touched = longer(touched, TWICE)
            olds = longer(olds, TWICE)
        high, count = _clear(
            ground, walls, goals, far, high, count, dist, marks, stack, touched, olds
        )
    # Seeds: what the rest gives to the cleared cells, and what new openings give to cells that kept
    # theirs.
    keys = np.empty(count + near.shape[0], dist.dtype)
    cells = np.empty(count + near.shape[0], np.int64)
    size = 0
    for i in range(count + near.shape[0]):
        u = touched[i] if i < count else near[i - count]
        if walls[u] or (i >= count and marks[u] & 1 != 0):
            continue
        best = goal_distance(u, goal_cells, starts, far)
        for k in range(several):
            n = there(u, steps[k, 0], steps[k, 1], offsets[k], width, height, wrap)
            if n >= 0 and (links[n] >> k) & 1 and dist[n] != far:
                s = dist[n] + weight(u, n, k, lengths, cost)
                if s < best:
                    best = s
        if best < dist[u] and best <= limit:
            keys[size], cells[size] = best, u
            size += 1
            sift_up(keys, cells, size - 1)
    # The search goes on from the seeds, in buckets; a cell may be found again in the one that is
    # being emptied.
    heads, nodes = np.full(rounds, -1, np.int64), np.empty(256, np.int64)
    following = np.empty(256, np.int64)
    used, free, waiting = np.int64(0), np.int64(-1), np.int64(0)
    bucket = np.int64(0)
    while size > 0 or waiting > 0:
        if waiting == 0:
            bucket = np.int64(keys[0] * inverse)
        slot = bucket % rounds
        while True:
            if used + several > nodes.shape[0]:
                nodes = longer(nodes, TWICE)
                following = longer(following, TWICE)
            if count + several > touched.shape[0]:
                touched = longer(touched, TWICE)
                olds = longer(olds, TWICE)
            if size > 0 and np.int64(keys[0] * inverse) <= bucket:
                u = cells[0]
                s = keys[0]
                size -= 1
                keys[0], cells[0] = keys[size], cells[size]
                sift_down(keys, cells, size)
                if s >= dist[u]:
                    continue
                if marks[u] & 1 == 0:
                    touched[count], olds[count] = u, dist[u]
                    count += 1
                    marks[u] |= 1
                dist[u] = s
                nodes[used], following[used] = u, heads[slot]
                heads[slot] = used
                used += 1
                waiting += 1
            elif heads[slot] >= 0:
                free, used, waiting, count = _empty(
                    ground,
                    walls,
                    far,
                    inverse,
                    limit,
                    bucket,
                    (free, used, waiting, count),
                    dist,
                    marks,
                    (heads, nodes, following),
                    touched,
                    olds,
                )
            else:
                break
        bucket += 1
    for i in range(near.shape[0]):
        marks[near[i]] = 0
    left = 0
    for i in range(count):
        u = touched[i]
        marks[u] = 0
        if dist[u] != olds[i]:
            touched[left], olds[left] = u, olds[i]
            left += 1
    return touched[:left], olds[:left]
