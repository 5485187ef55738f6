"""Radial: each source adds a weight that falls with distance, out to a radius."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, kernels
from fieldcraft.falloff import Falloff, Ring
from fieldcraft.kernels.reference import radial as reference
from fieldcraft.propagation.footprints import UNIT_STAMPED, Footprints, Ground
from fieldcraft.sources import Sources
from fieldcraft.space import Grid

__all__ = ["METRICS", "Radial", "RadialField"]

METRICS = ("straight", "connected", "path", "sight")
_UNIT_TILES = 256


@dataclass(frozen=True)
class Radial:
    """Let each source radiate `strength * falloff(distance / radius)`, out to a radius.

    Amounts are whole multiples of 2**-24 (6e-8) inside, so that a layer is exact under change: after any sequence of
    adding, moving, resizing and removing it equals a fresh one bit for bit, and empty means 0. Strengths lie within
    +-2**20, and those of all live sources add up to less than 2**36 in magnitude; what would pass that is refused.

    Parameters
    ----------
    radius: world units, above 0; sources may have their own.
    falloff: "constant", "linear", "quadratic" (`B - B d^2 / R^2`), "cubic", "exponential", "gaussian", "smoothstep", a
        `Ring`, a table or a callable, see `Falloff.of`; sources may have their own.
    metric: how distance is measured. "straight": walls don't matter. "connected": straight, but only on cells joined to
        the source by a walk within the radius. "path": along the walk. "sight": straight, but only where the source sees.
    blend: "sum", or "max": the strongest magnitude wins, the positive one of equals.

    Raises `InvalidValue` for numbers outside of these ranges.
    """

    radius: float
    falloff: str | Ring | Falloff | Sequence[float] | Callable[[NDArray[np.float64]], Any] = "quadratic"
    metric: str = "connected"
    blend: str = "sum"

    def __post_init__(self) -> None:
        checks.positive("radius", self.radius)
        checks.choice("metric", self.metric, METRICS)
        checks.choice("blend", self.blend, ("sum", "max"))
        object.__setattr__(self, "falloff", Falloff.of(self.falloff))

    def field(self, space: Grid, every: float) -> RadialField:  # noqa: ARG002 - the same call makes the field of every propagation
        """Values of this propagation on a space, all 0."""
        return RadialField(self, space)


@dataclass
class _Held:
    """Sources as columns: what the map holds of them, or a list of jobs. Radii in cells."""

    cells: NDArray[np.int64]
    strengths: NDArray[np.float64]
    radii: NDArray[np.float64]
    falloffs: NDArray[np.int64]

    @classmethod
    def empty(cls) -> _Held:
        return cls(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0, np.int64))

    def differs(self, other: _Held) -> NDArray[np.bool_]:
        same = (self.cells == other.cells) & (self.strengths == other.strengths)
        return np.asarray(~(same & (self.radii == other.radii) & (self.falloffs == other.falloffs)))

    def at(self, rows: NDArray[Any]) -> _Held:
        return _Held(self.cells[rows], self.strengths[rows], self.radii[rows], self.falloffs[rows])

    def put(self, rows: NDArray[np.int64], other: _Held) -> None:
        self.cells[rows], self.strengths[rows] = other.cells, other.strengths
        self.radii[rows], self.falloffs[rows] = other.radii, other.falloffs

    def grown(self, count: int) -> _Held:
        return _Held(
            *(np.concatenate([c, np.zeros(count - len(c), c.dtype)]) for c in (self.cells, self.strengths, self.radii, self.falloffs))
        )

    def with_(self, other: _Held) -> _Held:
        pairs = zip(
            (self.cells, self.strengths, self.radii, self.falloffs),
            (other.cells, other.strengths, other.radii, other.falloffs),
            strict=True,
        )
        return _Held(*(np.concatenate(pair) for pair in pairs))

    def __len__(self) -> int:
        return len(self.cells)

    def rows(self) -> Iterator[tuple[int, float, float, int]]:
        return zip(self.cells.tolist(), self.strengths.tolist(), self.radii.tolist(), self.falloffs.tolist(), strict=True)


class RadialField:
    """Values that the live sources radiate, kept as exact sums and shown as float32.

    Changes are worked off in units, by a generator that stops after each: `catch_up` runs it as far as it may. While one
    is half way, `values` stay those of the last complete state.
    """

    def __init__(self, radial: Radial, space: Grid) -> None:
        self.space = space
        self.radial = radial
        self.values: NDArray[np.float32] = np.zeros(space.shape, dtype=np.float32)
        self._spare: NDArray[np.float32] | None = None
        self._sums = np.zeros(space.shape, dtype=np.int64)
        self._dirty = np.zeros((-(-space.height // reference.TILE_ROWS), -(-space.width // reference.TILE_COLUMNS)), dtype=np.uint8)
        self._stale = np.zeros_like(self._dirty)
        self._held = _Held.empty()
        self._falloffs: list[Falloff] = []
        self._work: Iterator[int] | None = None
        self._ground = Ground.of(space)
        self._footprints = Footprints(radial.metric)
        self._ops: Any = reference
        self._at_once = True

    @property
    def is_current(self) -> bool:
        """Whether no work is under way."""
        return self._work is None

    def number_of(self, falloff: Falloff) -> int:
        """The number by which columns of sources name a falloff."""
        if falloff not in self._falloffs:
            self._falloffs.append(falloff)
        return self._falloffs.index(falloff)

    def follow(self, slots: NDArray[np.int64], new: _Held) -> None:
        """Begin to replace what the map holds of the sources in these rows; those that are gone have a strength of 0."""
        if len(slots) and slots[-1] >= len(self._held):
            self._held = self._held.grown(max(int(slots[-1]) + 1, 2 * len(self._held)))
        old = self._held.at(slots)
        changed = old.differs(new)
        old, new = old.at(changed), new.at(changed)
        self._held.put(slots[changed], new)
        if len(new):
            self._work = self._apply(old.at(old.strengths != 0), new.at(new.strengths != 0))

    def catch_up(self, units: int | None = None) -> int:
        """Make at most so many units of the work under way (None: all of it); returns how many it was."""
        self._at_once = units is None
        if kernels.compiled():
            from fieldcraft.kernels import radial

            self._ops = radial
        taken = 0
        while self._work is not None and (units is None or taken < units):
            if next(self._work, None) is None:
                self._work = None
            else:
                taken += 1
        return taken

    def _apply(self, old: _Held, new: _Held) -> Iterator[int]:
        if self.radial.blend == "sum":
            yield from self._add(_Held(old.cells, -old.strengths, old.radii, old.falloffs).with_(new))
        else:
            yield from self._renew(old.with_(new))
        yield from self._publish()

    def _add(self, jobs: _Held) -> Iterator[int]:
        is_open = self._is_open(jobs)
        yield from self._add_open(jobs.at(is_open))
        yield from self._add_searched(jobs.at(~is_open))

    def _is_open(self, jobs: _Held) -> NDArray[np.bool_]:
        if self.radial.metric == "straight":
            return np.ones(len(jobs), dtype=np.bool_)
        return self._ground.is_open(jobs.cells, jobs.radii.astype(np.int64))

    def _add_open(self, jobs: _Held) -> Iterator[int]:
        """Footprints without walls, cut already: many small ones a unit, or some rows of a large one."""
        which = self._numbers(jobs)
        sizes = (2 * self._footprints.reaches[which] + 1) ** 2
        strengths = jobs.strengths * reference.SCALE
        first = 0
        while first < len(jobs):
            last = first + int(np.searchsorted(np.cumsum(sizes[first : first + UNIT_STAMPED]), UNIT_STAMPED, side="right"))
            if last == first:
                yield from self._stamp_rows(self._ops.stamp, int(jobs.cells[first]), float(strengths[first]), int(which[first]))
                last = first + 1
            else:
                self._ops.stamp_many(
                    self._sums, self._dirty, jobs.cells[first:last], strengths[first:last],
                    self._footprints.packed, self._footprints.starts, self._footprints.reaches, which[first:last], self.space.wrap,
                )  # fmt: skip
                yield 1
            first = last

    def _add_searched(self, jobs: _Held) -> Iterator[int]:
        """Footprints among walls: searched, then added."""
        for cell, strength, radius, falloff in jobs.rows():
            cells, weights = yield from self._footprints.search(self._ground, cell, self._falloffs[falloff], radius)
            yield from self._scatter(self._ops.scatter, cells, weights, strength)

    def _stamp_rows(self, kernel: Callable[..., None], cell: int, strength: float, number: int) -> Iterator[int]:
        weights = self._footprints.table(number)
        rows = max(1, UNIT_STAMPED // len(weights))
        for row in range(0, len(weights), rows):
            kernel(self._sums, self._dirty, cell, weights, strength, row, min(row + rows, len(weights)), self.space.wrap)
            yield 1

    def _scatter(
        self, kernel: Callable[..., None], cells: NDArray[np.int64], weights: NDArray[np.float64], strength: float
    ) -> Iterator[int]:
        for first in range(0, len(cells), UNIT_STAMPED):
            last = min(first + UNIT_STAMPED, len(cells))
            kernel(self._sums, self._dirty, cells, weights, strength * reference.SCALE, first, last)
            yield 1

    def _numbers(self, jobs: _Held) -> NDArray[np.int64]:
        """The footprint on open ground of each job."""
        pairs, inverse = np.unique(np.stack([jobs.falloffs.astype(np.float64), jobs.radii], axis=1), axis=0, return_inverse=True)
        numbers = [self._footprints.number(self._falloffs[int(falloff)], radius, self._ground) for falloff, radius in pairs.tolist()]
        return np.array(numbers, dtype=np.int64)[inverse.reshape(-1)]

    # The strongest

    def _renew(self, changed: _Held) -> Iterator[int]:
        """Clear every tile that a changed source reaches or reached, and stamp all that reach into those anew."""
        self._mark(changed)
        self._ops.clear(self._sums, self._dirty)
        yield 1
        live = self._held.at(self._held.strengths != 0)
        live = live.at(self._reaches_dirty(live))
        is_open = self._is_open(live)
        for job, free, number in zip(live.rows(), is_open.tolist(), self._numbers(live).tolist(), strict=True):
            cell, strength, radius, falloff = job
            if free:
                yield from self._stamp_rows(self._ops.stamp_strongest, cell, strength * reference.SCALE, number)
            else:
                cells, weights = yield from self._footprints.search(self._ground, cell, self._falloffs[falloff], radius)
                yield from self._scatter(self._ops.scatter_strongest, cells, weights, strength)

    def _boxes(self, sources: _Held) -> NDArray[np.int64]:
        """The tiles that sources may reach: first and last row, first and last column, of shape (4, N); on a torus unwrapped."""
        rows, columns = np.divmod(sources.cells, self.space.width)
        reaches = sources.radii.astype(np.int64)
        return np.stack([rows - reaches, rows + reaches, columns - reaches, columns + reaches])

    def _mark(self, sources: _Held) -> None:
        height, width = self.space.shape
        for top, bottom, left, right in self._boxes(sources).T.tolist():
            down = self._tiles_between(top, bottom, height, reference.TILE_ROWS)
            self._dirty[np.ix_(down, self._tiles_between(left, right, width, reference.TILE_COLUMNS))] = 1

    def _tiles_between(self, first: int, last: int, size: int, tile: int) -> NDArray[np.int64]:
        if self.space.wrap:
            return np.unique(np.arange(first, min(last, first + size - 1) + 1) % size // tile)
        return np.arange(max(first, 0) // tile, min(last, size - 1) // tile + 1)

    def _reaches_dirty(self, sources: _Held) -> NDArray[np.bool_]:
        """Whether any tile that a source may reach is dirty."""
        if self.space.wrap:
            return np.ones(len(sources), dtype=np.bool_)
        height, width = self.space.shape
        top, bottom, left, right = self._boxes(sources)
        before = np.zeros((self._dirty.shape[0] + 1, self._dirty.shape[1] + 1), dtype=np.int64)
        before[1:, 1:] = np.cumsum(np.cumsum(self._dirty, axis=0, dtype=np.int64), axis=1)
        y0, y1 = np.maximum(top, 0) // reference.TILE_ROWS, np.minimum(bottom, height - 1) // reference.TILE_ROWS + 1
        x0, x1 = np.maximum(left, 0) // reference.TILE_COLUMNS, np.minimum(right, width - 1) // reference.TILE_COLUMNS + 1
        return np.asarray(before[y1, x1] - before[y0, x1] - before[y1, x0] + before[y0, x0] > 0)

    # What is shown

    def _publish(self) -> Iterator[int]:
        """Turn the sums of dirty tiles into values: at once into those shown, or a part a unit into others that are shown then."""
        bands = len(self._dirty)
        if self._at_once:
            self._ops.publish(self._sums, self._ground.walls, self._dirty, self.values, 0, bands)
            self._stale |= self._dirty
        else:
            if self._spare is None:
                self._spare, self._stale[:] = np.zeros_like(self.values), 1
            self._stale |= self._dirty
            taken = 0
            for band in range(bands):
                taken += self._ops.publish(self._sums, self._ground.walls, self._stale, self._spare, band, band + 1)
                if taken >= _UNIT_TILES:
                    taken = 0
                    yield 1
            self.values, self._spare = self._spare, self.values
            self._stale[:] = self._dirty
        self._dirty[:] = 0
