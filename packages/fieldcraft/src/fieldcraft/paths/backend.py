"""Searches for distances and paths on each kind of space."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths.arc_search import ArcSearch
from fieldcraft.paths.cost import Cost
from fieldcraft.paths.graph_paths import GraphProblem
from fieldcraft.paths.grid_paths import GridProblem
from fieldcraft.paths.grid_search import GridSearch
from fieldcraft.paths.path import PathProblem
from fieldcraft.paths.search_base import DistanceSearch, SearchTask
from fieldcraft.space import GraphSnapshot, Grid, GridSnapshot, Snapshot, Space, checked_space

__all__ = ["PathBackend", "backend"]


class PathBackend(ABC):
    """What paths need of one kind of space."""

    @abstractmethod
    def snapshot(self, costs: NDArray[np.float64] | None = None) -> Snapshot:
        """Return the space as it is now; infinite `costs`, one per cell, are walls as well."""

    @abstractmethod
    def search(self, task: SearchTask) -> DistanceSearch:
        """Return a search for walking distances to goals, which has not begun."""

    @abstractmethod
    def problem(self, cost: Cost, smooth: bool) -> PathProblem:
        """Return the searches of one call for shortest paths."""


@dataclass(frozen=True, eq=False)
class GridPaths(PathBackend):
    """Paths on a grid of squares."""

    space: Grid

    def snapshot(self, costs: NDArray[np.float64] | None = None) -> GridSnapshot:
        """See `PathBackend.snapshot`."""
        return GridSnapshot.of(self.space, costs)

    def search(self, task: SearchTask) -> DistanceSearch:
        """See `PathBackend.search`."""
        over_arcs = task.charge != "mean" or task.outward or task.costs.traffic is not None
        return ArcSearch(task) if over_arcs else GridSearch(task)

    def problem(self, cost: Cost, smooth: bool) -> GridProblem:
        """See `PathBackend.problem`."""
        return GridProblem(self.space, cost, smooth)


@dataclass(frozen=True, eq=False)
class GraphPaths(PathBackend):
    """Paths on hexagons, graphs and meshes: over the arcs of a graph."""

    space: Space

    def snapshot(self, costs: NDArray[np.float64] | None = None) -> GraphSnapshot:
        """See `PathBackend.snapshot`."""
        return GraphSnapshot.of(self.space, costs)

    def search(self, task: SearchTask) -> ArcSearch:
        """See `PathBackend.search`."""
        return ArcSearch(task)

    def problem(self, cost: Cost, smooth: bool) -> GraphProblem:
        """See `PathBackend.problem`."""
        return GraphProblem(self.space, cost, smooth)


def backend(space: Space) -> PathBackend:
    """Return the backend that serves a space."""
    if isinstance(space, Grid):
        return GridPaths(space)
    return GraphPaths(checked_space(space, "Paths lie on"))
