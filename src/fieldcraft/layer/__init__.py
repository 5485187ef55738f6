"""Layers: one named array of influence on one space, and the sources that feed it."""

from fieldcraft.layer.guard import Guard
from fieldcraft.layer.layer import Layer, LayerState

__all__ = ["Guard", "Layer", "LayerState"]
