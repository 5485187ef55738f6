"""The partition of a map into blocks with halos."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int64]


class Box(NamedTuple):
    """Rows [top, bottom) and columns [left, right) of the map. Along an axis that wraps they may
    lie beyond its edges, and mean the other side.
    """

    top: int
    bottom: int
    left: int
    right: int

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width)."""
        return self.bottom - self.top, self.right - self.left

    def within(self, outer: Box) -> tuple[slice, slice]:
        """Return the slices of this box in an array of the box `outer`."""
        rows = slice(self.top - outer.top, self.bottom - outer.top)
        columns = slice(self.left - outer.left, self.right - outer.left)
        return rows, columns

    def intersection(self, other: Box) -> Box:
        """Return the intersection with another box."""
        return Box(
            max(self.top, other.top),
            min(self.bottom, other.bottom),
            max(self.left, other.left),
            min(self.right, other.right),
        )


class Piece(NamedTuple):
    """A part of the halo of block `target` that belongs to block `source`: `there` in its interior,
    `here` in the extended block of the target.
    """

    source: int
    target: int
    number: int
    there: tuple[slice, slice]
    here: tuple[slice, slice]


class Holders(NamedTuple):
    """The extended blocks that contain some cells, (N,): the index of the cell, the block, and row
    and column in the extended block.
    """

    which: Cells
    blocks: Cells
    rows: Cells
    columns: Cells


@dataclass(frozen=True)
class Partition:
    """A map of `height` x `width` cells in blocks of `block` cells a side, each with a halo of
    `halo` cells around it.

    The *interior* of a block are its own cells, its *extended block* the interior and the halo.
    Blocks are numbered row by row.
    """

    width: int
    height: int
    block: int
    halo: int
    wraps_x: bool
    wraps_y: bool

    @property
    def down(self) -> int:
        """Rows of blocks."""
        return -(-self.height // self.block)

    @property
    def across(self) -> int:
        """Columns of blocks."""
        return -(-self.width // self.block)

    def __len__(self) -> int:
        return self.down * self.across

    def interior(self, number: int) -> Box:
        """Return the cells of a block."""
        row, column = divmod(number, self.across)
        top = row * self.block
        left = column * self.block
        domain = Box(0, self.height, 0, self.width)
        return Box(top, top + self.block, left, left + self.block).intersection(domain)

    def extended(self, number: int) -> Box:
        """Return the cells of a block and its halo."""
        top, bottom, left, right = self.interior(number)
        top -= self.halo
        bottom += self.halo
        left -= self.halo
        right += self.halo
        if not self.wraps_y:
            top = max(top, 0)
            bottom = min(bottom, self.height)
        if not self.wraps_x:
            left = max(left, 0)
            right = min(right, self.width)
        return Box(top, bottom, left, right)

    def pieces(self, target: int) -> tuple[Piece, ...]:
        """Return the pieces of a block's halo."""
        return _pieces(self, target)

    def outgoing(self, source: int) -> tuple[Piece, ...]:
        """Return the pieces of other blocks' halos that belong to a block."""
        return _outgoing(self, source)

    def blocks_over(self, box: Box) -> list[int]:
        """Return the blocks that intersect a box of the map."""
        rows = range(box.top // self.block, -(-box.bottom // self.block))
        columns = range(box.left // self.block, -(-box.right // self.block))
        return [row * self.across + column for row in rows for column in columns]

    def home(self, rows: Cells, columns: Cells) -> Cells:
        """Return the block of each cell."""
        return rows // self.block * self.across + columns // self.block

    def holders(self, rows: Cells, columns: Cells, beyond: int = 0) -> Holders:
        """Return the extended blocks, widened by `beyond` cells, that contain each of these cells.
        On a small map that wraps a block may contain a cell several times.
        """
        down = self._along(rows, self.height, self.down, beyond, wraps=self.wraps_y)
        right = self._along(columns, self.width, self.across, beyond, wraps=self.wraps_x)
        none = np.zeros(0, dtype=np.int64)
        found = [Holders(none, none, none, none)]
        for fits_down, block_rows, from_top in down:
            for fits_right, block_columns, from_left in right:
                both = fits_down & fits_right
                if both.any():
                    blocks = block_rows[both] * self.across + block_columns[both]
                    which = np.flatnonzero(both)
                    found.append(Holders(which, blocks, from_top[both], from_left[both]))
        return Holders(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def _along(
        self, places: Cells, size: int, count: int, beyond: int, *, wraps: bool
    ) -> list[tuple[NDArray[np.bool_], Cells, Cells]]:
        """Return, for each relative position of a block along one axis, which places it contains,
        the blocks, and the offsets from their starts.
        """
        halo = self.halo + beyond
        if wraps:
            turns = range(-(halo // size + 1), halo // size + 2)
        else:
            turns = range(1)
        near = halo // self.block + 2
        found = []
        for turn in turns:
            images = places + turn * size
            for away in range(-near, near + 1):
                block = images // self.block + away
                start = block * self.block
                end = np.minimum(start + self.block, size)
                fits = (
                    (block >= 0)
                    & (block < count)
                    & (images >= start - halo)
                    & (images < end + halo)
                )
                if fits.any():
                    if wraps:
                        first = start - self.halo
                    else:
                        first = np.maximum(start - self.halo, 0)
                    found.append((fits, block, images - first))
        return found


@lru_cache(maxsize=1 << 16)
def _pieces(partition: Partition, target: int) -> tuple[Piece, ...]:
    extended = partition.extended(target)
    interior = partition.interior(target)
    found: list[Piece] = []
    for row, there_rows, here_rows in _runs(
        extended.top, extended.bottom, partition.height, partition.block
    ):
        for column, there_columns, here_columns in _runs(
            extended.left, extended.right, partition.width, partition.block
        ):
            if (
                extended.top + here_rows.start == interior.top
                and extended.left + here_columns.start == interior.left
            ):
                continue
            there = (there_rows, there_columns)
            here = (here_rows, here_columns)
            found.append(Piece(row * partition.across + column, target, len(found), there, here))
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def _outgoing(partition: Partition, source: int) -> tuple[Piece, ...]:
    row, column = divmod(source, partition.across)
    rows = _near(row, partition.down, partition, wraps=partition.wraps_y)
    columns = _near(column, partition.across, partition, wraps=partition.wraps_x)
    return tuple(
        piece
        for i in rows
        for j in columns
        for piece in partition.pieces(i * partition.across + j)
        if piece.source == source
    )


def _near(place: int, count: int, partition: Partition, *, wraps: bool) -> list[int]:
    """Return the blocks along one axis whose halos may reach this one."""
    reach = -(-partition.halo // partition.block) + 1
    if wraps:
        return sorted({other % count for other in range(place - reach - 1, place + reach + 2)})
    return list(range(max(place - reach, 0), min(place + reach + 1, count)))


def _runs(low: int, high: int, size: int, block: int) -> Iterator[tuple[int, slice, slice]]:
    """Split the range [low, high) at the ends of blocks of a line of `size` cells: yield the block,
    the slice in the block, and the slice in the range.
    """
    at = low
    while at < high:
        place = at % size
        number = place // block
        length = min(min((number + 1) * block, size) - place, high - at)
        first = place - number * block
        yield number, slice(first, first + length), slice(at - low, at - low + length)
        at += length
