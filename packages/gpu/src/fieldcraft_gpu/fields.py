"""The fields of a device: their values lie there, and the host keeps what it last read of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from numpy.typing import NDArray

from fieldcraft.propagation.field import Field
from fieldcraft_gpu.batches import Buffer
from fieldcraft_gpu.devices import Device

__all__ = ["DeviceField", "lives_on"]


class DeviceField(Field):
    """A field whose values lie on a device. What the host reads is read back once and kept until
    the next change.
    """

    device: Device
    unread: int = 0
    """How many steps were made since the host last read, or wrote, all values."""

    @property
    @abstractmethod
    def now(self) -> Buffer:
        """The values now: planes of float32 bits."""

    @abstractmethod
    def last_read(self) -> dict[str, NDArray[Any]]:
        """A state, see `Field.state`, as the host last read or wrote it: nothing is asked of the
        device, which may be lost.
        """


def lives_on(device: Device, layer: Any) -> DeviceField | None:
    """The field of a layer, if its values lie on this device."""
    field = getattr(layer, "_field", None)
    return field if isinstance(field, DeviceField) and field.device is device else None
