"""Layers made from propagations."""

from __future__ import annotations

from typing import TypedDict

from numpy.typing import ArrayLike

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.layers.layer import Layer
from fieldcraft.layers.propagation import PROPAGATIONS, Propagation
from fieldcraft.layers.propagation.array import ArrayValues
from fieldcraft.layers.propagation.propagation import Device, spelled
from fieldcraft.space import Space, grid_of


class LayerSettings(TypedDict, total=False):
    """The keywords of `InfluenceMap.add_layer`."""

    every: float
    cell_size: float | None
    walls: ArrayLike | bool | None
    values: ArrayLike | None
    priority: float
    device: Device | str | None


def new_layer(
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
    kind: object = propagation
    if isinstance(kind, type) and issubclass(kind, Propagation):
        raise InvalidValue(
            "A propagation is an object with settings",
            got=f"the class {spelled(kind)}",
            remedy=f"Call it: {spelled(kind)}(...)",
        )
    if propagation is not None and not isinstance(propagation, Propagation):
        raise InvalidValue(
            f"propagation is {_propagation_names()}",
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
        if walls is False:
            walls = None
        space = space.with_walls(walls)
    if cell_size is not None:
        space = grid_of(space, "A layer with a cell_size of its own").coarser(cell_size)
    if propagation is None:
        propagation = ArrayValues()
    return Layer.kinds[propagation.layer_kind](
        name,
        space,
        propagation,
        interval,
        lock,
        priority=checks.finite("priority", priority),
        device=device,
    )


def _propagation_names() -> str:
    *most, last = (spelled(kind) for kind in PROPAGATIONS.values())
    return f"{', '.join(most)} or {last}"
