"""Radial footprints on a graph, fast: cut into
calls.
"""

from __future__ import annotations

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.heap import sift_down, sift_up

__all__ = ["connected", "path"]


@kernel(
    "i8[::1], i4[::1], f8[:,::1], i8, f8, i8, i8, i8, i8, out i4[::1], out f8[::1], out i8[::1]"
)
def connected(
    starts, ends, positions, vertex, radius, mark, head, tail, most, cells, squares, seen
):
    """Search outwards from a vertex within a straight radius: up to `most` vertices a call.

    `cells` is the queue and the answer, `squares` the squared distances; the search goes on from
    `head` and `tail` (0 and 0 begins it) and is over when they are equal. `seen` (N,) holds `mark`,
    another one for each search, where it has been.
    """
    limit = radius * radius
    if tail == 0:
        cells[0], squares[0] = vertex, 0.0
        seen[vertex] = mark
        tail = 1
    stop = head + most
    while head < tail and head < stop:
        here = cells[head]
        head += 1
        for arc in range(starts[here], starts[here + 1]):
            there = ends[arc]
            if seen[there] == mark:
                continue
            square = 0.0
            for axis in range(positions.shape[1]):
                away = positions[there, axis] - positions[vertex, axis]
                square += away * away
            if square <= limit:
                seen[there] = mark
                cells[tail], squares[tail] = there, square
                tail += 1
    return head, tail


@kernel(
    "i8[::1], i4[::1], i8[::1], i8, i8, i8, i8, out i4[::1], out i8[::1], out i8[::1], (out"
    " i8[::1], out i8[::1], out i8[::1], out i4[::1])",
)
def path(starts, ends, lengths, vertex, limit, mark, most, cells, gone, state, scratch):
    """Search outwards by walking distance up to `limit`: up to `most` vertices a call, nearest
    first.

    `cells` and `gone` receive each vertex once with its distance. `state` = [waiting, found,
    begun]; all 0 begins a search; it is over when none waits. `scratch` is (best, seen, keys,
    nodes). `seen` (N,) holds `mark` where a vertex waits, `mark + 1` where it is final, so marks go
    up by two. `keys` and `nodes` (arcs + 1,) are the heap.
    """
    best, seen, keys, nodes = scratch
    if state[2] == 0:
        best[vertex], seen[vertex] = 0, mark
        keys[0], nodes[0], state[0], state[2] = 0, vertex, 1, 1
    waiting, found, taken = state[0], state[1], 0
    while waiting > 0 and taken < most:
        here, distance = nodes[0], keys[0]
        waiting -= 1
        if waiting > 0:
            keys[0], nodes[0] = keys[waiting], nodes[waiting]
            sift_down(keys, nodes, waiting)
        taken += 1
        if seen[here] == mark + 1:
            continue
        seen[here] = mark + 1
        cells[found], gone[found] = here, distance
        found += 1
        for arc in range(starts[here], starts[here + 1]):
            there = ends[arc]
            after = distance + lengths[arc]
            if (
                after > limit
                or seen[there] == mark + 1
                or (seen[there] == mark and after >= best[there])
            ):
                continue
            best[there], seen[there] = after, mark
            keys[waiting], nodes[waiting] = after, there
            sift_up(keys, nodes, waiting)
            waiting += 1
    state[0], state[1] = waiting, found
