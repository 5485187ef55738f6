"""The base class of layers: a name, values, time and steps."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, NoSuchName, WrongLayer
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.base.state import NOT_A_STATE, copied, not_a_state
from fieldcraft.base.synonyms import refuse_to_set
from fieldcraft.base.words import Between, IfOutside
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.layers.forecast import Forecast
from fieldcraft.layers.propagation import PROPAGATIONS, Attribution, Propagation
from fieldcraft.layers.propagation.propagation import Device, field_on, spelled
from fieldcraft.layers.propagation.settings import (
    declared,
    has_state,
    propagation_of,
    state_of,
    values_of,
)
from fieldcraft.layers.sources import Sources
from fieldcraft.layers.steps import MOST_STEPS, Steps
from fieldcraft.space import Space
from fieldcraft.space.cells import Many, One
from fieldcraft.values.checked_arrays import checked_out, checked_resistance, checked_values
from fieldcraft.values.operand import Operand
from fieldcraft.values.printing import as_text
from fieldcraft.values.sampling import sample


class Layer(Operand):
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
        self._propagation = propagation
        self._device = device
        self.space = space
        field = field_on(device, propagation, space, clock.seconds(every))
        self.steps = Steps(space, field, Sources(space, lock), every, lock)

    def __setattr__(self, name: str, value: object) -> None:
        is_complete = "steps" in self.__dict__
        is_private = name.startswith("_")
        if is_complete and not is_private and not hasattr(type(self), name) and is_setting(name):
            raise InvalidValue(
                "The settings of a propagation are changed by tune()",
                got=f"layer.{name} = {value!r}",
                remedy=f"Write layer.tune({name}={value!r})",
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.space.shape[::-1]))
        where = ""
        if self._device is not None:
            where = f", on {self._device.device_name(self.steps.field)}"
        return f"<{type(self).__name__} {self.name!r} on {size}, {self._about()}{where}>"

    def __str__(self) -> str:
        with self.steps.lock:
            title = f"{self.name}: {len(self.steps.sources)} sources, at {self.time:g} s"
            return f"{title}\n{as_text(self.space, self.steps.values)}"

    def _about(self) -> str:
        return f"{self.propagation}"

    if not TYPE_CHECKING:  # type checkers report missing names themselves

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("_"):
                settings = values_of(self._propagation)
                if name in settings:
                    return settings[name]
                others = others_with(name)
                if others:
                    this = f"{self.name!r}, of class {type(self).__name__}"
                    raise WrongLayer(name, others, this, self._instead)
                if is_setting(name):
                    raise no_setting(name, self._propagation)
            return super().__getattr__(name)

    def _own_lock(self) -> SingleThreadLock:
        """See `Operand._own_lock`."""
        return self.steps.lock

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
        """The values: a float32 view of shape (height, width), valid until the next change.

        It is read-only. `write` replaces all values, a source holds one, `deposit` adds to one.
        For calculations of your own take a copy, `layer.values.copy()`.
        """
        steps = self.steps
        if steps.field.lazy:
            with steps.lock:
                view = steps.values.view()
        else:
            view = steps.values.view()
        view.flags.writeable = False  # not by read_only(): each sample comes here
        return view

    if not TYPE_CHECKING:  # type checkers refuse it themselves
        values = values.setter(refuse_to_set("values"))

    @property
    def propagation(self) -> Propagation | None:
        """How influence moves from cell to cell; None for an array of your own."""
        return self._propagation

    @property
    def version(self) -> int:
        """A number that changes whenever the values may have changed."""
        return self.steps.version

    @property
    def time(self) -> float:
        """Seconds that have passed for this layer: its steps times their interval."""
        return clock.seconds(self.steps.ticks)

    @property
    def every(self) -> float:
        """Seconds from one step to the next; may be set at any time. Time that has passed since the
        last step counts: a shorter interval may make steps due at once, in the next `advance`.
        """
        return clock.seconds(self.steps.every)

    @every.setter
    def every(self, every: float) -> None:
        with self.steps.lock:
            interval = clock.ticks("every", every, minimum=1)
            self.steps.catch_up()
            self.steps.field.tune(self._propagation, clock.seconds(interval))
            self.steps.every = interval
            self.steps.changes += 1

    @property
    def updates(self) -> int:
        """Number of steps since the layer was added or loaded."""
        return self.steps.updates

    @property
    def lag(self) -> float:
        """Seconds of steps that are due, and wait for a budget; see `InfluenceMap.advance`."""
        return clock.seconds(self.steps.backlog * self.steps.every)

    def step(self, count: int = 1) -> None:
        """Take `count` steps, each worth `every` seconds of this layer's time.

        Ctrl-C ends a long count between two steps.

        Parameters
        ----------
        count : int, optional
            At least 0.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("threat", fc.Spread(0.1, 1.0))
        >>> _ = threat.add_source((0.5, 0.5), 4.0)
        >>> threat.step(2)
        >>> threat.values.round(2)
        array([[4.  , 3.62, 3.27, 0.  , 0.  ]], dtype=float32)
        """
        count = checks.integer("count", count, maximum=MOST_STEPS)
        with self.steps.lock:
            self.steps.check_time(count * self.steps.every)
            self.steps.take_all(count)

    def advance(self, dt: float, *, max_steps: int = 8) -> tuple[int, int]:
        """Let `dt` seconds pass for this layer alone.

        For a layer that is the only one on its map: `InfluenceMap.advance` does it for all.

        Parameters
        ----------
        dt : float
            Seconds, at least 0.
        max_steps : int, optional
            The most steps in one call; more are dropped.

        Returns
        -------
        tuple of int
            The numbers of steps made and dropped.

        Raises
        ------
        InvalidValue
            As `InfluenceMap.advance` does.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> threat = fc.InfluenceMap(fc.Grid(5, 3)).add_layer("threat", fc.Spread(0.2))
        >>> threat.advance(0.25)
        (2, 0)
        """
        ticks = clock.ticks("dt", dt)
        most = checks.integer("max_steps", max_steps, minimum=1)
        with self.steps.lock:
            self.steps.check_time(ticks)
            return self.steps.pass_time(ticks, most)

    @overload
    def sample(
        self,
        positions: One,
        *,
        how: Between = ...,
        without: object = ...,
        outside: IfOutside = ...,
    ) -> float: ...
    @overload
    def sample(
        self,
        positions: Many,
        *,
        how: Between = ...,
        without: object = ...,
        outside: IfOutside = ...,
    ) -> NDArray[np.float32]: ...
    @overload
    def sample(
        self,
        positions: ArrayLike,
        *,
        how: Between = ...,
        without: object = ...,
        outside: IfOutside = ...,
    ) -> float | NDArray[np.float32]: ...
    def sample(
        self,
        positions: ArrayLike,
        *,
        how: Between = "nearest",
        without: object = None,
        outside: IfOutside = "refuse",
    ) -> float | NDArray[np.float32]:
        """Return the values at world positions; see `fieldcraft.sample`.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions.
        how : str, optional
            "nearest", the cell that contains the position, or "bilinear", between cells.
        without : hashable or sequence of hashable, optional
            Keys whose influence is left out, one for each position or one for all; see
            `fieldcraft.best`.
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
        steps = self.steps
        with steps.lock:
            if without is not None or not isinstance(how, str) or how != "nearest":
                return sample(self, positions, how=how, without=without, outside=outside)
            cells = self.space.cell_at(positions, outside=outside)
            if self.space.walls_version == steps.walls_seen:
                found = steps.field.at(cells)
            else:
                found = np.asarray(steps.values.reshape(-1)[cells])
            if isinstance(cells, int):
                return float(found)
            return found

    def at(self, t: float) -> Forecast:
        """Return the layer as it will be `t` seconds from now if nothing else changes.

        Sources continue with their velocities, paths and schedules, and end with their lifetimes;
        the layer takes its steps: the result is what `values` will be after `advance(t)`. With
        `Radial` it shows sources exactly where they are at that time, between two updates too,
        while `values` show those of the last update. The layer itself does not change; the result
        is a map that follows it.

        Parameters
        ----------
        t : float
            Seconds, at least 0.

        Raises
        ------
        InvalidValue
            For a time of more than a million steps.

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
        held = self.steps.field.resistance
        if held is None:
            return None
        return read_only(held)

    @resistance.setter
    def resistance(self, resistance: ArrayLike | None) -> None:
        with self.steps.lock:
            wanted = None
            if resistance is not None:
                wanted = checked_resistance(resistance, self.space)
            self.steps.catch_up()
            self.steps.field.set_resistance(wanted)
            self.steps.later_changes += 1

    def attribution(self, cell: int) -> Attribution:
        """Return the sources of a cell's value, the amount of each, and a name for the rest.

        `fieldcraft.explain` returns the same for a position, with sources as handles.
        """
        with self.steps.lock:
            found = checks.cell("cell", cell, len(self.space))
            return self.steps.field.attribution(found, self.steps.sources)

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
        with self.steps.lock:
            self.steps.catch_up()
            self.steps.field.write(checked_values(values, self.space, self.steps.field.shape))
            self.steps.changes += 1

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
        with self.steps.lock:
            if out is None:
                out = np.empty(self.space.shape, dtype=np.float32)
            else:
                checked_out(out, self.space.shape)
            if self.space.walls_version == self.steps.walls_seen:
                self.steps.field.read(out)
            else:
                out[...] = self.steps.values
            return out

    def _recovered(self, device: Device | None) -> int:
        """Continue elsewhere from the values that were last read from a device; returns how many
        steps are lost.
        """
        steps = self.steps
        lost: Any = steps.field
        state = lost.last_read()
        gone = int(lost.unread)
        field = field_on(device, self._propagation, self.space, self.every)
        field.restore(state, steps.sources)
        self._device = device
        steps.field = field
        steps.work = None
        steps.changes += 1
        steps.ticks -= gone * steps.every
        steps.updates -= gone
        return gone

    def state(self) -> dict[str, Any]:
        """Return all that can change as a dict of numbers, words, arrays and dicts of these, from
        which `restore` continues. Steps that are due are taken first.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> noise = imap.add_layer("noise", fc.Spread(decay=0.5))
        >>> _ = noise.add_source((0.5, 0.5), 8.0)
        >>> before = noise.state()
        >>> imap.step(3)
        >>> noise.restore(before)
        >>> noise.time, noise.values
        (0.0, array([[0., 0., 0.]], dtype=float32))
        """
        with self.steps.lock:
            return copied(self._state())

    def _state(self) -> dict[str, Any]:
        """Return the state with arrays that are valid until the next change."""
        return {
            **self.steps.state(),
            "every": self.steps.every,
            "settings": state_of(self._propagation),
            **self._rest(),
        }

    def _rest(self) -> dict[str, Any]:
        """Return the parts of the state that are not those of the steps."""
        return {"priority": self._priority}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from the `state` of this layer, or of another with the same kind of propagation
        on the same space, bit for bit.

        Sources keep their ids. Ids of sources that were added since the state may be used again.

        Raises
        ------
        InvalidValue
            For anything else; then nothing has changed.
        """
        with self.steps.lock:
            try:
                other = self._restored(state)
            except NOT_A_STATE as error:
                raise not_a_state(error) from error
            self._become(other)

    def _restored(self, state: Mapping[str, Any]) -> Self:
        """Return another layer that continues from a state of this one."""
        propagation = self._propagation
        if not has_state(propagation, state["settings"]):
            propagation = propagation_of(type(propagation), state["settings"])
        return self.restored(
            self._name,
            self.space,
            propagation,
            state,
            self.steps.lock,
            device=self._device,
            version=self.steps.sources.rows.version,
        )

    def _become(self, other: Self) -> None:
        """Take over all that can change of another layer, which is no longer used."""
        self._propagation = other._propagation
        self._priority = other._priority
        self.steps.become(other.steps)

    @classmethod
    def restored(
        cls,
        name: str,
        space: Space,
        propagation: Propagation,
        state: Mapping[str, Any],
        lock: SingleThreadLock,
        *,
        device: Device | None = None,
        version: int = 0,
    ) -> Self:
        """Return a new layer that continues from the state of one with this propagation on
        this space; the version of its sources is greater than `version`. Raises `ValueError`,
        `TypeError`, `LookupError` or `FieldcraftError` for others.
        """
        every = checks.integer("every", state["every"], minimum=1, maximum=clock.MOST_TICKS)
        layer = cls(name, space, propagation, every, lock, device=device)
        layer.steps.sources.rows.version = version
        layer.steps.restore(state)
        layer._restore_rest(state)
        return layer

    def _restore_rest(self, state: Mapping[str, Any]) -> None:
        """Continue from the parts of a state that are not those of the steps."""
        self._priority = checks.finite("priority", state["priority"])

    def _copied(self, lock: SingleThreadLock) -> Self:
        """Return an independent layer on the same space, which continues with the same bits."""
        twin = type(self)(
            self._name,
            self.space,
            self._propagation,
            self.steps.every,
            lock,
            priority=self._priority,
            device=self._device,
        )
        with self.steps.lock:
            twin.steps.copy_from(self.steps)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        # Handles refer to the sources, so a copy of both has one object for them.
        steps = self.steps
        with steps.lock:
            parameters = (self._name, self.space, self._propagation, steps.every, steps.lock)
            made_with = (type(self), parameters, self._device, steps.sources)
            return _with_sources, made_with, steps.values_state() | self._rest()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.steps.restore_values(state)
        self._restore_rest(state)


