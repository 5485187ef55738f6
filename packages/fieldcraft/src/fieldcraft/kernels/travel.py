"""Travelling along the edges of a graph."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["travel"]

MOST = 1_000_000
"""How many edges one passes at most in a step: lengths of next to nothing in a circle would have no
end.
"""


@kernel(
    "(i4[::1], i4[::1], f8[::1], i8[::1], b1[::1]), i8[::1], f8[::1], b1, i8, i8, out i8[::1], out"
    " i8[::1], out f8[::1]"
)
def travel(edges, taken, ways, chosen, first, last, vertices, arcs, gone):
    """Take agents along `ways` (N,) more, from `first` up to `last`; `vertices`, `arcs` and `gone`
    are where they are, and are changed. `edges` are (origins, ends, sizes, back, shut).

    An agent stands on a vertex (its arc is -1), or has `gone` so far along an arc from it. `taken`
    is the arc to take from each vertex,
    -1 for none; or, where each has `chosen` for itself, from where each agent is: it goes that one
    arc only. Who would come straight back, or can't go on, turns round on the arc, if the arc
    `back` is there and open.
    """
    origins, ends, sizes, back, shut = edges
    for i in range(first, last):
        left = ways[i]
        vertex, arc, along = vertices[i], arcs[i], gone[i]
        for _ in range(MOST):
            if arc < 0:
                arc = taken[i] if chosen else taken[vertex]
                if chosen and arc >= 0 and origins[arc] != vertex:
                    arc = np.int64(-1)
                if arc < 0 or shut[arc]:
                    arc = np.int64(-1)
                    break
                along = 0.0
            other = back[arc]
            onwards = taken[i] if chosen else taken[ends[arc]]
            if along > 0 and other >= 0 and not shut[other] and (shut[arc] or onwards == other):
                vertex, arc, along = np.int64(ends[arc]), other, sizes[arc] - along
            if left <= 0 or (shut[arc] and along > 0):
                break
            if along + left < sizes[arc]:
                along += left
                break
            left -= sizes[arc] - along
            vertex, arc, along = np.int64(ends[arc]), np.int64(-1), 0.0
            if left <= 0:
                break
        vertices[i], arcs[i], gone[i] = vertex, arc, along
