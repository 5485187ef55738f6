"""Sources that move, and change their strengths, as the time of their layer passes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.sources.courses import Courses
from fieldcraft.sources.placing import ON_WALL, OUTSIDE, place
from fieldcraft.sources.rows import Rows
from fieldcraft.sources.shapes import Shapes
from fieldcraft.space import Space

__all__ = ["CarriedRows", "SingleThreadLock"]

SingleThreadLock = AbstractContextManager[None]


class CarriedRows(Rows):
    """Rows of sources on a space, some of which have a velocity, a path or a schedule."""

    def __init__(self, space: Space, lock: SingleThreadLock) -> None:
        super().__init__(space.dimensions)
        self._space, self._lock = space, lock
        self._kinds = Shapes()
        self._motions = Courses(space.dimensions)
        self._schedules = Courses(1)

    @property
    def change_by_themselves(self) -> bool:
        """Whether time alone changes some of them."""
        return self._motions.slots.size > 0 or self._schedules.slots.size > 0

    def carry(self, now: int, until: int) -> None:
        """Put the sources where they are at `until` ticks, and give them their strengths then.

        Raises `OutsideMap` or `OnWall` for those that leave the map or walk into walls, unless
        their policies allow it; then nothing has changed.
        """
        motions, schedules = self._motions, self._schedules
        if len(motions):
            slots, points = motions.slots, self._space.wrapped(motions.at(now, until))
            cells = np.empty(len(slots), dtype=np.int64)
            for pair in np.unique(motions.policies, axis=0):
                these = np.flatnonzero((motions.policies == pair).all(axis=1))
                policies = ON_WALL[pair[0]], OUTSIDE[pair[1]]
                cells[these] = self._cells_met(slots[these], points[these], until, *policies)
            moved = slots[(self._positions[slots] != points).any(axis=1)]
            self._positions[slots], self._cells[slots] = points, cells
            if len(moved):
                self._note(moved)
        if len(schedules):
            slots, strengths = schedules.slots, schedules.at(now, until)[:, 0].astype(np.float32)
            changed = slots[self._strengths[slots] != strengths]
            self._strengths[slots] = strengths
            if len(changed):
                self._note(changed)

    def _cells_met(
        self,
        slots: NDArray[np.int64],
        points: NDArray[np.float64],
        until: int,
        on_wall: str,
        outside: str,
    ) -> NDArray[np.int64]:
        """Return the cells of sources that move by themselves."""
        try:
            return place(self._space, points, on_wall=on_wall, outside=outside)[1]
        except (OutsideMap, OnWall):
            pass
        for slot, point in zip(slots, points, strict=True):
            try:
                place(self._space, point, on_wall=on_wall, outside=outside)
            except (OutsideMap, OnWall) as error:
                left = isinstance(error, OutsideMap)
                identity = int(self.ids_of(np.array([slot]))[0])
                raise type(error)(
                    "A source that moves stays on " + ("the map" if left else "open ground"),
                    got=f"source {identity} at {tuple(point.tolist())} after"
                    f" {clock.seconds(until):g} s of its layer's time",
                    remedy=(
                        'Move it with outside="clamp" to act from the rim'
                        if left
                        else 'Move it with on_wall="through", or "nearest" to act from beside walls'
                    ),
                ) from None
        raise AssertionError("no source was refused alone")

    def _end_courses(self, slots: NDArray[np.int64]) -> None:
        """Let rows stay as they are."""
        self._motions.drop(slots)
        self._schedules.drop(slots)

    def _drop(self, slots: NDArray[np.int64]) -> None:
        super()._drop(slots)
        self._end_courses(slots)

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
        self, slots: NDArray[np.int64], velocities: NDArray[np.float64], on_wall: str, outside: str
    ) -> None:
        going = velocities.any(axis=1)
        self._motions.drop(slots)
        slots = slots[going]
        self._motions.set(
            slots,
            np.zeros(len(slots)),
            self._positions[slots],
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
        """Let a source walk along a path, as `Source.follow` does."""
        given, _ = checks.positions(path, dimensions=self.dimensions)
        pace, again = checks.positive("speed", speed), checks.flag("repeat", repeat)
        with self._lock:
            slot = self._slots([identity])
            place(self._space, given, on_wall=on_wall, outside=outside)
            points = np.concatenate([self._positions[slot], given])
            legs = self._space.shortest_vectors(np.diff(points, axis=0))
            lengths = np.sqrt((legs**2).sum(axis=1))
            legs, lengths = legs[lengths > 0], lengths[lengths > 0]
            ends = points[0] + np.concatenate([np.zeros((1, self.dimensions)), legs.cumsum(axis=0)])
            slopes = np.zeros_like(ends)
            slopes[:-1] = legs / lengths[:, np.newaxis] * pace
            times = np.concatenate([[0.0], np.cumsum(lengths) / pace])
            policies = ON_WALL.index(on_wall), OUTSIDE.index(outside)
            self._motions.set(slot, times, ends, slopes, repeat=again, policies=policies)

    def schedule(
        self, identity: int, times: ArrayLike, strengths: ArrayLike, period: float | None = None
    ) -> None:
        """Let the strength of a source change with time, as `Source.schedule` does."""
        begin = np.atleast_1d(checks.array("times", times))
        begin = checks.numbers("times", begin, len(begin) if begin.ndim == 1 else 1)
        if not len(begin) or begin[0] != 0 or (np.diff(begin) <= 0).any():
            raise InvalidValue(
                "The times of a schedule are seconds from now, ascending, the first 0",
                got=f"times={begin.tolist()}",
                remedy="Begin with the strength now: times=[0, 3, 5], strengths=[0, 8, 0]",
            )
        amounts = checks.amounts("strengths", strengths, len(begin))
        if period is not None and checks.positive("period", period) <= begin[-1]:
            raise InvalidValue(
                "The period of a schedule is longer than its last time",
                got=f"period={period!r} after times up to {begin[-1]:g}",
                remedy="Pass the seconds after which it begins again",
            )
        with self._lock:
            slot = self._slots([identity])
            self._check_range(amounts, len(self))
            self._strengths[slot] = amounts[0]
            self._note(slot)
            if period is not None:
                begin, amounts = np.append(begin, period), np.append(amounts, amounts[0])
            points = amounts.astype(np.float64)[:, np.newaxis]
            repeat = period is not None
            self._schedules.set(slot, begin, points, np.zeros_like(points), repeat=repeat)

    def _check_range(self, amounts: NDArray[np.float32], count: int) -> None:
        if self._kinds.limits is not None:
            self._kinds.limits.check(amounts, count)

    def _carried_state(self) -> dict[str, NDArray[Any]]:
        return self._motions.state("motion") | self._schedules.state("schedule")

    def _copy_rows(self, other: Rows) -> None:
        super()._copy_rows(other)
        if isinstance(other, CarriedRows):
            self._motions, self._schedules = other._motions.copy(), other._schedules.copy()

    def _take_rows(self, arrays: dict[str, NDArray[Any]], cells: int, shapes: int) -> None:
        super()._take_rows(arrays, cells, shapes)
        self._motions.restore("motion", arrays, self._alive)
        self._schedules.restore("schedule", arrays, self._alive)
