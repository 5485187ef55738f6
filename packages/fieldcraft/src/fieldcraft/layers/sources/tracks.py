"""Sources that move and change their strengths with the time of their layer."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.layers.sources.placing import ON_WALL, OUTSIDE, place
from fieldcraft.layers.sources.rows import Rows
from fieldcraft.space import Space

_COLUMNS = ("rows", "since", "counts", "repeats", "policies", "times", "points", "slopes")
_NOT_YET = -1


class PiecewiseLinear:
    """Numbers of some rows of sources as functions of time, linear between knots.

    Each row has `counts` knots: from `times` seconds after `since` on, its numbers are `points`,
    and grow by `slopes` a second until the next knot. A function that repeats begins again at its
    last knot. `since` is -1 before time has passed; `policies` are indices into `ON_WALL` and
    `OUTSIDE`.
    """

    def __init__(self, width: int) -> None:
        self.rows = np.zeros(0, dtype=np.int64)
        self.since = np.zeros(0, dtype=np.int64)
        self.counts = np.zeros(0, dtype=np.int64)
        self.repeats = np.zeros(0, dtype=np.bool_)
        self.policies = np.zeros((0, 2), dtype=np.int64)
        self.times = np.zeros(0)
        self.points = np.zeros((0, width))
        self.slopes = np.zeros((0, width))

    def __len__(self) -> int:
        return len(self.rows)

    def copy(self) -> PiecewiseLinear:
        """Return an independent copy."""
        twin = PiecewiseLinear(self.points.shape[1])
        twin.__dict__.update({name: getattr(self, name).copy() for name in _COLUMNS})
        return twin

    def drop(self, rows: NDArray[np.int64]) -> None:
        """Remove the functions of these rows."""
        if len(self) and (gone := np.isin(self.rows, rows)).any():
            left = ~np.repeat(gone, self.counts)
            for name in _COLUMNS[:5]:
                setattr(self, name, getattr(self, name)[~gone])
            for name in _COLUMNS[5:]:
                setattr(self, name, getattr(self, name)[left])

    def set(
        self,
        rows: NDArray[np.int64],
        times: NDArray[np.float64],
        points: NDArray[np.float64],
        slopes: NDArray[np.float64],
        *,
        repeat: bool = False,
        policies: tuple[int, int] = (0, 0),
    ) -> None:
        """Set the function of each of these rows from now on, with equally many knots each."""
        self.drop(rows)
        count = len(rows)
        added: dict[str, Any] = {
            "rows": rows,
            "since": np.full(count, _NOT_YET),
            "counts": np.full(count, len(times) // max(count, 1)),
            "repeats": np.full(count, repeat),
            "policies": np.full((count, 2), policies),
            "times": times,
            "points": points,
            "slopes": slopes,
        }
        for name in _COLUMNS:
            setattr(self, name, np.concatenate([getattr(self, name), added[name]]))

    def at(self, now: int, until: int) -> NDArray[np.float64]:
        """Return the numbers of all rows at `until` ticks; a new function begins `now`."""
        self.since[self.since == _NOT_YET] = now
        first = np.concatenate([[0], np.cumsum(self.counts)])
        passed = (until - self.since) / clock.TICKS_PER_SECOND
        last = self.times[first[1:] - 1]
        again = self.repeats & (last > 0)
        passed[again] %= last[again]
        begun = np.repeat(passed, self.counts) >= self.times
        knot = first[:-1] + np.add.reduceat(begun, first[:-1], dtype=np.int64) - 1
        away = (passed - self.times[knot])[:, np.newaxis]
        return np.asarray(self.points[knot] + away * self.slopes[knot])

    def state(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the columns, their names after `name`; nothing where there are no functions."""
        if len(self):
            return {f"{name}_{each}": getattr(self, each) for each in _COLUMNS}
        return {}

    def restore(self, name: str, arrays: dict[str, NDArray[Any]], alive: NDArray[np.bool_]) -> None:
        """Take the columns that `state` returned; raises ValueError for others."""
        if f"{name}_rows" not in arrays:
            return
        for each in _COLUMNS:
            found = arrays[f"{name}_{each}"]
            empty = getattr(self, each)
            if found.dtype != empty.dtype or found.shape[1:] != empty.shape[1:]:
                raise ValueError(
                    f"functions of time with {each} of {found.dtype} and shape {found.shape}"
                )
            setattr(self, each, found.copy())
        rows = len(self.rows)
        knots = int(self.counts.sum())
        lengths = [len(getattr(self, each)) for each in _COLUMNS]
        fits = [
            lengths == [rows] * 5 + [knots] * 3,
            (self.counts > 0).all(),
            ((self.rows >= 0) & (self.rows < len(alive))).all(),
            len(np.unique(self.rows)) == rows,
            ((self.policies >= 0) & (self.policies < (3, 2))).all(),
        ]
        numbers = (self.times, self.points, self.slopes)
        if not all(fits) or not alive[self.rows].all():
            raise ValueError("functions of time for rows without sources")
        begins = self.times[np.cumsum(self.counts) - self.counts]
        if begins.any() or not all(np.isfinite(each).all() for each in numbers):
            raise ValueError("functions of time that never begin")


