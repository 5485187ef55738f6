"""Flood: a hot front that moves one step at a time, and cells that cool behind it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.interruption import poll_interrupt
from fieldcraft.base.words import Combined
from fieldcraft.layers.propagation.propagation import (
    Field,
    Spreading,
    checked_pins,
    checked_resistance,
)
from fieldcraft.layers.propagation.settings import choice, integer, number, text
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space
from fieldcraft.space.adjacency import Adjacency

_NONE = -1
_UNIT_CELLS = 4_000  # hot cells in a work unit of 0.25 ms


@dataclass(frozen=True)
class Flood(Spreading):
    """Flood the map from sources and deposits: a front that moves on, and cools behind.

    A source or a deposit ignites its cell. Each step, hot cells ignite the cells one step away that
    the flood has not touched, and begin to cool by a constant. So after k steps the front is in the
    cells exactly k steps away, at full strength, and values fall behind it. The cell of a source
    stays hot.

    All ignitions of one step make one flood; a later flood burns again where an older one was. A
    source in another cell begins a new one.

    Parameters
    ----------
    cooling : float, optional
        Part of the flood's strength that a cell loses at each step after its ignition, in [0, 1].
        With 0 cells keep their value: the area that a target can have reached by now.
    steps : int, optional
        How far a flood runs; no limit by default.
    stack : str, optional
        How several sources in one cell combine. "max": the strongest counts, the positive one of
        equals. "sum": they add.
    barrier : str, optional
        Name of a layer on the same map that floods do not enter where its values are above 0 when a
        step begins. It is read once for all steps of one call. What is hot there cools as usual.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> alarm = fc.InfluenceMap(fc.Grid(6, 1)).add_layer("alarm", fc.Flood(cooling=0.25))
    >>> alarm.deposit((0.5, 0.5), 8.0)
    >>> alarm.step(3)
    >>> alarm.values
    array([[2., 4., 6., 8., 0., 0.]], dtype=float32)

    References
    ----------
    Laurent Couvidou, "Flooding the Influence Map for Chase in Dishonored 2", Game AI Pro Online
    Edition 2021. `fieldcraft.Pursuit` is a flood with a barrier behind the target.
    """

    cooling: float = dataclasses.field(
        default=0.1,
        metadata=number("Part of the flood's strength that a cell loses at a step.", high=1.0),
    )
    steps: int | None = dataclasses.field(
        default=None, metadata=integer("How far a flood runs.", unit="steps", optional=True)
    )
    stack: Combined = dataclasses.field(
        default="max",
        metadata=choice("How several sources in one cell combine.", ("max", "sum")),
    )
    barrier: str | None = dataclasses.field(
        default=None, metadata=text("Name of the layer that floods do not enter.", optional=True)
    )

    _verb = "is a flood"

    def field(self, space: Space, every: float) -> FloodField:
        """Return values of this kind on a space, all 0; `every` is the interval in seconds."""
        return FloodField(self, space)


class FloodField(Field):
    """Floods over the cells of a space.

    Each cell stores the step in which the last flood over it began (`_label`), the step of its
    ignition, and its strength then.
    """

    remainder_is = "a flood"

    def __init__(self, flood: Flood, space: Space) -> None:
        self.space = space
        self.flood = flood
        self.barrier = flood.barrier
        self.values: NDArray[np.float32] = np.zeros(space.shape, dtype=np.float32)
        self._flat = self.values.reshape(-1)
        count = len(space)
        self._label, self._ignited = (np.full(count, _NONE, dtype=np.int32) for _ in range(2))
        self._strength = np.zeros(count, dtype=np.float32)
        self._next_label = np.full(count, _NONE, dtype=np.int32)
        self._next_strength = np.zeros(count, dtype=np.float32)
        self._found = np.zeros(count, dtype=np.int64)
        self._is_warm = np.zeros(count, dtype=np.bool_)
        self._warm = np.zeros(0, dtype=np.int64)
        self._front = np.zeros(0, dtype=np.int64)
        self.pinned = np.zeros(0, dtype=np.int64)
        self._now = 0
        self._runs = False
        self._fed = -1
        self._walls_version = space.walls_version
        self._adjacency: Adjacency | None = None
        self._blocked: NDArray[np.bool_] | None = None
        self._through: NDArray[np.float32] | None = None

    # Settings, sources and walls

    def set_resistance(self, resistance: NDArray[np.float32] | None) -> None:
        """Weaken floods by a factor of exp(-resistance) in each cell that they enter; see
        `Field.set_resistance`.
        """
        self.resistance = resistance
        if resistance is None:
            self._through = None
        else:
            self._through = np.exp(-resistance.reshape(-1))

    def bar(self, values: NDArray[np.float32] | None) -> None:
        """Set a barrier: cells with values above 0 are not entered; see `Field.bar`."""
        if values is None:
            self._blocked = None
        else:
            self._blocked = values.reshape(-1) > 0

    def tune(self, flood: Flood, every: float) -> None:
        """Set parameters; see `Field.tune`."""
        self.flood = flood
        self.barrier = flood.barrier
        self._fed = -1
        self._cool()

    def feed(self, sources: Sources) -> None:
        """Keep the cells of sources hot, and begin floods in new ones; see `Field.feed`."""
        self._follow_walls()
        if sources.rows.version != self._fed:
            cells, strengths = sources.rows.pins(self.flood.stack)
            sources.rows.forget_changes()
            self._fed = sources.rows.version
            new = ~np.isin(cells, self.pinned)
            gone = self.pinned[~np.isin(self.pinned, cells)]
            self._forget(gone[self.space.walls.reshape(-1)[gone]])
            self.pinned = cells
            self._strength[cells] = strengths + np.float32(0)
            self._label[cells[new]] = self._now
            self._ignited[cells] = self._now
            self._heat(cells)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Begin floods in the cells among these (None: all) that are not 0, and end them in the
        others.
        """
        if cells is None:
            some = np.arange(len(self.space))
        else:
            some = cells
        self._fed = -1
        hot = self._flat[some] != 0
        self._strength[some] = self._flat[some]
        self._label[some] = np.where(hot, self._now, _NONE)
        self._ignited[some] = self._label[some]
        self._front = self._front[self._label[self._front] >= 0]
        self._heat(some[hot])

    def _follow_walls(self) -> None:
        """Reset new walls, unless a source is there."""
        version = self.space.walls_version
        if version == self._walls_version:
            return
        walls = self.space.walls.reshape(-1)
        if self._walls_version < 0:
            changed = np.flatnonzero(walls)
        else:
            changed = self.space.walls_changed(self._walls_version)
            changed = changed[walls[changed]]
        self._walls_version = version
        self._adjacency = None
        self._forget(changed[~np.isin(changed, self.pinned)])

    def _forget(self, gone: NDArray[np.int64]) -> None:
        """Reset cells to the state before any flood."""
        self._label[gone] = self._ignited[gone] = _NONE
        self._strength[gone] = 0
        self._flat[gone] = 0
        self._front = self._front[self._label[self._front] >= 0]

    def _heat(self, cells: NDArray[np.int64]) -> None:
        """Add cells to the front, and set their values."""
        self._front = np.concatenate([self._front, cells])
        fresh = cells[~self._is_warm[cells]]
        self._is_warm[fresh] = True
        self._warm = np.concatenate([self._warm, fresh])
        self._flat[cells] = self._strength[cells]

    # Steps

    def run(self, count: int) -> None:
        """Take `count` steps."""
        for made in range(count):
            if not len(self._front) and not len(self._warm):
                self._now += count - made  # nothing is hot or warm any more
                return
            for _ in self.step_in_units():
                pass

    def step_in_units(self) -> Iterator[None]:
        """Take one step, some hot cells a unit; see `Field.step_in_units`."""
        if self._adjacency is None:
            self._adjacency = self.space.adjacency_from_walls
        found = 0
        if self.flood.steps is None:
            since = 0
        else:
            since = self._now + 1 - self.flood.steps
        for first in range(0, len(self._front), _UNIT_CELLS):
            found = kernels.pursuit.flood_steps.ignite(
                self._adjacency.starts,
                self._adjacency.ends,
                self._front[first : first + _UNIT_CELLS],
                self._label,
                self._strength,
                since,
                found,
                self._next_label,
                self._next_strength,
                self._found,
            )
            if first + _UNIT_CELLS < len(self._front):
                yield
        self._now += 1
        lit = self._found[:found].copy()
        if self._through is not None:
            self._next_strength[lit] *= self._through[lit]
        if self._blocked is not None:
            is_open = ~self._blocked[lit]
            self._next_label[lit[~is_open]] = _NONE
            lit = lit[is_open]
        self._label[lit] = self._next_label[lit]
        held = self._strength[self.pinned]
        self._strength[lit] = self._next_strength[lit]
        self._strength[self.pinned] = held
        self._ignited[lit] = self._ignited[self.pinned] = self._now
        self._next_label[lit] = _NONE
        self._front = self.pinned
        self._runs = len(lit) > 0
        if self.flood.cooling > 0:
            self._cool()
        self._heat(lit)
        yield

    def _cool(self) -> None:
        """Update the values of warm cells, and drop cold ones."""
        count = kernels.pursuit.flood_steps.cool(
            self._label,
            self._ignited,
            self._strength,
            self._now,
            self.flood.cooling,
            self._warm,
            self._flat,
            self._is_warm,
        )
        self._warm = self._warm[:count]

    def settle(self) -> None:
        """Run every flood to its end, and cool."""
        self._runs = bool(len(self._front))
        while self._runs:
            self.run(1)
            poll_interrupt()
        if self.flood.cooling > 0:
            cold = self._warm[~np.isin(self._warm, self.pinned)]
            self._ignited[cold] = self._now - int(np.ceil(1 / self.flood.cooling)) - 1
            self._cool()

    # Saves

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the values, the marks of each cell, and the pinned ones; see `Field.state`."""
        marks = np.stack([self._label, self._ignited]).astype(np.int64)
        state: dict[str, NDArray[Any]] = {
            "values": self.values,
            "marks": marks,
            "strengths": self._strength,
            "front": np.unique(self._front),
            "pinned": self.pinned,
            "now": np.array([self._now], dtype=np.int64),
        }
        if self.resistance is None:
            return state
        return state | {"resistance": self.resistance}

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state; see `Field.restore`."""
        marks, strengths, front, now = (
            state[name] for name in ("marks", "strengths", "front", "now")
        )
        count = len(self.space)
        if now.dtype != np.int64 or now.shape != (1,) or not 0 <= now[0] < 2**31:
            raise ValueError("a number of steps out of range")
        if (
            marks.dtype != np.int64
            or marks.shape != (2, count)
            or (marks < -(2**31)).any()
            or (marks > now[0]).any()
        ):
            raise ValueError("marks that are not steps")
        if (
            strengths.dtype != np.float32
            or strengths.shape != (count,)
            or not np.isfinite(strengths).all()
        ):
            raise ValueError("strengths that are not finite numbers of the map")
        if "resistance" in state:
            self.set_resistance(checked_resistance(state["resistance"], self.space.shape))
        self.pinned = checked_pins(state["pinned"], count)
        self._front = checked_pins(front, count)
        self._now = int(now[0])
        self._label[:], self._ignited[:] = marks
        self._strength[:] = strengths
        self.values[:] = state["values"]
        self._warm = np.flatnonzero((self._flat != 0) | (np.isin(np.arange(count), self._front)))
        self._is_warm[:] = False
        self._is_warm[self._warm] = True
        self._walls_version = -1  # the state may be from before a change of walls
        self._fed = -1
