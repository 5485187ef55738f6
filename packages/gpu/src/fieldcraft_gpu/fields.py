"""Fields with values on a device, and a copy of the last values that the host has read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.layers.layer import Layer
from fieldcraft.layers.propagation.propagation import Field
from fieldcraft.layers.sources import Sources
from fieldcraft_gpu.batches import Buffer
from fieldcraft_gpu.card import Card


class DeviceField(Field):
    """A field with values on a device. Values that the host reads are cached until the next
    change.
    """

    device: Card
    unread: int = 0
    """The number of steps since the host last read or wrote all values."""

    @property
    @abstractmethod
    def now(self) -> Buffer:
        """The buffer of the current values: planes of float32."""

    @abstractmethod
    def last_read(self) -> dict[str, NDArray[Any]]:
        """Return the state, see `Field.state`, that the host last read or wrote, without the
        device, which may be lost.
        """


class SteppedField(DeviceField):
    """A field with two buffers, between which steps alternate. Other changes go through the
    host.
    """

    def _allocate(self, device: Card, shape: tuple[int, ...]) -> None:
        self.device = device
        self._host: NDArray[np.float32] = np.zeros(shape, np.float32)
        self._buffers = [device.buffer(self._host.nbytes), device.buffer(self._host.nbytes)]
        # the index of the buffer with the current values
        self.turn = 0
        self._host_is_current = True
        self._device_is_current = True
        self._loaded = False

    @property
    def now(self) -> Buffer:
        """The buffer of the current values: planes of float32."""
        if not self._device_is_current:
            self.device.write(self._buffers[self.turn], self._host)
            self._device_is_current = True
        return self._buffers[self.turn]

    def _read_back(self) -> NDArray[np.float32]:
        """Return the values on the host, read from the device if it has newer ones."""
        if not self._host_is_current:
            self._host[:] = self.device.read(self.now, np.float32, self._host.shape)
            self._host_is_current = True
            self.unread = 0
        return self._host

    def _read_for_change(self) -> None:
        """Read the values before the host changes them."""
        self._read_back()
        self._device_is_current = False

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values; see `Field.write`."""
        self._read_for_change()
        super().write(values)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Set the values of cells; see `Field.put`."""
        self._read_for_change()
        super().put(cells, values)

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Restore a state; see `Field.restore`."""
        self._read_for_change()
        self._loaded = False
        super().restore(state, sources)  # type: ignore[safe-super]

    def settle(self) -> None:
        """Settle on the host."""
        self._read_for_change()
        super().settle()  # type: ignore[safe-super]

    def step_in_units(self) -> Iterator[None]:
        """Take one step, which is one unit."""
        self.run(1)
        yield


def field_on(device: Card, layer: Any) -> DeviceField | None:
    """Return the field of a layer, if it is on this device."""
    if not isinstance(layer, Layer):
        return None
    field = layer.steps.field
    if isinstance(field, DeviceField) and field.device is device:
        return field
    return None


def refuse(*cases: tuple[bool, str, str]) -> None:
    """Refuse unsupported settings: each case is whether it is one, the rule, and the given
    value.
    """
    for wrong, rule, got in cases:
        if wrong:
            raise InvalidValue(rule, got=got, remedy='Pass add_layer(..., device="cpu")')
