"""From a propagation to its layer."""

from __future__ import annotations

from fieldcraft.layer.layer import Layer
from fieldcraft.layer.memory_layer import MemoryLayer
from fieldcraft.layer.radial_layer import RadialLayer
from fieldcraft.layer.source_layer import SpreadLayer
from fieldcraft.layer.trail_layer import ArrayLayer, TrailLayer
from fieldcraft.propagation import PROPAGATIONS

__all__ = ["LAYERS", "others_with"]

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
