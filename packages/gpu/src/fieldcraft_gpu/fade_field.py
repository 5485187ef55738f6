"""Fade on a device: the host finds the cells of marks, the device stores their end times and
computes values.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.layers.propagation.fade.fade import Fade
from fieldcraft.layers.propagation.fade.fade_field import FadeField
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Buffer
from fieldcraft_gpu.card import Card
from fieldcraft_gpu.fields import DeviceField, refuse


class DeviceFadeField(DeviceField, FadeField):
    """The end times of marks on a device. The host has a copy, which is updated when it is read."""

    space: Grid

    def __init__(self, fade: Fade, space: Grid, every: float, device: Card) -> None:
        _check(fade)
        self.device = device
        super().__init__(fade, space, every)
        self._buffer = device.buffer(self._ends.nbytes)
        self._shown = device.buffer(4 * len(space))
        self._drawn: tuple[int, int] | None = None
        self._host_is_current = True
        self._changes = 0
        self._read_at = (0, 0)

    @property
    def now(self) -> Buffer:
        """The buffer of the current values, computed on the device."""
        # new walls read 0 at once, but are only removed at the next update
        if self.space.walls_version != self._walls_version:
            self.device.write(self._shown, self.values)
            self._drawn = None
        elif self._drawn != (self._now, self._changes):
            across = -(-self.space.width // 32)
            down = -(-self.space.height // 8)
            self._dispatch("show", (across, down), 0)
            self._drawn = (self._now, self._changes)
        return self._shown

    def last_read(self) -> dict[str, NDArray[Any]]:
        """Return the end times that were last read; see `DeviceField.last_read`."""
        now, age = self._read_at
        tiles = np.sort(self._listed[: self._count])
        left = np.maximum(self._ends[tiles].astype(np.int64) - age, 0)
        return {
            "values": self._values,
            "now": np.array([now], dtype=np.int64),
            "tiles": tiles,
            "left": left,
        }

    def _read_back(self) -> None:
        """Read the end times."""
        if not self._host_is_current:
            self._ends[:] = self.device.read(self._buffer, np.int32, self._ends.shape)
            # one bit for each row of a tile with marks that have not ended
            lives = (self._ends > self._age).any(axis=2)
            bits = np.arange(kernels.trail.fade_steps.TILE[0])
            self._active |= (lives << bits).sum(axis=1).astype(np.uint16)
            self._ends[self._active == 0] = 0
            tiles = np.flatnonzero(self._active)
            self._count = len(tiles)
            self._listed[: self._count] = tiles
            self._host_is_current = True
        self._read_at = (self._now, self._age)
        self.unread = 0

    def _dispatch(
        self, entry: str, groups: tuple[int, int], count: int, *arrays: NDArray[Any]
    ) -> None:
        space = self.space
        parameters = struct.pack(
            "<IIIIiId",
            space.width,
            space.height,
            *kernels.trail.fade_steps.TILE,
            self._age,
            count,
            self._rate,
        )
        given = arrays or (self.device.buffer(4), self.device.buffer(4))
        files = ("double", "fade")
        targets = (self._buffer, self._shown)
        self.device.run(files, entry, "urrww", groups, parameters, *given, *targets)

    def _show(self) -> None:
        self._read_back()
        super()._show()

    def _mark(self, cells: NDArray[np.int64], strengths: NDArray[np.float64]) -> None:
        self._is_shown = False
        if not len(cells):
            return
        moments = (self._age + self._lives(strengths)).astype(np.int32)
        tiles, places = kernels.trail.fade_steps.slots(cells, self._width)
        groups = self.device.groups(len(cells), 256)
        self._dispatch("mark", groups, len(cells), places.astype(np.uint32), moments)
        rows = cells // self._width % kernels.trail.fade_steps.TILE[0]
        np.bitwise_or.at(self._active, tiles, (1 << rows).astype(np.uint16))
        self._host_is_current = False
        self._changes += 1

    def _erase(self, cells: NDArray[np.int64] | None) -> None:
        """Remove the marks of cells, or all."""
        if cells is None:
            batch = self.device.batch()
            batch.clear(self._buffer)
            self.device.submit(batch)
        elif len(cells):
            places = kernels.trail.fade_steps.slots(cells, self._width)[1].astype(np.uint32)
            count = struct.pack("<I", len(cells))
            nothing = np.zeros(len(cells), np.uint32)
            groups = self.device.groups(len(cells), 256)
            given = (count, places, nothing, self._buffer)
            self.device.run(("place",), "place", "urrw", groups, *given)
        self._changes += 1

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Let these cells (None: all) fade from their new values."""
        if cells is None:
            self._erase(None)
        else:
            self._erase(np.unique(cells))
        super().touched(cells)

    def _follow_walls(self) -> None:
        if self.space.walls_version != self._walls_version:
            self._read_back()
            blocked = self._walls_since()
            super()._follow_walls()
            self._erase(blocked)

    def _move_epoch(self) -> None:
        self._dispatch("later", self.device.groups(self._ends.size, 256), self._ends.size)
        self._epoch += self._age
        self._host_is_current = False
        self._changes += 1

    def _pass_time(self, count: int) -> None:
        super()._pass_time(count)
        if not self._host_is_current:
            self.unread += count
            self._is_shown = False

    def tune(self, fade: Fade, every: float) -> None:
        """Set parameters; see `Field.tune`."""
        _check(fade)
        super().tune(fade, every)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the end times; see `FadeField.state`."""
        self._read_back()
        return super().state()

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Restore end times; see `FadeField.restore`."""
        super().restore(state, sources)
        self.device.write(self._buffer, self._ends)
        self._host_is_current = True
        self._changes += 1
        self._read_back()


def _check(fade: Fade) -> None:
    rule = "Fade on a device is linear and does not diffuse"
    refuse(
        (fade.half_life is not None, rule, f"half_life={fade.half_life}"),
        (fade.diffusion > 0, rule, f"diffusion={fade.diffusion:g}"),
    )
