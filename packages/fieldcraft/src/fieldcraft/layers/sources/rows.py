"""The rows that store sources, and ids that are never reused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import DeadSource, InvalidValue
from fieldcraft.kernels.shared.arrays import is_ids
from fieldcraft.layers.sources import source_ids

_COLUMNS = (
    "alive",
    "generation",
    "cells",
    "positions",
    "strengths",
    "expires",
    "radii",
    "falloffs",
)
_NEVER = np.iinfo(np.int64).max


class Rows:
    """Rows of sources and free rows, as columns.

    An id is a row and its generation, which grows when its source is removed. A radius of 0 is that
    of the layer. `falloffs` are 0 for that of the layer, else indices into `Sources.falloffs`,
    counted from 1.
    """

    def __init__(self, dimensions: int) -> None:
        self.alive = np.zeros(0, dtype=np.bool_)
        self.generation = np.zeros(0, dtype=np.int64)
        self.cells = np.zeros(0, dtype=np.int64)
        self.positions = np.zeros((0, dimensions))
        self.strengths = np.zeros(0, dtype=np.float32)
        self.expires = np.zeros(0, dtype=np.int64)
        self.radii = np.zeros(0)
        self.falloffs = np.zeros(0, dtype=np.int64)
        self.changed = np.zeros(0, dtype=np.bool_)
        """Whether each row has changed since `forget_changes`."""
        self._marks = np.zeros(0, dtype=np.bool_)  # scratch of kernels: False for each row
        self.free: list[int] = []
        self.next_expiry = _NEVER
        """The tick at which the next lifetime ends."""
        self.removals = 0
        """A number that grows whenever sources are removed."""
        self.version = 0
        """A number that grows with each change."""

    def __len__(self) -> int:
        return len(self.alive) - len(self.free)

    def forget_changes(self) -> None:
        """Count no row as changed."""
        self.changed[:] = False

    def all_changed(self) -> None:
        """Count every row as changed."""
        self.changed[:] = True

    def ids_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ids of the sources in these rows."""
        return source_ids.ids_of(rows, self.generation[rows])

    def are_alive(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which ids are those of live sources, (N,)."""
        rows = source_ids.rows_of(ids)
        if len(rows) and rows.max() >= len(self.alive):
            known = rows < len(self.alive)
            known[known] = self.are_alive(ids[known])
            return known
        generations = source_ids.generations_of(ids)
        return np.asarray(self.alive[rows] & (self.generation[rows] == generations))

    def expire(self, now: int) -> NDArray[np.int64]:
        """Remove the sources with a lifetime that has ended at `now` ticks of the layer's time;
        return their rows.
        """
        rows = np.flatnonzero(self.alive & (self.expires <= now))
        self.drop(rows)
        self._find_next_expiry()
        return rows

    def _find_next_expiry(self) -> None:
        left = self.expires[self.alive]
        if len(left):
            self.next_expiry = int(left.min())
        else:
            self.next_expiry = _NEVER

    def pins(self, stack: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the cells of sources, ascending, and the strength in each.

        Of several sources in one cell the strongest magnitude counts, the positive one of equals;
        with `"sum"` their strengths add.
        """
        cells = self.cells[self.alive]
        strengths = self.strengths[self.alive]
        if stack == "sum":
            pinned, inverse = np.unique(cells, return_inverse=True)
            sums = np.bincount(inverse, weights=strengths, minlength=len(pinned))
            return pinned, sums.astype(np.float32)
        order = np.lexsort((strengths, np.abs(strengths), cells))
        cells = cells[order]
        strengths = strengths[order]
        last = np.append(np.diff(cells) != 0, True)[: len(cells)]
        return cells[last], strengths[last]

    def insert(
        self,
        points: NDArray[np.float64],
        cells: NDArray[np.int64],
        strengths: NDArray[np.float32],
        expires: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]:
        """Put sources into free rows, with the layer's radius and falloff; return their rows."""
        count = len(points)
        if count > len(self.free):
            self._grow(count - len(self.free))
        first = len(self.free) - count
        rows = np.array(self.free[first:][::-1], dtype=np.int64)
        del self.free[first:]
        self.alive[rows] = True
        self.place(rows, points, cells)
        self.strengths[rows] = strengths
        self.radii[rows] = 0.0
        self.falloffs[rows] = 0
        if expires is None:
            self.expires[rows] = _NEVER
        else:
            self.expires[rows] = expires
            if count:
                self.next_expiry = min(self.next_expiry, int(expires.min()))
        return rows

    def _grow(self, missing: int) -> None:
        old = len(self.alive)
        new = max(old + missing, old * 2, 16)
        for column in (*_COLUMNS, "changed", "_marks"):
            array = getattr(self, column)
            longer = np.zeros((new, *array.shape[1:]), dtype=array.dtype)
            longer[:old] = array
            setattr(self, column, longer)
        self.free[:0] = range(new - 1, old - 1, -1)

    def place(
        self, rows: NDArray[np.int64], points: NDArray[np.float64], cells: NDArray[np.int64]
    ) -> None:
        """Put the sources in these rows at positions and into cells."""
        kernels.sources.source_rows.place(
            rows, points, cells, self.positions, self.cells, self.changed
        )
        self.version += 1

    def note(self, rows: NDArray[np.int64]) -> None:
        """Count these rows as changed."""
        self.changed[rows] = True
        self.version += 1

    def rows_of(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Return the rows of live sources; refuses ids that are dead or come twice."""
        if is_ids(ids):
            wanted = ids
        else:
            wanted = _checked_ids(ids)
        rows = np.empty(len(wanted), dtype=np.int64)
        refused = kernels.sources.source_rows.rows_of(
            wanted, self.alive, self.generation, rows, self._marks
        )
        if refused >= 0:
            raise DeadSource(
                "A source can be used until it is removed or its lifetime ends",
                got=f"id {int(wanted[refused])}, which is gone or was never there",
                remedy="Check source.alive or layer.sources.ids first",
            )
        if refused == kernels.sources.source_rows.REPEATED:
            raise InvalidValue(
                "Each id comes once",
                got=f"{len(rows)} ids with repeats",
                remedy="Drop the repeats",
            )
        return rows

    def drop(self, rows: NDArray[np.int64]) -> None:
        """Remove the sources in these rows."""
        self.alive[rows] = False
        self.generation[rows] += 1
        self.free.extend(rows.tolist())
        self.removals += 1
        self.note(rows)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the columns and the free rows, as `restore` takes them."""
        arrays = {column: getattr(self, column) for column in _COLUMNS}
        return arrays | {"free": np.array(self.free, dtype=np.int64)}

    def copy_from(self, other: Rows) -> None:
        """Take copies of the rows of another."""
        for column in (*_COLUMNS, "changed", "_marks"):
            setattr(self, column, getattr(other, column).copy())
        self.free = list(other.free)
        self.next_expiry = other.next_expiry
        self.version = other.version

    def restore(self, arrays: Mapping[str, NDArray[Any]], cells: int, falloffs: int) -> None:
        """Take saved rows of sources on a map with `cells` cells and `falloffs` falloffs; raises
        ValueError for other arrays.
        """
        rows = len(arrays["alive"])
        for column in _COLUMNS:
            array = arrays[column]
            empty = getattr(self, column)
            if array.dtype != empty.dtype or array.shape != (rows, *empty.shape[1:]):
                raise ValueError(f"sources with {column} of {array.dtype} and shape {array.shape}")
            setattr(self, column, array.copy())
        self.changed = np.zeros(rows, dtype=np.bool_)
        self._marks = np.zeros(rows, dtype=np.bool_)
        self.free = arrays["free"].tolist()
        used = self.alive
        fits = (self.cells[used] >= 0) & (self.cells[used] < cells)
        fits &= np.abs(self.strengths[used]) <= checks.LARGEST
        fits &= np.isfinite(self.positions[used]).all(axis=1)
        fits &= (self.radii[used] >= 0) & np.isfinite(self.radii[used])
        fits &= (self.falloffs[used] >= 0) & (self.falloffs[used] <= falloffs)
        if not fits.all() or (self.generation < 0).any():
            raise ValueError("sources with impossible cells, strengths or radii")
        if not np.array_equal(np.sort(arrays["free"]), np.flatnonzero(~used)):
            raise ValueError("sources with rows that are both used and free")
        self._find_next_expiry()


def _checked_ids(ids: ArrayLike) -> NDArray[np.int64]:
    """Return ids as an array, (N,); refuses other numbers."""
    wanted = np.atleast_1d(checks.array("Ids", ids))
    if wanted.size == 0:
        return np.zeros(0, dtype=np.int64)
    if wanted.dtype.kind not in "iu" or wanted.ndim != 1:
        raise InvalidValue(
            "Ids are what add_sources() returned",
            got=f"{wanted.dtype} of shape {wanted.shape}",
            remedy="Pass whole numbers of shape (N,); layer.sources.ids has all of them",
        )
    return np.ascontiguousarray(wanted, dtype=np.int64)
