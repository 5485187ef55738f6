"""Searches for the vertices that a radial source acts on, on graphs."""

from __future__ import annotations

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.shared.heap import pop, push

__all__ = ["connected", "path"]


@kernel("i8[::1], i4[::1], f8[:,::1], f8[::1], i8, f8, i8, out i4[::1], out f8[::1], out i8[::1]")
def connected(starts, ends, positions, center, vertex, radius, mark, cells, squares, seen):
    """Search outwards from a vertex within a straight radius of `center` (D,); return the number of
    vertices.

    `cells` receives each vertex once and `squares` its squared distance. `seen` (N,) is scratch
    that does not hold `mark` yet.
    """
    limit = radius * radius
    own = 0.0
    for axis in range(positions.shape[1]):
        away = positions[vertex, axis] - center[axis]
        own += away * away
    cells[0], squares[0] = vertex, own
    seen[vertex] = mark
    head, tail = 0, 1
    while head < tail:
        here = cells[head]
        head += 1
        for arc in range(starts[here], starts[here + 1]):
            there = ends[arc]
            if seen[there] == mark:
                continue
            square = 0.0
            for axis in range(positions.shape[1]):
                away = positions[there, axis] - center[axis]
                square += away * away
            if square <= limit:
                seen[there] = mark
                cells[tail], squares[tail] = there, square
                tail += 1
    return tail


@kernel(
    "i8[::1], i4[::1], i8[::1], i8, i8, i8, out i4[::1], out i8[::1], (out i8[::1], out i8[::1],"
    " out i8[::1], out i4[::1])",
)
def path(starts, ends, lengths, vertex, limit, mark, cells, distances, scratch):
    """Search outwards by walking distance up to `limit`, nearest first; return the number of
    vertices.

    `cells` and `distances` receive each vertex once. `scratch` is (best, seen, keys, nodes): `seen`
    (N,) holds `mark` where a vertex waits and `mark + 1` where it is final, so marks go up by two;
    `keys` and `nodes` (arcs + 1,) are the heap.
    """
    best, seen, keys, nodes = scratch
    best[vertex], seen[vertex] = 0, mark
    keys[0], nodes[0] = 0, vertex
    waiting, found = 1, 0
    while waiting > 0:
        here, distance = nodes[0], keys[0]
        waiting = pop(keys, nodes, waiting, False)
        if seen[here] == mark + 1:
            continue
        seen[here] = mark + 1
        cells[found], distances[found] = here, distance
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
            waiting = push(keys, nodes, waiting, after, there, False)
    return found
