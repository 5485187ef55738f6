"""Radial sums on a device: the host computes footprints that walls cut, the device draws the others
and adds all of them.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.agents.swarm_layout import packed
from fieldcraft.kernels.trail.stamp_units import ADD, SCALE
from fieldcraft.layers.propagation.accumulator import Accumulator, Drawing, Tables
from fieldcraft.layers.propagation.radial.radial_field import RadialField
from fieldcraft.layers.propagation.radial.radial_sources import Emitters
from fieldcraft.layers.propagation.radial.radial_updates import GridRadialUpdates
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Buffer
from fieldcraft_gpu.card import Card
from fieldcraft_gpu.fields import DeviceField, refuse
from fieldcraft_gpu.trail_field import drawing_parameters, stamp_records

if TYPE_CHECKING:
    from fieldcraft.layers.propagation import Radial


class DeviceSums(Accumulator):
    """Sums on a device. The host has a copy, which is updated when it is read."""

    def __init__(self, device: Card, space: Grid) -> None:
        self.device = device
        self._space = space
        self.buffer = device.buffer(8 * len(space))
        self.now = device.buffer(4 * len(space))
        self.host_is_current = True
        self.on_host = False
        self._drawings: list[tuple[Drawing, NDArray[np.float64]]] = []
        self._cells: list[NDArray[np.int64]] = []
        self._amounts: list[NDArray[np.int64]] = []
        self._tables: tuple[NDArray[np.float64], Buffer, Buffer] | None = None
        self._wall_words: tuple[NDArray[np.bool_] | None, Buffer] | None = None
        self.last_shown: NDArray[np.float32] = np.zeros(space.shape, dtype=np.float32)
        super().__init__(space.shape)

    def _read_back(self) -> None:
        self._flush()
        if not self.host_is_current:
            self._sums[:] = self.device.read(self.buffer, np.int64, self._sums.shape)
            self.last_shown[:] = self.device.read(self.now, np.float32, self.last_shown.shape)
            self.host_is_current = True

    def send(self) -> None:
        """Write the host's copy to the device."""
        self.device.write(self.buffer, self._sums)
        self.device.write(self.now, self.last_shown)

    @property
    def sums(self) -> NDArray[np.int64]:
        """The sums, read from the device."""
        self._read_back()
        return self._sums

    @sums.setter
    def sums(self, sums: NDArray[np.int64]) -> None:
        self._sums = sums

    @property
    def shown(self) -> NDArray[np.float32]:
        """The values of the last complete state, read from the device."""
        self._read_back()
        return self.last_shown

    def reset(self) -> None:
        """Set all sums to 0; see `Accumulator.reset`."""
        self._read_back()
        super().reset()
        batch = self.device.batch()
        batch.clear(self.buffer)
        self.device.submit(batch)

    def scatter(
        self, cells: NDArray[np.int64], amounts: NDArray[np.float64], blend: int = ADD
    ) -> None:
        """Add amounts to cells before the next time that sums are shown."""
        self._cells.append(cells)
        self._amounts.append(np.rint(amounts * SCALE).astype(np.int64))

    def draw(self, drawing: Drawing, amounts: NDArray[np.float64], blend: int = ADD) -> None:
        """Add tables times amounts before the next time that sums are shown."""
        self._drawings.append((drawing, amounts * SCALE))

    def _flush(self) -> None:
        device = self.device
        space = self._space
        if not self._drawings and not self._cells:
            return
        batch = device.batch()
        for drawing, amounts in self._drawings:
            shapes, weights = self._uploaded(drawing.tables)
            parameters = drawing_parameters(space, len(amounts), 0)
            stamps = device.buffer(stamp_records(drawing, amounts))
            given = (device.uniform(parameters), stamps, shapes, weights, self.buffer)
            groups = device.groups(len(amounts), 1)
            batch.dispatch(("double", "put", "stamps"), "stamp", "urrrw", groups, *given)
        if self._cells:
            cells = np.concatenate(self._cells).astype(np.uint32)
            parameters = struct.pack("<II", len(cells), 0)
            units = np.concatenate(self._amounts)
            buffers = (cells, units, self.buffer)
            groups = device.groups(len(cells), 256)
            batch.dispatch(("put", "scatter"), "scatter", "urrw", groups, parameters, *buffers)
        device.submit(batch)
        self.host_is_current = False
        self._drawings = []
        self._cells = []
        self._amounts = []

    def _uploaded(self, tables: Tables) -> tuple[Buffer, Buffer]:
        if self._tables is None or self._tables[0] is not tables.weights:
            boxes = self.device.buffer(tables.boxes.astype(np.int32))
            self._tables = (tables.weights, boxes, self.device.buffer(tables.weights))
        return self._tables[1:]

    def publish(self, values: NDArray[np.float32], walls: NDArray[np.bool_] | None = None) -> None:
        """Convert the sums to values; see `Accumulator.publish`."""
        if self.on_host:
            super().publish(self.last_shown, walls)
            self.send()
            return
        self._flush()
        if self._wall_words is None or self._wall_words[0] is not walls:
            if walls is None:
                blocked = np.zeros(self.shape, dtype=np.bool_)
            else:
                blocked = walls
            self._wall_words = (walls, self.device.buffer(packed(blocked)))
        size = len(self._space)
        groups = self.device.groups(size, 256)
        given = (struct.pack("<I", size), self.buffer, self._wall_words[1], self.now)
        self.device.run(("double", "publish"), "publish", "urrw", groups, *given)
        self.host_is_current = False
        self.dirty[:] = 0


