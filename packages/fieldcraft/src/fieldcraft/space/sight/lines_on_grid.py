"""Lines of sight between cells of a grid."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.sight.center_lines import CenterLines
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.sight.viewers import SightHeights, heights_for_kernels

_PAIRS_PER_THREAD = 2_000

_Cell = TypeVar("_Cell", bound=np.generic)


def sees_cells(
    opaque: NDArray[np.bool_],
    wrap: int,
    viewers: NDArray[np.int64],
    cells: NDArray[np.int64],
    limits: NDArray[np.int64],
    cones: NDArray[np.float64],
    *,
    pairs: bool = False,
    heights: SightHeights | None = None,
) -> NDArray[np.bool_]:
    """Return which cells (T,) of a grid the viewers in cells (V,) see, (V, T), or with `pairs` each
    its own, (V, 1). The two cells at the ends of a line never block it.
    """
    ground, eye = heights_for_kernels(heights)
    seen = np.zeros((len(viewers), 1 if pairs else len(cells)), dtype=np.bool_)
    common = (opaque.view(np.uint8), ground, viewers, limits, cones, cells, eye, wrap, pairs)
    parts = pool.bands(len(viewers), seen.size // _PAIRS_PER_THREAD)
    pool.run([(kernels.sight.sees.sees_cells, (*common, low, high, seen)) for low, high in parts])
    return seen


@dataclass(frozen=True, eq=False)
class LinesInRange:
    """The lines of sight on a grid to all cells within a range, the nearest first.

    `squares` (N,) are their squared lengths in cells. They run over maps of one bit per cell, with
    so many rows and columns around the map as they are long: see `reaches` and `bits`.
    """

    grid: Grid
    lines: CenterLines
    squares: NDArray[np.int64]

    @classmethod
    def of(cls, grid: Grid, limit: int) -> LinesInRange:
        """Return the lines up to a squared length in cells."""
        rows, columns = _reaches(grid, limit).tolist()
        down, across = np.mgrid[-rows : rows + 1, -columns : columns + 1].reshape(2, -1)
        squares = down * down + across * across
        near = np.flatnonzero((squares > 0) & (squares <= limit))
        near = near[np.argsort(squares[near], kind="stable")]
        offsets = np.stack([down[near], across[near]], axis=1)
        steps = np.abs(offsets)
        most = int((steps.sum(axis=1) + 2 * steps.min(axis=1)).sum())
        lines = CenterLines(
            offsets,
            np.zeros(len(offsets) + 1, dtype=np.int64),
            np.zeros((most, 2), dtype=np.int64),
            np.zeros(most, dtype=np.uint8),
            np.zeros((most, 2)),
        )
        kernels.sight.line_cells.write_lines(lines)
        return cls(grid, lines, squares[near])

    def count(self, limit: int) -> int:
        """Return how many lines are not longer than a squared length."""
        return int(np.searchsorted(self.squares, limit, side="right"))

    def reaches(self, limit: int) -> NDArray[np.int64]:
        """Return how many rows and columns away lines of this squared length end at most, (2,)."""
        return _reaches(self.grid, limit)

    def bits(
        self, cells: NDArray[np.bool_], reaches: NDArray[np.int64], around: bool
    ) -> NDArray[np.uint64]:
        """Return a map (height, width) as bits, with `reaches` rows and columns around it: it goes
        on there along axes that wrap, and is `around` along others.
        """
        _, width = self.grid.shape
        columns = int(reaches[1])
        words = (width + 2 * columns) // 64 + 3  # lines are read 64 at a time
        found = self._widened(cells, reaches, 64 * words, around)
        return np.packbits(found, axis=1, bitorder="little").view(np.uint64)

    def widened(
        self, values: NDArray[np.float32], reaches: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Return a map (height, width) with `reaches` rows and columns around it: it goes on there
        along axes that wrap, and is 0 along others.
        """
        _, width = self.grid.shape
        return self._widened(values, reaches, width + 2 * int(reaches[1]), 0)

    def _widened(
        self, cells: NDArray[_Cell], reaches: NDArray[np.int64], length: int, around: float
    ) -> NDArray[_Cell]:
        """Return a map with rows and columns around it, `length` in a row."""
        height, width = self.grid.shape
        rows, columns = reaches.tolist()
        found = np.full((height + 2 * rows, length), around, dtype=cells.dtype)
        middle = found[rows : rows + height]
        middle[:, columns : columns + width] = cells
        if self.grid.wraps_x and columns:
            middle[:, :columns] = cells[:, -columns:]
            middle[:, columns + width : width + 2 * columns] = cells[:, :columns]
        if self.grid.wraps_y and rows:
            found[:rows] = middle[-rows:]
            found[rows + height :] = middle[:rows]
        return found


def _reaches(grid: Grid, limit: int) -> NDArray[np.int64]:
    """Return how many rows and columns away cells within a squared distance are at most, (2,)."""
    reach = math.isqrt(limit)
    # On axes that wrap, the short way around; at half the size there are two.
    rows = min(reach, grid.height // 2 if grid.wraps_y else grid.height - 1)
    columns = min(reach, grid.width // 2 if grid.wraps_x else grid.width - 1)
    return np.array([rows, columns], dtype=np.int64)
