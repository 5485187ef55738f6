"""Spread on a graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import aligned
from fieldcraft.propagation.activity import Blocks
from fieldcraft.propagation.spread_sources import LowerBounds
from fieldcraft.propagation.spreading_field import SpreadingField
from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.propagation.spread import Spread

__all__ = ["GraphSpreadField"]

# Scheduling thresholds. They affect speed only, never results.
_ARCS_PER_THREAD = 70_000  # arcs that pay for waking a thread, for the plain kernel
_ANY_COST = 4  # how much longer an arc takes in the general kernel
# arcs in a work unit of 0.25 ms, for the plain kernel, with room to spare on a slow machine
_UNIT_ARCS = 250_000


class GraphSpreadField(SpreadingField):
    """Values that spread over a graph.

    They are kept by rank, see `Arrangement`, in two arrays that take turns; `values` brings them
    back in the order of the vertices.
    """

    lazy = True

    def __init__(self, spread: Spread, space: Space, every: float) -> None:
        self.space = space
        self.graph = graph = space.graph
        self._ground = graph.topology.arrangement
        count, room = len(space), self._ground.padded
        self._now, self._next = aligned(room), aligned(room)
        self._emitted = self._strongest = self._weakest = np.zeros(0, dtype=np.float32)
        self._own = np.zeros(0 if self._ground.order is None else count, dtype=np.float32)
        self._frozen = np.ones(room, dtype=np.uint8)
        self._frozen[:count] = self._ground.by_rank(graph.walls)
        self.pinned = np.zeros(0, dtype=np.int64)
        self._fed = -1
        self._walls_version = space.walls_version
        self._closed = graph.blocked_arcs
        self._signed = False
        self._bounds: LowerBounds | None = None
        self.resistance = None
        self._blocks = Blocks(-(-count // kernels.graph_spread.BLOCK))
        self.tune(spread, every)

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, in the shape of the space."""
        return self._by_cell.reshape(self.space.shape)

    @property
    def _by_cell(self) -> NDArray[np.float32]:
        """The values by vertex, (N,)."""
        if self._ground.rank is None:
            return self._now[: len(self.space)]
        if self._stale:
            np.take(self._now, self._ground.rank, out=self._own, mode="clip")
            self._stale = False
        return self._own

    def tune(self, spread: Spread, every: float) -> None:
        """Go on with other parameters, or updated `every` other number of seconds."""
        self._take(spread, every)
        self._weigh()
        self._bounds = None
        self._fed = -1
        self._blocks.wake_all()

    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._ground.ranks_of(cells)

    def _bring_in(self, cells: NDArray[np.int64] | None) -> None:
        order = self._ground.order
        if order is None:
            return
        if cells is None:
            np.take(self._own, order, out=self._now[: len(self.space)], mode="clip")
        else:
            self._now[self._places(cells)] = self._own[cells]

    def _bounds_at(self, ranks: NDArray[np.int64], strengths: NDArray[np.float32]) -> LowerBounds:
        """The vertices of sources that don't pin, and from where arcs arrive there."""
        ground = self._ground
        starts, degrees = ground.starts[ranks], ground.starts[ranks + 1] - ground.starts[ranks]
        places = np.arange(int(degrees.max(initial=0)))
        arrives = places < degrees[:, np.newaxis]
        arcs = np.where(arrives, starts[:, np.newaxis] + places, 0)
        losses = self._arc_losses()
        if not len(losses):
            return LowerBounds(
                ranks, strengths, arcs, np.zeros(arcs.shape, dtype=np.float32), arrives
            )
        return LowerBounds(
            ranks,
            strengths,
            np.asarray(ground.origins[arcs], dtype=np.int64),
            losses[arcs],
            arrives,
        )

    @property
    def _level(self) -> NDArray[np.float32]:
        return self._now

    @property
    def _planes(self) -> list[NDArray[np.uint8]]:
        return [self._frozen]

    def _run(self, count: int) -> None:
        blocks = self._blocks
        while count > 0 and blocks.awake != 0:
            if blocks.is_worth_it:
                self._step_some()
                count -= 1
            else:
                made = self._step_all(min(count, blocks.until_probe))
                blocks.until_probe -= made
                count -= made
        self._stale = True

    def _units_of_a_step(self) -> Iterator[None]:
        """Take one step, some slices a unit."""
        blocks = self._blocks
        if blocks.awake == 0:
            return
        work = self._ground.effort * (1 if self._plain else _ANY_COST)
        few = not blocks.probing and blocks.awake * work <= _UNIT_ARCS * blocks.count
        if few or work <= _UNIT_ARCS:
            self._run(1)
            yield
            return
        self._prepare()
        parts = list(pairwise(self._split(-(-work // _UNIT_ARCS))))
        if self._exponent >= 2:
            for first, last in parts:
                self._kernels.emit(
                    self._now,
                    self._exponent,
                    first * kernels.graph_spread.LANES,
                    last * kernels.graph_spread.LANES,
                    self._emitted,
                )
                yield
        at_rest = True
        for first, last in parts:
            kernel, arguments = self._update(first, last)
            kernel(*arguments)
            here = slice(first * kernels.graph_spread.LANES, last * kernels.graph_spread.LANES)
            at_rest = at_rest and np.array_equal(self._next[here], self._now[here])
            yield
        self._turn()
        if at_rest:
            blocks.rest()
        else:
            blocks.wake_all()

    def _settle(self) -> None:
        values, frozen = self._held
        losses = self._arc_losses()
        starts, ends, arcs = self._ground.leaving
        self._kernels.settle(
            frozen, starts, ends, losses[arcs], self._exponent, self._floor, values
        )

    @property
    def _held(self) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """The values and what is frozen, by rank, without filling."""
        return self._now[: len(self.space)], self._frozen[: len(self.space)]

    @property
    def _kernels(self) -> Any:
        return kernels.graph_spread

    @property
    def _plain(self) -> bool:
        return bool(self._exponent == 0 and self._keep < 0 and not self._signed)

    def _weigh(self) -> None:
        self._closed = self.graph.blocked_arcs
        self._losses = self._ground.in_rows(self._arc_losses(), self._exponent)

    def _arc_losses(self) -> NDArray[np.float32]:
        """The loss on each arc, with the resistance of the vertex that it enters."""
        ground = self._ground
        losses = ground.losses(self.spread.decay, self._exponent, self._closed)
        if self.resistance is None:
            return losses
        entered = np.repeat(ground.by_rank(self.resistance.reshape(-1)), np.diff(ground.starts))
        if self._exponent == 0:
            return np.asarray(losses * np.exp(-entered))
        return np.minimum(losses, checks.LARGEST).astype(np.float32) + entered

    def _walls_changed(self, changed: NDArray[np.int64]) -> None:
        if self._closed is not self.graph.blocked_arcs:
            self._weigh()

    def _step_all(self, count: int) -> int:
        """Up to `count` steps of all vertices; how many were made."""
        ground = self._ground
        work = ground.effort * (1 if self._plain else _ANY_COST)
        bands = pool.shares(work // _ARCS_PER_THREAD)
        if bands == 1 and self._plain:
            self._kernels.many_plain(
                self._rows, self._momentum, self._floor, count, self._now, self._next
            )
            if count % 2:
                self._turn()
            return count
        self._prepare()
        parts = list(pairwise(self._split(bands)))
        if self._exponent >= 2:
            pool.run(
                [
                    (
                        self._kernels.emit,
                        (
                            self._now,
                            self._exponent,
                            a * kernels.graph_spread.LANES,
                            b * kernels.graph_spread.LANES,
                            self._emitted,
                        ),
                    )
                    for a, b in parts
                ]
            )
        pool.run([self._update(first, last) for first, last in parts])
        self._turn()
        return 1

    def _step_some(self) -> None:
        """One step of the blocks that are awake."""
        blocks, ground = self._blocks, self._ground
        awake = np.flatnonzero(blocks.flags)
        self._prepare()
        if self._exponent >= 2:
            for first in (awake * kernels.graph_spread.BLOCK).tolist():
                self._kernels.emit(
                    self._now,
                    self._exponent,
                    first,
                    min(first + kernels.graph_spread.BLOCK, len(self._now)),
                    self._emitted,
                )
        work = len(awake) * ground.effort // blocks.count * (1 if self._plain else _ANY_COST)
        bands = pool.bands(len(awake), work // _ARCS_PER_THREAD)
        words = [np.zeros(blocks.count, dtype=np.uint8) for _ in bands]
        common = (self._rows, self._now, self._roots, awake, tuple(ground.reaches), self._rule)
        scratch = (self._strongest, self._weakest)
        calls: list[pool.Call] = [
            (self._kernels.some, (*common, *band, self._next, word, *scratch))
            for band, word in zip(bands, words, strict=True)
        ]
        pool.run(calls)
        for word in words[1:]:
            words[0] |= word
        self._turn()
        blocks.report(words[0])

    def _prepare(self) -> None:
        """See that there is scratch for what will run."""
        if not self._plain and not len(self._strongest):
            self._strongest, self._weakest = aligned(len(self._now)), aligned(len(self._now))
        if self._exponent >= 2 and not len(self._emitted):
            self._emitted = aligned(len(self._now))

    @property
    def _roots(self) -> NDArray[np.float32]:
        return self._emitted if self._exponent >= 2 else self._now

    @property
    def _rows(self) -> tuple[NDArray[Any], ...]:
        """What is frozen, and the arcs in rows, as kernels take them."""
        ground = self._ground
        return self._frozen, ground.row_origins, self._losses, ground.offsets

    @property
    def _rule(self) -> tuple[bool, int, np.float32, np.float32, np.float32]:
        """How values move, as kernels take it."""
        return self._plain, self._exponent, self._momentum, self._keep, self._floor

    def _update(self, first: int, last: int) -> pool.Call:
        common = (self._rows, self._now, self._roots, self._rule, first, last, self._next)
        return self._kernels.update, (*common, self._strongest, self._weakest)

    def _turn(self) -> None:
        """The values in the making become the values."""
        self._now, self._next = self._next, self._now
        self._stale = True

    def _split(self, parts: int) -> list[int]:
        """Slices that divide the arcs into about even parts."""
        offsets = self._ground.offsets
        wanted = np.arange(1, parts) * (int(offsets[-1]) // parts)
        return [0, *np.searchsorted(offsets, wanted).tolist(), len(offsets) - 1]

    def _wake_all(self) -> None:
        self._blocks.wake_all()

    def _wake(self, ranks: NDArray[np.int64]) -> None:
        if self._blocks.probing or not len(ranks):
            return
        self._kernels.wake(ranks, *self._ground.reaches, self._blocks.flags)
        self._blocks.awake = int(np.count_nonzero(self._blocks.flags))
