"""Travelling along the edges of a graph."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["travel"]

MOST = 1_000_000
"""Most edges passed in a step: a circle of edges without length would have no end."""


@kernel(
    "(i4[::1], i4[::1], f8[::1], i8[::1], b1[::1]), i8[::1], f8[::1], b1, i8, i8, out i8[::1], out"
    " i8[::1], out f8[::1]"
)
def travel(edges, taken, distances, chosen, first, last, vertices, arcs, gone):
    """Move the agents [first, last) by `distances` (N,); `vertices`, `arcs` and `gone` are where
    they are, and are changed. `edges` are (origins, ends, lengths, back, blocked).

    An agent stands on a vertex (its arc is -1), or has `gone` so far along an arc from it. `taken`
    holds the arc to take from each vertex, -1 for none; or, where each agent has `chosen`, the one
    arc that each agent goes. Agents that would come straight back, or cannot go on, turn round on
    their arc, if the arc `back` exists and is open.
    """
    origins, ends, lengths, back, blocked = edges
    for i in range(first, last):
        left = distances[i]
        vertex, arc, along = vertices[i], arcs[i], gone[i]
        for _ in range(MOST):
            if arc < 0:
                arc = taken[i] if chosen else taken[vertex]
                if chosen and arc >= 0 and origins[arc] != vertex:
                    arc = np.int64(-1)
                if arc < 0 or blocked[arc]:
                    arc = np.int64(-1)
                    break
                along = 0.0
            other = back[arc]
            onwards = taken[i] if chosen else taken[ends[arc]]
            if (
                along > 0
                and other >= 0
                and not blocked[other]
                and (blocked[arc] or onwards == other)
            ):
                vertex, arc, along = np.int64(ends[arc]), other, lengths[arc] - along
            if left <= 0 or (blocked[arc] and along > 0):
                break
            if along + left < lengths[arc]:
                along += left
                break
            left -= lengths[arc] - along
            vertex, arc, along = np.int64(ends[arc]), np.int64(-1), 0.0
            if left <= 0:
                break
        vertices[i], arcs[i], gone[i] = vertex, arc, along
