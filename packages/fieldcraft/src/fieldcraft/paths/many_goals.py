"""Distances to the goals of many agents, one row of numbers for each goal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.arrays import read_only
from fieldcraft.space import Space

__all__ = ["ManyGoals"]

_MOST_BUCKETS = 4096
_NARROWER = 1e-7  # so that rounding does not bring both ends of a step into one bucket

Ints = NDArray[np.int64]


class ManyGoals:
    """Distances from all cells to single cells, over steps that may have costs of their own.

    Distances are in steps: the length of a step is divided by that of a typical one. Rows that no
    agent needs any more are kept until their place is needed. After costs have changed, the
    oldest rows in use are computed anew, so many at a time.
    """

    def __init__(self, space: Space, renewed: int) -> None:
        self.space, self.renewed = space, renewed
        self.version = -1
        none = np.empty(0, dtype=np.int32)
        self._scratch = np.empty(0), none, none, none
        self.follow()

    def follow(self) -> bool:
        """Take over the walls of the space; return whether they have changed."""
        if self.version == self.space.walls_version:
            return False
        self.version = self.space.walls_version
        ways = self.space.adjacency
        self.starts, self.ends = ways.starts, ways.ends
        self.begins = ways.origins.astype(np.int32)
        self.lengths = ways.lengths / (ways.typical or 1.0)
        self._into = np.argsort(self.ends, kind="stable")
        self._into_starts = np.zeros(len(self.starts), dtype=np.int64)
        into = np.bincount(self.ends, minlength=len(self.starts) - 1)
        np.cumsum(into, out=self._into_starts[1:])
        self._givers = self.begins[self._into]
        self.rows = np.empty((0, len(self.space)), dtype=np.float32)
        self._goals = np.empty(0, dtype=np.int64)
        self._made = np.empty(0, dtype=np.int64)
        self._now = 0
        self.charge(None)
        return True

    def charge(self, factors: NDArray[np.float64] | None) -> None:
        """Let each step cost this many times its length (A,)."""
        costs = self.lengths if factors is None else self.lengths * factors
        self.costs = costs.astype(np.float32)
        self._steps = self._into_starts, self._givers, read_only(costs[self._into])
        self._now += factors is not None
        least, most = (float(costs.min()), float(costs.max())) if len(costs) else (1.0, 1.0)
        width = max(least, most / _MOST_BUCKETS)
        self._inverse, self._buckets = (1 + _NARROWER) / width, int(most / width) + 3

    def rows_of(self, goals: Ints) -> Ints:
        """Return the row of the distances to each goal, (N,)."""
        wanted, places = np.unique(goals, return_inverse=True)
        order = np.argsort(self._goals, kind="stable")
        found = np.searchsorted(self._goals[order], wanted)
        known = np.zeros(len(wanted), dtype=np.bool_)
        inside = found < len(order)
        known[inside] = self._goals[order[found[inside]]] == wanted[inside]
        rows = np.full(len(wanted), -1, dtype=np.int64)
        rows[known] = order[found[known]]
        missing = np.flatnonzero(~known)
        if len(missing):
            rows[missing] = self._free_rows(rows[known], len(missing))
        stale = rows[known][self._made[rows[known]] < self._now]
        stale = stale[np.argsort(self._made[stale], kind="stable")][: self.renewed]
        self._compute(
            np.concatenate([rows[missing], stale]),
            np.concatenate([wanted[missing], self._goals[stale]]),
        )
        return rows[places]

    def _free_rows(self, used: Ints, count: int) -> Ints:
        """Return rows that are not in use, the oldest first; there are more of them if need be."""
        free = np.setdiff1d(np.arange(len(self._goals)), used)
        if len(free) < count:
            more = max(count - len(free), len(self._goals))
            self.rows = np.concatenate([self.rows, np.empty((more, len(self.space)), np.float32)])
            self._goals = np.concatenate([self._goals, np.full(more, -1)])
            self._made = np.concatenate([self._made, np.full(more, -1)])
            free = np.setdiff1d(np.arange(len(self._goals)), used)
        return free[np.argsort(self._made[free], kind="stable")][:count]

    def _compute(self, rows: Ints, goals: Ints) -> None:
        if not len(rows):
            return
        size = len(self.space)
        if len(self._scratch[0]) != size or len(self._scratch[1]) != self._buckets:
            self._scratch = (
                np.empty(size),
                np.empty(self._buckets, dtype=np.int32),
                np.empty(size, dtype=np.int32),
                np.empty(size, dtype=np.int32),
            )
        kernels.guides.settle_each(
            self._steps, goals, rows, self._inverse, self.rows, self._scratch
        )
        self._goals[rows], self._made[rows] = goals, self._now
