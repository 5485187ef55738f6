"""Trails on a device, with the bits of the CPU."""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.words import StampBlend
from fieldcraft.kernels.shared.grid_frame import WRAP_X
from fieldcraft.kernels.trail.stamp_units import SCALE
from fieldcraft.layers.propagation.accumulator import Accumulator, Drawing, reserved
from fieldcraft.layers.propagation.trail.rasters import GridRaster, Raster
from fieldcraft.layers.propagation.trail.trail import Trail
from fieldcraft.layers.propagation.trail.trail_field import TrailField
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Batch, Shader
from fieldcraft_gpu.card import STEPS, Card
from fieldcraft_gpu.fields import SteppedField, refuse

_TILE = (32, 8)
_STAMP_WORDS = 12


class DeviceTrailField(SteppedField, TrailField):
    """A trail with values on a device."""

    space: Grid

    def __init__(self, trail: Trail, space: Grid, every: float, device: Card) -> None:
        _check(trail)
        self.space = space
        self.trail = trail
        self.vector = trail.vector
        self._every = every
        self._count = 1
        if trail.vector:
            self._count = 2
        self._allocate(device, (self._count, *space.shape))
        self.sums = device.buffer(2 * self._host.nbytes)
        self._near = device.buffer(4 * len(space))
        self._parameters = device.uniform(bytes(48))
        self._lengths: NDArray[np.float32] | None = None
        self._walls_version = -1
        self._host_inflow: list[Accumulator] | None = None
        self._dispatches: dict[str, tuple[Shader, list[Any], tuple[int, int, int]]] = {}
        self._clear_inflow()
        self._derive()

    def _derive(self) -> None:
        weights, scale = self.trail.weights()
        self._reach = len(weights) // 2
        self._gain = self.trail.retention(self._every) * scale
        self._loaded = False

    # Values

    @property
    def planes(self) -> NDArray[np.float32]:  # type: ignore[override]
        """The values: (planes, height, width)."""
        return self._read_back()

    def last_read(self) -> dict[str, NDArray[Any]]:
        """Return the values that were last read, without deposits since the last update. See
        `DeviceField.last_read`.
        """
        if self.vector:
            return {"planes": self._host}
        return {"values": self._host[0]}

    @property
    def inflow(self) -> list[Accumulator]:  # type: ignore[override]
        """A copy of the deposits since the last update; change them by `set_inflow`."""
        if self._host_inflow is not None:
            return self._host_inflow
        found = [Accumulator(self.space.shape) for _ in range(self._count)]
        if self._has_inflow:
            sums = self.device.read(self.sums, np.int64, self._host.shape)
            for plane, part in zip(found, sums, strict=True):
                plane.restore(part)
        return found

    def set_inflow(self, inflow: list[Accumulator]) -> None:
        """Replace the deposits since the last update."""
        stacked = np.stack([plane.sums for plane in inflow])
        self.device.write(self.sums, stacked)
        self._has_inflow = any(plane.dirty.any() for plane in inflow)
        self.reserved = [plane.largest for plane in inflow]

    @contextlib.contextmanager
    def _inflow_on_host(self) -> Iterator[None]:
        """Let the host change the deposits since the last update."""
        self._host_inflow = self.inflow
        try:
            yield
            self.set_inflow(self._host_inflow)
        finally:
            self._host_inflow = None

    def _clear_inflow(self) -> None:
        self._has_inflow = False
        self.reserved = [0.0] * self._count

    def at(self, cells: NDArray[np.int64] | int) -> NDArray[np.float32]:
        """Return the values of cells; of few cells, only their values are read."""
        if self._host_is_current or self.vector or np.size(cells) * 8 > len(self.space):
            return super().at(cells)
        places = np.atleast_1d(np.asarray(cells)).astype(np.uint32)
        found = self.device.buffer(4 * len(places))
        if len(places):
            given = (struct.pack("<I", len(places)), places, self.now, found)
            groups = self.device.groups(len(places), 256)
            self.device.run(("gather",), "gather", "urrw", groups, *given)
        read = self.device.read(found, np.float32, (len(places),))
        if np.ndim(cells):
            return read
        return np.asarray(read[0])

    # Deposits

    def reserve(self, plane: int, largest: float, total: float) -> None:
        """Refuse amounts that could make a sum overflow, before anything is changed."""
        self.reserved[plane] = reserved(
            self.reserved[plane], lambda: self.inflow[plane].largest, largest, total
        )
        self._has_inflow = True

    def add(self, cells: NDArray[np.int64], amounts: NDArray[np.floating[Any]]) -> None:
        """Add to cells at the next update; amounts (N,), or (N, 2) for vectors. See `Field.add`."""
        parts = self._parts(amounts)
        if not len(cells):
            return
        batch = self.device.batch()
        places = self.device.buffer(cells.astype(np.uint32))
        for plane, part in enumerate(parts):
            parameters = struct.pack("<II", len(cells), plane * len(self.space))
            units = np.rint(part * SCALE).astype(np.int64)
            given = (parameters, places, units)
            groups = self.device.groups(len(cells), 256)
            batch.dispatch(("put", "scatter"), "scatter", "urrw", groups, *given, self.sums)
        self.device.submit(batch)

    def stamp(self, raster: Raster, amounts: NDArray[np.float64], blend: StampBlend) -> None:
        """Add stamps at the next update. Stamps that replace each other are drawn by the host,
        because their order matters.
        """
        assert isinstance(raster, GridRaster)
        if blend == "replace":
            with self._inflow_on_host():
                super().stamp(raster, amounts, blend)
            return
        parts = self._parts(amounts, raster.peak)
        drawing = raster.drawing
        count = len(drawing.rows)
        if not count:
            return
        device = self.device
        batch = device.batch()
        size = len(self.space)
        shapes = device.buffer(drawing.tables.boxes.astype(np.int32))
        table = device.buffer(drawing.tables.weights)
        all_stamps = device.groups(count, 1)
        all_cells = device.groups(size, 256)
        for plane, part in enumerate(parts):
            stamps = device.buffer(stamp_records(drawing, part * SCALE))
            parameters = device.uniform(drawing_parameters(self.space, count, plane * size))
            given = (parameters, stamps, shapes, table, self.sums)
            if blend == "add":
                batch.dispatch(("double", "put", "stamps"), "stamp", "urrrw", all_stamps, *given)
                continue
            files = ("double", "put", "stamps", "strongest")
            keys = device.buffer(8 * size)
            for entry in ("begin", "high", "low", "keep"):
                if entry in ("high", "low"):
                    groups = all_stamps
                else:
                    groups = all_cells
                batch.dispatch(files, entry, "urrrww", groups, *given, keys)
        device.submit(batch)

    def _parts(
        self, amounts: NDArray[np.floating[Any]], weight: float = 1.0
    ) -> list[NDArray[np.float64]]:
        """Return the amounts of each plane, after reserving them."""
        if self.vector:
            found = [np.ascontiguousarray(part) for part in amounts.T]
        else:
            found = [np.ascontiguousarray(amounts)]
        for plane, part in enumerate(found):
            sizes = np.abs(part)
            self.reserve(plane, float(sizes.max(initial=0)), float(sizes.sum()) * weight)
        return found

    # Steps

    def feed(self, sources: Sources) -> None:
        """Do nothing: walls are read at the next update."""

    def tune(self, trail: Trail, every: float) -> None:
        """Set parameters; see `Field.tune`."""
        _check(trail)
        super().tune(trail, every)

    def settle(self) -> None:
        """Set all values to 0."""
        with self._inflow_on_host():
            super().settle()

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Restore a state; see `Field.restore`."""
        with self._inflow_on_host():
            super().restore(state, sources)

    def prepare(self) -> None:
        """Write changed values, walls and parameters to the device."""
        _ = self.now
        version = self.space.walls_version
        if self._loaded and version == self._walls_version:
            return
        device = self.device
        trail = self.trail
        space = self.space
        device.write(self._near, _near(space.walls, self._reach, space.wrap_flags))
        size, power = math.frexp(self._gain)
        mantissa = int(size * 2**53)
        floor = np.float32(min(max(trail.floor, 1e-30), float(np.finfo(np.float32).max)))
        parameters = struct.pack(
            "<IIIIIIIIIIiI",
            space.width,
            space.height,
            self._count,
            0,
            int(trail.edges == "conserve"),
            space.wrap_flags,
            self._reach,
            int(floor.view(np.uint32)),
            mantissa & 0xFFFFFFFF,
            mantissa >> 32,
            power - 53,
            0,
        )
        device.write(self._parameters, np.frombuffer(parameters, dtype=np.uint8))
        self._loaded = True
        self._walls_version = version

    def record(self, batch: Batch) -> None:
        """Record one update, after `prepare`."""
        if not self.trail.accumulate:
            self._dispatch(batch, "drain")
        if self._reach == 1:
            self._dispatch(batch, "narrow")
        else:
            self._dispatch(batch, "wide")
        self._host_is_current = False
        self._lengths = None
        self._clear_inflow()

    def _dispatch(self, batch: Batch, entry: str) -> None:
        if entry not in self._dispatches:
            shader = self.device.shader(("exact", "double", "trail"), entry, "urwwr")
            both = [
                self.device.group(shader, self._parameters, *turned, self.sums, self._near)
                for turned in (self._buffers, self._buffers[::-1])
            ]
            across = -(-self.space.width // _TILE[0])
            down = -(-self.space.height // _TILE[1])
            self._dispatches[entry] = (shader, both, (across, down, self._count))
        shader, both, groups = self._dispatches[entry]
        batch.run(shader, both[self.turn], groups)
        self.turn = 1 - self.turn

    def run(self, count: int) -> None:
        """Take `count` steps."""
        while count > 0:
            self.prepare()
            batch = self.device.batch()
            some = min(count, STEPS)
            for _ in range(some):
                self.record(batch)
            self.device.submit(batch)
            self.unread += some
            count -= some


def _check(trail: Trail) -> None:
    rule = "A trail on a device blurs by a width"
    refuse((not isinstance(trail.blur, int), rule, f"blur={trail.blur!r}"[:60]))


def drawing_parameters(space: Grid, count: int, first: int) -> bytes:
    """Return the uniforms of stamps.wgsl for so many stamps on the sums from `first` on."""
    return struct.pack("<IIIII12x", space.width, space.height, count, space.wrap_flags, first)


def stamp_records(drawing: Drawing, amounts: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Return the records of stamps: cells, shapes, and the amounts of the cell and its
    neighbors.
    """
    found = np.zeros((len(amounts), _STAMP_WORDS), dtype=np.uint32)
    places = np.stack([drawing.rows, drawing.columns], axis=1)
    found[:, :2] = places.astype(np.int32).view(np.uint32)
    found[:, 2] = drawing.numbers
    found[:, 3] = (drawing.below != 0) | (drawing.right != 0)
    far = (1 - drawing.below) * amounts
    near = drawing.below * amounts
    shares = (
        (1 - drawing.right) * far,
        drawing.right * far,
        (1 - drawing.right) * near,
        drawing.right * near,
    )
    found[:, 4:] = np.stack(shares, axis=1).view(np.uint32)
    return found


def _near(walls: NDArray[np.bool_], reach: int, wrap: int) -> NDArray[np.uint32]:
    """Return the walls near each cell for the blur; see trail.wgsl."""
    found = np.zeros(walls.shape, dtype=np.uint32)
    if reach == 1:
        starts, columns, masks, *_ = kernels.trail.trail_plan.plan(
            walls, np.ones(3, np.float32), wrap
        )
        found[~walls] = 0x1FF
        found[np.repeat(np.arange(len(walls)), np.diff(starts)), columns] = masks
        return found
    for side, shift in ((1, 0), (-1, 8)):
        free = ~walls
        run = free.astype(np.uint32)
        for n in range(1, reach + 1):
            beside = np.roll(~walls, side * n, axis=1)
            if not wrap & WRAP_X:
                if side > 0:
                    beside[:, :n] = False
                else:
                    beside[:, -n:] = False
            free &= beside
            run += free
        found |= run << np.uint32(shift)
    return found
