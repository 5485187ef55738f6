"""The walks that radial sources take over a grid at one moment."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.propagation.footprints import UNIT_STAMPED
from fieldcraft.space import Grid, GridSnapshot

__all__ = ["GridWalks", "strides"]

_SHUT = 2.0**55  # farther than any walk goes, in 1 / LENGTH_SCALE cells


@dataclass(frozen=True)
class GridWalks:
    """The walks over a `snapshot` of a grid: footprints cut before a change of walls can be cut
    again after it.

    `walls` and `links` (height, width) are those of the snapshot, and `opaque` the cells that hide:
    `walls` itself where no others do. `walls_before` counts both above and left of each corner,
    shape (height + 1, width + 1), and with them cells that resist; `always_search` says that even
    without walls near, footprints are not those of open ground. `extra` (height, width) is what a
    walk into a cell is longer by, in 1 / LENGTH_SCALE cells; None if no cell resists.
    """

    space: Grid
    snapshot: GridSnapshot
    walls: NDArray[np.bool_]
    opaque: NDArray[np.bool_]
    links: NDArray[np.unsignedinteger]
    masks: NDArray[np.unsignedinteger]
    steps: NDArray[np.int64]
    lengths: NDArray[np.int64]
    wrap: bool
    walls_before: NDArray[np.int32]
    always_search: bool
    extra: NDArray[np.int64] | None

    @cached_property
    def ground(
        self,
    ) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], NDArray[np.int64], bool]:
        """Links, their bits, steps and whether the grid is a torus, as kernels take them."""
        return self.links, self.masks, self.steps, self.wrap

    @classmethod
    def of(cls, space: Grid, resistance: NDArray[np.float32] | None = None) -> GridWalks:
        """The walks over a grid as it is now, whose cells resist them by so much, world units."""
        snapshot = GridSnapshot.of(space)
        walls, links = _laid_out(space, snapshot)
        steps, lengths = strides(space)
        usual = space.neighborhood.is_four or space.neighborhood.is_eight
        plain = space.terrain is None or space.terrain.is_plain
        before = np.zeros((space.height + 1, space.width + 1), dtype=np.int32)
        extra = None
        if resistance is not None:
            extra = np.rint(
                np.minimum(resistance / space.cell_size * kernels.radial.LENGTH_SCALE, _SHUT)
            ).astype(np.int64)
            extra.flags.writeable = False
        opaque = _opaque(space, walls)
        _count_walls(_closed(walls, opaque, extra), before, 0, space.height)
        always = not (usual and plain)
        return cls(
            space,
            snapshot,
            walls,
            opaque,
            links,
            space.link_masks,
            steps,
            lengths,
            space.wrap,
            before,
            always,
            extra,
        )

    def renewal(self, changed: NDArray[np.int64]) -> Generator[int, None, GridWalks]:
        """The walks over the grid as it is now, the walls of some cells having changed since:
        yields after each unit of work.
        """
        return self._renewal(GridSnapshot.of(self.space), int(changed[0]) // self.space.width)

    def _renewal(self, snapshot: GridSnapshot, top: int) -> Generator[int, None, GridWalks]:
        walls, links = _laid_out(self.space, snapshot)
        opaque = _opaque(self.space, walls)
        before = np.empty_like(self.walls_before)
        rows = max(1, UNIT_STAMPED // walls.shape[1])
        for row in range(0, top + 1, rows):
            before[row : row + rows] = self.walls_before[row : row + rows]
            yield 1
        for row in range(top, len(walls), rows):
            before[row : row + rows + 1, 0] = 0
            _count_walls(
                _closed(walls, opaque, self.extra),
                before,
                row,
                min(row + rows, len(walls)),
            )
            yield 1
        return replace(
            self, snapshot=snapshot, walls=walls, opaque=opaque, links=links, walls_before=before
        )

    def opened(self, cell: int, reach: float) -> GridWalks:
        """The walks if the block of walls were open that a cell stands in, as far as `reach` cells
        from it.
        """
        height, width = self.walls.shape
        row, column = divmod(cell, width)
        block, waiting = {cell}, [(0, 0)]
        for down, right in waiting:
            for dy, dx in (
                (down - 1, right),
                (down, right - 1),
                (down, right + 1),
                (down + 1, right),
            ):
                y, x = row + dy, column + dx
                if self.wrap:
                    y, x = y % height, x % width
                elif not (0 <= y < height and 0 <= x < width):
                    continue
                if (
                    self.walls[y, x]
                    and dx * dx + dy * dy <= reach * reach
                    and y * width + x not in block
                ):
                    block.add(y * width + x)
                    waiting.append((dy, dx))
        cells = np.array(sorted(block))
        snapshot = self.snapshot.opened(self.space, cells)
        walls, links = _laid_out(self.space, snapshot)
        opaque = walls
        if self.opaque is not self.walls:
            opaque = self.opaque.copy()
            opaque.reshape(-1)[cells] = False
        return replace(self, snapshot=snapshot, walls=walls, opaque=opaque, links=links)

    def on_open_ground(self, side: int) -> GridWalks:
        """The walks in the middle of a map of so many cells each way, without walls and without a
        rim.
        """
        walls = np.zeros((side, side), dtype=np.bool_)
        links = np.full((side, side), np.bitwise_or.reduce(self.masks), dtype=self.masks.dtype)
        links.flags.writeable = (
            False  # as those of a map: kernels are compiled anew for arrays that can be written to
        )
        return replace(self, walls=walls, opaque=walls, links=links, wrap=False, extra=None)

    @property
    def is_bare(self) -> bool:
        """Whether every cell is open, and steps go wherever they can."""
        return not self.always_search and bool(self.walls_before[-1, -1] == 0)

    def is_open(self, cells: NDArray[np.int64], reaches: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether no wall lies in the squares of these reaches around these cells."""
        if self.always_search:
            return np.zeros(len(cells), dtype=np.bool_)
        if self.is_bare:
            return np.ones(len(cells), dtype=np.bool_)
        height, width = self.walls.shape
        rows, columns = np.divmod(cells, width)
        y0, y1 = np.maximum(rows - reaches, 0), np.minimum(rows + reaches + 1, height)
        x0, x1 = np.maximum(columns - reaches, 0), np.minimum(columns + reaches + 1, width)
        before = self.walls_before
        free = before[y1, x1] - before[y0, x1] - before[y1, x0] + before[y0, x0] == 0
        if self.wrap:
            inside = (
                (rows - reaches >= 0)
                & (rows + reaches < height)
                & (columns - reaches >= 0)
                & (columns + reaches < width)
            )
            free &= inside
        return np.asarray(free)


