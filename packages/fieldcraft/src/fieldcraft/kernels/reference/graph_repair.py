"""Bringing distances on graphs up to date, spelled out: the specification of
`fieldcraft.kernels.graph_repair`.

The arguments are those of `graph_ways`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference.graph_ways import Arcs, Ints, Wide, search

__all__ = ["mend"]


def mend(
    starts: Ints,
    origins: Arcs,
    sizes: Wide,
    out: Ints,
    arcs: Ints,
    ends: Arcs,
    cost: Wide,
    dist: Wide,
    walls: NDArray[np.bool_],
    before: NDArray[np.bool_],
    limit: float,
    changed: Ints,
    goals: Ints,
    goal_starts: Wide,
    marks: NDArray[np.int8],
    stack: NDArray[np.int32],
    touched: NDArray[np.int32],
    olds: Wide,
) -> tuple[Ints, Wide]:
    """Find all distances anew after vertices, arcs into them or their costs have `changed`. Returns
    (vertices, what they were).
    """
    old = np.where(before, math.inf, dist)
    dist[:] = np.where(walls, -math.inf, math.inf)
    standing = [
        (gone, goal)
        for goal, gone in zip(goals.tolist(), goal_starts.tolist(), strict=True)
        if not walls[goal] and gone <= limit
    ]
    for gone, goal in standing:
        dist[goal] = gone
    search(starts, origins, sizes, cost, dist, limit, standing)
    dist[walls] = math.inf
    vertices = np.flatnonzero(old != dist)
    return vertices, old[vertices]
