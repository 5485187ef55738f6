"""Positions and strengths of sources as functions of time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import clock

__all__ = ["PiecewiseLinear"]

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
        """Give each of these rows a function from now on, with as many knots each."""
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
        return {f"{name}_{each}": getattr(self, each) for each in _COLUMNS} if len(self) else {}

    def restore(self, name: str, arrays: dict[str, NDArray[Any]], alive: NDArray[np.bool_]) -> None:
        """Take the columns that `state` returned; raises ValueError for others."""
        if f"{name}_rows" not in arrays:
            return
        for each in _COLUMNS:
            found, empty = arrays[f"{name}_{each}"], getattr(self, each)
            if found.dtype != empty.dtype or found.shape[1:] != empty.shape[1:]:
                raise ValueError(
                    f"functions of time with {each} of {found.dtype} and shape {found.shape}"
                )
            setattr(self, each, found.copy())
        rows, knots = len(self.rows), int(self.counts.sum())
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
