"""Searches for distances on a snapshot of a space, the base of distance maps."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.words import Charge
from fieldcraft.kernels.distances.search_arrays import BucketQueue, RepairScratch, SearchSeeds
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.shared.step_lists import Arcs, LinkedSteps
from fieldcraft.paths.cost import CellCosts
from fieldcraft.space import Snapshot, Space
from fieldcraft.space.adjacency import Adjacency
from fieldcraft.space.cached import cached
from fieldcraft.space.space_ranges import within_walk

EVERYWHERE = np.empty(0, dtype=np.int64)
_MOST_BUCKETS = 1024
# Buckets are narrower than the cheapest step by this share, so that rounding does not bring both
# ends of it into one bucket.
_NARROWER = 1e-7
# Whether a repair takes less time than a new search: measured by `python -m bench repair`. A change
# affects about as many cells as a path is long, which grows with the square root of the cells.
_MOST_CHANGED = 1 / 16
"""A new search begins at once if more than this share of the cells has changed."""
_ALWAYS_REPAIRED = 16
"""But not for so few changed cells."""
_SAMPLED_WITH_COSTS = 1.5
"""The effect is estimated if costs of more scattered cells have changed than this times the square
root of all, and times `most_cleared`.
"""
_SAMPLED_WITH_ONE_COST = 1
"""The same times `most_even` for cells in one place, and where all cost the same, so that paths
around a change are often as short."""
_SAMPLES = 32
"""Cells whose paths are followed for an estimate."""
_FEWEST_SAMPLES = 4
_FAR_MORE = 2.0
"""An estimate is rough where it is so many times the share for which a repair pays."""
_MOST_SAMPLED = 1 / 16
"""The share of all cells that these paths may visit."""
_ALWAYS_SAMPLED = 4.0
"""But they may visit this times the square root of all cells."""
_ABANDONED = 1.5
"""A repair is abandoned where it changes so many times the cells for which it pays."""

Ints = NDArray[np.int64]
Arrays = tuple[NDArray[Any], ...]
Kinds = tuple[tuple[Any, ...], ...]
"""Types of arrays, each followed by a number of rows where it has several."""
Steps = tuple[Arcs | None, LinkedSteps | None, NDArray[Any], NDArray[Any] | None]
"""(arcs, grid, sizes, cost), see `fieldcraft.kernels.distances.distance_steps`."""


_QUEUE: Kinds = ((np.uint32,), (np.int32,))
_REPAIR_COUNTED: Kinds = ((np.int8,), (np.int64,), (np.int64,), (np.int32,), *_QUEUE)
_REPAIR_SUMS: Kinds = ((np.int8,), (np.int64,), (np.float64,), (np.int32,), *_QUEUE)


def buckets(
    shortest: float, typical: float, longest: float, highest: float = 0.0
) -> tuple[float, int]:
    """Return 1 / the width of buckets for steps of these costs, and their number; `highest` is the
    largest cost of a goal.
    """
    width = max(shortest, typical / 4, longest / _MOST_BUCKETS, highest * 2.0**-50)
    return (1 + _NARROWER) / width, int(longest / width) + 3


def incoming(steps: Adjacency) -> tuple[Ints, NDArray[np.int32], Ints]:
    """Return the first index of the steps into each cell, the cells that they leave, and their
    numbers.
    """
    order = np.argsort(steps.ends, kind="stable")
    starts = np.searchsorted(steps.ends[order], np.arange(len(steps.starts)))
    return starts, steps.origins[order].astype(np.int32), order


@dataclass(frozen=True, eq=False)
class SearchTask:
    """The task of a search: distances from the cells of a snapshot to the nearest of some goals.

    `goals` ascend; each has a start cost in `start_costs`. `charge` and `outward` are the arguments
    of `distance_map`.
    """

    ground: Snapshot
    costs: CellCosts
    goals: Ints
    start_costs: NDArray[np.float64]
    limit: float
    charge: Charge = "mean"
    outward: bool = False


class RepairLimits(NamedTuple):
    """From how many changed cells on the effect of a repair is estimated, and the share of cells
    that it clears for which it pays.
    """

    sampled_from: float
    most_cleared: float


class DistanceSearch(ABC):
    """A search for the distances of a task.

    Nothing is searched before `settle`. `finished` is whether the search has ended, and
    `repairable` whether `repair` can be called then. `dist` are distances in the unit of the
    search, `far` where no goal is reached, `starts` the start costs, and `most` is the limit.
    `inverse_width` is 1 / the width of a bucket, `heads` (`bucket_count`,) the first cell in each.
    `most_cleared` is the share of the cells for which a repair takes as long as a new search.
    `most_opened` times the square root of the cells is the number of opened walls for which it
    does, and `most_even` times it the number of changed walls that hardly ever clear so many. With
    changed costs of scattered cells a repair pays for `scattered_pays` times that share, since many
    paths become shorter, too, which an estimate does not see.
    """

    repairable: bool = True
    most_cleared: float = 0.24
    most_opened: float = 4.0
    most_even: float = 1.0
    scattered_pays: float = 1 / 3
    far: Any = np.inf
    dist: NDArray[Any]
    _around: NDArray[np.int64] | None = None

    def __init__(self, task: SearchTask) -> None:
        self.task = task
        self.space: Space = task.costs.space
        self.ground = task.ground
        self.costs = task.costs
        self.goals = task.goals
        self.starts = task.start_costs
        self.most: Any = within_walk(self.space, task.limit)
        self.scratch = scratch_of(self.space)
        self.finished = False
        self._expansion: Expansion | None = None

    @property
    @abstractmethod
    def steps(self) -> Steps:
        """The steps of the snapshot and their costs."""

    @abstractmethod
    def _step_costs(self) -> tuple[float, float, float]:
        """Return bounds of the costs of steps: the least, a typical one and the greatest."""

    def costs_changed(self) -> None:
        """Choose buckets that fit the costs, after they or the cells that count have changed."""
        highest = float(self.starts.max(initial=0))
        self.inverse_width, self.bucket_count = buckets(*self._step_costs(), highest)
        self.heads = np.full(self.bucket_count, -1, dtype=np.int32)

    def settle(self, until: Ints = EVERYWHERE) -> None:
        """Search until these cells have their distances; without cells, to the end."""
        if self.finished:
            return
        if self._expansion is None:
            self._expansion = self._begin()
        self.finished = self._expansion.run(self, until)
        if self.finished:
            self._expansion.end()
            self._expansion = None

    def _begin(self) -> Expansion:
        return Buckets(self)

    def repair(self, ground: Any, changed: Ints) -> Ints | None:
        """Update the search to a snapshot or costs that differ in these cells.

        Returns the cells whose distance has changed. Returns None where a new search takes less
        time; then only `dist` is as before, and the search can't be used any more.
        """
        if len(changed) > max(len(self.space) * _MOST_CHANGED, _ALWAYS_REPAIRED):
            return None
        limits = self._limits(changed)
        if len(changed) > limits.sampled_from and limits.most_cleared == 0:
            return None
        return self._repaired(ground, changed, limits)[0]

    def _limits(self, changed: Ints) -> RepairLimits:
        """Return the limits for changes of these cells."""
        side = math.sqrt(len(self.space))
        if self.costs.uniform is None and _are_scattered(changed):
            sampled_from = side * self.most_cleared * _SAMPLED_WITH_COSTS
            return RepairLimits(sampled_from, self.most_cleared * self.scattered_pays)
        return RepairLimits(side * self.most_even * _SAMPLED_WITH_ONE_COST, self.most_cleared)

    def _repaired(
        self, ground: Any, changed: Ints, limits: RepairLimits | None = None
    ) -> tuple[Ints | None, NDArray[Any]]:
        """Repair; return the cells whose distance has changed, and the old distances.

        With `limits` the cells are None where a new search takes less time, see `repair`.
        """
        greatest = self._step_costs()[2]
        # Kernels would write outside of `heads`.
        assert int(greatest * self.inverse_width) + 2 <= self.bucket_count, (
            "a step is longer than all buckets"
        )
        before = self.ground
        self.ground = ground
        if self.dist.dtype.kind == "i":
            kinds = _REPAIR_COUNTED
        else:
            kinds = _REPAIR_SUMS
        arrays = self.scratch.take(kinds)
        most = len(self.space)
        if limits is not None:
            if len(changed) > limits.sampled_from:
                pays = limits.most_cleared
                opened = np.count_nonzero(before.walls[changed] & ~ground.walls[changed])
                is_open = opened > math.sqrt(most) * self.most_opened
                if is_open or self._would_clear(arrays[:4], pays) > pays:
                    self.scratch.give(kinds, arrays)
                    return None, self.dist[:0]
            most = int(most * self.most_cleared * _ABANDONED) + _ALWAYS_REPAIRED
        work = np.array([0, most])
        cells: Ints
        olds: NDArray[Any]
        cells, olds = kernels.distances.distance_repair.repair(
            *self.steps,
            ground.walls,
            before.walls,
            self._around,
            changed,
            SearchSeeds(self.goals, self.starts),
            self.far,
            self.inverse_width,
            self.most,
            self.dist,
            RepairScratch(*arrays[:4]),
            BucketQueue(self.heads, *arrays[4:]),
            work,
        )
        abandoned = work[0] > most
        if abandoned:
            self.dist[cells] = olds
            # Cells that were not reached and are walls now.
            self.dist[changed] = np.abs(self.dist[changed])
            marks = arrays[0]
            waiting = arrays[4]
            marks.fill(0)
            waiting.fill(0)
        self.scratch.give(kinds, arrays)
        if abandoned:
            return None, olds
        return cells, olds

    def _would_clear(self, scratch: Arrays, most: float) -> float:
        """Return an estimate of the share of the reached cells that a repair would clear, a rough
        one where it is far more than `most`.
        """
        size = len(self.space)
        valid, lost = kernels.distances.distance_repair.sample(
            *self.steps,
            self.ground.walls,
            SearchSeeds(self.goals, self.starts),
            self.dist,
            _samples(self.space),
            self.far,
            int(max(size * _MOST_SAMPLED, math.sqrt(size) * _ALWAYS_SAMPLED)),
            _FAR_MORE * most,
            RepairScratch(*scratch),
        )
        return float(lost / max(valid + lost, _FEWEST_SAMPLES))

    def differences(self, before: NDArray[Any], ground: Snapshot) -> Ints:
        """Return the cells, ascending, whose distance is another than `before`, in the walls of an
        earlier snapshot.
        """
        walls = self.ground.walls
        differ = before != self.dist
        differ &= ~walls
        if walls is not ground.walls:
            where = np.flatnonzero(walls != ground.walls)
            earlier = np.where(ground.walls[where], self.far, before[where])
            differ[where] = earlier != np.where(walls[where], self.far, self.dist[where])
        return np.flatnonzero(differ)

    def cut_off(self, walls: Ints) -> Ints:
        """Return the cells that would reach no goal with walls in these cells; change nothing."""
        ground = self.ground
        distances_on_walls = self.dist[walls]
        cells, olds = self._repaired(ground.walled(self.space, walls), walls)
        assert cells is not None
        lost: Ints = cells[(np.abs(self.dist[cells]) == self.far) & (olds != self.far)]
        self.dist[cells] = olds
        self.dist[walls] = distances_on_walls
        self.ground = ground
        return np.sort(lost)

    def minima(self, heights: NDArray[np.float64]) -> Ints:
        """Return the open cells, ascending, from which no step leads to a lower sum of a neighbor's
        height and the cost of the step.
        """
        cells = np.flatnonzero(~self.ground.walls)
        least = np.empty(len(cells))
        kernels.distances.distance_search.given(*self.summed_steps, heights, cells, np.inf, least)
        return cells[least >= heights[cells]]

    @property
    def summed_steps(self) -> Steps:
        """The steps and their costs in world units."""
        return self.steps

    def descend(self, cell: int) -> tuple[Ints, float]:
        """Return the path between a settled cell and its goal, as it is walked, and its length."""
        path, taken = kernels.distances.distance_search.descend(
            *self.steps, self.dist, self.far, cell
        )
        return path, self._length(taken)

    @abstractmethod
    def _length(self, taken: Ints) -> float:
        """Return the length of the steps of a path."""

    def measured(self, cells: Ints | slice) -> NDArray[np.float64]:
        """Return distances in world units, times cost; inf on walls."""
        found: NDArray[np.float64] = self.dist[cells].copy()
        found[self.ground.walls[cells]] = np.inf
        return found

    def write(self, values: NDArray[np.float32], cells: Ints | None = None) -> None:
        """Write the distances of all or some cells into `values`, flat; inf on walls."""
        if cells is None:
            values[:] = self.measured(slice(None))
        else:
            values[cells] = self.measured(cells)


class Expansion(ABC):
    """An algorithm that expands a search from its goals, with scratch arrays of these `kinds`."""

    scratch: Arrays = ()

    def __init__(self, search: DistanceSearch, kinds: Kinds) -> None:
        self._pool = search.scratch
        self._kinds = kinds
        self.scratch = self._pool.take(kinds)

    @abstractmethod
    def run(self, search: DistanceSearch, until: Ints) -> bool:
        """Search until these cells have their distances; return whether the search has ended."""

    def end(self) -> None:
        """Return the scratch of a finished search to the pool."""
        self._pool.give(self._kinds, self.scratch)
        self.scratch = ()

    def __del__(self) -> None:
        """Return the scratch of an unfinished search to the pool."""
        if self.scratch:
            self._pool.give(self._kinds, self.scratch, is_clear=False)


class Buckets(Expansion):
    """Any steps and costs, by `kernels.distances.distance_search`."""

    def __init__(self, search: DistanceSearch) -> None:
        super().__init__(search, _QUEUE)
        walls = search.ground.walls
        search.dist = np.empty(len(walls), dtype=type(search.far))
        everywhere = np.array([[0, len(walls)]])
        kernels.distances.distance.clear(walls, everywhere, search.far, search.dist)
        usable = ~walls[search.goals]
        order = np.argsort(search.starts[usable], kind="stable")
        self._seeds = SearchSeeds(search.goals[usable][order], search.starts[usable][order])
        self._state = np.zeros(3, dtype=np.int64)

    def run(self, search: DistanceSearch, until: Ints) -> bool:
        """See `Expansion.run`."""
        kernels.distances.distance_search.search(
            *search.steps,
            self._seeds,
            until,
            search.far,
            search.inverse_width,
            search.most,
            search.dist,
            self._state,
            BucketQueue(search.heads, *self.scratch),
        )
        return bool(self._state[1] == 0 and self._state[2] == len(self._seeds.cells))


class Scratch:
    """A pool of sets of arrays with one number per cell and one more, so that repeated searches
    reuse memory pages.
    """

    def __init__(self, cells: int) -> None:
        self._size = cells + 1
        self._most = 4
        self._free: dict[Kinds, list[tuple[Arrays, bool]]] = {}

    def take(self, kinds: Kinds) -> Arrays:
        """Return arrays of these types. The contents are arbitrary, except 0 for int8 and
        uint32.
        """
        free = self._free.setdefault(kinds, [])
        if not free:
            return tuple(np.zeros((*rows, self._size), dtype) for dtype, *rows in kinds)
        arrays, is_clear = free.pop()
        if not is_clear:
            for array in arrays:
                if array.dtype in (np.int8, np.uint32):
                    array.fill(0)
        return arrays

    def give(self, kinds: Kinds, arrays: Arrays, *, is_clear: bool = True) -> None:
        """Put arrays back; arrays of int8 and uint32 are 0 if they are clear."""
        free = self._free[kinds]
        if len(free) < self._most:
            free.append((arrays, is_clear))


def _are_scattered(cells: Ints) -> bool:
    """Return whether cells, ascending, lie apart: in one place most have one beside them."""
    return bool(2 * np.count_nonzero(np.diff(cells) == 1) < len(cells))


@cached
def _samples(space: Space) -> Ints:
    """Return cells that are spread over a space."""
    # Steps of the golden section put no two cells near each other, nor into one column.
    places = np.arange(1, _SAMPLES + 1) * 0.6180339887498949 % 1
    return read_only((places * len(space)).astype(np.int64))


@cached
def scratch_of(space: Space) -> Scratch:
    """Return the pool of a space."""
    return Scratch(len(space))
