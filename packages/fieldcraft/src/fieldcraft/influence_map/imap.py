"""The layers on one space."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast, overload

from numpy.typing import ArrayLike

from fieldcraft import extensions, hooks
from fieldcraft.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.influence_map.advancing import Advancing
from fieldcraft.layer import (
    ArrayLayer,
    Layer,
    MemoryLayer,
    RadialLayer,
    SingleThreadLock,
    SpreadLayer,
    TrailLayer,
)
from fieldcraft.layer.making import LayerSettings, made
from fieldcraft.propagation import Propagation, Radial, Spread
from fieldcraft.propagation.kinds import Device, Gathering, Radiating, Remembering, Spreading
from fieldcraft.propagation.presets import kind_of
from fieldcraft.space import Space, checked_space

if TYPE_CHECKING:
    from fieldcraft.compose.teams import Teams

__all__ = ["InfluenceMap"]

Kind = TypeVar("Kind", bound=Layer)


class InfluenceMap(Advancing):
    """Layers of influence on one space.

    `device` says what carries the values of its layers: see `add_layer`; by default the CPU.

    Used by one thread at a time; a second one is told so by `ConcurrentUse`.
    """

    _watch: Any = None

    def __init__(self, space: Space, *, device: Device | str | None = None) -> None:
        self.space: Space = checked_space(space, "An influence map lies on")
        self.device = _carrier(device)
        self._layers: dict[str, Layer] = {}
        self._ticks = 0
        self._next = ""
        self._lock = SingleThreadLock()

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
        with self._lock:
            if isinstance(name, str) and name in self._layers:
                raise NameTaken(
                    "Layer names differ",
                    got=f"{name!r}, which exists",
                    remedy="Choose another, or imap.remove_layer() it first",
                )
            if propagation is None and values is None:
                raise InvalidValue(
                    "A layer has a propagation or values",
                    got="neither",
                    remedy="Pass fc.Spread(decay, momentum), or values=array",
                )
            layer = made(
                name,
                self.space,
                propagation,
                self._lock,
                every=every,
                cell_size=cell_size,
                walls=walls,
                priority=priority,
                device=self.device if device is None else _carrier(device),
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
        and `add_dynamic`. Raises what `add_layer` raises.

        "player", "enemy", "ally", "bullet", "noise" and "barrier" are known by name.

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
        if propagation is None:
            propagation = kind_of(name, static).propagation(self.space)
        elif static is not None and not isinstance(propagation, Radial if static else Spread):
            raise InvalidValue(
                f"static={static} goes with fc.{'Radial' if static else 'Spread'}",
                got=repr(propagation),
                remedy="Leave one of the two out",
            )
        return self.add_layer(name, propagation, **settings)

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

        with self._lock:
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
        with self._lock:
            del self._layers[self[name].name]

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            held = {
                "_lock": self._lock,
                "_ticks": self._ticks,
                "_next": self._next,
                "_layers": self._layers,
                "_timed": self._timed,
            }
            return InfluenceMap, (self.space,), held | {"device": self.device}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for layer in list(self._layers.values()):
            self._take(layer)

    def copy(self) -> InfluenceMap:
        """An independent copy that goes on with the same bits. It lies on the same space, whose
        walls both follow.
        """
        with self._lock:
            twin = InfluenceMap(self.space, device=self.device)
            twin._ticks = self._ticks
            for layer in self._layers.values():
                state = layer._state()
                twin._take(layer.restored(state, layer.space, twin._lock, layer._device))
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
        with self._lock:
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

        with self._lock:
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
