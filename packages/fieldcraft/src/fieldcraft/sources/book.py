"""The live sources of one layer, kept as arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.falloff import Falloff
from fieldcraft.sources.carried import CarriedRows, SingleThreadLock
from fieldcraft.sources.placing import move_plainly, place
from fieldcraft.sources.shapes import Limits, Shape, Shapes
from fieldcraft.space import Space

__all__ = ["Sources"]


class Sources(CarriedRows):
    """The live sources of one layer. Ids are int64, unique for the life of the layer and never used
    twice.

    `lock` is entered around each call: that of the influence map, which refuses a second thread.
    """

    def __init__(self, space: Space, lock: SingleThreadLock | None = None) -> None:
        super().__init__(space, nullcontext() if lock is None else lock)
        self._keys: dict[Hashable, int] = {}
        self._synced: tuple[list[Any], NDArray[np.int64]] = ([], np.zeros(0, dtype=np.int64))

    def __repr__(self) -> str:
        return f"<Sources: {len(self)} alive>"

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all live sources, shape (N,)."""
        with self._lock:
            slots = np.flatnonzero(self._alive)
            return slots | self._generation[slots] << 32

    @property
    def cells(self) -> NDArray[np.int64]:
        """The cells they act from, shape (N,), in the order of `ids`."""
        with self._lock:
            return self._cells[self._alive]

    @property
    def positions(self) -> NDArray[np.float64]:
        """Their world positions as given, shape (N, 2) or (N, 3), in the order of `ids`."""
        with self._lock:
            return self._positions[self._alive]

    @property
    def strengths(self) -> NDArray[np.float32]:
        """Their strengths, shape (N,), in the order of `ids`."""
        with self._lock:
            return self._strengths[self._alive]

    @property
    def keys(self) -> list[Hashable]:
        """The keys of the live sources that `sync` knows."""
        with self._lock:
            return [key for key, identity in self._keys.items() if self.is_alive(identity)]

    def positions_of(self, ids: ArrayLike) -> NDArray[np.float64]:
        """The world positions of these sources, shape (N, 2) or (N, 3)."""
        with self._lock:
            return self._positions[self._slots(ids)]

    def strengths_of(self, ids: ArrayLike) -> NDArray[np.float32]:
        """The strengths of these sources, shape (N,)."""
        with self._lock:
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
        with self._lock:
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
        velocities: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Move sources to world positions, one each. An id twice is refused.

        With `velocities`, world units a second, (N, 2) or one for all, they go on by themselves as
        the layer's time passes; without them they stay there.
        """
        with self._lock:
            if velocities is None and move_plainly(
                self, self._space, ids, positions, on_wall, outside
            ):
                if len(self._motions):
                    self._motions.drop(self._slots(ids))
                return
            slots = self._slots(ids)
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
            paces = None if velocities is None else self._checked_velocities(velocities, len(slots))
            if len(points) != len(slots):
                raise InvalidValue(
                    "Moving takes one position per source",
                    got=f"{len(points)} positions for {len(slots)} sources",
                    remedy="Pass as many positions as ids",
                )
            self._positions[slots] = points
            self._cells[slots] = cells
            self._note(slots)
            self._motions.drop(slots)
            if paces is not None:
                self._set_velocities(slots, paces, on_wall, outside)

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Give sources other strengths: one number for all, or one each."""
        with self._lock:
            slots = self._slots(ids)
            amounts = checks.amounts("strengths", strengths, len(slots))
            self._check_range(amounts, len(self))
            self._strengths[slots] = amounts
            self._note(slots)
            self._schedules.drop(slots)

    def set_radii(self, ids: ArrayLike, radii: ArrayLike) -> None:
        """Give sources of a radial layer other radii, in world units: one number for all, or one
        each. They keep their falloffs.
        """
        with self._lock:
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
        with self._lock:
            self._drop(self._slots(ids))

    def sync(
        self,
        keys: Iterable[Hashable],
        positions: ArrayLike,
        strengths: ArrayLike,
        *,
        radii: ArrayLike | None = None,
        falloff: Falloff | None = None,
        velocities: ArrayLike | None = None,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Make the keyed sources be exactly these: new keys are added, known ones moved, missing
        ones removed.

        With `velocities` they go on by themselves, as in `move`. Where `radii` or `falloff` are
        given, as in `add`, they hold for known ones too. Sources added without a key are left
        alone. A key twice is refused, and nothing changes.
        """
        with self._lock:
            given = keys.tolist() if isinstance(keys, np.ndarray) else keys
            names: list[Any] = (
                list(given) if isinstance(given, str) else checks.sequence("keys", given)
            )
            if velocities is None and self._synced_plainly(
                names, positions, strengths, radii, falloff, on_wall, outside
            ):
                return
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
            amounts = checks.amounts("strengths", strengths, len(points))
            if len(names) != len(points):
                raise InvalidValue(
                    "sync takes one key per position",
                    got=f"{len(names)} keys for {len(points)} positions",
                    remedy="Pass as many keys as positions",
                )
            paces = None if velocities is None else self._checked_velocities(velocities, len(names))
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
            self._end_courses(known & 0xFFFFFFFF)
            if paces is not None:
                self._set_velocities(known & 0xFFFFFFFF, paces, on_wall, outside)

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
            and positions.ndim
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
        if not move_plainly(self, self._space, ids, positions, on_wall, outside):
            return False
        slots = ids & 0xFFFFFFFF
        self._strengths[slots] = amounts
        if shapes is not None:
            self._shapes[slots] = shapes
            self._forget_shapes()
        self._end_courses(slots)
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
            for name in names:
                checks.key("A key of a source", name)
            raise
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

    @property
    def shapes(self) -> list[Shape]:
        """The shapes of sources by number; the first is the layer's own."""
        return self._kinds.listed

    @property
    def shapes_version(self) -> int:
        """A number that grows whenever shapes are numbered anew."""
        return self._kinds.version

    @property
    def places(self) -> NDArray[np.float64]:
        """The world positions in all rows, (R, 2) or (R, 3), as they are kept: not to be
        written.
        """
        return self._positions

    def id_of(self, key: Hashable) -> int | None:
        """The id of the live source that `sync` knows by this key, if there is one."""
        identity = self._keys.get(key)
        return identity if identity is not None and self.is_alive(identity) else None

    def key_of(self, identity: int) -> Hashable | None:
        """The key by which `sync` knows a source, None for one without; asks all keys, so for
        explanations and not for each frame.
        """
        return next((key for key, known in self._keys.items() if known == identity), None)

    def set_lock(self, lock: SingleThreadLock) -> None:
        """Belong to what this lock stands before."""
        self._lock = lock

    def copy(self, lock: SingleThreadLock | None = None) -> Sources:
        """An independent copy, ids and keys included, with a lock of its own."""
        twin = Sources(self._space, lock)
        twin._copy_rows(self)
        twin._kinds = self._kinds.copy()
        twin._keys = dict(self._keys)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return Sources.restored, (self._space, *self.state(), list(self.shapes))

    def state(self) -> tuple[dict[str, NDArray[Any]], list[tuple[Hashable, int]]]:
        """All that `restored` needs: the columns and the free rows as arrays, and the keys."""
        return self._rows() | self._carried_state(), list(self._keys.items())

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
        sources._take_rows(arrays, len(space), len(shapes))
        sources._kinds = Shapes(shapes)
        sources._keys = dict(keys)
        if len(sources._keys) != len(keys) or len(set(sources._keys.values())) != len(keys):
            raise ValueError("sources that share a key")
        return sources

    def limit(self, strength: float, count: int, radius: float) -> None:
        """Refuse, from now on, strengths beyond this magnitude, more sources than this and radii
        from this on: a radial layer's.
        """
        self._kinds.limits = Limits(strength, count, radius)

    def _forget_shapes(self) -> None:
        self._shapes = self._kinds.without_others(self._shapes, self._alive, len(self))


def _ends(now: int, lifetimes: ArrayLike, count: int) -> NDArray[np.int64]:
    seconds = checks.numbers("lifetimes", lifetimes, count)
    return np.array(
        [now + clock.ticks("lifetime", s, minimum=1) for s in seconds.tolist()], dtype=np.int64
    )
