"""Travelling along the edges of a graph, spelled out: the specification of `fieldcraft.kernels.travel`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["travel"]

MOST = 1_000_000
"""How many edges one passes at most in a step: lengths of next to nothing in a circle would have no end."""

Wide = NDArray[np.float64]
Ints = NDArray[np.int64]


def travel(
    origins: NDArray[np.int32], ends: NDArray[np.int32], sizes: Wide, back: Ints, shut: NDArray[np.bool_], taken: Ints, chosen: bool,
    vertices: Ints, arcs: Ints, gone: Wide, ways: Wide, first: int, last: int,
) -> None:  # fmt: skip
    """Take agents along `ways` (N,) more, from `first` up to `last`; `vertices`, `arcs` and `gone` are where they are, and are changed.

    An agent stands on a vertex (its arc is -1), or has `gone` so far along an arc from it. `taken` is the arc to take from each vertex,
    -1 for none; or, where each has `chosen` for itself, from where each agent is: it goes that one arc only. Who would come straight
    back, or can't go on, turns round on the arc, if the arc `back` is there and open.
    """
    for i in range(first, last):
        left = float(ways[i])
        vertex, arc, along = int(vertices[i]), int(arcs[i]), float(gone[i])
        for _ in range(MOST):
            if arc < 0:
                arc = int(taken[i]) if chosen else int(taken[vertex])
                if chosen and arc >= 0 and origins[arc] != vertex:
                    arc = -1
                if arc < 0 or shut[arc]:
                    arc = -1
                    break
                along = 0.0
            other = int(back[arc])
            onwards = int(taken[i]) if chosen else int(taken[ends[arc]])
            if along > 0 and other >= 0 and not shut[other] and (shut[arc] or onwards == other):
                vertex, arc, along = int(ends[arc]), other, float(sizes[arc]) - along
            if left <= 0 or (shut[arc] and along > 0):
                break
            if along + left < sizes[arc]:
                along += left
                break
            left -= float(sizes[arc]) - along
            vertex, arc, along = int(ends[arc]), -1, 0.0
            if left <= 0:
                break
        vertices[i], arcs[i], gone[i] = vertex, arc, along
