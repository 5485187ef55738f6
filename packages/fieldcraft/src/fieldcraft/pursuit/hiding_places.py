"""Hiding places near by, and the paths to them, a cell for each moment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.backend import backend
from fieldcraft.pursuit.visibility_cache import VisibilityCache, hiding_chances
from fieldcraft.space import Space

__all__ = ["by_moment", "hiding_places", "joined", "traced"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_MOST = 200


def hiding_places(
    space: Space,
    visibility: VisibilityCache,
    start: int,
    near: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], Floats]:
    """Return paths (H, L), a cell each moment, to cells near by out of sight of the start, and how
    likely each is: the likelier the fewer cells see it.

    `near` are the shortest and the longest path, world units.
    """
    ground = backend(space)
    away, back = ground.shortest_tree(start, near[1])
    cells = np.flatnonzero((away >= near[0]) & (away <= near[1]))
    dark = cells[~visibility.sees(start)[cells]]
    cells = dark if len(dark) else cells
    if not len(cells):
        return np.empty((0, 1), dtype=np.int32), np.empty(0)
    if len(cells) > _MOST:
        cells = np.sort(rng.choice(cells, _MOST, replace=False))
    chances = hiding_chances(visibility.openness(cells))
    nodes = traced(start, cells, back)
    passed = away[nodes]
    # A step counts as taken when half of it is, and the target was seen a moment ago.
    passed[1:] = (passed[1:] + passed[:-1]) / 2
    moments = np.arange(int(np.ceil(away[cells].max() / ground.step)) + 2)
    return by_moment(nodes, passed, (moments + 1) * ground.step).astype(
        np.int32
    ), chances / chances.sum()


def traced(start: int, cells: Ints, before: Ints) -> Ints:
    """Return the paths to some cells, (L, P), from the start on; shorter ones wait at the start."""
    rows = [cells]
    while (rows[-1] != start).any():
        rows.append(np.where(rows[-1] == start, start, before[rows[-1]]).astype(np.int64))
    return np.array(rows[::-1])


def by_moment(nodes: Ints, passed: Floats, limits: NDArray[Any]) -> Ints:
    """Return the cells (P, T) on paths (L, P) at moments by which so much has been walked: the
    last whose `passed` (L, P) is at most the limit of the moment.
    """
    at = np.array([(passed <= limit).sum(axis=0) - 1 for limit in limits])
    return np.ascontiguousarray(nodes[np.maximum(at, 0), np.arange(nodes.shape[1])].T)


def joined(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return two sets of paths as one; those that end sooner stay where they end."""
    last = max(one.shape[1], other.shape[1]) - 1
    found = [ways[:, np.minimum(np.arange(last + 1), ways.shape[1] - 1)] for ways in (one, other)]
    return np.ascontiguousarray(np.concatenate(found), dtype=np.int32)
