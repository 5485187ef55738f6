"""Bringing a map of distances up to date, spelled out: the specification of
`fieldcraft.kernels.distance_repair`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracles.distance import Cost, Distances, Links, search

__all__ = ["mend"]


def mend(
    dist: Distances,
    links: Links,
    walls: NDArray[np.bool_],
    before: NDArray[np.bool_],
    cost: Cost,
    steps: NDArray[np.int64],
    lengths: NDArray[Any],
    around: NDArray[np.int64],
    width: int,
    wrap: bool,
    far: float,
    inverse: float,
    rounds: int,
    limit: float,
    changed: NDArray[np.int64],
    goals: NDArray[np.int64],
    starts: NDArray[Any],
    marks: NDArray[np.int8],
) -> tuple[NDArray[np.int64], Distances]:
    """Find all distances anew after walls (which were `before`) or costs have changed. Returns
    (cells, what they were).
    """
    old = np.where(before, far, dist)
    dist[:] = np.where(walls, -far, far)
    standing = [
        (start, goal)
        for goal, start in zip(goals.tolist(), starts.tolist(), strict=True)
        if not walls[goal] and start <= limit
    ]
    for start, goal in standing:
        dist[goal] = start
    search(dist, links, cost, steps, lengths.tolist(), width, wrap, limit, standing)
    dist[walls] = far
    cells = np.flatnonzero(old != dist)
    return cells, old[cells]
