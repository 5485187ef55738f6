"""The live sources of one layer, stored as arrays."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOutside, IfSourceOnWall
from fieldcraft.kernels.shared.arrays import is_numbers
from fieldcraft.layers.sources import source_ids
from fieldcraft.layers.sources.falloff import Falloff
from fieldcraft.layers.sources.limits import Limits
from fieldcraft.layers.sources.placing import place
from fieldcraft.layers.sources.rows import Rows
from fieldcraft.layers.sources.tracks import Tracks
from fieldcraft.space import Space
from fieldcraft.space.csr import NO_CELLS


class Synced(NamedTuple):
    """The keys of the last sync, the ids and rows of their sources, and how often sources had been
    removed then.
    """

    names: list[Any]
    ids: NDArray[np.int64]
    rows: NDArray[np.int64]
    removals: int


class Sources:
    """The live sources of one layer as arrays, for many at once; `layer.sources`.

    Ids are int64 and never used twice. Changes are visible from the layer's next step on.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> threat = fc.InfluenceMap(fc.Grid(5, 1)).add_layer("threat", fc.Radial(1.0))
    >>> ids = threat.add_sources([(0.5, 0.5), (4.5, 0.5)], [1.0, 3.0])
    >>> threat.sources.move(ids[:1], [(1.5, 0.5)])
    >>> threat.sources.set_strengths(ids, [2.0, 4.0])
    >>> threat.sources.positions, threat.sources.strengths
    (array([[1.5, 0.5],
           [4.5, 0.5]]), array([2., 4.], dtype=float32))
    """

    def __init__(self, space: Space, lock: AbstractContextManager[object] | None = None) -> None:
        self._space = space
        if lock is None:
            self._lock: AbstractContextManager[object] = nullcontext()
        else:
            self._lock = lock
        self.rows = Rows(space.dimensions)
        """The columns that store the sources."""
        self.tracks = Tracks(space)
        """The velocities, paths and schedules of sources."""
        self.falloffs: list[Falloff] = []
        """The falloffs of sources that have their own."""
        self.have_shapes = False
        """Whether any source may have a radius or a falloff of its own."""
        self._limits: Limits | None = None
        self._keys: dict[Hashable, int] = {}
        self._synced = Synced([], NO_CELLS, NO_CELLS, 0)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Sources: {len(self)} alive>"

    @property
    def dimensions(self) -> int:
        """2 for positions (x, y), 3 for (x, y, z)."""
        return self._space.dimensions

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all live sources, shape (N,)."""
        with self._lock:
            return self.rows.ids_of(np.flatnonzero(self.rows.alive))

    @property
    def cells(self) -> NDArray[np.int64]:
        """Their cells, shape (N,), in the order of `ids`."""
        with self._lock:
            return self.rows.cells[self.rows.alive]

    @property
    def positions(self) -> NDArray[np.float64]:
        """Their world positions as given, shape (N, 2) or (N, 3), in the order of `ids`."""
        with self._lock:
            return self.rows.positions.compress(self.rows.alive, axis=0)

    @property
    def strengths(self) -> NDArray[np.float32]:
        """Their strengths, shape (N,), in the order of `ids`."""
        with self._lock:
            return self.rows.strengths[self.rows.alive]

    @property
    def keys(self) -> list[Hashable]:
        """The keys of the live sources that were added by `sync`."""
        with self._lock:
            return [key for key, identity in self._keys.items() if self.is_alive(identity)]

    def is_alive(self, identity: int) -> bool:
        """Return whether this id is that of a live source."""
        identity = checks.integer("identity", identity, minimum=-(2**63))
        return bool(self.rows.are_alive(np.array([identity], dtype=np.int64))[0])

    def positions_of(self, ids: ArrayLike) -> NDArray[np.float64]:
        """Return the world positions of sources, shape (N, 2) or (N, 3)."""
        with self._lock:
            return self.rows.positions[self.rows.rows_of(ids)]

    def strengths_of(self, ids: ArrayLike) -> NDArray[np.float32]:
        """Return the strengths of sources, shape (N,)."""
        with self._lock:
            return self.rows.strengths[self.rows.rows_of(ids)]

    def add(
        self,
        positions: ArrayLike,
        strengths: ArrayLike,
        *,
        radii: ArrayLike | None = None,
        falloff: Any = None,
        lifetimes: ArrayLike | None = None,
        now: int = 0,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
        one: bool = False,
    ) -> NDArray[np.int64]:
        """Add sources and return their ids, shape (N,).

        Parameters
        ----------
        positions : array_like of shape (N, 2)
            World positions.
        strengths : float or array_like of shape (N,)
            One for all, or one each.
        radii : float or array_like of shape (N,), optional
            World units, in place of the radius of a radial layer.
        falloff : str, Ring, Falloff, Sequence[float] or Callable, optional
            In place of the falloff of a radial layer; see `Falloff.of`.
        lifetimes : float or array_like of shape (N,), optional
            Seconds from `now` until they are removed.
        now : int, optional
            The layer's time in ticks.
        on_wall, outside : str, optional
            As in `Layer.add_source`.
        one : bool, optional
            Whether more than one position is refused.
        """
        with self._lock:
            single = checks.flag("one", one)
            points, cells = place(
                self._space, positions, on_wall=on_wall, outside=outside, one=single
            )
            now = checks.integer("now", now)
            amounts = checks.amounts("strengths", strengths, len(points))
            self._check_limits(amounts, len(self) + len(points))
            if lifetimes is None:
                expires = None
            else:
                expires = _ends(now, lifetimes, len(points))
            sizes = self._checked_radii(radii, len(points))
            if falloff is None:
                curve = None
            else:
                curve = Falloff.of(falloff)
            rows = self.rows.insert(points, cells, amounts, expires)
            self._set_shapes(rows, sizes, curve)
            return self.rows.ids_of(rows)

    def move(
        self,
        ids: ArrayLike,
        positions: ArrayLike,
        *,
        velocities: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Move sources to world positions.

        Parameters
        ----------
        ids : array_like of shape (N,)
            Ids of live sources, each once.
        positions : array_like of shape (N, 2)
            One world position each.
        velocities : array_like of shape (2,) or (N, 2), optional
            World units a second: they continue as the layer's time passes. By default they stay.
        on_wall, outside : str, optional
            As in `Layer.add_source`.
        """
        with self._lock:
            rows = self.rows.rows_of(ids)
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
            if len(points) != len(rows):
                raise InvalidValue(
                    "Moving takes one position per source",
                    got=f"{len(points)} positions for {len(rows)} sources",
                    remedy="Pass as many positions as ids",
                )
            if velocities is None:
                paces = None
            else:
                paces = self.tracks.checked_velocities(velocities, len(rows))
            self.rows.place(rows, points, cells)
            self.tracks.stop_moving(rows)
            if paces is not None:
                self.tracks.set_velocities(rows, points, paces, on_wall, outside)

    def set_strengths(self, ids: ArrayLike, strengths: ArrayLike) -> None:
        """Set the strengths of sources: one number for all, or one each."""
        with self._lock:
            rows = self.rows.rows_of(ids)
            amounts = checks.amounts("strengths", strengths, len(rows))
            self._check_limits(amounts, len(self))
            self.rows.strengths[rows] = amounts
            self.rows.note(rows)
            self.tracks.stop_schedules(rows)

    def set_radii(self, ids: ArrayLike, radii: ArrayLike) -> None:
        """Set the radii of sources of a radial layer, in world units: one for all, or one each."""
        with self._lock:
            if self._limits is None:
                raise InvalidValue(
                    "Radii are for sources of layers with fc.Radial",
                    got="a layer of another kind",
                    remedy="Set strengths instead",
                )
            rows = self.rows.rows_of(ids)
            self.rows.radii[rows] = self._checked_radii(checks.array("radii", radii), len(rows))
            self.have_shapes = True
            self.rows.note(rows)

    def remove(self, ids: ArrayLike) -> None:
        """Remove sources."""
        with self._lock:
            self._drop(self.rows.rows_of(ids))

    def _drop(self, rows: NDArray[np.int64]) -> None:
        self.rows.drop(rows)
        self.tracks.stop(rows)

    def expire(self, now: int) -> None:
        """Remove the sources with a lifetime that has ended at `now` ticks of the layer's time."""
        if now >= self.rows.next_expiry:
            self.tracks.stop(self.rows.expire(now))

    def advance(self, now: int, until: int) -> None:
        """Move the sources to where they are at `until` ticks, and update their strengths; see
        `Tracks.advance`.
        """
        self.tracks.advance(self.rows, now, until)

    def follow(
        self,
        identity: int,
        path: ArrayLike,
        speed: float,
        *,
        repeat: bool = False,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Move a source along a path; see `Source.follow`."""
        given, _ = checks.positions(path, dimensions=self._space.dimensions)
        if not len(given):
            raise InvalidValue(
                "A source follows one position or more",
                got="none",
                remedy="Ask `if path:` before following a path",
            )
        pace = checks.positive("speed", speed)
        again = checks.flag("repeat", repeat)
        with self._lock:
            row = self.rows.rows_of([checks.integer("identity", identity)])
            place(self._space, given, on_wall=on_wall, outside=outside)
            points = np.concatenate([self.rows.positions[row], given])
            self.tracks.follow(row, points, pace, again, on_wall, outside)
            self.rows.version += 1

    def schedule(
        self, identity: int, times: ArrayLike, strengths: ArrayLike, period: float | None = None
    ) -> None:
        """Change the strength of a source with time; see `Source.schedule`."""
        begin = np.atleast_1d(checks.array("times", times))
        count = 1  # which arrays of two axes do not have
        if begin.ndim == 1:
            count = len(begin)
        begin = checks.numbers("times", begin, count)
        if not len(begin) or begin[0] != 0 or (np.diff(begin) <= 0).any():
            raise InvalidValue(
                "The times of a schedule are seconds from now, ascending, the first 0",
                got=f"times={begin.tolist()}",
                remedy="Begin with the strength now: times=[0, 3, 5], strengths=[0, 8, 0]",
            )
        amounts = checks.amounts("strengths", strengths, len(begin))
        if period is not None:
            period = checks.positive("period", period)
        if period is not None and period <= begin[-1]:
            raise InvalidValue(
                "The period of a schedule is longer than its last time",
                got=f"period={period!r} after times up to {begin[-1]:g}",
                remedy="Pass the seconds after which it begins again",
            )
        with self._lock:
            row = self.rows.rows_of([checks.integer("identity", identity)])
            self._check_limits(amounts, len(self))
            self.rows.strengths[row] = amounts[0]
            self.rows.note(row)
            self.tracks.schedule(row, begin, amounts, period)

    def sync(
        self,
        keys: Iterable[Hashable],
        positions: ArrayLike,
        strengths: ArrayLike,
        *,
        radii: ArrayLike | None = None,
        falloff: Any = None,
        velocities: ArrayLike | None = None,
        on_wall: IfSourceOnWall = "refuse",
        outside: IfOutside = "refuse",
    ) -> None:
        """Set the sources with keys to exactly these: new keys are added, known ones moved, missing
        ones removed. Sources without a key do not change.

        Parameters
        ----------
        keys : iterable of hashable
            N different keys, such as ids or names of units.
        positions : array_like of shape (N, 2)
            World positions.
        strengths : float or array_like of shape (N,)
            One for all, or one each.
        radii, falloff : optional
            As in `add`; for known sources, too.
        velocities : array_like of shape (2,) or (N, 2), optional
            As in `move`.
        on_wall, outside : str, optional
            As in `Layer.add_source`.

        Raises
        ------
        InvalidValue
            If a key comes twice, among others; then nothing has changed.
        """
        with self._lock:
            given: Any = keys
            if isinstance(keys, np.ndarray):
                given = keys.tolist()
            if isinstance(given, str):
                names: list[Any] = list(given)
            else:
                names = checks.sequence("keys", given)
            points, cells = place(self._space, positions, on_wall=on_wall, outside=outside)
            is_plain = radii is None and falloff is None and velocities is None
            if is_plain and self._sync_again(names, points, cells, strengths):
                return
            amounts = checks.amounts("strengths", strengths, len(points))
            if len(names) != len(points):
                raise InvalidValue(
                    "sync takes one key per position",
                    got=f"{len(names)} keys for {len(points)} positions",
                    remedy="Pass as many keys as positions",
                )
            if velocities is None:
                paces = None
            else:
                paces = self.tracks.checked_velocities(velocities, len(names))
            sizes = self._checked_radii(radii, len(points))
            if falloff is None:
                curve = None
            else:
                curve = Falloff.of(falloff)
            ids = self._known(names)
            new = ids < 0
            old = ids >= 0
            self._check_limits(amounts, len(self) - len(self._keys) + len(points))
            if np.count_nonzero(old) < len(self._keys):
                wanted = set(names)
                gone = [name for name in self._keys if name not in wanted]
                self._drop(self.rows.rows_of([self._keys.pop(name) for name in gone]))
            rows = source_ids.rows_of(ids)
            known = rows[old]
            self.rows.place(known, points[old], cells[old])
            self.rows.strengths[known] = amounts[old]
            if new.any():
                rows[new] = self.rows.insert(points[new], cells[new], amounts[new], None)
                ids = self.rows.ids_of(rows)
                self._keys.update((names[i], int(ids[i])) for i in np.flatnonzero(new).tolist())
            self._synced = Synced(names, ids, rows, self.rows.removals)
            if sizes is not None or curve is not None:
                self._set_shapes(rows, sizes, curve)
            self.tracks.stop(rows)
            if paces is not None:
                self.tracks.set_velocities(rows, points, paces, on_wall, outside)

    def _sync_again(
        self,
        names: list[Any],
        points: NDArray[np.float64],
        cells: NDArray[np.int64],
        strengths: ArrayLike,
    ) -> bool:
        """Move the sources of the last sync and set their strengths, if it had the same keys and
        these strengths are an array of numbers that are allowed; return whether it was done.
        """
        rows = self._synced.rows
        if len(rows) != len(points) or not is_numbers(strengths, len(rows)):
            return False
        if not self._are_synced(names):
            return False
        most = checks.LARGEST
        if self._limits is not None:
            most = min(most, self._limits.strength)
        held = self.rows.strengths
        if not kernels.sources.source_rows.set_strengths(rows, strengths, most, held):
            return False
        self.rows.place(rows, points, cells)
        if self.tracks.change_sources:
            self.tracks.stop(rows)
        return True

    def _are_synced(self, names: list[Any]) -> bool:
        """Return whether these are the keys of the last sync, and of all sources with keys, which
        are alive.
        """
        last = self._synced
        is_known = last.removals == self.rows.removals and len(last.names) == len(self._keys)
        if not is_known or len(names) != len(last.names):
            return False
        try:
            return names == last.names
        except (TypeError, ValueError):  # of keys such as arrays, which are refused
            return False

    def _known(self, names: list[Any]) -> NDArray[np.int64]:
        """Return the ids of the live sources with these keys, -1 for new ones; keys of sources that
        have expired are forgotten.
        """
        if self._are_synced(names):
            return self._synced.ids
        try:
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

    def id_of(self, key: Hashable) -> int | None:
        """Return the id of the live source with this key of `sync`, None if there is none."""
        identity = self._keys.get(key)
        if identity is not None and self.is_alive(identity):
            return identity
        return None

    def ids_of_any(self, keys: Sequence[object]) -> NDArray[np.int64]:
        """Return the ids of the live sources with keys of `sync`, or of handles, (N,); -1 for None,
        and where there is none.
        """
        with self._lock:
            # No source has the key None.
            ids = list(map(self._keys.get, keys, itertools.repeat(-1)))
            may_be_handles = any(hasattr(kind, "_sources") for kind in set(map(type, keys)))
            if may_be_handles and min(ids) < 0:
                for row, key in enumerate(keys):
                    if getattr(key, "_sources", None) is self:
                        ids[row] = key.id  # type: ignore[attr-defined]
            found = np.array(ids, dtype=np.int64)
            found[~self.rows.are_alive(found)] = -1
            return found

    def key_of(self, identity: int) -> Hashable | None:
        """Return the key of a source of `sync`, None for one without; searches all keys."""
        return next((key for key, known in self._keys.items() if known == identity), None)

    # Radii and falloffs

    def limit(self, strength: float, count: int, radius: float) -> None:
        """Refuse larger strengths, more sources and radii from this one on, for a radial layer."""
        self._limits = Limits(strength, count, radius)

    def _check_limits(self, amounts: NDArray[np.float32], count: int) -> None:
        if self._limits is not None:
            self._limits.check(amounts, count)

    def _checked_radii(self, radii: ArrayLike | None, count: int) -> NDArray[np.float64] | None:
        if radii is None:
            return None
        sizes = checks.positives("radii", radii, count)
        if self._limits is not None and (sizes >= self._limits.radius).any():
            raise InvalidValue(
                f"A radius on a map as large as this is below {self._limits.radius:g}",
                got=f"{sizes.max():g}",
                remedy="Give the layer a larger cell_size",
            )
        return sizes

    def _set_shapes(
        self,
        rows: NDArray[np.int64],
        radii: NDArray[np.float64] | None,
        falloff: Falloff | None,
    ) -> None:
        """Set the radii and the falloff of rows; None for those of the layer."""
        self.have_shapes |= radii is not None or falloff is not None
        if radii is None:
            self.rows.radii[rows] = 0.0
        else:
            self.rows.radii[rows] = radii
        if falloff is not None and falloff not in self.falloffs:
            if len(self.falloffs) > 2 * len(self):  # falloffs may differ at each call
                used, numbers = np.unique(np.append(0, self.rows.falloffs), return_inverse=True)
                self.falloffs = [self.falloffs[number - 1] for number in used[1:].tolist()]
                self.rows.falloffs = numbers[1:].astype(np.int64)
            self.falloffs.append(falloff)
        if falloff is None:
            self.rows.falloffs[rows] = 0
        else:
            self.rows.falloffs[rows] = self.falloffs.index(falloff) + 1

    # Copies and saves

    def set_lock(self, lock: AbstractContextManager[object]) -> None:
        """Replace the lock around each call."""
        self._lock = lock

    def copy(self, lock: AbstractContextManager[object] | None = None) -> Sources:
        """Return an independent copy, ids and keys included, with a lock of its own."""
        twin = Sources(self._space, lock)
        twin.rows.copy_from(self.rows)
        twin.tracks = self.tracks.copy()
        twin.falloffs = list(self.falloffs)
        twin._limits = self._limits
        twin.have_shapes = self.have_shapes
        twin._keys = dict(self._keys)
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return Sources, (self._space,), self.state()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._restore(state)

    def state(self) -> dict[str, Any]:
        """Return the columns, which are valid until the next change, the falloffs of their own, and
        the keys with their ids.
        """
        return {
            "columns": self.rows.state() | self.tracks.state(),
            "falloffs": tuple(falloff.state() for falloff in self.falloffs),
            "keys": tuple(self._keys.items()),
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Continue from the `state` of sources on such a space, as new ones. Raises `ValueError` or
        `LookupError` for others.
        """
        columns = state["columns"]
        self.falloffs = [Falloff.restored(falloff) for falloff in state["falloffs"]]
        self.rows.restore(columns, len(self._space), len(self.falloffs))
        self.rows.version += 1
        self.tracks.restore(columns, self.rows.alive)
        self._keys = dict(state["keys"])
        ids = set(self._keys.values())
        if not len(self._keys) == len(ids) == len(state["keys"]):
            raise ValueError("sources that share a key")
        self.have_shapes = True

    def _become(self, other: Sources) -> None:
        """Take over the rows of other sources, which are no longer used; ids and handles then name
        the rows of these.
        """
        self.rows = other.rows
        self.tracks = other.tracks
        self.falloffs = other.falloffs
        self.have_shapes = other.have_shapes
        self._keys = other._keys
        self._synced = other._synced


def _ends(now: int, lifetimes: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return the ticks at which lifetimes end, (count,)."""
    seconds = checks.numbers("lifetimes", lifetimes, count)
    ends = [now + clock.ticks("lifetime", each, minimum=1) for each in seconds.tolist()]
    return np.array(ends, dtype=np.int64)
