"""Memory on a device: the host finds what marks reach, the device keeps the moments and shows
them.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.fade import Fade
from fieldcraft.propagation.fade_field import FadeField
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Buffer
from fieldcraft_gpu.devices import Device
from fieldcraft_gpu.fields import DeviceField

__all__ = ["DeviceFadeField"]


class DeviceFadeField(DeviceField, FadeField):
    """Moments at which cells are forgotten, on a device. The host has a copy, which is brought up
    to date when somebody looks at it.
    """

    space: Grid

    def __init__(self, fade: Fade, space: Grid, every: float, device: Device) -> None:
        _check(fade)
        self.device = device
        super().__init__(fade, space, every)
        self._buffer = device.buffer(self._ends.nbytes)
        self._shown = device.buffer(4 * len(space))
        self._drawn: tuple[int, int] | None = None
        self._host_knows = True
        self._changes = 0
        self._read_at = (0, 0)

    @property
    def now(self) -> Buffer:
        """The values now: float32 bits, worked out where they are."""
        if (
            self.space.walls_version != self._walls_version
        ):  # walls show at once, and are only forgotten at the next update
            self.device.write(self._shown, self.values)
            self._drawn = None
        elif self._drawn != (self._now, self._changes):
            self._dispatch(
                "show", 0, groups=(-(-self.space.width // 32), -(-self.space.height // 8))
            )
            self._drawn = (self._now, self._changes)
        return self._shown

    def last_read(self) -> dict[str, NDArray[Any]]:
        """The moments that were last read; see `DeviceField.last_read`."""
        now, age = self._read_at
        tiles = np.sort(self._listed[: self._count])
        left = np.maximum(self._ends[tiles].astype(np.int64) - age, 0)
        return {
            "values": self._values,
            "now": np.array([now], dtype=np.int64),
            "tiles": tiles,
            "left": left,
        }

    def _bring(self) -> None:
        """Bring the moments to the host."""
        if not self._host_knows:
            self._ends[:] = self.device.read(self._buffer, np.int32, self._ends.shape)
            lives = (self._ends > self._age).any(axis=2)
            self._active |= (lives << np.arange(kernels.fade.TILE[0])).sum(axis=1).astype(np.uint16)
            self._ends[self._active == 0] = 0
            tiles = np.flatnonzero(self._active)
            self._count = len(tiles)
            self._listed[: self._count] = tiles
            self._host_knows = True
        self._read_at, self.unread = (self._now, self._age), 0

    def _dispatch(
        self,
        entry: str,
        count: int,
        *arrays: NDArray[Any],
        age: int | None = None,
        groups: tuple[int, int] | None = None,
    ) -> None:
        device, space = self.device, self.space
        shader, batch = device.shader(("double", "fade"), entry, "urrww"), device.batch()
        since = self._age if age is None else age
        parameters = device.uniform(
            struct.pack(
                "<IIIIiId", space.width, space.height, *kernels.fade.TILE, since, count, self._rate
            )
        )
        given = [device.buffer(array) for array in arrays] or [device.buffer(4), device.buffer(4)]
        batch.run(
            shader,
            device.group(shader, parameters, *given, self._buffer, self._shown),
            groups or device.groups(count, 256),
        )
        device.submit(batch)

    def _show(self) -> None:
        self._bring()
        super()._show()

    def _mark(self, cells: NDArray[np.int64], strengths: NDArray[np.float64]) -> None:
        self._is_shown = False
        if not len(cells):
            return
        moments = (self._age + self._lives(strengths)).astype(np.int32)
        tiles, places = kernels.fade.slots(cells, self._width)
        self._dispatch("mark", len(cells), places.astype(np.uint32), moments)
        np.bitwise_or.at(
            self._active,
            tiles,
            (1 << cells // self._width % kernels.fade.TILE[0]).astype(np.uint16),
        )
        self._host_knows = False
        self._changes += 1

    def _erase(self, cells: NDArray[np.int64] | None) -> None:
        """Forget cells, or all."""
        device, batch = self.device, self.device.batch()
        if cells is None:
            batch.clear(self._buffer)
        elif len(cells):
            shader = device.shader(("place",), "place", "urrw")
            places = device.buffer(kernels.fade.slots(cells, self._width)[1].astype(np.uint32))
            nothing, parameters = (
                device.buffer(4 * len(cells)),
                device.uniform(struct.pack("<I", len(cells))),
            )
            batch.run(
                shader,
                device.group(shader, parameters, places, nothing, self._buffer),
                device.groups(len(cells), 256),
            )
        device.submit(batch)
        self._changes += 1

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Let these cells (None: any) fade from the values that they were given."""
        self._erase(None if cells is None else np.unique(cells))
        super().touched(cells)

    def _follow_walls(self) -> None:
        if self.space.walls_version != self._walls_version:
            self._bring()
            blocked = self._walls_since()
            super()._follow_walls()
            self._erase(blocked)

    def _move_epoch(self) -> None:
        passed = self._age
        self._dispatch("later", self._ends.size, age=passed)
        self._epoch += passed
        self._host_knows = False
        self._changes += 1

    def _pass_time(self, count: int) -> None:
        super()._pass_time(count)
        if not self._host_knows:
            self.unread += count
            self._is_shown = False

    def tune(self, fade: Fade, every: float) -> None:
        """Let what is remembered fade otherwise from now on; see `Field.tune`."""
        _check(fade)
        super().tune(fade, every)

    def moments(self) -> dict[str, NDArray[Any]]:
        """All that the values follow from; see `RememberingField.moments`."""
        self._bring()
        return super().moments()

    def remember(self, moments: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `moments` said; see `RememberingField.remember`."""
        super().remember(moments)
        self.device.write(self._buffer, self._ends)
        self._host_knows = True
        self._changes += 1
        self._bring()


def _check(fade: Fade) -> None:
    if fade.half_life is not None or fade.seep > 0:
        got = (
            f"half_life={fade.half_life:g}" if fade.half_life is not None else f"seep={fade.seep:g}"
        )
        raise InvalidValue(
            "Memory on a device fades evenly, and does not seep",
            got=got,
            remedy='Pass add_layer(..., device="cpu")',
        )
