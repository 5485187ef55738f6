"""Searches, flow fields and paths for each kind of space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.paths import graph_paths, grid_paths
from fieldcraft.paths.arc_search import ArcSearch
from fieldcraft.paths.cost import CellCosts, Cost
from fieldcraft.paths.flow_base import FlowField
from fieldcraft.paths.graph_flow import GraphFlow
from fieldcraft.paths.grid_flow import GridFlow
from fieldcraft.paths.grid_search import GridSearch
from fieldcraft.paths.path import Path
from fieldcraft.paths.search_base import DistanceSearch
from fieldcraft.space import GraphSnapshot, Grid, GridSnapshot, Snapshot, Space, checked_space

if TYPE_CHECKING:
    from fieldcraft.paths.distances import DistanceMap

__all__ = ["PathBackend", "backend"]


class PathBackend(ABC):
    """What paths need of one kind of space."""

    @abstractmethod
    def snapshot(self, costs: NDArray[np.float64] | None = None) -> Snapshot:
        """Return the space as it is now; infinite `costs`, one per cell, are walls as well."""

    @abstractmethod
    def search(
        self,
        ground: Snapshot,
        costs: CellCosts,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
    ) -> DistanceSearch:
        """Return a search for walking distances to goals, which has not begun."""

    @abstractmethod
    def flow(self, distance_map: DistanceMap) -> FlowField:
        """Return a flow field that follows a distance map."""

    @abstractmethod
    def shortest_path(
        self, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool, on_wall: str
    ) -> Path:
        """See `fieldcraft.shortest_path`."""

    @abstractmethod
    def shortest_paths(
        self, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool, on_wall: str
    ) -> list[Path]:
        """See `fieldcraft.shortest_paths`."""


class GridPaths(PathBackend):
    """Paths on a grid of squares."""

    def __init__(self, space: Grid) -> None:
        self.space = space

    def snapshot(self, costs: NDArray[np.float64] | None = None) -> GridSnapshot:
        """See `PathBackend.snapshot`."""
        return GridSnapshot.of(self.space, costs)

    def search(
        self,
        ground: Snapshot,
        costs: CellCosts,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
    ) -> GridSearch:
        """See `PathBackend.search`."""
        assert isinstance(ground, GridSnapshot)
        return GridSearch(ground, costs, goals, start_costs, limit)

    def flow(self, distance_map: DistanceMap) -> GridFlow:
        """See `PathBackend.flow`."""
        return GridFlow(distance_map)

    def shortest_path(
        self, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool, on_wall: str
    ) -> Path:
        """See `PathBackend.shortest_path`."""
        return grid_paths.shortest_path(self.space, start, goal, cost, smooth, on_wall)

    def shortest_paths(
        self, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool, on_wall: str
    ) -> list[Path]:
        """See `PathBackend.shortest_paths`."""
        return grid_paths.shortest_paths(self.space, starts, goals, cost, smooth, on_wall)


class GraphPaths(PathBackend):
    """Paths on hexagons, graphs and meshes: over the arcs of a graph."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def snapshot(self, costs: NDArray[np.float64] | None = None) -> GraphSnapshot:
        """See `PathBackend.snapshot`."""
        return GraphSnapshot.of(self.space, costs)

    def search(
        self,
        ground: Snapshot,
        costs: CellCosts,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
    ) -> ArcSearch:
        """See `PathBackend.search`."""
        return ArcSearch(ground, costs, goals, start_costs, limit)

    def flow(self, distance_map: DistanceMap) -> GraphFlow:
        """See `PathBackend.flow`."""
        return GraphFlow(distance_map)

    def shortest_path(
        self, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool, on_wall: str
    ) -> Path:
        """See `PathBackend.shortest_path`."""
        return graph_paths.shortest_path(self.space, start, goal, cost, smooth, on_wall)

    def shortest_paths(
        self, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool, on_wall: str
    ) -> list[Path]:
        """See `PathBackend.shortest_paths`."""
        return graph_paths.shortest_paths(self.space, starts, goals, cost, smooth, on_wall)


def backend(space: Space) -> PathBackend:
    """Return the backend that serves a space."""
    if isinstance(space, Grid):
        return GridPaths(space)
    return GraphPaths(checked_space(space, "Paths lie on"))
