"""Fields that spread, as they are on all kinds of space: sources that hold cells, steps where
something can still change.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.propagation.field import Account, Field, checked_pins, checked_resistance
from fieldcraft.propagation.spread_sources import Floors, trace
from fieldcraft.sources import Sources

if TYPE_CHECKING:
    from fieldcraft.propagation.spread import Spread

__all__ = ["HELD", "PIN", "WALL", "Awake", "SpreadingField"]

PIN, WALL = 2, 1
HELD = PIN | WALL

# Steps of everything between two looks at what still changes; they change no value.
_FIRST_PROBE, _LAST_PROBE = 16, 128


class Awake:
    """How many parts of a map can change in the next step, and when it pays to care.

    While it is probing all parts count as awake, and after some steps of everything one looks again
    at how many are.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.awake = count
        self.probing = True
        self.until_probe = 0
        self._interval = _FIRST_PROBE

    @property
    def is_worth_it(self) -> bool:
        """Whether the next step goes part by part: few are awake, or it is time to look how many
        are.
        """
        return not self.probing or self.until_probe == 0

    def skips_probe(self) -> bool:
        """Count a step of the whole map down to the next look; whether it is not due yet."""
        if not self.probing or self.until_probe == 0:
            return False
        self.until_probe -= 1
        return True

    def found(self, awake: int, *, few: bool) -> None:
        """Take notice of how many parts a step has left awake, and whether these are so few that it
        pays to skip the others.
        """
        self.awake = awake
        if few:
            self.probing = False
            self._interval = _FIRST_PROBE
            return
        self.wake_all()
        self.until_probe = self._interval
        self._interval = min(2 * self._interval, _LAST_PROBE)

    def rest(self) -> None:
        """Take notice that a step has changed nothing."""
        self._mark(0)
        self.awake = 0
        self.probing = False

    def wake_all(self) -> None:
        """Take notice that anything may have changed."""
        self._mark(1)
        self.awake = self.count
        self.probing = True

    def _mark(self, flag: int) -> None:
        """Note of all parts whether they are awake."""
        raise NotImplementedError


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
        """The flags that say of each value whether a source pins it, flat, in the order of
        `_level`.
        """

    @abstractmethod
    def _wake(self, places: NDArray[np.int64]) -> None:
        """Take notice that the values in these places of `_level` have changed."""

    @abstractmethod
    def _follow_walls(self) -> None:
        """Take notice of walls that have changed since `_walls_version`."""

    @abstractmethod
    def pin(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> None:
        """Hold exactly these cells, ascending, at these values from now on; with `pin=False` at
        these values or stronger ones.
        """

    @abstractmethod
    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take notice that the values of these cells (None: of any) were changed."""

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
        self._exponent = spread.exponent
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

    def step_in_units(self) -> Iterator[None]:
        """Take one step, a part of the map a unit; see `Field.step_in_units`."""
        if self._floors is not None:
            self._hold(self._floors)
        yield from self._units_of_a_step()
        if self._floors is not None:
            self._mend(self._floors)

    def account(self, cell: int, sources: Sources) -> Account:
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
        self._settled()

    def _settled(self) -> None:
        """Take notice that all values were settled."""
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
