"""Ways on graphs, fast: the same bits as `fieldcraft.kernels.reference.graph_ways`.

`settle` keeps the vertices that wait in buckets of equal width in distance, more of them than the dearest arc spans. Where a bucket is
narrower than the cheapest arc, a vertex in it can't shorten another there, and its order does not matter. Else (lengths of a mesh may
differ a thousandfold) each bucket becomes a small heap when its turn comes. Either way no vertex is looked at in vain more often than
its distance shrinks.

`mend` brings a finished map up to date: it clears the vertices that no longer have a neighbour giving exactly their distance,
then searches again from the rim of what is left. Distances grow along every arc, so no two vertices bear each other out.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fieldcraft.kernels.heap import longer, sift_down, sift_up

__all__ = ["all_nexts", "descend", "mend", "nexts", "settle", "summits"]


@njit(nogil=True, cache=True, inline="always")
def _after(gone, more):  # type: ignore[no-untyped-def]
    total = gone + more
    if total <= gone:
        total = np.nextafter(gone, np.inf)
    return total


@njit(nogil=True, cache=True, inline="always")
def _weight(here, there, size, cost, even):  # type: ignore[no-untyped-def]
    if even:
        return size
    return size * (cost[here] + cost[there])


@njit(nogil=True, cache=True)
def _empty(  # type: ignore[no-untyped-def]
    starts, origins, sizes, cost, dist, inverse, limit, heads, nodes, following, bucket, free, used, waiting
):
    """Relax the vertices of a bucket while there is room. Returns (free, used, waiting, arcs more room is needed for)."""
    even = cost.shape[0] == 1
    rounds = heads.shape[0]
    slot = bucket % rounds
    while heads[slot] >= 0:
        node = heads[slot]
        v = np.int64(nodes[node])
        first, last = starts[v], starts[v + 1]
        if used + (last - first) > nodes.shape[0]:
            return free, used, waiting, last - first
        heads[slot] = following[node]
        following[node] = free
        free = node
        waiting -= 1
        d = dist[v]
        if np.int64(d * inverse) != bucket:
            continue
        for arc in range(first, last):
            n = np.int64(origins[arc])
            s = _after(d, _weight(n, v, sizes[arc], cost, even))
            o = dist[n]
            if s < o and s <= limit:
                dist[n] = s
                t = np.int64(s * inverse)
                if o == np.inf or t == bucket or np.int64(o * inverse) != t:
                    if free >= 0:
                        node = free
                        free = following[node]
                    else:
                        node = used
                        used += 1
                    nodes[node] = n
                    place = slot + (t - bucket)
                    if place >= rounds:
                        place -= rounds
                    following[node] = heads[place]
                    heads[place] = node
                    waiting += 1
    return free, used, waiting, 0


@njit(nogil=True, cache=True)
def _sort_out(heads, nodes, following, bucket, free, waiting, keys, cells, dist, inverse):  # type: ignore[no-untyped-def]
    """Move a bucket into a heap while there is room. Returns (free, waiting, size of the heap)."""
    slot = bucket % heads.shape[0]
    size = 0
    while heads[slot] >= 0 and size < keys.shape[0]:
        node = heads[slot]
        heads[slot] = following[node]
        following[node] = free
        free = node
        waiting -= 1
        v = nodes[node]
        if np.int64(dist[v] * inverse) == bucket:
            keys[size] = dist[v]
            cells[size] = v
            size += 1
            sift_up(keys, cells, size - 1)
    return free, waiting, size


@njit(nogil=True, cache=True)
def _empty_in_order(  # type: ignore[no-untyped-def]
    starts, origins, sizes, cost, dist, inverse, limit, heads, nodes, following, bucket, free, used, waiting, keys, cells, size
):
    """`_empty` for a bucket that is a heap. Returns (free, used, waiting, size of the heap, arcs more room is needed for)."""
    even = cost.shape[0] == 1
    rounds = heads.shape[0]
    slot = bucket % rounds
    while size > 0:
        v = np.int64(cells[0])
        d = keys[0]
        first, last = starts[v], starts[v + 1]
        if used + (last - first) > nodes.shape[0] or size + (last - first) > keys.shape[0]:
            return free, used, waiting, size, last - first
        size -= 1
        if size > 0:
            keys[0], cells[0] = keys[size], cells[size]
            sift_down(keys, cells, size)
        if d > dist[v]:
            continue
        for arc in range(first, last):
            n = np.int64(origins[arc])
            s = _after(d, _weight(n, v, sizes[arc], cost, even))
            o = dist[n]
            if s < o and s <= limit:
                dist[n] = s
                t = np.int64(s * inverse)
                if t == bucket:
                    keys[size] = s
                    cells[size] = n
                    size += 1
                    sift_up(keys, cells, size - 1)
                elif o == np.inf or np.int64(o * inverse) != t:
                    if free >= 0:
                        node = free
                        free = following[node]
                    else:
                        node = used
                        used += 1
                    nodes[node] = n
                    place = slot + (t - bucket)
                    if place >= rounds:
                        place -= rounds
                    following[node] = heads[place]
                    heads[place] = node
                    waiting += 1
    return free, used, waiting, size, 0


@njit(nogil=True, cache=True)
def settle(  # type: ignore[no-untyped-def]
    starts, origins, sizes, cost, dist, inverse, ordered, limit, seeds, seed_starts, heads, nodes, following, state, until
):
    """Go on until every vertex of `until` is final, or to the end where there is none.

    `inverse` is 1 / the width of a bucket; `heads` is one list per bucket, more than the dearest arc spans, each through `nodes`
    (vertices) and `following` (places in `nodes`), which are returned as they may have grown. `ordered` says that a bucket is wider than
    the cheapest arc. `seeds` are the goals by ascending `seed_starts`. `state` = [bucket, waiting, seeds taken, first free node or -1,
    nodes ever used].
    """
    rounds = heads.shape[0]
    bucket, waiting, taken, free, used = state[0], state[1], state[2], state[3], state[4]
    keys, cells = np.empty(256 if ordered else 0, np.float64), np.empty(256 if ordered else 0, np.int32)
    final = 0
    while waiting > 0 or taken < seeds.shape[0]:
        if waiting == 0:
            bucket = max(bucket, np.int64(seed_starts[taken] * inverse))
        while taken < seeds.shape[0] and np.int64(seed_starts[taken] * inverse) <= bucket:
            v = seeds[taken]
            if np.int64(dist[v] * inverse) == bucket:
                if free < 0 and used == nodes.shape[0]:
                    nodes, following = longer(nodes, 256), longer(following, 256)
                if free >= 0:
                    node = free
                    free = following[node]
                else:
                    node = used
                    used += 1
                nodes[node] = v
                following[node] = heads[bucket % rounds]
                heads[bucket % rounds] = node
                waiting += 1
            taken += 1
        if until.shape[0] > 0:
            while final < until.shape[0] and dist[until[final]] != np.inf and np.int64(dist[until[final]] * inverse) < bucket:
                final += 1
            if final == until.shape[0]:
                break
        size = 0
        if ordered:
            while heads[bucket % rounds] >= 0:
                free, waiting, size = _sort_out(heads, nodes, following, bucket, free, waiting, keys, cells, dist, inverse)
                if heads[bucket % rounds] >= 0:
                    # Too small: put them back, and take a larger one.
                    for i in range(size):
                        node = free
                        free = following[node]
                        nodes[node] = cells[i]
                        following[node] = heads[bucket % rounds]
                        heads[bucket % rounds] = node
                        waiting += 1
                    keys, cells = longer(keys, 256), longer(cells, 256)
        while True:
            if ordered:
                free, used, waiting, size, more = _empty_in_order(
                    starts, origins, sizes, cost, dist, inverse, limit, heads, nodes, following, bucket, free, used, waiting, keys, cells,
                    size,
                )  # fmt: skip
            else:
                free, used, waiting, more = _empty(
                    starts, origins, sizes, cost, dist, inverse, limit, heads, nodes, following, bucket, free, used, waiting
                )
            if more == 0:
                break
            if used + more > nodes.shape[0]:
                nodes, following = longer(nodes, used + more), longer(following, used + more)
            if ordered and size + more > keys.shape[0]:
                keys, cells = longer(keys, size + more), longer(cells, size + more)
        bucket += 1
    state[0], state[1], state[2], state[3], state[4] = bucket, waiting, taken, free, used
    return nodes, following


@njit(nogil=True, cache=True)
def _start(v, goals, starts):  # type: ignore[no-untyped-def]
    """The distance that a vertex has as a goal."""
    low = 0
    high = goals.shape[0]
    while low < high:
        middle = (low + high) >> 1
        if goals[middle] < v:
            low = middle + 1
        else:
            high = middle
    return starts[low] if low < goals.shape[0] and goals[low] == v else np.inf


@njit(nogil=True, cache=True)
def _best(v, sizes, out, arcs, ends, cost, even, dist, walls):  # type: ignore[no-untyped-def]
    """The least that the arcs out of a vertex give it."""
    best = np.inf
    for i in range(out[v], out[v + 1]):
        arc = arcs[i]
        n = np.int64(ends[arc])
        if not walls[n] and dist[n] != np.inf:
            s = _after(dist[n], _weight(v, n, sizes[arc], cost, even))
            if s < best:
                best = s
    return best


@njit(nogil=True, cache=True)
def _clear(  # type: ignore[no-untyped-def]
    starts, origins, sizes, out, arcs, ends, cost, dist, walls, goals, goal_starts, marks, stack, high, touched, olds, count
):
    """Clear each vertex of the stack that nothing gives exactly its distance, and look at those that had theirs from it.

    Vertices on the stack are marked 4, and cleared ones 1, so that there is room for all. Returns how many are touched.
    """
    even = cost.shape[0] == 1
    while high > 0:
        high -= 1
        u = np.int64(stack[high])
        marks[u] &= ~4
        d = dist[u]
        if d == np.inf:
            continue
        if not walls[u] and (_start(u, goals, goal_starts) == d or _best(u, sizes, out, arcs, ends, cost, even, dist, walls) == d):
            continue
        touched[count] = u
        olds[count] = d
        count += 1
        marks[u] |= 1
        dist[u] = np.inf
        if walls[u]:
            # Who came this way stands beside it, and is looked at anyway.
            continue
        for arc in range(starts[u], starts[u + 1]):
            n = np.int64(origins[arc])
            if marks[n] & 4 == 0 and not walls[n] and dist[n] == _after(d, _weight(n, u, sizes[arc], cost, even)):
                marks[n] |= 4
                stack[high] = n
                high += 1
    return count


@njit(nogil=True, cache=True)
def _go_on(starts, origins, sizes, cost, dist, walls, limit, marks, keys, cells, size, touched, olds, count):  # type: ignore[no-untyped-def]
    """Search on from a heap while there is room in it. Returns (size of the heap, vertices touched, arcs more room is needed for)."""
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
            s = _after(d, _weight(n, v, sizes[arc], cost, even))
            if s < dist[n] and s <= limit:
                if marks[n] & 1 == 0:
                    touched[count] = n
                    olds[count] = dist[n]
                    count += 1
                    marks[n] |= 1
                dist[n] = s
                keys[size] = s
                cells[size] = n
                size += 1
                sift_up(keys, cells, size - 1)
    return size, count, 0


@njit(nogil=True, cache=True)
def mend(  # type: ignore[no-untyped-def]
    starts, origins, sizes, out, arcs, ends, cost, dist, walls, before, limit, changed, goals, goal_starts, marks, stack, touched, olds
):
    """Bring a finished map up to date after the vertices `changed`, arcs into them or their costs have. Returns (vertices, what they were).

    `walls`, `sizes` and `cost` are those of now, `before` the walls of then; on walls `dist` may hold anything. `goals` are in
    ascending order. `marks` is scratch of one int8 per vertex, 0 before and after; `stack`, `touched` and `olds` have room for each vertex.
    The vertices returned are those whose distance is another one now.
    """
    even = cost.shape[0] == 1
    high = 0
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
    count = _clear(
        starts, origins, sizes, out, arcs, ends, cost, dist, walls, goals, goal_starts, marks, stack, high, touched, olds, 0
    )  # fmt: skip
    # Seeds: what the rest gives to the cleared vertices, and what new openings give to those that kept theirs.
    cleared = count
    keys = np.empty(cleared + near.shape[0] + 64, np.float64)
    cells = np.empty(cleared + near.shape[0] + 64, np.int32)
    size = 0
    for i in range(cleared + near.shape[0]):
        u = np.int64(touched[i]) if i < cleared else np.int64(near[i - cleared])
        if walls[u] or (i >= cleared and marks[u] & 1 != 0):
            continue
        best = min(_start(u, goals, goal_starts), _best(u, sizes, out, arcs, ends, cost, even, dist, walls))
        if best < dist[u] and best <= limit:
            keys[size] = best
            cells[size] = u
            size += 1
    # They are written only now, so that no seed stands on another: the search finds out.
    for i in range(size):
        u = np.int64(cells[i])
        if marks[u] & 1 == 0:
            touched[count] = u
            olds[count] = dist[u]
            count += 1
            marks[u] |= 1
        dist[u] = keys[i]
    for i in range(size):
        sift_up(keys, cells, i)
    while size > 0:
        size, count, more = _go_on(starts, origins, sizes, cost, dist, walls, limit, marks, keys, cells, size, touched, olds, count)
        if more > 0:
            keys, cells = longer(keys, size + more), longer(cells, size + more)
    left = 0
    for i in range(count):
        u = touched[i]
        marks[u] = 0
        if dist[u] != olds[i]:
            touched[left] = u
            olds[left] = olds[i]
            left += 1
    return touched[:left].astype(np.int64), olds[:left].copy()


@njit(nogil=True, cache=True)
def _down(v, out, arcs, ends, sizes, cost, even, dist):  # type: ignore[no-untyped-def]
    d = dist[v]
    if not 0 <= d < np.inf:
        return np.int64(-1)
    for i in range(out[v], out[v + 1]):
        arc = arcs[i]
        n = np.int64(ends[arc])
        if 0 <= dist[n] < d and _after(dist[n], _weight(v, n, sizes[arc], cost, even)) == d:
            return np.int64(arc)
    return np.int64(-1)


@njit(nogil=True, cache=True)
def descend(out, arcs, ends, sizes, cost, dist, vertex):  # type: ignore[no-untyped-def]
    """The way from a vertex down to a goal, (vertices, arcs): by the first arc that gives exactly the distance."""
    even = cost.shape[0] == 1
    way, taken = np.empty(64, np.int64), np.empty(64, np.int64)
    way[0] = vertex
    length = 1
    while True:
        arc = _down(way[length - 1], out, arcs, ends, sizes, cost, even, dist)
        if arc < 0:
            return way[:length], taken[: length - 1]
        if length == way.shape[0]:
            way, taken = longer(way, 0), longer(taken, 0)
        taken[length - 1] = arc
        way[length] = ends[arc]
        length += 1


@njit(nogil=True, cache=True)
def nexts(out, arcs, ends, sizes, cost, dist, vertices, taken):  # type: ignore[no-untyped-def]
    """Write the arc that `descend` takes from each of the vertices into `taken`, by vertex; -1 where it ends."""
    even = cost.shape[0] == 1
    for i in range(vertices.shape[0]):
        taken[vertices[i]] = _down(vertices[i], out, arcs, ends, sizes, cost, even, dist)


@njit(nogil=True, cache=True)
def all_nexts(starts, origins, sizes, cost, dist, taken):  # type: ignore[no-untyped-def]
    """`nexts` for every vertex, from the arcs by the vertex that they end in: these lie one after the other."""
    even = cost.shape[0] == 1
    taken[:] = -1
    for v in range(dist.shape[0]):
        d = dist[v]
        if not 0 <= d < np.inf:
            continue
        for arc in range(starts[v], starts[v + 1]):
            n = np.int64(origins[arc])
            if dist[n] > d and dist[n] < np.inf and _after(d, _weight(n, v, sizes[arc], cost, even)) == dist[n] and taken[n] < 0:
                taken[n] = arc


@njit(nogil=True, cache=True)
def summits(out, arcs, ends, sizes, cost, walls, heights):  # type: ignore[no-untyped-def]
    """The open vertices of which no neighbour's height and the arc to it add up to less than their own."""
    even = cost.shape[0] == 1
    found = np.empty(heights.shape[0], np.int64)
    many = 0
    for v in range(heights.shape[0]):
        if not walls[v] and not _best(v, sizes, out, arcs, ends, cost, even, heights, walls) < heights[v]:
            found[many] = v
            many += 1
    return found[:many].copy()
