"""The search behind a distance map on a grid: how distances are measured, found, mended and
shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.reference import distance as reference
from fieldcraft.paths.on_grid.moves import moves_of
from fieldcraft.paths.on_grid.strides import pruned, strides_of
from fieldcraft.paths.prices import Prices
from fieldcraft.paths.scratch import scratch_of
from fieldcraft.space import Grid, GridSnapshot

__all__ = ["GridDistances"]

_SLACK = 1e-9  # a limit is met to one part in so many, so that 0.3 is three cells of 0.1
_MOST_BUCKETS = 1024
_MOST_LISTS = 32  # for `add_near`, which needs much room for each
# what buckets are narrower than the cheapest step, so that roundings don't bring both ends of it
# into one
_NARROWER = 1e-7
_MOST_COUNTED = 1e8  # buckets for which that is enough
_EVERYWHERE = np.empty(0, dtype=np.int64)
_EVEN = np.ones(1)


class GridDistances:
    """`Distances` on a grid, in whole numbers or float64; see `kernels.reference.distance`."""

    def __init__(
        self,
        space: Grid,
        ground: GridSnapshot,
        prices: Prices,
        goals: NDArray[np.int64],
        start_costs: NDArray[np.float64],
        limit: float,
    ) -> None:
        self.space, self.ground, self.prices, self.goals, self.start_costs = (
            space,
            ground,
            prices,
            goals,
            start_costs,
        )
        self.ops: Any = kernels.distance
        self.repair_ops: Any = kernels.distance_repair
        self.strides = strides = strides_of(space)
        self.scratch = scratch_of(space)
        self.finished = False
        self._started = False
        self._room: list[NDArray[Any]] = []
        self._ways: NDArray[np.uint8] | None
        self.counted = strides.counted and prices.uniform is not None and not start_costs.any()
        measure = strides.measure
        self._scale = 1.0
        self._starts: NDArray[Any] = start_costs
        if self.counted:
            self._scale = space.cell_size * (prices.uniform or 1.0)
            self._far: Any = reference.FAR
            self._lengths: NDArray[Any] = strides.counts
            self._starts = np.zeros(len(goals), dtype=np.int64)
            self._most: Any = int(
                min(limit * (1 + _SLACK) / self._scale * 2.0**measure.shift, reference.FAR - 1)
            )
        else:
            self._far = np.inf
            self._lengths = (
                strides.lengths * 0.5
                if prices.uniform is None
                else strides.lengths * prices.uniform
            )
            self._most = limit * (1 + _SLACK)
        # Kernels are compiled anew for None in place of an array.
        self._cost = None if self.counted else _EVEN if prices.costs is None else prices.costs
        self._decoding = (measure.back, measure.delta, measure.inverse, measure.mask, self._scale)
        self.fit()
        self.near = (
            not self.counted
            and bool(strides.pruned)
            and prices.uniform is None
            and self._countable
            and not start_costs.any()
        )
        is_now = (
            ground.version == space.walls_version
        )  # what is known of moves beforehand is so for the walls of now
        self.near = self.near and not prices.infinite and is_now
        self._ways = None
        if strides.pruned and (self.counted or self.near) and is_now:
            self._ways = moves_of(space).king.reshape(
                -1
            )  # now, as walls may have changed when the search begins
        self._whole = self._ways is None

    def fit(self) -> None:
        """Choose buckets that fit the prices: their width in distance, and more of them than the
        dearest step spans.
        """
        shortest, longest = float(self._lengths.min()), float(self._lengths.max())
        highest = 0.0 if self.counted else float(self.start_costs.max())
        if self.prices.uniform is None:
            shortest, longest = 2 * shortest * self.prices.least, 2 * longest * self.prices.dearest
        span = max(shortest, longest / _MOST_BUCKETS, highest * 2.0**-50)
        self._inverse, self._rounds = (1 + _NARROWER) / span, int(longest / span) + 3
        self._countable = (
            self._rounds <= _MOST_LISTS
            and (highest + longest * len(self.space)) / span < _MOST_COUNTED
        )
        # A step may be so short beside a distance that adding it changes nothing: then cells could
        # bear each other out.
        self.mendable = (
            self.counted or float(np.spacing(highest + longest * len(self.space))) < shortest
        )

    def settle(self, until: NDArray[np.int64] = _EVERYWHERE) -> None:
        """Search until these cells have their distances, or to the end where there are none."""
        if self.finished:
            return
        if not self._started:
            self._start()
        strides, space = self.strides, self.space
        if self.near:
            straight, diagonal = float(self._lengths.min()), float(self._lengths.max())
            self.ops.add_near(
                self._ways,
                (1 << strides.pruned) - 1,
                self._padded,
                self.prices.padded,
                self.prices.pad,
                space.width,
                straight,
                diagonal,
                self._inverse,
                self._most,
                self._room[0],
                self._state,
                until,
            )
            self.finished = not self._state[1]
        elif self._ways is not None:
            measure = strides.measure
            came, lists = self._room
            self.ops.count(
                self._ways,
                came,
                self.dist,
                space.width,
                measure.shift,
                1 << measure.shift,
                measure.diagonal,
                self._most,
                pruned(strides.pruned),
                lists,
                self._state,
                until,
            )
            self.finished = not self._state[1:].any()
        else:
            while True:
                self.ops.add(
                    self.ground.links,
                    self.dist,
                    self._cost,
                    strides.steps,
                    self._lengths,
                    space.width,
                    space.wrap,
                    self._far,
                    self._inverse,
                    self._most,
                    self._seeds,
                    self._seed_starts,
                    self._heads,
                    *self._room,
                    self._state,
                    until,
                )
                if not self._state[5]:
                    break
                self._room = [np.concatenate([array, np.empty_like(array)]) for array in self._room]
            self.finished = not self._state[1] and self._state[2] == len(self._seeds)
        if self.finished:
            for array in self._room:
                self.scratch.give(array)
            self._room, self._ways = [], None

    def _start(self) -> None:
        """Put the goals in."""
        walls, scratch = self.ground.walls, self.scratch
        standing = ~walls[self.goals]
        pad = self.prices.pad if self.near else 0
        self._padded: NDArray[Any] = scratch.take(
            np.int64 if self.counted else np.float64, more=2 * pad
        )
        self.dist = self._padded[pad : len(walls) + pad]
        self.ops.clear(self.dist, walls, self._spans(), self._far)
        if self.near:
            goals = self.goals[standing]
            self._room = [scratch.take(np.int32, rows=self._rounds)]
            self.dist[goals] = 0
            self._room[0][0, : len(goals)] = goals + pad
            self._state = np.zeros(2 + self._rounds, dtype=np.int64)
            self._state[1:3] = len(goals)
        elif self._ways is not None:
            goals = self.goals[standing]
            came, lists = self._room = [scratch.take(np.uint8), scratch.take(np.int32, rows=3)]
            self.dist[goals] = 0
            came[goals] = 0
            lists[0, : len(goals)] = goals
            self._state = np.array([0, len(goals), 0, 0], dtype=np.int64)
        else:
            standing &= self._starts <= self._most
            order = np.argsort(self._starts[standing], kind="stable")
            self._seeds, self._seed_starts = (
                self.goals[standing][order],
                self._starts[standing][order],
            )
            self.dist[self._seeds] = self._seed_starts
            self._heads = np.full(self._rounds, -1, dtype=np.int32)
            self._room = [scratch.take(np.int32), scratch.take(np.int32)]
            self._state = np.array([0, 0, 0, -1, 0, 0], dtype=np.int64)
        self._started = True

    def __del__(self) -> None:
        if getattr(self, "_started", False):  # nobody else has been given `dist`
            self.scratch.give(self._padded)

    def _spans(self) -> NDArray[np.int64]:
        """The stretches of cells that are cleared and shown."""
        return self.strides.whole if self._whole else self.ground.spans(self.space)

    def mend(self, version: int, changed: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `Distances.mend`. Only where the search has `finished` and is `mendable`."""
        return self._mended(
            self.ground.mended(self.space, version, self.prices.shut, changed), changed
        )[0]

    def _mended(
        self, ground: GridSnapshot, changed: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Go over to a ground, or prices, that differ in these cells; the cells whose distance is
        another one, and what it was.

        Only where the search has `finished` and is `mendable`.
        """
        strides, before = self.strides, self.ground
        self.ground = ground
        if changed.flags.writeable:
            changed.flags.writeable = (
                False  # always: kernels are compiled anew for arrays that can be written to
            )
        marks = self.scratch.take(np.int8)
        found: tuple[NDArray[np.int64], NDArray[Any]] = self.repair_ops.mend(
            self.dist,
            ground.links,
            ground.walls,
            before.walls,
            self._cost,
            strides.steps,
            self._lengths,
            strides.around,
            self.space.width,
            self.space.wrap,
            self._far,
            self._inverse,
            self._rounds,
            self._most,
            changed,
            self.goals,
            self._starts,
            marks,
        )
        self.scratch.give(marks)
        return found

    def cut_off(self, walls: NDArray[np.int64]) -> NDArray[np.int64]:
        """See `Distances.cut_off`."""
        here = self.ground
        cells, olds = self._mended(here.walled(self.space, walls), walls)
        lost: NDArray[np.int64] = cells[(self.dist[cells] == self._far) & (olds != self._far)]
        self.dist[cells] = olds
        self.ground = here
        return np.sort(lost)

    def summits(self, heights: NDArray[np.float64]) -> NDArray[np.int64]:
        """The open cells, ascending, of which no neighbour's height and the step to it add up to
        less than their own.
        """
        lengths = self.strides.lengths * (
            0.5 if self.prices.uniform is None else self.prices.uniform
        )
        found: NDArray[np.int64] = self.ops.summits(
            heights,
            self.ground.links,
            self.ground.walls,
            _EVEN if self.prices.costs is None else self.prices.costs,
            self.strides.steps,
            lengths,
            self.space.width,
            self.space.wrap,
        )
        return found

    @property
    def links(self) -> NDArray[np.unsignedinteger]:
        """The steps that the distances keep to, (height, width), as `Grid.links`."""
        return self.ground.links.reshape(self.space.shape)

    def show(self, values: NDArray[np.float32], cells: NDArray[np.int64] | None = None) -> None:
        """Write the distances, all or those of some cells, into `values`, flat; inf on walls."""
        if cells is not None:
            self.ops.publish_cells(self.dist, cells, self.counted, *self._decoding, values)
        elif self.counted:
            self.ops.publish_counts(
                self.dist, self.ground.walls, self._spans(), *self._decoding, values
            )
        else:
            self.ops.publish_sums(self.dist, self.ground.walls, self._spans(), values)

    def measured(self, cells: NDArray[np.int64] | slice) -> NDArray[np.float64]:
        """The distances of cells in world units, times cost; inf on walls."""
        found: NDArray[Any] = self.dist[cells]
        found = (
            reference.measured(found, self.strides.measure, self._scale)
            if self.counted
            else found.copy()
        )
        found[self.ground.walls[cells]] = np.inf
        return found

    def descend(self, cell: int) -> tuple[NDArray[np.int64], float]:
        """The way down from a settled cell: cells, and its length in world units."""
        way, taken = self.ops.descend(
            self.dist,
            self.ground.links,
            self._cost,
            self.strides.steps,
            self._lengths,
            self.space.width,
            self.space.wrap,
            self._far,
            cell,
        )
        kinds, counts = np.unique(
            self.space.neighborhood.lengths(1.0)[taken], return_counts=True
        )  # so that equal steps add up exactly
        return way, float((kinds * counts).sum()) * self.space.cell_size
