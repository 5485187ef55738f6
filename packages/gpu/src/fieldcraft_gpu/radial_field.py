"""Radial sums on a device: the host computes footprints that walls cut, the device draws the others
and adds all of them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.swarm_layout import packed
from fieldcraft.propagation.footprints import Emission, Sums
from fieldcraft.propagation.grid_footprints import GridFootprints
from fieldcraft.propagation.grid_radial import GridRadialField
from fieldcraft.propagation.radial_field import RadialField
from fieldcraft.sources import Sources
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Buffer
from fieldcraft_gpu.card import Card
from fieldcraft_gpu.fields import DeviceField, refuse

if TYPE_CHECKING:
    from fieldcraft.propagation import Radial

__all__ = ["DeviceRadialField"]

_FOOTPRINT = np.dtype(
    [("row", "<i4"), ("column", "<i4"), ("reach", "<i4"), ("start", "<u4"), ("strength", "<f8")]
)


class DeviceSums(Sums):
    """Sums on a device. The host has a copy, which is updated when it is read."""

    def __init__(self, device: Card, space: Grid) -> None:
        self.device = device
        self._space = space
        self.buffer, self.now = device.buffer(8 * len(space)), device.buffer(4 * len(space))
        self.host_is_current = True
        self.on_host = False
        self._footprints: list[NDArray[Any]] = []
        self._cells: list[NDArray[np.int64]] = []
        self._amounts: list[NDArray[np.int64]] = []
        self._tables: tuple[NDArray[np.float64], Buffer] | None = None
        self._wall_words: tuple[NDArray[np.bool_], Buffer] | None = None
        super().__init__(space.shape)

    def _read_back(self) -> None:
        if not self.host_is_current:
            self._total[:] = self.device.read(self.buffer, np.int64, self._total.shape)
            self.last_shown[:] = self.device.read(self.now, np.float32, self.last_shown.shape)
            self.host_is_current = True

    def send(self) -> None:
        """Write the host's copy to the device."""
        self.device.write(self.buffer, self._total)
        self.device.write(self.now, self.last_shown)

    @property
    def total(self) -> NDArray[np.int64]:
        """The sums, read from the device."""
        self._read_back()
        return self._total

    @total.setter
    def total(self, total: NDArray[np.int64]) -> None:
        self._total = total

    @property
    def shown(self) -> NDArray[np.float32]:
        """The values of the last complete state, read from the device."""
        self._read_back()
        return self.last_shown

    @shown.setter
    def shown(self, shown: NDArray[np.float32]) -> None:
        self.last_shown = shown

    def begin_anew(self) -> None:
        """Set all sums to 0, and mark all tiles as changed."""
        self._read_back()
        super().begin_anew()
        batch = self.device.batch()
        batch.clear(self.buffer)
        self.device.submit(batch)

    def take_shown(self) -> None:
        """Set the sums to the values that are shown."""
        super().take_shown()
        self.send()

    def touch(self, cells: NDArray[np.int64]) -> None:
        """Mark the tiles of cells."""
        width = self._space.width
        self.dirty[
            cells // width // kernels.radial.TILE_ROWS, cells % width // kernels.radial.TILE_COLUMNS
        ] = 1

    def scatter(
        self,
        kernel: Callable[..., None],
        cells: NDArray[np.int64],
        weights: NDArray[np.float64],
        strength: float,
    ) -> Iterator[int]:
        """Queue a footprint that walls cut, to be added before sums are published."""
        self._cells.append(cells)
        self._amounts.append(kernels.radial.amount(strength * kernels.radial.SCALE, weights))
        yield 1

    def stamp(self, jobs: Emission, footprints: GridFootprints) -> None:
        """Queue whole footprints, to be drawn before sums are published."""
        if not len(jobs):
            return
        records = np.empty(len(jobs), _FOOTPRINT)
        records["row"], records["column"] = np.divmod(jobs.cells, self._space.width)
        records["reach"], records["start"] = (
            footprints.reaches[jobs.shapes],
            footprints.starts[jobs.shapes],
        )
        records["strength"] = jobs.strengths * kernels.radial.SCALE
        if self._tables is None or self._tables[0] is not footprints.packed:
            self._flush()
            self._tables = (footprints.packed, self.device.buffer(footprints.packed))
        self._footprints.append(records)

    def _flush(self) -> None:
        device, space = self.device, self._space
        if not self._footprints and not self._cells:
            return
        batch = device.batch()
        if self._footprints and self._tables is not None:
            records = np.concatenate(self._footprints)
            size = struct.pack("<IIII", space.width, space.height, len(records), int(space.wrap))
            given, groups = (size, records.view(np.uint8)), device.groups(len(records), 1)
            files, table = ("double", "put", "radiate"), self._tables[1]
            batch.dispatch(files, "radiate", "urrw", groups, *given, table, self.buffer)
        if self._cells:
            cells = np.concatenate(self._cells).astype(np.uint32)
            places = struct.pack("<II", len(cells), 0), cells, np.concatenate(self._amounts)
            groups = device.groups(len(cells), 256)
            batch.dispatch(("put", "scatter"), "scatter", "urrw", groups, *places, self.buffer)
        device.submit(batch)
        self.host_is_current = False
        self._footprints, self._cells, self._amounts = [], [], []

    def publish(self, walls: NDArray[np.bool_], at_once: bool) -> Iterator[int]:
        """Convert the sums to values; see `Sums.publish`."""
        if self.on_host:
            yield from super().publish(walls, True)
            self.send()
            return
        self._flush()
        if self._wall_words is None or self._wall_words[0] is not walls:
            self._wall_words = (walls, self.device.buffer(packed(walls)))
        size, groups = len(self._space), self.device.groups(len(self._space), 256)
        given = struct.pack("<I", size), self.buffer, self._wall_words[1], self.now
        self.device.run(("double", "publish"), "publish", "urrw", groups, *given)
        self.host_is_current = False
        self.dirty[:] = 0
        yield 1


