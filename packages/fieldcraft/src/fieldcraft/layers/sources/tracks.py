"""Sources that move and change their strengths with the time of their layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.base.words import OUTSIDE, IfOutside, IfSourceOnWall
from fieldcraft.layers.sources.placing import ON_WALL, place
from fieldcraft.layers.sources.rows import Rows
from fieldcraft.space import Space

_OF_ROWS = ("rows", "since", "counts", "repeats", "policies")
_OF_KNOTS = ("times", "points", "slopes")
_COLUMNS = _OF_ROWS + _OF_KNOTS
_NOT_YET = -1


class PiecewiseLinear:
    """Numbers of some rows of sources as functions of time, linear between knots.

    Each row has `counts` knots: from `times` seconds after `since` on, its numbers are `points`,
    and grow by `slopes` a second until the next knot. A function that repeats begins again at its
    last knot. `since` is -1 before time has passed; `policies` are indices into `ON_WALL` and
    `OUTSIDE`. In saves the names of its columns begin with `name`.
    """

    def __init__(self, name: str, width: int) -> None:
        self.name = name
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
        twin = PiecewiseLinear(self.name, self.points.shape[1])
        twin.__dict__.update({name: getattr(self, name).copy() for name in _COLUMNS})
        return twin

    def drop(self, rows: NDArray[np.int64]) -> None:
        """Remove the functions of these rows."""
        if not len(self):
            return
        left = ~np.isin(self.rows, rows)
        if left.all():
            return
        knots_left = np.repeat(left, self.counts)
        for name in _OF_ROWS:
            setattr(self, name, getattr(self, name)[left])
        for name in _OF_KNOTS:
            setattr(self, name, getattr(self, name)[knots_left])

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

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the columns; nothing where there are no functions."""
        if len(self):
            return {f"{self.name}_{each}": getattr(self, each) for each in _COLUMNS}
        return {}

    def restore(self, state: Mapping[str, NDArray[Any]], alive: NDArray[np.bool_]) -> None:
        """Continue from a `state`; raises ValueError for others."""
        if f"{self.name}_rows" not in state:
            return
        for each in _COLUMNS:
            found = state[f"{self.name}_{each}"]
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
            lengths == [rows] * len(_OF_ROWS) + [knots] * len(_OF_KNOTS),
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


