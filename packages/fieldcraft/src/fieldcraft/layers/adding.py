"""The layers of an influence map, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast, overload

from numpy.typing import ArrayLike

from fieldcraft.base import packages
from fieldcraft.base.errors import InvalidValue, NameTaken, UnknownName
from fieldcraft.layers import (
    ArrayLayer,
    Layer,
    MemoryLayer,
    RadialLayer,
    SpreadLayer,
    TrailLayer,
)
from fieldcraft.layers.kinds import LayerSettings, made
from fieldcraft.layers.propagated_layer import check_barrier
from fieldcraft.layers.propagation import Flood, Propagation, Radial, Spread
from fieldcraft.layers.propagation.propagation import (
    Device,
    Gathering,
    Radiating,
    Remembering,
    Spreading,
)
from fieldcraft.layers.register_type import kind_of
from fieldcraft.layers.schedule import Advancing
from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.layers.teams.teams import Teams

Kind = TypeVar("Kind", bound=Layer)


class Adding(Advancing):
    """Layers that are added by name; see `InfluenceMap`."""

    space: Space
    device: Device | None

    def __getitem__(self, name: str) -> Layer:
        try:
            return self._layers[name]
        except (KeyError, TypeError):  # names that are unhashable, too
            raise UnknownName("layer", name, self._layers) from None

    def layer(self, name: str, kind: type[Kind]) -> Kind:
        """Return the layer with a name and of a class, for type checkers and editors.

        Raises
        ------
        UnknownName
            If there is no layer with that name.
        InvalidValue
            If it is of another class.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
        >>> _ = imap.add_layer("noise", fc.Spread(decay=0.2))
        >>> imap.layer("noise", fc.layer.SourceLayer).name
        'noise'
        """
        layer = self[name]
        if not isinstance(layer, kind):
            raise InvalidValue(
                f"Layer {name!r} is a {type(layer).__name__}",
                got=f"kind={kind.__name__}",
                remedy="Pass that class",
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
        """The layers by name, in the order of their addition; read-only."""
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
            How influence moves from cell to cell, `Spread`, `Diffuse`, `Flood`, `Radial`, `Fade` or
            `Trail`; it determines the class of the layer, see `Layer`. Without one the layer
            contains the array `values`.
        every : float, optional
            Seconds between two steps.
        cell_size : float, optional
            For coarser cells of its own: a whole multiple of the map's.
        walls : array_like or bool, optional
            Walls of its own, bool of the map's shape (height, width), for another mobility; False
            for none, as for units that fly.
        values : array_like, optional
            Initial values, in the layer's shape.
        priority : float, optional
            With a budget, `advance` updates layers of higher priority first.
        device : Device or str, optional
            Where its values are, in place of the map's: "cpu", "gpu" for the first graphics card, a
            result of `fc.gpu.device()`, or "auto" for a card if it supports this layer, else the
            CPU. `repr(layer)` shows which.

        Returns
        -------
        Layer
            Of the class that belongs to the propagation.

        Raises
        ------
        NameTaken
            If the name is in use.
        InvalidValue
            If an argument has a wrong value, shape or type.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(6, 4))
        >>> imap.add_layer("fog", fc.Diffuse(), cell_size=2.0).values.shape
        (2, 3)
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
                device=self.device if device is None else carrier(device),
            )
            if values is not None:
                layer.write(values)
            self._check_barriers(layer)
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
        """Add a layer for a kind of influence, to call `add_static` and `add_dynamic` on.

        There are presets for "player", "enemy", "ally", "bullet", "noise" and "barrier". Raises
        what `add_layer` raises.

        Parameters
        ----------
        name : str
            The name of the kind and of its layer; a new one.
        static : bool, optional
            For a kind without a preset: whether it stays until it is removed (`Radial`), or spreads
            and decays (`Spread`).
        propagation : Propagation, optional
            A propagation in place of the preset.
        **settings : object
            Further keywords of `add_layer`.

        Returns
        -------
        Layer

        Examples
        --------
        >>> import fieldcraft as fc
        >>> noise = fc.InfluenceMap(fc.Grid(5, 3)).register_type("noise")
        >>> noise.add_dynamic((2.5, 1.5), 8.0)
        >>> float(noise.sample((2.5, 1.5)))
        8.0
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
        """Add a layer for each team.

        Raises what `add_layer` raises, and `InvalidValue` or `UnknownName` for other names in
        `hostile`. Then no layer was added.

        Parameters
        ----------
        names : iterable of str
            The names of the teams and of their layers; new ones, at least one.
        propagation : Propagation
            How their influence spreads, `Radial` or `Spread`.
        hostile : mapping of str to iterable of str, optional
            `{name: names of its enemies}`; by default all others.
        **settings : object
            Further keywords of `add_layer`, such as `every`, `cell_size` and `walls`.

        Returns
        -------
        Teams

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(6, 1))
        >>> teams = imap.add_teams(["red", "blue"], fc.Radial(4.0, "linear"))
        >>> _ = teams["red"].add_source((0.5, 0.5)), teams["blue"].add_source((5.5, 0.5))
        >>> imap.step()
        >>> teams.influence("red").values
        array([[ 1.  ,  0.75,  0.25, -0.25, -0.75, -1.  ]], dtype=float32)
        """
        from fieldcraft.layers.teams.teams import add_teams

        with self._lock:
            return add_teams(self, names, propagation, hostile=hostile, **settings)

    def _take(self, layer: Layer) -> None:
        """Add a layer. A flood may read the others as its barrier."""
        self._layers[layer.name] = layer
        if isinstance(layer.propagation, Flood):
            layer.steps.others = self._layers  # a cycle, which only the garbage collector frees

    def _check_barriers(self, layer: Layer) -> None:
        """Refuse a new flood with a barrier of other cells, and a new barrier with other cells than
        a flood that names it.
        """
        check_barrier(layer.space, layer.steps.field.barrier, self._layers)
        for flood in self._layers.values():
            if flood.steps.field.barrier == layer.name:
                check_barrier(flood.space, layer.name, {layer.name: layer})

    def remove_layer(self, name: str) -> None:
        """Remove a layer from the map."""
        with self._lock:
            del self._layers[self[name].name]


def carrier(device: Device | str | None) -> Device | None:
    """Return a device, also by its name, or None for the CPU."""
    if device is None or (isinstance(device, str) and device == "cpu"):
        return None
    return cast(Device, packages.devices().carrier(device))
