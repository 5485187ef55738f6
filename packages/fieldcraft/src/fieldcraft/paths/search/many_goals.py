"""Distances to the goals of many agents: over the whole map, or around paths."""

from __future__ import annotations

from collections import defaultdict
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.agents.joint_plans import GoalDistances
from fieldcraft.kernels.distances.search_arrays import BucketQueue, SearchSeeds
from fieldcraft.kernels.shared.arrays import Ints, read_only
from fieldcraft.kernels.shared.step_lists import Arcs
from fieldcraft.paths.cost import SAME_COST
from fieldcraft.paths.search.distances import EVERYWHERE, buckets, incoming
from fieldcraft.paths.shortest import shortest_paths
from fieldcraft.space import Space
from fieldcraft.space.cached import cached_until_walls_change

# After costs have changed, so many cells of rows are computed again in a step,
_RENEWED_CELLS = 1 << 15
_MOST_RENEWED = 8  # in at most so many rows.


class _Request(NamedTuple):
    """The rows of the last request by goal, and what there was before it: the number of rows, those
    that are new since, and those of them with distances to other goals, with these goals, their
    ages and distances.
    """

    rows: Ints
    size: int
    new: Ints
    old: Ints
    goals: Ints
    made: Ints
    values: NDArray[np.float32]


