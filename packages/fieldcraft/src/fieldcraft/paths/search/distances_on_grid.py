"""The search for distances on a grid: three expansions and one repair."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared import counting
from fieldcraft.kernels.shared.step_lists import LinkedSteps
from fieldcraft.paths.cost import SAME_COST
from fieldcraft.paths.search.distances import (
    Buckets,
    DistanceSearch,
    Expansion,
    RepairLimits,
    SearchTask,
    Steps,
)
from fieldcraft.paths.search.distances_on_arcs import ArcSearch
from fieldcraft.paths.search.path_on_grid import moves_of
from fieldcraft.space import Grid, GridSnapshot
from fieldcraft.space.cached import cached
from fieldcraft.space.grid.grid_steps import step_table

_MOST_LISTS = 32  # `add_near` has at most so many lists, each as large as the map.
_MOST_COUNTED = 1e8  # Its farthest distance is at most so many buckets.


@dataclass(frozen=True, eq=False)
class GridSteps:
    """The steps of a grid: (columns, rows, offset of the cell's number), and their lengths in world
    units. `cells` are their different lengths in cells, ascending, and `kinds` the number of each
    step's length among these.

    `around` are the offsets from a cell to the cells whose steps it may block. `counted` is whether
    all steps are straight or diagonal, so that sums of them can be whole numbers, `counts`;
    `pruned` is their number, 4 or 8, if `kernels.distances.distance.count` supports them, else 0.
    `measure` has the whole numbers of straight and diagonal steps.
    """

    steps: NDArray[np.int64]
    lengths: NDArray[np.float64]
    counts: NDArray[np.int64]
    cells: NDArray[np.float64]
    kinds: NDArray[np.int64]
    around: NDArray[np.int64]
    counted: bool
    pruned: int
    measure: counting.Measure


@cached
def grid_steps(space: Grid) -> GridSteps:
    """Return the steps of a grid; found once."""
    neighborhood = space.neighborhood
    steps = step_table(space)
    counted = neighborhood.is_four or neighborhood.is_eight
    diagonal = (np.abs(steps[:, :2]) == 1).all(axis=1)
    measure = counting.measure(len(space))
    around = {(0, 0), *((-dx, -dy) for dx, dy in neighborhood.steps)}
    if diagonal.any():
        around |= {(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    cells, kinds = np.unique(neighborhood.lengths(1.0), return_inverse=True)
    pruned = 0
    if counted and not space.wrap and moves_of(space).plain:
        pruned = len(steps)
    return GridSteps(
        steps=steps,
        cells=cells,
        kinds=kinds,
        lengths=neighborhood.lengths(space.cell_size),
        counts=np.where(diagonal, measure.diagonal, 1 << measure.shift),
        around=np.array(sorted(around), dtype=np.int64),
        counted=counted,
        pruned=pruned,
        measure=measure,
    )


_canonical = functools.cache(counting.canonical)


def measured(
    counts: NDArray[np.int64], measure: counting.Measure, scale: float
) -> NDArray[np.float64]:
    """Return whole numbers as distances, `scale` for a straight step; inf for `FAR`."""
    found = np.empty(len(counts))
    kernels.distances.distance.lengths(
        counts, measure.back, measure.delta, measure.inverse, measure.mask, scale, found
    )
    return found


class GridSearch(DistanceSearch):
    """Distances on a grid, counted in whole numbers or added up in float64.

    `_Counted` supports one cost for all cells, `_Near` a cost per cell with 4 or 8 neighbors, and
    `Buckets` everything. All find the same distances.
    """

    space: Grid
    ground: GridSnapshot

    def __init__(self, task: SearchTask) -> None:
        super().__init__(task)
        costs = task.costs
        steps = grid_steps(self.space)
        self.grid_steps = steps
        self._around = steps.around
        self.counted = steps.counted and costs.uniform is not None and not self.starts.any()
        self.scale = 1.0
        self.lengths: NDArray[Any] = steps.lengths * costs.factor
        if self.counted:
            self.scale = self.space.cell_size * costs.factor
            self.far = counting.FAR
            self.lengths = steps.counts
            self.starts = np.zeros(len(self.goals), dtype=np.int64)
            self.most = int(min(self.most / self.scale * 2.0**steps.measure.shift, self.far - 1))
        self._pruned = False
        self._has_gaps = False
        self.costs_changed()

    def _step_costs(self) -> tuple[float, float, float]:
        shortest = float(self.lengths.min())
        longest = float(self.lengths.max())
        if self.costs.uniform is None:
            shortest = 2 * shortest * self.costs.least
            longest = 2 * longest * self.costs.greatest
        return shortest, shortest, longest

    def _begin(self) -> Expansion:
        # The moves of `moves_of` are those of the current walls.
        is_current = self.ground.version == self.space.walls_version
        quick = bool(self.grid_steps.pruned) and is_current
        farthest = self._step_costs()[2] * len(self.space)
        near = (
            self.costs.uniform is None
            and self.bucket_count <= _MOST_LISTS
            and farthest * self.inverse_width < _MOST_COUNTED
            and not self.costs.infinite
            and not self.starts.any()
        )
        self._pruned = quick and (self.counted or near)
        if not self._pruned:
            return Buckets(self)
        # These searches are quicker than those of other spaces, so that a repair pays for less.
        is_four = self.grid_steps.pruned == 4
        if not self.counted:
            if is_four:
                self.most_cleared = 0.12
            else:
                self.most_cleared = 0.095
            self.scattered_pays = 0.0
            return _Near(self)
        if is_four:
            # Among many equally short paths one wall matters little.
            self.most_cleared = 0.15
            self.most_opened = 12.0
            self.most_even = 4.0
        else:
            self.most_cleared = 0.115
            self.most_opened = 1.75
        return _Counted(self)

    @property
    def steps(self) -> Steps:
        """See `DistanceSearch.steps`."""
        if self.counted:
            return None, self._grid, self.lengths, None
        return None, self._grid, self.lengths, self._cost

    @property
    def _grid(self) -> LinkedSteps:
        space = self.space
        steps = self.grid_steps.steps
        size = (space.width, space.height, bool(space.wrap))
        return LinkedSteps(self.ground.links, steps, *size)

    @property
    def _cost(self) -> NDArray[np.float64]:
        if self.costs.values is None:
            return SAME_COST
        return self.costs.values

    @property
    def _spans(self) -> NDArray[np.int64]:
        """The stretches of cells that hold distances: those of the search that was made."""
        if self._pruned:
            return self.ground.spans
        return np.array([[0, len(self.space)]])

    def clear(self, dist: NDArray[Any]) -> None:
        """Write the distances before a search into an array, without the walls outside of the
        spans.
        """
        kernels.distances.distance.clear(self.ground.walls, self._spans, self.far, dist)
        self.dist = dist
        self._has_gaps = True

    def _repaired(
        self, ground: Any, changed: NDArray[np.int64], limits: RepairLimits | None = None
    ) -> tuple[NDArray[np.int64] | None, NDArray[Any]]:
        if self._has_gaps:
            # Repairs enter no walls because these are nearer than any other cell.
            self.dist[self.ground.walls] = -self.far
            self._has_gaps = False
        return super()._repaired(ground, changed, limits)

    @property
    def summed_steps(self) -> Steps:
        """See `DistanceSearch.summed_steps`."""
        lengths = self.grid_steps.lengths * self.costs.factor
        return None, self._grid, lengths, self._cost

    def write(self, values: NDArray[np.float32], cells: NDArray[np.int64] | None = None) -> None:
        """See `DistanceSearch.write`."""
        if cells is not None:
            super().write(values, cells)
            return
        scale = None
        if self.counted:
            measure = self.grid_steps.measure
            scale = (measure.back, measure.delta, measure.inverse, measure.mask, self.scale)
        kernels.distances.distance.publish(self.dist, self.ground.walls, self._spans, scale, values)

    def measured(self, cells: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """See `DistanceSearch.measured`."""
        if not self.counted:
            return super().measured(cells)
        found = measured(self.dist[cells], self.grid_steps.measure, self.scale)
        found[self.ground.walls[cells]] = np.inf
        return found

    def _length(self, taken: NDArray[np.int64]) -> float:
        # Equal steps are counted, so that their sum is exact.
        steps = self.grid_steps
        counts = np.bincount(steps.kinds[taken], minlength=len(steps.cells))
        used = counts > 0
        return float((steps.cells[used] * counts[used]).sum()) * self.space.cell_size


class _Counted(Expansion):
    """Straight and diagonal steps counted in whole numbers, by
    `kernels.distances.distance.count`.
    """

    def __init__(self, search: GridSearch) -> None:
        super().__init__(search, ((np.uint8,), (np.int32, 3)))
        search.clear(np.empty(len(search.space), dtype=np.int64))
        goals = search.goals[~search.ground.walls[search.goals]]
        came, lists = self.scratch
        search.dist[goals] = 0
        came[goals] = 0
        lists[0, : len(goals)] = goals
        self._state = np.array([0, len(goals), 0, 0], dtype=np.int64)
        self._edges = moves_of(search.space).king.reshape(-1)

    def run(self, search: DistanceSearch, until: NDArray[np.int64]) -> bool:
        """See `Expansion.run`."""
        assert isinstance(search, GridSearch)
        measure = search.grid_steps.measure
        came, lists = self.scratch
        kernels.distances.distance.count(
            self._edges,
            _canonical(search.grid_steps.pruned),
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


class _Near(Expansion):
    """A cost per cell with 4 or 8 neighbors, by `kernels.distances.distance.add_near`."""

    def __init__(self, search: GridSearch) -> None:
        super().__init__(search, ((np.int32, search.bucket_count),))
        pad = search.space.width + 1
        size = len(search.space)
        self._dist = np.empty(size + 2 * pad)
        self._cost = np.empty(size + 2 * pad)
        self._cost[pad : size + pad] = search.costs.values
        search.clear(self._dist[pad : size + pad])
        goals = search.goals[~search.ground.walls[search.goals]]
        search.dist[goals] = 0
        self.scratch[0][0, : len(goals)] = goals + pad
        self._state = np.zeros(2 + search.bucket_count, dtype=np.int64)
        self._state[1:3] = len(goals)
        self._edges = moves_of(search.space).king.reshape(-1)

    def run(self, search: DistanceSearch, until: NDArray[np.int64]) -> bool:
        """See `Expansion.run`."""
        assert isinstance(search, GridSearch)
        kernels.distances.distance.add_near(
            self._edges,
            self._cost,
            until,
            (1 << search.grid_steps.pruned) - 1,
            search.space.width,
            float(search.lengths.min()),
            float(search.lengths.max()),
            search.inverse_width,
            search.most,
            self._dist,
            self.scratch[0],
            self._state,
        )
        return not self._state[1]


def search_for(task: SearchTask) -> DistanceSearch:
    """Return the search for a task, which has not begun."""
    costs_by_arc = task.charge != "mean" or task.outward or task.costs.traffic is not None
    if isinstance(task.costs.space, Grid) and not costs_by_arc:
        return GridSearch(task)
    return ArcSearch(task)
