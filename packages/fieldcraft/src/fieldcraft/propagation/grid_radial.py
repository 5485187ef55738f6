"""Radiating sources on a grid, where the footprint of open ground is a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.propagation.accumulator import ADD, SCALE
from fieldcraft.propagation.emitters import Emitters
from fieldcraft.propagation.footprints import GridFootprints
from fieldcraft.propagation.grid_walks import GridWalks
from fieldcraft.propagation.radial_field import RadialField
from fieldcraft.space import Grid

__all__ = ["GridRadialField"]

_UNIT_CELLS = 100_000  # cells drawn in a unit of work
_TILE = np.array([[kernels.stamps.TILE_ROWS], [kernels.stamps.TILE_COLUMNS]])


class GridRadialField(RadialField):
    """See `RadialField`."""

    space: Grid
    footprints: GridFootprints
    walks: GridWalks

    def _rebuild_is_cheaper(self, jobs: Emitters) -> bool:
        more = len(jobs) - len(self._live)
        if not self._at_once or self._is_written or more <= 0:
            return False
        return more * float(self._sizes(jobs).mean()) > self.sums.sums.size

    def _sizes(self, jobs: Emitters) -> NDArray[np.int64]:
        """Return how many cells footprints cover at most."""
        reaches = self.footprints.reaches[jobs.numbers]
        return np.asarray((2 * reaches + 1) ** 2)

    def _add(self, jobs: Emitters, blend: int) -> Iterator[int]:
        if self._at_once:
            yield from self._add_part(jobs, blend)
            return
        ends, first = np.cumsum(self._sizes(jobs)), 0
        while first < len(jobs):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + _UNIT_CELLS, side="right")))
            yield from self._add_part(jobs.at(np.s_[first:last]), blend)
            first = last

    def _add_part(self, jobs: Emitters, blend: int) -> Iterator[int]:
        drawn = self.footprints.are_drawn(self.walks, jobs.cells, jobs.numbers)
        is_any, are_all = drawn.any(), drawn.all()
        if is_any:
            part = jobs if are_all else jobs.at(drawn)
            self.sums.draw(self.footprints.drawing(part.cells, part.numbers), part.strengths, blend)
            yield 1
        if not are_all:
            yield from super()._add(self._add_connected(jobs.at(~drawn), blend), blend)

    def _add_connected(self, jobs: Emitters, blend: int) -> Emitters:
        """Search and add connected footprints in one call; return the jobs that are left."""
        radial, prints = self.radial, self.footprints
        if not self._at_once or radial.metric != "connected" or blend != ADD or radial.exact:
            return jobs
        mine = np.ones(len(jobs), dtype=np.bool_)
        if radial.thickness > 0:
            mine = ~self.walks.walls.reshape(-1)[jobs.cells]
        part = jobs.at(mine)
        if len(part):
            scratch = self.walks.scratch(float(prints.reaches[part.numbers].max()))
            scratch.mark = kernels.radial.connected_many(
                self.walks.ground,
                (part.cells, part.strengths * SCALE, part.numbers),
                prints.by_square,
                scratch.mark,
                self.sums.sums,
                self.sums.dirty,
                scratch.cells,
                scratch.squares,
                scratch.seen,
            )
        return jobs.at(~mine)

    def _tiles(self, sources: Emitters) -> NDArray[np.int64]:
        """Return the first and the end of the rows and columns of tiles that sources may reach,
        (2, 2, N).

        On a torus, those that reach across the rim may reach all.
        """
        height, width = self.sums.shape
        reaches = self.footprints.reaches[sources.numbers]
        middles = np.stack(np.divmod(sources.cells, width))
        sizes = np.array([[height], [width]])
        first, last = middles - reaches, middles + reaches
        if self.space.wrap:
            across = ((first < 0) | (last >= sizes)).any(axis=0)
            first, last = np.where(across, 0, first), np.where(across, sizes, last)
        return np.stack([np.maximum(first, 0) // _TILE, np.minimum(last, sizes - 1) // _TILE + 1])

    def _near(self, tiles: NDArray[np.uint8]) -> NDArray[np.int64]:
        live = self._live
        counts = np.zeros((tiles.shape[0] + 1, tiles.shape[1] + 1), dtype=np.int64)
        counts[1:, 1:] = (tiles != 0).cumsum(axis=0).cumsum(axis=1)
        (top, left), (bottom, right) = self._tiles(self._applied.at(live))
        inside = (
            counts[bottom, right] - counts[top, right] - counts[bottom, left] + counts[top, left]
        )
        return np.asarray(live[inside > 0])

    def _touch(self, sources: Emitters) -> None:
        (top, left), (bottom, right) = self._tiles(sources)
        tiles = self.sums.dirty
        changes = np.zeros((tiles.shape[0] + 1, tiles.shape[1] + 1), dtype=np.int64)
        for rows, columns, change in (
            (top, left, 1),
            (bottom, right, 1),
            (top, right, -1),
            (bottom, left, -1),
        ):
            np.add.at(changes, (rows, columns), change)
        tiles[changes.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0] = kernels.stamps.ALL_ROWS
