"""Shortest paths on grids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.arrays import frozen
from fieldcraft.paths.cost import Cost, read_costs, uniform_cost
from fieldcraft.paths.grid_moves import Scratch, moves_of
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.problem import PathProblem
from fieldcraft.space import Grid

__all__ = ["GridProblem"]

_NO_COSTS = frozen(np.empty(0, dtype=np.float64))
_WORTH_LABELS = 64  # problems for which it pays to find unconnected ones first

Ints = NDArray[np.int64]
Wide = NDArray[np.float64]


class GridProblem(PathProblem):
    """`costs` are flat, or empty where every cell costs `least`."""

    space: Grid

    def __init__(self, space: Grid, cost: Cost, smooth: bool) -> None:
        self.space, self.smooth = space, smooth
        self.moves = moves_of(space)
        self.costs, self.walls = _NO_COSTS, space.walls
        uniform = uniform_cost(cost)
        if uniform is not None:
            self.least = uniform
        else:
            costs = np.empty(len(space))
            self.least, highest, infinite = read_costs(space, cost, costs)
            if infinite:
                self.walls = self.walls | np.isinf(costs).reshape(space.shape)
            if infinite or self.least != highest:
                self.costs, self._highest, self._infinite = frozen(costs), highest, infinite
        # The kernels for one cost and plain steps serve.
        self.uniform = self.moves.plain and not len(self.costs)
        self._kind = "uniform" if self.uniform else "weighted"

    @property
    def _even(self) -> tuple[NDArray[np.uint8], Ints, bool, int, int, bool]:
        """The first arguments of `kernels.shortest_path_uniform`."""
        space, moves = self.space, self.moves
        return moves.edges, moves.stops, moves.eight, space.width, space.height, space.wrap

    @property
    def _uneven(
        self,
    ) -> tuple[
        NDArray[np.integer], Ints, Wide, Wide, bool, float, Wide, float, float, int, int, bool
    ]:
        """The first arguments of `kernels.shortest_path_weighted`."""
        space, moves = self.space, self.moves
        some = len(self.costs) > 0
        return (
            moves.table(space),
            moves.steps,
            moves.lengths,
            self.costs,
            some and self._infinite,
            moves.norm,
            moves.facets,
            self.least if some else 1.0,
            self._highest if some else 1.0,
            space.width,
            space.height,
            space.wrap,
        )

    def solve(self, start: Wide, here: int, goal: Wide, there: int) -> Path:
        """See `PathProblem.solve`."""
        space, moves = self.space, self.moves
        if moves.labeled:
            labels = moves.labels(space)
            if labels[here] != labels[there]:
                return no_path(space)
        scratch = moves.take(space, self._kind)
        while True:
            if self.uniform:
                count, diagonals = kernels.shortest_path_uniform.uniform(
                    *self._even, here, there, *scratch
                )
                found, length = scratch[-1], moves.length_of(count, diagonals)
                cost = length * self.least
            else:
                count, length, cost = kernels.shortest_path_weighted.weighted(
                    *self._uneven, here, there, *scratch
                )
                found = scratch[-2]
                cost = cost if len(self.costs) else cost * self.least
            if count >= 0:
                break
            _enlarge(scratch)
        cells = found[:count, 3].astype(np.int64)
        moves.give(self._kind, scratch)
        if not count:
            moves.labels(space)  # from now on it is known what is not connected
            return no_path(space)
        return self._path(cells, length, cost, start)

    def _path(self, cells: Ints, length: float, cost: float, place: Wide) -> Path:
        space, first_cost = self.space, self.least
        if not len(cells):
            return no_path(space)
        if len(self.costs) and len(cells) > 1:
            first_cost = float(self.costs[cells[0]] + self.costs[cells[1]]) / 2
        if self.smooth:
            if len(cells) < 2 or (place == space.position_of(int(cells[0]))).all():
                return Path.over_cells(space, *self._straightened(cells))
            # Straight legs begin at centers of cells: the first step leads to one.
            step = float(space.step_lengths(cells[:2])[0])
            rest, length, cost = self._straightened(cells[1:])
            cells = np.concatenate([cells[:1], rest])
            length, cost = length + step, cost + step * first_cost
        return Path.over_cells(space, cells, length, cost, place, first_cost)

    def _straightened(self, cells: Ints) -> tuple[Ints, float, float]:
        """Return the cells at which a path turns after straight legs have replaced its steps where
        that costs no more; its length and cost.
        """
        space, moves, uneven = self.space, self.moves, len(self.costs) > 0
        kept = np.empty(len(cells), dtype=np.int64)
        count, length, cost = kernels.smoothing.straighten(
            moves.table(space),
            moves.steps,
            moves.lengths,
            moves.edges,
            self.costs,
            self.least if uneven else 1.0,
            space.cell_size,
            space.width,
            space.height,
            space.wrap,
            cells,
            kept,
        )
        return kept[:count].copy(), length, cost if uneven else cost * self.least

    def solve_many(self, starts: Wide, here: Ints, goals: Wide, there: Ints) -> list[Path]:
        """See `PathProblem.solve_many`."""
        if len(here) == 1:
            return [self.solve(starts[0], int(here[0]), goals[0], int(there[0]))]
        if len(here) >= _WORTH_LABELS:
            self.moves.labels(self.space)
        return super().solve_many(starts, here, goals, there)

    def solve_band(self, starts: Wide, here: Ints, goals: Wide, there: Ints) -> list[Path]:
        """See `PathProblem.solve_band`."""
        paths = [no_path(self.space)] * len(here)
        some = np.arange(len(here))
        if self.moves.labeled:
            labels = self.moves.labels(self.space)
            some = np.flatnonzero(labels[here] == labels[there])
        here, there, size, first = here[some], there[some], len(some), 0
        scratch = self.moves.take(self.space, self._kind)
        cells, ends = np.empty(4096, dtype=np.int64), np.zeros(size, dtype=np.int64)
        diagonals = np.zeros(size, dtype=np.int64)
        lengths, costs = np.zeros(size), np.zeros(size)
        while first < size:
            band = here, there, first, size
            if self.uniform:
                best, parents, waiting = scratch
                done = kernels.shortest_path_uniform.uniform_many(
                    *self._even, *band, best, parents, waiting, cells, ends, diagonals
                )
            else:
                best, came, waiting, keys = scratch
                done = kernels.shortest_path_weighted.weighted_many(
                    *self._uneven, *band, best, came, waiting, keys, cells, ends, lengths, costs
                )
            begin = 0
            for i in range(first, first + done):
                path = cells[begin : ends[i]].copy()
                begin = int(ends[i])
                length, cost = float(lengths[i]), float(costs[i])
                if self.uniform:
                    length = cost = self.moves.length_of(len(path), int(diagonals[i]))
                cost = cost if len(self.costs) else cost * self.least
                paths[some[i]] = self._path(path, length, cost, starts[some[i]])
            first += done
            if first < size:
                cells = np.empty(2 * len(cells), dtype=np.int64)
                if not done:
                    _enlarge(scratch)
        self.moves.give(self._kind, scratch)
        return paths


def _enlarge(scratch: Scratch) -> None:
    """Double the arrays for waiting cells: the ones that have not one number per cell."""
    cells = len(scratch[0])
    for i, array in enumerate(scratch):
        if len(array) != cells:
            scratch[i] = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
