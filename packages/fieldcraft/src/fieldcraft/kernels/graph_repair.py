"""Bringing distances on graphs up to date.

`mend` clears the vertices that no longer have a neighbour giving exactly their distance, then
searches again from the rim of what is left. Distances grow along every arc, so no two vertices bear
each other out.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.goals import goal_distance
from fieldcraft.kernels.graph_ways import after, given, weight
from fieldcraft.kernels.heap import longer, sift_down, sift_up

__all__ = ["mend"]


@kernel
def _clear(into, out, walls, goals, high, dist, marks, stack, touched, olds):
    """Clear each vertex of the stack that nothing gives exactly its distance, and look at those
    that had theirs from it.

    Vertices on the stack are marked 4, and cleared ones 1, so that there is room for all. Returns
    how many are touched.
    """
    (starts, origins, sizes, cost), (cells, goal_starts) = into, goals
    even = cost.shape[0] == 1
    count = np.int64(0)
    while high > 0:
        high -= 1
        u = np.int64(stack[high])
        marks[u] &= ~4
        d = dist[u]
        if d == np.inf:
            continue
        if not walls[u] and (
            goal_distance(u, cells, goal_starts, np.inf) == d or given(out, dist, walls, u) == d
        ):
            continue
        touched[count], olds[count] = u, d
        count += 1
        marks[u] |= 1
        dist[u] = np.inf
        if walls[u]:
            # Who came this way stands beside it, and is looked at anyway.
            continue
        for arc in range(starts[u], starts[u + 1]):
            n = np.int64(origins[arc])
            if (
                marks[n] & 4 == 0
                and not walls[n]
                and dist[n] == after(d, weight(n, u, sizes[arc], cost, even))
            ):
                marks[n] |= 4
                stack[high] = n
                high += 1
    return count


@kernel
def _go_on(into, walls, limit, size, count, dist, marks, keys, cells, touched, olds):
    """Search on from a heap while there is room in it. Returns (size of the heap, vertices touched,
    arcs more room is needed for).
    """
    starts, origins, sizes, cost = into
    even = cost.shape[0] == 1
    while size > 0:
        v = np.int64(cells[0])
        d = keys[0]
        first, last = starts[v], starts[v + 1]
        if size + (last - first) > keys.shape[0]:
            return size, count, last - first
        size -= 1
        if size > 0:
            keys[0], cells[0] = keys[size], cells[size]
            sift_down(keys, cells, size)
        if d > dist[v]:
            continue
        for arc in range(first, last):
            n = np.int64(origins[arc])
            if walls[n]:
                continue
            s = after(d, weight(n, v, sizes[arc], cost, even))
            if s < dist[n] and s <= limit:
                if marks[n] & 1 == 0:
                    touched[count], olds[count] = n, dist[n]
                    count += 1
                    marks[n] |= 1
                dist[n] = s
                keys[size], cells[size] = s, n
                size += 1
                sift_up(keys, cells, size - 1)
    return size, count, 0


@kernel(
    "(i8[::1], i4[::1], f8[::1], f8[::1]), (i8[::1], i8[::1], i4[::1], f8[::1], f8[::1]), b1[::1],"
    " b1[::1], i8[::1], (i8[::1], f8[::1]), f8, out f8[::1], out i1[::1], out i4[::1], out"
    " i4[::1], out f8[::1]",
)
def mend(into, out, walls, before, changed, goals, limit, dist, marks, stack, touched, olds):
    """Bring a finished map up to date after the vertices `changed`, arcs into them or their costs
    have. Returns (vertices, what they were).

    `into` and `out` are those of `graph_ways.settle` and `graph_ways.descend` as they are now, like
    `walls`; `before` are the walls of then, and on walls `dist` may hold anything. `goals` are
    (vertices in ascending order, their start costs). `marks` is scratch of one int8 per vertex, 0
    before and after; `stack`, `touched` and `olds` have room for each vertex. The vertices returned
    are those whose distance is another one now.
    """
    (starts, origins, _, _), (goal_cells, goal_starts) = into, goals
    high = np.int64(0)
    for i in range(changed.shape[0]):
        c = changed[i]
        if before[c]:
            dist[c] = np.inf
        if marks[c] & 4 == 0:
            marks[c] |= 4
            stack[high] = c
            high += 1
        for arc in range(starts[c], starts[c + 1]):
            n = np.int64(origins[arc])
            if marks[n] & 4 == 0 and not (walls[n] and before[n]):
                marks[n] |= 4
                stack[high] = n
                high += 1
    near = stack[:high].copy()
    count = _clear(into, out, walls, goals, high, dist, marks, stack, touched, olds)
    # Seeds: what the rest gives to the cleared vertices, and what new openings give to those that
    # kept theirs.
    cleared = count
    keys = np.empty(cleared + near.shape[0] + 64, np.float64)
    cells = np.empty(cleared + near.shape[0] + 64, np.int32)
    size = np.int64(0)
    for i in range(cleared + near.shape[0]):
        u = np.int64(touched[i]) if i < cleared else np.int64(near[i - cleared])
        if walls[u] or (i >= cleared and marks[u] & 1 != 0):
            continue
        best = min(
            goal_distance(u, goal_cells, goal_starts, np.inf),
            given(out, dist, walls, u),
        )
        if best < dist[u] and best <= limit:
            keys[size], cells[size] = best, u
            size += 1
    # They are written only now, so that no seed stands on another: the search finds out.
    for i in range(size):
        u = np.int64(cells[i])
        if marks[u] & 1 == 0:
            touched[count], olds[count] = u, dist[u]
            count += 1
            marks[u] |= 1
        dist[u] = keys[i]
    for i in range(size):
        sift_up(keys, cells, i)
    while size > 0:
        size, count, more = _go_on(
            into, walls, limit, size, count, dist, marks, keys, cells, touched, olds
        )
        if more > 0:
            keys, cells = longer(keys, size + more), longer(cells, size + more)
    left = 0
    for i in range(count):
        u = touched[i]
        marks[u] = 0
        if dist[u] != olds[i]:
            touched[left], olds[left] = u, olds[i]
            left += 1
    return touched[:left].astype(np.int64), olds[:left].copy()