class DeviceRadialUpdates(GridRadialUpdates):
    """Exact sums of what live sources radiate, on a device."""

    sums: DeviceSums

    def __init__(self, radial: Radial, space: Grid, device: Card) -> None:
        self.device = device
        super().__init__(radial, space)

    def _no_sums(self) -> DeviceSums:
        return DeviceSums(self.device, self.space)

    @property
    def shown(self) -> NDArray[np.float32]:  # type: ignore[override]
        """The values of the last complete state, read from the device."""
        return self.sums.shown

    def _can_draw_at_once(self, *changes: Any) -> bool:
        return False

    def _rebuild_is_cheaper(self, jobs: Emitters) -> bool:
        return False

    def _add_connected(self, jobs: Emitters, blend: int) -> Emitters:
        return jobs


class DeviceRadialField(DeviceField, RadialField):
    """Values of live sources, as exact sums on a device."""

    lazy: ClassVar[bool] = True
    updates: DeviceRadialUpdates

    def __init__(self, radial: Radial, space: Grid, every: float, device: Card) -> None:
        _check(radial)
        self.device = device
        super().__init__(DeviceRadialUpdates(radial, space, device))

    @property
    def sums(self) -> DeviceSums:
        """The sums on the device."""
        return self.updates.sums

    @property
    def now(self) -> Buffer:
        """The buffer of the current values."""
        return self.sums.now

    def last_read(self) -> dict[str, NDArray[Any]]:
        """Return the values that were last read; newer ones follow from the sources. See
        `DeviceField.last_read`.
        """
        shown = {"values": self.sums.last_shown}
        if self.resistance is None:
            return shown
        return {**shown, "resistance": self.resistance}

    def tune(self, radial: Radial, every: float) -> None:
        """Set parameters, and compute all sums again."""
        _check(radial)
        super().tune(radial, every)

    def run(self, count: int) -> None:
        """Apply all changes, if there are any steps."""
        super().run(count)
        if self.sums.host_is_current:
            self.unread = 0
        else:
            self.unread += count

    def validate(self, cells: int, most: float | None) -> int:
        """Validate the next `cells` cells or so on the host; see `RadialField.validate`."""
        self.updates.catch_up()
        self.sums.on_host = True
        try:
            return super().validate(cells, most)
        finally:
            self.sums.on_host = False

    def touched(self, cells: NDArray[np.int64] | None) -> None:
        """Set the sums to the values that are shown; see `RadialField.touched`."""
        super().touched(cells)
        self.sums.send()

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Restore a state until the next step; see `Field.restore`."""
        super().restore(state, sources)
        self.sums.send()


def _check(radial: Radial) -> None:
    centers = "Sources on a device act from the centers of their cells"
    refuse(
        (radial.blend != "sum", "Radial influence on a device adds up", f"blend={radial.blend!r}"),
        (radial.exact, centers, "exact=True"),
    )
