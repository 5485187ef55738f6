"""The ground of a world: walls that are asked for piece by piece, and what has been built and torn
down since.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_cluster.plan import Box

__all__ = ["Changes", "Cover", "walls_in"]

Make = Callable[[slice, slice], ArrayLike]


class Cover:
    """Numbers for each cell of a map too large to be held: made on demand by a function, or cut out
    of an array.

    `source` is None for nothing anywhere, an array-like of shape (height, width) that gives a part
    for two slices (NumPy, a memory map, zarr), or a function of a slice of rows and one of columns,
    both within the map, that gives the array there. It must give the same each time.
    """

    def __init__(self, source: Any, shape: tuple[int, int], dtype: type, what: str) -> None:
        is_made = source is None or (callable(source) and not isinstance(source, type))
        if not is_made and not hasattr(source, "shape"):
            source = checks.array(what, source)
        self.source, self.shape, self.dtype, self.what = source, shape, np.dtype(dtype), what
        if not is_made:
            given = tuple(source.shape)
            if given != shape:
                raise InvalidValue(
                    f"{what} have the map's shape (height, width)",
                    got=f"shape {given} on a map of {shape}",
                    remedy="Pass an array indexed [row, column], or a function of two slices",
                )

    def over(self, box: Box) -> NDArray[Any]:
        """The numbers over a box, beyond the map those of its other side."""
        found = np.zeros(box.shape, dtype=self.dtype)
        if self.source is None:
            return found
        for rows, to_rows in _stretches(box.top, box.bottom, self.shape[0]):
            for columns, to_columns in _stretches(box.left, box.right, self.shape[1]):
                found[to_rows, to_columns] = self._part(rows, columns)
        return found

    def _part(self, rows: slice, columns: slice) -> NDArray[Any]:
        part = np.asarray(
            self.source(rows, columns) if callable(self.source) else self.source[rows, columns]
        )
        wanted = (rows.stop - rows.start, columns.stop - columns.start)
        if (
            part.shape != wanted
            or (self.dtype == np.bool_ and part.dtype != np.bool_)
            or part.dtype.kind not in "biuf"
        ):
            raise InvalidValue(
                f"{self.what} of rows {rows.start} to {rows.stop} and columns {columns.start} to"
                f" {columns.stop} are {self.dtype} of shape {wanted}",
                got=f"{part.dtype} of shape {part.shape}",
                remedy="Mend the function: it takes two slices and answers the array there",
            )
        return part


def _stretches(low: int, high: int, size: int) -> list[tuple[slice, slice]]:
    found, at = [], low
    while at < high:
        place = at % size
        length = min(size - place, high - at)
        found.append((slice(place, place + length), slice(at - low, at - low + length)))
        at += length
    return found


class Changes:
    """Cells whose walls were changed since the world was made: kept for good, since its walls are
    made anew each time.
    """

    def __init__(
        self, cells: NDArray[np.int64] | None = None, blocked: NDArray[np.bool_] | None = None
    ) -> None:
        self.cells = np.zeros(0, dtype=np.int64) if cells is None else cells
        self.blocked = np.zeros(0, dtype=np.bool_) if blocked is None else blocked

    def add(self, cells: NDArray[np.int64], blocked: bool) -> None:
        """Take notice that these cells of the map, ascending, are blocked or open from now on."""
        kept = ~np.isin(self.cells, cells)
        every = np.concatenate([self.cells[kept], cells])
        order = np.argsort(every)
        self.cells = every[order]
        self.blocked = np.concatenate([self.blocked[kept], np.full(len(cells), blocked)])[order]

    def apply(self, walls: NDArray[np.bool_], box: Box, shape: tuple[int, int]) -> None:
        """Write them into walls over a box."""
        if not len(self.cells):
            return
        for rows, to_rows in _stretches(box.top, box.bottom, shape[0]):
            first, last = np.searchsorted(self.cells, (rows.start * shape[1], rows.stop * shape[1]))
            down, right = np.divmod(self.cells[first:last], shape[1])
            for columns, to_columns in _stretches(box.left, box.right, shape[1]):
                here = (right >= columns.start) & (right < columns.stop)
                part = walls[to_rows, to_columns]
                part[down[here] - rows.start, right[here] - columns.start] = self.blocked[
                    first:last
                ][here]


def walls_in(cover: Cover, changes: Changes, box: Box) -> NDArray[np.bool_]:
    """The walls over a box as they are now."""
    walls = cover.over(box)
    changes.apply(walls, box, cover.shape)
    return walls
