"""Trails on a device: the same field as on the CPU, with the same bits."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.propagation.canvas import MOST_AMOUNT, MOST_SUM, Blots, Canvas, GridBlots
from fieldcraft.propagation.trail import Trail
from fieldcraft.propagation.trail_field import TrailField
from fieldcraft.sources import Sources
from fieldcraft.space import Grid
from fieldcraft_gpu.batches import Batch, Buffer, Shader
from fieldcraft_gpu.devices import STEPS, Device
from fieldcraft_gpu.fields import DeviceField

__all__ = ["DeviceTrailField"]

_TILE = (32, 8)
_STAMP_WORDS = 12


class DeviceTrailField(DeviceField, TrailField):
    """A trail whose values lie on a device."""

    space: Grid

    def __init__(self, trail: Trail, space: Grid, every: float, device: Device) -> None:
        if not isinstance(trail.blur, int):
            raise InvalidValue(
                "A trail on a device blurs by a width",
                got=f"blur={trail.blur!r}"[:60],
                remedy='Pass an odd number, or device="cpu" for weights',
            )
        self.device = device
        self.space = space
        self.trail, self.vector = trail, trail.vector
        self._every = every
        self._count = 2 if trail.vector else 1
        self._cells = space.height * space.width
        size = self._count * self._cells
        self._buffers = [device.buffer(4 * size), device.buffer(4 * size)]
        self.sums = device.buffer(8 * size)
        self._near = device.buffer(4 * self._cells)
        self._parameters = device.uniform(bytes(48))
        self._now = 0
        self._read: NDArray[np.float32] = np.zeros((self._count, *space.shape), dtype=np.float32)
        self._host_knows = True
        self._lengths: NDArray[np.float32] | None = None
        self._walls_version = -1
        self._loaded = False
        self._holds_inflow = False
        self.booked = [0.0] * self._count
        self._dispatches: dict[str, tuple[Shader, list[Any], tuple[int, int, int]]] = {}
        self._derive()

    def _derive(self) -> None:
        weights, scale = self.trail.weights()
        self._reach = len(weights) // 2
        self._gain = self.trail.kept(self._every) * scale
        self._loaded = False

    # Values

    @property
    def now(self) -> Buffer:
        """The values now: planes of float32 bits."""
        return self._buffers[self._now]

    @property
    def planes(self) -> NDArray[np.float32]:  # type: ignore[override]
        """The values, read back: (planes, height, width)."""
        if not self._host_knows:
            self._read = self.device.read(self.now, np.float32, (self._count, *self.space.shape))
            self._host_knows, self.unread = True, 0
        return self._read

    @property
    def turn(self) -> int:
        """Which of two buffers holds the values now."""
        return self._now

    def last_read(self) -> dict[str, NDArray[Any]]:
        """The values that were last read; what came in since the last update is not among them. See
        `DeviceField.last_read`.
        """
        return {"planes": self._read} if self.vector else {"values": self._read[0]}

    @property
    def inflow(self) -> list[Canvas]:  # type: ignore[override]
        """The amounts that came since the last update, read back into canvases of the host; to
        change them, `take_inflow`.
        """
        whole = self.device.read(self.sums, np.int64, (self._count, *self.space.shape))
        found = []
        for plane in range(self._count):
            canvas = Canvas(self.space)
            if whole[plane].any():
                canvas.restore(whole[plane])
            found.append(canvas)
        return found

    def take_inflow(self, canvases: list[Canvas]) -> None:
        """Let what these canvases hold have come since the last update."""
        whole = np.stack([canvas.sums for canvas in canvases])
        self.device.write(self.sums, whole)
        self._holds_inflow = bool(whole.any())
        self.booked = [
            float(np.abs(plane).max(initial=0)) / kernels.stamps.SCALE for plane in whole
        ]

    def at(self, cells: NDArray[np.int64] | int) -> NDArray[np.float32]:
        """The values of these cells; of few cells, on a field that was not read back, only they
        come back.
        """
        if self._host_knows or self.vector or np.size(cells) * 8 > self._cells:
            return super().at(cells)
        device, places = self.device, np.atleast_1d(np.asarray(cells)).astype(np.uint32)
        if not len(places):
            return np.zeros(0, np.float32)
        found = device.buffer(4 * len(places))
        shader, batch = device.shader(("gather",), "gather", "urrw"), device.batch()
        group = device.group(
            shader,
            device.uniform(struct.pack("<I", len(places))),
            device.buffer(places),
            self.now,
            found,
        )
        batch.run(shader, group, device.groups(len(places), 256))
        device.submit(batch)
        read = device.read(found, np.float32, (len(places),))
        return read if np.ndim(cells) else np.asarray(read[0])

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values, or all vectors; see `Field.write`."""
        planes = np.array(
            np.moveaxis(values, -1, 0) if self.vector else values[np.newaxis],
            dtype=np.float32,
            order="C",
        )
        planes[:, self.space.walls] = 0
        self._put(planes)

    def _put(self, planes: NDArray[np.float32]) -> None:
        self.device.write(self.now, planes)
        self._read, self._lengths = planes, None
        self._host_knows, self.unread = True, 0

    # What comes in

    def book(self, plane: int, largest: float, total: float) -> None:
        """Refuse amounts that could make a sum overflow, before anything is changed."""
        if largest > MOST_AMOUNT:
            raise InvalidValue(
                f"Amounts are at most {MOST_AMOUNT:,.0f} in size",
                got=f"{largest:g}",
                remedy="Count in larger units",
            )
        if self.booked[plane] + total > MOST_SUM:
            self.booked[plane] = (
                float(np.abs(self.inflow[plane].sums).max(initial=0)) / kernels.stamps.SCALE
            )
        if self.booked[plane] + total > MOST_SUM:
            raise InvalidValue(
                f"What is put on a layer adds up to at most {MOST_SUM:g} in size",
                got=f"{self.booked[plane] + total:g}",
                remedy="Count in larger units",
            )
        self.booked[plane] += total
        self._holds_inflow = True

    def add(self, cells: NDArray[np.int64], amounts: NDArray[np.floating[Any]]) -> None:
        """Add to cells at the next update; amounts (N,), or (N, 2) for vectors. See `Field.add`."""
        parts = self._parted(amounts)
        for plane, part in enumerate(parts):
            self.book(plane, float(np.abs(part).max(initial=0)), float(np.abs(part).sum()))
        if not len(cells):
            return
        device, batch = self.device, self.device.batch()
        shader = device.shader(("put", "scatter"), "scatter", "urrw")
        places = device.buffer(cells.astype(np.uint32))
        for plane, part in enumerate(parts):
            units = device.buffer(np.rint(part * kernels.stamps.SCALE).astype(np.int64))
            parameters = device.uniform(struct.pack("<II", len(cells), plane * self._cells))
            batch.run(
                shader,
                device.group(shader, parameters, places, units, self.sums),
                device.groups(len(cells), 256),
            )
        device.submit(batch)

    def stamp(self, blots: Blots, amounts: NDArray[np.float64], blend: str) -> None:
        """Put stamps on what comes in at the next update: the device draws those that add and those
        of which the strongest stays.

        Those that replace each other go by the host, on what it reads back: the last one wins, so
        that their order counts.
        """
        assert isinstance(blots, GridBlots)
        parts = self._parted(amounts)
        for plane, part in enumerate(parts):
            self.book(
                plane, float(np.abs(part).max(initial=0)), float(np.abs(part).sum()) * blots.peak
            )
        if not len(blots.rows):
            return
        if blend == "replace":
            canvases = self.inflow
            for canvas, part in zip(canvases, parts, strict=True):
                canvas.blit(blots, part, blend)
            self.take_inflow(canvases)
            return
        device, batch = self.device, self.device.batch()
        shapes, table = device.buffer(blots.shapes.astype(np.int32)), device.buffer(blots.tables)
        all_stamps, all_cells = device.groups(len(blots.rows), 1), device.groups(self._cells, 256)
        for plane, part in enumerate(parts):
            rows = np.array([0, 0, 0, 0, plane * self._cells], dtype=np.uint32)
            rows[:4] = self.space.width, self.space.height, len(blots.rows), int(self.space.wrap)
            given = (
                device.uniform(rows.tobytes()),
                device.buffer(_stamps(blots, part * kernels.stamps.SCALE)),
                shapes,
                table,
                self.sums,
            )
            if blend == "add":
                shader = device.shader(("double", "put", "stamps"), "stamp", "urrrw")
                batch.run(shader, device.group(shader, *given), all_stamps)
                continue
            keys = device.buffer(8 * self._cells)
            for entry, groups in (
                ("begin", all_cells),
                ("high", all_stamps),
                ("low", all_stamps),
                ("keep", all_cells),
            ):
                shader = device.shader(("double", "put", "stamps", "strongest"), entry, "urrrww")
                batch.run(shader, device.group(shader, *given, keys), groups)
        device.submit(batch)

    def _parted(self, amounts: NDArray[np.floating[Any]]) -> list[NDArray[np.float64]]:
        return [
            np.ascontiguousarray(part) for part in (amounts.T if self.trail.vector else [amounts])
        ]

    # Steps

    def feed(self, sources: Sources) -> None:
        """Take notice of walls, at the next update."""

    def tune(self, trail: Trail, every: float) -> None:
        """Go on with other parameters; see `Field.tune`."""
        if not isinstance(trail.blur, int):
            raise InvalidValue(
                "A trail on a device blurs by a width",
                got=repr(trail)[:60],
                remedy="Pass an odd number",
            )
        super().tune(trail, every)

    def prepare(self) -> None:
        """Bring walls and parameters to the device, if they have changed."""
        version = self.space.walls_version
        if self._loaded and version == self._walls_version:
            return
        device, trail, space = self.device, self.trail, self.space
        device.write(self._near, _near(space.walls, self._reach, space.wrap))
        size, power = math.frexp(self._gain)
        whole = int(size * 2**53)
        floor = np.float32(min(max(trail.floor, 1e-30), float(np.finfo(np.float32).max)))
        device.write(
            self._parameters,
            np.frombuffer(
                struct.pack(
                    "<IIIIIIIIIIiI",
                    space.width,
                    space.height,
                    self._count,
                    0,
                    int(trail.edges == "conserve"),
                    int(space.wrap),
                    self._reach,
                    int(floor.view(np.uint32)),
                    whole & 0xFFFFFFFF,
                    whole >> 32,
                    power - 53,
                    0,
                ),
                dtype=np.uint8,
            ),
        )
        self._loaded, self._walls_version = True, version

    def record(self, batch: Batch) -> None:
        """Put one update down, after `prepare`."""
        if not self.trail.accumulate:
            self._dispatch(batch, "drain")
        self._dispatch(batch, "narrow" if self._reach == 1 else "wide")
        self._host_knows, self._lengths = False, None
        self._holds_inflow = False
        self.booked = [0.0] * self._count

    def _dispatch(self, batch: Batch, entry: str) -> None:
        if entry not in self._dispatches:
            device = self.device
            shader = device.shader(("exact", "double", "trail"), entry, "urwwr")
            both = [
                device.group(
                    shader,
                    self._parameters,
                    self._buffers[k],
                    self._buffers[1 - k],
                    self.sums,
                    self._near,
                )
                for k in (0, 1)
            ]
            across, down = -(-self.space.width // _TILE[0]), -(-self.space.height // _TILE[1])
            self._dispatches[entry] = shader, both, (across, down, self._count)
        shader, both, groups = self._dispatches[entry]
        batch.run(shader, both[self._now], groups)
        self._now = 1 - self._now

    def run(self, count: int) -> None:
        """Take `count` steps."""
        while count > 0:
            self.prepare()
            batch = self.device.batch()
            for _ in range(min(count, STEPS)):
                self.record(batch)
            self.device.submit(batch)
            self.unread += min(count, STEPS)
            count -= min(count, STEPS)

    def step_in_units(self) -> Iterator[None]:
        """Take one step, which is one unit."""
        self.run(1)
        yield

    def settle(self) -> None:
        """Let everything evaporate."""
        if self.trail.accumulate and self.trail.kept(self._every) == 1:
            raise InvalidValue(
                "A trail with keep=1 never evaporates",
                got="settle()",
                remedy="Use layer.write() with zeros",
            )
        self._put(np.zeros((self._count, *self.space.shape), np.float32))
        self._clear_inflow()

    def _clear_inflow(self) -> None:
        batch = self.device.batch()
        batch.clear(self.sums)
        self.device.submit(batch)
        self._holds_inflow = False
        self.booked = [0.0] * self._count

    # States

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays that the CPU's field would give; see `Field.state`."""
        found: dict[str, NDArray[Any]] = {"values": self.values}
        if self.trail.vector:
            found["planes"] = self.planes
        if self._holds_inflow:
            found["inflow"] = self.device.read(
                self.sums, np.int64, (self._count, *self.space.shape)
            )
        return found

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        planes = state["planes"] if self.trail.vector else state["values"][np.newaxis]
        if (
            planes.dtype != np.float32
            or planes.shape != (self._count, *self.space.shape)
            or not np.isfinite(planes).all()
        ):
            raise ValueError(f"vectors of {planes.dtype} and shape {planes.shape}")
        self._put(np.array(planes, order="C"))
        if "inflow" in state:
            inflow = state["inflow"]
            if inflow.dtype != np.int64 or inflow.shape != planes.shape:
                raise ValueError(f"an inflow of {inflow.dtype} and shape {inflow.shape}")
            canvases = [Canvas(self.space) for _ in inflow]
            for canvas, sums in zip(canvases, inflow, strict=True):
                canvas.restore(sums)
            self.take_inflow(canvases)


def _stamps(blots: GridBlots, amounts: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Records of stamps: their cells, shapes, and how much goes to the cell and to those after
    it.
    """
    found = np.zeros((len(amounts), _STAMP_WORDS), dtype=np.uint32)
    found[:, 0], found[:, 1] = (
        blots.rows.astype(np.int32).view(np.uint32),
        blots.columns.astype(np.int32).view(np.uint32),
    )
    found[:, 2], found[:, 3] = blots.which, (blots.downs != 0) | (blots.rights != 0)
    far, near = (1 - blots.downs) * amounts, blots.downs * amounts
    shares = (
        (1 - blots.rights) * far,
        blots.rights * far,
        (1 - blots.rights) * near,
        blots.rights * near,
    )
    for k, share in enumerate(shares):
        found[:, 4 + 2 * k : 6 + 2 * k] = share.view(np.uint32).reshape(-1, 2)
    return found


def _near(walls: NDArray[np.bool_], reach: int, wrap: bool) -> NDArray[np.uint32]:
    """The walls that the blur of each cell must know of; see trail.wgsl."""
    found = np.zeros(walls.shape, dtype=np.uint32)
    if reach == 1:
        from fieldcraft.kernels.numpy_trail import exchanges

        between = exchanges(walls, 1, wrap)
        for j in range(3):
            for i in range(3):
                found |= between[j, i].astype(np.uint32) << np.uint32(3 * j + i)
        return found
    for side, shift in ((1, 0), (-1, 8)):
        free = ~walls
        run = free.astype(np.uint32)
        for n in range(1, reach + 1):
            beside = np.roll(~walls, side * n, axis=1)
            if not wrap:
                if n < walls.shape[1]:
                    beside[:, slice(0, n) if side > 0 else slice(-n, None)] = False
                else:
                    beside[:] = False
            free &= beside
            run += free
        found |= run << np.uint32(shift)
    return found
