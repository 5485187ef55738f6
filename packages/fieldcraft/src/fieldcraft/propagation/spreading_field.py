"""Fields that spread, as they are on all kinds of space: sources that hold cells, steps where
something can still change.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.propagation.field import Attribution, Field, checked_pins, checked_resistance
from fieldcraft.propagation.spread_sources import LowerBounds, stronger, trace
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
    _bounds: LowerBounds | None
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
    def _bounds_at(self, places: NDArray[np.int64], strengths: NDArray[np.float32]) -> LowerBounds:
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
        """Take `count` steps, whatever the lower bounds."""

    @abstractmethod
    def _units_of_a_step(self) -> Iterator[None]:
        """Take one step, part by part, whatever the lower bounds."""

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
        frozen[before] &= ~np.uint8(PIN)
        if self.spread.pin:
            frozen[here] |= np.uint8(PIN)
            gone = before[frozen[before] & PIN == 0]
        else:
            gone = np.setdiff1d(before, here)
            self._bounds = self._bounds_at(here, strengths) if len(cells) else None
            above = stronger(level[here], strengths)
            if self._bounds is not None and self._signed:
                above |= self._bounds.overruled(level, self._exponent, self._floor)
            strengths = np.where(above & (frozen[here] == 0), level[here], strengths)
        for flags in copies:
            for places in (before, here):
                flags[places] = (flags[places] & _HELD) | frozen[places]
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
        if self._bounds is None:
            self._run(count)
            return
        for _ in range(count):
            overruled = self._overruled(self._bounds)
            self._run(1)
            self._wake(self._bounds.apply(self._level, overruled))

    def _overruled(self, bounds: LowerBounds) -> NDArray[np.bool_] | None:
        if not self._signed:
            return None
        return bounds.overruled(self._level, self._exponent, self._floor)

    def step_in_units(self) -> Iterator[None]:
        """Take one step, a part of the map a unit; see `Field.step_in_units`."""
        bounds = self._bounds
        overruled = None if bounds is None else self._overruled(bounds)
        yield from self._units_of_a_step()
        if bounds is not None:
            self._wake(bounds.apply(self._level, overruled))

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
        if self._bounds is None:
            self._settle()
        else:
            frozen, seeds, flag = self._planes[0], self._bounds.cells, kernels.spread_settled.SEED
            frozen[seeds] |= flag
            self._level[seeds] = self._bounds.least
            self._settle()
            frozen[seeds] &= ~flag
        self._stale = True
        _ = self._by_cell
        self.touched(None)
