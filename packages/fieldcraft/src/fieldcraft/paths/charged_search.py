"""Shortest paths by another charge than the mean of two cells, taken from distance maps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.distance import DistanceMap
from fieldcraft.paths.route import Path
from fieldcraft.space import Space

__all__ = ["charged_path", "charged_paths"]


def charged_path(
    space: Space, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool, charge: str
) -> Path:
    """See `shortest_path`."""
    for what, position in (("start", start), ("goal", goal)):
        if not checks.positions(position, dimensions=space.dimensions)[1]:
            raise InvalidValue(
                f"{what} is one position",
                got=f"an array of shape {np.shape(position)}",
                remedy="Call shortest_paths for many",
            )
    return _map_to(space, goal, cost, smooth, charge).descend(start)


def charged_paths(
    space: Space, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool, charge: str
) -> list[Path]:
    """See `shortest_paths`: one map for each goal."""
    (from_, one_start), (to, one_goal) = (
        checks.positions(each, dimensions=space.dimensions) for each in (starts, goals)
    )
    if not one_start and not one_goal and len(from_) != len(to):
        raise InvalidValue(
            "There are as many goals as starts, or one for all",
            got=f"{len(from_)} starts and {len(to)} goals",
            remedy="Pass one goal per start, or one position",
        )
    count = len(to) if one_start else len(from_)
    from_, to = (np.broadcast_to(each, (count, space.dimensions)) for each in (from_, to))
    maps: dict[int, DistanceMap] = {}
    paths = []
    for place, goal in zip(from_, to, strict=True):
        cell = int(space.cell_at(goal))
        if cell not in maps:
            maps[cell] = _map_to(space, goal, cost, smooth, charge)
        paths.append(maps[cell].descend(place))
    return paths


def _map_to(space: Space, goal: ArrayLike, cost: Cost, smooth: bool, charge: str) -> DistanceMap:
    if smooth:
        raise InvalidValue(
            "Legs of a smoothed path cross cells and enter none",
            got=f"smooth=True with charge={charge!r}",
            remedy="Leave one of them out",
        )
    return DistanceMap(space, goal, cost=cost, charge=charge)
