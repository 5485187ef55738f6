"""Layers and swarms on graphics hardware, with the bits of the CPU.

`device()` opens a card, `adapters()` says which there are. wgpu is imported when the first of these is called.
"""

from fieldcraft.gpu.cards import Adapter, adapters
from fieldcraft.gpu.carrying import carrier, checked_device
from fieldcraft.gpu.devices import Device, device

__all__ = ["Adapter", "Device", "adapters", "carrier", "checked_device", "device"]
