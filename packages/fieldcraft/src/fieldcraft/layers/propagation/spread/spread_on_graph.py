"""Spread on a graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import aligned
from fieldcraft.kernels.shared.step_lists import EndSteps
from fieldcraft.kernels.spread.spread_records import ArcRows, BlockReaches, GraphRule
from fieldcraft.layers.propagation.spread.active_set import ActiveSet
from fieldcraft.layers.propagation.spread.arrangement import arrangement_of
from fieldcraft.layers.propagation.spread.lower_bounds import LowerBounds
from fieldcraft.layers.propagation.spread.spread_field import SpreadingField
from fieldcraft.layers.propagation.spread.spread_settings import SpreadSettings
from fieldcraft.space import Space
from fieldcraft.space.kinds import graph_of

# Scheduling thresholds. They affect speed only, never results.
_FEW_BLOCKS = 0.5  # up to this share of active blocks, skipping the others pays
_ARCS_PER_THREAD = 70_000  # arcs that pay for waking a thread, for the plain kernel
_ANY_COST = 4  # how much longer an arc takes in the general kernel
_NONE = np.zeros(0, dtype=np.float32)  # no vertex attenuates what arrives
# arcs in a work unit of 0.25 ms, for the plain kernel, with room to spare on a slow machine
_UNIT_ARCS = 250_000


class GraphSpreadField(SpreadingField):
    """Values that spread over a graph.

    They are stored by rank, see `Arrangement`, in two arrays that take turns; `values` returns them
    in the order of the vertices.
    """

    lazy = True

    def __init__(self, spread: SpreadSettings, space: Space, every: float) -> None:
        super().__init__(space)
        self._arrangement = arrangement_of(graph_of(space).topology)
        count = len(space)
        padded = self._arrangement.padded
        self._now = aligned(padded)
        self._next = aligned(padded)
        self._roots = self._strongest = self._weakest = np.zeros(0, dtype=np.float32)
        self._own = np.zeros(0 if self._arrangement.order is None else count, dtype=np.float32)
        self._blocked = np.ones(padded, dtype=np.uint8)
        self._blocked[:count] = self._arrangement.by_rank(graph_of(space).walls)
        blocks = -(-count // kernels.spread.graph_spread.BLOCK)
        self._active_set = ActiveSet(np.ones(blocks, dtype=np.uint8))
        self._few = self._active_set.count if blocks <= 2 else _FEW_BLOCKS * blocks
        self.tune(spread, every)

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, in the shape of the space."""
        return self._by_cell.reshape(self.space.shape)

    @property
    def _by_cell(self) -> NDArray[np.float32]:
        if self._arrangement.rank is None:
            return self._now[: len(self.space)]
        if self._stale:
            np.take(self._now, self._arrangement.rank, out=self._own, mode="clip")
            self._stale = False
        return self._own

    def tune(self, spread: SpreadSettings, every: float) -> None:
        """Set parameters and the interval; see `Field.tune`."""
        self._set(spread, every)
        self._set_losses()
        self._fed = -1
        self._active_set.activate_all()

    # Places and flags

    @property
    def _by_place(self) -> NDArray[np.float32]:
        return self._now

    @property
    def _flags(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        return self._blocked, self._blocked[:0]

    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._arrangement.ranks_of(cells)

    def _store(self, cells: NDArray[np.int64] | None) -> None:
        order = self._arrangement.order
        if order is None:
            return
        if cells is None:
            np.take(self._own, order, out=self._now[: len(self.space)], mode="clip")
        else:
            self._now[self._places(cells)] = self._own[cells]

    def _activate(self, places: NDArray[np.int64]) -> None:
        if self._active_set.is_known and len(places):
            reached = self._arrangement.reaches
            kernels.spread.graph_spread.activate(places, *reached, self._active_set.flags[0])
            self._active_set.recount()

    def _walls_changed(self, changed: NDArray[np.int64]) -> None:
        if self._blocked_arcs is not graph_of(self.space).blocked_arcs:
            self._set_losses()

    def _bounds_at(self, ranks: NDArray[np.int64], strengths: NDArray[np.float32]) -> LowerBounds:
        ground = self._arrangement
        starts = ground.starts[ranks]
        degrees = ground.starts[ranks + 1] - ground.starts[ranks]
        places = np.arange(int(degrees.max(initial=0)))
        arrives = places < degrees[:, np.newaxis]
        arcs = np.where(arrives, starts[:, np.newaxis] + places, 0)
        losses = self._arc_losses()
        if not len(losses):  # a graph without arcs
            return LowerBounds(ranks, strengths, arcs, np.zeros(arcs.shape, np.float32), arrives)
        origins = np.asarray(ground.origins[arcs], dtype=np.int64)
        return LowerBounds(ranks, strengths, origins, losses[arcs], arrives)

    # Losses and rules

    def _set_losses(self) -> None:
        self._blocked_arcs = graph_of(self.space).blocked_arcs
        self._losses = self._arrangement.in_rows(self._arc_losses(), self._exponent)

    def _arc_losses(self) -> NDArray[np.float32]:
        """The loss on each arc, with the resistance of the vertex that it enters."""
        ground = self._arrangement
        losses = ground.losses(self.spread.decay, self._exponent, self._blocked_arcs)
        if self.resistance is None:
            return losses
        entered = np.repeat(ground.by_rank(self.resistance.reshape(-1)), np.diff(ground.starts))
        if self._exponent == 0:
            return np.asarray(losses * np.exp(-entered))
        return np.minimum(losses, checks.LARGEST).astype(np.float32) + entered

    @property
    def _plain(self) -> bool:
        return bool(self._exponent == 0 and self._keep < 0 and not self._signed)

    @property
    def _work(self) -> int:
        """The effort of a step of all vertices, in arcs of the plain kernel."""
        return self._arrangement.effort * (1 if self._plain else _ANY_COST)

    @property
    def _rows(self) -> ArcRows:
        """The flags, and the arcs in rows, as kernels take them."""
        ground = self._arrangement
        return ArcRows(self._blocked, ground.row_origins, self._losses, ground.offsets)

    @property
    def _rule(self) -> GraphRule:
        return GraphRule(self._plain, self._exponent, self._momentum, self._keep, self._floor)

    # Steps

    def _run(self, count: int) -> None:
        blocks = self._active_set
        while count > 0 and blocks.active:
            made = 1
            if blocks.by_parts:
                self._step_active()
            else:
                made = self._step_all(min(count, blocks.until_test))
                blocks.until_test -= made
            count -= made
        self._stale = True

    def _step_all(self, count: int) -> int:
        """Take up to `count` steps of all vertices; returns how many."""
        threads = pool.shares(self._work // _ARCS_PER_THREAD)
        if threads == 1 and self._plain:
            rule = (self._momentum, self._floor, count)
            kernels.spread.graph_spread.many_plain(self._rows, *rule, self._now, self._next)
            if count % 2:
                self._turn()
            return count
        self._prepare()
        parts = self._parts(threads)
        pool.run(self._root_calls(parts))
        pool.run([self._update(*part) for part in parts])
        self._turn()
        return 1

    def _step_active(self) -> None:
        """Take one step of the active blocks."""
        blocks = self._active_set
        ground = self._arrangement
        active = np.flatnonzero(blocks.flags[0])
        self._prepare()
        slices = kernels.spread.graph_spread.BLOCK // kernels.spread.graph_spread.LANES
        most = len(ground.offsets) - 1
        starts = (active * slices).tolist()
        for kernel, arguments in self._root_calls([(a, min(a + slices, most)) for a in starts]):
            kernel(*arguments)
        work = len(active) * self._work // blocks.count
        bands = pool.bands(len(active), work // _ARCS_PER_THREAD)
        found = [np.zeros(blocks.count, dtype=np.uint8) for _ in bands]
        common = (
            self._rows,
            self._now,
            self._given,
            active,
            BlockReaches(*ground.reaches),
            self._rule,
        )
        scratch = (self._strongest, self._weakest)
        calls: list[pool.Call] = [
            (kernels.spread.graph_spread.some, (*common, *band, self._next, flags, *scratch))
            for band, flags in zip(bands, found, strict=True)
        ]
        pool.run(calls)
        blocks.flags[0][:] = np.bitwise_or.reduce(found)
        self._turn()
        blocks.update(int(np.count_nonzero(blocks.flags[0])), self._few)

    def _units_of_a_step(self) -> Iterator[None]:
        """Take one step, some slices a unit."""
        blocks = self._active_set
        work = self._work
        if not blocks.active:
            return
        few = blocks.is_known and blocks.active * work <= _UNIT_ARCS * blocks.count
        if few or work <= _UNIT_ARCS:
            self._run(1)
            yield
            return
        self._prepare()
        parts = self._parts(-(-work // _UNIT_ARCS))
        for kernel, arguments in self._root_calls(parts):
            kernel(*arguments)
            yield
        at_rest = True
        for first, last in parts:
            kernel, arguments = self._update(first, last)
            kernel(*arguments)
            here = slice(
                first * kernels.spread.graph_spread.LANES, last * kernels.spread.graph_spread.LANES
            )
            at_rest = at_rest and np.array_equal(self._next[here], self._now[here])
            yield
        self._turn()
        if at_rest:
            blocks.rest()
        else:
            blocks.activate_all()

    def _settle(self, flags: NDArray[np.uint8], values: NDArray[np.float32]) -> None:
        count = len(self.space)
        losses = self._arc_losses()
        starts, ends, arcs = self._arrangement.leaving
        ground = EndSteps(starts, ends), None, flags[:count], _NONE, losses[arcs]
        kernels.spread.spread_settled.settle(*ground, self._exponent, self._floor, values[:count])

    # Kernels and their arguments

    def _prepare(self) -> None:
        """Allocate scratch for what will run."""
        if not self._plain and not len(self._strongest):
            self._strongest = aligned(len(self._now))
        self._weakest = aligned(len(self._now))
        if self._exponent >= 2 and not len(self._roots):
            self._roots = aligned(len(self._now))

    @property
    def _given(self) -> NDArray[np.float32]:
        """What falls off on the arcs: the values, or their roots."""
        return self._roots if self._exponent >= 2 else self._now

    def _root_calls(self, parts: list[tuple[int, int]]) -> list[pool.Call]:
        """Return the calls that update the roots of some slices, if steps read any."""
        if self._exponent < 2:
            return []
        lanes = kernels.spread.graph_spread.LANES
        given = (self._now, self._exponent)
        return [
            (kernels.spread.graph_spread.emit, (*given, first * lanes, last * lanes, self._roots))
            for first, last in parts
        ]

    def _update(self, first: int, last: int) -> pool.Call:
        common = (self._rows, self._now, self._given, self._rule, first, last, self._next)
        return kernels.spread.graph_spread.update, (*common, self._strongest, self._weakest)

    def _turn(self) -> None:
        """Swap the values with those of the next step."""
        self._now, self._next = self._next, self._now
        self._stale = True

    def _parts(self, count: int) -> list[tuple[int, int]]:
        """Return slices from first to last that divide the arcs into about even parts."""
        offsets = self._arrangement.offsets
        wanted = np.arange(1, count) * (int(offsets[-1]) // count)
        inner = np.searchsorted(offsets, wanted).tolist()
        return list(pairwise([0, *inner, len(offsets) - 1]))
