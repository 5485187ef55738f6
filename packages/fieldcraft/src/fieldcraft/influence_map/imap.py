"""The layers on one space."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft import checks, clock, extensions, hooks
from fieldcraft.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.interruption import A_FEW, breathe, in_parts
from fieldcraft.layer import (
    ArrayLayer,
    Guard,
    Layer,
    MemoryLayer,
    RadialLayer,
    SpreadLayer,
    TrailLayer,
)
from fieldcraft.layer.making import LAYERS
from fieldcraft.layer.stepping import MOST_STEPS
from fieldcraft.propagation import Propagation, Radial, Spread
from fieldcraft.propagation.carried import Carried
from fieldcraft.propagation.kinds import Device, Gathering, Radiating, Remembering, Spreading
from fieldcraft.propagation.presets import DYNAMIC, KINDS, STATIC
from fieldcraft.space import Space, checked_space, grid_of

if TYPE_CHECKING:
    from fieldcraft.compose.teams import Teams

__all__ = ["Advance", "InfluenceMap"]

Kind = TypeVar("Kind", bound=Layer)
_log = logging.getLogger("fieldcraft")


@dataclass(frozen=True)
class Advance:
    """The outcome of one `InfluenceMap.advance`: the steps made and the steps dropped, by layer
    name; the units of work it took.
    """

    steps: Mapping[str, int]
    dropped: Mapping[str, int]
    units: int = 0

    @property
    def is_late(self) -> bool:
        """Whether any steps were dropped: layers have lived through less time than the map was told
        of.
        """
        return any(self.dropped.values())

    def __str__(self) -> str:
        made = ", ".join(f"{name} {count}" for name, count in self.steps.items())
        lost = ", ".join(f"{name} {count}" for name, count in self.dropped.items() if count)
        return f"steps: {made or 'none'}" + (
            f"; dropped for want of max_steps: {lost}" if lost else ""
        )


class LayerSettings(TypedDict, total=False):
    """The keywords of `InfluenceMap.add_layer`."""

    every: float
    cell_size: float | None
    walls: ArrayLike | bool | None
    values: ArrayLike | None
    priority: float
    response: float | None
    device: Device | str | None


class InfluenceMap:
    """Layers of influence on one space.

    `device` says what carries the values of its layers: see `add_layer`; by default the CPU.

    Used by one thread at a time; a second one is told so by `ConcurrentUse`.
    """

    _has_warned = False
    _watch: Any = None

    def __init__(self, space: Space, *, device: Device | str | None = None) -> None:
        self.space: Space = checked_space(space, "An influence map lies on")
        self.device = _carrier(device)
        self._layers: dict[str, Layer] = {}
        self._ticks = 0
        self._next = ""
        self._guard = Guard()

    def _repr_html_(self) -> str:
        return hooks.html_of(self)

    def __repr__(self) -> str:
        return f"<InfluenceMap on {self.space!r}: {', '.join(self._layers) or 'no layers'}>"

    def __getitem__(self, name: str) -> Layer:
        try:
            return self._layers[name]
        except Exception:  # of what can't be hashed, too
            raise UnknownName("layer", name, self._layers) from None

    def layer(self, name: str, kind: type[Kind]) -> Kind:
        """The layer of that name, known to be of a kind: `imap.layer("noise",
        fc.layer.SourceLayer)`, for type checkers and editors.

        Raises
        ------
        UnknownName
            If there is nothing of that name.
        InvalidValue
            For a layer of another kind.
        """
        layer = self[name]
        if not isinstance(layer, kind):
            raise InvalidValue(
                f"Layer {name!r} is a {type(layer).__name__}",
                got=f"a wish for a {kind.__name__}",
                remedy="Ask for that",
            )
        return layer

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._layers

    def __iter__(self) -> Iterator[str]:
        return iter(self._layers)

    def __len__(self) -> int:
        return len(self._layers)

    @property
    def layers(self) -> Mapping[str, Layer]:
        """The layers by name, in the order in which they were added; read-only."""
        return MappingProxyType(self._layers)

    @property
    def time(self) -> float:
        """Seconds that `advance` has been told of."""
        return clock.seconds(self._ticks)

    @overload
    def add_layer(
        self, name: str, propagation: Spreading, **settings: Unpack[LayerSettings]
    ) -> SpreadLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Radiating, **settings: Unpack[LayerSettings]
    ) -> RadialLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Remembering, **settings: Unpack[LayerSettings]
    ) -> MemoryLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Gathering, **settings: Unpack[LayerSettings]
    ) -> TrailLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: None = None, **settings: Unpack[LayerSettings]
    ) -> ArrayLayer: ...
    @overload
    def add_layer(
        self, name: str, propagation: Propagation | None = None, **settings: Unpack[LayerSettings]
    ) -> Layer: ...
    def add_layer(
        self,
        name: str,
        propagation: Propagation | None = None,
        *,
        every: float = 0.1,
        cell_size: float | None = None,
        walls: ArrayLike | bool | None = None,
        values: ArrayLike | None = None,
        priority: float = 0.0,
        response: float | None = None,
        device: Device | str | None = None,
    ) -> Layer:
        """Add a layer and return it.

        Parameters
        ----------
        name : str
            A new one, not empty.
        propagation : Propagation, optional
            How influence gets from cell to cell, `Spread`, `Diffuse`, `Flood`, `Radial`, `Fade` or
            `Trail`; it says what feeds the layer, see `Layer`. Without one it carries the array
            `values`.
        every : float, optional
            Seconds between two updates.
        cell_size : float, optional
            The layer's own, coarser cells: a whole multiple of the map's.
        walls : array_like or bool, optional
            The layer's own walls, bool of the map's shape (height, width), for another mobility;
            False for none (air).
        values : array_like, optional
            What it starts with, of the layer's shape.
        priority : float, optional
            Where `advance` has a budget, layers of higher priority are brought up to date first.
        response : float, optional
            Half-time in seconds with which `layer.shown` follows the values.
        device : Device or str, optional
            What carries its values, in place of the map's: "gpu" for the first graphics card,
            "cpu", one of `fc.gpu.device()`, or "auto" for a card where it can carry this layer, and
            else the CPU; `repr(layer)` says which.

        Raises
        ------
        NameTaken
            If the name is in use.
        InvalidValue
            For what doesn't fit.
        """
        with self._guard:
            if not isinstance(name, str) or not name:
                raise InvalidValue(
                    "A layer's name is a word or more", got=repr(name), remedy="Pass a string"
                )
            if name in self._layers:
                raise NameTaken(
                    "Layer names differ",
                    got=f"{name!r}, which exists",
                    remedy="Choose another, or imap.remove_layer() it first",
                )
            if propagation is not None and not isinstance(propagation, Propagation):
                raise InvalidValue(
                    "propagation is a fieldcraft.Spread, Diffuse, Flood, Radial, Fade or Trail",
                    got=repr(propagation),
                    remedy="Pass fc.Spread(decay, momentum)",
                )
            if propagation is None and values is None:
                raise InvalidValue(
                    "A layer has a propagation or values",
                    got="neither",
                    remedy="Pass fc.Spread(decay, momentum), or values=array",
                )
            interval = clock.ticks("every", every, minimum=1)
            smooth = None if response is None else checks.positive("response", response)
            space = self.space
            if walls is not None and walls is not True:
                space = space.with_walls(None if walls is False else walls)
            elif walls is True:
                raise InvalidValue(
                    "walls are an array, or False for none",
                    got="walls=True",
                    remedy="Leave it out to keep the map's walls",
                )
            if cell_size is not None:
                space = grid_of(space, "A layer with a cell_size of its own").coarser(cell_size)
            order = checks.finite("priority", priority)
            carrier = self.device if device is None else _carrier(device)
            made_by = Carried() if propagation is None else propagation
            layer = LAYERS[made_by.layer](
                name,
                space,
                made_by,
                interval,
                self._guard,
                priority=order,
                response=smooth,
                device=carrier,
            )
            if values is not None:
                layer.write(values)
            self._check_barrier(layer)
            self._take(layer)
            return layer

    def register_type(
        self,
        name: str,
        *,
        static: bool | None = None,
        propagation: Propagation | None = None,
        **settings: Any,
    ) -> Layer:
        """Add a layer for a kind of influence: what a game says once, before it calls `add_static`
        and `add_dynamic`.

        "player", "enemy", "ally", "bullet", "noise" and "barrier" are known by name.

        Raises what `add_layer` raises.

        Parameters
        ----------
        name : str
            Of the kind, and of its layer; a new one.
        static : bool, optional
            Whether it stays until it is removed (exact footprints, `Radial`), or spreads and decays
            by itself (`Spread`).
        propagation : Propagation, optional
            Its own, in place of what `static` stands for.
        settings : object
            Further keywords of `add_layer`.
        """
        if propagation is not None:
            wanted = Radial if static else Spread
            if static is not None and not isinstance(propagation, wanted):
                raise InvalidValue(
                    f"static={static} goes with fc.{wanted.__name__}",
                    got=repr(propagation),
                    remedy="Leave one of the two out",
                )
            return self.add_layer(name, propagation, **settings)
        if static is None and isinstance(name, str) and name in KINDS:
            kind = KINDS[name]
        elif isinstance(static, (bool, np.bool_)):
            kind = STATIC if static else DYNAMIC
        else:
            raise InvalidValue(
                f"A type of your own is static or not; known by name are {', '.join(KINDS)}",
                got=f"{name!r}, static={static!r}",
                remedy="Pass static=True, static=False, or a propagation",
            )
        return self.add_layer(name, kind.propagation(self.space), **settings)

    def add_teams(
        self,
        names: Iterable[str],
        propagation: Propagation,
        *,
        hostile: Mapping[str, Iterable[str]] | None = None,
        **settings: Any,
    ) -> Teams:
        """Add a layer for each team and return the `fieldcraft.Teams` that they make.

        Raises what `add_layer` raises, and `InvalidValue` or `UnknownName` for other names in the
        table. Then no layer was added.

        Parameters
        ----------
        names : Iterable[str]
            Of the teams, and of their layers; new ones, at least one.
        propagation : Propagation
            How their influence spreads, `Radial` or `Spread`.
        hostile : Mapping[str, Iterable[str]], optional
            Who is hostile to whom, `{name: names of its enemies}`; by default everybody to
            everybody else.
        settings : object
            Further keywords of `add_layer`, such as `every`, `cell_size` and `walls`, for each of
            the layers.
        """
        from fieldcraft.compose.teams import add_teams

        with self._guard:
            return add_teams(self, names, propagation, hostile=hostile, **settings)

    def _take(self, layer: Layer) -> None:
        """Have a layer, which may look at the others."""
        self._layers[layer.name] = layer
        layer._others = self._layers

    def _check_barrier(self, layer: Layer) -> None:
        name = layer._field.barrier
        if name is None:
            return
        barrier = self[name]
        if not layer.space.same_cells(barrier.space):
            raise InvalidValue(
                "A barrier lies on the cells of the flood",
                got=f"layer {name!r} on {barrier.space!r}",
                remedy="Give both one cell_size",
            )

    def remove_layer(self, name: str) -> None:
        """Take a layer off the map."""
        with self._guard:
            del self._layers[self[name].name]

    def step(self, count: int = 1) -> None:
        """Let every layer make `count` updates, whatever its interval. Ctrl-C ends a long count
        where all have made as many.
        """
        count = checks.whole("count", count, maximum=MOST_STEPS)
        with self._guard:
            for part in (count,) if count <= A_FEW else in_parts(count):
                for layer in self._layers.values():
                    layer._take_steps(part)
                breathe()

    def advance(
        self,
        dt: float,
        *,
        max_steps: int = 8,
        budget_ms: float | None = None,
        budget_work: int | None = None,
    ) -> Advance:
        """Let `dt` seconds pass: each layer makes the updates of its interval that have fallen due.

        Time is counted in whole ticks (1/705,600,000 s), so that 30, 60 and 144 frames a second
        come to the same bits. At most `max_steps` updates a layer are made in one call; the rest
        are dropped and reported: in the answer, and the first time in the log (logger
        "fieldcraft"), as a warning. A turn-based game calls `step()` instead, or passes as many as
        fit its turn.

        With a budget, work is done in units of at most 0.25 ms (on a machine of today), layers of
        higher priority first, until the budget is used up; the rest waits for the next call, up to
        `max_steps` updates a layer, and `layer.lag` says how far behind it is. What a layer shows
        meanwhile is its last complete state, and once it has caught up it shows what it would have
        shown without a budget. `budget_ms` is in milliseconds and overrun by at most one unit;
        `budget_work` is a number of units, which makes runs repeatable.
        """
        ticks = clock.ticks("dt", dt)
        most = checks.whole("max_steps", max_steps, minimum=1)
        if budget_ms is not None or budget_work is not None:
            return self._advance_within(ticks, most, budget_ms, budget_work)
        with self._guard:
            self._ticks += ticks
            steps, dropped = {}, {}
            for name, layer in self._layers.items():
                made, lost = layer._pass_time(ticks, most)
                steps[name], dropped[name] = made, lost
            return self._told(Advance(steps, dropped), most)

    def _advance_within(
        self, ticks: int, max_steps: int, budget_ms: float | None, budget_work: int | None
    ) -> Advance:
        begun = time.perf_counter()
        if budget_ms is not None and budget_work is not None:
            raise InvalidValue(
                "A budget is in milliseconds or in units", got="both", remedy="Pass one of the two"
            )
        seconds = math.inf if budget_ms is None else checks.positive("budget_ms", budget_ms) / 1000
        most_units = (
            math.inf if budget_work is None else checks.whole("budget_work", budget_work, minimum=1)
        )
        with self._guard:
            self._ticks += ticks
            before = {name: layer.updates for name, layer in self._layers.items()}
            dropped = {
                name: layer._owe_time(ticks, max_steps) for name, layer in self._layers.items()
            }
            units = 0
            # Layers of equal priority take turns, a unit each, from one call to the next.
            names = list(self._layers)
            first = names.index(self._next) if self._next in self._layers else 0
            turn = sorted(
                names[first:] + names[:first], key=lambda name: -self._layers[name].priority
            )
            waiting = [self._layers[name] for name in turn]
            while waiting and (
                units == 0 or (units < most_units and time.perf_counter() - begun < seconds)
            ):
                layer = waiting.pop(0)
                if layer._work_on():
                    units += 1
                    waiting.insert(
                        sum(other.priority == layer.priority for other in waiting), layer
                    )
                    self._next = waiting[0].name
            steps = {name: layer.updates - before[name] for name, layer in self._layers.items()}
            return self._told(Advance(steps, dropped, units), max_steps)

    def __reduce__(self) -> tuple[Any, ...]:
        with self._guard:
            held = {
                "_guard": self._guard,
                "_ticks": self._ticks,
                "_next": self._next,
                "_layers": self._layers,
            }
            return InfluenceMap, (self.space,), held | {"device": self.device}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for layer in list(self._layers.values()):
            self._take(layer)

    def _told(self, advance: Advance, max_steps: int) -> Advance:
        if advance.is_late and not self._has_warned:
            self._has_warned = True
            lost = ", ".join(
                f"{count} of layer {name!r}" for name, count in advance.dropped.items() if count
            )
            _log.warning(
                "advance() dropped updates beyond max_steps=%d: %s. Their time does not pass for"
                " these layers. Pass a larger max_steps, call advance() more often, or call step()"
                " in a turn-based game. (Said once for each map.)",
                max_steps,
                lost,
            )
        return advance

    def copy(self) -> InfluenceMap:
        """An independent copy that goes on with the same bits. It lies on the same space, whose
        walls both follow.
        """
        with self._guard:
            twin = InfluenceMap(self.space, device=self.device)
            twin._ticks = self._ticks
            for layer in self._layers.values():
                state = layer._state()
                twin._take(layer.restored(state, layer.space, twin._guard, layer._device))
            return twin

    def recover(self, *, device: Device | str | None = None) -> dict[str, int]:
        """Go on without a device that was lost: each layer on it from what was last read back, or
        written.

        The layers stay the same objects, with their sources, on the CPU or on `device`. Returns how
        many updates of each of them are gone,
        by name: their `time` goes back by as much, and what was deposited since is gone too. A
        layer whose values were read right after an update, and which nobody gave anything since,
        goes on bit for bit from there.

        Raises
        ------
        InvalidValue
            If no layer was on a device that is lost; then nothing has changed.
        """
        with self._guard:
            lost = {
                name: layer
                for name, layer in self._layers.items()
                if getattr(getattr(layer._field, "device", None), "lost", False)
            }
            is_lost = getattr(getattr(self.device, "device", self.device), "lost", False)
            if not lost and not is_lost:
                raise InvalidValue(
                    "A map recovers from a device that is lost",
                    got="none that is",
                    remedy="Go on; nothing is gone",
                )
            carrier = _carrier(device)
            gone = {name: layer._recovered(carrier) for name, layer in lost.items()}
            if is_lost:
                self.device = carrier
            return gone

    def watch(self, *, port: int = 0, browser: bool = False) -> Any:
        """Let a page in the browser look at the map while the program goes on: one line in its
        loop, called each frame.

        The first call prints the address of the page (and opens it with `browser=True`), at a port
        of this machine, 0 for any that is free. Each call lets its orders in (settings, sources,
        walls) and its picture out; while no page is open it costs next to nothing. What it returns
        has `url` and `close()`. Raises `MissingLibrary` without the extra `lab`.
        """
        return extensions.package("lab").watch(self, port=port, browser=browser)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file. A kill at any moment leaves the old or the new file
        whole.
        """
        from fieldcraft.influence_map import archive

        with self._guard:
            archive.save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], *, most_bytes: int = 1 << 30) -> InfluenceMap:
        """Return the influence map of a file that `save` wrote; it goes on bit for bit.

        Parameters
        ----------
        path : str or path
            The file. It is safe to load one from a stranger: nothing in it is run.
        most_bytes : int, optional
            The most that its arrays may take in memory together; checked before any is unpacked.

        Raises
        ------
        BadSaveFile
            If the file is missing, damaged, not a save, of a newer version, or too large.
        """
        from fieldcraft.influence_map import archive

        return archive.load(InfluenceMap, path, most_bytes)


def _carrier(device: Device | str | None) -> Device | None:
    """A device that was named, or None for the CPU."""
    if device is None or (isinstance(device, str) and device == "cpu"):
        return None
    return cast(Device, extensions.devices().carrier(device))
