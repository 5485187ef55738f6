"""Layers and swarms on graphics hardware, with the bits of the CPU.

`device()` opens a card, `adapters()` says which there are. wgpu is imported when the first of these
is called.
"""

from fieldcraft_gpu.cards import adapters
from fieldcraft_gpu.carrying import Device, device
from fieldcraft_gpu.carrying import agents as agents
from fieldcraft_gpu.carrying import carrier as carrier
from fieldcraft_gpu.carrying import checked_device as checked_device
from fieldcraft_gpu.carrying import food as food

__all__ = [
    "Device",
    "adapters",
    "device",
]