class Tracks:
    """The velocities, paths and schedules of the sources of one layer."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._motions = PiecewiseLinear("motion", space.dimensions)
        self._schedules = PiecewiseLinear("schedule", 1)

    @property
    def change_sources(self) -> bool:
        """Whether time alone changes some sources."""
        return self._motions.rows.size > 0 or self._schedules.rows.size > 0

    def advance(self, sources: Rows, now: int, until: int) -> None:
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
                    sources.ids_of(rows[these]),
                    points[these],
                    until,
                    ON_WALL[on_wall],
                    OUTSIDE[outside],
                )
            is_moved = (sources.positions[rows] != points).any(axis=1)
            # A source that stays may act from another cell, once its own is a wall.
            moved = rows[is_moved | (sources.cells[rows] != cells)]
            sources.positions[rows] = points
            sources.cells[rows] = cells
            if len(moved):
                sources.note(moved)
        if len(schedules):
            rows = schedules.rows
            strengths = schedules.at(now, until)[:, 0].astype(np.float32)
            changed = rows[sources.strengths[rows] != strengths]
            sources.strengths[rows] = strengths
            if len(changed):
                sources.note(changed)

    def _cells_at(
        self,
        ids: NDArray[np.int64],
        points: NDArray[np.float64],
        until: int,
        on_wall: IfSourceOnWall,
        outside: IfOutside,
    ) -> NDArray[np.int64]:
        """Return the cells of sources that move by themselves."""
        try:
            return place(self._space, points, on_wall=on_wall, outside=outside)[1]
        except (OutsideMap, OnWall):
            for identity, point in zip(ids.tolist(), points, strict=True):
                self._check_place(identity, point, until, on_wall, outside)
            raise

    def _check_place(
        self,
        identity: int,
        point: NDArray[np.float64],
        until: int,
        on_wall: IfSourceOnWall,
        outside: IfOutside,
    ) -> None:
        """Refuse to move a source by itself to where its policies do not allow it."""
        try:
            place(self._space, point, on_wall=on_wall, outside=outside)
        except (OutsideMap, OnWall) as error:
            if isinstance(error, OutsideMap):
                ground = "the map"
                remedy = 'Move it with outside="clamp" to act from the rim'
            else:
                ground = "open ground"
                remedy = 'Move it with on_wall="through", or "nearest" to act from beside walls'
            raise type(error)(
                f"A source that moves stays on {ground}",
                got=f"source {identity} at {tuple(point.tolist())} after"
                f" {clock.seconds(until):g} s of its layer's time",
                remedy=remedy,
            ) from None

    def stop(self, rows: NDArray[np.int64]) -> None:
        """Remove the velocities, paths and schedules of rows."""
        self._motions.drop(rows)
        self._schedules.drop(rows)

    def stop_moving(self, rows: NDArray[np.int64]) -> None:
        """Remove the velocities and paths of rows."""
        self._motions.drop(rows)

    def stop_schedules(self, rows: NDArray[np.int64]) -> None:
        """Remove the schedules of rows."""
        self._schedules.drop(rows)

    def checked_velocities(self, velocities: ArrayLike, count: int) -> NDArray[np.float64]:
        """Return one velocity for each of `count` sources, (count, 2) or (count, 3)."""
        dimensions = self._space.dimensions
        found, single = checks.positions(velocities, dimensions=dimensions, what="Velocities")
        if len(found) != count and not single:
            raise InvalidValue(
                "Sources have one velocity each, or one for all",
                got=f"{len(found)} velocities for {count} sources",
                remedy="Pass as many velocities as sources, in world units a second",
            )
        return np.array(np.broadcast_to(found, (count, dimensions)))

    def set_velocities(
        self,
        rows: NDArray[np.int64],
        positions: NDArray[np.float64],
        velocities: NDArray[np.float64],
        on_wall: IfSourceOnWall,
        outside: IfOutside,
    ) -> None:
        """Move the sources in these rows from their positions on; a velocity of 0 stops one."""
        going = velocities.any(axis=1)
        self._motions.drop(rows)
        rows = rows[going]
        self._motions.set(
            rows,
            np.zeros(len(rows)),
            positions[going],
            velocities[going],
            policies=(ON_WALL.index(on_wall), OUTSIDE.index(outside)),
        )

    def follow(
        self,
        row: NDArray[np.int64],
        points: NDArray[np.float64],
        speed: float,
        repeat: bool,
        on_wall: IfSourceOnWall,
        outside: IfOutside,
    ) -> None:
        """Move the source in a row, (1,), along points, (K, 2) or (K, 3), the first its own."""
        segments = self._space.shortest_vectors(np.diff(points, axis=0))
        lengths = np.sqrt((segments**2).sum(axis=1))
        segments = segments[lengths > 0]
        lengths = lengths[lengths > 0]
        start = np.zeros((1, self._space.dimensions))
        ends = points[0] + np.concatenate([start, segments.cumsum(axis=0)])
        slopes = np.zeros_like(ends)
        slopes[:-1] = segments / lengths[:, np.newaxis] * speed
        times = np.concatenate([[0.0], np.cumsum(lengths) / speed])
        policies = ON_WALL.index(on_wall), OUTSIDE.index(outside)
        self._motions.set(row, times, ends, slopes, repeat=repeat, policies=policies)

    def schedule(
        self,
        row: NDArray[np.int64],
        times: NDArray[np.float64],
        strengths: NDArray[np.float32],
        period: float | None,
    ) -> None:
        """Change the strength of the source in a row, (1,), at these times."""
        if period is not None:
            times = np.append(times, period)
            strengths = np.append(strengths, strengths[0])
        points = strengths.astype(np.float64)[:, np.newaxis]
        slopes = np.zeros_like(points)
        self._schedules.set(row, times, points, slopes, repeat=period is not None)

    def copy(self) -> Tracks:
        """Return an independent copy."""
        twin = Tracks(self._space)
        twin._motions = self._motions.copy()
        twin._schedules = self._schedules.copy()
        return twin

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `restore` takes."""
        return self._motions.state() | self._schedules.state()

    def restore(self, state: Mapping[str, NDArray[Any]], alive: NDArray[np.bool_]) -> None:
        """Continue from a `state`, for rows of which these are alive; raises ValueError for
        others.
        """
        self._motions.restore(state, alive)
        self._schedules.restore(state, alive)
