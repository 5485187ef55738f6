"""The rollouts of searchers: ways that they could take, and the particles that they would meet on
them before long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.pursuit.particles import Particles
from fieldcraft.pursuit.visibility import VisibilityCache
from fieldcraft.space import Space

__all__ = ["Rollouts"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_AHEAD = 140  # moments to look ahead
_STRIDE = 2  # moments from look to look in that
_KEPT = (
    0.94  # of the worth of a look: sooner counts more, since what is far off is thought over again
)
_SOON = 10  # moments
_STILL = 12  # places where particles stay
_ROUGHLY = 3  # particles of which one is looked at
_FIRSTS = 3  # ways that are gone on from, once their end is reached,
_SECONDS = 24  # and where to
_LATEST = 45  # moments in which it is


class Routes(NamedTuple):
    """Paths of a searcher: `cells` (P, moments) by moment, `ends` (P,) the cell that each leads to,
    and `goals` (P - 1,) what these are to landmarks; the last way is to stay.
    """

    cells: NDArray[np.int32]
    ends: Ints
    goals: Ints


class Rollouts:
    """The futures of some particles, and which of them a searcher would meet on each of its ways.

    Parameters
    ----------
    space, particles, visibility
        The map, who is searched for, and what is seen from where.
    aims : Ints
        Cells to which ways are thought of in any case.
    """

    def __init__(
        self,
        space: Space,
        particles: Particles,
        visibility: VisibilityCache,
        aims: Ints,
        rng: np.random.Generator,
    ) -> None:
        self._space, self._particles, self._visibility = space, particles, visibility
        alive = particles.alive
        self._rows = particles.ahead(_AHEAD, alive, rng)
        self.weights = particles.weights[alive]
        self._futures = np.ascontiguousarray(visibility.of[self._rows[::_STRIDE]])
        self.looks = len(self._futures)
        self._worth_of = _KEPT ** np.arange(self.looks + 1.0)
        marks = particles.marks
        cells = list(dict.fromkeys([*aims.tolist(), *self._resting()]))
        self._cells = np.concatenate([marks.places, np.array(cells, dtype=np.int64)])
        self._goals = np.concatenate(
            [
                np.arange(len(marks.places)),
                np.array(
                    [marks.goal_of(space, cell, _AHEAD * particles.step) for cell in cells],
                    dtype=np.int64,
                ),
            ]
        )

    def _resting(self) -> list[int]:
        """The cells in which particles stay, the likeliest first."""
        stay = self._rows[_SOON] == self._rows[-1]
        cells, which = np.unique(self._rows[-1, stay], return_inverse=True)
        likely = np.bincount(which, weights=self.weights[stay], minlength=len(cells))
        return [int(cell) for cell in cells[np.argsort(-likely, kind="stable")[:_STILL]]]

    def unmet(self) -> Ints:
        """The look at which each particle is seen if nobody goes anywhere: none."""
        return np.full(len(self.weights), self.looks, dtype=np.int64)

    def others(self, met: Ints, number: int) -> Ints:
        """Return the look at which each particle is seen first by anybody but one searcher, given
        those of all, `met` (S, M).
        """
        return np.asarray(np.delete(met, number, axis=0).min(axis=0, initial=self.looks))

    def ways(self, start: int) -> Routes:
        """Return ways from a cell to landmarks and to where particles stay; the last is to stay."""
        marks = self._particles.marks
        away = np.concatenate([marks.away[:, start], marks.fields[:, start]])[self._goals]
        goes = np.flatnonzero(np.isfinite(away) & (away > 0))
        cells = np.full((len(goes) + 1, _AHEAD), start, dtype=np.int32)
        marks.lead(
            cells[:-1], self._particles.step, self._goals[goes], np.zeros(len(goes), dtype=np.int64)
        )
        return Routes(cells, np.append(self._cells[goes], start), self._goals[goes])

    def way(self, start: int, end: int) -> NDArray[np.int32]:
        """The way from a cell to one of the `aims`, (moments,) cells."""
        cells = np.full((1, _AHEAD), start, dtype=np.int32)
        goal = self._goals[np.flatnonzero(self._cells == end)[:1]]
        self._particles.marks.lead(cells, self._particles.step, goal, np.zeros(1, dtype=np.int64))
        return np.asarray(cells[0])

    def best(
        self, ways: Routes, before: Ints, *, roughly: bool = False
    ) -> tuple[NDArray[np.int32], int]:
        """The way that is worth most, (moments,) cells, and the cell to which it leads first, of
        those too that go on from there.

        `roughly`, by one particle of three, of those that go nowhere else.

        Where no way meets any particle in time, it is the one whose end is nearest to the mean
        position of the target.
        """
        gains = self._worth(ways.cells, before, _ROUGHLY if roughly else 1)
        if not gains.max() > 0:
            off = (
                ((self._space.positions[ways.ends] - self._middle()) ** 2).sum(axis=1)
                if len(self.weights)
                else np.zeros(1)
            )
            number = int(np.argmin(off))
            return ways.cells[number], int(ways.ends[number])
        number = int(np.argmax(gains))
        if not roughly:
            longer, first = self._longer(ways, gains)
            further = self._worth(longer, before)
            if len(further) and further.max() > gains[number]:
                best = int(np.argmax(further))
                return longer[best], int(ways.ends[first[best]])
        return ways.cells[number], int(ways.ends[number])

    def _longer(self, ways: Routes, gains: Floats) -> tuple[NDArray[np.int32], Ints]:
        """Return longer routes, from the ends of some of the best routes to the best ends of
        others, and which these are.
        """
        there = ways.cells[:-1] == ways.ends[:-1, np.newaxis]
        soon = np.flatnonzero(there[:, : _LATEST + 1].any(axis=1))
        firsts = soon[np.argsort(-gains[soon], kind="stable")[:_FIRSTS]]
        seconds = np.argsort(-gains[:-1], kind="stable")[:_SECONDS]
        one, two = np.repeat(firsts, len(seconds)), np.tile(seconds, len(firsts))
        found = ways.cells[one]
        self._particles.marks.lead(
            found, self._particles.step, ways.goals[two], there[one].argmax(axis=1)
        )
        return found, one

    def _worth(self, ways: NDArray[np.int32], before: Ints, every: int = 1) -> Floats:
        """Return how much more the looks that see particles first are worth on each way than they
        were `before`.
        """
        if not len(ways):
            return np.empty(0)
        looks = np.ascontiguousarray(self._visibility.of[ways[:, ::_STRIDE]])
        self._visibility.know(looks)
        order = np.argsort(
            looks.view(np.dtype((np.void, looks.strides[0]))).reshape(-1), kind="stable"
        )
        gains = np.empty(len(ways))
        gains[order] = self._foreseen(np.ascontiguousarray(looks[order]), before, every)[0]
        return gains

    def met(self, way: NDArray[np.int32], before: Ints) -> Ints:
        """The look at which each particle is seen first by somebody on this way, or as it was
        `before`.
        """
        looks = np.ascontiguousarray(self._visibility.of[way[np.newaxis, ::_STRIDE]])
        self._visibility.know(looks)
        return np.minimum(before, self._foreseen(looks, before)[1])

    def _foreseen(
        self, looks: NDArray[np.int32], before: Ints, every: int = 1
    ) -> tuple[Floats, Ints]:
        futures, weights = (
            np.ascontiguousarray(self._futures[:, ::every]),
            np.ascontiguousarray(self.weights[::every]),
        )
        many = len(weights)
        seen, order = np.empty(many, dtype=np.int64), np.empty(many, dtype=np.int64)
        sums, gains = np.empty(self.looks + 1), np.empty(len(looks))
        before = np.ascontiguousarray(before[::every])
        kernels.foresee.foresee(
            looks,
            futures,
            weights,
            before,
            self._worth_of,
            self._visibility.views,
            seen,
            order,
            sums,
            gains,
        )
        return gains, seen

    def _middle(self) -> Floats:
        """Where the target is on average, a world position."""
        places = self._space.positions[self._rows[0]]
        return np.asarray((places * self.weights[:, np.newaxis]).sum(axis=0) / self.weights.sum())
