"""Fields that spread, on any kind of space: sources pin cells, and steps update active parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.interruption import interruptible
from fieldcraft.layers.propagation.propagation import (
    Attribution,
    Field,
    checked_pins,
    checked_resistance,
)
from fieldcraft.layers.propagation.spread.active_set import ActiveSet
from fieldcraft.layers.propagation.spread.attribution import trace
from fieldcraft.layers.propagation.spread.lower_bounds import LowerBounds, stronger
from fieldcraft.layers.propagation.spread.spread_settings import SpreadSettings
from fieldcraft.layers.sources import Sources

_FEW_CELLS = 200_000  # settled within 0.1 s
_WALL = np.uint8(1)
_PINNED = np.uint8(2)


class SpreadingField(Field):
    """Values that spread. A subclass stores them for a kind of space, and takes the steps.

    Values are stored at places: cells on a grid, ranks on a graph. Each place has a flag that is 1
    for walls and 2 for pinned cells.
    """

    spread: SpreadSettings
    _every: float
    _exponent: int
    _momentum: np.float32
    _keep: np.float32
    _floor: np.float32
    _active_set: ActiveSet
    _stale: bool = False
    """Whether `_by_cell` is older than `_by_place`."""

    def __init__(self, space: Any) -> None:
        self.space = space
        self.pinned = np.zeros(0, dtype=np.int64)
        self.resistance = None
        self._fed = -1
        self._walls_version = space.walls_version
        self._signed = False
        self._bounds: LowerBounds | None = None

    @property
    @abstractmethod
    def _by_place(self) -> NDArray[np.float32]:
        """The values by place, flat."""

    @property
    @abstractmethod
    def _by_cell(self) -> NDArray[np.float32]:
        """The values by cell, flat."""

    @property
    @abstractmethod
    def _flags(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """The flags by place, flat, and the bits of near kernels for them, or nothing."""

    @abstractmethod
    def _places(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places of cells."""

    @abstractmethod
    def _bounds_at(self, places: NDArray[np.int64], strengths: NDArray[np.float32]) -> LowerBounds:
        """The lower bounds for sources at these places."""

    @abstractmethod
    def _activate(self, places: NDArray[np.int64]) -> None:
        """Activate all that a change of these values can reach."""

    @abstractmethod
    def _walls_changed(self, changed: NDArray[np.int64]) -> None:
        """Take over changed walls and steps in these cells, ascending."""

    def _store(self, cells: NDArray[np.int64] | None) -> None:
        """Copy the values of these cells (None: of all) from `_by_cell` to `_by_place`."""

    @abstractmethod
    def _run(self, count: int) -> None:
        """Take `count` steps, without regard to lower bounds."""

    @abstractmethod
    def _units_of_a_step(self) -> Iterator[None]:
        """Take one step in units of work, without regard to lower bounds."""

    @abstractmethod
    def _settle(self, flags: NDArray[np.uint8], values: NDArray[np.float32]) -> None:
        """Set the values by place that endless steps would lead to from the pinned ones."""

    def _set(self, spread: SpreadSettings, every: float) -> None:
        """Set parameters."""
        self.spread = spread
        self._every = every
        self._bounds = None
        self._exponent = spread.exponent
        self._momentum = np.float32(spread.momentum)
        if spread.half_life is None:
            self._keep = np.float32(-1)
        else:
            self._keep = np.float32(0.5 ** (every / spread.half_life))
        self._floor = np.float32(min(spread.floor, float(np.finfo(np.float32).max)))

    def set_resistance(self, resistance: NDArray[np.float32] | None) -> None:
        """Set the resistance; see `Field.set_resistance`."""
        self.resistance = resistance
        self.tune(self.spread, self._every)

    def feed(self, sources: Sources) -> None:
        """Pin the cells of the sources; see `Field.feed`."""
        if self.space.walls_version != self._walls_version:
            self._follow_walls()
        if sources.rows.version != self._fed:
            self.pin(*sources.rows.pins(self.spread.stack))
            sources.rows.forget_changes()
            self._fed = sources.rows.version

    def pin(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> None:
        """Pin exactly these cells, ascending, at these values; with `pin=False` at least at these
        values.
        """
        before = self._places(self.pinned)
        places = self._places(cells)
        values = self._by_place
        flags, near_ground = self._flags
        if not self._signed and len(strengths) and strengths.min() < 0:
            self._signed = True
        if not self.spread.pin:
            strengths = self._bounded(places, strengths)
        changed = np.empty(len(before) + len(places), dtype=np.int64)
        count = kernels.spread.spread_tiles.pin(
            before, places, strengths, self.spread.pin, flags, near_ground, values, changed
        )
        self._stale = True
        self.pinned = cells
        self._activate(changed[:count])

    def _bounded(
        self, places: NDArray[np.int64], strengths: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Set the lower bounds, and return what the places hold now: their own values where these
        are above the bounds.
        """
        if len(places):
            self._bounds = self._bounds_at(places, strengths)
        else:
            self._bounds = None
        here = self._by_place[places]
        above = stronger(here, strengths)
        if self._bounds is not None and self._signed:
            above |= self._bounds.overruled(self._by_place, self._exponent, self._floor)
        return np.where(above & (self._flags[0][places] & _WALL == 0), here, strengths)

    def _follow_walls(self) -> None:
        """Take over changed walls: new ones lose their values unless a source is pinned there."""
        since = self._walls_version
        space = self.space
        if since < 0:
            changed = np.arange(len(space))
        else:
            changed = space.walls_changed(since)
        self._walls_version = space.walls_version
        if not self.spread.pin:
            self._fed = -1  # what arrives in the cells of sources has changed
        places = self._places(changed)
        flags = self._flags[0]
        walls = space.walls.reshape(-1)[changed].astype(np.uint8)
        flags[places] = (flags[places] & _PINNED) | walls
        self._by_place[places[flags[places] == _WALL]] = 0
        self._walls_changed(changed)
        self._stale = True
        self._activate(places)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Take over changed values of these cells (None: of all)."""
        self._fed = -1
        self._store(cells)
        if cells is None:
            self._signed = bool((self._by_place < 0).any())
            self._active_set.activate_all()
        else:
            places = self._places(cells)
            self._signed = self._signed or bool((self._by_place[places] < 0).any())
            self._activate(places)

    def run(self, count: int) -> None:
        """Take `count` steps."""
        if not self._active_set.active:
            return
        bounds = self._bounds
        if bounds is None:
            self._run(count)
            return
        for _ in range(count):
            overruled = self._overruled(bounds)
            self._run(1)
            self._raise(bounds, overruled)

    def step_in_units(self) -> Iterator[None]:
        """Take one step, a part of the map a unit; see `Field.step_in_units`."""
        bounds = self._bounds
        if bounds is None:
            overruled = None
        else:
            overruled = self._overruled(bounds)
        yield from self._units_of_a_step()
        if bounds is not None:
            self._raise(bounds, overruled)

    def _overruled(self, bounds: LowerBounds) -> NDArray[np.bool_] | None:
        if not self._signed:
            return None
        return bounds.overruled(self._by_place, self._exponent, self._floor)

    def _raise(self, bounds: LowerBounds, overruled: NDArray[np.bool_] | None) -> None:
        """Raise values to the lower bounds."""
        self._activate(bounds.apply(self._by_place, overruled))
        self._stale = True

    def attribution(self, cell: int, sources: Sources) -> Attribution:
        """Return the sources that support a cell; see `trace`."""
        return trace(self.values, self.space, sources, self.spread, cell, self.resistance)

    def state(self) -> dict[str, NDArray[Any]]:
        """The values and the pinned cells; see `Field.state`."""
        state: dict[str, NDArray[Any]] = {"values": self.values, "pinned": self.pinned}
        if self.resistance is None:
            return state
        return state | {"resistance": self.resistance}

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state; see `Field.restore`."""
        pinned = checked_pins(state["pinned"], len(self.space))
        if "resistance" in state:
            self.set_resistance(checked_resistance(state["resistance"], self.space.shape))
        self._by_cell[:] = state["values"].reshape(-1)
        self.touched(None)
        self.pin(pinned, self._by_cell[pinned])
        # The values may be older than a change of walls: the next step checks all walls.
        self._walls_version = -1

    def settle(self) -> None:
        """Set the values that endless steps would lead to: only what the sources support."""
        flags = self._flags[0].copy()
        values = self._by_place.copy()
        if self._bounds is not None:
            flags[self._bounds.cells] |= kernels.spread.spread_settled.SEED
            values[self._bounds.cells] = self._bounds.least
        if values.size < _FEW_CELLS:
            self._settle(flags, values)
        else:
            interruptible(lambda: self._settle(flags, values))
        self._by_place[:] = values
        self._stale = True
        _ = self._by_cell
        self.touched(None)
