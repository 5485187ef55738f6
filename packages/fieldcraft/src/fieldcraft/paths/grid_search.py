"""The search for distances on a grid: three ways to expand it, and one to repair it."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import counting
from fieldcraft.paths.grid_paths import moves_of
from fieldcraft.paths.search_base import EVERYWHERE, DistanceSearch, SearchTask, scratch_of
from fieldcraft.space import Grid, GridSnapshot
from fieldcraft.space.adjacency import cached

__all__ = ["GridSearch", "GridSteps", "grid_steps"]

_MOST_BUCKETS = 1024
_MOST_LISTS = 32  # of `add_near`, each as large as the map
# Buckets are narrower than the cheapest step by this share, so that rounding does not bring both
# ends of it into one bucket.
_NARROWER = 1e-7
_MOST_COUNTED = 1e8  # buckets for which that is enough
_EVEN = np.ones(1)


@dataclass(frozen=True, eq=False)
class GridSteps:
    """The steps of a grid: (columns, rows), and their lengths in world units.

    `around` are the offsets from a cell to the cells whose steps it may block. `counted` says
    whether all steps are straight or diagonal, so that sums of them can be whole numbers, `counts`;
    `pruned` is then their number, 4 or 8, where `kernels.distance.count` can serve, else 0.
    """

    steps: NDArray[np.int64]
    lengths: NDArray[np.float64]
    counts: NDArray[np.int64]
    around: NDArray[np.int64]
    counted: bool
    pruned: int
    measure: counting.Measure


@cached
def grid_steps(space: Grid) -> GridSteps:
    """Return the steps of a grid; found once."""
    neighborhood = space.neighborhood
    steps = np.array(neighborhood.steps, dtype=np.int64)
    counted = neighborhood.is_four or neighborhood.is_eight
    diagonal = (np.abs(steps) == 1).all(axis=1)
    measure = counting.measure(len(space))
    around = {(0, 0), *((-dx, -dy) for dx, dy in neighborhood.steps)}
    if diagonal.any():
        around |= {(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    return GridSteps(
        steps=steps,
        lengths=neighborhood.lengths(space.cell_size),
        counts=np.where(diagonal, measure.diagonal, 1 << measure.shift),
        around=np.array(sorted(around), dtype=np.int64),
        counted=counted,
        pruned=len(steps) if counted and not space.wrap and moves_of(space).plain else 0,
        measure=measure,
    )


_canonical = functools.cache(counting.canonical)


class GridSearch(DistanceSearch):
    """Distances on a grid, counted in whole numbers or added up in float64.

    `_Counted` serves one cost for all cells, `_Near` a cost per cell with 4 or 8 neighbors, and
    `_General` everything. All find the same distances wherever two of them can serve.
    """

    space: Grid
    ground: GridSnapshot

    def __init__(self, task: SearchTask) -> None:
        super().__init__(task)
        costs, start_costs = task.costs, task.start_costs
        self.steps = steps = grid_steps(self.space)
        self.scratch = scratch_of(self.space)
        self.counted = steps.counted and costs.uniform is not None and not start_costs.any()
        self.scale = 1.0
        self.starts: NDArray[Any] = start_costs
        self.far: Any = np.inf
        self.most: Any = self.limit
        self.lengths: NDArray[Any] = steps.lengths * (costs.uniform or 0.5)
        if self.counted:
            self.scale = self.space.cell_size * (costs.uniform or 1.0)
            self.far = counting.FAR
            self.lengths = steps.counts
            self.starts = np.zeros(len(self.goals), dtype=np.int64)
            self.most = int(min(self.limit / self.scale * 2.0**steps.measure.shift, self.far - 1))
        # Kernels are compiled once more for None in place of an array.
        self.cost = None if self.counted else _EVEN if costs.values is None else costs.values
        measure = steps.measure
        self._decoding = (measure.back, measure.delta, measure.inverse, measure.mask, self.scale)
        self._expansion: _Expansion | None = None
        self._pruned = False
        self.costs_changed()

    def costs_changed(self) -> None:
        """See `DistanceSearch.costs_changed`."""
        shortest, longest = float(self.lengths.min()), float(self.lengths.max())
        highest = 0.0 if self.counted else float(self.start_costs.max())
        if self.costs.uniform is None:
            shortest, longest = 2 * shortest * self.costs.least, 2 * longest * self.costs.greatest
        span = max(shortest, longest / _MOST_BUCKETS, highest * 2.0**-50)
        self.inverse, self.rounds = (1 + _NARROWER) / span, int(longest / span) + 3
        farthest = highest + longest * len(self.space)
        self._countable = self.rounds <= _MOST_LISTS and farthest / span < _MOST_COUNTED
        # A step may be so short beside a distance that adding it changes nothing.
        self.repairable = self.counted or float(np.spacing(farthest)) < shortest

    def settle(self, until: NDArray[np.int64] = EVERYWHERE) -> None:
        """See `DistanceSearch.settle`."""
        if self.finished:
            return
        if self._expansion is None:
            self._expansion = self._begin()
        self.finished = self._expansion.run(until)
        if self.finished:
            self._expansion.end()
            self._expansion = None

    def _begin(self) -> _Expansion:
        # What is cached about steps holds for the walls of now.
        is_now = self.ground.version == self.space.walls_version
        quick = bool(self.steps.pruned) and is_now
        near = (
            self.costs.uniform is None
            and self._countable
            and not self.costs.infinite
            and not self.start_costs.any()
        )
        self._pruned = quick and (self.counted or near)
        if self._pruned:
            return _Counted(self) if self.counted else _Near(self)
        return _General(self)

    @property
    def grid(self) -> tuple[Any, ...]:
        """The steps and costs of now, as kernels take them."""
        space, steps = self.space, self.steps.steps
        return self.ground.links, steps, self.lengths, self.cost, space.width, space.wrap

    @property
    def _spans(self) -> NDArray[np.int64]:
        """The stretches of cells that hold distances: those of the search that was made."""
        return self.ground.spans if self._pruned else np.array([[0, len(self.space)]])

    def clear(self, dist: NDArray[Any]) -> None:
        """Write the distances before a search into an array."""
        kernels.distance.clear(self.ground.walls, self._spans, self.far, dist)
        self.dist = dist

    def repair(self, ground: GridSnapshot, changed: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `DistanceSearch.repair`."""
        return self._repaired(ground, changed)[0]

    def _repaired(
        self, ground: GridSnapshot, changed: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Repair; return the cells whose distance has changed, and what it was."""
        before, self.ground = self.ground, ground
        # Kernels are compiled once more for arrays that can be written to.
        changed.flags.writeable = False
        marks = self.scratch.take(np.int8)
        found: tuple[NDArray[np.int64], NDArray[Any]] = kernels.distance_repair.mend(
            self.grid,
            ground.walls,
            before.walls,
            self.steps.around,
            changed,
            (self.goals, self.starts),
            self.far,
            self.inverse,
            self.rounds,
            self.most,
            self.dist,
            marks,
        )
        self.scratch.give(marks)
        return found

    def cut_off(self, walls: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `DistanceSearch.cut_off`."""
        here = self.ground
        cells, olds = self._repaired(here.walled(self.space, walls), walls)
        lost: NDArray[np.int64] = cells[(self.dist[cells] == self.far) & (olds != self.far)]
        self.dist[cells] = olds
        self.ground = here
        return np.sort(lost)

    def minima(self, heights: NDArray[np.float64]) -> NDArray[np.int64]:
        """See `DistanceSearch.minima`."""
        costs, space = self.costs, self.space
        values = _EVEN if costs.values is None else costs.values
        lengths = self.steps.lengths * (costs.uniform or 0.5)
        found: NDArray[np.int64] = kernels.distance.summits(
            (self.ground.links, self.steps.steps, lengths, values, space.width, space.wrap),
            self.ground.walls,
            heights,
        )
        return found

    def write(self, values: NDArray[np.float32], cells: NDArray[np.int64] | None = None) -> None:
        """See `DistanceSearch.write`."""
        ops, walls = kernels.distance, self.ground.walls
        if cells is not None:
            ops.publish_cells(self.dist, cells, self.counted, *self._decoding, values)
        elif self.counted:
            ops.publish_counts(self.dist, walls, self._spans, *self._decoding, values)
        else:
            ops.publish_sums(self.dist, walls, self._spans, values)

    def measured(self, cells: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """See `DistanceSearch.measured`."""
        if not self.counted:
            return super().measured(cells)
        found = counting.measured(self.dist[cells], self.steps.measure, self.scale)
        found[self.ground.walls[cells]] = np.inf
        return found

    def descend(self, cell: int) -> tuple[NDArray[np.int64], float]:
        """See `DistanceSearch.descend`."""
        path, taken = kernels.distance.descend(self.grid, self.dist, self.far, cell)
        # Equal steps are counted, so that their sum is exact.
        kinds, counts = np.unique(self.space.neighborhood.lengths(1.0)[taken], return_counts=True)
        return path, float((kinds * counts).sum()) * self.space.cell_size


class _Expansion(ABC):
    """One way to expand a search over a grid from its goals."""

    def __init__(self, search: GridSearch) -> None:
        self.search, self.scratch = search, search.scratch
        self.lists: list[NDArray[Any]] = []

    @abstractmethod
    def run(self, until: NDArray[np.int64]) -> bool:
        """Search until these cells have their distances; return whether the search has ended."""

    def end(self) -> None:
        """Give the scratch back."""
        self.scratch.give(*self.lists)
        self.lists = []

    def _goals(self) -> NDArray[np.int64]:
        """Return the goals that are no walls."""
        return self.search.goals[~self.search.ground.walls[self.search.goals]]


class _Counted(_Expansion):
    """Straight and diagonal steps counted in whole numbers, by `kernels.distance.count`."""

    def __init__(self, search: GridSearch) -> None:
        super().__init__(search)
        search.clear(np.empty(len(search.space), dtype=np.int64))
        goals = self._goals()
        came, lists = self.scratch.take(np.uint8), self.scratch.take(np.int32, rows=3)
        search.dist[goals] = 0
        came[goals] = 0
        lists[0, : len(goals)] = goals
        self.lists = [came, lists]
        self._state = np.array([0, len(goals), 0, 0], dtype=np.int64)
        self._edges = moves_of(search.space).king.reshape(-1)

    def run(self, until: NDArray[np.int64]) -> bool:
        """See `_Expansion.run`."""
        search, measure = self.search, self.search.steps.measure
        came, lists = self.lists
        kernels.distance.count(
            self._edges,
            _canonical(search.steps.pruned),
            until,
            search.space.width,
            measure.shift,
            1 << measure.shift,
            measure.diagonal,
            search.most,
            came,
            search.dist,
            lists,
            self._state,
        )
        return not self._state[1:].any()


class _Near(_Expansion):
    """A cost per cell with 4 or 8 neighbors, by `kernels.distance.add_near`."""

    def __init__(self, search: GridSearch) -> None:
        super().__init__(search)
        pad, size = search.space.width + 1, len(search.space)
        self._dist, self._cost = np.empty(size + 2 * pad), np.empty(size + 2 * pad)
        self._cost[pad : size + pad] = search.cost
        search.clear(self._dist[pad : size + pad])
        goals = self._goals()
        self.lists = [self.scratch.take(np.int32, rows=search.rounds)]
        search.dist[goals] = 0
        self.lists[0][0, : len(goals)] = goals + pad
        self._state = np.zeros(2 + search.rounds, dtype=np.int64)
        self._state[1:3] = len(goals)
        self._edges = moves_of(search.space).king.reshape(-1)

    def run(self, until: NDArray[np.int64]) -> bool:
        """See `_Expansion.run`."""
        search = self.search
        kernels.distance.add_near(
            self._edges,
            self._cost,
            until,
            (1 << search.steps.pruned) - 1,
            search.space.width,
            float(search.lengths.min()),
            float(search.lengths.max()),
            search.inverse,
            search.most,
            self._dist,
            self.lists[0],
            self._state,
        )
        return not self._state[1]


class _General(_Expansion):
    """Any steps and costs, by `kernels.distance.add`."""

    def __init__(self, search: GridSearch) -> None:
        super().__init__(search)
        counted = search.counted
        search.clear(np.empty(len(search.space), dtype=np.int64 if counted else np.float64))
        walls = search.ground.walls
        usable = ~walls[search.goals] & (search.starts <= search.most)
        order = np.argsort(search.starts[usable], kind="stable")
        self._seeds, self._starts = search.goals[usable][order], search.starts[usable][order]
        search.dist[self._seeds] = self._starts
        self._heads = np.full(search.rounds, -1, dtype=np.int32)
        self.lists = [self.scratch.take(np.int32), self.scratch.take(np.int32)]
        self._state = np.array([0, 0, 0, -1, 0, 0], dtype=np.int64)

    def run(self, until: NDArray[np.int64]) -> bool:
        """See `_Expansion.run`."""
        search = self.search
        while True:
            kernels.distance.add(
                search.grid,
                self._seeds,
                self._starts,
                until,
                search.far,
                search.inverse,
                search.most,
                search.dist,
                (self._heads, *self.lists),
                self._state,
            )
            if not self._state[5]:
                return not self._state[1] and self._state[2] == len(self._seeds)
            self.lists = [np.concatenate([array, np.empty_like(array)]) for array in self.lists]

    def end(self) -> None:
        """Give the scratch back, unless it has grown."""
        self.lists = [array for array in self.lists if len(array) == len(self.search.space)]
        super().end()