SingleThreadLock = AbstractContextManager[None]


class MovingRows(Rows):
    """Rows of sources on a space that may have a velocity, a path or a schedule."""

    def __init__(self, space: Space, lock: SingleThreadLock) -> None:
        super().__init__(space.dimensions)
        self._space = space
        self._lock = lock
        self._motions = PiecewiseLinear(space.dimensions)
        self._schedules = PiecewiseLinear(1)

    @property
    def change_by_themselves(self) -> bool:
        """Whether time alone changes some of them."""
        return self._motions.rows.size > 0 or self._schedules.rows.size > 0

    def advance(self, now: int, until: int) -> None:
        """Move the sources to where they are at `until` ticks, and update their strengths.

        Raises `OutsideMap` or `OnWall` for sources that leave the map or walk into walls, unless
        their policies allow it; then nothing has changed.
        """
        motions = self._motions
        schedules = self._schedules
        if len(motions):
            rows = motions.rows
            points = self._space.wrapped(motions.at(now, until))
            cells = np.empty(len(rows), dtype=np.int64)
            for on_wall, outside in np.unique(motions.policies, axis=0).tolist():
                these = np.flatnonzero((motions.policies == (on_wall, outside)).all(axis=1))
                cells[these] = self._cells_at(
                    rows[these], points[these], until, ON_WALL[on_wall], OUTSIDE[outside]
                )
            is_moved = (self._positions[rows] != points).any(axis=1)
            # A source that stays may act from another cell, once its own is a wall.
            moved = rows[is_moved | (self._cells[rows] != cells)]
            self._positions[rows], self._cells[rows] = points, cells
            if len(moved):
                self._note(moved)
        if len(schedules):
            rows = schedules.rows
            strengths = schedules.at(now, until)[:, 0].astype(np.float32)
            changed = rows[self._strengths[rows] != strengths]
            self._strengths[rows] = strengths
            if len(changed):
                self._note(changed)

    def _cells_at(
        self,
        rows: NDArray[np.int64],
        points: NDArray[np.float64],
        until: int,
        on_wall: str,
        outside: str,
    ) -> NDArray[np.int64]:
        """Return the cells of sources that move by themselves."""
        try:
            return place(self._space, points, on_wall=on_wall, outside=outside)[1]
        except (OutsideMap, OnWall):
            for row, point in zip(rows, points, strict=True):
                self._check_place(row, point, until, on_wall, outside)
            raise

    def _check_place(
        self, row: np.int64, point: NDArray[np.float64], until: int, on_wall: str, outside: str
    ) -> None:
        """Refuse to move a source by itself to where its policies do not allow it."""
        try:
            place(self._space, point, on_wall=on_wall, outside=outside)
        except (OutsideMap, OnWall) as error:
            off = isinstance(error, OutsideMap)
            raise type(error)(
                "A source that moves stays on " + ("the map" if off else "open ground"),
                got=f"source {self.ids_of(np.array([row]))[0]} at {tuple(point.tolist())} after"
                f" {clock.seconds(until):g} s of its layer's time",
                remedy='Move it with outside="clamp" to act from the rim'
                if off
                else 'Move it with on_wall="through", or "nearest" to act from beside walls',
            ) from None

    def _stop(self, rows: NDArray[np.int64]) -> None:
        """Remove the velocities, paths and schedules of rows."""
        self._motions.drop(rows)
        self._schedules.drop(rows)

    def _drop(self, rows: NDArray[np.int64]) -> None:
        super()._drop(rows)
        self._stop(rows)

    def _checked_velocities(self, velocities: ArrayLike, count: int) -> NDArray[np.float64]:
        found, single = checks.positions(velocities, dimensions=self.dimensions, what="Velocities")
        if len(found) != count and not single:
            raise InvalidValue(
                "Sources have one velocity each, or one for all",
                got=f"{len(found)} velocities for {count} sources",
                remedy="Pass as many velocities as sources, in world units a second",
            )
        return np.array(np.broadcast_to(found, (count, self.dimensions)))

    def _set_velocities(
        self, rows: NDArray[np.int64], velocities: NDArray[np.float64], on_wall: str, outside: str
    ) -> None:
        going = velocities.any(axis=1)
        self._motions.drop(rows)
        rows = rows[going]
        self._motions.set(
            rows,
            np.zeros(len(rows)),
            self._positions[rows],
            velocities[going],
            policies=(ON_WALL.index(on_wall), OUTSIDE.index(outside)),
        )

    def follow(
        self,
        identity: int,
        path: ArrayLike,
        speed: float,
        *,
        repeat: bool = False,
        on_wall: str = "refuse",
        outside: str = "refuse",
    ) -> None:
        """Move a source along a path; see `Source.follow`."""
        given, _ = checks.positions(path, dimensions=self.dimensions)
        if not len(given):
            raise InvalidValue(
                "A source follows one position or more",
                got="none",
                remedy="Ask `if path:` before following a path",
            )
        pace = checks.positive("speed", speed)
        again = checks.flag("repeat", repeat)
        with self._lock:
            row = self._rows_of([checks.integer("identity", identity)])
            place(self._space, given, on_wall=on_wall, outside=outside)
            points = np.concatenate([self._positions[row], given])
            segments = self._space.shortest_vectors(np.diff(points, axis=0))
            lengths = np.sqrt((segments**2).sum(axis=1))
            segments = segments[lengths > 0]
            lengths = lengths[lengths > 0]
            start = np.zeros((1, self.dimensions))
            ends = points[0] + np.concatenate([start, segments.cumsum(axis=0)])
            slopes = np.zeros_like(ends)
            slopes[:-1] = segments / lengths[:, np.newaxis] * pace
            times = np.concatenate([[0.0], np.cumsum(lengths) / pace])
            policies = ON_WALL.index(on_wall), OUTSIDE.index(outside)
            self._motions.set(row, times, ends, slopes, repeat=again, policies=policies)
            self.version += 1

    def schedule(
        self, identity: int, times: ArrayLike, strengths: ArrayLike, period: float | None = None
    ) -> None:
        """Change the strength of a source with time; see `Source.schedule`."""
        begin = np.atleast_1d(checks.array("times", times))
        begin = checks.numbers("times", begin, len(begin) if begin.ndim == 1 else 1)
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
            row = self._rows_of([checks.integer("identity", identity)])
            self._check_limits(amounts, len(self))
            self._strengths[row] = amounts[0]
            self._note(row)
            if period is not None:
                begin = np.append(begin, period)
                amounts = np.append(amounts, amounts[0])
            points = amounts.astype(np.float64)[:, np.newaxis]
            repeat = period is not None
            self._schedules.set(row, begin, points, np.zeros_like(points), repeat=repeat)

    def _check_limits(self, amounts: NDArray[np.float32], count: int) -> None:
        """Refuse strengths, or a number of sources, beyond the limits of the layer."""
