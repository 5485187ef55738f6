"""A search for distances on one snapshot of a space: the class behind every distance map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.paths.cost import CellCosts
from fieldcraft.space import Snapshot, Space
from fieldcraft.space.adjacency import cached

__all__ = ["EVERYWHERE", "SLACK", "DistanceSearch", "Scratch", "SearchTask", "scratch_of"]

SLACK = 1e-9
"""Limits are met to one part in 1e9, so that 0.3 is three cells of 0.1."""

EVERYWHERE = np.empty(0, dtype=np.int64)
_MOST_CACHED = 4


@dataclass(frozen=True, eq=False)
class SearchTask:
    """What a search finds: distances from the cells of a snapshot to the nearest of some goals.

    `goals` ascend; each has a cost to begin with in `start_costs`. `charge` and `outward` are those
    of `distance_map`.
    """

    ground: Snapshot
    costs: CellCosts
    goals: NDArray[np.int64]
    start_costs: NDArray[np.float64]
    limit: float
    charge: str = "mean"
    outward: bool = False


class DistanceSearch(ABC):
    """A search for the distances of a task.

    Nothing is searched before `settle`. `finished` says that the search has reached its end, and
    `repairable` that `repair` can then be called.
    """

    repairable: bool = False
    dist: NDArray[Any]

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.space: Space = task.costs.space
        self.ground, self.costs = task.ground, task.costs
        self.goals, self.start_costs = task.goals, task.start_costs
        self.limit = task.limit * (1 + SLACK)
        self.finished = False

    @abstractmethod
    def settle(self, until: NDArray[np.int64] = EVERYWHERE) -> None:
        """Search until these cells have their distances; without cells, to the end."""

    @abstractmethod
    def costs_changed(self) -> None:
        """Choose buckets that fit the costs."""

    @abstractmethod
    def repair(self, ground: Any, changed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take over a snapshot, or costs, that differ in these cells; return the cells whose
        distance has changed.
        """

    @abstractmethod
    def cut_off(self, walls: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the cells that would reach no goal with walls in these cells; change nothing."""

    @abstractmethod
    def minima(self, heights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the open cells, ascending, from which no step leads to a lower sum of a neighbor's
        height and the cost of the step.
        """

    @abstractmethod
    def descend(self, cell: int) -> tuple[NDArray[np.int64], float]:
        """Return the path between a settled cell and its goal, as it is walked, and its length."""

    def measured(self, cells: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """Return distances in world units, times cost; inf on walls."""
        found: NDArray[np.float64] = self.dist[cells].copy()
        found[self.ground.walls[cells]] = np.inf
        return found

    def write(self, values: NDArray[np.float32], cells: NDArray[np.int64] | None = None) -> None:
        """Write the distances, all or those of some cells, into `values`, flat; inf on walls."""
        some = slice(None) if cells is None else cells
        values[some] = self.measured(some)


class Scratch:
    """A pool of arrays with one number per cell, so that repeated searches reuse memory pages."""

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._free: dict[tuple[type[np.generic], int], list[NDArray[Any]]] = {}

    def take(self, kind: type[np.generic], rows: int = 0) -> NDArray[Any]:
        """Return one number per cell, or `rows` rows of that. Contents are arbitrary, but 0 for
        int8.
        """
        free = self._free.setdefault((kind, rows), [])
        shape = (rows, self._cells) if rows else self._cells
        return free.pop() if free else np.zeros(shape, dtype=kind)

    def give(self, *arrays: NDArray[Any]) -> None:
        """Put arrays back; int8 arrays must be 0."""
        for array in arrays:
            key = array.dtype.type, len(array) if array.ndim == 2 else 0
            if len(free := self._free.setdefault(key, [])) < _MOST_CACHED:
                free.append(array)


@cached
def scratch_of(space: Space) -> Scratch:
    """Return the pool of a space."""
    return Scratch(len(space))
