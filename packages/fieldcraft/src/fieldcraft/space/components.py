"""Connected components of cells, and the central cell of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.adjacency import Adjacency


def components(
    adjacency: Adjacency,
    walls: NDArray[np.bool_],
    groups: NDArray[np.bool_] | NDArray[np.integer],
) -> NDArray[np.int64]:
    """Return the number of the connected component of each cell, (N,): from 0, in the order of
    their lowest cells; -1 for walls and for cells without a group.

    `groups`, in the space's shape or (N,), is a mask of cells, or a whole number per cell, below 0
    for no group. Open cells of one group are connected if a step leads from one to the other, in
    either direction.
    """
    from scipy.sparse import coo_array  # loading it takes longer than all of `import fieldcraft`
    from scipy.sparse.csgraph import connected_components

    group = groups.reshape(-1)
    held = (group if group.dtype == np.bool_ else group >= 0) & ~walls.reshape(-1)
    start = adjacency.origins
    end = adjacency.ends
    joined = held[start] & held[end] & (group[start] == group[end])
    start = start[joined]
    end = end[joined]
    _, found = connected_components(
        coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(len(group),) * 2),
        directed=False,
    )
    labels = np.full(len(group), -1, dtype=np.int64)
    _, first, numbers = np.unique(found[held], return_index=True, return_inverse=True)
    labels[held] = np.argsort(np.argsort(first, kind="stable"))[numbers]
    return labels


def by_area(areas: NDArray[np.float64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return components renumbered by area: 0 for the largest, of equals the one with the lowest
    cell; -1 stays.
    """
    held = numbers >= 0
    if not held.any():
        return numbers
    order = np.argsort(-np.bincount(numbers[held], weights=areas[held]), kind="stable")
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1
    return rank[numbers]


def central_cells(
    positions: NDArray[np.float64],
    cells: NDArray[np.int64],
    numbers: NDArray[np.int64],
    count: int,
) -> NDArray[np.int64]:
    """Return the cell nearest to the mean of each group of cells, the lowest of equals, (count,);
    `positions` are the centers of the cells, (K, 2) or (K, 3), and `numbers` their groups.
    """
    scale = max(float(np.abs(positions).max(initial=0)), 1.0)
    sizes = np.bincount(numbers, minlength=count)
    away = np.zeros(len(cells))
    for axis in (positions / scale).T:
        # Rounded, so that sums that differ by one bit count as equally near.
        away += np.round(axis - (np.bincount(numbers, axis, count) / sizes)[numbers], 9) ** 2
    order = np.lexsort((cells, away, numbers))
    return cells[order[np.searchsorted(numbers[order], np.arange(count))]]
