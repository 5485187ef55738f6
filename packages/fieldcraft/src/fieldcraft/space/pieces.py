"""Connected pieces of a space: which cells can be walked to from each other over cells of one
group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fieldcraft.space.protocol import Space

__all__ = ["by_area", "middles", "pieces"]


def pieces(space: Space, groups: NDArray[np.bool_] | NDArray[np.integer]) -> NDArray[np.int64]:
    """The connected piece of each cell, (N,): numbered from 0 by their lowest cells; -1 for walls
    and for cells of no group.

    `groups`, in the space's shape or (N,), is a mask of cells, or holds a whole number per cell,
    below 0 for no group. Open cells of one group belong together when a step of the space leads
    from one to the other, in either direction.
    """
    from scipy.sparse import coo_array  # loading it takes longer than all of `import fieldcraft`
    from scipy.sparse.csgraph import connected_components

    group = groups.reshape(-1)
    held = (group if group.dtype == np.bool_ else group >= 0) & ~space.walls.reshape(-1)
    ways = space.ways
    start, end = ways.origins, ways.ends
    joined = held[start] & held[end] & (group[start] == group[end])
    start, end = start[joined], end[joined]
    _, found = connected_components(
        coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(len(group),) * 2),
        directed=False,
    )
    labels = np.full(len(group), -1, dtype=np.int64)
    _, first, numbers = np.unique(found[held], return_index=True, return_inverse=True)
    labels[held] = np.argsort(np.argsort(first, kind="stable"))[numbers]
    return labels


def by_area(space: Space, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pieces numbered anew: 0 the largest by area, of equals the one with the lowest cell; -1
    stays.
    """
    held = numbers >= 0
    if not held.any():
        return numbers
    order = np.argsort(-np.bincount(numbers[held], weights=space.areas[held]), kind="stable")
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order], rank[-1] = np.arange(len(order)), -1
    return rank[numbers]


def middles(
    space: Space, cells: NDArray[np.int64], numbers: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """The cell nearest to the mean of each group of cells, the lowest of equals, (count,);
    `numbers` say whose each cell is.
    """
    places = space.position_of(cells).reshape(-1, space.dimensions)
    scale = max(float(np.abs(places).max(initial=0)), 1.0)
    sizes = np.bincount(numbers, minlength=count)
    away = np.zeros(len(cells))
    for axis in (places / scale).T:
        # Rounded, so that cells in which sums differ by a bit only are equally near.
        away += np.round(axis - (np.bincount(numbers, axis, count) / sizes)[numbers], 9) ** 2
    order = np.lexsort((cells, away, numbers))
    return cells[order[np.searchsorted(numbers[order], np.arange(count))]]
