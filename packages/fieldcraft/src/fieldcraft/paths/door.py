"""The door between kinds of space: each function here picks once what serves a space."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.paths import on_graph, on_grid
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.directions import FlowField
from fieldcraft.paths.distances import Distances
from fieldcraft.paths.prices import Prices
from fieldcraft.paths.route import Path
from fieldcraft.space import GraphSnapshot, GridSnapshot, Snapshot, Space, picked

if TYPE_CHECKING:
    from fieldcraft.paths.distance import DistanceMap

__all__ = ["distances_on", "flow_of", "shortest_path", "shortest_paths", "snapshot_of"]


def snapshot_of(space: Space, costs: NDArray[np.float64] | None = None) -> Snapshot:
    """The space as it is now; where `costs`, one per cell, are infinite, there are walls as
    well.
    """
    take: Callable[..., Snapshot] = picked(
        space, "A way", grid=GridSnapshot.of, graph=GraphSnapshot.of
    )
    return take(space, costs)


def distances_on(
    ground: Snapshot,
    prices: Prices,
    goals: NDArray[np.int64],
    start_costs: NDArray[np.float64],
    limit: float,
) -> Distances:
    """The distances to goals on one moment's map, before any of them is searched."""
    begin: Callable[..., Distances] = picked(
        prices.space, "A distance map", grid=on_grid.Distances, graph=on_graph.Distances
    )
    return begin(prices.space, ground, prices, goals, start_costs, limit)


def flow_of(distance_map: DistanceMap) -> FlowField:
    """A flow field that follows a distance map."""
    kind: Callable[..., FlowField] = picked(
        distance_map.space, "A flow field", grid=on_grid.Flow, graph=on_graph.Flow
    )
    return kind(distance_map)


def shortest_path(
    space: Space, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool
) -> Path:
    """The cheapest way from one place to another, its arguments not yet checked."""
    found = picked(space, "A path", grid=on_grid.shortest_path, graph=on_graph.shortest_path)
    return found(space, start, goal, cost, smooth)


def shortest_paths(
    space: Space, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool
) -> list[Path]:
    """Many of them."""
    found = picked(space, "A path", grid=on_grid.shortest_paths, graph=on_graph.shortest_paths)
    return found(space, starts, goals, cost, smooth)
