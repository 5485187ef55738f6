"""Paths through danger that changes with time, by Dijkstra's search over all times and cells."""

from __future__ import annotations

import heapq
import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Space

__all__ = ["cheapest"]


def cheapest(
    space: Space,
    start: int,
    goal: int,
    danger: NDArray[np.float32],
    cost: NDArray[np.float64],
    speed: float,
    time_step: float,
) -> float:
    """Return what the cheapest way costs, infinity where there is none.

    `danger` (time steps, cells) stays as it is after the last time step; waiting is allowed in all
    time steps and beyond.
    """
    ways, last = space.adjacency, len(danger) - 1
    horizon = last + 1
    spent = {(0, start): 0.0}
    heap = [(0.0, 0, start)]
    if math.isinf(danger[0, start]):
        return math.inf
    while heap:
        total, k, here = heapq.heappop(heap)
        if total > spent[k, here]:
            continue
        if here == goal:
            return total
        steps = [(here, 1, speed * time_step * cost[here])]
        for arc in range(ways.starts[here], ways.starts[here + 1]):
            there, length = int(ways.ends[arc]), float(ways.lengths[arc])
            lasting = max(1, math.floor(length / (speed * time_step) + 0.5))
            steps.append((there, lasting, length * (cost[here] + cost[there]) / 2))
        for there, lasting, more in steps:
            then = min(k + lasting, horizon)
            met = float(danger[min(k, last), here]) + float(danger[min(then, last), there])
            after = total + more + lasting * time_step * met / 2
            if after < spent.get((then, there), math.inf):
                spent[then, there] = after
                heapq.heappush(heap, (after, then, there))
    return math.inf