def strides(space: Grid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The steps of a grid, (K, 2) in columns and rows, and their lengths (K,) in 1 / LENGTH_SCALE
    cells.
    """
    lengths = np.rint(space.neighborhood.lengths(1.0) * kernels.radial.LENGTH_SCALE).astype(
        np.int64
    )
    return np.array(space.neighborhood.steps, dtype=np.int64), lengths


def _laid_out(
    space: Grid, snapshot: GridSnapshot
) -> tuple[NDArray[np.bool_], NDArray[np.unsignedinteger]]:
    """The walls and links of a snapshot, (height, width)."""
    return snapshot.walls.reshape(space.shape), snapshot.links.reshape(space.shape)


def _opaque(space: Grid, walls: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The cells that hide; these walls where no others do."""
    return walls if space.opaque is space.walls else space.opaque


def _closed(
    walls: NDArray[np.bool_], opaque: NDArray[np.bool_], extra: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """The cells near which footprints are not those of open ground."""
    closed = walls if opaque is walls else walls | opaque
    return closed if extra is None else closed | (extra > 0)


def _count_walls(
    walls: NDArray[np.bool_], before: NDArray[np.int32], top: int, bottom: int
) -> None:
    """Go on counting the walls above and left of each corner, for the rows [top, bottom) of
    cells.
    """
    counts = np.cumsum(walls[top:bottom], axis=1, dtype=np.int32)
    np.cumsum(counts, axis=0, out=counts)
    np.add(counts, before[top, 1:], out=before[top + 1 : bottom + 1, 1:])
