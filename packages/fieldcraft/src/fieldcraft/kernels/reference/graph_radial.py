"""Radial footprints on a graph, spelled out: the specification of
`fieldcraft.kernels.graph_radial`.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

__all__ = ["connected", "path"]

Found = dict[int, float]


def path(
    starts: NDArray[np.int64],
    ends: NDArray[np.int32],
    lengths: NDArray[np.int64],
    vertex: int,
    limit: int,
) -> dict[int, int]:
    """The vertices within a walking distance and that distance; lengths are whole numbers."""
    best = {vertex: 0}
    heap = [(0, vertex)]
    while heap:
        gone, here = heapq.heappop(heap)
        if gone > best[here]:
            continue
        for arc in range(int(starts[here]), int(starts[here + 1])):
            there, after = int(ends[arc]), gone + int(lengths[arc])
            if after <= limit and after < best.get(there, limit + 1):
                best[there] = after
                heapq.heappush(heap, (after, there))
    return best


def connected(
    starts: NDArray[np.int64],
    ends: NDArray[np.int32],
    positions: NDArray[np.float64],
    vertex: int,
    radius: float,
) -> dict[int, float]:
    """The vertices within a straight distance that a walk from the vertex reaches without leaving
    it, and their squared distance.
    """
    found = {vertex: 0.0}
    waiting = [vertex]
    for here in waiting:
        for there in ends[starts[here] : starts[here + 1]].tolist():
            square = 0.0
            for axis in range(positions.shape[1]):
                away = float(positions[there, axis] - positions[vertex, axis])
                square += away * away
            if there not in found and square <= radius * radius:
                found[there] = square
                waiting.append(there)
    return found
