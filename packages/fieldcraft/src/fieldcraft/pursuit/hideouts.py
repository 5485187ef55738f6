"""Where somebody may hide near by, and the ways there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.outlooks import Outlooks
from fieldcraft.pursuit.shortest import by_moment, reached, traced
from fieldcraft.space import Space

__all__ = ["hideouts"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST = 200
_NARROW = 8  # how much likelier a place to hide is that fewer see
_EVEN = 0.05  # how likely the most open one is, beside the most hidden


def hideouts(
    space: Space,
    outlooks: Outlooks,
    start: int,
    near: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], Floats]:
    """Ways (H, L), a cell each moment, to cells near by out of sight of the start, and how likely
    each is: the likelier the fewer see it.

    `near` are the shortest and the longest way, world units.
    """
    step = space.typical_step
    away, back = reached(space, start, near[1])
    cells = np.flatnonzero((away >= near[0]) & (away <= near[1]))
    dark = cells[~outlooks.sees(start)[cells]]
    cells = dark if len(dark) else cells
    if not len(cells):
        return np.empty((0, 1), dtype=np.int32), np.empty(0)
    if len(cells) > _MOST:
        cells = np.sort(rng.choice(cells, _MOST, replace=False))
    rank = np.argsort(np.argsort(outlooks.openness(cells), kind="stable"), kind="stable") / len(
        cells
    )
    chances = (1 - rank) ** _NARROW + _EVEN
    nodes = traced(start, cells, back)
    passed = away[nodes]
    passed[1:] = (
        passed[1:] + passed[:-1]
    ) / 2  # a step counts as taken when half of it is, and it was seen a moment ago
    moments = np.arange(int(np.ceil(away[cells].max() / step)) + 2)
    return by_moment(nodes, passed, (moments + 1) * step).astype(np.int32), chances / chances.sum()
