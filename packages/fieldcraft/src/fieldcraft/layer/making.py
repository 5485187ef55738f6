"""From a propagation to its layer."""

from __future__ import annotations

from typing import Any

from fieldcraft.layer.guard import Guard
from fieldcraft.layer.layer import Layer, LayerState
from fieldcraft.layer.memory_layer import MemoryLayer
from fieldcraft.layer.radial_layer import RadialLayer
from fieldcraft.layer.source_layer import SpreadLayer
from fieldcraft.layer.trail_layer import ArrayLayer, TrailLayer
from fieldcraft.propagation import PROPAGATIONS, Propagation
from fieldcraft.propagation.carried import Carried
from fieldcraft.propagation.kinds import Device
from fieldcraft.space import Space

__all__ = ["LAYERS", "again", "made", "others_with", "restored"]

LAYERS: dict[str, type[Layer]] = {
    "spread": SpreadLayer,
    "radial": RadialLayer,
    "memory": MemoryLayer,
    "trail": TrailLayer,
    "array": ArrayLayer,
}
"""The layer that each kind of propagation names."""


def others_with(method: str) -> str:
    """Return which propagations have layers with a method, in the words of a message: "layers with
    fc.Fade or fc.Trail"; "" where no layer has it.
    """
    kinds = [
        f"fc.{kind.__name__}"
        for kind in PROPAGATIONS.values()
        if hasattr(LAYERS[kind.layer], method)
    ]
    if hasattr(ArrayLayer, method):
        kinds.append("an array of their own, imap.add_layer(name, values=array)")
    if not kinds:
        return ""
    return f"layers with {', '.join(kinds[:-1])}{' or ' if kinds[1:] else ''}{kinds[-1]}"


def made(
    name: str,
    space: Space,
    propagation: Propagation | None,
    every: int,
    guard: Guard,
    **options: Any,
) -> Layer:
    """The layer that a propagation makes; without one, a layer that carries an array."""
    made_by = Carried() if propagation is None else propagation
    return LAYERS[made_by.layer](name, space, made_by, every, guard, **options)


def restored(
    state: LayerState,
    space: Space,
    guard: Guard,
    device: Device | None = None,
    *,
    own: bool = False,
) -> Layer:
    """A layer that goes on, bit for bit, where the one of `state` stood: with a copy of its
    sources, or with these as its own.
    """
    options: dict[str, Any] = {
        "priority": state.priority,
        "response": state.response,
        "device": device,
    }
    return made(state.name, space, state.propagation, state.every, guard, **options)._go_on(
        state, own=own
    )


def again(state: LayerState, space: Space, guard: Guard, device: Device | None) -> Layer:
    """A layer out of a pickle, where whoever held one of its sources still does."""
    return restored(state, space, guard, device, own=True)
