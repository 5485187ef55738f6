"""Paths that searchers could take, and which particles they would see on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.pursuit.hiding_places import VisibilityCache
from fieldcraft.pursuit.likely_places import mean_position, offsets
from fieldcraft.pursuit.party.particles import Particles
from fieldcraft.space import Space

Path = NDArray[np.int32]

_AHEAD = 140  # Plans look so many moments ahead,
_STRIDE = 2  # once in so many moments.
_DISCOUNT = 0.94  # Each look is worth this share of the one before: later ones are planned again.
_SOON = 10  # A particle rests that does not move after so many moments.
_STILL = 12  # So many cells with resting particles are goals.
_ROUGHLY = 3  # A rough choice counts one particle of so many.
# So many paths are continued to so many other ends, if they reach their end by this moment.
_FIRSTS = 3
_SECONDS = 24
_LATEST = 45


class Routes(NamedTuple):
    """Paths of a searcher: `cells` (P, moments) by moment, `ends` (P,) the goal of each, and
    `goals` (P - 1,) its number for the landmarks; the last path is to stay.
    """

    cells: Path
    ends: Ints
    goals: Ints


class Rollouts:
    """The futures of some particles, and which of them a searcher would see on its paths.

    Parameters
    ----------
    space, particles, visibility
        The map, the possible targets, and what is seen from where.
    ends : Ints
        Cells that are goals of searchers in any case, beside landmarks and resting particles.
    """

    def __init__(
        self,
        space: Space,
        particles: Particles,
        visibility: VisibilityCache,
        ends: Ints,
        rng: np.random.Generator,
    ) -> None:
        self._particles = particles
        self._visibility = visibility
        self._space = space
        alive = particles.alive
        self._rows = particles.ahead(_AHEAD, alive, rng)
        self._weights = particles.weights[alive]
        self._futures = np.ascontiguousarray(visibility.of[self._rows[::_STRIDE]])
        self._depth = len(self._futures)
        self._worth = _DISCOUNT ** np.arange(self._depth + 1.0)
        marks = particles.landmarks
        cells = list(dict.fromkeys([*ends.tolist(), *self._resting()]))
        self._cells = np.concatenate([marks.places, np.array(cells, dtype=np.int64)])
        limit = _AHEAD * particles.step
        numbers = [marks.goal_of(space, cell, limit) for cell in cells]
        self._goals = np.array([*range(len(marks.places)), *numbers], dtype=np.int64)

    def _resting(self) -> list[int]:
        """Return the cells in which particles stay, the likeliest first."""
        stay = self._rows[_SOON] == self._rows[-1]
        cells, which = np.unique(self._rows[-1, stay], return_inverse=True)
        likely = np.bincount(which, weights=self._weights[stay], minlength=len(cells))
        return [int(cell) for cell in cells[np.argsort(-likely, kind="stable")[:_STILL]]]

    def unseen(self) -> Ints:
        """Return the look at which each particle is seen if nobody moves: none."""
        return np.full(len(self._weights), self._depth, dtype=np.int64)

    def seen_by_others(self, seen: Ints, number: int) -> Ints:
        """Return the look at which each particle is first seen by any searcher but one, given those
        of all, `seen` (S, M).
        """
        return np.asarray(np.delete(seen, number, axis=0).min(axis=0, initial=self._depth))

    def routes(self, start: int) -> Routes:
        """Return paths from a cell to all goals that it can reach; the last is to stay."""
        marks = self._particles.landmarks
        away = np.concatenate([marks.away[:, start], marks.fields[:, start]])[self._goals]
        reached = np.flatnonzero(np.isfinite(away) & (away > 0))
        cells = np.full((len(reached) + 1, _AHEAD), start, dtype=np.int32)
        marks.extend(cells[:-1], self._particles.step, self._goals[reached])
        return Routes(cells, np.append(self._cells[reached], start), self._goals[reached])

    def path(self, start: int, end: int) -> Path:
        """Return the path from a cell to one of the `ends`, (moments,) cells."""
        cells = np.full((1, _AHEAD), start, dtype=np.int32)
        goal = self._goals[np.flatnonzero(self._cells == end)[:1]]
        self._particles.landmarks.extend(cells, self._particles.step, goal)
        return np.asarray(cells[0])

    def best(self, routes: Routes, before: Ints, *, roughly: bool = False) -> tuple[Path, int]:
        """Return the path with the largest gain, (moments,) cells, and the cell to which it leads
        first. `before` (M,) is the look at which others see each particle.

        Paths that go on from their end to another are compared, too, but not `roughly`, which also
        counts one particle of three. Where no path sees any particle in time, the path is chosen
        whose end is nearest to the mean position of the target.
        """
        every = _ROUGHLY if roughly else 1
        gains = self._gains(routes.cells, before, every)[0]
        number = int(np.argmax(gains))
        if not gains[number] > 0:
            number = self._nearest_to_mean(routes.ends)
        elif not roughly:
            longer, first = self._continued(routes, gains)
            further = self._gains(longer, before)[0]
            if len(further) and further.max() > gains[number]:
                best = int(np.argmax(further))
                return longer[best], int(routes.ends[first[best]])
        return routes.cells[number], int(routes.ends[number])

    def _nearest_to_mean(self, ends: Ints) -> int:
        if not len(self._weights):
            return 0
        positions = self._space.positions
        mean = mean_position(self._space, positions[self._rows[0]], self._weights)
        off = (offsets(self._space, positions[ends], mean) ** 2).sum(axis=1)
        return int(np.argmin(off))

    def _continued(self, routes: Routes, gains: Floats) -> tuple[Path, Ints]:
        """Return paths from the ends of some of the best routes on to the best ends of others, and
        the numbers of the first.
        """
        there = routes.cells[:-1] == routes.ends[:-1, np.newaxis]
        soon = np.flatnonzero(there[:, : _LATEST + 1].any(axis=1))
        firsts = soon[np.argsort(-gains[soon], kind="stable")[:_FIRSTS]]
        seconds = np.argsort(-gains[:-1], kind="stable")[:_SECONDS]
        one = np.repeat(firsts, len(seconds))
        two = np.tile(seconds, len(firsts))
        found = routes.cells[one]
        marks = self._particles.landmarks
        begins = there[one].argmax(axis=1)
        marks.extend(found, self._particles.step, routes.goals[two], begins)
        return found, one

    def seen(self, path: Path, before: Ints) -> Ints:
        """Return the look at which each particle is first seen on a path, or as it was `before`."""
        return np.minimum(before, self._gains(path[np.newaxis], before)[1])

    def _gains(self, paths: Path, before: Ints, every: int = 1) -> tuple[Floats, Ints]:
        """Return how much more the views that see particles first are worth on each path than those
        `before`, and the look of the last path that sees each; of one particle of `every`.
        """
        gains = np.empty(len(paths))
        weights = np.ascontiguousarray(self._weights[::every])
        sums = np.empty(self._depth + 1)
        seen = np.empty(len(weights), dtype=np.int64)
        scratch = np.empty(len(weights), dtype=np.int64)
        if not len(paths):
            return gains, seen
        views = np.ascontiguousarray(self._visibility.of[paths[:, ::_STRIDE]])
        self._visibility.fill(views)
        # Sorted, so that the kernel reuses the views that two paths begin with.
        rows = views.view(np.dtype((np.void, views.strides[0]))).reshape(-1)
        order = np.argsort(rows, kind="stable")
        found = np.empty(len(paths))
        kernels.pursuit.rollout_steps.gains_of(
            np.ascontiguousarray(views[order]),
            np.ascontiguousarray(self._futures[:, ::every]),
            weights,
            np.ascontiguousarray(before[::every]),
            self._worth,
            self._visibility.views,
            seen,
            scratch,
            sums,
            found,
        )
        gains[order] = found
        return gains, seen
