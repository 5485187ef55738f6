"""Cheapest paths, called as the compiled kernels are; see
`fieldcraft.kernels.reference.shortest_path_weighted`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import shortest_path_weighted as reference

__all__ = ["weighted", "weighted_many", "weighted_room"]


def weighted_room(cells: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Room for the cells of a way: the last column of `pool`."""
    return np.zeros((cells, 4), dtype=np.int32), np.zeros(0, dtype=np.int64)


def weighted(*problem: Any) -> tuple[int, float, float]:
    """Write the cells of the cheapest way to `pool`; returns how many, the length and the cost."""
    *ground, least, _highest, width, height, wrap, start, goal, pool, _keys = problem
    spelled_out: Any = reference.weighted
    cells, length, cost = spelled_out(*ground, least, width, height, wrap, start, goal)
    pool[: len(cells), 3] = np.array(cells, dtype=np.int32)
    return len(cells), length, cost


def weighted_many(*problem: Any) -> int:
    """`weighted` for problems [first, last), one after the other; returns how many were solved
    before `cells` was full.
    """
    *ground, starts, goals, first, last, pool, keys, cells, ends, lengths, costs = problem
    used = 0
    for i in range(first, last):
        count, length, cost = weighted(*ground, int(starts[i]), int(goals[i]), pool, keys)
        if used + count > len(cells):
            return int(i - first)
        cells[used : used + count] = pool[:count, 3]
        used += count
        ends[i], lengths[i], costs[i] = used, length, cost
    return int(last - first)
