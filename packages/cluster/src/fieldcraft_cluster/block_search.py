"""The search for distances over a world in blocks: each block is searched by itself, and again
where what its neighbors found comes nearer.
"""

from __future__ import annotations

import heapq
import math
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.interruption import atomic
from fieldcraft.kernels import counting
from fieldcraft.paths.backend import backend
from fieldcraft.paths.cost import CellCosts, uniform_cost
from fieldcraft.paths.grid_search import grid_steps
from fieldcraft.space import Grid
from fieldcraft_cluster.plan import Box, Piece, Plan
from fieldcraft_cluster.terrain import Changes, Cover, Surface, grid_over, walls_in
from fieldcraft_cluster.transfer import WorldPlan

__all__ = ["BlockSearch", "SearchGround"]

_SLACK = 1e-9
_MOST_BUCKETS = 1024
_NARROWER = 1e-7
_NOWHERE = np.empty(0, dtype=np.int64)
_BYTES = 32  # of a cell in memory: distance, steps, walls, costs and lists
News = tuple[NDArray[np.int64], NDArray[Any]]


class SearchGround(Surface):
    """The ground that is searched: walls as they are now, and what cells cost."""

    def __init__(self, plan: WorldPlan, changes: Changes, cost: Any) -> None:
        self.plan = plan
        self.changes = Changes(changes.cells.copy(), changes.blocked.copy())
        is_number = cost is None or isinstance(cost, (int, float, np.number))
        self.uniform = uniform_cost(cost) if is_number else None
        shape = (plan.height, plan.width)
        self._costs = None if is_number else Cover(cost, shape, np.float64, "costs")
        halo = int(np.abs(np.array(plan.neighborhood.steps)).max())
        self.cut = Plan(plan.width, plan.height, plan.block, halo, plan.wrap)

    def closed(self, box: Box) -> NDArray[np.bool_]:
        """Where no way leads over a box: walls, and infinite costs."""
        walls = super().closed(box)
        return walls if self._costs is None else walls | np.isinf(self._costs.over(box))

    def costs(self, box: Box) -> tuple[Grid, CellCosts]:
        """A grid over a box, and what its cells cost."""
        grid = grid_over(self.plan, box, walls_in(self.plan.walls, self.changes, box))
        return grid, CellCosts(grid, self.uniform if self._costs is None else self._costs.over(box))


@dataclass(eq=False)
class _Part:
    """An extended block in memory: the grid, the steps that are open, what cells cost, and how far
    they are from a goal.

    `told` are cells and distances, the nearest that goals and neighbors have told of.
    """

    grid: Grid
    links: NDArray[Any]
    cost: NDArray[np.float64] | None
    lengths: NDArray[Any]
    least: float
    dearest: float
    dist: NDArray[Any]
    told: News

    @property
    def steps(self) -> tuple[Any, ...]:
        """The steps and their costs, as kernels take them."""
        grid = self.grid
        return self.links, grid_steps(grid).steps, self.lengths, self.cost, grid.width, False


