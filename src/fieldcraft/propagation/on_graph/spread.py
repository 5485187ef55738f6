"""Spread on a graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import aligned
from fieldcraft.kernels.reference.graph_spread import BLOCK, LANES
from fieldcraft.propagation.field import Account, Field
from fieldcraft.propagation.spread import FALLOFFS, Spread, checked_pins, checked_resistance
from fieldcraft.propagation.spread_account import trace
from fieldcraft.propagation.spread_floors import Floors, stronger
from fieldcraft.sources import Sources
from fieldcraft.space import Space

__all__ = ["GraphSpreadField"]

_PIN, _WALL = 2, 1

# A scheduler's constants: none of them changes a value, only when which kernel runs.
_SPARSE_SHARE = 0.5  # up to this share of awake blocks, skipping the others pays for the book-keeping
_FIRST_PROBE, _LAST_PROBE = 16, 128  # steps of everything between two looks at which blocks still change
_ARCS_PER_THREAD = 70_000  # arcs that pay for waking a thread, for the plain kernel
_ANY_COST = 4  # how much longer an arc takes in the general kernel
_UNIT_ARCS = 250_000  # arcs in a work unit of 0.25 ms, for the plain kernel, with room to spare on a slow machine


class GraphSpreadField(Field):
    """Values that spread over a graph.

    They are kept by rank, see `Arrangement`, in two arrays that take turns; `values` brings them back in the order of the vertices.
    """

    lazy = True

    def __init__(self, spread: Spread, space: Space, every: float) -> None:
        self.space = space
        self.graph = graph = space.graph
        self._ground = graph.topology.arrangement
        count, room = len(space), self._ground.room
        self._now, self._next = aligned(room), aligned(room)
        self._emitted = self._strongest = self._weakest = np.zeros(0, dtype=np.float32)
        self._own = np.zeros(0 if self._ground.order is None else count, dtype=np.float32)
        self._stale = False
        self._frozen = np.ones(room, dtype=np.uint8)
        self._frozen[:count] = self._ground.by_rank(graph.walls)
        self.pinned = np.zeros(0, dtype=np.int64)
        self._fed = -1
        self._walls_version = space.walls_version
        self._closed = graph.closed
        self._signed = False
        self._floors: Floors | None = None
        self.resistance = None
        self._blocks = _Blocks(-(-count // BLOCK))
        self.tune(spread, every)

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, in the shape of the space."""
        return self._by_vertex.reshape(self.space.shape)

    @property
    def _by_vertex(self) -> NDArray[np.float32]:
        """The values by vertex, (N,)."""
        if self._ground.rank is None:
            return self._now[: len(self.space)]
        if self._stale:
            np.take(self._now, self._ground.rank, out=self._own, mode="clip")
            self._stale = False
        return self._own

    def tune(self, spread: Spread, every: float) -> None:
        """Go on with other parameters, or updated `every` other number of seconds."""
        self.spread = spread
        self._stack = spread.stack
        self._decay = spread.decay
        self._exponent = FALLOFFS[spread.falloff]
        self._momentum = np.float32(spread.momentum)
        self._keep = np.float32(-1 if spread.half_life is None else 0.5 ** (every / spread.half_life))
        self._floor = np.float32(min(spread.floor, float(np.finfo(np.float32).max)))
        self._every = every
        self._weigh()
        self._floors = None
        self._fed = -1
        self._blocks.wake_all()

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Go on with vertices that resist what enters them; see `Field.resist`."""
        self.resistance = resistance
        self.tune(self.spread, self._every)

    def feed(self, sources: Sources) -> None:
        """Hold the vertices of the sources; see `Field.feed`."""
        if self.space.walls_version != self._walls_version:
            self._follow_walls()
        if sources.version != self._fed:
            self.pin(*sources.pins(self._stack))
            sources.forget_changes()
            self._fed = sources.version

    def pin(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> None:
        """Hold exactly these vertices, ascending, at these values from now on; with `pin=False` at these values or stronger ones."""
        strengths = strengths + np.float32(0)  # -0 would make bits depend on which kernel ran
        self._signed = self._signed or bool((strengths < 0).any())
        before, here = self._ground.ranks_of(self.pinned), self._ground.ranks_of(cells)
        if not self.spread.pin:
            self._floors = self._floors_at(here, strengths) if len(cells) else None
            loose = stronger(self._now[here], strengths) & (self._frozen[here] & _WALL == 0)
            strengths = np.where(loose, self._now[here], strengths)
        self._frozen[before] &= ~np.uint8(_PIN)
        self._frozen[here] |= np.uint8(_PIN)
        gone = before[self._frozen[before] & _PIN == 0]
        self._now[gone[self._frozen[gone] == _WALL]] = 0
        changed = here[self._now[here] != strengths]
        self._now[here] = strengths
        self._stale = True
        self.pinned = cells
        self._wake(np.concatenate([gone, changed]))

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values; see `Field.write`."""
        self._by_vertex[:] = values.reshape(-1)
        self._by_vertex[self.graph.walls] = 0
        self.touched(None)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells these values; see `Field.put`."""
        self._by_vertex[cells] = values
        self.touched(cells)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take notice that the values of these vertices (None: of any) were changed."""
        self._fed = -1
        if cells is None:
            if self._ground.order is not None:
                np.take(self._own, self._ground.order, out=self._now[: len(self.space)], mode="clip")
            self._signed = bool((self._now < 0).any())
            self._blocks.wake_all()
        else:
            ranks = self._ground.ranks_of(cells)
            self._now[ranks] = self._own[cells] if self._ground.order is not None else self._now[ranks]
            self._signed = self._signed or bool((self._now[ranks] < 0).any())
            self._wake(ranks)

    def run(self, count: int) -> None:
        """Take `count` steps."""
        if not len(self.space):
            return
        if self._floors is None:
            self._run(count)
            return
        for _ in range(count):
            self._hold(self._floors)
            self._run(1)
            self._mend(self._floors)

    def _floors_at(self, ranks: NDArray[np.int64], strengths: NDArray[np.float32]) -> Floors:
        """The vertices of sources that don't pin, and from where arcs arrive there."""
        ground = self._ground
        starts, degrees = ground.starts[ranks], ground.starts[ranks + 1] - ground.starts[ranks]
        places = np.arange(int(degrees.max(initial=0)))
        arrives = places < degrees[:, np.newaxis]
        arcs = np.where(arrives, starts[:, np.newaxis] + places, 0)
        losses = self._arc_losses()
        if not len(losses):
            return Floors(ranks, strengths, arcs, np.zeros(arcs.shape, dtype=np.float32), arrives)
        return Floors(ranks, strengths, np.asarray(ground.origins[arcs], dtype=np.int64), losses[arcs], arrives)

    def _hold(self, floors: Floors) -> None:
        """Pin the floors that the next step would leave below their strength, and no others."""
        turned = floors.choose(self._now, self._exponent, self._momentum, self._keep, self._floor)
        if len(turned):
            self._pin_only(floors)
            self._wake(turned)

    def _pin_only(self, floors: Floors) -> None:
        pins = np.where(floors.held, np.uint8(_PIN), np.uint8(0))
        self._frozen[floors.cells] = (self._frozen[floors.cells] & ~np.uint8(_PIN)) | pins

    def _mend(self, floors: Floors) -> None:
        self._wake(floors.mend(self._now))
        self._stale = True

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

    def step_in_units(self) -> Iterator[None]:
        """Take one step, some slices a unit; see `Field.step_in_units`."""
        if self._floors is not None:
            self._hold(self._floors)
        yield from self._slices_of_a_step()
        if self._floors is not None:
            self._mend(self._floors)

    def _slices_of_a_step(self) -> Iterator[None]:
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
                self._kernels.emit(self._now, self._emitted, self._exponent, first * LANES, last * LANES)
                yield
        at_rest = True
        for first, last in parts:
            kernel, arguments = self._update(first, last)
            kernel(*arguments)
            here = slice(first * LANES, last * LANES)
            at_rest = at_rest and np.array_equal(self._next[here], self._now[here])
            yield
        self._turn()
        if at_rest:
            blocks.rest()
        else:
            blocks.wake_all()

    def account(self, cell: int, sources: Sources) -> Account:
        """The sources that hold a cell up; see `trace`."""
        return trace(self.values, self.space, sources, self.spread, cell, self.resistance)

    def state(self) -> dict[str, NDArray[Any]]:
        """The values and the held vertices; see `Field.state`."""
        state: dict[str, NDArray[Any]] = {"values": self.values, "pinned": self.pinned}
        return state if self.resistance is None else state | {"resistance": self.resistance}

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        pinned = checked_pins(state["pinned"], len(self.space))
        if "resistance" in state:
            self.resist(checked_resistance(state["resistance"], self.space.shape))
        self._by_vertex[:] = state["values"].reshape(-1)
        self.touched(None)
        self.pin(pinned, self._by_vertex[pinned])
        self._walls_version = -1  # the values may be from before a change of walls: look at all of them at the next step

    def settle(self) -> None:
        """Go where endless steps would lead: nothing but what the sources hold up."""
        if self._floors is None:
            self._settle()
        else:
            self._settle_floors(self._floors)
        self._stale = True
        self._fed = -1
        self._signed = bool((self._now < 0).any())
        self._blocks.wake_all()

    def _settle_floors(self, floors: Floors) -> None:
        """Settle with all of them held, then without those that something stronger reaches, until there are none."""
        floors.held = np.ones(len(floors.cells), dtype=np.bool_)
        while True:
            self._pin_only(floors)
            self._now[floors.cells[floors.held]] = floors.least[floors.held]
            self._settle()
            beaten = floors.held & floors.beaten(self._now, self._exponent, self._floor)
            if not beaten.any():
                return
            floors.held &= ~beaten

    def _settle(self) -> None:
        values, frozen = self._held
        losses = self._arc_losses()
        starts, ends, arcs = self._ground.leaving
        self._kernels.settle(values, frozen, starts, ends, losses[arcs], self._exponent, self._floor)

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
        self._closed = self.graph.closed
        if self.resistance is None:
            self._losses = self._ground.row_losses(self._decay, self._exponent, self._closed)
        else:
            self._losses = self._ground.in_rows(self._arc_losses(), self._exponent)

    def _arc_losses(self) -> NDArray[np.float32]:
        """The loss on each arc, with the resistance of the vertex that it enters."""
        ground = self._ground
        losses = ground.losses(self._decay, self._exponent, self._closed)
        if self.resistance is None:
            return losses
        entered = np.repeat(ground.by_rank(self.resistance.reshape(-1)), np.diff(ground.starts))
        if self._exponent == 0:
            return np.asarray(losses * np.exp(-entered))
        return np.minimum(losses, checks.LARGEST).astype(np.float32) + entered

    def _follow_walls(self) -> None:
        """A vertex that is blocked loses its value, unless a source holds it; one that opens starts at 0."""
        everywhere = self._walls_version < 0
        changed = np.arange(len(self.space)) if everywhere else self.space.walls_changed(self._walls_version)
        self._walls_version = self.space.walls_version
        if not self.spread.pin:
            self._fed = -1  # what arrives in the vertices of sources has changed
        if self._closed is not self.graph.closed:
            self._weigh()
        ranks = self._ground.ranks_of(changed)
        self._frozen[ranks] = (self._frozen[ranks] & _PIN) | self.graph.walls[changed].astype(np.uint8)
        self._now[ranks[self._frozen[ranks] == _WALL]] = 0
        self._stale = True
        self._wake(ranks)

    def _step_all(self, count: int) -> int:
        """Up to `count` steps of all vertices; how many were made."""
        ground = self._ground
        work = ground.effort * (1 if self._plain else _ANY_COST)
        bands = pool.shares(work // _ARCS_PER_THREAD)
        if bands == 1 and self._plain:
            self._kernels.many_plain(
                self._now, self._next, self._frozen, ground.row_origins, self._losses, ground.offsets, self._momentum, self._floor, count
            )
            if count % 2:
                self._turn()
            return count
        self._prepare()
        parts = list(pairwise(self._split(bands)))
        if self._exponent >= 2:
            pool.run([(self._kernels.emit, (self._now, self._emitted, self._exponent, a * LANES, b * LANES)) for a, b in parts])
        pool.run([self._update(first, last) for first, last in parts])
        self._turn()
        return 1

    def _step_some(self) -> None:
        """One step of the blocks that are awake."""
        blocks, ground = self._blocks, self._ground
        awake = np.flatnonzero(blocks.flags)
        self._prepare()
        if self._exponent >= 2:
            for first in (awake * BLOCK).tolist():
                self._kernels.emit(self._now, self._emitted, self._exponent, first, min(first + BLOCK, len(self._now)))
        work = len(awake) * ground.effort // blocks.count * (1 if self._plain else _ANY_COST)
        bands = pool.bands(len(awake), work // _ARCS_PER_THREAD)
        words = [np.zeros(blocks.count, dtype=np.uint8) for _ in bands]
        rows = (self._next, self._frozen, ground.row_origins, self._losses, ground.offsets)
        calls: list[pool.Call] = []
        for band, word in zip(bands, words, strict=True):
            where = (awake, *band, *ground.reaches, word)
            if self._plain:
                calls.append((self._kernels.some_plain, (self._now, *rows, self._momentum, self._floor, *where)))
            else:
                tuned = (self._exponent, self._momentum, self._keep, self._floor, self._strongest, self._weakest)
                calls.append((self._kernels.some_any, (self._now, self._roots, *rows, *tuned, *where)))
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

    def _update(self, first: int, last: int) -> pool.Call:
        ground = self._ground
        rows = (self._next, self._frozen, ground.row_origins, self._losses, ground.offsets)
        if self._plain:
            return self._kernels.update_plain, (self._now, *rows, self._momentum, self._floor, first, last)
        tuned = (self._exponent, self._momentum, self._keep, self._floor, first, last)
        return self._kernels.update_any, (self._now, self._roots, *rows, *tuned, self._strongest, self._weakest)

    def _turn(self) -> None:
        """The values in the making become the values."""
        self._now, self._next = self._next, self._now
        self._stale = True

    def _split(self, parts: int) -> list[int]:
        """Slices that divide the arcs into about even parts."""
        offsets = self._ground.offsets
        wanted = np.arange(1, parts) * (int(offsets[-1]) // parts)
        return [0, *np.searchsorted(offsets, wanted).tolist(), len(offsets) - 1]

    def _wake(self, ranks: NDArray[np.int64]) -> None:
        if self._blocks.probing or not len(ranks):
            return
        self._kernels.wake(ranks, *self._ground.reaches, self._blocks.flags)
        self._blocks.awake = int(np.count_nonzero(self._blocks.flags))


class _Blocks:
    """Which blocks can change in the next step, and when it pays to care."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.flags = np.ones(count, dtype=np.uint8)
        self.awake = count
        self.probing = True
        self.until_probe = 0
        self._interval = _FIRST_PROBE

    @property
    def is_worth_it(self) -> bool:
        """Whether the next step goes block by block: some are at rest, or it is time to look how many are."""
        return not self.probing or self.until_probe == 0

    def report(self, flags: NDArray[np.uint8]) -> None:
        """Take notice of which blocks a step has left awake."""
        self.flags = flags
        self.awake = int(np.count_nonzero(flags))
        if self.awake <= _SPARSE_SHARE * self.count or self.count <= 2:
            self.probing = False
            self._interval = _FIRST_PROBE
            return
        self.wake_all()
        self.until_probe = self._interval
        self._interval = min(2 * self._interval, _LAST_PROBE)

    def rest(self) -> None:
        """Take notice that a step has changed nothing."""
        self.flags[:] = 0
        self.awake = 0
        self.probing = False

    def wake_all(self) -> None:
        """Take notice that any vertex may have changed."""
        self.flags[:] = 1
        self.awake = self.count
        self.probing = True
