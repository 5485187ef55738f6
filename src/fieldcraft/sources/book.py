"""The live sources of one layer, kept as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import DeadSource, InvalidValue
from fieldcraft.sources.placing import place
from fieldcraft.space import Space

__all__ = ["Source", "Sources"]

Guard = AbstractContextManager[None]
_NEVER = np.iinfo(np.int64).max
_COLUMNS = ("_alive", "_generation", "_cells", "_positions", "_strengths", "_expires")


class Source:
    """One source of a layer: a handle on a row of its `Sources`."""

    __slots__ = ("_sources", "id")

    def __init__(self, sources: Sources, identity: int) -> None:
        self._sources = sources
        self.id = identity

    def __repr__(self) -> str:
        if not self.alive:
            return f"<Source {self.id}, gone>"
        x, y = self.position
        return f"<Source {self.id} at ({x:g}, {y:g}), strength {self.strength:g}>"

    @property
    def alive(self) -> bool:
        """Whether it is still there: not removed, and within its lifetime."""
        return self._sources.is_alive(self.id)

    @property
    def position(self) -> tuple[float, float]:
        """World (x, y) as it was given. It acts from the centre of its cell."""
        x, y = self._sources.positions_of([self.id])[0]
        return (float(x), float(y))

    @property
    def strength(self) -> float:
        """What its cell reads. May be set; shows from the next step on."""
        return float(self._sources.strengths_of([self.id])[0])

    @strength.setter
    def strength(self, value: float) -> None:
        self._sources.set_strengths([self.id], checks.finite("strength", value))

    def move(self, position: ArrayLike, *, on_wall: str = "refuse", outside: str = "refuse") -> None:
        """Go to a world position; the policies are those of `Layer.add_source`."""
        points, single = checks.positions(position)
        if not single:
            raise InvalidValue(
                "A source has one position",
                got=f"an array of shape {np.shape(position)}",
                remedy="Move many with layer.sources.move(ids, positions)",
            )
        self._sources.move([self.id], points, on_wall=on_wall, outside=outside)

    def remove(self) -> None:
        """Take it away. What it spread fades from the next step on."""
        self._sources.remove([self.id])


class Sources:
    """The live sources of one layer. Ids are int64, unique for the life of the layer and never used twice.

    `guard` is entered around each call: that of the influence map, which refuses a second thread.
    """

    def __init__(self, space: Space, guard: Guard | None = None) -> None:
        self._space = space
        self._guard: Guard = nullcontext() if guard is None else guard
        self._alive = np.zeros(0, dtype=np.bool_)
        self._generation = np.zeros(0, dtype=np.int64)
        self._cells = np.zeros(0, dtype=np.int64)
        self._positions = np.zeros((0, 2))
        self._strengths = np.zeros(0, dtype=np.float32)
        self._expires = np.zeros(0, dtype=np.int64)
        self._free: list[int] = []
        self._keys: dict[Hashable, int] = {}
        self.next_expiry = _NEVER
        self.version = 0

    def __len__(self) -> int:
        return len(self._alive) - len(self._free)

    def __repr__(self) -> str:
        return f"<Sources: {len(self)} alive>"

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all live sources, shape (N,)."""
        with self._guard:
            slots = np.flatnonzero(self._alive)
            return slots | self._generation[slots] << 32

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cells they act from, shape (N,), in the order of `ids`."""
        with self._guard:
            return self._cells[self._alive]

    @property
    def positions(self) -> NDArray[np.float64]:
        """Their world positions as given, shape (N, 2), in the order of `ids`."""
        with self._guard:
            return self._positions[self._alive]

    @property
    def strengths(self) -> NDArray[np.float32]:
        """Their strengths, shape (N,), in the order of `ids`."""
        with self._guard:
            return self._strengths[self._alive]

    def is_alive(self, identity: int) -> bool:
        """Whether this id is that of a live source."""
        slot = identity & 0xFFFFFFFF
        return bool(identity >= 0 and slot < len(self._alive) and self._alive[slot] and self._generation[slot] == identity >> 32)

    def positions_of(self, ids: ArrayLike) -> NDArray[np.float64]:
        """The world positions of these sources, shape (N, 2)."""
        with self._guard:
            return self._positions[self._slots(ids)]

    def strengths_of(self, ids: ArrayLike) -> NDArray[np.float32]:
        """The strengths of these sources, shape (N,)."""
        with self._guard:
            return self._strengths[self._slots(ids)]

    def add(
        self,
        positions: ArrayLike,
        strengths: ArrayLike,
        *,
        expires: NDArray[np.int64] | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> NDArray[np.int64]:
        """Add sources and return their ids, shape (N,). `expires` are ticks of the layer's time."""
        with self._guard:
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
            return self._insert(points, cells, checks.amounts("strengths", strengths, len(points)), expires)

    def move(self, ids: ArrayLike, positions: ArrayLike, *, on_wall: str = "refuse", outside: str = "refuse") -> None:
        """Move sources to world positions, one each. An id twice is refused."""
        with self._guard:
            slots = self._slots(ids)
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
            if len(points) != len(slots):
                raise InvalidValue(
                    "Moving takes one position per source",
                    got=f"{len(points)} positions for {len(slots)} sources",
                    remedy="Pass as many positions as ids",
                )
            self._positions[slots] = points
            self._cells[slots] = cells
            self.version += 1

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Give sources other strengths: one number for all, or one each."""
        with self._guard:
            slots = self._slots(ids)
            self._strengths[slots] = checks.amounts("strengths", strengths, len(slots))
            self.version += 1

    def remove(self, ids: ArrayLike) -> None:
        """Take sources away."""
        with self._guard:
            self._drop(self._slots(ids))

    def sync(
        self, keys: Iterable[Hashable], positions: ArrayLike, strengths: ArrayLike, *, on_wall: str = "refuse", outside: str = "refuse"
    ) -> None:
        """Make the keyed sources be exactly these: new keys are added, known ones moved, missing ones removed.

        Sources added without a key are left alone. A key twice is refused, and nothing changes.
        """
        with self._guard:
            self._sync(keys, positions, strengths, on_wall=on_wall, outside=outside)

    def _sync(self, keys: Iterable[Hashable], positions: ArrayLike, strengths: ArrayLike, *, on_wall: str, outside: str) -> None:
        if not isinstance(keys, Iterable):
            raise InvalidValue("Keys are a list", got=repr(keys), remedy="Pass one key per position")
        names: list[Any] = keys.tolist() if isinstance(keys, np.ndarray) else list(keys)
        points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
        amounts = checks.amounts("strengths", strengths, len(points))
        if len(names) != len(points):
            raise InvalidValue(
                "sync takes one key per position",
                got=f"{len(names)} keys for {len(points)} positions",
                remedy="Pass as many keys as positions",
            )
        try:
            wanted = dict.fromkeys(names)
        except TypeError:
            raise InvalidValue(
                "Keys can be hashed", got=repr(next(k for k in names if not _hashable(k))), remedy="Use ids, names or tuples"
            ) from None
        if len(wanted) != len(names):
            twice = next(name for name, count in Counter(names).items() if count > 1)
            raise InvalidValue("Keys differ from each other within one sync", got=f"{twice!r} twice", remedy="Give each entity its own key")
        gone = [name for name, identity in self._keys.items() if name not in wanted or not self.is_alive(identity)]
        if gone:
            self.remove([identity for identity in (self._keys.pop(name) for name in gone) if self.is_alive(identity)])
        known = np.array([self._keys.get(name, -1) for name in names], dtype=np.int64)
        old = np.flatnonzero(known >= 0)
        if len(old):
            slots = known[old] & 0xFFFFFFFF
            self._positions[slots] = points[old]
            self._cells[slots] = cells[old]
            self._strengths[slots] = amounts[old]
        new = np.flatnonzero(known < 0)
        if len(new):
            ids = self._insert(points[new], cells[new], amounts[new], None)
            self._keys.update(zip((names[i] for i in new), ids.tolist(), strict=True))
        self.version += 1

    def expire(self, now: int) -> None:
        """Remove the sources whose lifetime has ended at `now` ticks of the layer's time."""
        if now >= self.next_expiry:
            self._drop(np.flatnonzero(self._alive & (self._expires <= now)))
            left = self._expires[self._alive]
            self.next_expiry = int(left.min()) if len(left) else _NEVER

    def pins(self, stack: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The cells that sources hold, ascending, and the value each is held at.

        Of several sources in one cell the strongest magnitude holds it, the positive one of equals; with `"sum"` their
        strengths add.
        """
        cells, strengths = self.cells, self.strengths
        if stack == "sum":
            held, inverse = np.unique(cells, return_inverse=True)
            return held, np.bincount(inverse, weights=strengths, minlength=len(held)).astype(np.float32)
        order = np.lexsort((strengths, np.abs(strengths), cells))
        cells, strengths = cells[order], strengths[order]
        last = np.append(cells[1:] != cells[:-1], True) if len(cells) else np.zeros(0, dtype=np.bool_)
        return cells[last], strengths[last]

    def copy(self, guard: Guard | None = None) -> Sources:
        """An independent copy, ids and keys included, with a guard of its own."""
        twin = Sources(self._space, guard)
        for column in _COLUMNS:
            setattr(twin, column, getattr(self, column).copy())
        twin._free = list(self._free)
        twin._keys = dict(self._keys)
        twin.next_expiry = self.next_expiry
        twin.version = self.version
        return twin

    def state(self) -> tuple[dict[str, NDArray[Any]], list[tuple[Hashable, int]]]:
        """All that `restored` needs: the columns and the free rows as arrays, and the keys."""
        arrays = {column[1:]: getattr(self, column) for column in _COLUMNS}
        return arrays | {"free": np.array(self._free, dtype=np.int64)}, list(self._keys.items())

    @classmethod
    def restored(cls, space: Space, arrays: dict[str, NDArray[Any]], keys: list[tuple[Hashable, int]]) -> Sources:
        """The sources that `state` described; raises ValueError for arrays and keys that `state` cannot have made."""
        sources = cls(space)
        rows = len(arrays["alive"])
        for column in _COLUMNS:
            array, empty = arrays[column[1:]], getattr(sources, column)
            if array.dtype != empty.dtype or array.shape != (rows, *empty.shape[1:]):
                raise ValueError(f"sources with {column[1:]} of {array.dtype} and shape {array.shape}")
            setattr(sources, column, array.copy())
        sources._free = arrays["free"].tolist()
        sources._keys = dict(keys)
        used = sources._alive
        fits = (sources._cells[used] >= 0) & (sources._cells[used] < len(space)) & (np.abs(sources._strengths[used]) <= checks.LARGEST)
        if not fits.all() or not np.isfinite(sources._positions[used]).all() or (sources._generation < 0).any():
            raise ValueError("sources that stand nowhere")
        if not np.array_equal(np.sort(arrays["free"]), np.flatnonzero(~used)):
            raise ValueError("sources whose rows are both used and free")
        if len(sources._keys) != len(keys) or len(set(sources._keys.values())) != len(keys):
            raise ValueError("sources that share a key")
        left = sources._expires[sources._alive]
        sources.next_expiry = int(left.min()) if len(left) else _NEVER
        return sources

    def _insert(
        self, points: NDArray[np.float64], cells: NDArray[np.int64], strengths: NDArray[np.float32], expires: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        count = len(points)
        if count > len(self._free):
            self._grow(count - len(self._free))
        slots = np.array([self._free.pop() for _ in range(count)], dtype=np.int64)
        self._alive[slots] = True
        self._cells[slots] = cells
        self._positions[slots] = points
        self._strengths[slots] = strengths
        self._expires[slots] = _NEVER if expires is None else expires
        if expires is not None and count:
            self.next_expiry = min(self.next_expiry, int(expires.min()))
        self.version += 1
        return slots | self._generation[slots] << 32

    def _grow(self, missing: int) -> None:
        old = len(self._alive)
        new = max(old + missing, old * 2, 16)
        for column in _COLUMNS:
            array = getattr(self, column)
            longer = np.zeros((new, *array.shape[1:]), dtype=array.dtype)
            longer[:old] = array
            setattr(self, column, longer)
        self._free[:0] = range(new - 1, old - 1, -1)

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
        known[known] = self._alive[slots[known]] & (self._generation[slots[known]] == wanted[known] >> 32)
        if not known.all():
            raise DeadSource(
                "A source can be used until it is removed or its lifetime ends",
                got=f"id {int(wanted[~known][0])}, which is gone or was never there",
                remedy="Ask source.alive or layer.sources.ids first",
            )
        if len(np.unique(slots)) != len(slots):
            raise InvalidValue("Each id comes once", got=f"{len(slots)} ids with repeats", remedy="Drop the repeats")
        return slots

    def _drop(self, slots: NDArray[np.int64]) -> None:
        self._alive[slots] = False
        self._generation[slots] += 1
        self._free.extend(slots.tolist())
        self.version += 1


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