class BlockSearch:
    """Distances in blocks, of which only those that the search comes to exist; `room` are the bytes
    that they take in memory, the rest lies in a folder.
    """

    def __init__(
        self, ground: SearchGround, counted: bool, limit: float, room: float, folder: Path
    ) -> None:
        plan = ground.plan
        self._ground, self._cut, self._counted = ground, ground.cut, counted
        self._room, self._beside = room, folder
        self._measure = counting.measure(plan.width * plan.height)
        self._scale = plan.cell_size * (ground.uniform or 1.0) if counted else 1.0
        self._far: Any = counting.FAR if counted else math.inf
        self._dtype = np.dtype(np.int64 if counted else np.float64)
        self._most: Any = limit * (1 + _SLACK)
        if counted:
            steps = self._most / self._scale * 2.0**self._measure.shift
            self._most = int(min(steps, counting.FAR - 1))
        self._parts: dict[int, _Part] = {}
        self._files: dict[int, Path] = {}
        self._folder: Path | None = None
        self._news: dict[int, list[News]] = {}
        self._waiting: list[tuple[Any, int]] = []

    @property
    def count(self) -> int:
        """How many blocks the search has come to."""
        return len(self._parts.keys() | self._files.keys())

    def distances(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """The distances of open cells, in world units; searches until they are final."""
        self._search(rows, columns)
        found = self._known(rows, columns)
        return counting.measured(found, self._measure, self._scale) if self._counted else found

    def _search(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Search until these open cells have their distances: until nothing that is nearer
        waits.
        """
        homes = self._cut.home(rows, columns)
        wanted = {
            number: (rows[homes == number], columns[homes == number])
            for number in np.unique(homes).tolist()
        }
        farthest = {number: self._known(*cells).max() for number, cells in wanted.items()}
        while self._waiting and self._waiting[0][0] < max(farthest.values(), default=-1):
            number = heapq.heappop(self._waiting)[1]
            if number not in self._news:
                continue
            self._relax(number)
            if number in wanted:
                farthest[number] = self._known(*wanted[number]).max()

    def _known(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[Any]:
        """The distances of cells as far as they are known now."""
        found = np.full(len(rows), self._far, dtype=self._dtype)
        homes = self._cut.home(rows, columns)
        for number in np.unique(homes).tolist():
            if number in self._parts or number in self._files:
                here, extended = homes == number, self._cut.extended(number)
                cells = (
                    (rows[here] - extended.top) * extended.shape[1] + columns[here] - extended.left
                )
                found[here] = self._part(number).dist[cells]
        return found

    def send(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[Any]
    ) -> None:
        """Tell all blocks that hold these cells of the map how far they are."""
        which, blocks, down, right = self._cut.holders(rows, columns)
        for number in np.unique(blocks).tolist():
            here = blocks == number
            cells = down[here] * self._cut.extended(number).shape[1] + right[here]
            self._tell(number, cells, values[which[here]].astype(self._dtype))

    def _tell(self, number: int, cells: NDArray[np.int64], values: NDArray[Any]) -> None:
        self._news.setdefault(number, []).append((cells, values))
        heapq.heappush(self._waiting, (values.min().item(), number))

    @atomic
    def _relax(self, number: int) -> None:
        """Search a block from what it has been told, and tell others what has changed of their
        halos; Ctrl-C waits until that is done.
        """
        part, extended = self._part(number), self._cut.extended(number)
        held = part.dist.reshape(extended.shape)[self._cut.interior(number).within(extended)]
        pieces = self._cut.outgoing(number)
        before = [held[piece.there].copy() for piece in pieces]
        news = self._news.pop(number)
        nearest = min(
            (values[values < part.dist[cells]].min(initial=self._far) for cells, values in news),
            default=self._far,
        )
        part.told = _nearest([part.told, *news])
        if nearest == self._far:
            return
        self._spread(part, nearest)
        for piece, old in zip(pieces, before, strict=True):
            self._pass_on(piece, held[piece.there], old)

    def _pass_on(self, piece: Piece, new: NDArray[Any], old: NDArray[Any]) -> None:
        rows, columns = np.nonzero(new < old)
        if len(rows):
            width = self._cut.extended(piece.target).shape[1]
            self._tell(
                piece.target,
                (rows + piece.here[0].start) * width + columns + piece.here[1].start,
                new[rows, columns],
            )

    def _spread(self, part: _Part, nearest: Any) -> None:
        """Search an extended block anew from a distance on: what is nearer stays, and bears what
        lies one step farther.
        """
        dist = part.dist
        dist[dist > nearest] = self._far
        cells, values = part.told
        dist[cells] = np.minimum(dist[cells], values)
        seeds = np.flatnonzero(
            (dist >= nearest - part.dearest * (1 + _NARROWER)) & (dist < self._far)
        )
        seeds = seeds[np.argsort(dist[seeds], kind="stable")]
        starts = dist[seeds]
        span = max(part.least, part.dearest / _MOST_BUCKETS, float(starts[-1]) * 2.0**-50)
        heads = np.full(int(part.dearest / span) + 3, -1, dtype=np.int32)
        room = [np.empty(len(dist), dtype=np.int32) for _ in range(2)]
        state = np.array([0, 0, 0, -1, 0, 0], dtype=np.int64)
        inverse = (1 + _NARROWER) / span
        while True:
            kernels.distance.add(
                *(part.steps, seeds, starts, _NOWHERE, self._far, inverse, self._most),
                *(dist, (heads, *room), state),
            )
            if not state[5]:
                return
            room = [np.concatenate([array, np.empty_like(array)]) for array in room]

    def steps_down(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """The cells of a way down, (row, column), from one that has its distance."""
        plan = self._cut
        yield row, column
        while True:
            number = int(plan.home(np.array([row]), np.array([column]))[0])
            part, extended = self._part(number), plan.extended(number)
            interior, width = plan.interior(number), extended.shape[1]
            place = (row - extended.top) * width + column - extended.left
            way, _ = kernels.distance.descend(part.steps, part.dist, self._far, place)
            if len(way) == 1:
                return
            for cell in way[1:].tolist():
                down, right = cell // width + extended.top, cell % width + extended.left
                row, column = down % plan.height, right % plan.width
                yield row, column
                if not (
                    interior.top <= down < interior.bottom
                    and interior.left <= right < interior.right
                ):
                    break
            else:
                return

    # Blocks, in memory or in a file

    def _part(self, number: int) -> _Part:
        """An extended block, made or fetched if need be; the one that was used longest ago leaves
        the memory for it.
        """
        part = self._parts.pop(number, None) or self._made(number)
        self._parts[number] = part
        total = sum(_BYTES * len(one.dist) for one in self._parts.values())
        while total > self._room and len(self._parts) > 1:
            first = next(iter(self._parts))
            total -= _BYTES * len(self._parts[first].dist)
            self._put_away(first)
        return part

    def _made(self, number: int) -> _Part:
        grid, costs = self._ground.costs(self._cut.extended(number))
        strides = grid_steps(grid)
        snapshot = backend(grid).snapshot(costs.walls)
        lengths: NDArray[Any] = strides.lengths * (costs.uniform or 0.5)
        if self._counted:
            diagonal = (np.abs(strides.steps) == 1).all(axis=1)
            lengths = np.where(diagonal, self._measure.diagonal, 1 << self._measure.shift)
        shortest, longest = float(lengths.min()), float(lengths.max())
        if costs.uniform is None:
            dearest = costs.greatest or 1.0  # 0 where all is closed, and nothing will be searched
            shortest, longest = 2 * shortest * min(costs.least, dearest), 2 * longest * dearest
        cost = None if self._counted else np.ones(1) if costs.values is None else costs.values
        found = self._found_of(number, snapshot.walls)
        return _Part(grid, snapshot.links, cost, lengths, shortest, longest, *found)

    def _found_of(self, number: int, walls: NDArray[np.bool_]) -> tuple[NDArray[Any], News]:
        path = self._files.pop(number, None)
        if path is None:
            return np.where(walls, -self._far, self._far).astype(self._dtype), (
                _NOWHERE,
                np.empty(0, dtype=self._dtype),
            )
        with np.load(path) as found:
            dist, cells, values = (found[name] for name in ("dist", "cells", "values"))
        path.unlink()
        return dist, (cells, values)

    def _put_away(self, number: int) -> None:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="distances-", dir=self._beside))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        path, part = self._folder / f"{number}.npz", self._parts[number]
        np.savez(path, dist=part.dist, cells=part.told[0], values=part.told[1])
        self._files[number] = path
        del self._parts[number]


def _nearest(news: list[News]) -> News:
    """Each cell once, with the least distance that it was told."""
    cells, which = np.unique(np.concatenate([cells for cells, _ in news]), return_inverse=True)
    values = np.concatenate([values for _, values in news])
    least = np.full(len(cells), values.max(initial=0), dtype=values.dtype)
    np.minimum.at(least, which, values)
    return cells, least
