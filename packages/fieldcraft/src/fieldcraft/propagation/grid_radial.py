"""Radiating sources on a grid, where the footprint of open ground is cut once and stamped."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.propagation.footprints import UNIT_STAMPED, Emission
from fieldcraft.propagation.grid_footprints import SMALL_REACH, GridFootprints
from fieldcraft.propagation.grid_walks import GridWalks
from fieldcraft.propagation.radial_field import RadialField
from fieldcraft.propagation.radial_work import UNIT_JOBS
from fieldcraft.sources import Sources
from fieldcraft.space import Grid

__all__ = ["GridRadialField"]

_STAMPED_PER_THREAD = 150_000
Numbers = NDArray[np.int64]
_NOWHERE = np.zeros((0, 0), dtype=np.int32)


class GridRadialField(RadialField[GridWalks]):
    """See `RadialField`."""

    space: Grid
    footprints: GridFootprints

    @property
    def _unit(self) -> float:  # type: ignore[override]
        return float(self.space.cell_size)

    def _no_footprints(self) -> GridFootprints:
        return GridFootprints(self.radial.metric, self.radial.thickness / self._unit)

    def _walks_now(self) -> GridWalks:
        return GridWalks.of(self.space, self.resistance)

    def _patched(self, sources: Sources) -> bool:
        columns, held, prints, sums = sources.columns, self._held, self.footprints, self.sums
        if (
            self._anew
            or self._walls_version != self.space.walls_version
            or self.space.wrap
            or self.radial.blend != "sum"
            or len(held) < len(columns.changed)
            or len(self._numbers) < len(sources.shapes)
            or self._shapes_version != sources.shapes_version
        ):
            return False
        if self.radial.metric == "straight" or self.walks.is_bare:
            walls_before = _NOWHERE
        elif self.walks.always_search:
            return False
        else:
            walls_before = self.walks.walls_before
        done: bool = self._changes.patch(
            (self._numbers, prints.packed, prints.starts, prints.reaches),
            (prints.chords, prints.first_chords),
            self.walks.walls,
            walls_before,
            _STAMPED_PER_THREAD,
            tuple(columns),
            held.arrays,
            sums.total,
            sums.shown,
            sums.stale,
        )
        return done

    def _is_less_anew(self, old: Emission, new: Emission) -> bool:
        if len(old) + len(new) <= np.count_nonzero(self._held.strengths):
            return False
        live = self._held.live
        reaches = self.footprints.reaches
        anew, off, on = (
            int(((2 * reaches[part.shapes] + 1) ** 2).sum()) for part in (live, old, new)
        )
        return anew + self.sums.total.size < off + on

    def _add(self, jobs: Emission, *, anew: bool = False) -> Iterator[int]:
        batch = len(jobs) if self._at_once else UNIT_JOBS
        for first in range(0, len(jobs), max(batch, 1)):
            part = jobs.at(np.s_[first : first + batch])
            is_open = self._is_open(part)
            yield from self._add_open(part.at(is_open), anew=anew)
            if np.count_nonzero(is_open) == len(part):
                continue
            closed = part.at(~is_open)
            if self._at_once and self.radial.metric == "connected":
                closed = self._connect_many(closed)
            yield from self._search_each(self._ops.scatter, closed)

    def _connect_many(self, jobs: Emission) -> Emission:
        """Search and add all small footprints in one call; which are left."""
        small = self.footprints.reaches[jobs.shapes] <= SMALL_REACH
        if self.radial.thickness > 0:
            small &= ~self.walks.walls.reshape(-1)[jobs.cells]
        if not small.any():
            return jobs
        part, walks, sums = jobs.at(small), self.walks, self.sums
        scratch = self.footprints.scratch(
            float(self.footprints.reaches[part.shapes].max()), walks, False
        )
        scratch.mark = self._ops.connected_many(
            walks.ground,
            (part.cells, part.strengths * kernels.radial.SCALE, part.shapes),
            self.footprints.by_square(),
            scratch.mark + 2,
            sums.total,
            sums.dirty,
            scratch.cells,
            scratch.distances,
            scratch.seen,
        )
        return jobs.at(~small)

    def _is_open(self, jobs: Emission) -> NDArray[np.bool_]:
        if self.radial.metric == "straight":
            return np.ones(len(jobs), dtype=np.bool_)
        return np.asarray(self.walks.is_open(jobs.cells, self.footprints.reaches[jobs.shapes]))

    def _add_open(self, jobs: Emission, *, anew: bool) -> Iterator[int]:
        """GridFootprints without walls, cut already: many small ones a unit, or some rows of a
        large one.
        """
        if not len(jobs) and not anew:
            return
        strengths = jobs.strengths * kernels.radial.SCALE
        if self._at_once:
            self._stamp_many(jobs.cells, strengths, jobs.shapes, anew=anew)
            return
        sizes = (2 * self.footprints.reaches[jobs.shapes] + 1) ** 2
        first = 0
        while first < len(jobs):
            last = first + int(
                np.searchsorted(
                    np.cumsum(sizes[first : first + UNIT_STAMPED]), UNIT_STAMPED, side="right"
                )
            )
            if last == first:
                last = first + 1
                yield from self._stamp_rows(
                    self._ops.stamp,
                    int(jobs.cells[first]),
                    float(strengths[first]),
                    int(jobs.shapes[first]),
                )
            else:
                self._stamp_many(
                    jobs.cells[first:last],
                    strengths[first:last],
                    jobs.shapes[first:last],
                    anew=False,
                )
                yield 1
            first = last

    def _stamp_many(
        self,
        cells: NDArray[np.int64],
        strengths: NDArray[np.float64],
        shapes: NDArray[np.int64],
        *,
        anew: bool,
    ) -> None:
        prints = self.footprints
        work = int(((2 * prints.reaches[shapes] + 1) ** 2).sum()) if len(cells) > 200 else 0
        bands = pool.bands(
            self.sums.total.shape[0],
            1 if self.space.wrap else work // _STAMPED_PER_THREAD,
            kernels.radial.TILE_ROWS,
        )
        pool.run(
            [
                (
                    self._ops.stamp_many,
                    (
                        (cells, strengths, shapes),
                        (prints.packed, prints.starts, prints.reaches),
                        self.space.wrap,
                        top,
                        bottom,
                        anew,
                        self.sums.total,
                        self.sums.dirty,
                    ),
                )
                for top, bottom in bands
            ]
        )

    def _stamp_rows(
        self, kernel: Callable[..., None], cell: int, strength: float, shape: int
    ) -> Iterator[int]:
        weights = self.footprints.table(shape)
        rows = max(1, UNIT_STAMPED // len(weights))
        for row in range(0, len(weights), rows):
            kernel(
                weights,
                cell,
                strength,
                row,
                min(row + rows, len(weights)),
                self.space.wrap,
                self.sums.total,
                self.sums.dirty,
            )
            yield 1

    def _boxes(self, sources: Emission) -> NDArray[np.int64]:
        """First and last row, first and last column that sources may reach, shape (4, N); beyond
        the rim too.
        """
        rows, columns = np.divmod(sources.cells, self.sums.total.shape[1])
        reaches = self.footprints.reaches[sources.shapes]
        return np.stack([rows - reaches, rows + reaches, columns - reaches, columns + reaches])

    def _may_hold(self, sources: Emission, cell: int) -> NDArray[np.bool_]:
        if self.space.wrap or not len(sources):
            return np.ones(len(sources), dtype=np.bool_)
        row, column = divmod(cell, self.sums.total.shape[1])
        top, bottom, left, right = self._boxes(sources)
        return np.asarray((top <= row) & (row <= bottom) & (left <= column) & (column <= right))

    def _reaches_dirty(self, sources: Emission) -> NDArray[np.bool_]:
        found = np.empty(len(sources), dtype=np.bool_)
        dirty, (height, width) = self.sums.dirty, self.space.shape
        self._ops.reaching(
            dirty,
            sources.cells,
            sources.shapes,
            self.footprints.reaches,
            height,
            width,
            self.space.wrap,
            found,
        )
        return found

    def _cut(self, cell: int, shape: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if self._is_open(Emission(np.array([cell]), np.ones(1), np.array([shape])))[0]:
            table = self.footprints.table(shape)
            (height, width), reach = self.sums.total.shape, len(table) // 2
            rows, down = _along(cell // width, reach, height, self.space.wrap)
            columns, right = _along(cell % width, reach, width, self.space.wrap)
            cells = rows[down, np.newaxis] * width + columns[right]
            return cells.reshape(-1), table[np.ix_(down, right)].reshape(-1)
        return super()._cut(cell, shape)

    def _may_reach(self, sources: Emission, top: int, bottom: int) -> NDArray[np.bool_]:
        if self.space.wrap:
            return super()._may_reach(sources, top, bottom)
        first, last, _, _ = self._boxes(sources)
        return np.asarray((first < bottom) & (last >= top))

    def _touch_reached(self, sources: Emission) -> Iterator[int]:
        dirty, (height, width) = self.sums.dirty, self.space.shape
        self._ops.mark_boxes(
            sources.cells,
            sources.shapes,
            self.footprints.reaches,
            height,
            width,
            self.space.wrap,
            dirty,
        )
        yield 1

    def _add_strongest(self, jobs: Emission) -> Iterator[int]:
        for (cell, strength, shape), free in zip(
            jobs.rows(), self._is_open(jobs).tolist(), strict=True
        ):
            if free:
                yield from self._stamp_rows(
                    self._ops.stamp_strongest, cell, strength * kernels.radial.SCALE, shape
                )
            else:
                cells, weights = yield from self.footprints.search(self.walks, cell, shape)
                yield from self.sums.scatter(self._ops.scatter_strongest, cells, weights, strength)


def _along(here: int, reach: int, size: int, wrap: bool) -> tuple[Numbers, NDArray[np.bool_]]:
    """The rows (or columns) up to so many from one, and which of them lie on the map; on a torus
    each once, the short way round, forwards on a tie.
    """
    away = np.arange(-reach, reach + 1)
    if not wrap:
        return here + away, (here + away >= 0) & (here + away < size)
    return (here + away) % size, (away + (size - 1) // 2) % size - (size - 1) // 2 == away
