"""The fields of a device: their values lie there, and the host keeps what it last read of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.field import Field
from fieldcraft.sources import Sources
from fieldcraft_gpu.batches import Buffer
from fieldcraft_gpu.devices import Card

__all__ = ["DeviceField", "SteppedField", "lives_on", "refuse"]


class DeviceField(Field):
    """A field whose values lie on a device. What the host reads is read back once and kept until
    the next change.
    """

    device: Card
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


class SteppedField(DeviceField):
    """A field whose steps lead from one buffer of a device to another. What comes from outside goes
    by the host.
    """

    def _allocate(self, device: Card, shape: tuple[int, ...]) -> None:
        self.device = device
        self._host: NDArray[np.float32] = np.zeros(shape, np.float32)
        self._buffers = [device.buffer(self._host.nbytes), device.buffer(self._host.nbytes)]
        self.turn = 0  # the buffer that holds the values now
        self._host_knows = self._device_knows = True
        self._loaded = False

    @property
    def now(self) -> Buffer:
        """The values now: planes of float32 bits."""
        if not self._device_knows:
            self.device.write(self._buffers[self.turn], self._host)
            self._device_knows = True
        return self._buffers[self.turn]

    def _bring(self) -> NDArray[np.float32]:
        """The values on the host, read back if the device has newer ones."""
        if not self._host_knows:
            self._host[:] = self.device.read(self.now, np.float32, self._host.shape)
            self._host_knows, self.unread = True, 0
        return self._host

    def _by_host(self) -> None:
        """Bring the values to the host, which is about to change them."""
        self._bring()
        self._device_knows = False

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values; see `Field.write`."""
        self._by_host()
        super().write(values)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells these values; see `Field.put`."""
        self._by_host()
        super().put(cells, values)

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        self._by_host()
        self._loaded = False
        super().restore(state, sources)  # type: ignore[safe-super]

    def settle(self) -> None:
        """Go where endless steps would lead; the host finds it."""
        self._by_host()
        super().settle()  # type: ignore[safe-super]

    def step_in_units(self) -> Iterator[None]:
        """Take one step, which is one unit."""
        self.run(1)
        yield


def lives_on(device: Card, layer: Any) -> DeviceField | None:
    """The field of a layer, if its values lie on this device."""
    field = getattr(layer, "_field", None)
    return field if isinstance(field, DeviceField) and field.device is device else None


def refuse(*cases: tuple[bool, str, str]) -> None:
    """Refuse what a device does not carry: each case is whether it holds, the rule, and what was
    given.
    """
    for wrong, rule, got in cases:
        if wrong:
            raise InvalidValue(rule, got=got, remedy='Pass add_layer(..., device="cpu")')
