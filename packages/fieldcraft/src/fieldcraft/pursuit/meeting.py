"""Ways on which a target would be met, by some of its futures: to where a searcher can be before it
comes there, or where it stays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.pursuit.landmarks import landmarks_of
from fieldcraft.pursuit.outlooks import outlooks_of
from fieldcraft.pursuit.shortest import by_moment, reached, traced
from fieldcraft.space import Space

__all__ = ["meeting_ways"]

Ints = NDArray[np.int64]

_LANDMARKS = 64
_RESTING = 32  # places where futures stay
_STILL = 9  # intervals in which these do
_STRIDE = 2  # intervals from look to look


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
    outlooks = outlooks_of(space, sight)
    futures = outlooks.of[paths[::_STRIDE]][np.newaxis]
    worth = np.arange(futures.shape[1], 0, -1, dtype=np.int16)[:, np.newaxis]
    ways, offers = [], []
    for start in starts.tolist():
        own = _ways(space, start, cells, len(paths), stride)
        looks = outlooks.of[own[:, ::_STRIDE]]
        outlooks.know(np.unique(looks))
        ways.append(own)
        offers.append(
            np.where(outlooks.views[looks[:, :, np.newaxis], futures], worth, 0).max(axis=1)
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
    away, back = reached(space, start, stride * moments)
    nodes = traced(start, cells[np.isfinite(away[cells])], back)
    return by_moment(nodes, away[nodes], (np.arange(moments) + 0.5) * stride)


def _candidates(space: Space, starts: Ints, paths: Ints, aims: Ints) -> Ints:
    """Landmarks, where searchers are and are going, and where futures stay."""
    last = paths[-1, (paths[-1] == paths[-min(_STILL, len(paths))])]
    resting, counts = np.unique(last, return_counts=True)
    resting = resting[np.argsort(-counts, kind="stable")[:_RESTING]]
    marks = landmarks_of(space, int(starts[0]), _LANDMARKS).places
    return np.unique(np.concatenate([marks, starts, aims, resting])).astype(np.int64)
