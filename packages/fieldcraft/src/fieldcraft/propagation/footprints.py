"""Walks, footprints cut on them, exact sums, units of work, and sources as columns."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.falloff import Falloff
from fieldcraft.kernels import pool
from fieldcraft.kernels.arrays import read_only
from fieldcraft.space.opacity import sees_cells

__all__ = [
    "UNIT_SEARCHED",
    "UNIT_STAMPED",
    "AnyWalks",
    "Emission",
    "FieldsOfView",
    "Footprints",
    "Found",
    "Sums",
    "Walks",
    "finished",
    "whole_radius",
]

UNIT_SEARCHED = 2_000
"""Cells searched in a unit."""
UNIT_STAMPED = 20_000
"""Cells added in a unit."""
Found = tuple[NDArray[np.int64], NDArray[np.float64]]
"""The cells of a footprint and their weights."""


def finished(search: Generator[int, None, Found]) -> Found:
    """The answer of a search, all of its units made."""
    while True:
        try:
            next(search)
        except StopIteration as done:
            found: Found = done.value
            return found


def whole_radius(radius: float) -> float:
    """A radius in cells, a whole number where it is one to a billionth: so that a radius of 0.3 on
    cells of 0.1 reaches three.
    """
    whole = round(radius)
    return float(whole) if math.isclose(radius, whole, rel_tol=1e-9) else radius


@dataclass
class Emission:
    """Sources as columns: what a map holds of them, or a list of jobs. `shapes` number a falloff
    and a radius.
    """

    cells: NDArray[np.int64]
    strengths: NDArray[np.float64]
    shapes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cells)

    @staticmethod
    def room(count: int) -> Emission:
        """So many rows, all 0."""
        return Emission(np.zeros(count, np.int64), np.zeros(count), np.zeros(count, np.int64))

    def padded(self, count: int) -> Emission:
        """These rows, followed by rows of 0 up to so many."""
        return Emission.joined([self, Emission.room(count - len(self))])

    @property
    def live(self) -> Emission:
        """The rows with a strength."""
        return self.at(self.strengths != 0)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
        """Cells, strengths and shapes, as kernels take them."""
        return self.cells, self.strengths, self.shapes

    def at(self, rows: NDArray[Any] | slice) -> Emission:
        """Some of the rows: those at these places, or where these are True."""
        if (
            isinstance(rows, np.ndarray)
            and rows.dtype == np.bool_
            and np.count_nonzero(rows) == len(rows)
        ):
            return self
        return Emission(self.cells[rows], self.strengths[rows], self.shapes[rows])

    @staticmethod
    def joined(parts: Sequence[Emission]) -> Emission:
        """The rows of all parts, one after the other."""
        return Emission(
            np.concatenate([part.cells for part in parts]),
            np.concatenate([part.strengths for part in parts]),
            np.concatenate([part.shapes for part in parts]),
        )

    def rows(self) -> Iterator[tuple[int, float, int]]:
        """(cell, strength, shape) one by one."""
        return zip(self.cells.tolist(), self.strengths.tolist(), self.shapes.tolist(), strict=True)


class Walks(Protocol):
    """The walks over a space at one moment."""

    @property
    def walls(self) -> NDArray[np.bool_]:
        """Walls in rows of cells, as tiles are laid out; True for what fills up the last tile."""

    def renewal(self, changed: NDArray[np.int64]) -> Generator[int, None, Self]:
        """The walks as they are now, the walls of some cells having changed since: yields after
        each unit of work.
        """


AnyWalks = TypeVar("AnyWalks", bound=Walks)
_Taken = TypeVar("_Taken")


class Footprints(ABC, Generic[_Taken]):
    """Footprints of one metric. A *shape* says falloff and radius, and has a number, its place in
    `shapes`.
    """

    size: int = 0
    """How many weights fill the memory."""

    def __init__(self) -> None:
        self.shapes: list[Any] = []
        self._numbers: dict[Any, int] = {}

    @property
    def reaches(self) -> NDArray[np.int64]:
        """How many cells each shape reaches each way where it is stamped from a table, else 0."""
        return np.zeros(len(self.shapes), dtype=np.int64)

    def number(self, falloff: Falloff, radius: float, walks: _Taken) -> int:
        """The number of the shape with this falloff and this radius, in the unit that footprints
        count by.
        """
        return self._number((falloff, radius), walks)

    def _number(self, shape: Any, walks: _Taken) -> int:
        if shape not in self._numbers:
            self._cut(shape, walks)
            self._numbers[shape] = len(self.shapes)
            self.shapes.append(shape)
        return self._numbers[shape]

    def _cut(self, shape: Any, walks: _Taken) -> None:
        """Cut the table of a new shape."""

    def number_as(self, others: Self, walks: _Taken) -> None:
        """Number the shapes that `others` have beyond these as they do."""
        for shape in others.shapes[len(self.shapes) :]:
            self._number(shape, walks)

    @abstractmethod
    def without_others(
        self, shapes: NDArray[np.int64], used: NDArray[np.bool_]
    ) -> tuple[Self, NDArray[np.int64]]:
        """The footprints of those `shapes` that are `used`, and the new number of each; 0 where it
        is not.
        """

    def _only(
        self, kept: Self, shapes: NDArray[np.int64], used: NDArray[np.bool_]
    ) -> tuple[list[int], NDArray[np.int64]]:
        """Number some shapes in `kept`, which has none: the old number of each of these, and what
        `without_others` returns.
        """
        wanted, numbers = np.unique(shapes[used], return_inverse=True)
        kept.shapes = [self.shapes[number] for number in wanted.tolist()]
        kept._numbers = {shape: number for number, shape in enumerate(kept.shapes)}
        again = np.zeros_like(shapes)
        again[used] = numbers
        return wanted.tolist(), again

    @abstractmethod
    def search(
        self, walks: _Taken, cell: int, number: int, *, aside: bool = False
    ) -> Generator[int, None, Found]:
        """The footprint of a shape around a cell: yields after each unit of work, returns cells and
        weights.
        """


_UNIT_TILES = 256
_TILES_PER_THREAD = 400


class Sums:
    """Whole numbers by cell, (rows, columns), as `total`; `shown` are the values of the last
    complete state.

    Whatever adds to the total marks the tiles that it touches as `dirty`; `publish` shows these.
    Tiles that `stale` marks differ between what is shown and what will take its place.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.total: NDArray[np.int64] = np.zeros(shape, dtype=np.int64)
        self.shown: NDArray[np.float32] = np.zeros(shape, dtype=np.float32)
        self.dirty: NDArray[np.uint8] = np.zeros(
            (-(-shape[0] // kernels.radial.TILE_ROWS), -(-shape[1] // kernels.radial.TILE_COLUMNS)),
            dtype=np.uint8,
        )
        self.stale = np.zeros_like(self.dirty)
        self._spare: NDArray[np.float32] | None = None

    def begin_anew(self) -> None:
        """Forget all sums; every tile is to be shown."""
        self.total[:] = 0
        self.dirty[:] = 1

    def take_shown(self) -> None:
        """Take the values that are shown for the sums."""
        self.total[:] = np.rint(self.shown.astype(np.float64) * kernels.radial.SCALE)
        self.stale[:] = 1

    def touch(self, cells: NDArray[np.int64]) -> None:
        """Mark the tiles of cells."""
        width = self.total.shape[1]
        self.dirty[
            cells // width // kernels.radial.TILE_ROWS, cells % width // kernels.radial.TILE_COLUMNS
        ] = 1

    def scatter(
        self,
        kernel: Callable[..., None],
        cells: NDArray[np.int64],
        weights: NDArray[np.float64],
        strength: float,
    ) -> Iterator[int]:
        """Let a kernel add a footprint, some cells a unit."""
        for first in range(0, len(cells), UNIT_STAMPED):
            kernel(
                cells,
                weights,
                strength * kernels.radial.SCALE,
                first,
                min(first + UNIT_STAMPED, len(cells)),
                self.total,
                self.dirty,
            )
            yield 1

    def clear_dirty(self) -> Iterator[int]:
        """Forget the sums of dirty tiles, some rows of tiles a unit."""
        return self._by_bands(
            lambda band: kernels.radial.clear(self.dirty, band, band + 1, self.total)
        )

    def _by_bands(self, work: Callable[[int], int]) -> Iterator[int]:
        """Do a work that says how many tiles it took for each row of tiles, some rows a unit."""
        taken = 0
        for band in range(len(self.dirty)):
            taken += work(band)
            if taken >= _UNIT_TILES:
                taken = 0
                yield 1

    def publish(self, walls: NDArray[np.bool_], at_once: bool) -> Iterator[int]:
        """Turn the sums of dirty tiles into values: at once into those shown, or in units into
        others that then are.
        """
        if at_once:
            tiled = (self.total, walls, self.dirty)
            parts = pool.bands(
                len(self.dirty), int(np.count_nonzero(self.dirty)) // _TILES_PER_THREAD
            )
            pool.run([(kernels.radial.publish, (*tiled, *part, self.shown)) for part in parts])
            self.stale |= self.dirty
        else:
            if self._spare is None:
                self._spare, self.stale[:] = np.zeros_like(self.shown), 1
            self.stale |= self.dirty
            spare = self._spare
            yield from self._by_bands(
                lambda band: kernels.radial.publish(
                    self.total, walls, self.stale, band, band + 1, spare
                )
            )
            self.shown, self._spare = self._spare, self.shown
            self.stale[:] = self.dirty
        self.dirty[:] = 0


Seen = tuple[NDArray[np.int64], NDArray[np.float64]]


class FieldsOfView:
    """Fields of view on maps of one shape; scratch is kept for the next."""

    def __init__(self) -> None:
        self._scratch: dict[int, tuple[NDArray[np.int64], NDArray[np.int64], Any]] = {}

    def around(
        self,
        ground: tuple[NDArray[np.bool_], NDArray[np.bool_]],
        wrap: bool,
        cell: int,
        radius: float,
    ) -> Seen:
        """Return the cells in sight of one, ascending, and their distances as shares of the
        `radius` in cells.

        `ground` are the walls and what is opaque, (height, width) each.
        """
        walls, opaque = ground
        limit = kernels.visible.squared_reach(radius)
        row, column = divmod(cell, walls.shape[1])
        # Read-only as those of grids: kernels are compiled anew for arrays that can be written to.
        blocked = read_only(opaque.view(np.uint8))
        if limit not in self._scratch:
            size = kernels.visible.most_cells(walls.shape, limit)
            self._scratch[limit] = (
                np.zeros(size, np.int64),
                np.zeros(size, np.int64),
                kernels.visible.scratch(walls.shape, limit),
            )
        cells, squares, _ = scratch = self._scratch[limit]
        none = kernels.visible.NO_HEIGHTS
        count = kernels.visible.sight_cells(
            blocked, none, 1.0, row, column, limit, wrap, False, *scratch
        )
        found, away = cells[:count].copy(), squares[:count].astype(np.float64)
        if opaque is not walls:
            found, away = _with_doors(ground, wrap, cell, limit, found, away)
        return found, np.sqrt(away) / radius


def _with_doors(
    ground: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    wrap: bool,
    cell: int,
    limit: int,
    found: NDArray[np.int64],
    away: NDArray[np.float64],
) -> Seen:
    """The cells in sight and the squares of their distances, without the walls that show what is
    behind them, and with the open cells that hide.
    """
    walls, opaque = ground
    is_open = ~walls.reshape(-1)[found]
    doors = np.setdiff1d(np.flatnonzero(opaque & ~walls), found[is_open])
    here, limits = np.array([cell]), np.array([limit])
    seen = sees_cells(opaque, wrap, here, doors, limits, kernels.visible.NO_FACINGS, -2.0)[0]
    doors, (height, width) = doors[seen], walls.shape
    down, right = np.abs(doors // width - cell // width), np.abs(doors % width - cell % width)
    if wrap:
        down, right = np.minimum(down, height - down), np.minimum(right, width - right)
    cells = np.concatenate([found[is_open], doors])
    squares = np.concatenate([away[is_open], (down * down + right * right).astype(np.float64)])
    order = np.argsort(cells, kind="stable")
    return cells[order], squares[order]