class DeviceRadialField(DeviceField, GridRadialField):
    """Values of live sources, as exact sums on a device."""

    lazy: ClassVar[bool] = True

    def __init__(self, radial: Radial, space: Grid, every: float, device: Card) -> None:
        _check(radial)
        self.device = device
        super().__init__(radial, space)
        self.sums: DeviceSums = DeviceSums(device, space)

    @property
    def now(self) -> Buffer:
        """The buffer of the current values."""
        return self.sums.now

    def last_read(self) -> dict[str, NDArray[Any]]:
        """Return the values that were last read; newer ones follow from the sources. See
        `DeviceField.last_read`.
        """
        shown = {"values": self.sums.last_shown}
        return shown if self.resistance is None else {**shown, "resistance": self.resistance}

    def tune(self, radial: Radial, every: float) -> None:
        """Set parameters, and compute all sums again."""
        _check(radial)
        super().tune(radial, every)

    def run(self, count: int) -> None:
        """Apply all changes, if there are any steps."""
        super().run(count)
        self.unread = 0 if self.sums.host_is_current else self.unread + count

    def validate(self, cells: int, most: float | None) -> int:
        """Validate the next `cells` cells or so on the host; see `RadialField.validate`."""
        self.catch_up()
        self.sums.on_host = True
        try:
            return super().validate(cells, most)
        finally:
            self.sums.on_host = False

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Restore a state until the next step; see `Field.restore`."""
        super().restore(state, sources)
        self.sums.send()

    def _other(self, radial: Radial) -> RadialField[Any]:
        return GridRadialField(radial, self.space)

    def _patched(self, sources: Sources) -> bool:
        return False

    def _is_less_anew(self, old: Emission, new: Emission) -> bool:
        return False

    def _add(self, jobs: Emission, *, anew: bool = False) -> Iterator[int]:
        is_open = self._is_open(jobs)
        self.sums.stamp(jobs.at(is_open), self.footprints)
        if np.count_nonzero(is_open) < len(jobs):
            yield from self._search_each(self._ops.scatter, jobs.at(~is_open))


def _check(radial: Radial) -> None:
    centers = "Sources on a device act from the centers of their cells"
    refuse(
        (radial.blend != "sum", "Radial influence on a device adds up", f"blend={radial.blend!r}"),
        (radial.exact, centers, "exact=True"),
    )
