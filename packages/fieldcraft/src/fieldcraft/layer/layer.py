"""The layer: a name, values, time and steps, whatever feeds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock, hooks
from fieldcraft.errors import InvalidValue, UnknownName, WrongLayer
from fieldcraft.interruption import A_FEW, breathe, in_parts
from fieldcraft.layer import terminal
from fieldcraft.layer.guard import Guard
from fieldcraft.layer.labels import unlabeled
from fieldcraft.layer.operand import Operand
from fieldcraft.propagation import Account, Field, Propagation
from fieldcraft.propagation.kinds import Device, field_on
from fieldcraft.sources import Sources
from fieldcraft.space import Space

__all__ = ["MOST_STEPS", "Layer", "LayerState", "Moving"]

MOST_STEPS = 2**31 - 1


@dataclass(frozen=True)
class LayerState:
    """A layer at one moment: what a copy and a save file hold."""

    name: str
    propagation: Propagation
    priority: float
    response: float | None
    every: int
    ticks: int
    due: int
    arrays: dict[str, NDArray[Any]]
    sources: Sources


class Layer(Operand):
    """One kind of influence on one space. Made by `InfluenceMap.add_layer`, which gives back what
    its propagation makes of it:

    - `SourceLayer` takes sources: a `SpreadLayer` with `Spread`, `Diffuse` or `Flood`, which takes
      deposits too, or a `RadialLayer`;
    - `MemoryLayer` takes marks, with `Fade`;
    - `TrailLayer` takes stamps and deposits, with `Trail`;
    - `ArrayLayer` carries an array of your own.

    Its values are float32 of shape (height, width), [row, column]; those with a propagation are 0
    on walls.
    """

    _instead: ClassVar[str] = "Add a layer of that kind"
    _field: Field

    def __init__(
        self,
        name: str,
        space: Space,
        propagation: Propagation,
        every: int,
        guard: Guard,
        *,
        priority: float = 0.0,
        response: float | None = None,
        device: Device | None = None,
    ) -> None:
        self.name = name
        self.priority = priority
        self.response = response
        self._shown = None if response is None else np.zeros(space.shape, dtype=np.float32)
        self.space = space
        self._guard = guard
        self._propagation = propagation
        self._every = every
        self._device = device
        self._field = field_on(device, propagation, space, clock.seconds(every))
        self._sources = Sources(space, guard)
        self._bound(self._sources)
        self._ticks = 0
        self._due = 0
        self._backlog = 0
        self._updates = 0
        self._work: Iterator[bool] | None = None
        self._version = 0
        self._walls_seen = space.walls_version
        self._unseen = np.zeros(0, dtype=np.int64)
        self._others: Mapping[str, Layer] = {}

    def __repr__(self) -> str:
        where = "" if self._device is None else f", on {self._device.carrier(self._field)}"
        return (
            f"<{type(self).__name__} {self.name!r} on"
            f" {' x '.join(map(str, self.space.shape[::-1]))}, {self._about()}{where}>"
        )

    def __str__(self) -> str:
        with self._guard:
            return (
                f"{self.name}: {len(self._sources)} sources, at {self.time:g}"
                f" s\n{terminal.drawn(self.space, self._values)}"
            )

    def _about(self) -> str:
        return f"{self.propagation}"

    if not TYPE_CHECKING:  # a type checker says itself what a layer cannot do

        def __getattr__(self, name: str) -> Any:
            others = "" if name.startswith("_") else hooks.others_with(name)
            if others:
                raise WrongLayer(
                    name, others, f"{self.name!r}, of class {type(self).__name__}", self._instead
                )
            return super().__getattr__(name)

        def __iadd__(self, other: Any) -> Any:
            raise InvalidValue(
                "Arithmetic on a layer returns an expression and changes no layer",
                got="an operator that assigns, such as layer += 1",
                remedy=(
                    "Write shifted = layer + 1, or layer.write(layer.values + 1) to change the"
                    " layer"
                ),
            )

        __isub__ = __imul__ = __itruediv__ = __ipow__ = __iand__ = __ior__ = __iadd__

    # What it holds

    @property
    def values(self) -> NDArray[np.float32]:
        """The values now: a read-only float32 view of shape (height, width), valid until the next
        change.
        """
        if self._field.lazy:
            with self._guard:
                view = self._values.view()
        else:
            view = self._values.view()
        view.flags.writeable = False
        return view

    @property
    def _values(self) -> NDArray[np.float32]:
        """The values now; walls that are newer than the last step read 0, but for sources."""
        values = self._field.values
        if self.space.walls_version == self._walls_seen or self._field.holds_walls:
            return values
        values = values.copy()
        values.reshape(-1)[self._new_walls()] = 0
        return values

    def _new_walls(self) -> NDArray[np.int64]:
        """Return the cells without sources that have become walls since the last step."""
        since = self._walls_seen
        changed = self._unseen if since < 0 else self.space.walls_changed(since)
        return changed[
            self.space.walls.reshape(-1)[changed] & ~np.isin(changed, self._sources.cells)
        ]

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return self._version + self.space.walls_version

    @property
    def time(self) -> float:
        """Seconds that this layer has lived through: its steps times their interval."""
        return clock.seconds(self._ticks)

    @property
    def propagation(self) -> Propagation | None:
        """How influence gets from cell to cell; None for an array of your own."""
        return self._propagation

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
            self._field.tune(self._propagation, self.every)

    def sample(
        self, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
    ) -> float | NDArray[np.float32]:
        """The values at world positions: a float for one (x, y) pair, (N,) float32 for an (N, 2)
        array.

        `how` is "nearest", the cell that holds the position, or "bilinear", between cells; see
        `fieldcraft.sample`.
        """
        with self._guard:
            if not isinstance(how, str) or how != "nearest":
                return hooks.sample(self, positions, how=how, outside=outside)
            cells = self.space.cell_at(positions, outside=outside)
            if self.space.walls_version == self._walls_seen:
                found = self._field.at(cells)
            else:
                found = np.asarray(self._values.reshape(-1)[cells])
            return float(found) if isinstance(cells, int) else found

    def account(self, cell: int) -> Account:
        """The account of a cell's value: ids of sources, the amount of each, and what kind of thing
        the remainder is.
        """
        with self._guard:
            return self._field.account(cell, self._sources)

    # All values at once

    def write(self, values: ArrayLike) -> None:
        """Replace all values by an array of shape (height, width). Cells of sources and walls take
        theirs back.

        On a layer of vectors the array is of shape (height, width, 2), as `vectors` are. On a
        radial layer, what is written stays until `validate` finds it; changes of sources add to it.

        Raises
        ------
        InvalidValue
            For another shape or dtype, NaN and infinity.
        """
        with self._guard:
            self._catch_up()
            self._field.write(
                _checked(
                    unlabeled(values, self.space),
                    self._field.shape,
                    vectors=self._field.shape != self.space.shape,
                )
            )
            self._version += 1

    def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """A copy of the values, into `out` (float32 of shape (height, width)) if given.

        It is what a game hands to a thread that draws: a map is used by one thread at a time, a
        copy by any.
        """
        with self._guard:
            if out is None:
                out = np.empty(self.space.shape, dtype=np.float32)
            elif (
                not isinstance(out, np.ndarray)
                or out.shape != self.space.shape
                or out.dtype != np.float32
                or not out.flags.writeable
            ):
                kind = (
                    f"{out.dtype} of shape {out.shape}"
                    if isinstance(out, np.ndarray)
                    else type(out).__name__
                )
                locked = (
                    ", read-only" if isinstance(out, np.ndarray) and not out.flags.writeable else ""
                )
                raise InvalidValue(
                    f"out is a writable float32 array of shape {self.space.shape}",
                    got=kind + locked,
                    remedy="Pass np.empty(layer.space.shape, np.float32), or leave it out",
                )
            if self.space.walls_version == self._walls_seen:
                self._field.read(out)
            else:
                out[...] = self._values
            return out

    # Steps

    def step(self, count: int = 1) -> None:
        """Make `count` updates, each worth `every` seconds of this layer's time.

        Ctrl-C ends a long count between two updates.
        """
        count = checks.whole("count", count, maximum=MOST_STEPS)
        with self._guard:
            if count <= A_FEW:
                self._take_steps(count)
                return
            for part in in_parts(count):
                self._take_steps(part)
                breathe()

    def _take_steps(self, count: int) -> None:
        if self._backlog:
            self._catch_up()
        while count > 0:
            self._feed()
            # A source may live through some of the steps only.
            until_expiry = -(-(self._sources.next_expiry - self._ticks) // self._every)
            batch = min(count, until_expiry)
            try:
                self._field.run(batch)
            except BaseException:
                self._field.mistrust()
                raise
            self._version += 1
            self._ticks += batch * self._every
            self._updates += batch
            self._follow(batch)
            count -= batch
        self._sources.expire(self._ticks)

    @property
    def updates(self) -> int:
        """How many updates this layer has made since it was added or loaded."""
        return self._updates

    @property
    def lag(self) -> float:
        """Seconds of updates that are due and not made yet, for want of budget."""
        return clock.seconds(self._backlog * self._every)

    @property
    def shown(self) -> NDArray[np.float32]:
        """The values as they are shown: following the true ones smoothly, with the half-time
        `response`; read-only.

        Without a `response` these are the values.
        """
        if self._shown is None:
            return self.values
        view = self._shown.view()
        view.flags.writeable = False
        return view

    # What the map does with its layers, and a device with those that agents leave something on

    def _updated(self, count: int) -> None:
        """Take notice of updates that a device made, along with agents."""
        self._version += count
        self._ticks += count * self._every
        self._updates += count
        self._follow(count)

    def _recovered(self, device: Device | None) -> int:
        """Go on elsewhere from what was last read back of a device; how many updates are gone with
        it.
        """
        held: Any = self._field
        state, gone = held.last_read(), int(held.unread)
        field = field_on(device, self._propagation, self.space, self.every)
        field.restore(state, self._sources)
        self._field, self._device, self._work = field, device, None
        self._version += 1
        self._ticks -= gone * self._every
        self._updates -= gone
        if self._shown is not None:
            self._shown[:] = self._values
        return gone

    def _pass_time(self, ticks: int, max_steps: int) -> tuple[int, int]:
        """Make the updates that fall due in so many ticks: (made, dropped beyond `max_steps`)."""
        due, self._due = divmod(self._due + ticks, self._every)
        made = due if self._field.timeless else min(due, max_steps)
        self.step(made)
        return made, due - made

    def _owe_time(self, ticks: int, max_steps: int) -> int:
        """Put the updates that fall due in so many ticks on the list for `_work_on`; how many were
        too many and dropped.
        """
        if self._field.timeless:
            return self._pass_time(ticks, max_steps)[1]
        due, self._due = divmod(self._due + ticks, self._every)
        dropped = max(self._backlog + due - max_steps, 0)
        self._backlog += due - dropped
        return dropped

    def _work_on(self) -> bool:
        """Do one unit of the work that is due, if there is any."""
        with self._guard:
            if self._work is None and self._backlog:
                self._work = self._work_off()
            if self._work is None:
                return False
            try:
                if next(self._work, False):
                    return True
            except BaseException:
                self._field.mistrust()
                self._work = None
                raise
            self._work = None
            return False

    def _work_off(self) -> Iterator[bool]:
        while self._backlog:
            self._feed()
            for _ in self._field.step_in_units():
                yield True
            self._backlog -= 1
            self._ticks += self._every
            self._updates += 1
            self._version += 1
            self._follow(1)

    def _catch_up(self) -> None:
        """Make the updates that are due, whatever they cost."""
        while (self._work is not None or self._backlog) and self._work_on():
            pass

    def _feed(self) -> None:
        self._walls_seen = self.space.walls_version
        self._sources.expire(self._ticks)
        if self._field.barrier is not None:
            barrier = self._others.get(self._field.barrier)
            self._field.bar(None if barrier is None else barrier._values)
        self._field.feed(self._sources)

    def _follow(self, updates: int) -> None:
        """Let what is shown come nearer to the values, by so many updates' time."""
        if self._shown is not None and self.response is not None:
            part = np.float32(1 - 0.5 ** (updates * self.every / self.response))
            self._shown += part * (self._values - self._shown)

    def _bound(self, sources: Sources) -> None:
        """Let sources refuse what the field can't hold."""

    def _state(self) -> LayerState:
        """All that `_restored` needs. Updates that are due are made first."""
        self._catch_up()
        arrays = self._field.state()
        if self._shown is not None:
            arrays["shown"] = self._shown
        if self._walls_seen != self.space.walls_version and not self._field.holds_walls:
            arrays["unseen"] = self._new_walls()
        return LayerState(
            self.name,
            self._propagation,
            self.priority,
            self.response,
            self._every,
            self._ticks,
            self._due,
            arrays,
            self._sources,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        with self._guard:
            return type(self).restored, (
                *(self._state(), self.space, self._guard, self._device),
                True,
            )

    @classmethod
    def restored(
        cls,
        state: LayerState,
        space: Space,
        guard: Guard,
        device: Device | None = None,
        own: bool = False,
    ) -> Self:
        """Return a layer that goes on, bit for bit, where the one of `state` stood: with a copy of
        its sources, or with these as its `own`.
        """
        layer = cls(
            state.name,
            space,
            state.propagation,
            state.every,
            guard,
            priority=state.priority,
            response=state.response,
            device=device,
        )
        if layer._shown is not None:
            layer._shown[:] = state.arrays["shown"]
        layer._ticks, layer._due = state.ticks, state.due
        layer._sources = state.sources if own else state.sources.copy(guard)
        layer._sources.guarded_by(guard)
        layer._bound(layer._sources)
        layer._field.restore(state.arrays, layer._sources)
        if "unseen" in state.arrays:
            layer._unseen, layer._walls_seen = state.arrays["unseen"], -1
        return layer


class Moving(Layer):
    """A layer with a propagation."""

    @property
    def propagation(self) -> Propagation:
        """How influence gets from cell to cell. May be changed while it runs; shows from the next
        step on.
        """
        return self._propagation

    @propagation.setter
    def propagation(self, propagation: Propagation) -> None:
        with self._guard:
            if type(propagation) is not type(self._propagation):
                raise InvalidValue(
                    "A layer keeps its kind of propagation, here"
                    f" {type(self._propagation).__name__}",
                    got=repr(propagation),
                    remedy="Add another layer for another kind",
                )
            self._catch_up()
            self._field.tune(propagation, self.every)
            self._propagation = propagation

    def tune(self, **parameters: Any) -> None:
        """Go on with other parameters of the propagation, such as `decay` and `momentum`; shows
        from the next step on.

        Raises
        ------
        UnknownName
            For what this propagation does not have, and what the propagation raises.
        """
        known = self._propagation.parameters()
        for name in parameters:
            if name not in known:
                raise UnknownName(f"parameter of {type(self._propagation).__name__}", name, known)
        self.propagation = type(self._propagation)(**{**self._propagation.settings(), **parameters})

    def settle(self) -> None:
        """Go at once where endless steps would lead; what was deposited or written is gone then. No
        time passes.
        """
        with self._guard:
            self._catch_up()
            self._feed()
            self._field.settle()
            self._version += 1


def _checked(values: ArrayLike, shape: tuple[int, ...], *, vectors: bool) -> NDArray[np.float32]:
    array = checks.array("Values", values)
    if array.shape != shape:
        hint = " (it looks like [x, y]: transpose it)" if array.shape == shape[::-1] else ""
        named = {
            1: "Values have the layer's shape (N,)",
            2: "Values have the layer's shape (height, width)",
        }
        raise InvalidValue(
            (
                "Values of a layer of vectors have the shape (height, width, 2)"
                if vectors
                else named[len(shape)]
            ),
            got=f"shape {array.shape} for a layer of {shape}{hint}",
            remedy=(
                "Pass one number per vertex"
                if len(shape) == 1
                else "Pass an array indexed [row, column]"
            ),
        )
    if array.dtype.kind not in "iufb":
        raise InvalidValue(
            "Values are numbers", got=f"dtype {array.dtype}", remedy="Pass a float32 array"
        )
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
