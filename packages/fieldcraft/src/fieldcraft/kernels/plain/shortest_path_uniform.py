"""Shortest paths on even ground, called as the compiled kernels are; see
`fieldcraft.kernels.reference.shortest_path_uniform`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import shortest_path_uniform as reference

__all__ = ["uniform", "uniform_many", "uniform_room"]

Cells = NDArray[np.int64]


def uniform_room(cells: int) -> tuple[NDArray[np.int32]]:
    """Room for the cells of a way: the last column of `pool`."""
    return (np.zeros((cells, 4), dtype=np.int32),)


def uniform(
    moves: NDArray[np.signedinteger],
    _stops: Cells,
    eight: bool,
    width: int,
    height: int,
    wrap: bool,
    start: int,
    goal: int,
    pool: NDArray[np.int32],
) -> tuple[int, int]:
    """Write the cells of the shortest way to `pool`; returns how many, and how many of its steps
    are diagonal.
    """
    cells, diagonals = reference.uniform(moves, eight, width, height, wrap, start, goal)
    pool[: len(cells), 3] = np.array(cells, dtype=np.int32)
    return len(cells), diagonals


def uniform_many(*problem: Any) -> int:
    """`uniform` for problems [first, last), one after the other; returns how many were solved
    before `cells` was full.
    """
    *ground, starts, goals, first, last, pool, cells, ends, diagonals = problem
    solve: Any = uniform
    used = 0
    for i in range(first, last):
        count, bent = solve(*ground, int(starts[i]), int(goals[i]), pool)
        if used + count > len(cells):
            return int(i - first)
        cells[used : used + count] = pool[:count, 3]
        used += count
        ends[i], diagonals[i] = used, bent
    return int(last - first)
