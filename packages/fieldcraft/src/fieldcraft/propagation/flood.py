"""Flood: a hot front that goes on step by step, and ground that cools behind it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.interruption import poll_interrupt
from fieldcraft.propagation.field import Field, checked_pins, checked_resistance
from fieldcraft.propagation.kinds import Spreading
from fieldcraft.propagation.settings import choice, integer, number, text
from fieldcraft.sources import Sources
from fieldcraft.space import Space
from fieldcraft.space.adjacency import Adjacency

__all__ = ["Flood", "FloodField"]

_NONE = -1
_UNIT_CELLS = 4_000  # hot cells in a work unit of 0.25 ms


@dataclass(frozen=True)
class Flood(Spreading):
    """Let influence run over the map as a front.

    A source, or a deposit, sets its cell alight. In each step hot cells ignite all that lies one
    step beside them and was not touched before, and begin to cool by a constant. So after k steps
    the front is where one gets in k steps and not in fewer, as strong as it began, and behind it
    the heat falls off. The cell of a source stays hot.

    Each event is a flood of its own, of which those in one step are one: over ground that an older
    flood has touched a newer one runs again. A source that is put into another cell begins a new
    one.

    Parameters
    ----------
    cooling : float, optional
        What a cell loses in each step after the one in which it was ignited, as a share of the
        flood's strength, in [0, 1]. At 0 what was touched stays as it is: the ground that somebody
        can have reached by now.
    steps : int, optional
        How far a flood runs, in steps; None for as far as the ground goes.
    stack : str, optional
        "max": of several sources in a cell the strongest counts, the positive one of equals. "sum":
        they add.
    barrier : str, optional
        The name of a layer on the same map, such as one of the kind "barrier": where its values are
        above 0 as a step begins, floods do not enter. What burns there already goes on; where
        several steps fall due at once, it is looked at once.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    References
    ----------
    The chase of Dishonored 2, as told by Laurent Couvidou, "Flooding the Influence Map for Chase in
    Dishonored 2", Game AI Pro Online Edition 2021. With a barrier behind somebody who fled it is
    `fieldcraft.Pursuit`.
    """

    cooling: float = dataclasses.field(
        default=0.1,
        metadata=number("Part of the flood's strength that a cell loses at a step.", high=1.0),
    )
    steps: int | None = dataclasses.field(
        default=None, metadata=integer("How far a flood runs.", unit="steps", optional=True)
    )
    stack: str = dataclasses.field(
        default="max",
        metadata=choice("How several sources in one cell combine.", ("max", "sum")),
    )
    barrier: str | None = dataclasses.field(
        default=None, metadata=text("Name of the layer that floods do not enter.", optional=True)
    )

    _verb = "is a flood"

    def _field(self, space: Space, every: float) -> FloodField:
        """Values of this propagation on a space, all 0, that are updated `every` so many
        seconds.
        """
        return FloodField(self, space)


class FloodField(Field):
    """Floods over the cells of a space.

    Of each cell it is known in which step the last flood over it began (`_label`), when it was
    ignited, and how strong it was then.
    """

    remainder_is = "a flood"

    def __init__(self, flood: Flood, space: Space) -> None:
        self.space = space
        self.flood, self.barrier = flood, flood.barrier
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
        self._ways: Adjacency | None = None
        self._barred: NDArray[np.bool_] | None = None
        self._through: NDArray[np.float32] | None = None

    # What changes from outside

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Weaken floods by a factor of exp(-resistance) in each cell that they enter; see
        `Field.resist`.
        """
        self.resistance = resistance
        self._through = None if resistance is None else np.exp(-resistance.reshape(-1))

    def bar(self, values: NDArray[np.float32] | None) -> None:
        """Do not enter cells where these values are above 0; see `Field.bar`."""
        self._barred = None if values is None else values.reshape(-1) > 0

    def tune(self, flood: Flood, every: float) -> None:
        """Go on with other parameters; see `Field.tune`."""
        self.flood, self.barrier = flood, flood.barrier
        self._fed = -1
        self._cool()

    def feed(self, sources: Sources) -> None:
        """Keep the cells of the sources hot, and begin a flood in those that are new; see
        `Field.feed`.
        """
        self._follow_walls()
        if sources.version != self._fed:
            cells, strengths = sources.pins(self.flood.stack)
            sources.forget_changes()
            self._fed = sources.version
            new = ~np.isin(cells, self.pinned)
            self._forget(
                self.pinned[
                    self.space.walls.reshape(-1)[self.pinned] & ~np.isin(self.pinned, cells)
                ]
            )
            self.pinned = cells
            self._strength[cells] = strengths + np.float32(0)
            self._label[cells[new]] = self._now
            self._ignited[cells] = self._now
            self._heat(cells)

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Begin floods in these cells (None: in any) where there are values now, and none where
        there are not.
        """
        some = np.arange(len(self.space)) if cells is None else cells
        self._fed = -1
        lit = self._flat[some] != 0
        self._strength[some] = self._flat[some]
        self._label[some] = np.where(lit, self._now, _NONE)
        self._ignited[some] = self._label[some]
        self._front = self._front[self._label[self._front] >= 0]
        self._heat(some[lit])

    def _follow_walls(self) -> None:
        """A cell that becomes a wall is as if nothing had been there, unless a source stands in
        it.
        """
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
        self._ways = None
        self._forget(changed[~np.isin(changed, self.pinned)])

    def _forget(self, gone: NDArray[np.int64]) -> None:
        """Let cells be as if nothing had been there."""
        self._label[gone] = self._ignited[gone] = _NONE
        self._strength[gone] = 0
        self._flat[gone] = 0
        self._front = self._front[self._label[self._front] >= 0]

    def _heat(self, cells: NDArray[np.int64]) -> None:
        """Count cells as hot, and show what they hold."""
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
        if self._ways is None:
            self._ways = self.space.adjacency_from_walls
        found = 0
        since = 0 if self.flood.steps is None else self._now + 1 - self.flood.steps
        for first in range(0, len(self._front), _UNIT_CELLS):
            found = kernels.flood.ignite(
                self._ways.starts,
                self._ways.ends,
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
        if self._barred is not None:
            kept = ~self._barred[lit]
            self._next_label[lit[~kept]] = _NONE
            lit = lit[kept]
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
        """Show what the warm cells hold now, and forget those that are cold."""
        kept = kernels.flood.cool(
            self._label,
            self._ignited,
            self._strength,
            self._now,
            self.flood.cooling,
            self._warm,
            self._flat,
            self._is_warm,
        )
        self._warm = self._warm[:kept]

    def settle(self) -> None:
        """Let every flood run to its end, and cool."""
        self._runs = bool(len(self._front))
        while self._runs:
            self.run(1)
            poll_interrupt()
        if self.flood.cooling > 0:
            cold = self._warm[~np.isin(self._warm, self.pinned)]
            self._ignited[cold] = self._now - int(np.ceil(1 / self.flood.cooling)) - 1
            self._cool()

    # Coming back

    def state(self) -> dict[str, NDArray[Any]]:
        """The values, what is known of each cell, and the held ones; see `Field.state`."""
        marks = np.stack([self._label, self._ignited]).astype(np.int64)
        state: dict[str, NDArray[Any]] = {
            "values": self.values,
            "marks": marks,
            "strengths": self._strength,
            "front": np.unique(self._front),
            "pinned": self.pinned,
            "now": np.array([self._now], dtype=np.int64),
        }
        return state if self.resistance is None else state | {"resistance": self.resistance}

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        marks, strengths, front, now = (
            state["marks"],
            state["strengths"],
            state["front"],
            state["now"],
        )
        count = len(self.space)
        if now.dtype != np.int64 or now.shape != (1,) or not 0 <= now[0] < 2**31:
            raise ValueError("a step that is none")
        if (
            marks.dtype != np.int64
            or marks.shape != (2, count)
            or (marks < -(2**31)).any()
            or (marks > now[0]).any()
        ):
            raise ValueError("marks that are no steps")
        if (
            strengths.dtype != np.float32
            or strengths.shape != (count,)
            or not np.isfinite(strengths).all()
        ):
            raise ValueError("strengths that are none")
        if "resistance" in state:
            self.resist(checked_resistance(state["resistance"], self.space.shape))
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
