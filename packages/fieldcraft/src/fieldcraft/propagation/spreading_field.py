"""Fields that spread, as they are on all kinds of space: sources that hold cells, steps where
something can still change.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.propagation.field import Attribution, Field, checked_pins, checked_resistance
from fieldcraft.propagation.spread_sources import Floors, stronger, trace
from fieldcraft.sources import Sources

if TYPE_CHECKING:
    from fieldcraft.propagation.spread import Spread

__all__ = ["PIN", "SpreadingField"]

PIN, _WALL = 2, 1
_HELD = np.uint8(255 - (PIN | _WALL))


class SpreadingField(Field):
    """Values that spread. A kind of space says where they are, who wakes whom, and how a step is
    taken.
    """

    space: Any
    spread: Spread
    pinned: NDArray[np.int64]
    _every: float
    _fed: int
    _floors: Floors | None
    _walls_version: int
    _exponent: int
    _momentum: np.float32
    _keep: np.float32
    _floor: np.float32
    _signed: bool
    _stale: bool = False
    """Whether `_by_cell` is older than `_level`."""

    @property
    @abstractmethod
    def _level(self) -> NDArray[np.float32]:
        """The values, flat, in the order in which steps go over them."""

    @property
    @abstractmethod
    def _by_cell(self) -> NDArray[np.float32]:
        """The values, flat, by cell."""

    @property
    @abstractmethod
    def _planes(self) -> list[NDArray[np.uint8]]:
        """The flags that say of each value whether it is a wall and whether a source pins it, flat,
        in the order of `_level`; copies of these bits follow the first.
        """

    @abstractmethod
    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places of cells in `_level`."""

    @abstractmethod
    def _floors_at(self, places: NDArray[np.int64], strengths: NDArray[np.float32]) -> Floors:
        """The cells of sources that don't pin, by place, and from where steps arrive there."""

    @abstractmethod
    def _wake(self, places: NDArray[np.int64]) -> None:
        """Take notice that the values in these places of `_level` have changed."""

    @abstractmethod
    def _wake_all(self) -> None:
        """Take notice that any value may have changed."""

    @abstractmethod
    def _walls_changed(self, changed: NDArray[np.int64]) -> None:
        """Take notice of walls, and steps, that have changed in these cells, ascending."""

    def _bring_in(self, cells: NDArray[np.int64] | None) -> None:
        """Bring the values of these cells (None: of all) from `_by_cell` into `_level`."""

    @abstractmethod
    def _run(self, count: int) -> None:
        """Take `count` steps, whatever the floors."""

    @abstractmethod
    def _units_of_a_step(self) -> Iterator[None]:
        """Take one step, part by part, whatever the floors."""

    @abstractmethod
    def _settle(self) -> None:
        """Go where endless steps would lead with what is pinned."""

    def _take(self, spread: Spread, every: float) -> None:
        """Take over parameters."""
        self.spread = spread
        self._every = every
        self._stack = spread.stack
        self._exponent = spread._exponent
        self._momentum = np.float32(spread.momentum)
        self._keep = np.float32(
            -1 if spread.half_life is None else 0.5 ** (every / spread.half_life)
        )
        self._floor = np.float32(min(spread.floor, float(np.finfo(np.float32).max)))

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Go on with cells that resist what enters them; see `Field.resist`."""
        self.resistance = resistance
        self.tune(self.spread, self._every)

    def feed(self, sources: Sources) -> None:
        """Hold the cells of the sources; see `Field.feed`."""
        if self.space.walls_version != self._walls_version:
            self._follow_walls()
        if sources.version != self._fed:
            self.pin(*sources.pins(self._stack))
            sources.forget_changes()
            self._fed = sources.version

    def pin(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> None:
        """Hold exactly these cells, ascending, at these values from now on; with `pin=False` at
        these values or stronger ones.
        """
        strengths = strengths + np.float32(0)  # -0 would make bits depend on which kernel ran
        self._signed = self._signed or bool((strengths < 0).any())
        before, here = self._places(self.pinned), self._places(cells)
        (frozen, *copies), level = self._planes, self._level
        if not self.spread.pin:
            self._floors = self._floors_at(here, strengths) if len(cells) else None
            loose = stronger(level[here], strengths)
            if self._floors is not None and self._signed:
                loose |= self._floors.overcome(level, self._exponent, self._floor)
            loose &= frozen[here] & _WALL == 0
            strengths = np.where(loose, level[here], strengths)
        frozen[before] &= ~np.uint8(PIN)
        frozen[here] |= np.uint8(PIN)
        for flags in copies:
            for places in (before, here):
                flags[places] = (flags[places] & _HELD) | frozen[places]
        gone = before[frozen[before] & PIN == 0]
        level[gone[frozen[gone] == _WALL]] = 0
        changed = here[level[here] != strengths]
        level[here] = strengths
        self._stale = True
        self.pinned = cells
        self._wake(np.concatenate([gone, changed]))

    def _follow_walls(self) -> None:
        """A cell that becomes a wall loses its value, unless a source holds it; one that opens
        starts at 0.
        """
        since, space = self._walls_version, self.space
        changed = np.arange(len(space)) if since < 0 else space.walls_changed(since)
        self._walls_version = space.walls_version
        if not self.spread.pin:
            self._fed = -1  # what arrives in the cells of sources has changed
        places, frozen = self._places(changed), self._planes[0]
        blocked = space.walls.reshape(-1)[changed]
        frozen[places] = (frozen[places] & PIN) | blocked.astype(np.uint8)
        self._level[places[frozen[places] == _WALL]] = 0
        self._walls_changed(changed)
        self._stale = True
        self._wake(places)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take notice that the values of these cells (None: of any) were changed."""
        self._fed = -1
        self._bring_in(cells)
        if cells is None:
            self._signed = bool((self._level < 0).any())
            self._wake_all()
        else:
            places = self._places(cells)
            self._signed = self._signed or bool((self._level[places] < 0).any())
            self._wake(places)

    def run(self, count: int) -> None:
        """Take `count` steps."""
        if self._floors is None:
            self._run(count)
            return
        for _ in range(count):
            self._hold(self._floors)
            self._run(1)
            self._mend(self._floors)

    def _hold(self, floors: Floors) -> None:
        """Pin the floors that the next step would leave below their strength, and no others."""
        turned = floors.choose(self._level, self._exponent, self._momentum, self._keep, self._floor)
        if len(turned):
            self._pin_only(floors)
            self._wake(turned)

    def _pin_only(self, floors: Floors) -> None:
        pins = np.where(floors.held, np.uint8(PIN), np.uint8(0))
        for flags in self._planes:
            flags[floors.cells] = (flags[floors.cells] & ~np.uint8(PIN)) | pins

    def _mend(self, floors: Floors) -> None:
        self._wake(floors.mend(self._level))
        self._stale = True

    def step_in_units(self) -> Iterator[None]:
        """Take one step, a part of the map a unit; see `Field.step_in_units`."""
        if self._floors is not None:
            self._hold(self._floors)
        yield from self._units_of_a_step()
        if self._floors is not None:
            self._mend(self._floors)

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """The sources that hold a cell up; see `trace`."""
        return trace(self.values, self.space, sources, self.spread, cell, self.resistance)

    def state(self) -> dict[str, NDArray[Any]]:
        """The values and the held cells; see `Field.state`."""
        state: dict[str, NDArray[Any]] = {"values": self.values, "pinned": self.pinned}
        return state if self.resistance is None else state | {"resistance": self.resistance}

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        pinned = checked_pins(state["pinned"], len(self.space))
        if "resistance" in state:
            self.resist(checked_resistance(state["resistance"], self.space.shape))
        self._by_cell[:] = state["values"].reshape(-1)
        self.touched(None)
        self.pin(pinned, self._by_cell[pinned])
        self._walls_version = (
            -1
        )  # the values may be from before a change of walls: look at all of them at the next step

    def settle(self) -> None:
        """Go where endless steps would lead: nothing but what the sources hold up."""
        if self._floors is None:
            self._settle()
        else:
            self._settle_floors(self._floors)
        self._stale = True
        _ = self._by_cell
        self.touched(None)

    def _settle_floors(self, floors: Floors) -> None:
        """Settle with all of them held, then without those that something stronger reaches, until
        there are none.
        """
        floors.held = np.ones(len(floors.cells), dtype=np.bool_)
        while True:
            self._pin_only(floors)
            self._level[floors.cells[floors.held]] = floors.least[floors.held]
            self._settle()
            beaten = floors.held & floors.beaten(self._level, self._exponent, self._floor)
            if not beaten.any():
                return
            floors.held &= ~beaten
