"""The rows in which sources are kept, and ids that are never used twice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import DeadSource, InvalidValue

__all__ = ["COLUMNS", "Columns", "Rows"]

COLUMNS = ("_alive", "_generation", "_cells", "_positions", "_strengths", "_expires", "_shapes")
_NEVER = np.iinfo(np.int64).max


class Columns(NamedTuple):
    """The rows of `Sources`, dead ones included, as they are kept: not to be written, but for
    `changed` by who takes the changes.
    """

    changed: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    cells: NDArray[np.int64]
    strengths: NDArray[np.float32]
    shapes: NDArray[np.int64]


class Rows:
    """Rows of sources, dead ones among them: an id is a row and its generation, which grows when
    the source in it goes.
    """

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._alive = np.zeros(0, dtype=np.bool_)
        self._generation = np.zeros(0, dtype=np.int64)
        self._cells = np.zeros(0, dtype=np.int64)
        self._positions = np.zeros((0, dimensions))
        self._strengths = np.zeros(0, dtype=np.float32)
        self._expires = np.zeros(0, dtype=np.int64)
        self._shapes = np.zeros(0, dtype=np.int64)
        self._changed = np.zeros(0, dtype=np.bool_)
        self._free: list[int] = []
        self.next_expiry = _NEVER
        self.version = 0

    def __len__(self) -> int:
        return len(self._alive) - len(self._free)

    @property
    def columns(self) -> Columns:
        """All rows, and which of them have changed since whoever follows them looked."""
        return Columns(self._changed, self._alive, self._cells, self._strengths, self._shapes)

    def forget_changes(self) -> None:
        """Let changes be counted from here."""
        self._changed[:] = False

    def all_changed(self) -> None:
        """Count every row as changed."""
        self._changed[:] = True

    def ids_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ids of the sources in these rows."""
        return rows | self._generation[rows] << 32

    def is_alive(self, identity: int) -> bool:
        """Whether this id is that of a live source."""
        identity = checks.integer("identity", identity, minimum=-(2**63))
        slot = identity & 0xFFFFFFFF
        return bool(
            identity >= 0
            and slot < len(self._alive)
            and self._alive[slot]
            and self._generation[slot] == identity >> 32
        )

    def _all_alive(self, ids: NDArray[np.int64]) -> bool:
        slots = ids & 0xFFFFFFFF
        return bool((self._alive[slots] & (self._generation[slots] == ids >> 32)).all())

    def expire(self, now: int) -> None:
        """Remove the sources whose lifetime has ended at `now` ticks of the layer's time."""
        if now >= self.next_expiry:
            self._drop(np.flatnonzero(self._alive & (self._expires <= now)))
            self._find_next_expiry()

    def _find_next_expiry(self) -> None:
        left = self._expires[self._alive]
        self.next_expiry = int(left.min()) if len(left) else _NEVER

    def pins(self, stack: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The cells that sources hold, ascending, and the value each is held at.

        Of several sources in one cell the strongest magnitude holds it, the positive one of equals;
        with `"sum"` their strengths add.
        """
        cells, strengths = self._cells[self._alive], self._strengths[self._alive]
        if stack == "sum":
            held, inverse = np.unique(cells, return_inverse=True)
            return held, np.bincount(inverse, weights=strengths, minlength=len(held)).astype(
                np.float32
            )
        order = np.lexsort((strengths, np.abs(strengths), cells))
        cells, strengths = cells[order], strengths[order]
        last = (
            np.append(cells[1:] != cells[:-1], True) if len(cells) else np.zeros(0, dtype=np.bool_)
        )
        return cells[last], strengths[last]

    def _insert(
        self,
        points: NDArray[np.float64],
        cells: NDArray[np.int64],
        strengths: NDArray[np.float32],
        shapes: NDArray[np.int64],
        expires: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]:
        count = len(points)
        if count > len(self._free):
            self._grow(count - len(self._free))
        first = len(self._free) - count
        slots = np.array(self._free[first:][::-1], dtype=np.int64)
        del self._free[first:]
        self._alive[slots] = True
        self._cells[slots] = cells
        self._positions[slots] = points
        self._strengths[slots] = strengths
        self._shapes[slots] = shapes
        self._expires[slots] = _NEVER if expires is None else expires
        if expires is not None and count:
            self.next_expiry = min(self.next_expiry, int(expires.min()))
        self._note(slots)
        return slots | self._generation[slots] << 32

    def _grow(self, missing: int) -> None:
        old = len(self._alive)
        new = max(old + missing, old * 2, 16)
        for column in COLUMNS:
            array = getattr(self, column)
            longer = np.zeros((new, *array.shape[1:]), dtype=array.dtype)
            longer[:old] = array
            setattr(self, column, longer)
        self._changed = np.append(self._changed, np.zeros(new - old, dtype=np.bool_))
        self._free[:0] = range(new - 1, old - 1, -1)

    def _note(self, rows: NDArray[np.int64]) -> None:
        self._changed[rows] = True
        self.version += 1

    def _slots(self, ids: ArrayLike) -> NDArray[np.int64]:
        wanted = np.atleast_1d(checks.array("Ids", ids))
        if wanted.size == 0:
            return np.zeros(0, dtype=np.int64)
        if wanted.dtype.kind not in "iu" or wanted.ndim != 1:
            raise InvalidValue(
                "Ids are what add_sources() returned",
                got=f"{wanted.dtype} of shape {wanted.shape}",
                remedy="Pass whole numbers of shape (N,); layer.sources.ids has those of all",
            )
        wanted = wanted.astype(np.int64)
        slots = wanted & 0xFFFFFFFF
        known = (wanted >= 0) & (slots < len(self._alive))
        if known.all():
            known = self._alive[slots] & (self._generation[slots] == wanted >> 32)
        if not known.all():
            raise DeadSource(
                "A source can be used until it is removed or its lifetime ends",
                got=f"id {int(wanted[~known][0])}, which is gone or was never there",
                remedy="Ask source.alive or layer.sources.ids first",
            )
        ordered = np.sort(slots)
        if (ordered[1:] == ordered[:-1]).any():
            raise InvalidValue(
                "Each id comes once",
                got=f"{len(slots)} ids with repeats",
                remedy="Drop the repeats",
            )
        return slots

    def _drop(self, slots: NDArray[np.int64]) -> None:
        self._alive[slots] = False
        self._generation[slots] += 1
        self._free.extend(slots.tolist())
        self._note(slots)

    def _rows(self) -> dict[str, NDArray[Any]]:
        """The columns and the free rows, as `_take_rows` takes them."""
        arrays = {column[1:]: getattr(self, column) for column in COLUMNS}
        return arrays | {"free": np.array(self._free, dtype=np.int64)}

    def _copy_rows(self, other: Rows) -> None:
        """Have the rows of another."""
        for column in (*COLUMNS, "_changed"):
            setattr(self, column, getattr(other, column).copy())
        self._free = list(other._free)
        self.next_expiry, self.version = other.next_expiry, other.version

    def _take_rows(self, arrays: dict[str, NDArray[Any]], cells: int, shapes: int) -> None:
        """Have saved rows of sources on a map of so many cells and with so many shapes; raises
        ValueError for rows that cannot have been saved.
        """
        rows = len(arrays["alive"])
        for column in COLUMNS:
            array, empty = arrays[column[1:]], getattr(self, column)
            if array.dtype != empty.dtype or array.shape != (rows, *empty.shape[1:]):
                raise ValueError(
                    f"sources with {column[1:]} of {array.dtype} and shape {array.shape}"
                )
            setattr(self, column, array.copy())
        self._changed = np.zeros(rows, dtype=np.bool_)
        self._free, used = arrays["free"].tolist(), self._alive
        if ((self._shapes < 0) | (self._shapes >= shapes)).any():
            raise ValueError("sources of no known shape")
        fits = (self._cells[used] >= 0) & (self._cells[used] < cells)
        fits &= np.abs(self._strengths[used]) <= checks.LARGEST
        fits &= np.isfinite(self._positions[used]).all(axis=1)
        if not fits.all() or (self._generation < 0).any():
            raise ValueError("sources that stand nowhere")
        if not np.array_equal(np.sort(arrays["free"]), np.flatnonzero(~used)):
            raise ValueError("sources whose rows are both used and free")
        self._find_next_expiry()