def _with_sources(
    kind: type[Layer], parameters: tuple[Any, ...], device: Device | None, sources: Sources
) -> Layer:
    """Return a layer with some sources, before its state is restored."""
    layer = kind(*parameters, device=device)
    layer.steps.sources = sources
    sources.set_lock(layer.steps.lock)
    return layer


@functools.cache
def is_setting(name: str) -> bool:
    """Return whether a propagation has a setting with this name."""
    return any(name in declared(kind) for kind in PROPAGATIONS.values())


def no_setting(name: str, propagation: Propagation) -> NoSuchName:
    """Return the error for a setting that only other propagations have."""
    kinds = [spelled(kind) for kind in PROPAGATIONS.values() if name in declared(kind)]
    return NoSuchName(
        f"{name} is a setting of {' and '.join(kinds)}",
        got=f".{name} of a layer with {spelled(type(propagation))}",
        remedy=f"Its settings are: {', '.join(declared(propagation)) or 'none'}",
    )


def others_with(method: str) -> str:
    """Return the propagations of the layers with a method, in the words of a message such as
    "layers with fc.Fade or fc.Trail"; "" if no layer has it.
    """
    kinds = [
        spelled(kind)
        for kind in PROPAGATIONS.values()
        if hasattr(Layer.kinds[kind.layer_kind], method)
    ]
    if hasattr(Layer.kinds["array"], method):
        kinds.append("an array of their own, imap.add_layer(name, values=array)")
    if not kinds:
        return ""
    if len(kinds) == 1:
        return f"layers with {kinds[0]}"
    return f"layers with {', '.join(kinds[:-1])} or {kinds[-1]}"
