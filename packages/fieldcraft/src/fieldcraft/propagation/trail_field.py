"""Fields that gather, blur and evaporate, on squares and on hexagons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels import pool
from fieldcraft.propagation.canvas import Blots, Canvas
from fieldcraft.propagation.field import Account, GatheringField
from fieldcraft.sources import Sources
from fieldcraft.space import HexGrid, Space, grid_of
from fieldcraft.space.ways import kept_until_walls_change

if TYPE_CHECKING:
    from fieldcraft.propagation.trail import Trail

__all__ = ["HexTrailField", "TrailField", "trail_field"]

_LEAST_FLOOR = 1e-30  # smaller float32 numbers take ten times as long
_WORK_PER_THREAD = 300_000
_UNIT_WORK = 200_000
_AGENTS = 20_000  # as many pay for waking a thread


class TrailField(GatheringField):
    """Values that gather and blur: one plane of numbers, or two for vectors."""

    lazy = True

    def __init__(self, trail: Trail, space: Space, every: float) -> None:
        self.space = space
        self._wrap = space.period is not None
        self.trail, self.vector = trail, trail.vector
        self.planes: NDArray[np.float32] = np.zeros(
            (2 if trail.vector else 1, *space.shape), dtype=np.float32
        )
        self.inflow = [Canvas(space) for _ in self.planes]
        self._spare: NDArray[np.float32] | None = None
        self._lengths: NDArray[np.float32] | None = None
        self._walls_version = space.walls_version
        self._plan: tuple[Any, ...] | None = None
        self._rooms: dict[int, Any] = {}
        self._every = every
        self._derive()

    def _derive(self) -> None:
        weights, scale = self.trail.weights()
        self._weights = weights
        self._gain = self.trail.kept(self._every) * scale
        self._floor = np.float32(min(max(self.trail.floor, _LEAST_FLOOR), checks.LARGEST))
        self._plan = None
        self._rooms = {}

    @property
    def values(self) -> NDArray[np.float32]:
        """The values, or the lengths of the vectors, (height, width)."""
        if not self.trail.vector:
            return np.asarray(self.planes[0])
        if self._lengths is None:
            self._lengths = np.asarray(
                np.sqrt(self.planes[0] * self.planes[0] + self.planes[1] * self.planes[1])
            )
        return self._lengths

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The vectors in world axes, (height, width, 2)."""
        return np.moveaxis(self.planes, 0, -1)

    # What comes in

    def add(self, cells: NDArray[np.int64], amounts: NDArray[np.floating[Any]]) -> None:
        """Add to cells at the next update; amounts (N,), or (N, 2) for vectors. See `Field.add`."""
        calls = [canvas.scattering(cells, part) for canvas, part in self._booked(amounts)]
        if len(cells) >= _AGENTS and pool.shares(2) > 1:
            pool.run(calls)
        else:
            for kernel, arguments in calls:
                kernel(*arguments)

    def put(self, cells: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Give cells these values at once, (N,), or (2, N) for vectors; see `Field.put`."""
        self.planes.reshape(len(self.planes), -1)[:, cells] = values
        self._lengths = None

    def stamp(self, blots: Blots, amounts: NDArray[np.float64], blend: str) -> None:
        """Put stamps on what comes in at the next update; see `GatheringField.stamp`."""
        for canvas, part in self._booked(amounts, blots.peak):
            canvas.blit(blots, part, blend)

    def _booked(
        self, amounts: NDArray[np.floating[Any]], weight: float = 1.0
    ) -> list[tuple[Canvas, NDArray[np.float64]]]:
        parts = [
            np.ascontiguousarray(part) for part in (amounts.T if self.trail.vector else [amounts])
        ]
        pairs = list(zip(self.inflow, parts, strict=True))
        for canvas, part in pairs:
            canvas.book(part, weight)
        return pairs

    # What every field does

    def feed(self, sources: Sources) -> None:
        """Take notice of walls; there are no sources. See `Field.feed`."""
        if self.space.walls_version != self._walls_version:
            self._walls_version = self.space.walls_version
            self._plan = None

    @property
    def shape(self) -> tuple[int, ...]:
        """(height, width), or (height, width, 2) for vectors; see `Field.shape`."""
        return (*self.space.shape, 2) if self.vector else self.space.shape

    def write(self, values: NDArray[np.float32]) -> None:
        """Replace all values, or all vectors; see `Field.write`."""
        self.planes[:] = np.moveaxis(values, -1, 0) if self.vector else values
        self.planes[:, self.space.walls] = 0
        self._lengths = None

    def account(self, cell: int, sources: Sources) -> Account:
        """No source; see `Field.account`."""
        return super().account(cell, sources)._replace(remainder_is="a trail")

    def tune(self, trail: Trail, every: float) -> None:
        """Go on with other parameters; see `Field.tune`."""
        if trail.vector != self.trail.vector:
            raise InvalidValue(
                "A trail keeps to numbers or to vectors",
                got=repr(trail),
                remedy="Add another layer",
            )
        self.trail, self._every = trail, every
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
        rows = (
            -(-_UNIT_WORK // (width * len(self._weights)))
            // kernels.stamps.TILE_ROWS
            * kernels.stamps.TILE_ROWS
            or kernels.stamps.TILE_ROWS
        )
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
        """Let everything evaporate."""
        if self.trail.accumulate and self.trail.kept(self._every) == 1:
            raise InvalidValue(
                "A trail with keep=1 never evaporates",
                got="settle()",
                remedy="Use layer.write() with zeros",
            )
        self.planes[:] = 0
        for canvas in self.inflow:
            canvas.sums[:] = 0
        self._end()

    def state(self) -> dict[str, NDArray[Any]]:
        """The values, the vectors if there are any, and what has come since the last update; see
        `Field.state`.
        """
        found: dict[str, NDArray[Any]] = {"values": self.values}
        if self.trail.vector:
            found["planes"] = self.planes
        if any(canvas.dirty.any() for canvas in self.inflow):
            found["inflow"] = np.stack([canvas.sums for canvas in self.inflow])
        return found

    def restore(self, state: dict[str, NDArray[Any]], sources: Sources) -> None:
        """Go on from a state; see `Field.restore`."""
        planes = state["planes"] if self.trail.vector else state["values"][np.newaxis]
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
            for canvas, sums in zip(self.inflow, inflow, strict=True):
                canvas.restore(sums)

    # Steps

    def _begin(self) -> None:
        """Without accumulation a step begins with what has come, and nothing more comes in."""
        if not self.trail.accumulate:
            for plane, canvas in zip(self.planes, self.inflow, strict=True):
                canvas.drain(plane)

    def _end(self) -> None:
        for canvas in self.inflow:
            canvas.cleared()
        self._lengths = None

    def _step(self) -> None:
        height, width = self.space.shape
        work = height * width * len(self._weights) * len(self.planes)
        threads = pool.shares(work // _WORK_PER_THREAD)
        bands = pool.bands(
            height,
            min(
                threads // len(self.planes),
                height // max(2 * len(self._weights), kernels.stamps.TILE_ROWS),
            ),
            kernels.stamps.TILE_ROWS,
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
        self, plane: int, room: int, first: int, last: int, values: NDArray[np.float32]
    ) -> pool.Call:
        """The update of some rows of a plane, as it is now, into `values`."""
        reach = len(self._weights) // 2
        if self._plan is None:
            walls = self.space.walls
            closed = np.zeros((walls.shape[0], walls.shape[1] + 1), dtype=np.uint8)
            closed[:, 0], closed[:, 1:] = walls.any(axis=1), walls
            self._plan = (closed, *kernels.trail_plan.plan(walls, self._weights, self._wrap))
        if room not in self._rooms:
            self._rooms[room] = kernels.trail.room(self.space.shape[1], reach, self._weights.dtype)
        canvas = self.inflow[plane]
        above, below = (
            self._rows(plane, first - reach, first),
            self._rows(plane, last, last + reach),
        )
        return kernels.trail.update, (
            values,
            canvas.sums,
            canvas.dirty,
            *self._plan,
            self._weights,
            isinstance(self.trail.blur, int),
            self._gain,
            self.trail.edges == "conserve",
            self._floor,
            self._wrap,
            above,
            below,
            first,
            last,
            *self._rooms[room],
        )

    def _rows(self, plane: int, first: int, last: int) -> NDArray[np.float32]:
        """A copy of rows as they are now; beyond the rim those of the other side on a torus, else
        0.
        """
        rows = np.arange(first, last)
        if self._wrap:
            return np.asarray(self.planes[plane][rows % self.space.shape[0]])
        found = np.zeros((len(rows), self.space.shape[1]), dtype=np.float32)
        inside = (rows >= 0) & (rows < self.space.shape[0])
        found[inside] = self.planes[plane][rows[inside]]
        return found


def trail_field(trail: Trail, space: Space, every: float) -> TrailField:
    """Return a field in which stamps and deposits gather, all 0."""
    if isinstance(space, HexGrid):
        return HexTrailField(trail, space, every)
    return TrailField(trail, grid_of(space, "A layer with fc.Trail"), every)


_HEX_CELLS_PER_THREAD = 100_000  # cells of a round


class _Exchanges(NamedTuple):
    """Which cells exchange, as kernels take it: what one may give the other may give back."""

    links: NDArray[np.uint8]
    missing: NDArray[np.uint8]
    """How many of its six neighbours a cell does not exchange with."""
    rim: NDArray[np.int64]
    starts: NDArray[np.int64]
    beside: NDArray[np.int32]


@kept_until_walls_change
def _exchanges(space: Any) -> _Exchanges:
    from scipy.sparse import csr_array

    height, width = space.shape
    ways, size = space.ways, (len(space),) * 2
    there = csr_array((np.ones(len(ways.ends), dtype=np.bool_), ways.ends, ways.starts), shape=size)
    between = there.multiply(there.T).tocsr()
    between.sort_indices()
    starts, beside = between.indptr.astype(np.int64), between.indices.astype(np.int32)
    cells = np.repeat(np.arange(len(space)), np.diff(starts))
    down, right = beside // width - cells // width, beside % width - cells % width
    rim = np.zeros(0, dtype=np.int64)
    if space.wrap:
        down, right = (np.where(np.abs(by) > 1, -np.sign(by), by) for by in (down, right))
        inner = np.zeros(space.shape, dtype=np.bool_)
        inner[1:-1, 1:-1] = True
        rim = np.flatnonzero(~inner)
    bits = np.zeros((3, 3), dtype=np.uint8)
    for (across, along), bit in kernels.hex_trail.AROUND.items():
        bits[along + 1, across + 1] = bit
    links = np.zeros(len(space), dtype=np.uint8)
    np.bitwise_or.at(links, cells, bits[down + 1, right + 1])
    missing = (6 - np.diff(starts)).astype(np.uint8)
    return _Exchanges(
        links.reshape(height, width), missing.reshape(height, width), rim, starts, beside
    )


class HexTrailField(TrailField):
    """See `Trail`: a blur of 3 is the mean of a cell and its six neighbours, one of 5 that twice,
    and so on.

    Nothing passes walls, closed edges and ground that may not be entered. All sums are float64, in
    the order of cells.
    """

    def _derive(self) -> None:
        super()._derive()
        if not isinstance(self.trail.blur, int):
            raise InvalidValue(
                "A blur on hexagons is a width",
                got=f"blur={self.trail.blur!r}",
                remedy="Pass 1 for none, 3 for the mean of seven cells, say",
            )
        self._rounds = self.trail.blur // 2
        self._gain = self.trail.kept(self._every)
        self._scratch: list[tuple[Any, ...]] = []
        self._spare_rooms: dict[str, NDArray[Any]] = {}

    def _step(self) -> None:
        height, width = self.space.shape
        exchanges = _exchanges(self.space)
        if self.trail.edges != "conserve":
            exchanges = exchanges._replace(missing=np.zeros_like(exchanges.missing))
        closed = self.space.walls.view(np.uint8)
        bands = pool.bands(height, min(height * width // _HEX_CELLS_PER_THREAD, height))
        while len(self._scratch) < len(bands):
            self._scratch.append(kernels.hex_trail.room(width))
        for plane, canvas in zip(self.planes, self.inflow, strict=True):
            if self._rounds == 0:
                plane[:] = _updated(
                    plane.astype(np.float64), closed != 0, self._gain, self._floor, canvas.sums
                )
                canvas.sums[:] = 0
                continue
            source: NDArray[Any] = self._room("before", np.float32)
            np.copyto(source, plane)
            for rest in range(self._rounds - 1, -1, -1):
                mean = self._room(f"mean {rest % 2}", np.float64) if rest else plane
                calls: list[pool.Call] = []
                for room, (first, last) in zip(self._scratch, bands, strict=False):
                    where = (source, *exchanges, self._wrap, first, last)
                    if rest:
                        calls.append((kernels.hex_trail.mix, (*where, mean, *room)))
                    else:
                        rule = (closed, self._gain, self._floor, canvas.sums, plane)
                        calls.append((kernels.hex_trail.update, (*where, *rule, *room)))
                pool.run(calls)
                source = mean

    def _room(self, name: str, kind: Any) -> NDArray[Any]:
        """An array as large as the map that is kept from step to step: fresh memory takes longer
        than the step itself.
        """
        if name not in self._spare_rooms:
            self._spare_rooms[name] = np.empty(self.space.shape, dtype=kind)
        return self._spare_rooms[name]

    _step_slowly = _step

    def step_in_units(self) -> Any:
        """Take one step, in one unit."""
        self.run(1)
        yield


def _updated(
    mean: NDArray[np.float64],
    walls: NDArray[np.bool_],
    gain: float,
    floor: np.float32,
    inflow: NDArray[np.int64],
) -> NDArray[np.float32]:
    """The rest of the mean after an update, and all that has come."""
    new = (gain * mean + inflow / kernels.stamps.SCALE).astype(np.float32)
    return np.where(walls | (np.abs(new) < floor), np.float32(0), new)
