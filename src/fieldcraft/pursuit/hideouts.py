"""Where somebody may hide near by, and the ways there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.outlooks import Outlooks
from fieldcraft.space import Space

__all__ = ["hideouts"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST = 200
_NARROW = 8  # how much likelier a place to hide is that fewer see
_EVEN = 0.05  # how likely the most open one is, beside the most hidden


def hideouts(
    space: Space, outlooks: Outlooks, start: int, near: tuple[float, float], rng: np.random.Generator
) -> tuple[NDArray[np.int32], Floats]:
    """Ways (H, L), a cell each moment, to cells near by out of sight of the start, and how likely each is: the likelier the fewer see it.

    `near` are the shortest and the longest way, world units.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    ways, step = space.ways, space.typical_step
    steps = csr_array((ways.lengths, ways.ends, ways.starts), shape=(len(space), len(space)))
    away, back = dijkstra(steps, indices=start, limit=near[1], return_predecessors=True)
    cells = np.flatnonzero((away >= near[0]) & (away <= near[1]))
    dark = cells[~outlooks.sees(start)[cells]]
    cells = dark if len(dark) else cells
    if not len(cells):
        return np.empty((0, 1), dtype=np.int32), np.empty(0)
    if len(cells) > _MOST:
        cells = np.sort(rng.choice(cells, _MOST, replace=False))
    rank = np.argsort(np.argsort(outlooks.openness(cells), kind="stable"), kind="stable") / len(cells)
    chances = (1 - rank) ** _NARROW + _EVEN
    rows = [cells]
    while (rows[-1] != start).any():
        rows.append(np.where(rows[-1] == start, start, back[rows[-1]]).astype(np.int64))
    paths = np.array(rows[::-1])
    walked = away[paths]
    walked[1:] = (walked[1:] + walked[:-1]) / 2  # a step counts as taken when half of it is, and it was seen a moment ago
    moments = int(np.ceil(away[cells].max() / step)) + 2
    at = np.array([(walked <= (moment + 1) * step).sum(axis=0) - 1 for moment in range(moments)])
    found = paths[at, np.arange(len(cells))]
    return np.ascontiguousarray(found.T, dtype=np.int32), chances / chances.sum()
