"""Layers made from propagations, and errors for methods of other layers."""

from __future__ import annotations

from typing import Any, TypedDict

from numpy.typing import ArrayLike

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.layer.layer import Layer
from fieldcraft.layer.memory_layer import MemoryLayer
from fieldcraft.layer.radial_layer import RadialLayer
from fieldcraft.layer.single_thread import SingleThreadLock
from fieldcraft.layer.source_layer import SpreadLayer
from fieldcraft.layer.trail_layer import ArrayLayer, TrailLayer
from fieldcraft.propagation import PROPAGATIONS, Propagation
from fieldcraft.propagation.array_field import ArrayValues
from fieldcraft.propagation.kinds import Device
from fieldcraft.propagation.settings import declared
from fieldcraft.space import Space, grid_of

LAYERS: dict[str, type[Layer]] = {
    "spread": SpreadLayer,
    "radial": RadialLayer,
    "memory": MemoryLayer,
    "trail": TrailLayer,
    "array": ArrayLayer,
}
"""The class of layer for each kind of propagation."""


def others_with(method: str) -> str:
    """Return the propagations of the layers with a method, in the words of a message such as
    "layers with fc.Fade or fc.Trail"; "" if no layer has it.
    """
    kinds = [
        f"fc.{kind.__name__}"
        for kind in PROPAGATIONS.values()
        if hasattr(LAYERS[kind._layer_kind], method)
    ]
    if hasattr(ArrayLayer, method):
        kinds.append("an array of their own, imap.add_layer(name, values=array)")
    if not kinds:
        return ""
    return f"layers with {', '.join(kinds[:-1])}{' or ' if kinds[1:] else ''}{kinds[-1]}"


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


class LayerSettings(TypedDict, total=False):
    """The keywords of `InfluenceMap.add_layer`."""

    every: float
    cell_size: float | None
    walls: ArrayLike | bool | None
    values: ArrayLike | None
    priority: float
    device: Device | str | None


def made(
    name: str,
    space: Space,
    propagation: Propagation | None,
    lock: SingleThreadLock,
    *,
    every: float,
    cell_size: float | None,
    walls: ArrayLike | bool | None,
    priority: float,
    device: Device | None,
) -> Layer:
    """Return the layer for a propagation, or for an array of your own without one. Settings are
    checked here; see `InfluenceMap.add_layer`.
    """
    if not isinstance(name, str) or not name:
        raise InvalidValue(
            "A layer's name is a word or more", got=repr(name), remedy="Pass a string"
        )
    if propagation is not None and not isinstance(propagation, Propagation):
        raise InvalidValue(
            "propagation is a fieldcraft.Spread, Diffuse, Flood, Radial, Fade or Trail",
            got=repr(propagation),
            remedy="Pass fc.Spread(decay, momentum)",
        )
    if walls is True:
        raise InvalidValue(
            "walls are an array, or False for none",
            got="walls=True",
            remedy="Leave it out to keep the map's walls",
        )
    interval = clock.ticks("every", every, minimum=1)
    if walls is not None:
        space = space.with_walls(None if walls is False else walls)
    if cell_size is not None:
        space = grid_of(space, "A layer with a cell_size of its own").coarser(cell_size)
    made_by = ArrayValues() if propagation is None else propagation
    return LAYERS[made_by._layer_kind](
        name,
        space,
        made_by,
        interval,
        lock,
        priority=checks.finite("priority", priority),
        device=device,
    )
