"""Paths on graphs.

`settle` keeps the vertices that wait in buckets of equal width in distance, more of them than the
dearest arc spans. Where a bucket is narrower than the cheapest arc, a vertex in it can't shorten
another there, and its order does not matter. Else (lengths of a mesh may differ a thousandfold)
each bucket becomes a small heap when its turn comes. Either way no vertex is looked at in vain more
often than its distance shrinks.

What brings a finished map up to date is in `graph_repair`.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.buckets import shelve
from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.heap import TWICE, longer, sift_down, sift_up

__all__ = ["after", "all_nexts", "descend", "given", "nexts", "settle", "summits", "weight"]

_LEAST = np.int64(256)  # nodes, keys: as a number in the code it would be a type of its own


@kernel(inline="always")
def after(gone, more):
    """The distance beyond an arc."""
    total = gone + more
    if total <= gone:
        total = np.nextafter(gone, np.inf)
    return total


@kernel(inline="always")
def weight(here, there, size, cost, even):
    """The cost of an arc of this size; `even` where all vertices cost the same."""
    if even:
        return size
    return size * (cost[here] + cost[there])


@kernel
def _sort_out(dist, inverse, bucket, free, waiting, queue, keys, cells):
    """Move a bucket into a heap while there is room. Returns (free, waiting, size of the heap)."""
    heads, nodes, following = queue
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
            keys[size], cells[size] = dist[v], v
            size += 1
            sift_up(keys, cells, size - 1)
    return free, waiting, size


@kernel
def _empty(into, inverse, limit, ordered, bucket, state, dist, queue, keys, cells):
    """Relax the vertices of a bucket, or where it is `ordered` of the heap made of it, while there
    is room. Returns the new `state` (first free node, nodes used, vertices waiting, size of the
    heap) and for how many arcs more room is needed.
    """
    starts, origins, sizes, cost = into
    heads, nodes, following = queue
    free, used, waiting, size = state
    even = cost.shape[0] == 1
    rounds = heads.shape[0]
    slot = bucket % rounds
    while size > 0 if ordered else heads[slot] >= 0:
        v = np.int64(cells[0]) if ordered else np.int64(nodes[heads[slot]])
        first, last = starts[v], starts[v + 1]
        more = last - first
        if used + more > nodes.shape[0] or (ordered and size + more > keys.shape[0]):
            return (free, used, waiting, size), more
        d = dist[v]
        if ordered:
            is_old = keys[0] > d
            size -= 1
            if size > 0:
                keys[0], cells[0] = keys[size], cells[size]
                sift_down(keys, cells, size)
        else:
            node = heads[slot]
            heads[slot], following[node], free = following[node], free, node
            waiting -= 1
            is_old = np.int64(d * inverse) != bucket
        if is_old:
            continue
        for arc in range(first, last):
            n = np.int64(origins[arc])
            s = after(d, weight(n, v, sizes[arc], cost, even))
            o = dist[n]
            if s < o and s <= limit:
                dist[n] = s
                t = np.int64(s * inverse)
                if ordered and t == bucket:
                    keys[size], cells[size] = s, n
                    size += 1
                    sift_up(keys, cells, size - 1)
                elif o == np.inf or t == bucket or np.int64(o * inverse) != t:
                    place = slot + (t - bucket)
                    if place >= rounds:
                        place -= rounds
                    free, used = shelve(n, place, heads, nodes, following, free, used)
                    waiting += 1
    return (free, used, waiting, size), np.int64(0)


@kernel(
    "(i8[::1], i4[::1], f8[::1], f8[::1]), i8[::1], f8[::1], i8[::1], f8, b1, f8, out f8[::1], (out"
    " i4[::1], out i4[::1], out i4[::1]), out i8[::1]",
)
def settle(into, seeds, seed_starts, until, inverse, ordered, limit, dist, queue, state):
    """Go on until every vertex of `until` is final, or to the end where there is none.

    `into` is (starts, origins, sizes, cost): the arcs by the vertex that they end in. `inverse` is
    1 / the width of a bucket. `queue` is (heads, nodes, following): one list per bucket, more than
    the dearest arc spans, each through `nodes` (vertices) and `following` (places in `nodes`); it
    is returned as it may have grown. `ordered` says that a bucket is wider than the cheapest arc.
    `seeds` are the goals by ascending `seed_starts`. `state` = [bucket, waiting, seeds taken, first
    free node or -1, nodes ever used].
    """
    heads, nodes, following = queue
    rounds = heads.shape[0]
    bucket, waiting, taken, free, used = state[0], state[1], state[2], state[3], state[4]
    room = 256 if ordered else 0
    keys, cells = np.empty(room, np.float64), np.empty(room, np.int32)
    final = 0
    while waiting > 0 or taken < seeds.shape[0]:
        if waiting == 0:
            bucket = max(bucket, np.int64(seed_starts[taken] * inverse))
        while taken < seeds.shape[0] and np.int64(seed_starts[taken] * inverse) <= bucket:
            v = seeds[taken]
            if np.int64(dist[v] * inverse) == bucket:
                if free < 0 and used == nodes.shape[0]:
                    nodes, following = longer(nodes, _LEAST), longer(following, _LEAST)
                free, used = shelve(v, bucket % rounds, heads, nodes, following, free, used)
                waiting += 1
            taken += 1
        if until.shape[0] > 0:
            while (
                final < until.shape[0]
                and dist[until[final]] != np.inf
                and np.int64(dist[until[final]] * inverse) < bucket
            ):
                final += 1
            if final == until.shape[0]:
                break
        size = np.int64(0)
        if ordered:
            while heads[bucket % rounds] >= 0:
                free, waiting, size = _sort_out(
                    dist, inverse, bucket, free, waiting, (heads, nodes, following), keys, cells
                )
                if heads[bucket % rounds] >= 0:
                    # Too small: put them back, and take a larger one.
                    for i in range(size):
                        free, used = shelve(
                            cells[i], bucket % rounds, heads, nodes, following, free, used
                        )
                        waiting += 1
                    keys, cells = longer(keys, _LEAST), longer(cells, _LEAST)
        while True:
            (free, used, waiting, size), more = _empty(
                into,
                inverse,
                limit,
                ordered,
                bucket,
                (free, used, waiting, size),
                dist,
                (heads, nodes, following),
                keys,
                cells,
            )
            if more == 0:
                break
            if used + more > nodes.shape[0]:
                nodes, following = longer(nodes, used + more), longer(following, used + more)
            if ordered and size + more > keys.shape[0]:
                keys, cells = longer(keys, size + more), longer(cells, size + more)
        bucket += 1
    state[0], state[1], state[2], state[3], state[4] = bucket, waiting, taken, free, used
    return heads, nodes, following


@kernel
def given(out, dist, walls, v):
    """The least that the arcs out of a vertex give it."""
    starts, arcs, ends, sizes, cost = out
    even = cost.shape[0] == 1
    best = np.inf
    for i in range(starts[v], starts[v + 1]):
        arc = arcs[i]
        n = np.int64(ends[arc])
        if not walls[n] and dist[n] != np.inf:
            s = after(dist[n], weight(v, n, sizes[arc], cost, even))
            if s < best:
                best = s
    return best


@kernel
def _down(out, dist, v):
    starts, arcs, ends, sizes, cost = out
    even = cost.shape[0] == 1
    d = dist[v]
    if not 0 <= d < np.inf:
        return np.int64(-1)
    for i in range(starts[v], starts[v + 1]):
        arc = arcs[i]
        n = np.int64(ends[arc])
        if 0 <= dist[n] < d and after(dist[n], weight(v, n, sizes[arc], cost, even)) == d:
            return np.int64(arc)
    return np.int64(-1)


@kernel("(i8[::1], i8[::1], i4[::1], f8[::1], f8[::1]), f8[::1], i8")
def descend(out, dist, vertex):
    """The way from a vertex down to a goal, (vertices, arcs): by the first arc that gives exactly
    the distance.

    `out` is (starts, arcs, ends, sizes, cost): by the vertex that they leave, the arcs.
    """
    ends = out[2]
    way, taken = np.empty(64, np.int64), np.empty(64, np.int64)
    way[0] = vertex
    length = 1
    while True:
        arc = _down(out, dist, way[length - 1])
        if arc < 0:
            return way[:length], taken[: length - 1]
        if length == way.shape[0]:
            way, taken = longer(way, TWICE), longer(taken, TWICE)
        taken[length - 1] = arc
        way[length] = ends[arc]
        length += 1


@kernel("(i8[::1], i8[::1], i4[::1], f8[::1], f8[::1]), f8[::1], i8[::1], out i8[::1]")
def nexts(out, dist, vertices, taken):
    """Write the arc that `descend` takes from each of the vertices into `taken`, by vertex; -1
    where it ends.
    """
    for i in range(vertices.shape[0]):
        taken[vertices[i]] = _down(out, dist, vertices[i])


@kernel("(i8[::1], i4[::1], f8[::1], f8[::1]), f8[::1], out i8[::1]")
def all_nexts(into, dist, taken):
    """`nexts` for every vertex, from the arcs by the vertex that they end in: these lie one after
    the other.
    """
    starts, origins, sizes, cost = into
    even = cost.shape[0] == 1
    taken[:] = -1
    for v in range(dist.shape[0]):
        d = dist[v]
        if not 0 <= d < np.inf:
            continue
        for arc in range(starts[v], starts[v + 1]):
            n = np.int64(origins[arc])
            if (
                dist[n] > d
                and dist[n] < np.inf
                and after(d, weight(n, v, sizes[arc], cost, even)) == dist[n]
                and taken[n] < 0
            ):
                taken[n] = arc


@kernel("(i8[::1], i8[::1], i4[::1], f8[::1], f8[::1]), b1[::1], f8[::1]")
def summits(out, walls, heights):
    """The open vertices of which no neighbour's height and the arc to it add up to less than their
    own.
    """
    found = np.empty(heights.shape[0], np.int64)
    many = 0
    for v in range(heights.shape[0]):
        if not walls[v] and not given(out, heights, walls, v) < heights[v]:
            found[many] = v
            many += 1
    return found[:many].copy()
