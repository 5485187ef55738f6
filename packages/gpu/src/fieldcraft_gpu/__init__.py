"""Layers and swarms on graphics cards, with the bits of the CPU.

`device()` opens a card, `adapters()` lists them. Both import wgpu when they are called.
"""

from fieldcraft_gpu.opening import Device, device
from fieldcraft_gpu.opening import agents as agents
from fieldcraft_gpu.opening import checked_device as checked_device
from fieldcraft_gpu.opening import food as food
from fieldcraft_gpu.opening import layer_device as layer_device
from fieldcraft_gpu.wgpu_library import adapters

__all__ = [
    "Device",
    "adapters",
    "device",
]
