"""The plan of a world: how a map is cut into blocks, and which ground each block looks at beyond
its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Box", "Holders", "Piece", "Plan"]

Cells = NDArray[np.int64]


class Box(NamedTuple):
    """Rows [top, bottom) and columns [left, right) of the map. On a torus they may lie beyond it,
    and stand for its other side.
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
        """The part of an array over `outer` that lies over this box."""
        return slice(self.top - outer.top, self.bottom - outer.top), slice(
            self.left - outer.left, self.right - outer.left
        )

    def cut(self, other: Box) -> Box:
        """The part that lies in another box, too."""
        return Box(
            max(self.top, other.top),
            min(self.bottom, other.bottom),
            max(self.left, other.left),
            min(self.right, other.right),
        )


class Piece(NamedTuple):
    """A part of a block's halo that another block, or the same one on a torus, holds: where it lies
    in the extended block of each.
    """

    source: int
    target: int
    number: int
    there: tuple[slice, slice]
    here: tuple[slice, slice]


class Holders(NamedTuple):
    """The blocks whose extended area holds some cells, (N,): which cell, which block, and row and
    column in the extended block.
    """

    which: Cells
    blocks: Cells
    rows: Cells
    columns: Cells


@dataclass(frozen=True)
class Plan:
    """A map of `height` x `width` cells in blocks of `block` cells a side, each with a halo of
    `halo` cells around it.

    The *interior* of a block are its own cells, its *extended block* the interior and the halo.
    Blocks are numbered row by row.
    """

    width: int
    height: int
    block: int
    halo: int
    wrap: bool

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
        """The cells of a block."""
        row, column = divmod(number, self.across)
        top, left = row * self.block, column * self.block
        whole = Box(0, self.height, 0, self.width)
        return Box(top, top + self.block, left, left + self.block).cut(whole)

    def extended(self, number: int) -> Box:
        """The cells that a block holds, its halo included."""
        top, bottom, left, right = self.interior(number)
        found = Box(top - self.halo, bottom + self.halo, left - self.halo, right + self.halo)
        return found if self.wrap else found.cut(Box(0, self.height, 0, self.width))

    def pieces(self, target: int) -> tuple[Piece, ...]:
        """The pieces that a block's halo is made of."""
        return _pieces(self, target)

    def outgoing(self, source: int) -> tuple[Piece, ...]:
        """The pieces of others' halos that are made of a block's interior."""
        return _outgoing(self, source)

    def blocks_over(self, box: Box) -> list[int]:
        """The blocks of which some cells lie in a box of the map."""
        rows = range(box.top // self.block, -(-box.bottom // self.block))
        columns = range(box.left // self.block, -(-box.right // self.block))
        return [row * self.across + column for row in rows for column in columns]

    def home(self, rows: Cells, columns: Cells) -> Cells:
        """The block of each cell."""
        return rows // self.block * self.across + columns // self.block

    def holders(self, rows: Cells, columns: Cells, beyond: int = 0) -> Holders:
        """The blocks whose extended area, or `beyond` cells around it, holds each of these cells;
        several times where a torus is small.
        """
        down = self._along(rows, self.height, self.down, beyond)
        right = self._along(columns, self.width, self.across, beyond)
        found = [
            (np.flatnonzero(both), i[both] * self.across + j[both], r[both], c[both])
            for fits, i, r in down
            for fits_too, j, c in right
            if (both := fits & fits_too).any()
        ]
        none = np.zeros(0, dtype=np.int64)
        parts = zip(*found, strict=True) if found else [[none]] * 4
        return Holders(*(np.concatenate(part) for part in parts))

    def _along(
        self, places: Cells, size: int, count: int, beyond: int
    ) -> list[tuple[NDArray[np.bool_], Cells, Cells]]:
        """For each way in which a block can hold places along one axis: where it does, which block,
        and how far from its start.
        """
        halo = self.halo + beyond
        turns = range(-(halo // size + 1), halo // size + 2) if self.wrap else range(1)
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
                    first = start - self.halo if self.wrap else np.maximum(start - self.halo, 0)
                    found.append((fits, block, images - first))
        return found


@lru_cache(maxsize=1 << 16)
def _pieces(plan: Plan, target: int) -> tuple[Piece, ...]:
    extended, interior = plan.extended(target), plan.interior(target)
    found: list[Piece] = []
    for row, there_rows, here_rows in _runs(extended.top, extended.bottom, plan.height, plan.block):
        for column, there_columns, here_columns in _runs(
            extended.left, extended.right, plan.width, plan.block
        ):
            if (
                extended.top + here_rows.start == interior.top
                and extended.left + here_columns.start == interior.left
            ):
                continue
            there, here = (there_rows, there_columns), (here_rows, here_columns)
            found.append(Piece(row * plan.across + column, target, len(found), there, here))
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def _outgoing(plan: Plan, source: int) -> tuple[Piece, ...]:
    row, column = divmod(source, plan.across)
    rows, columns = _near(row, plan.down, plan), _near(column, plan.across, plan)
    return tuple(
        piece
        for i in rows
        for j in columns
        for piece in plan.pieces(i * plan.across + j)
        if piece.source == source
    )


def _near(place: int, count: int, plan: Plan) -> list[int]:
    """The places along one axis whose halos may reach this one."""
    reach = -(-plan.halo // plan.block) + 1
    if plan.wrap:
        return sorted({other % count for other in range(place - reach - 1, place + reach + 2)})
    return list(range(max(place - reach, 0), min(place + reach + 1, count)))


def _runs(low: int, high: int, size: int, block: int) -> Iterator[tuple[int, slice, slice]]:
    """The stretch [low, high) cut where blocks of a line of `size` cells end: the block, where in
    it, and where in the stretch.
    """
    at = low
    while at < high:
        place = at % size
        number = place // block
        length = min(min((number + 1) * block, size) - place, high - at)
        first = place - number * block
        yield number, slice(first, first + length), slice(at - low, at - low + length)
        at += length
