"""Layers: one named array of influence on one space."""

from fieldcraft.base.single_thread import SingleThreadLock
from fieldcraft.layers.array_layer import ArrayLayer
from fieldcraft.layers.layer import Layer
from fieldcraft.layers.memory_layer import MemoryLayer
from fieldcraft.layers.propagated_layer import PropagatedLayer
from fieldcraft.layers.radial_layer import RadialLayer
from fieldcraft.layers.source_layer import SourceLayer, SpreadLayer
from fieldcraft.layers.stamped_layer import StampedLayer
from fieldcraft.layers.trail_layer import TrailLayer
from fieldcraft.values.operand import Operand

__all__ = [
    "ArrayLayer",
    "Layer",
    "MemoryLayer",
    "Operand",
    "PropagatedLayer",
    "RadialLayer",
    "SingleThreadLock",
    "SourceLayer",
    "SpreadLayer",
    "StampedLayer",
    "TrailLayer",
]
