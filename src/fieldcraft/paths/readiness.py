"""Compiling before the first question."""

from __future__ import annotations

import numpy as np

from fieldcraft.paths.blocking import would_block
from fieldcraft.paths.distance import DistanceMap
from fieldcraft.paths.flee import flee_map
from fieldcraft.space import Grid

__all__ = ["compile_distances"]


def compile_distances() -> None:
    """Make, ask and repair a distance map of every kind once."""
    knight = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1), (1, 1)]
    for neighbors in (8, knight):
        for cost in (None, np.float32, np.float64):
            space = Grid(9, 5, neighbors=neighbors)
            field = DistanceMap(space, (4.5, 2.5), cost=None if cost is None else np.ones(space.shape, dtype=cost))
            field.at((0.5, 0.5))
            _use(field)
            would_block(space, [2], field)
            flee_map(field).descend((0.5, 0.5))
        _use(DistanceMap(Grid(9, 5, neighbors=neighbors), (4.5, 2.5), start_costs=1.0))
    for cost in (None, np.float64):
        _use(DistanceMap(Grid(9, 5, wrap=True), (4.5, 2.5), cost=None if cost is None else np.ones((5, 9))))


def _use(field: DistanceMap) -> None:
    field.descend((0.5, 0.5))
    assert field.values.size
    field.space.set_walls([3])
    field.repair()
