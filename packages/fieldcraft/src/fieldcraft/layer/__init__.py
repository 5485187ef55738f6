"""Layers: one named array of influence on one space."""

from fieldcraft.layer.layer import Layer
from fieldcraft.layer.memory_layer import MemoryLayer
from fieldcraft.layer.operand import Operand
from fieldcraft.layer.radial_layer import RadialLayer
from fieldcraft.layer.single_thread import SingleThreadLock
from fieldcraft.layer.source_layer import SourceLayer, SpreadLayer
from fieldcraft.layer.trail_layer import ArrayLayer, TrailLayer

__all__ = [
    "ArrayLayer",
    "Layer",
    "MemoryLayer",
    "Operand",
    "RadialLayer",
    "SingleThreadLock",
    "SourceLayer",
    "SpreadLayer",
    "TrailLayer",
]
