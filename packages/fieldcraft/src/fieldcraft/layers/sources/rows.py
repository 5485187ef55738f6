"""The rows that store sources, and ids that are never reused."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import DeadSource, InvalidValue

_COLUMNS = (
    "_alive",
    "_generation",
    "_cells",
    "_positions",
    "_strengths",
    "_expires",
    "_radii",
    "_falloffs",
)
_NEVER = np.iinfo(np.int64).max


class Columns(NamedTuple):
    """The rows of `Sources`, free ones included; only `changed` may be written.

    A radius of 0 is that of the layer. `falloffs` are 0 for that of the layer, else indices into
    `Sources.falloffs`, counted from 1.
    """

    changed: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    cells: NDArray[np.int64]
    strengths: NDArray[np.float32]
    positions: NDArray[np.float64]
    radii: NDArray[np.float64]
    falloffs: NDArray[np.int64]


class Rows:
    """Rows of sources and free rows. An id is a row and its generation, which grows when its source
    is removed.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._alive = np.zeros(0, dtype=np.bool_)
        self._generation = np.zeros(0, dtype=np.int64)
        self._cells = np.zeros(0, dtype=np.int64)
        self._positions = np.zeros((0, dimensions))
        self._strengths = np.zeros(0, dtype=np.float32)
        self._expires = np.zeros(0, dtype=np.int64)
        self._radii = np.zeros(0)
        self._falloffs = np.zeros(0, dtype=np.int64)
        self._changed = np.zeros(0, dtype=np.bool_)
        self._free: list[int] = []
        self.next_expiry = _NEVER
        self.version = 0

    def __len__(self) -> int:
        return len(self._alive) - len(self._free)

    @property
    def columns(self) -> Columns:
        """All rows, and which of them have changed since `changed` was cleared."""
        return Columns(
            self._changed,
            self._alive,
            self._cells,
            self._strengths,
            self._positions,
            self._radii,
            self._falloffs,
        )

    @property
    def generations(self) -> NDArray[np.int64]:
        """How often the source of each row was removed; ids contain it."""
        return self._generation

    def forget_changes(self) -> None:
        """Count no row as changed."""
        self._changed[:] = False

    def all_changed(self) -> None:
        """Count every row as changed."""
        self._changed[:] = True

    def ids_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ids of the sources in these rows."""
        return rows | self._generation[rows] << 32

    def is_alive(self, identity: int) -> bool:
        """Return whether this id is that of a live source."""
        identity = checks.integer("identity", identity, minimum=-(2**63))
        return bool(self._are_alive(np.array([identity], dtype=np.int64))[0])

    def _are_alive(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        rows = ids & 0xFFFFFFFF
        if len(rows) and rows.max() >= len(self._alive):
            known = rows < len(self._alive)
            known[known] = self._are_alive(ids[known])
            return known
        return np.asarray(self._alive[rows] & (self._generation[rows] == ids >> 32))

    def expire(self, now: int) -> None:
        """Remove the sources with a lifetime that has ended at `now` ticks of the layer's time."""
        if now >= self.next_expiry:
            self._drop(np.flatnonzero(self._alive & (self._expires <= now)))
            self._find_next_expiry()

    def _find_next_expiry(self) -> None:
        left = self._expires[self._alive]
        if len(left):
            self.next_expiry = int(left.min())
        else:
            self.next_expiry = _NEVER

    def pins(self, stack: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the cells of sources, ascending, and the strength in each.

        Of several sources in one cell the strongest magnitude counts, the positive one of equals;
        with `"sum"` their strengths add.
        """
        cells = self._cells[self._alive]
        strengths = self._strengths[self._alive]
        if stack == "sum":
            pinned, inverse = np.unique(cells, return_inverse=True)
            sums = np.bincount(inverse, weights=strengths, minlength=len(pinned))
            return pinned, sums.astype(np.float32)
        order = np.lexsort((strengths, np.abs(strengths), cells))
        cells = cells[order]
        strengths = strengths[order]
        last = np.append(np.diff(cells) != 0, True)[: len(cells)]
        return cells[last], strengths[last]

    def _insert(
        self,
        points: NDArray[np.float64],
        cells: NDArray[np.int64],
        strengths: NDArray[np.float32],
        expires: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]:
        """Put sources into free rows, with the layer's radius and falloff; return their rows."""
        count = len(points)
        if count > len(self._free):
            self._grow(count - len(self._free))
        first = len(self._free) - count
        rows = np.array(self._free[first:][::-1], dtype=np.int64)
        del self._free[first:]
        self._alive[rows] = True
        self._place(rows, points, cells)
        self._strengths[rows] = strengths
        self._radii[rows], self._falloffs[rows] = 0.0, 0
        self._expires[rows] = _NEVER if expires is None else expires
        if expires is not None and count:
            self.next_expiry = min(self.next_expiry, int(expires.min()))
        return rows

    def _grow(self, missing: int) -> None:
        old = len(self._alive)
        new = max(old + missing, old * 2, 16)
        for column in (*_COLUMNS, "_changed"):
            array = getattr(self, column)
            longer = np.zeros((new, *array.shape[1:]), dtype=array.dtype)
            longer[:old] = array
            setattr(self, column, longer)
        self._free[:0] = range(new - 1, old - 1, -1)

    def _place(
        self, rows: NDArray[np.int64], points: NDArray[np.float64], cells: NDArray[np.int64]
    ) -> None:
        """Put the sources in these rows at positions and into cells."""
        where: Any = rows
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1 and (rows[1:] > rows[:-1]).all():
            where = slice(int(rows[0]), int(rows[-1]) + 1)  # many times as fast
        self._positions[where], self._cells[where], self._changed[where] = points, cells, True
        self.version += 1

    def _note(self, rows: NDArray[np.int64]) -> None:
        self._changed[rows] = True
        self.version += 1

    def _rows_of(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Return the rows of live sources; refuses ids that are dead or come twice."""
        wanted = np.atleast_1d(checks.array("Ids", ids))
        if wanted.size == 0:
            return np.zeros(0, dtype=np.int64)
        if wanted.dtype.kind not in "iu" or wanted.ndim != 1:
            raise InvalidValue(
                "Ids are what add_sources() returned",
                got=f"{wanted.dtype} of shape {wanted.shape}",
                remedy="Pass whole numbers of shape (N,); layer.sources.ids has all of them",
            )
        wanted = wanted.astype(np.int64)
        known = self._are_alive(wanted)
        if not known.all():
            raise DeadSource(
                "A source can be used until it is removed or its lifetime ends",
                got=f"id {int(wanted[~known][0])}, which is gone or was never there",
                remedy="Check source.alive or layer.sources.ids first",
            )
        rows = wanted & 0xFFFFFFFF
        if not (rows[1:] > rows[:-1]).all() and len(np.unique(rows)) < len(rows):
            raise InvalidValue(
                "Each id comes once",
                got=f"{len(rows)} ids with repeats",
                remedy="Drop the repeats",
            )
        return rows

    def _drop(self, rows: NDArray[np.int64]) -> None:
        self._alive[rows] = False
        self._generation[rows] += 1
        self._free.extend(rows.tolist())
        self._note(rows)

    def _saved_rows(self) -> dict[str, NDArray[Any]]:
        """Return the columns and the free rows, as `_restore_rows` takes them."""
        arrays = {column[1:]: getattr(self, column) for column in _COLUMNS}
        return arrays | {"free": np.array(self._free, dtype=np.int64)}

    def _copy_rows(self, other: Rows) -> None:
        """Take copies of the rows of another."""
        for column in (*_COLUMNS, "_changed"):
            setattr(self, column, getattr(other, column).copy())
        self._free = list(other._free)
        self.next_expiry = other.next_expiry
        self.version = other.version

    def _restore_rows(self, arrays: dict[str, NDArray[Any]], cells: int, falloffs: int) -> None:
        """Take saved rows of sources on a map with `cells` cells and `falloffs` falloffs; raises
        ValueError for other arrays.
        """
        rows = len(arrays["alive"])
        for column in _COLUMNS:
            array = arrays[column[1:]]
            empty = getattr(self, column)
            if array.dtype != empty.dtype or array.shape != (rows, *empty.shape[1:]):
                raise ValueError(
                    f"sources with {column[1:]} of {array.dtype} and shape {array.shape}"
                )
            setattr(self, column, array.copy())
        self._changed = np.zeros(rows, dtype=np.bool_)
        self._free = arrays["free"].tolist()
        used = self._alive
        fits = (self._cells[used] >= 0) & (self._cells[used] < cells)
        fits &= np.abs(self._strengths[used]) <= checks.LARGEST
        fits &= np.isfinite(self._positions[used]).all(axis=1)
        fits &= (self._radii[used] >= 0) & np.isfinite(self._radii[used])
        fits &= (self._falloffs[used] >= 0) & (self._falloffs[used] <= falloffs)
        if not fits.all() or (self._generation < 0).any():
            raise ValueError("sources with impossible cells, strengths or radii")
        if not np.array_equal(np.sort(arrays["free"]), np.flatnonzero(~used)):
            raise ValueError("sources with rows that are both used and free")
        self._find_next_expiry()
