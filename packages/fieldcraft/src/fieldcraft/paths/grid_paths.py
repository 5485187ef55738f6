"""Shortest paths on grids."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import frozen
from fieldcraft.paths.cost import Cost, read_costs, uniform_cost
from fieldcraft.paths.grid_moves import GridMoves, Scratch, moves_of
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.places import resolve_cells, resolve_pairs
from fieldcraft.space import Grid

__all__ = ["shortest_path", "shortest_paths"]

_NO_COSTS = frozen(np.empty(0, dtype=np.float64))
_PER_CHUNK = 16  # problems that a thread takes at a time
_WORTH_LABELS = 64  # problems for which it pays to find unconnected ones first

Ints = NDArray[np.int64]


def shortest_path(
    space: Grid, start: ArrayLike, goal: ArrayLike, cost: Cost, smooth: bool, on_wall: str
) -> Path:
    """See `fieldcraft.shortest_path`."""
    problem = _Problem.of(space, cost, smooth)
    ends = []
    for what, place in (("start", start), ("goal", goal)):
        cells, single = resolve_cells(space, problem.walls, what, place, on_wall)
        if not single:
            raise InvalidValue(
                f"{what} is one (x, y) pair",
                got=f"an array of shape {np.shape(place)}",
                remedy="Call shortest_paths for many",
            )
        ends.append(int(cells[0]))
    path = problem.solve(ends[0], ends[1], np.asarray(start, dtype=np.float64))
    problem.end()
    return path


def shortest_paths(
    space: Grid, starts: ArrayLike, goals: ArrayLike, cost: Cost, smooth: bool, on_wall: str
) -> list[Path]:
    """See `fieldcraft.shortest_paths`."""
    problem = _Problem.of(space, cost, smooth)
    places, from_, _, to = resolve_pairs(space, problem.walls, starts, goals, on_wall)
    paths = problem.solve_many(from_, to, places)
    problem.end()
    return paths


@dataclass(slots=True, eq=False)
class _Problem:
    """The part that all searches of one call share: `costs` are flat, or empty where every cell
    costs `least`; `walls` include cells of infinite cost if some are `infinite`.
    """

    space: Grid
    moves: GridMoves
    costs: NDArray[np.float64]
    least: float
    highest: float
    infinite: bool
    walls: NDArray[np.bool_]
    smooth: bool
    scratch: Scratch | None = None

    @classmethod
    def of(cls, space: Grid, cost: Cost, smooth: bool) -> _Problem:
        """Read the costs."""
        moves = moves_of(space)
        uniform = uniform_cost(cost)
        if uniform is not None:
            return cls(space, moves, _NO_COSTS, uniform, uniform, False, space.walls, smooth)
        scratch = moves.take(space, "cost")
        least, highest, infinite = read_costs(space, cost, scratch[0])
        walls = space.walls
        if infinite:
            walls = walls | np.isinf(scratch[0]).reshape(space.shape)
        costs = frozen(scratch[0]) if infinite or least != highest else _NO_COSTS
        return cls(space, moves, costs, least, highest, infinite, walls, smooth, scratch)

    def end(self) -> None:
        """Give scratch back."""
        if self.scratch is not None:
            self.moves.give("cost", self.scratch)

    @property
    def uniform(self) -> bool:
        """Whether the kernels for one cost and plain steps serve."""
        return self.moves.plain and not len(self.costs)

    @property
    def _even(self) -> tuple[NDArray[np.uint8], Ints, bool, int, int, bool]:
        """The first arguments of `kernels.shortest_path_uniform`."""
        space, moves = self.space, self.moves
        edges = moves.king.reshape(-1)
        return edges, moves.stops, moves.eight, space.width, space.height, space.wrap

    @property
    def _uneven(
        self,
    ) -> tuple[
        NDArray[np.integer],
        Ints,
        NDArray[np.float64],
        NDArray[np.float64],
        bool,
        float,
        NDArray[np.float64],
        float,
        float,
        int,
        int,
        bool,
    ]:
        """The first arguments of `kernels.shortest_path_weighted`."""
        space, moves = self.space, self.moves
        low, high = (self.least, self.highest) if len(self.costs) else (1.0, 1.0)
        return (
            moves.table(space),
            moves.steps,
            moves.lengths,
            self.costs,
            self.infinite,
            moves.norm,
            moves.facets,
            low,
            high,
            space.width,
            space.height,
            space.wrap,
        )

    def solve(self, start: int, goal: int, place: NDArray[np.float64]) -> Path:
        """Return the path between two cells, from a place in the first."""
        space, moves = self.space, self.moves
        if moves.labeled:
            labels = moves.labels(space)
            if labels[start] != labels[goal]:
                return no_path(space)
        kind = "uniform" if self.uniform else "weighted"
        scratch = moves.take(space, kind)
        while True:
            if self.uniform:
                count, diagonals = kernels.shortest_path_uniform.uniform(
                    *self._even, start, goal, *scratch
                )
                found, length = scratch[-1], self._length_of(count, diagonals)
                cost = length * self.least
            else:
                count, length, cost = kernels.shortest_path_weighted.weighted(
                    *self._uneven, start, goal, *scratch
                )
                found = scratch[-2]
                cost = cost if len(self.costs) else cost * self.least
            if count >= 0:
                break
            _enlarge(scratch)
        cells = found[:count, 3].astype(np.int64)
        moves.give(kind, scratch)
        if not count:
            moves.labels(space)  # from now on it is known what is not connected
            return no_path(space)
        return self._path(cells, length, cost, place)

    def _length_of(self, count: int, diagonals: int) -> float:
        return (count - 1 - diagonals) * self.moves.straight + diagonals * self.moves.diagonal

    def _path(self, cells: Ints, length: float, cost: float, place: NDArray[np.float64]) -> Path:
        if not len(cells):
            return no_path(self.space)
        first_cost = self.least
        if len(self.costs) and len(cells) > 1:
            first_cost = float(self.costs[cells[0]] + self.costs[cells[1]]) / 2
        if not self.smooth:
            return Path.over_cells(self.space, cells, length, cost, place, first_cost)
        off_center = len(cells) > 1 and (place != self.space.position_of(int(cells[0]))).any()
        if not off_center:
            return Path.over_cells(self.space, *self._straightened(cells))
        # Straight legs begin at centers of cells: the first step leads to one.
        step = float(self.space.step_lengths(cells[:2])[0])
        rest, length, cost = self._straightened(cells[1:])
        cells = np.concatenate([cells[:1], rest])
        return Path.over_cells(
            self.space, cells, length + step, cost + step * first_cost, place, first_cost
        )

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
            moves.king.reshape(-1),
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

    def solve_many(self, starts: Ints, goals: Ints, places: NDArray[np.float64]) -> list[Path]:
        """Return the paths between pairs of cells, shared among threads."""
        space, moves = self.space, self.moves
        if len(starts) < 2:
            return [self.solve(int(starts[0]), int(goals[0]), places[0])] if len(starts) else []
        paths = [no_path(space)] * len(starts)
        some = np.arange(len(starts))
        if moves.labeled or len(starts) >= _WORTH_LABELS:
            labels = moves.labels(space)
            some = np.flatnonzero(labels[starts] == labels[goals])
        from_, to = starts[some], goals[some]
        count = -(-len(some) // _PER_CHUNK)
        chunks = itertools.count()  # taking a number is atomic

        def work() -> None:
            while (chunk := next(chunks)) < count:
                band = slice(chunk * _PER_CHUNK, (chunk + 1) * _PER_CHUNK)
                found = self._solve_band(from_[band], to[band], places[some[band]])
                for number, path in zip(some[band].tolist(), found, strict=True):
                    paths[number] = path

        pool.run([(work, ())] * pool.shares(count))
        return paths

    def _solve_band(self, starts: Ints, goals: Ints, places: NDArray[np.float64]) -> list[Path]:
        kind = "uniform" if self.uniform else "weighted"
        scratch = self.moves.take(self.space, kind)
        size = len(starts)
        cells, ends = np.empty(4096, dtype=np.int64), np.zeros(size, dtype=np.int64)
        diagonals = np.zeros(size, dtype=np.int64)
        lengths, costs = np.zeros(size), np.zeros(size)
        paths: list[Path] = []
        while len(paths) < size:
            band = starts, goals, len(paths), size
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
            for i in range(len(paths), len(paths) + done):
                path = cells[begin : ends[i]].copy()
                begin = int(ends[i])
                length, cost = float(lengths[i]), float(costs[i])
                if self.uniform:
                    length = cost = self._length_of(len(path), int(diagonals[i]))
                cost = cost if len(self.costs) else cost * self.least
                paths.append(self._path(path, length, cost, places[i]))
            if len(paths) < size:
                cells = np.empty(2 * len(cells), dtype=np.int64)
                if not done:
                    _enlarge(scratch)
        self.moves.give(kind, scratch)
        return paths


def _enlarge(scratch: Scratch) -> None:
    """Double the arrays for waiting cells: the ones that have not one number per cell."""
    cells = len(scratch[0])
    for i, array in enumerate(scratch):
        if len(array) != cells:
            scratch[i] = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
