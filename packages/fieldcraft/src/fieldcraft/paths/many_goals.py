"""Distances to the goals of many agents, one row of numbers for each goal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.arrays import read_only
from fieldcraft.paths.search_base import EVERYWHERE, buckets, incoming
from fieldcraft.space import Space

__all__ = ["ManyGoals"]

_EVEN = read_only(np.ones(1))

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
        self._starts, self._givers, self._into = incoming(ways)
        self._dist = np.empty(len(self.space))
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
        self._sizes = read_only(costs[self._into])
        self._now += factors is not None
        least, most = (float(costs.min()), float(costs.max())) if len(costs) else (1.0, 1.0)
        self._inverse, rounds = buckets(least, least, most)
        heads = np.full(rounds, -1, dtype=np.int32)
        size = len(self.space)
        self._queue = heads, np.zeros(size, dtype=np.uint32), np.empty(size, dtype=np.int32)

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
        arcs = self._starts, self._givers, self._starts, self._into, self._givers
        for row, goal in zip(rows.tolist(), goals.tolist(), strict=True):
            self._dist.fill(np.inf)
            kernels.distance_search.search(
                arcs,
                None,
                self._sizes,
                _EVEN,
                np.array([goal]),
                np.zeros(1),
                EVERYWHERE,
                np.inf,
                self._inverse,
                np.inf,
                self._dist,
                np.zeros(3, dtype=np.int64),
                self._queue,
            )
            self.rows[row] = self._dist
        self._goals[rows], self._made[rows] = goals, self._now
