"""Exact sums by cell: the same bits in any order, restored when an amount is taken off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.kernels.trail.footprint_tables import FootprintTables, StampPlaces
from fieldcraft.kernels.trail.stamp_units import ADD, ALL_ROWS, SCALE, TILE_COLUMNS, TILE_ROWS

MOST_AMOUNT = 2.0**20
MOST_SUM = 2.0**38
BLENDS = ("add", "max", "replace")
"""In the order of the numbers in `kernels.trail.stamp_units`."""

_CELLS_PER_THREAD = 100_000
_TILES_PER_THREAD = 200
_FEW = 32  # drawings that are not worth counting their cells


class Tables:
    """Tables of weights one after the other, each in a margin of 0."""

    def __init__(self) -> None:
        self._parts = [np.zeros(0)]
        self._boxes: list[tuple[int, int, int, int, int]] = []
        self._box_array = np.zeros((0, 5), dtype=np.int64)
        self._size = 0
        self.largest = 0
        """The number of weights in the largest table."""

    def add(self, table: Floats, top: int, left: int) -> None:
        """Add a table with its first weight at these rows and columns from its cell."""
        padded = np.pad(table, 1)
        self._boxes.append((self._size, *table.shape, top, left))
        self._parts.append(padded.reshape(-1))
        self._size += padded.size
        self.largest = max(self.largest, table.size)

    @property
    def weights(self) -> Floats:
        """The weights of all tables; the same array until one is added."""
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    @property
    def boxes(self) -> Ints:
        """The start, height and width of each table, and the rows and columns from its cell to its
        first weight, (S, 5).
        """
        if len(self._box_array) != len(self._boxes):
            self._box_array = np.array(self._boxes, dtype=np.int64)
        return self._box_array

    @property
    def arrays(self) -> FootprintTables:
        """The tables as kernels take them."""
        return FootprintTables(self.weights, self.boxes)

    def table(self, number: int) -> tuple[Floats, int, int]:
        """Return a table, and the rows and columns from its cell to its first weight."""
        start, height, width, top, left = self._boxes[number]
        padded = self.weights[start : start + (height + 2) * (width + 2)]
        return padded.reshape(height + 2, width + 2)[1:-1, 1:-1], top, left


class Drawing(NamedTuple):
    """Tables of weights drawn at cells: table `numbers[i]` at `rows[i]`, `columns[i]`.

    `below` and `right` are how far beyond its cell each is drawn, in [0, 1).
    """

    rows: Ints
    columns: Ints
    below: Floats
    right: Floats
    numbers: Ints
    tables: Tables
    wrap: int


def in_units(values: NDArray[np.float32]) -> Ints:
    """Return the nearest whole numbers of units of 1 / SCALE."""
    return np.rint(values.astype(np.float64) * SCALE).astype(np.int64)


class Accumulator:
    """Sums in whole units of 1 / SCALE, (rows, columns), and the tiles of them that have changed.

    The vertices of a graph are one row.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape if len(shape) == 2 else (1, shape[0])
        tiles = (TILE_ROWS, TILE_COLUMNS)
        height, width = (-(-size // tile) for size, tile in zip(self.shape, tiles, strict=True))
        self.sums: Ints = np.zeros(self.shape, dtype=np.int64)
        self.dirty: NDArray[np.uint8] = np.zeros((height, width), dtype=np.uint8)
        self._reserved = 0.0

    @classmethod
    def of(cls, values: NDArray[np.float32]) -> Accumulator:
        """Return sums that are these values, to the nearest unit."""
        made = cls(values.shape)
        largest = float(np.abs(values).max(initial=0))
        if largest > MOST_SUM / 2:
            raise InvalidValue(
                f"Values of a layer with stamps are at most {MOST_SUM / 2:g} in size",
                got=f"{largest:g}",
                remedy="Count in larger units",
            )
        made.sums[:] = in_units(values).reshape(made.shape)
        made._reserved = largest
        return made

    def set(self, cells: Ints, values: NDArray[np.float32]) -> None:
        """Set the sums of cells to these values, to the nearest unit; they are at most MOST_SUM / 2
        in size.
        """
        self.sums.reshape(-1)[cells] = in_units(values)
        self._reserved = max(self._reserved, float(np.abs(values).max(initial=0)))

    def reserve(self, amounts: Floats, weight: float = 1.0) -> None:
        """Refuse amounts that could make a sum overflow, before anything is changed."""
        sizes = np.abs(amounts)
        with np.errstate(over="ignore"):  # an infinite total is refused
            total = float(sizes.sum())
        self._reserved = reserved(
            self._reserved, lambda: self.largest, float(sizes.max(initial=0)), total * weight
        )

    def scattering(self, cells: Ints, amounts: Floats, blend: int = ADD) -> pool.Call:
        """Return the call that blends amounts into cells.

        It is one for all rows: each of several bands would have to look at all cells.
        """
        return kernels.trail.stamp_sums.scatter, (
            cells,
            amounts * SCALE,
            blend,
            self.sums,
            self.dirty,
        )

    def scatter(self, cells: Ints, amounts: Floats, blend: int = ADD) -> None:
        """Blend amounts into cells; any of them several times."""
        kernel, arguments = self.scattering(cells, amounts, blend)
        kernel(*arguments)

    def draw(self, drawing: Drawing, amounts: Floats, blend: int = ADD) -> None:
        """Blend tables of weights times amounts (N,) into the sums, on several threads."""
        rows, columns, below, right, numbers, tables, wrap = drawing
        boxes = tables.boxes
        if len(numbers) > _FEW:
            work = int((boxes[:, 1] * boxes[:, 2])[numbers].sum())
        else:
            work = 0
        bands = pool.bands(self.shape[0], work // _CELLS_PER_THREAD, TILE_ROWS)
        places = StampPlaces(rows, columns, below, right)
        common = (places, amounts * SCALE, tables.arrays, numbers, blend, wrap)
        blit = kernels.trail.stamp_sums.blit
        pool.run([(blit, (*common, *band, self.sums, self.dirty)) for band in bands])

    def reset(self) -> None:
        """Set all sums to 0, and count all tiles as changed."""
        self.sums.view(np.uint8).fill(0)  # in half of the time of int64
        self.dirty[:] = ALL_ROWS

    def tiles(self, cells: Ints) -> NDArray[np.uint8]:
        """Return a mask of the tiles of cells, in the shape of `dirty`."""
        found = np.zeros_like(self.dirty)
        rows, columns = np.divmod(cells, self.shape[1])
        found[rows // TILE_ROWS, columns // TILE_COLUMNS] = ALL_ROWS
        return found

    def in_changed_tiles(self) -> NDArray[np.bool_]:
        """Return a mask of the cells of tiles that have changed."""
        height, width = self.shape
        tiles = np.repeat(self.dirty != 0, TILE_COLUMNS, axis=1)
        return np.repeat(tiles[:, :width], TILE_ROWS, axis=0)[:height]

    @cached_property
    def scratch(self) -> tuple[Ints, NDArray[np.uint8]]:
        """Sums that are all 0, and marks of their tiles, for calculations beside these."""
        return np.zeros_like(self.sums), np.zeros_like(self.dirty)

    def touch(self, cells: Ints) -> None:
        """Mark the tiles of cells as changed."""
        self.dirty |= self.tiles(cells)

    def publish(self, values: NDArray[np.float32], walls: NDArray[np.bool_] | None = None) -> None:
        """Write what has changed to `values`, 0 on walls; both in the shape of the sums."""
        changed = int(np.count_nonzero(self.dirty))
        bands = pool.bands(len(self.dirty), changed // _TILES_PER_THREAD)
        publish = kernels.trail.stamp_sums.publish
        pool.run([(publish, (self.sums, walls, *band, self.dirty, values)) for band in bands])

    def drain(self, values: NDArray[np.float32]) -> None:
        """Write all sums to `values`, and begin with none again."""
        kernels.trail.stamp_sums.drain(self.sums, self.dirty, values)
        self._reserved = 0.0

    def restore(self, sums: Ints) -> None:
        """Take the sums of another; raises ValueError for impossible ones."""
        if not (np.abs(sums) < 2**62).all():
            raise ValueError("sums that overflow")
        self.sums[:] = sums.reshape(self.shape)
        self.dirty[:] = ALL_ROWS
        self._reserved = self.largest

    @property
    def largest(self) -> float:
        """The size of the largest sum."""
        return float(np.abs(self.sums).max(initial=0)) / SCALE

    def clear(self) -> None:
        """Mark all tiles as unchanged, once the sums are 0 again."""
        self.dirty[:] = 0
        self._reserved = 0.0


def reserved(
    before: float, largest_sum: Callable[[], float], largest: float, total: float
) -> float:
    """Return a bound on the size of sums after amounts of this total size, the largest `largest`.

    `before` is the last bound; if it is used up, `largest_sum` is counted in its place. Raises
    `InvalidValue` where sums could overflow.
    """
    if largest > MOST_AMOUNT:
        raise InvalidValue(
            f"Amounts are at most {MOST_AMOUNT:,.0f} in size",
            got=f"{largest:g}",
            remedy="Count in larger units",
        )
    if before + total > MOST_SUM:
        before = largest_sum()
    if before + total > MOST_SUM:
        raise InvalidValue(
            f"What is put on a layer adds up to at most {MOST_SUM:g} in size",
            got=f"{before + total:g}",
            remedy="Count in larger units",
        )
    return before + total
