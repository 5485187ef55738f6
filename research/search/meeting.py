"""Ways on which a target would be met, by some of its futures: to where a searcher can be before it
comes there, or where it stays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, clock
from fieldcraft.pursuit import BeliefSearch
from fieldcraft.pursuit.backend import backend
from fieldcraft.pursuit.hiding_places import by_moment, traced
from fieldcraft.pursuit.landmarks import landmarks_of
from fieldcraft.pursuit.search import NONE, Places
from fieldcraft.pursuit.visibility_cache import visibility_cache
from fieldcraft.space import Space
from research.search.futures import futures

__all__ = ["MeetingSearch", "meeting_ways"]

Ints = NDArray[np.int64]

_LANDMARKS = 64
_RESTING = 32  # places where futures stay
_STILL = 9  # intervals in which these do
_STRIDE = 2  # intervals from look to look
_FUTURES, _AHEAD = 256, 45  # of a target, and how many intervals
_SIGHT = 10.0  # typical steps
_SPARE = 2  # intervals beyond the next plan in which the next leg ends


class MeetingSearch(BeliefSearch):
    """Searchers go where they meet a target whose motion is known.

    The belief gives some hundred futures of the target, and each searcher in turn takes the path
    on which most of them would be seen soonest by somebody who sees as far as `sight`, world units
    (ten typical steps if absent). Searchers plan anew each `every` seconds. The other parameters
    are those of `BeliefSearch`.
    """

    def __init__(
        self, space: Space, speed: float, *, sight: float | None = None, **options: Any
    ) -> None:
        super().__init__(space, speed, **options)
        self.sight = _SIGHT * self._step if sight is None else checks.positive("sight", sight)

    def _begin(self, last: int) -> None:
        super()._begin(last)
        self._planned = NONE
        self._aims = self._ends = np.zeros(0, dtype=np.int64)

    def _may_drop(self) -> NDArray[np.bool_]:
        return np.zeros(len(self._goals), dtype=np.bool_)

    def _send(self, points: Places, idle: Ints, rng: np.random.Generator) -> None:
        late = self._ticks - self._planned >= self._interval
        if self._planned == NONE or late or len(self._aims) != len(points):
            self._plan(points, rng)
            self._planned = self._ticks
        self._goals = self._aims.copy()

    def _plan(self, points: Places, rng: np.random.Generator) -> None:
        """Plan a path for each searcher: the cell to go to next, and where the path ends."""
        cells = self.space.nearest_open(self.space.cell_at(points, outside="clamp"))
        paths = futures(self.belief, _FUTURES, _AHEAD, rng)
        ways = meeting_ways(
            self.space,
            np.atleast_1d(cells).astype(np.int64),
            paths,
            self.speed * self.belief.every,
            self.sight,
            self._ends,
        )
        likely = np.atleast_1d(self.space.cell_at(self._assigned(points, rng)))
        moment = self._interval // clock.ticks("every", self.belief.every) + _SPARE
        both = list(zip(ways, likely, strict=True))
        self._aims = np.array([w[min(moment, len(w) - 1)] if len(w) else c for w, c in both])
        self._ends = np.array([w[-1] if len(w) else c for w, c in both])


def meeting_ways(
    space: Space, starts: Ints, paths: Ints, stride: float, sight: float, aims: Ints
) -> list[Ints]:
    """The way of each searcher, (T,) cells, so that the target is expected to be seen soonest;
    empty for whoever would meet it nowhere.

    Searchers begin in cells `starts` (S,), and are told ways in turn: the one first who gains most.
    `paths` (T, M) are futures of the target, a cell each interval, in which a searcher gets as far
    as `stride`, world units; it sees as far as `sight`. `aims` are more cells to think of.
    """
    cells = _candidates(space, starts, paths, aims)
    visibility = visibility_cache(space, sight)
    futures = visibility.of[paths[::_STRIDE]][np.newaxis]
    worth = np.arange(futures.shape[1], 0, -1, dtype=np.int16)[:, np.newaxis]
    ways, offers = [], []
    for start in starts.tolist():
        own = _ways(space, start, cells, len(paths), stride)
        looks = visibility.of[own[:, ::_STRIDE]]
        visibility.know(np.unique(looks))
        ways.append(own)
        offers.append(
            np.where(visibility.views[looks[:, :, np.newaxis], futures], worth, 0).max(axis=1)
        )
    found = [np.zeros(0, dtype=np.int64) for _ in ways]
    before = np.zeros(paths.shape[1], dtype=np.int16)
    free = list(range(len(starts)))
    while free:
        gains = [np.maximum(offers[number] - before, 0).sum(axis=1) for number in free]
        which = int(np.argmax([each.max() for each in gains]))
        best = int(np.argmax(gains[which]))
        if gains[which][best] <= 0:
            break
        number = free.pop(which)
        found[number] = ways[number][best]
        before = np.maximum(before, offers[number][best])
    return found


def _ways(space: Space, start: int, cells: Ints, moments: int, stride: float) -> Ints:
    """The ways of a searcher to those of some cells that it reaches in time, (P, moments) cells, by
    shortest ways.
    """
    away, back = backend(space).shortest_tree(start, stride * moments)
    nodes = traced(start, cells[np.isfinite(away[cells])], back)
    return by_moment(nodes, away[nodes], (np.arange(moments) + 0.5) * stride)


def _candidates(space: Space, starts: Ints, paths: Ints, aims: Ints) -> Ints:
    """Landmarks, where searchers are and are going, and where futures stay."""
    last = paths[-1, (paths[-1] == paths[-min(_STILL, len(paths))])]
    resting, counts = np.unique(last, return_counts=True)
    resting = resting[np.argsort(-counts, kind="stable")[:_RESTING]]
    marks = landmarks_of(space, int(starts[0]), _LANDMARKS).places
    return np.unique(np.concatenate([marks, starts, aims, resting])).astype(np.int64)
