"""The base class of layers: a name, values, time and steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, NoSuchName, WrongLayer
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.forecast import Forecast
from fieldcraft.layers.propagation import PROPAGATIONS, Attribution, Propagation
from fieldcraft.layers.propagation.propagation import Device, checked_pins, field_on
from fieldcraft.layers.propagation.settings import values_of
from fieldcraft.layers.sources import Sources
from fieldcraft.layers.steps import SteppedLayer
from fieldcraft.space import Space
from fieldcraft.space.cells import Many, One
from fieldcraft.space.changes import UNKNOWN
from fieldcraft.values.printing import as_text, checked_out, checked_resistance, checked_values
from fieldcraft.values.sampling import sample


@dataclass(frozen=True)
class LayerState:
    """A layer at one moment: the contents of a copy and of a save."""

    name: str
    propagation: Propagation
    priority: float
    every: int
    ticks: int
    due: int
    arrays: dict[str, NDArray[Any]]
    sources: Sources


class Layer(SteppedLayer):
    """One kind of influence on one space.

    `InfluenceMap.add_layer` makes one of these, by its propagation:

    - `SpreadLayer`, with `Spread`, `Diffuse` or `Flood`: takes sources and deposits
    - `RadialLayer`, with `Radial`: takes sources
    - `MemoryLayer`, with `Fade`: takes marks
    - `TrailLayer`, with `Trail`: takes stamps and deposits
    - `ArrayLayer`, without a propagation: contains an array of your own

    Values are float32 of shape (height, width), indexed [row, column]; with a propagation they are
    0 on walls.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> layer = fc.InfluenceMap(fc.Grid(4, 3)).add_layer("threat", fc.Radial(2))
    >>> layer.name
    'threat'
    >>> layer.values.shape, layer.values.dtype
    ((3, 4), dtype('float32'))
    """

    _instead: ClassVar[str] = "Add a layer of that kind"
    kinds: ClassVar[dict[str, type[Layer]]] = {}
    """The class of layer for each kind of propagation."""

    def __init_subclass__(cls, *, kind: str | None = None) -> None:
        super().__init_subclass__()
        if kind is not None:
            Layer.kinds[kind] = cls

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
        self._name = name
        self._priority = priority
        self.space = space
        self._lock = lock
        self._propagation = propagation
        self._every = every
        self._device = device
        self._field = field_on(device, propagation, space, clock.seconds(every))
        self._sources = Sources(space, lock)
        self._field.limit(self._sources)
        self._ticks = self._due = self._backlog = self._updates = self._version = 0
        self._later = 0
        self._work = None
        self._walls_seen = space.walls_version
        self._sources_seen = 0
        self._unseen = np.zeros(0, dtype=np.int64)
        """With `_walls_seen` UNKNOWN: cells whose walls changed up to version `_unseen_until`."""
        self._unseen_until = self._walls_seen
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
                f" s\n{as_text(self.space, self._values)}"
            )

    def _about(self) -> str:
        return f"{self.propagation}"

    if not TYPE_CHECKING:  # type checkers report missing names themselves

        def __getattr__(self, name: str) -> Any:
            others = "" if name.startswith("_") else others_with(name)
            if others:
                this = f"{self.name!r}, of class {type(self).__name__}"
                raise WrongLayer(name, others, this, self._instead)
            if not name.startswith("_") and name in values_of(self._propagation):
                raise NoSuchName(
                    "The settings of a propagation are read from it",
                    got=f"layer.{name}",
                    remedy=f"Write layer.propagation.{name}, and layer.tune({name}=...) to change"
                    " it",
                )
            return super().__getattr__(name)

    @property
    def name(self) -> str:
        """Its name on the map, which does not change."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        raise InvalidValue(
            "A layer keeps the name that it was added with",
            got=f"layer.name = {name!r} for layer {self._name!r}",
            remedy="Pass another name to add_layer()",
        )

    @property
    def priority(self) -> float:
        """With a budget, `InfluenceMap.advance` updates layers of higher priority first; may be set
        at any time.
        """
        return self._priority

    @priority.setter
    def priority(self, priority: float) -> None:
        self._priority = checks.finite("priority", priority)

    @property
    def values(self) -> NDArray[np.float32]:
        """The values: a read-only float32 view of shape (height, width), valid until the next
        change.
        """
        if self._field.lazy:
            with self._lock:
                view = self._values.view()
        else:
            view = self._values.view()
        view.flags.writeable = False  # not by read_only(): each sample comes here
        return view

    @property
    def _values(self) -> NDArray[np.float32]:
        """The values now; walls that are newer than the last step read 0, but for sources."""
        values = self._field.values
        if self.space.walls_version == self._walls_seen or self._field.has_wall_values:
            return values
        values = values.copy()
        values.reshape(-1)[self._new_walls()] = 0
        return values

    def _new_walls(self) -> NDArray[np.int64]:
        """Return the cells without sources that have become walls since the last step."""
        changed = self._changed_cells()
        return changed[
            self.space.walls.reshape(-1)[changed] & ~np.isin(changed, self._sources.cells)
        ]

    def _changed_cells(self) -> NDArray[np.int64]:
        """Return the cells whose walls have changed since the last step, ascending."""
        if self._walls_seen != UNKNOWN:
            return self.space.walls_changed(self._walls_seen)
        return np.union1d(self._unseen, self.space.walls_changed(self._unseen_until))

    @property
    def propagation(self) -> Propagation | None:
        """How influence moves from cell to cell; None for an array of your own."""
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
        """Return the values at world positions; see `fieldcraft.sample`.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions.
        how : str, optional
            "nearest", the cell that contains the position, or "bilinear", between cells.
        outside : str, optional
            "refuse" positions off the map, or "clamp" them to the rim.

        Returns
        -------
        float or ndarray of float32
            A float for one position, else shape (N,).

        Raises
        ------
        OutsideMap
            If a position is outside the map.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> height = imap.add_layer("height", values=[[0, 2, 8]])
        >>> height.sample((1.5, 0.5))
        2.0
        >>> height.sample([(1.5, 0.5), (2.0, 0.5)], how="bilinear")
        array([2., 5.], dtype=float32)
        """
        with self._lock:
            if not isinstance(how, str) or how != "nearest":
                return sample(self, positions, how=how, outside=outside)
            cells = self.space.cell_at(positions, outside=outside)
            if self.space.walls_version == self._walls_seen:
                found = self._field.at(cells)
            else:
                found = np.asarray(self._values.reshape(-1)[cells])
            return float(found) if isinstance(cells, int) else found

    def at(self, t: float) -> Forecast:
        """Return the layer as it will be `t` seconds from now if nothing else changes.

        Sources continue with their velocities, paths and schedules, and end with their lifetimes;
        the layer takes its steps. The layer itself does not change; the result is a map that
        follows it.

        Parameters
        ----------
        t : float
            Seconds, at least 0.

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

        Set it to an array, or to a layer or expression, which is copied as it is at that moment. It
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
            self._field.set_resistance(wanted)
            self._later += 1

    def attribution(self, cell: int) -> Attribution:
        """Return the sources of a cell's value, the amount of each, and a name for the rest.

        `fieldcraft.explain` returns the same for a position, with sources as handles.
        """
        with self._lock:
            found = checks.cell("cell", cell, len(self.space))
            return self._field.attribution(found, self._sources)

    def write(self, values: ArrayLike) -> None:
        """Replace all values. Sources and walls determine their cells again from the next step on.

        On a radial layer the values stay until `validate` corrects them; changes of sources add to
        them.

        Parameters
        ----------
        values : array_like of shape (height, width)
            Finite numbers; for a layer of vectors of shape (height, width, 2), as in `vectors`.

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
        """Return a copy of the values, which another thread can use, to draw them for example.

        Parameters
        ----------
        out : ndarray of float32, shape (height, width), optional
            Where to copy them to.

        Raises
        ------
        InvalidValue
            If `out` has another shape or dtype, or is read-only.
        """
        with self._lock:
            if out is None:
                out = np.empty(self.space.shape, dtype=np.float32)
            else:
                checked_out(out, self.space.shape)
            if self.space.walls_version == self._walls_seen:
                self._field.read(out)
            else:
                out[...] = self._values
            return out

    def _recovered(self, device: Device | None) -> int:
        """Continue elsewhere from the values that were last read from a device; returns how many
        steps are lost.
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

    def _state(self) -> LayerState:
        """The arguments of `restored`. Steps that are due are taken first."""
        self._catch_up()
        arrays = self._field.state()
        if self._walls_seen != self.space.walls_version and not self._field.has_wall_values:
            arrays["unseen"] = self._changed_cells()
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
        """Return a layer that continues from a state, bit for bit, with a copy of its sources, or
        with these themselves (`own`).
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
        layer._field.limit(layer._sources)
        layer._field.restore(state.arrays, layer._sources)
        if "unseen" in state.arrays:
            layer._unseen = checked_pins(state.arrays["unseen"], len(space))
            layer._unseen_until = space.walls_version
            layer._walls_seen = UNKNOWN
        return layer


def others_with(method: str) -> str:
    """Return the propagations of the layers with a method, in the words of a message such as
    "layers with fc.Fade or fc.Trail"; "" if no layer has it.
    """
    kinds = [
        f"fc.{kind.__name__}"
        for kind in PROPAGATIONS.values()
        if hasattr(Layer.kinds[kind._layer_kind], method)
    ]
    if hasattr(Layer.kinds["array"], method):
        kinds.append("an array of their own, imap.add_layer(name, values=array)")
    if not kinds:
        return ""
    return f"layers with {', '.join(kinds[:-1])}{' or ' if kinds[1:] else ''}{kinds[-1]}"
