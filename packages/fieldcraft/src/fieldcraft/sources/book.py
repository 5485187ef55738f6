"""The live sources of one layer, kept as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock, kernels
from fieldcraft.errors import DeadSource, InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.sources.placing import place
from fieldcraft.sources.shapes import Limits, Shape, Shapes
from fieldcraft.space import Space

__all__ = ["Columns", "Sources"]

Guard = AbstractContextManager[None]
_NEVER = np.iinfo(np.int64).max
_COLUMNS = ("_alive", "_generation", "_cells", "_positions", "_strengths", "_expires", "_shapes")


class Columns(NamedTuple):
    """The rows of `Sources`, dead ones included, as they are kept: not to be written, but for
    `changed` by who takes the changes.
    """

    changed: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    cells: NDArray[np.int64]
    strengths: NDArray[np.float32]
    shapes: NDArray[np.int64]


class Sources:
    """The live sources of one layer. Ids are int64, unique for the life of the layer and never used
    twice.

    `guard` is entered around each call: that of the influence map, which refuses a second thread.
    """

    def __init__(self, space: Space, guard: Guard | None = None) -> None:
        self._space = space
        self._guard: Guard = nullcontext() if guard is None else guard
        self._alive = np.zeros(0, dtype=np.bool_)
        self._generation = np.zeros(0, dtype=np.int64)
        self._cells = np.zeros(0, dtype=np.int64)
        self.dimensions = space.dimensions
        self._positions = np.zeros((0, space.dimensions))
        self._strengths = np.zeros(0, dtype=np.float32)
        self._expires = np.zeros(0, dtype=np.int64)
        self._shapes = np.zeros(0, dtype=np.int64)
        self._kinds = Shapes()
        self._free: list[int] = []
        self._keys: dict[Hashable, int] = {}
        self._synced: tuple[list[Any], NDArray[np.int64]] = ([], np.zeros(0, dtype=np.int64))
        self._changed = np.zeros(0, dtype=np.bool_)
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
        """Their world positions as given, shape (N, 2) or (N, 3), in the order of `ids`."""
        with self._guard:
            return self._positions[self._alive]

    @property
    def strengths(self) -> NDArray[np.float32]:
        """Their strengths, shape (N,), in the order of `ids`."""
        with self._guard:
            return self._strengths[self._alive]

    @property
    def keys(self) -> list[Hashable]:
        """The keys of the live sources that `sync` knows."""
        with self._guard:
            return [key for key, identity in self._keys.items() if self.is_alive(identity)]

    def is_alive(self, identity: int) -> bool:
        """Whether this id is that of a live source."""
        identity = checks.whole("identity", identity, minimum=-(2**63))
        slot = identity & 0xFFFFFFFF
        return bool(
            identity >= 0
            and slot < len(self._alive)
            and self._alive[slot]
            and self._generation[slot] == identity >> 32
        )

    def positions_of(self, ids: ArrayLike) -> NDArray[np.float64]:
        """The world positions of these sources, shape (N, 2) or (N, 3)."""
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
        radii: ArrayLike | None = None,
        falloff: Falloff | None = None,
        lifetimes: ArrayLike | None = None,
        now: int = 0,
        on_wall: str = "refuse",
        outside: str = "refuse",
        one: bool = False,
    ) -> NDArray[np.int64]:
        """Add sources and return their ids, shape (N,). `lifetimes` are seconds from `now`, in
        ticks of the layer's time.

        `radii` (world units, one for all or N) and `falloff` stand in for those of a radial layer.
        """
        with self._guard:
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside, one=one)
            amounts = checks.amounts("strengths", strengths, len(points))
            self._check_range(amounts, len(self) + len(points))
            expires = None if lifetimes is None else _ends(now, lifetimes, len(points))
            ids = self._insert(
                points, cells, amounts, self._kinds.numbers_of(radii, falloff, len(points)), expires
            )
            self._forget_shapes()
            return ids

    def move(
        self,
        ids: ArrayLike,
        positions: ArrayLike,
        *,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Move sources to world positions, one each. An id twice is refused."""
        with self._guard:
            if self._moved_plainly(ids, positions, on_wall, outside):
                return
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
            self._note(slots)

    def _moved_plainly(
        self, ids: ArrayLike, positions: ArrayLike, on_wall: str, outside: str
    ) -> bool:
        """Move in one pass, if the arguments are arrays as they come from here, and nothing has to
        be refused.
        """
        grid = self._space.sight_grid
        if not (
            grid is self._space
            and not grid.wrap
            and isinstance(ids, np.ndarray)
            and isinstance(positions, np.ndarray)
            and ids.dtype == np.int64
            and positions.dtype == np.float64
            and positions.shape == (*ids.shape, 2)
            and ids.ndim == 1
            and on_wall in ("refuse", "through")
            and outside
            in (
                "refuse",
                "clamp",
            )  # what lies off the map is left to those who refuse or clamp it
        ):
            return False
        moved = kernels.placing.move(
            ids,
            positions,
            self._alive,
            self._generation,
            self._changed.view(np.uint8),
            self._cells,
            self._positions,
            grid.walls,
            *grid.origin,
            grid.cell_size,
            grid.y_up,
            on_wall == "through",
        )
        self.version += moved
        return bool(moved)

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Give sources other strengths: one number for all, or one each."""
        with self._guard:
            slots = self._slots(ids)
            amounts = checks.amounts("strengths", strengths, len(slots))
            self._check_range(amounts, len(self))
            self._strengths[slots] = amounts
            self._note(slots)

    def set_radii(self, ids: ArrayLike, radii: ArrayLike) -> None:
        """Give sources of a radial layer other radii, in world units: one number for all, or one
        each. They keep their falloffs.
        """
        with self._guard:
            if self._kinds.limits is None:
                raise InvalidValue(
                    "Radii are for sources of layers with fc.Radial",
                    got="a layer of another kind",
                    remedy="Set strengths instead",
                )
            slots = self._slots(ids)
            self._shapes[slots] = self._kinds.resized(self._shapes[slots], radii)
            self._note(slots)
            self._forget_shapes()

    def remove(self, ids: ArrayLike) -> None:
        """Take sources away."""
        with self._guard:
            self._drop(self._slots(ids))

    def sync(
        self,
        keys: Iterable[Hashable],
        positions: ArrayLike,
        strengths: ArrayLike,
        *,
        radii: ArrayLike | None = None,
        falloff: Falloff | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Make the keyed sources be exactly these: new keys are added, known ones moved, missing
        ones removed.

        Where `radii` or `falloff` are given, as in `add`, they hold for known ones too. Sources
        added without a key are left alone. A key twice is refused, and nothing changes.
        """
        with self._guard:
            given = keys.tolist() if isinstance(keys, np.ndarray) else keys
            names: list[Any] = (
                list(given) if isinstance(given, str) else checks.sequence("keys", given)
            )
            if self._synced_plainly(names, positions, strengths, radii, falloff, on_wall, outside):
                return
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
            amounts = checks.amounts("strengths", strengths, len(points))
            if len(names) != len(points):
                raise InvalidValue(
                    "sync takes one key per position",
                    got=f"{len(names)} keys for {len(points)} positions",
                    remedy="Pass as many keys as positions",
                )
            known = self._known(names)
            fresh = int(np.count_nonzero(known < 0))
            self._check_range(
                amounts, len(self) - len(self._keys) + len(points) if fresh else len(self)
            )
            own = radii is not None or falloff is not None
            shapes = (
                self._kinds.numbers_of(radii, falloff, len(points))
                if own or fresh
                else np.zeros(0, np.int64)
            )
            if len(points) - fresh < len(self._keys):
                wanted = set(names)
                gone = [name for name in self._keys if name not in wanted]
                self._drop(self._slots([self._keys.pop(name) for name in gone]))
            old, new = known >= 0, known < 0
            slots = known[old] & 0xFFFFFFFF
            self._positions[slots] = points[old]
            self._cells[slots] = cells[old]
            self._strengths[slots] = amounts[old]
            if own:
                self._shapes[slots] = shapes[old]
            self._note(slots)
            if fresh:
                known[new] = self._insert(points[new], cells[new], amounts[new], shapes[new], None)
                self._keys.update((names[i], int(known[i])) for i in np.flatnonzero(new).tolist())
            self._synced = (names, known)
            self._forget_shapes()

    def _synced_plainly(
        self,
        names: list[Any],
        positions: ArrayLike,
        strengths: ArrayLike,
        radii: ArrayLike | None,
        falloff: Falloff | None,
        on_wall: str,
        outside: str,
    ) -> bool:
        """Sync the keys of last time, if the arguments are arrays as they come from here, and
        nothing has to be refused.
        """
        last, ids = self._synced
        if not (
            isinstance(positions, np.ndarray)
            and len(positions) == len(names) == len(last) == len(self._keys)
        ):
            return False
        try:
            if names != last or not self._all_alive(ids):
                return False
        except (TypeError, ValueError):
            return False
        amounts = checks.amounts("strengths", strengths, len(names))
        self._check_range(amounts, len(self))
        own = radii is not None or falloff is not None
        shapes = self._kinds.numbers_of(radii, falloff, len(names)) if own else None
        if not self._moved_plainly(ids, positions, on_wall, outside):
            return False
        slots = ids & 0xFFFFFFFF
        self._strengths[slots] = amounts
        if shapes is not None:
            self._shapes[slots] = shapes
            self._forget_shapes()
        return True

    def _known(self, names: list[Any]) -> NDArray[np.int64]:
        """The ids of the live sources with these keys, -1 for new ones; those that have gone by
        themselves lose theirs.
        """
        last, ids = self._synced
        try:
            if (
                len(names) == len(last) == len(self._keys)
                and names == last
                and self._all_alive(ids)
            ):
                return ids
            count = len(dict.fromkeys(names))
        except (TypeError, ValueError):
            unfit = next((key for key in names if not _hashable(key)), names)
            raise InvalidValue(
                "Keys can be hashed", got=repr(unfit), remedy="Use ids, names or tuples"
            ) from None
        if count != len(names):
            twice = next(name for name, times in Counter(names).items() if times > 1)
            raise InvalidValue(
                "Keys differ from each other within one sync",
                got=f"{twice!r} twice",
                remedy="Give each entity its own key",
            )
        for name in [name for name, identity in self._keys.items() if not self.is_alive(identity)]:
            del self._keys[name]
        return np.array([self._keys.get(name, -1) for name in names], dtype=np.int64)

    def _all_alive(self, ids: NDArray[np.int64]) -> bool:
        slots = ids & 0xFFFFFFFF
        return bool((self._alive[slots] & (self._generation[slots] == ids >> 32)).all())

    def expire(self, now: int) -> None:
        """Remove the sources whose lifetime has ended at `now` ticks of the layer's time."""
        if now >= self.next_expiry:
            self._drop(np.flatnonzero(self._alive & (self._expires <= now)))
            left = self._expires[self._alive]
            self.next_expiry = int(left.min()) if len(left) else _NEVER

    def pins(self, stack: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The cells that sources hold, ascending, and the value each is held at.

        Of several sources in one cell the strongest magnitude holds it, the positive one of equals;
        with `"sum"` their strengths add.
        """
        cells, strengths = self.cells, self.strengths
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

    @property
    def shapes(self) -> list[Shape]:
        """The shapes of sources by number; the first is the layer's own."""
        return self._kinds.listed

    @property
    def shapes_version(self) -> int:
        """A number that grows whenever shapes are numbered anew."""
        return self._kinds.version

    @property
    def columns(self) -> Columns:
        """All rows, and which of them have changed since whoever follows them looked."""
        return Columns(self._changed, self._alive, self._cells, self._strengths, self._shapes)

    @property
    def places(self) -> NDArray[np.float64]:
        """The world positions in all rows, (R, 2) or (R, 3), as they are kept: not to be
        written.
        """
        return self._positions

    def forget_changes(self) -> None:
        """Let changes be counted from here."""
        self._changed[:] = False

    def all_changed(self) -> None:
        """Count every row as changed."""
        self._changed[:] = True

    def ids_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ids of the sources in these rows."""
        return rows | self._generation[rows] << 32

    def id_of(self, key: Hashable) -> int | None:
        """The id of the live source that `sync` knows by this key, if there is one."""
        identity = self._keys.get(key)
        return identity if identity is not None and self.is_alive(identity) else None

    def key_of(self, identity: int) -> Hashable | None:
        """The key by which `sync` knows a source, None for one without; asks all keys, so for
        explanations and not for each frame.
        """
        return next((key for key, known in self._keys.items() if known == identity), None)

    def guarded_by(self, guard: Guard) -> None:
        """Belong to what this guard stands before."""
        self._guard = guard

    def copy(self, guard: Guard | None = None) -> Sources:
        """An independent copy, ids and keys included, with a guard of its own."""
        twin = Sources(self._space, guard)
        for column in _COLUMNS:
            setattr(twin, column, getattr(self, column).copy())
        twin._kinds = self._kinds.copy()
        twin._free = list(self._free)
        twin._keys = dict(self._keys)
        twin._changed = self._changed.copy()
        twin.next_expiry = self.next_expiry
        twin.version = self.version
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return Sources.restored, (self._space, *self.state(), list(self.shapes))

    def state(self) -> tuple[dict[str, NDArray[Any]], list[tuple[Hashable, int]]]:
        """All that `restored` needs: the columns and the free rows as arrays, and the keys."""
        arrays = {column[1:]: getattr(self, column) for column in _COLUMNS}
        return arrays | {"free": np.array(self._free, dtype=np.int64)}, list(self._keys.items())

    @classmethod
    def restored(
        cls,
        space: Space,
        arrays: dict[str, NDArray[Any]],
        keys: list[tuple[Hashable, int]],
        shapes: list[Shape],
    ) -> Sources:
        """The sources that `state` described; raises ValueError for arrays and keys that `state`
        cannot have made.
        """
        sources = cls(space)
        rows = len(arrays["alive"])
        for column in _COLUMNS:
            array, empty = arrays[column[1:]], getattr(sources, column)
            if array.dtype != empty.dtype or array.shape != (rows, *empty.shape[1:]):
                raise ValueError(
                    f"sources with {column[1:]} of {array.dtype} and shape {array.shape}"
                )
            setattr(sources, column, array.copy())
        sources._changed = np.zeros(rows, dtype=np.bool_)
        sources._kinds = Shapes(shapes)
        sources._free = arrays["free"].tolist()
        sources._keys = dict(keys)
        used = sources._alive
        if ((sources._shapes < 0) | (sources._shapes >= len(shapes))).any():
            raise ValueError("sources of no known shape")
        fits = (
            (sources._cells[used] >= 0)
            & (sources._cells[used] < len(space))
            & (np.abs(sources._strengths[used]) <= checks.LARGEST)
        )
        if (
            not fits.all()
            or not np.isfinite(sources._positions[used]).all()
            or (sources._generation < 0).any()
        ):
            raise ValueError("sources that stand nowhere")
        if not np.array_equal(np.sort(arrays["free"]), np.flatnonzero(~used)):
            raise ValueError("sources whose rows are both used and free")
        if len(sources._keys) != len(keys) or len(set(sources._keys.values())) != len(keys):
            raise ValueError("sources that share a key")
        left = sources._expires[sources._alive]
        sources.next_expiry = int(left.min()) if len(left) else _NEVER
        return sources

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
        for column in _COLUMNS:
            array = getattr(self, column)
            longer = np.zeros((new, *array.shape[1:]), dtype=array.dtype)
            longer[:old] = array
            setattr(self, column, longer)
        self._changed = np.append(self._changed, np.zeros(new - old, dtype=np.bool_))
        self._free[:0] = range(new - 1, old - 1, -1)

    def limit(self, strength: float, count: int, radius: float) -> None:
        """Refuse, from now on, strengths beyond this magnitude, more sources than this and radii
        from this on: a radial layer's.
        """
        self._kinds.limits = Limits(strength, count, radius)

    def _forget_shapes(self) -> None:
        self._shapes = self._kinds.without_others(self._shapes, self._alive, len(self))

    def _check_range(self, amounts: NDArray[np.float32], count: int) -> None:
        if self._kinds.limits is not None:
            self._kinds.limits.check(amounts, count)

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


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _ends(now: int, lifetimes: ArrayLike, count: int) -> NDArray[np.int64]:
    seconds = checks.numbers("lifetimes", lifetimes, count)
    return np.array(
        [now + clock.ticks("lifetime", s, minimum=1) for s in seconds.tolist()], dtype=np.int64
    )
