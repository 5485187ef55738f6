"""Shortest ways from one cell to some others, laid out a cell each moment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space import Space

__all__ = ["by_moment", "reached", "traced"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def reached(space: Space, start: int, limit: float) -> tuple[Floats, Ints]:
    """How far it is from a cell to each, (N,) world units, infinite beyond a limit; and the cell
    before each on the way.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    ways = space.ways
    steps = csr_array((ways.lengths, ways.ends, ways.starts), shape=(len(space), len(space)))
    away, back = dijkstra(steps, indices=start, limit=limit, return_predecessors=True)
    return away, back


def traced(start: int, cells: Ints, back: Ints) -> Ints:
    """The cells of the ways to some, (L, P), from the first on; shorter ones wait at the start."""
    rows = [cells]
    while (rows[-1] != start).any():
        rows.append(np.where(rows[-1] == start, start, back[rows[-1]]).astype(np.int64))
    return np.array(rows[::-1])


def by_moment(nodes: Ints, passed: Floats, limits: NDArray[Any]) -> Ints:
    """Where somebody is on ways (L, P) who has gone so far at each moment, (P, T) cells: the last
    whose `passed` (L, P) is no more.
    """
    at = np.array([(passed <= limit).sum(axis=0) - 1 for limit in limits])
    return np.ascontiguousarray(nodes[np.maximum(at, 0), np.arange(nodes.shape[1])].T)
