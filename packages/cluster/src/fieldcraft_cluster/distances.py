"""Distances over a world in blocks: each block is searched by itself, and again where what its
neighbors found comes nearer.
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
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.interruption import whole
from fieldcraft.kernels import counting
from fieldcraft.layer import ArrayLayer, Guard
from fieldcraft.paths.backend import backend
from fieldcraft.paths.cost import CellCosts, uniform_cost
from fieldcraft.paths.filled import UNREACHED
from fieldcraft.paths.grid_search import grid_steps
from fieldcraft.paths.path import unique_goals
from fieldcraft.space import Grid
from fieldcraft_cluster.plan import Box, Piece, Plan
from fieldcraft_cluster.surface import centers
from fieldcraft_cluster.terrain import Changes, Cover, walls_in

if TYPE_CHECKING:
    from fieldcraft_cluster.world import World

__all__ = ["WorldDistances"]

_SLACK = 1e-9
_MOST_BUCKETS = 1024
_NARROWER = 1e-7
_NOWHERE = np.empty(0, dtype=np.int64)
_BYTES = 32  # of a cell in memory: distance, steps, walls, costs and lists
News = tuple[NDArray[np.int64], NDArray[Any]]


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


class WorldDistances:
    """How far it is from everywhere on a world in blocks to the nearest goal, walking; made by
    `World.distance_map`.

    Only blocks that the search comes to exist, and it goes no further than a question needs: a
    question about ground that no way leads to searches all that can be reached. It is done in this
    process, whoever computes the layers. Walls are those of the moment when
    it was made: `outdated` says whether they have changed since.

    Used by one thread at a time.
    """

    def __init__(
        self,
        world: World,
        goals: ArrayLike,
        cost: Any,
        start_costs: ArrayLike | None,
        limit: float | None,
        memory: float,
    ) -> None:
        plan = world.plan
        self._world = world
        self._walls = Changes(world.changes.cells.copy(), world.changes.blocked.copy())
        self._one_price = (
            uniform_cost(cost)
            if cost is None or isinstance(cost, (int, float, np.number))
            else None
        )
        self._cover = (
            None
            if self._one_price is not None
            else Cover(cost, (plan.height, plan.width), np.float64, "costs")
        )
        steps = np.array(plan.neighborhood.steps, dtype=np.int64)
        self._plan = Plan(plan.width, plan.height, plan.block, int(np.abs(steps).max()), plan.wrap)
        world.check_torus(self._plan.halo, "a step")
        rows, columns = world.cells(goals)
        self._refuse_walls(rows, columns, goals, "goal")
        if not len(rows):
            raise InvalidValue(
                "A distance map has goals",
                got="none",
                remedy="Pass one position or an array of at least one",
            )
        cells, starts = unique_goals(rows * plan.width + columns, start_costs)
        self._measure = counting.measure(plan.width * plan.height)
        neighborhood = plan.neighborhood
        self.counted = (
            (neighborhood.is_four or neighborhood.is_eight)
            and self._one_price is not None
            and not starts.any()
        )
        """Whether distances are counted in straight and diagonal steps, and right to the last digit
        or so.
        """
        self.limit = math.inf if limit is None else checks.not_negative("limit", limit)
        self._scale = plan.cell_size * (self._one_price or 1.0) if self.counted else 1.0
        self._far: Any = counting.FAR if self.counted else math.inf
        self._dtype = np.dtype(np.int64 if self.counted else np.float64)
        most = self.limit * (1 + _SLACK)
        self._most: Any = (
            int(min(most / self._scale * 2.0**self._measure.shift, counting.FAR - 1))
            if self.counted
            else most
        )
        self._guard = Guard("A distance map", "Put a lock around it, or give each thread its own")
        self._room = checks.positive("memory", memory)
        self._parts: dict[int, _Part] = {}
        self._files: dict[int, Path] = {}
        self._folder: Path | None = None
        self._news: dict[int, list[News]] = {}
        self._waiting: list[tuple[Any, int]] = []
        self._send(*divmod(cells, plan.width), starts.astype(self._dtype))

    def __repr__(self) -> str:
        plan = self._plan
        return (
            f"<{type(self).__name__} on {plan.width} x {plan.height}, {self.blocks_searched} of"
            f" {len(plan)} blocks searched>"
        )

    @property
    def blocks_searched(self) -> int:
        """How many blocks the search has come to."""
        return len(self._parts.keys() | self._files.keys())

    @property
    def outdated(self) -> bool:
        """Whether walls of the world have changed since it was made."""
        now = self._world.changes
        return not (
            np.array_equal(now.cells, self._walls.cells)
            and np.array_equal(now.blocked, self._walls.blocked)
        )

    # Questions

    def sample(
        self, positions: ArrayLike, *, outside: str = "refuse"
    ) -> float | NDArray[np.float64]:
        """The distances from the cells of world positions: a float for one (x, y) pair, (N,)
        float64 for an (N, 2) array; inf in walls.
        """
        points, single = checks.positions(positions)
        found = self._asked(*self._world.cells(points, outside=outside))
        return float(found[0]) if single else found

    def window(self, low: ArrayLike, high: ArrayLike) -> ArrayLayer:
        """The piece of the map between two world positions as a plain layer, at its place in the
        world.

        Walls read 0, and 1e20 stands for ground from which no way leads, as in expressions with a
        `DistanceMap`. Raises `OutsideMap` for positions off the map.
        """
        box = self._world.box(low, high)
        exact = self.exact_in(box)
        layer = InfluenceMap(self._world.grid(box)).add_layer(
            "distance", values=np.zeros(box.shape, dtype=np.float32)
        )
        assert isinstance(layer, ArrayLayer)
        layer.write(
            np.where(self._closed(box), 0.0, np.where(np.isinf(exact), UNREACHED, exact)).astype(
                np.float32
            )
        )
        return layer

    def exact_in(self, box: Box) -> NDArray[np.float64]:
        """The distances of the rows and columns of a box of the map, (height, width), inf in walls
        and where no goal is reached.
        """
        rows, columns = np.mgrid[box.top : box.bottom, box.left : box.right].reshape(2, -1)
        return self._asked(rows, columns).reshape(box.shape)

    def descend(self, position: ArrayLike) -> NDArray[np.float64]:
        """The way from a world position to the nearest goal, (N, 2) centers of cells, both ends
        included; empty where none leads there.

        It is as long as the map says; of ways that are as good it may be another one than
        `DistanceMap.descend` takes.
        """
        rows, columns = self._world.cells(checks.pair("position", position))
        self._refuse_walls(rows, columns, position, "start")
        if self._asked(rows, columns)[0] == math.inf:
            return np.zeros((0, 2))
        with self._guard:
            way = np.array(list(self._steps_down(int(rows[0]), int(columns[0]))), dtype=np.int64)
        return centers(self._world.plan, way[:, 0], way[:, 1])

    def _refuse_walls(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], positions: ArrayLike, what: str
    ) -> None:
        blocked = self._shut(rows, columns)
        if blocked.any():
            index = int(np.flatnonzero(blocked)[0])
            where = tuple(checks.positions(positions)[0][index].tolist())
            raise OnWall(
                f"A {what} stands on open ground",
                got=f"{where} at index {index}",
                remedy="Move it to open ground",
            )

    def _shut(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether cells of the map are walls of this map of distances, (N,)."""
        found = np.zeros(len(rows), dtype=np.bool_)
        homes = self._plan.home(rows, columns)
        for number in np.unique(homes).tolist():
            here = homes == number
            down, right = rows[here], columns[here]
            box = Box(int(down.min()), int(down.max()) + 1, int(right.min()), int(right.max()) + 1)
            found[here] = self._closed(box)[down - box.top, right - box.left]
        return found

    def _closed(self, box: Box) -> NDArray[np.bool_]:
        walls = walls_in(self._world.plan.walls, self._walls, box)
        if self._cover is not None:
            walls |= np.isinf(self._cover.over(box))
        return walls

    def _asked(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """The distances of cells, in world units; searches until they are final."""
        exact = np.full(len(rows), math.inf)
        is_open = ~self._shut(rows, columns)
        rows, columns = rows[is_open], columns[is_open]
        with self._guard:
            self._search(rows, columns)
            found = self._held(rows, columns)
        exact[is_open] = (
            counting.measured(found, self._measure, self._scale) if self.counted else found
        )
        return exact

    # The search

    def _search(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Search until these open cells have their distances: until nothing that is nearer
        waits.
        """
        homes = self._plan.home(rows, columns)
        wanted = {
            number: (rows[homes == number], columns[homes == number])
            for number in np.unique(homes).tolist()
        }
        farthest = {number: self._held(*cells).max() for number, cells in wanted.items()}
        while self._waiting and self._waiting[0][0] < max(farthest.values(), default=-1):
            number = heapq.heappop(self._waiting)[1]
            if number not in self._news:
                continue
            self._relax(number)
            if number in wanted:
                farthest[number] = self._held(*wanted[number]).max()

    def _held(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[Any]:
        """The distances of cells as far as they are known now."""
        found = np.full(len(rows), self._far, dtype=self._dtype)
        homes = self._plan.home(rows, columns)
        for number in np.unique(homes).tolist():
            if number in self._parts or number in self._files:
                here, extended = homes == number, self._plan.extended(number)
                cells = (
                    (rows[here] - extended.top) * extended.shape[1] + columns[here] - extended.left
                )
                found[here] = self._part(number).dist[cells]
        return found

    def _send(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: NDArray[Any]
    ) -> None:
        """Tell all blocks that hold these cells of the map how far they are."""
        which, blocks, down, right = self._plan.holders(rows, columns)
        for number in np.unique(blocks).tolist():
            here = blocks == number
            cells = down[here] * self._plan.extended(number).shape[1] + right[here]
            self._tell(number, cells, values[which[here]])

    def _tell(self, number: int, cells: NDArray[np.int64], values: NDArray[Any]) -> None:
        self._news.setdefault(number, []).append((cells, values))
        heapq.heappush(self._waiting, (values.min().item(), number))

    @whole
    def _relax(self, number: int) -> None:
        """Search a block from what it has been told, and tell others what has changed of their
        halos; Ctrl-C waits until that is done.
        """
        part, extended, interior = (
            self._part(number),
            self._plan.extended(number),
            self._plan.interior(number),
        )
        held = part.dist.reshape(extended.shape)[interior.within(extended)]
        pieces = self._plan.outgoing(number)
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
            width = self._plan.extended(piece.target).shape[1]
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
        steps = grid_steps(part.grid).steps
        while True:
            kernels.distance.add(
                part.links,
                dist,
                part.cost,
                steps,
                part.lengths,
                part.grid.width,
                False,
                self._far,
                (1 + _NARROWER) / span,
                self._most,
                seeds,
                starts,
                heads,
                room[0],
                room[1],
                state,
                _NOWHERE,
            )
            if not state[5]:
                return
            room = [np.concatenate([array, np.empty_like(array)]) for array in room]

    def _steps_down(self, row: int, column: int) -> Iterator[tuple[int, int]]:
        """The cells of a way down, (row, column), from one that has its distance."""
        plan = self._plan
        yield row, column
        while True:
            number = int(plan.home(np.array([row]), np.array([column]))[0])
            part, extended, interior = (
                self._part(number),
                plan.extended(number),
                plan.interior(number),
            )
            width = extended.shape[1]
            way, _ = kernels.distance.descend(
                part.dist,
                part.links,
                part.cost,
                grid_steps(part.grid).steps,
                part.lengths,
                width,
                False,
                self._far,
                (row - extended.top) * width + column - extended.left,
            )
            if len(way) == 1:
                return
            for cell in way[1:].tolist():
                down, right = divmod(cell, width)
                row, column = (
                    (extended.top + down) % plan.height,
                    (extended.left + right) % plan.width,
                )
                yield row, column
                if not (
                    interior.top <= extended.top + down < interior.bottom
                    and interior.left <= extended.left + right < interior.right
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
        world, box = self._world.plan, self._plan.extended(number)
        height, width = box.shape
        grid = Grid(
            width,
            height,
            cell_size=world.cell_size,
            y_up=world.y_up,
            neighbors=np.array(world.neighbors),
            walls=walls_in(world.walls, self._walls, box),
        )
        strides = grid_steps(grid)
        costs = CellCosts(grid, self._one_price if self._cover is None else self._cover.over(box))
        snapshot = backend(grid).snapshot(costs.walls)
        lengths: NDArray[Any] = strides.lengths * (costs.uniform or 0.5)
        if self.counted:
            diagonal = (np.abs(strides.steps) == 1).all(axis=1)
            lengths = np.where(diagonal, self._measure.diagonal, 1 << self._measure.shift)
        shortest, longest = float(lengths.min()), float(lengths.max())
        if costs.uniform is None:
            dearest = costs.greatest or 1.0  # 0 where all is closed, and nothing will be searched
            shortest, longest = 2 * shortest * min(costs.least, dearest), 2 * longest * dearest
        cost = None if self.counted else np.ones(1) if costs.values is None else costs.values
        return _Part(
            grid,
            snapshot.links,
            cost,
            lengths,
            shortest,
            longest,
            *self._found_of(number, snapshot.walls),
        )

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
            self._folder = Path(tempfile.mkdtemp(prefix="distances-", dir=self._world.folder))
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
