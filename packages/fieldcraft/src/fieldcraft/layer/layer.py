"""The layer: a name, values, time and steps, whatever feeds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import clock, hooks
from fieldcraft.errors import InvalidValue, WrongLayer
from fieldcraft.kernels.arrays import read_only
from fieldcraft.layer import terminal
from fieldcraft.layer.arrays import checked_resistance, checked_values
from fieldcraft.layer.forecast import Forecast
from fieldcraft.layer.operand import checked_out
from fieldcraft.layer.single_thread import SingleThreadLock
from fieldcraft.layer.stepping import SteppedLayer
from fieldcraft.propagation import PROPAGATIONS, Attribution, Propagation
from fieldcraft.propagation.kinds import Device, field_on
from fieldcraft.propagation.settings import declared
from fieldcraft.sources import Sources
from fieldcraft.space import Space
from fieldcraft.space.cells import Many, One

__all__ = ["Layer", "LayerState"]


@dataclass(frozen=True)
class LayerState:
    """A layer at one moment: what a copy and a save file hold."""

    name: str
    propagation: Propagation
    priority: float
    every: int
    ticks: int
    due: int
    arrays: dict[str, NDArray[Any]]
    sources: Sources


class Layer(SteppedLayer):
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

    def __init__(
        self,
        name: str,
        space: Space,
        propagation: Propagation,
        every: int,
        lock: SingleThreadLock,
        *,
        priority: float = 0.0,
        device: Device | None = None,
    ) -> None:
        self.name = name
        self.priority = priority
        self.space = space
        self._lock = lock
        self._propagation = propagation
        self._every = every
        self._device = device
        self._field = field_on(device, propagation, space, clock.seconds(every))
        self._sources = Sources(space, lock)
        self._bound(self._sources)
        self._ticks = self._due = self._backlog = self._updates = self._version = 0
        self._work = None
        self._walls_seen = space.walls_version
        self._unseen = np.zeros(0, dtype=np.int64)
        self._others = {}

    def __repr__(self) -> str:
        where = "" if self._device is None else f", on {self._device.carrier(self._field)}"
        return (
            f"<{type(self).__name__} {self.name!r} on"
            f" {' x '.join(map(str, self.space.shape[::-1]))}, {self._about()}{where}>"
        )

    def __str__(self) -> str:
        with self._lock:
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
            with self._lock:
                view = self._values.view()
        else:
            view = self._values.view()
        view.flags.writeable = False  # here and not in a function: every sample passes by
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
    def propagation(self) -> Propagation | None:
        """How influence gets from cell to cell; None for an array of your own."""
        return self._propagation

    @overload
    def sample(self, positions: One, *, how: str = ..., outside: str = ...) -> float: ...
    @overload
    def sample(
        self, positions: Many, *, how: str = ..., outside: str = ...
    ) -> NDArray[np.float32]: ...
    @overload
    def sample(
        self, positions: ArrayLike, *, how: str = ..., outside: str = ...
    ) -> float | NDArray[np.float32]: ...
    def sample(
        self, positions: ArrayLike, *, how: str = "nearest", outside: str = "refuse"
    ) -> float | NDArray[np.float32]:
        """The values at world positions: a float for one (x, y) pair, (N,) float32 for an (N, 2)
        array.

        `how` is "nearest", the cell that holds the position, or "bilinear", between cells; see
        `fieldcraft.sample`.
        """
        with self._lock:
            if not isinstance(how, str) or how != "nearest":
                return hooks.sample(self, positions, how=how, outside=outside)
            cells = self.space.cell_at(positions, outside=outside)
            if self.space.walls_version == self._walls_seen:
                found = self._field.at(cells)
            else:
                found = np.asarray(self._values.reshape(-1)[cells])
            return float(found) if isinstance(cells, int) else found

    def at(self, t: float) -> Forecast:
        """Return the layer as it will be `t` seconds from now if nothing else changes, as a map.

        Sources go on with their velocities, paths and schedules, and end with their lifetimes; the
        layer takes its steps. The layer itself stays as it is, and the map follows it.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> smoke = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("smoke", fc.Fade(1.0))
        >>> smoke.mark((1.5, 0.5), 5.0)
        >>> smoke.at(2.0).values.round(1)
        array([[0. , 4.6, 0. ]], dtype=float32)
        """
        return Forecast(self, t)

    @property
    def resistance(self) -> NDArray[np.float32] | None:
        """Attenuation of what enters each cell (doors, smoke, undergrowth): read-only float32 in
        the shape of `values`, or None.

        Set it to an array, or to a layer or expression, whose values at that moment are copied. It
        takes effect with the next step, and is saved and copied with the layer. What it does
        depends on the propagation:

        - `Spread`: a step into a cell loses its resistance on top of `decay` times the length of
          the step. With an exponential falloff that is a factor of `exp(-resistance)`, else an
          amount of the root that falls off.
        - `Diffuse`: the part `exp(-resistance)` of each share enters the cell, and the rest stays
          where it was.
        - `Flood`: a flood is weaker by `exp(-resistance)` from the cell on.
        - `Radial(metric="path")`: the walk from a source is longer by the resistance of each cell
          that it enters, in world units.

        Layers with another propagation refuse it with `InvalidValue`, as all do for other shapes,
        negative numbers, NaN and infinity. `Spread` on a grid runs slower with a resistance.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 1))
        >>> noise = imap.add_layer("noise", fc.Spread(decay=0.0, momentum=1.0))
        >>> _ = noise.add_source((0.5, 0.5), 8.0)
        >>> noise.resistance = [[0, 0, 0.7, 0, 0]]
        >>> imap.step(5)
        >>> noise.values.round(1)
        array([[8., 8., 4., 4., 4.]], dtype=float32)
        """
        held = self._field.resistance
        return None if held is None else read_only(held)

    @resistance.setter
    def resistance(self, resistance: ArrayLike | None) -> None:
        with self._lock:
            wanted = None
            if resistance is not None:
                wanted = checked_resistance(resistance, self.space)
            self._catch_up()
            self._field.resist(wanted)

    def attribution(self, cell: int) -> Attribution:
        """The account of a cell's value: ids of sources, the amount of each, and what kind of thing
        the remainder is.
        """
        with self._lock:
            return self._field.attribution(cell, self._sources)

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
        with self._lock:
            self._catch_up()
            self._field.write(checked_values(values, self.space, self._field.shape))
            self._version += 1

    def read(self, out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """A copy of the values, into `out` (float32 of shape (height, width)) if given.

        It is what a game hands to a thread that draws: a map is used by one thread at a time, a
        copy by any.
        """
        with self._lock:
            if out is None:
                out = np.empty(self.space.shape, dtype=np.float32)
            elif (
                not isinstance(out, np.ndarray)
                or not out.flags.writeable
                or out.shape != self.space.shape
                or out.dtype != np.float32
            ):
                checked_out(out, self.space.shape)  # raises, and says why
            if self.space.walls_version == self._walls_seen:
                self._field.read(out)
            else:
                out[...] = self._values
            return out

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
        return gone

    def _bound(self, sources: Sources) -> None:
        """Let sources refuse what the field can't hold."""

    def _state(self) -> LayerState:
        """All that `_restored` needs. Updates that are due are made first."""
        self._catch_up()
        arrays = self._field.state()
        if self._walls_seen != self.space.walls_version and not self._field.holds_walls:
            arrays["unseen"] = self._new_walls()
        return LayerState(
            self.name,
            self._propagation,
            self.priority,
            self._every,
            self._ticks,
            self._due,
            arrays,
            self._sources,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            return type(self).restored, (
                *(self._state(), self.space, self._lock, self._device),
                True,
            )

    @classmethod
    def restored(
        cls,
        state: LayerState,
        space: Space,
        lock: SingleThreadLock,
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
            lock,
            priority=state.priority,
            device=device,
        )
        layer._ticks, layer._due = state.ticks, state.due
        layer._sources = state.sources if own else state.sources.copy(lock)
        layer._sources.set_lock(lock)
        layer._bound(layer._sources)
        layer._field.restore(state.arrays, layer._sources)
        if "unseen" in state.arrays:
            layer._unseen, layer._walls_seen = state.arrays["unseen"], -1
        return layer


class _Setting:
    """A setting of propagations: assigning it to a layer raises `InvalidValue`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, layer: Any, owner: Any = None) -> Any:
        raise AttributeError(f"{self.name!r} is a setting of a propagation, not of a layer")

    def __set__(self, layer: Any, value: Any) -> None:
        raise InvalidValue(
            "The settings of a propagation are changed by tune()",
            got=f"layer.{self.name} = {value!r}",
            remedy=f"Write layer.tune({self.name}={value!r})",
        )


for _name in {name for kind in PROPAGATIONS.values() for name in declared(kind)}:
    setattr(Layer, _name, _Setting(_name))
