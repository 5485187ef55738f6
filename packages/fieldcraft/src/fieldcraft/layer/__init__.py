"""Layers: one named array of influence on one space."""

from fieldcraft.layer.guard import Guard
from fieldcraft.layer.layer import Layer, LayerState
from fieldcraft.layer.making import made, restored
from fieldcraft.layer.memory_layer import MemoryLayer
from fieldcraft.layer.radial_layer import RadialLayer
from fieldcraft.layer.source_layer import SourceLayer, SpreadLayer
from fieldcraft.layer.trail_layer import ArrayLayer, StampedLayer, TrailLayer

__all__ = [
    "ArrayLayer",
    "Guard",
    "Layer",
    "LayerState",
    "MemoryLayer",
    "RadialLayer",
    "SourceLayer",
    "SpreadLayer",
    "StampedLayer",
    "TrailLayer",
    "made",
    "restored",
]
