"""Distances to the goals of many agents in the surroundings of their shortest paths only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths.shortest import shortest_paths
from fieldcraft.space import Space
from fieldcraft.space.ways import kept_until_walls_change, runs

__all__ = ["Distances", "Guides"]

Ints = NDArray[np.int64]
Distances = tuple[NDArray[np.float32], Ints, NDArray[np.int32], NDArray[np.float32]]
"""Distances by rows as kernels take them, see `kernels.pibt.distance_of`."""

_WIDTH = 2  # steps around a path in which distances are known
_AT_ONCE = 64  # paths, for which memory is needed at a time
_NO_ROWS = np.empty((0, 0), dtype=np.float32)


class Guides:
    """A shortest path for each agent, and the distances around it, by way of the path.

    Memory grows with the lengths of paths and not with the map. An agent that has left the
    surroundings of its path gets another one.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self._ids = self._goals = np.empty(0, dtype=np.int64)
        self._spans = np.empty((0, 2), dtype=np.int64)
        self._keys = np.empty(0, dtype=np.int32)
        self._values = np.empty(0, dtype=np.float32)
        self._used = 0
        self._version = -1

    def around(self, ids: Ints, cells: Ints, goals: Ints) -> Distances:
        """Return the distances for agents in cells, one row for each; -1 is no goal."""
        spans, before = np.zeros((len(ids), 2), dtype=np.int64), np.full(len(ids), -1)
        if self._version == self.space.walls_version:
            _, now, then = np.intersect1d(ids, self._ids, assume_unique=True, return_indices=True)
            spans[now], before[now] = self._spans[then], self._goals[then]
        rows = np.where((goals == before) & (goals >= 0), np.arange(len(ids)), -1)
        found = np.empty(len(ids), dtype=np.float32)
        kernels.pibt.values_of((_NO_ROWS, spans, self._keys, self._values), rows, cells, found)
        new = np.flatnonzero((goals >= 0) & ((rows < 0) | ~np.isfinite(found)))
        for first in range(0, len(new), _AT_ONCE):
            some = new[first : first + _AT_ONCE]
            self._lead(spans, some, cells[some], goals[some])
        self._version = self.space.walls_version
        self._ids, self._goals, self._spans = ids, goals.copy(), spans
        if self._used > 2 * (spans[:, 1] - spans[:, 0]).sum() + 1024:
            self._compact()
        return _NO_ROWS, self._spans, self._keys, self._values

    def _lead(self, spans: Ints, agents: Ints, cells: Ints, goals: Ints) -> None:
        """Find paths for some agents, and write where their distances are."""
        place = self.space.position_of
        paths = [path.cells for path in shortest_paths(self.space, place(cells), place(goals))]
        keys, values = self._surroundings(paths)
        edges = np.searchsorted(keys, np.arange(len(paths) + 1) * len(self.space))
        spans[agents] = self._used + np.stack([edges[:-1], edges[1:]], axis=1)
        end = self._used + len(keys)
        if end > len(self._keys):
            more = end + end // 2
            self._keys, self._values = (
                np.concatenate([each, np.empty(more - len(each), each.dtype)])
                for each in (self._keys, self._values)
            )
        self._keys[self._used : end] = keys % len(self.space)
        self._values[self._used : end] = values
        self._used = end

    def _surroundings(self, paths: list[Ints]) -> tuple[Ints, NDArray[np.float64]]:
        """Return the cells around paths as `path * cells of the space + cell`, ascending, and
        their distances.
        """
        size = len(self.space)
        into, givers, lengths = _steps_into(self.space)
        counts = np.array([len(path) for path in paths])
        flat = np.concatenate(paths) if len(paths) else np.empty(0, dtype=np.int64)
        number = np.repeat(np.arange(len(paths)), counts)
        # Steps are counted on the path itself: near enough for cells of a like size.
        left = np.repeat(np.cumsum(counts), counts) - 1.0 - np.arange(len(flat))
        keys, values = _least(number * size + flat, left)
        rim, away = keys, values
        for _ in range(_WIDTH):
            cells = rim % size
            many = into[cells + 1] - into[cells]
            arcs = runs(into[cells], many)
            rim, away = _least(
                np.repeat(rim - cells, many) + givers[arcs], np.repeat(away, many) + lengths[arcs]
            )
            new = ~np.isin(rim, keys)
            rim, away = rim[new], away[new]
            keys, values = _least(np.concatenate([keys, rim]), np.concatenate([values, away]))
        return keys, values

    def _compact(self) -> None:
        """Drop distances that no agent has any more."""
        counts = self._spans[:, 1] - self._spans[:, 0]
        places = runs(self._spans[:, 0], counts)
        self._keys, self._values = self._keys[places], self._values[places]
        ends = np.cumsum(counts)
        self._spans, self._used = np.stack([ends - counts, ends], axis=1), len(places)


@kept_until_walls_change
def _steps_into(space: Space) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Return the steps that lead into each cell: where they begin in the lists of the cells that
    they leave and of their lengths in typical steps.
    """
    ways = space.ways
    order = np.argsort(ways.ends, kind="stable")
    into = np.searchsorted(ways.ends[order], np.arange(len(space) + 1))
    return into, ways.origins[order], ways.lengths[order] / (ways.typical or 1.0)


def _least(keys: Ints, values: NDArray[np.float64]) -> tuple[Ints, NDArray[np.float64]]:
    """Return each key once, ascending, with its least value."""
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    first = np.ones(len(keys), dtype=np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first], values[first]