class ManyGoals:
    """Distances from all cells to single cells, over steps that may have costs of their own.

    Distances are in steps: the length of a step is divided by that of a typical one. Rows that no
    agent uses are cached until their memory is needed; there are at most `most` rows. After costs
    have changed, the oldest rows in use are computed again, at most `renewed` at a time: fewer the
    more cells they have, at least one.

    What `rows_of` computes counts once `keep` is called. Else the next call begins with what was
    there before, so that a call that is refused changes no later result.
    """

    def __init__(self, space: Space, memory: int) -> None:
        self.space = space
        size = max(len(space), 1)
        self.most = memory // (4 * size)
        self.renewed = min(max(_RENEWED_CELLS // size, 1), _MOST_RENEWED)
        self.version = -1
        self.follow()

    def follow(self) -> None:
        """Read the walls of the space if they have changed."""
        if self.version == self.space.walls_version:
            return
        self.version = self.space.walls_version
        adjacency = self.space.adjacency
        self.starts = adjacency.starts
        self.ends = adjacency.ends
        self.begins = adjacency.origins.astype(np.int32)
        self.lengths = adjacency.lengths / (adjacency.typical or 1.0)
        self._starts, self._givers, self._into = incoming(adjacency)
        self._dist = np.empty(len(self.space))
        self.rows = np.empty((0, len(self.space)), dtype=np.float32)
        self._goals = np.empty(0, dtype=np.int64)
        self._made = np.empty(0, dtype=np.int64)
        self._now = 0
        self._request: _Request | None = None
        self.set_costs(None)

    def set_costs(self, factors: NDArray[np.float64] | None) -> None:
        """Set the cost of each step per length, (A,); None for 1."""
        if factors is None:
            costs = self.lengths
        else:
            costs = self.lengths * factors
        self.costs = costs.astype(np.float32)
        self._sizes = read_only(costs[self._into])
        if factors is not None:
            self._now += 1
        if len(costs):
            least, most = (float(costs.min()), float(costs.max()))
        else:
            least, most = (1.0, 1.0)
        self._inverse, rounds = buckets(least, least, most)
        heads = np.full(rounds, -1, dtype=np.int32)
        size = len(self.space)
        self._queue = BucketQueue(
            heads, np.zeros(size, dtype=np.uint32), np.empty(size, dtype=np.int32)
        )

    def rows_of(self, goals: Ints) -> Ints:
        """Return the row of the distances to each goal, (N,); at most `most` goals are different.

        `keep` follows, unless the call is refused.
        """
        self._undo()
        wanted, places = np.unique(goals, return_inverse=True)
        order = np.argsort(self._goals, kind="stable")
        found = np.searchsorted(self._goals[order], wanted)
        known = np.zeros(len(wanted), dtype=np.bool_)
        inside = found < len(order)
        known[inside] = self._goals[order[found[inside]]] == wanted[inside]
        rows = np.full(len(wanted), -1, dtype=np.int64)
        rows[known] = order[found[known]]
        missing = np.flatnonzero(~known)
        size = len(self._goals)
        if len(missing):
            rows[missing] = self._free_rows(rows[known], len(missing))
        new = rows[missing]
        old = new[self._goals[new] >= 0]
        self._request = _Request(
            rows, size, new, old, self._goals[old], self._made[old], self.rows[old]
        )
        self._compute(new, wanted[missing])
        return rows[places]

    def keep(self) -> None:
        """Keep the rows of the last call of `rows_of`, and compute the oldest of them again if
        costs have changed.
        """
        if self._request is None:
            return
        used = self._request.rows
        self._request = None
        stale = used[self._made[used] < self._now]
        stale = stale[np.argsort(self._made[stale], kind="stable")][: self.renewed]
        self._compute(stale, self._goals[stale])

    def _undo(self) -> None:
        """Restore the rows before the last call of `rows_of` if they were not kept."""
        if self._request is None:
            return
        _, size, new, old, goals, made, values = self._request
        self._request = None
        self._goals[new] = -1
        self._made[new] = -1
        self._goals[old] = goals
        self._made[old] = made
        self.rows[old] = values
        if size < len(self._goals):
            self.rows = self.rows[:size].copy()
            self._goals = self._goals[:size]
            self._made = self._made[:size]

    def _free_rows(self, used: Ints, count: int) -> Ints:
        """Return unused rows, the oldest first; add rows if there are too few."""
        free = np.setdiff1d(np.arange(len(self._goals)), used)
        if len(free) < count:
            most = self.most - len(self._goals)
            more = max(count - len(free), min(len(self._goals), most))
            self.rows = np.concatenate([self.rows, np.empty((more, len(self.space)), np.float32)])
            self._goals = np.concatenate([self._goals, np.full(more, -1)])
            self._made = np.concatenate([self._made, np.full(more, -1)])
            free = np.setdiff1d(np.arange(len(self._goals)), used)
        return free[np.argsort(self._made[free], kind="stable")][:count]

    def _compute(self, rows: Ints, goals: Ints) -> None:
        arcs = Arcs(self._starts, self._givers, self._starts, self._into, self._givers)
        for row, goal in zip(rows.tolist(), goals.tolist(), strict=True):
            self._dist.fill(np.inf)
            kernels.distances.distance_search.search(
                arcs,
                None,
                self._sizes,
                SAME_COST,
                SearchSeeds(np.array([goal]), np.zeros(1)),
                EVERYWHERE,
                np.inf,
                self._inverse,
                np.inf,
                self._dist,
                np.zeros(3, dtype=np.int64),
                self._queue,
            )
            self.rows[row] = self._dist
        self._goals[rows] = goals
        self._made[rows] = self._now


_WIDTH = 4  # Distances are known up to so many steps beside a path.
_AT_ONCE = 64  # So many paths are searched at a time.
_LEAST = 64  # The smallest table has so many places,
_GROWTH = 2**0.5  # each larger one this factor more.
_PLACES = 1.4  # A table has so many places for each cell.
_NO_ROWS = np.empty((0, 0), dtype=np.float32)
_NO_TABLES = read_only(np.empty((0, 2), dtype=np.int64))


class Guides:
    """A shortest path for each agent, and the distances of the cells around it, along the path.

    Memory grows with the lengths of paths and not with the map. An agent that has left the
    surroundings of its path gets another one. Tables that no agent uses are reused for paths of
    that size.

    What `around` finds counts once `keep` is called. Else the next call begins with what was there
    before, so that a call that is refused changes no later result.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._version = -1
        self._forget()

    def _forget(self) -> None:
        self._ids = self._goals = np.empty(0, dtype=np.int64)
        self._spans = _NO_TABLES
        self._next: tuple[Ints, Ints, Ints] | None = None
        self._added = _NO_TABLES
        self._dropped = _NO_TABLES
        self._tables = np.empty((0, 2), dtype=np.int32)
        self._free: defaultdict[int, list[int]] = defaultdict(list)
        self._used = 0
        self._dist = np.full(len(self.space), np.inf)
        self._found = np.empty(len(self.space), dtype=np.int32)

    def around(self, ids: Ints, cells: Ints, goals: Ints) -> GoalDistances:
        """Return the distances for agents in cells, one row for each; -1 is no goal.

        `keep` follows, unless the call is refused.
        """
        if self._version != self.space.walls_version:
            self._version = self.space.walls_version
            self._forget()
        self._release(self._added)
        self._next = None
        before = self._goals
        spans = self._spans.copy()
        dropped = _NO_TABLES
        if not np.array_equal(ids, self._ids):
            spans = np.zeros((len(ids), 2), dtype=np.int64)
            before = np.full(len(ids), -1)
            _, now, then = np.intersect1d(ids, self._ids, assume_unique=True, return_indices=True)
            spans[now] = self._spans[then]
            before[now] = self._goals[then]
            gone = np.ones(len(self._ids), dtype=np.bool_)
            gone[then] = False
            dropped = self._spans[gone]
        rows = np.where((goals == before) & (goals >= 0), np.arange(len(ids)), -1)
        found = np.empty(len(ids), dtype=np.float32)
        kernels.agents.pibt_steps.read_distances(self._distances(spans), rows, cells, found)
        new = np.flatnonzero((goals >= 0) & ((rows < 0) | ~np.isfinite(found)))
        self._dropped = np.concatenate([dropped, spans[new]])
        self._added = np.zeros((len(new), 2), dtype=np.int64)
        for first in range(0, len(new), _AT_ONCE):
            some = new[first : first + _AT_ONCE]
            self._lead(cells[some], goals[some], self._added[first : first + _AT_ONCE])
        spans[new] = self._added
        self._next = (ids, goals.copy(), spans)
        return self._distances(spans)

    def keep(self) -> None:
        """Keep the paths of the last call of `around`."""
        if self._next is None:
            return
        self._ids, self._goals, self._spans = self._next
        self._release(self._dropped)
        self._next = None
        self._added = _NO_TABLES
        self._dropped = _NO_TABLES

    def _distances(self, spans: Ints) -> GoalDistances:
        return GoalDistances(_NO_ROWS, spans, self._tables)

    def _lead(self, cells: Ints, goals: Ints, spans: Ints) -> None:
        """Find paths from cells to goals, and the distances around them; write into `spans` where
        their tables begin and end.
        """
        place = self.space.position_of
        steps = _steps_into(self.space)
        paths = shortest_paths(self.space, place(cells), place(goals))
        for number, path in enumerate(paths):
            count = kernels.distances.guides.surround(
                steps, path.cells, _WIDTH, self._dist, self._found
            )
            low, high = self._table(count)
            spans[number] = (low, high)
            kernels.distances.guides.store(self._found[:count], self._dist, self._tables[low:high])

    def _table(self, cells: int) -> tuple[int, int]:
        """Return where a table for a number of cells begins and ends."""
        growths = ceil(max(0.0, log2((_PLACES * cells + 1) / _LEAST) / log2(_GROWTH)))
        size = round(_LEAST * _GROWTH**growths)
        if self._free[size]:
            low = self._free[size].pop()
            return low, low + size
        low = self._used
        self._used += size
        if self._used > len(self._tables):
            more = np.empty((self._used + self._used // 2, 2), dtype=np.int32)
            more[: len(self._tables)] = self._tables
            self._tables = more
        return low, self._used

    def _release(self, spans: Ints) -> None:
        for low, high in spans.tolist():
            if high > low:
                self._free[high - low].append(low)


@cached_until_walls_change
def _steps_into(space: Space) -> tuple[Ints, NDArray[np.int32], NDArray[np.float64]]:
    """Return the steps into each cell: the first index of each cell, the cells that steps leave,
    and their lengths in typical steps.
    """
    adjacency = space.adjacency
    starts, origins, order = incoming(adjacency)
    return starts, origins, read_only(adjacency.lengths[order] / (adjacency.typical or 1.0))
