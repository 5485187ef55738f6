"""Spread on a device: the same field as on the CPU, with the same bits."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.grid_spread import GridSpreadField
from fieldcraft.propagation.spread import Spread
from fieldcraft.sources import Sources
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Batch, Buffer
from fieldcraft_gpu.devices import Device
from fieldcraft_gpu.fields import DeviceField

__all__ = ["DeviceSpreadField"]

_HELD = np.uint32(1 << 31)
_MOST_WAYS = 31
_AT_ONCE = 4  # steps in the memory of a work group
_INNER = 24  # cells of its square that come out right
_LEAST_FLOOR = 1e-30
_BATCH = 1024


class DeviceSpreadField(DeviceField, GridSpreadField):
    """Values that spread on a device. The host has a copy, which is brought up to date when
    somebody looks at it.

    Sources that come, go and change are put into the cells where the values are; walls that change
    and whole arrays go by the host.
    """

    lazy = True

    def __init__(self, spread: Spread, space: Grid, every: float, device: Device) -> None:
        _check(spread)
        ways = len(space.neighborhood.steps)
        if ways > _MOST_WAYS:
            raise InvalidValue(
                f"Spread on a device takes at most {_MOST_WAYS} neighbours",
                got=f"{ways}",
                remedy='Pass add_layer(..., device="cpu")',
            )
        self.device = device
        self._held: NDArray[np.float32] = np.zeros(space.shape, np.float32)
        self._host_knows = self._device_knows = True
        self._buffers = [device.buffer(4 * len(space)), device.buffer(4 * len(space))]
        self._ground_words = device.buffer(4 * len(space))
        self._parameters = device.uniform(bytes(48 + 16 * _MOST_WAYS))
        self._now = 0
        self._loaded = False
        super().__init__(spread, space, every)

    def resist(self, resistance: NDArray[np.float32] | None) -> None:
        """Refused: cells resist on the host."""
        if resistance is not None:
            raise InvalidValue(
                "Cells on a device do not resist",
                got="a resistance",
                remedy='Pass add_layer(..., device="cpu")',
            )

    # Where the values are

    @property
    def now(self) -> Buffer:
        """The values now: float32 bits."""
        self._send()
        return self._buffers[self._now]

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, read back if the device has newer ones."""
        if not self._host_knows:
            self._held[:] = self.device.read(self._buffers[self._now], np.float32, self._held.shape)
            self._host_knows, self.unread = True, 0
        return self._held

    @values.setter
    def values(self, values: NDArray[np.float32]) -> None:
        self._held, self._host_knows, self._device_knows = values, True, False

    def last_read(self) -> dict[str, NDArray[Any]]:
        """The values that were last read, and the held cells; see `DeviceField.last_read`."""
        return {"values": self._held, "pinned": self.pinned}

    @property
    def _flat(self) -> NDArray[np.float32]:
        return self.values.reshape(-1)

    @_flat.setter
    def _flat(self, values: NDArray[np.float32]) -> None:
        """The flat view of `values` is made when it is asked for."""

    def _send(self) -> None:
        if not self._device_knows:
            self.device.write(self._buffers[self._now], self._held)
            self._device_knows = True

    def _by_host(self) -> None:
        """Bring the values to the host, which is about to change them."""
        _ = self.values
        self._device_knows = False

    # What changes them from outside

    def pin(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> None:
        """Hold exactly these cells, ascending, at these values from now on."""
        if self._host_knows:
            self._by_host()
            super().pin(cells, strengths)
            self._loaded = False
            return
        strengths = strengths + np.float32(0)
        frozen = self._frozen.reshape(-1)
        before = self.pinned
        frozen[before] &= ~np.uint8(2)
        frozen[cells] |= np.uint8(2)
        walls = before[frozen[before] == 1]
        self.pinned = cells
        self._place(
            np.concatenate([walls, cells]),
            np.concatenate([np.zeros(len(walls), np.float32), strengths]),
            self._buffers[self._now],
        )
        changed = np.union1d(before, cells)
        words = self._ways()[0].reshape(-1)[changed].astype(np.uint32) | np.where(
            frozen[changed] != 0, _HELD, np.uint32(0)
        )
        self._place(changed, words, self._ground_words)

    def _place(
        self,
        cells: NDArray[np.int64],
        words: NDArray[np.float32] | NDArray[np.uint32],
        held: Buffer,
    ) -> None:
        if not len(cells):
            return
        device, batch = self.device, self.device.batch()
        shader = device.shader(("place",), "place", "urrw")
        group = device.group(
            shader,
            device.uniform(struct.pack("<I", len(cells))),
            device.buffer(cells.astype(np.uint32)),
            device.buffer(words),
            held,
        )
        batch.run(shader, group, device.groups(len(cells), 256))
        device.submit(batch)

    def _follow_walls(self) -> None:
        self._by_host()
        self._loaded = False
        super()._follow_walls()

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values; see `Field.write`."""
        self._by_host()
        super().write(values)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells these values; see `Field.put`."""
        self._by_host()
        super().put(cells, values)

    def restore(self, state: dict[str, NDArray[np.generic]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        self._by_host()
        self._loaded = False
        super().restore(state, sources)

    def settle(self) -> None:
        """Go where endless steps would lead; the host finds it."""
        self._by_host()
        super().settle()

    def tune(self, spread: Spread, every: float) -> None:
        """Go on with other parameters, or updated `every` other number of seconds."""
        _check(spread)
        self._loaded = False
        super().tune(spread, every)

    # Steps

    def _load(self) -> None:
        """Bring walls, held cells and parameters to the device, if they have changed."""
        if self._loaded:
            return
        links = self._ways()[0].astype(np.uint32)
        self.device.write(
            self._ground_words,
            links | np.where(self._frozen != 0, _HELD, np.uint32(0)).astype(np.uint32),
        )
        ways = b"".join(
            struct.pack("<iifI", dx, dy, loss, 0)
            for (dx, dy), loss in zip(self._steps.tolist(), self._losses.tolist(), strict=True)
        )
        head = struct.pack(
            "<IIIIIIfffIII",
            self.space.width,
            self.space.height,
            len(self._steps),
            0,
            int(self._exponent),
            int(self.space.wrap),
            self._momentum,
            self._keep,
            self._floor,
            int(self._keep >= 0),
            0,
            0,
        )
        self.device.write(self._parameters, np.frombuffer(head + ways, dtype=np.uint8))
        self._loaded = True

    def run(self, count: int) -> None:
        """Take `count` steps."""
        self._load()
        self._send()
        while count > 0:
            batch = self.device.batch()
            some = min(count, _BATCH)
            many = some // _AT_ONCE if self._reach == 1 else 0
            for _ in range(many):
                self._dispatch(batch, "four", (_INNER, _INNER))
            for _ in range(some - many * _AT_ONCE):
                self._dispatch(batch, "one", (32, 8))
            self.device.submit(batch)
            self._host_knows = False
            self.unread += some
            count -= some

    def step_in_units(self) -> Iterator[None]:
        """Take one step, which is one unit."""
        self.run(1)
        yield

    def _dispatch(self, batch: Batch, entry: str, tile: tuple[int, int]) -> None:
        device = self.device
        shader = device.shader(("exact", "spread"), entry, "urwr")
        group = device.group(
            shader,
            self._parameters,
            self._buffers[self._now],
            self._buffers[1 - self._now],
            self._ground_words,
        )
        batch.run(
            shader, group, (-(-self.space.width // tile[0]), -(-self.space.height // tile[1]))
        )
        self._now = 1 - self._now


def _check(spread: Spread) -> None:
    if spread.exponent > 1:
        raise InvalidValue(
            "Spread on a device is exponential or linear",
            got=f"falloff={spread.falloff!r}",
            remedy='Pass add_layer(..., device="cpu")',
        )
    if not spread.pin:
        raise InvalidValue(
            "Sources on a device pin their cells",
            got="pin=False",
            remedy='Pass add_layer(..., device="cpu")',
        )
    if spread.floor < _LEAST_FLOOR:
        raise InvalidValue(
            f"The floor of Spread on a device is at least {_LEAST_FLOOR:g}",
            got=f"floor={spread.floor:g}",
            remedy="Leave it at 0.001, say",
        )
