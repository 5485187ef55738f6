"""A named array of influence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.layer import terminal
from fieldcraft.layer.guard import Guard
from fieldcraft.layer.kinds import Kinds
from fieldcraft.propagation import Fade, Field, Flood, Propagation, Radial, Spread
from fieldcraft.propagation.canvas import Canvas
from fieldcraft.propagation.fade import FadeField
from fieldcraft.propagation.radial import MOST_STRENGTH
from fieldcraft.propagation.radial_field import RadialField
from fieldcraft.propagation.trail import TrailField
from fieldcraft.sources import Sources
from fieldcraft.space import AnySpace, grid_of

__all__ = ["Layer", "LayerState"]


@dataclass(frozen=True)
class LayerState:
    """A layer at one moment: what a copy and a save file hold."""

    name: str
    propagation: Propagation | None
    priority: float
    response: float | None
    every: int
    ticks: int
    due: int
    arrays: dict[str, NDArray[Any]]
    sources: Sources


class Layer(Kinds):
    """One kind of influence on one space, and its live sources. Made by `InfluenceMap.add_layer`.

    Its values are float32 of shape (height, width), [row, column]; those that spread or radiate are 0 on walls. A layer
    without propagation carries the array it was given and takes neither sources nor steps.
    """

    def __init__(
        self,
        name: str,
        space: AnySpace,
        propagation: Propagation | None,
        every: int,
        guard: Guard,
        *,
        priority: float = 0.0,
        response: float | None = None,
    ) -> None:
        self.name = name
        self.priority = priority
        self.response = response
        self._shown = None if response is None else np.zeros(space.shape, dtype=np.float32)
        self.space = space
        self._guard = guard
        self._propagation = propagation
        self._every = every
        self._field: Field | None = None if propagation is None else _field(propagation, space, clock.seconds(every))
        self._own = np.zeros(space.shape if propagation is None else 0, dtype=np.float32)
        self._canvas: Canvas | None = None
        self._sources = Sources(space, guard)
        self._limit_sources()
        self._ticks = 0
        self._due = 0
        self._validated = 0
        self._backlog = 0
        self._updates = 0
        self._work: Iterator[bool] | None = None
        self._version = 0

    def __repr__(self) -> str:
        return f"<Layer {self.name!r} on {' x '.join(map(str, self.space.shape[::-1]))}, {self._propagation}, {len(self._sources)} sources>"

    def __str__(self) -> str:
        with self._guard:
            return f"{self.name}: {len(self._sources)} sources, at {self.time:g} s\n{terminal.drawn(self.space, self._values)}"

    # What it holds

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now: a read-only float32 view of shape (height, width), valid until the next change."""
        view = self._values.view()
        view.flags.writeable = False
        return view

    @property
    def _values(self) -> NDArray[np.float32]:
        return self._own if self._field is None else self._field.values

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        # What fades shows walls at once, other layers at their next step.
        return self._version + self.space.walls_version if isinstance(self._field, FadeField) else self._version

    @property
    def time(self) -> float:
        """Seconds that this layer has lived through: its steps times their interval."""
        return clock.seconds(self._ticks)

    @property
    def propagation(self) -> Propagation | None:
        """How influence gets from cell to cell. May be changed while it runs; shows from the next step on."""
        return self._propagation

    @propagation.setter
    def propagation(self, propagation: Propagation) -> None:
        with self._guard:
            field = self._moving("propagation")
            if type(propagation) is not type(self._propagation):
                raise InvalidValue(
                    f"A layer keeps its kind of propagation, here {type(self._propagation).__name__}",
                    got=repr(propagation),
                    remedy="Add another layer for another kind",
                )
            self._catch_up()
            field.tune(propagation, self.every)
            self._propagation = propagation

    @property
    def every(self) -> float:
        """Seconds from one step to the next. May be changed while it runs."""
        return clock.seconds(self._every)

    @every.setter
    def every(self, every: float) -> None:
        with self._guard:
            interval = clock.ticks("every", every, minimum=1)
            self._catch_up()
            self._every = interval
            if self._field is not None and self._propagation is not None:
                self._field.tune(self._propagation, self.every)

    def sample(self, positions: ArrayLike, *, outside: str = "refuse") -> float | NDArray[np.float32]:
        """The values of the cells at world positions: a float for one (x, y) pair, (N,) float32 for an (N, 2) array."""
        with self._guard:
            cells = self.space.cell_at(positions, outside=outside)
            found = self._values.reshape(-1)[cells]
            return float(found) if isinstance(cells, int) else np.asarray(found)

    def contributions(self, cell: int) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """The ids of the sources of a radial layer that reach a cell, and what each adds there; None for other layers."""
        with self._guard:
            if not isinstance(self._field, RadialField):
                return None
            rows, amounts = self._field.contributions(cell)
            return self._sources.ids_of(rows), amounts

    # All values at once

    def write(self, values: ArrayLike) -> None:
        """Replace all values by an array of shape (height, width). Cells of sources and walls take theirs back.

        On a layer of vectors the array is of shape (height, width, 2), as `vectors` are. On a radial layer, what is written stays
        until `validate` finds it; changes of sources add to it.

        Raises `InvalidValue` for another shape or dtype, NaN and infinity.
        """
        with self._guard:
            field = self._field
            self._catch_up()
            if isinstance(field, TrailField) and field.trail.vector:
                checked = self._checked(values, (*self.space.shape, 2))
                checked[self.space.walls] = 0
                field.write_vectors(checked)
                self._version += 1
                return
            checked = self._checked(values, self.space.shape)
            if isinstance(field, RadialField) and (np.abs(checked) > MOST_STRENGTH).any():
                raise InvalidValue(
                    f"Values of a radial layer are at most {MOST_STRENGTH:,.0f} in size",
                    got=f"{float(np.abs(checked).max()):g}",
                    remedy="Count in larger units",
                )
            if isinstance(field, FadeField):
                field.admit(checked)
            self._values[:] = checked
            self._canvas = None
            self._version += 1
            if field is not None:
                self._values[self.space.walls] = 0
                field.touched(None)

    def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """A copy of the values, into `out` (float32 of shape (height, width)) if given."""
        with self._guard:
            if out is None:
                return self._values.copy()
            if not isinstance(out, np.ndarray) or out.shape != self.space.shape or out.dtype != np.float32 or not out.flags.writeable:
                kind = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
                locked = ", read-only" if isinstance(out, np.ndarray) and not out.flags.writeable else ""
                raise InvalidValue(
                    f"out is a writable float32 array of shape {self.space.shape}",
                    got=kind + locked,
                    remedy="Pass np.empty(layer.space.shape, np.float32), or leave it out",
                )
            out[:] = self._values
            return out

    # Steps

    def step(self, count: int = 1) -> None:
        """Make `count` updates, each worth `every` seconds of this layer's time."""
        count = checks.whole("count", count)
        with self._guard:
            self._catch_up()
            if self._field is None:
                self._ticks += count * self._every
                self._updates += count
                return
            while count > 0:
                self._feed()
                # A source may live through some of the steps only.
                until_expiry = -(-(self._sources.next_expiry - self._ticks) // self._every)
                batch = min(count, until_expiry)
                self._field.run(batch)
                self._version += 1
                self._ticks += batch * self._every
                self._updates += batch
                self._follow(batch)
                count -= batch
            self._sources.expire(self._ticks)

    def pass_time(self, ticks: int, max_steps: int) -> tuple[int, int]:
        """Make the updates that fall due in so many ticks: (made, dropped beyond `max_steps`)."""
        due, self._due = divmod(self._due + ticks, self._every)
        made = due if isinstance(self._field, FadeField) else min(due, max_steps)  # time that fades by costs nothing
        self.step(made)
        return made, due - made

    def owe_time(self, ticks: int, max_steps: int) -> int:
        """Put the updates that fall due in so many ticks on the list for `work`; how many were too many and dropped."""
        if isinstance(self._field, FadeField):
            return self.pass_time(ticks, max_steps)[1]
        due, self._due = divmod(self._due + ticks, self._every)
        dropped = max(self._backlog + due - max_steps, 0)
        self._backlog += due - dropped
        return dropped

    def work(self) -> bool:
        """Do one unit of the work that is due, if there is any."""
        with self._guard:
            if self._work is None and self._backlog:
                self._work = self._work_off()
            if self._work is None:
                return False
            if next(self._work, False):
                return True
            self._work = None
            return False

    @property
    def updates(self) -> int:
        """How many updates this layer has made since it was added or loaded."""
        return self._updates

    @property
    def staleness(self) -> float:
        """Seconds of updates that are due and not made yet, for want of budget."""
        return clock.seconds(self._backlog * self._every)

    @property
    def shown(self) -> NDArray[np.float32]:
        """The values as they are shown: following the true ones smoothly, with the half-time `response`; read-only.

        Without a `response` these are the values.
        """
        if self._shown is None:
            return self.values
        view = self._shown.view()
        view.flags.writeable = False
        return view

    def _follow(self, updates: int) -> None:
        """Let what is shown come nearer to the values, by so many updates' time."""
        if self._shown is not None and self.response is not None:
            part = np.float32(1 - 0.5 ** (updates * self.every / self.response))
            self._shown += part * (self._values - self._shown)

    def _work_off(self) -> Iterator[bool]:
        while self._backlog:
            self._feed()
            if self._field is not None:
                for _ in self._field.step_in_units():
                    yield True
            self._backlog -= 1
            self._ticks += self._every
            self._updates += 1
            self._version += 1
            self._follow(1)

    def _catch_up(self) -> None:
        """Make the updates that are due, whatever they cost."""
        while self.work():
            pass

    def copy(self, guard: Guard) -> Layer:
        """An independent copy, for a map with that guard."""
        return Layer.restored(self.state(), self.space, guard)

    def state(self) -> LayerState:
        """All that `restored` needs. Updates that are due are made first."""
        self._catch_up()
        arrays = self._field.state() if self._field else self._own_state()
        if self._shown is not None:
            arrays["shown"] = self._shown
        return LayerState(
            self.name, self._propagation, self.priority, self.response, self._every, self._ticks, self._due, arrays, self._sources
        )

    @classmethod
    def restored(cls, state: LayerState, space: AnySpace, guard: Guard) -> Layer:
        """A layer that goes on, bit for bit, where the one of `state` stood."""
        layer = cls(state.name, space, state.propagation, state.every, guard, priority=state.priority, response=state.response)
        if layer._shown is not None:
            layer._shown[:] = state.arrays["shown"]
        layer._ticks, layer._due = state.ticks, state.due
        layer._sources = state.sources.copy(guard)
        layer._limit_sources()
        if layer._field is None:
            layer._restore_own(state.arrays)
        else:
            layer._field.restore(state.arrays, layer._sources)
        return layer

    def validate(self, max_cells: int = 4096, *, rate: float | None = None) -> int:
        """Sweep on over the next `max_cells` cells of a radial layer, in whole bands of rows, and mend what is wrong there.

        Returns how many cells did not show what the live sources say. They are put right at once, or come nearer to it by
        `rate` per second of this layer's time since the last sweep. From any state, sweeps over the whole map end at what
        the sources say, and then find nothing.

        Source: the validation sweep of an influence map written for a course on game AI (GPR-440).
        """
        cells = checks.whole("max_cells", max_cells, minimum=1)
        with self._guard:
            if not isinstance(self._field, RadialField):
                raise InvalidValue(
                    "validate() is for layers with fc.Radial, whose sources say what each cell holds",
                    got=f"layer {self.name!r} with {type(self._propagation).__name__}",
                    remedy="Use layer.settle() on a layer that spreads",
                )
            self._catch_up()
            self._feed()
            most = None if rate is None else checks.positive("rate", rate) * clock.seconds(self._ticks - self._validated)
            self._validated = self._ticks
            wrong = self._field.validate(cells, most)
            self._version += 1
            return wrong

    def settle(self) -> None:
        """Go at once where endless steps would lead; what was deposited or written is gone then. No time passes."""
        with self._guard:
            field = self._moving("settle()")
            self._catch_up()
            self._feed()
            field.settle()
            self._version += 1

    def _feed(self) -> None:
        self._sources.expire(self._ticks)
        if self._field is not None:
            self._field.feed(self._sources)

    def _checked(self, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float32]:
        array = checks.array("Values", values)
        if array.shape != shape:
            hint = " (it looks like [x, y]: transpose it)" if array.shape == shape[::-1] else ""
            named = {1: "Values have the layer's shape (N,)", 2: "Values have the layer's shape (height, width)"}
            raise InvalidValue(
                named.get(len(shape), "Values of a layer of vectors have the shape (height, width, 2)"),
                got=f"shape {array.shape} for a layer of {shape}{hint}",
                remedy="Pass one number per vertex" if len(shape) == 1 else "Pass an array indexed [row, column]",
            )
        if array.dtype.kind not in "iufb":
            raise InvalidValue("Values are numbers", got=f"dtype {array.dtype}", remedy="Pass a float32 array")
        with np.errstate(over="ignore"):
            narrow = array.astype(np.float32) + np.float32(0)
        fits = np.abs(narrow) <= np.float32(checks.LARGEST)
        if not fits.all():
            index, place = checks.first(~fits)
            raise InvalidValue(
                f"Values are finite and at most {checks.LARGEST:g} in size",
                got=f"{array[index]} at {place}",
                remedy="Replace NaN, infinity and larger numbers before the call",
            )
        return narrow


def _field(propagation: Propagation, space: AnySpace, every: float) -> Field:
    if isinstance(propagation, (Spread, Radial, Fade, Flood)):
        return propagation.field(space, every)
    return propagation.field(grid_of(space, f"A layer with fc.{type(propagation).__name__}"), every)
