"""The field of a trail: it gathers, blurs and evaporates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import StampBlend
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.grid_frame import WRAP_Y
from fieldcraft.kernels.trail.stamp_units import TILE_ROWS
from fieldcraft.kernels.trail.trail_records import TrailPlan, TrailRule, TrailScratch
from fieldcraft.layers.propagation.accumulator import Accumulator
from fieldcraft.layers.propagation.propagation import GatheringField
from fieldcraft.layers.propagation.trail.rasters import Raster
from fieldcraft.layers.sources import Sources
from fieldcraft.space import Space

if TYPE_CHECKING:
    from fieldcraft.layers.propagation.trail.trail import Trail

_LEAST_FLOOR = 1e-30  # smaller float32 numbers take ten times as long
_WORK_PER_THREAD = 300_000
_UNIT_WORK = 200_000
_AGENTS = 20_000  # as many pay for waking a thread


class TrailField(GatheringField):
    """Values that gather and blur: one plane of numbers, or two for vectors."""

    lazy = True
    remainder_is = "a trail"

    def __init__(self, trail: Trail, space: Space, every: float) -> None:
        self._check(trail, space)
        self.space = space
        self._wrap = space.wrap_flags
        self.trail = trail
        self.vector = trail.vector
        self.planes: NDArray[np.float32] = np.zeros(
            (space.dimensions if trail.vector else 1, *space.shape), dtype=np.float32
        )
        self.inflow = [Accumulator(space.shape) for _ in self.planes]
        self._spare: NDArray[np.float32] | None = None
        self._lengths: NDArray[np.float32] | None = None
        self._walls_version = space.walls_version
        self._plan: TrailPlan | None = None
        self._scratch: dict[int, TrailScratch] = {}
        self._every = every
        self._derive()

    @staticmethod
    def _check(trail: Trail, space: Space) -> None:
        """Refuse settings that this kind of space does not support, before anything is changed."""

    def _derive(self) -> None:
        weights, scale = self.trail.weights()
        self._weights = weights
        self._gain = self.trail.retention(self._every) * scale
        self._floor = np.float32(min(max(self.trail.floor, _LEAST_FLOOR), checks.LARGEST))
        ones = isinstance(self.trail.blur, int)
        conserves = self.trail.edges == "conserve"
        self._rule = TrailRule(ones, self._gain, conserves, self._floor, self._wrap)
        self._plan = None
        self._scratch = {}

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, or the lengths of the vectors, (height, width)."""
        if not self.trail.vector:
            return np.asarray(self.planes[0])
        if self._lengths is None:
            self._lengths = np.sqrt((self.planes * self.planes).sum(axis=0))
        return self._lengths

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors in world axes, (height, width, 2), on a graph (N, 2) or (N, 3)."""
        return np.moveaxis(self.planes, 0, -1)

    # What comes in

    def add(self, cells: NDArray[np.int64], amounts: NDArray[np.floating[Any]]) -> None:
        """Add to cells at the next update; amounts (N,), or (N, 2) for vectors. See `Field.add`."""
        calls = [sums.scattering(cells, part) for sums, part in self._reserved(amounts)]
        if len(cells) >= _AGENTS and pool.shares(2) > 1:
            pool.run(calls)
        else:
            for kernel, arguments in calls:
                kernel(*arguments)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Set the values of cells at once, (N,), or (2, N) for vectors; see `Field.put`."""
        self.planes.reshape(len(self.planes), -1)[:, cells] = values
        self._lengths = None

    def stamp(self, raster: Raster, amounts: NDArray[np.float64], blend: StampBlend) -> None:
        """Blend stamps into the inflow of the next update; see `StampedField.stamp`."""
        for sums, part in self._reserved(amounts, raster.peak):
            raster.draw(sums, part, blend)

    def _reserved(
        self, amounts: NDArray[np.floating[Any]], weight: float = 1.0
    ) -> list[tuple[Accumulator, NDArray[np.float64]]]:
        """Return the inflow of each plane and its amounts, once all of them were reserved."""
        parts = [
            np.ascontiguousarray(part) for part in (amounts.T if self.trail.vector else [amounts])
        ]
        pairs = list(zip(self.inflow, parts, strict=True))
        for sums, part in pairs:
            sums.reserve(part, weight)
        return pairs

    # What every field does

    def feed(self, sources: Sources) -> None:
        """Take over walls; there are no sources. See `Field.feed`."""
        if self.space.walls_version != self._walls_version:
            self._walls_version = self.space.walls_version
            self._plan = None

    @property
    def shape(self) -> tuple[int, ...]:
        """(height, width), or (height, width, 2) for vectors; see `Field.shape`."""
        return (*self.space.shape, len(self.planes)) if self.vector else self.space.shape

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values, or all vectors; see `Field.write`."""
        if self.vector:
            self.planes[:] = np.moveaxis(values, -1, 0)
        else:
            self.planes[:] = values
        self.planes[:, self.space.walls] = 0
        self._lengths = None

    def tune(self, trail: Trail, every: float) -> None:
        """Set other parameters; see `Field.tune`."""
        if trail.vector != self.trail.vector:
            raise InvalidValue(
                "A trail keeps to numbers or to vectors",
                got=repr(trail),
                remedy="Add another layer",
            )
        self._check(trail, self.space)
        self.trail = trail
        self._every = every
        self._derive()

    def run(self, count: int) -> None:
        """Take `count` steps."""
        for _ in range(count):
            self._begin()
            self._step()
            self._end()

    def step_in_units(self) -> Iterator[None]:
        """Take one step, a band of rows a unit; see `Field.step_in_units`."""
        height, width = self.space.shape
        wanted = -(-_UNIT_WORK // (width * len(self._weights)))
        rows = max(wanted // TILE_ROWS, 1) * TILE_ROWS
        if not self.trail.accumulate or rows >= height:
            self.run(1)
            yield
            return
        if self._spare is None:
            self._spare = np.zeros_like(self.planes)
        for plane in range(len(self.planes)):
            for first in range(0, height, rows):
                last = min(first + rows, height)
                self._spare[plane, first:last] = self.planes[plane, first:last]
                kernel, arguments = self._call(plane, 0, first, last, self._spare[plane])
                kernel(*arguments)
                yield
        self.planes, self._spare = self._spare, self.planes
        self._end()

    def settle(self) -> None:
        """Set all values to 0, where evaporation leads."""
        if self.trail.accumulate and self.trail.retention(self._every) == 1:
            raise InvalidValue(
                "A trail with keep=1 never evaporates",
                got="settle()",
                remedy="Use layer.write() with zeros",
            )
        self.planes[:] = 0
        for sums in self.inflow:
            sums.sums[:] = 0
        self._end()

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the values, the vectors if there are any, and the inflow since the last update;
        see `Field.state`.
        """
        found: dict[str, NDArray[Any]] = {"values": self.values}
        if self.trail.vector:
            found["planes"] = self.planes
        if any(sums.dirty.any() for sums in self.inflow):
            found["inflow"] = np.stack([sums.sums for sums in self.inflow]).reshape(
                self.planes.shape
            )
        return found

    def restore(self, state: Mapping[str, NDArray[Any]], sources: Sources) -> None:
        """Continue from a state; see `Field.restore`."""
        if self.trail.vector:
            planes = state["planes"]
        else:
            planes = state["values"][np.newaxis]
        if (
            planes.dtype != np.float32
            or planes.shape != self.planes.shape
            or not np.isfinite(planes).all()
        ):
            raise ValueError(f"vectors of {planes.dtype} and shape {planes.shape}")
        self.planes[:] = planes
        self._lengths = None
        if "inflow" in state:
            inflow = state["inflow"]
            if inflow.dtype != np.int64 or inflow.shape != self.planes.shape:
                raise ValueError(f"an inflow of {inflow.dtype} and shape {inflow.shape}")
            for sums, restored in zip(self.inflow, inflow, strict=True):
                sums.restore(restored)

    # Steps

    def _begin(self) -> None:
        """Start a step without accumulation from the inflow, which is reset."""
        if not self.trail.accumulate:
            for plane, sums in zip(self.planes, self.inflow, strict=True):
                sums.drain(plane.reshape(sums.shape))

    def _end(self) -> None:
        for sums in self.inflow:
            sums.clear()
        self._lengths = None

    def _step(self) -> None:
        height, width = self.space.shape
        work = height * width * len(self._weights) * len(self.planes)
        threads = pool.shares(work // _WORK_PER_THREAD)
        bands = pool.bands(
            height,
            min(threads // len(self.planes), height // max(2 * len(self._weights), TILE_ROWS)),
            TILE_ROWS,
        )
        calls = [
            self._call(plane, plane * len(bands) + band, first, last, values)
            for plane, values in enumerate(self.planes)
            for band, (first, last) in enumerate(bands)
        ]
        if threads > 1:
            pool.run(calls)
        else:
            for kernel, arguments in calls:
                kernel(*arguments)

    def _call(
        self, plane: int, part: int, first: int, last: int, values: NDArray[np.float32]
    ) -> pool.Call:
        """Return the call that updates some rows of a plane into `values`."""
        reach = len(self._weights) // 2
        if self._plan is None:
            walls = self.space.walls
            closed = np.zeros((walls.shape[0], walls.shape[1] + 1), dtype=np.uint8)
            # Whether a row has a wall at all, then its walls.
            closed[:, 0] = walls.any(axis=1)
            closed[:, 1:] = walls
            near = kernels.trail.trail_plan.plan(walls, self._weights, self._wrap)
            self._plan = TrailPlan(closed, *near)
        if part not in self._scratch:
            self._scratch[part] = kernels.trail.trail_steps.scratch_for(
                self.space.shape[1], reach, self._weights.dtype
            )
        sums = self.inflow[plane]
        above = self._rows(plane, first - reach, first)
        below = self._rows(plane, last, last + reach)
        return kernels.trail.trail_steps.update, (
            self._plan,
            self._weights,
            above,
            below,
            sums.dirty,
            self._rule,
            first,
            last,
            values,
            sums.sums,
            self._scratch[part],
        )

    def _rows(self, plane: int, first: int, last: int) -> NDArray[np.float32]:
        """Return a copy of rows as they are now; beyond an edge those of the other side if it
        wraps, else 0.
        """
        height, width = self.space.shape
        values = self.planes[plane]
        if self._wrap & WRAP_Y:
            return np.asarray(values[np.arange(first, last) % height])
        found = np.zeros((last - first, width), dtype=np.float32)
        low = min(max(first, 0), height)
        high = max(min(last, height), 0)
        found[low - first : high - first] = values[low:high]
        return found
