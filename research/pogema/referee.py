"""The rules of path finding for many agents, checked on what was played."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray


def check_rules(walls: NDArray[np.bool_], cells: NDArray[np.int64]) -> None:
    """Refuse moves (steps + 1, agents) in which agents meet, swap, jump or enter walls."""
    if walls.reshape(-1)[cells].any():
        raise ValueError("an agent is in a wall")
    rows, columns = np.divmod(cells, walls.shape[1])
    if (np.abs(np.diff(rows, axis=0)) + np.abs(np.diff(columns, axis=0)) > 1).any():
        raise ValueError("an agent went farther than to a cell beside it")
    for step, now in enumerate(cells):
        if len(np.unique(now)) < len(now):
            raise ValueError(f"two agents are in one cell after {step} steps")
    for step, (before, after) in enumerate(itertools.pairwise(cells)):
        moved = before != after
        edges = set(zip(before[moved].tolist(), after[moved].tolist(), strict=True))
        if any((there, here) in edges for here, there in edges):
            raise ValueError(f"two agents swap their cells in step {step}")
