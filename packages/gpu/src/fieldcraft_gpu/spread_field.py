"""Spread on a device, with the bits of the CPU."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.layers.propagation.spread.spread_on_grid import GridSpreadField
from fieldcraft.layers.propagation.spread.spread_settings import SpreadSettings
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Batch, Buffer
from fieldcraft_gpu.card import Card
from fieldcraft_gpu.fields import SteppedField, refuse

_PINNED = np.uint32(1 << 31)
_MOST_NEIGHBORS = 31
_AT_ONCE = 4  # steps in the memory of a work group
_INNER = 24  # cells of its square that come out right
_LEAST_FLOOR = 1e-30
_BATCH = 1024


class DeviceSpreadField(SteppedField, GridSpreadField):
    """Values that spread on a device. The host has a copy, which is updated when it is read.

    Changes of sources are written to their cells on the device; changes of walls and whole arrays
    go through the host.
    """

    lazy = True

    def __init__(self, spread: SpreadSettings, space: Grid, every: float, device: Card) -> None:
        neighbors = len(space.neighborhood.steps)
        rule = f"Spread on a device has at most {_MOST_NEIGHBORS} neighbors"
        refuse((neighbors > _MOST_NEIGHBORS, rule, f"{neighbors}"))
        _check(spread)
        self._allocate(device, space.shape)
        self._wall_words = device.buffer(4 * len(space))
        self._parameters = device.uniform(bytes(48 + 16 * _MOST_NEIGHBORS))
        super().__init__(spread, space, every)

    def set_resistance(self, resistance: NDArray[np.float32] | None) -> None:
        """Refuse a resistance."""
        refuse((resistance is not None, "Layers on a device have no resistance", "a resistance"))

    # Values

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, read from the device if it has newer ones."""
        return self._read_back()

    @values.setter
    def values(self, values: NDArray[np.float32]) -> None:
        self._host = values
        self._host_is_current = True
        self._device_is_current = False

    def last_read(self) -> dict[str, NDArray[Any]]:
        """Return the values that were last read, and the pinned cells; see
        `DeviceField.last_read`.
        """
        return {"values": self._host, "pinned": self.pinned}

    @property
    def _flat(self) -> NDArray[np.float32]:
        return self.values.reshape(-1)

    @_flat.setter
    def _flat(self, values: NDArray[np.float32]) -> None:
        """Do nothing: the flat view of `values` is created on demand."""

    # Changes

    def pin(self, cells: NDArray[np.int64], strengths: NDArray[np.float32]) -> None:
        """Pin exactly these cells, ascending, at these values."""
        if self._host_is_current:
            self._read_for_change()
            self._loaded = False
            super().pin(cells, strengths)
            return
        strengths = strengths + np.float32(0)
        flags = self._blocked.reshape(-1)
        before = self.pinned
        flags[before] &= ~np.uint8(2)
        flags[cells] |= np.uint8(2)
        walls = before[flags[before] == 1]
        self.pinned = cells
        values = np.concatenate([np.zeros(len(walls), np.float32), strengths])
        self._place(np.concatenate([walls, cells]), values, self.now)
        changed = np.union1d(before, cells)
        words = self._links_and_masks()[0].reshape(-1)[changed].astype(np.uint32) | np.where(
            flags[changed] != 0, _PINNED, np.uint32(0)
        )
        self._place(changed, words, self._wall_words)

    def _place(self, cells: NDArray[np.int64], words: NDArray[Any], target: Buffer) -> None:
        if len(cells):
            given = (struct.pack("<I", len(cells)), cells.astype(np.uint32), words, target)
            groups = self.device.groups(len(cells), 256)
            self.device.run(("place",), "place", "urrw", groups, *given)

    def _follow_walls(self) -> None:
        self._read_for_change()
        self._loaded = False
        super()._follow_walls()

    def tune(self, spread: SpreadSettings, every: float) -> None:
        """Set parameters and the interval; see `Field.tune`."""
        _check(spread)
        self._loaded = False
        super().tune(spread, every)

    # Steps

    def _load(self) -> None:
        """Write changed walls, pinned cells and parameters to the device."""
        if self._loaded:
            return
        pinned = np.where(self._blocked != 0, _PINNED, np.uint32(0)).astype(np.uint32)
        self.device.write(self._wall_words, self._links_and_masks()[0].astype(np.uint32) | pinned)
        steps = b"".join(
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
            self.space.wrap_flags,
            self._momentum,
            self._keep,
            self._floor,
            int(self._keep >= 0),
            0,
            0,
        )
        self.device.write(self._parameters, np.frombuffer(head + steps, dtype=np.uint8))
        self._loaded = True

    def run(self, count: int) -> None:
        """Take `count` steps."""
        self._load()
        while count > 0:
            batch = self.device.batch()
            some = min(count, _BATCH)
            many = 0
            if self._reach == 1:
                many = some // _AT_ONCE
            for _ in range(many):
                self._dispatch(batch, "four", (_INNER, _INNER))
            for _ in range(some - many * _AT_ONCE):
                self._dispatch(batch, "one", (32, 8))
            self.device.submit(batch)
            self._host_is_current = False
            self.unread += some
            count -= some

    def _dispatch(self, batch: Batch, entry: str, tile: tuple[int, int]) -> None:
        groups = (-(-self.space.width // tile[0]), -(-self.space.height // tile[1]))
        now = self.now
        later = self._buffers[1 - self.turn]
        given = (self._parameters, now, later, self._wall_words)
        batch.dispatch(("exact", "spread"), entry, "urwr", groups, *given)
        self.turn = 1 - self.turn


def _check(spread: SpreadSettings) -> None:
    floor = f"The floor of Spread on a device is at least {_LEAST_FLOOR:g}"
    refuse(
        (
            spread.exponent > 1,
            "Spread on a device is exponential or linear",
            f"falloff={spread.falloff!r}",
        ),
        (not spread.pin, "Sources on a device pin their cells", "pin=False"),
        (spread.floor < _LEAST_FLOOR, floor, f"floor={spread.floor:g}"),
    )
