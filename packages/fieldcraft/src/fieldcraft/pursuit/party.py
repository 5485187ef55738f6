"""A search party: who goes where so that the fugitive is seen soonest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.motion import Motion
from fieldcraft.pursuit.particles import KINDS, Lost, Particles
from fieldcraft.pursuit.rollouts import Rollouts
from fieldcraft.pursuit.search import NONE, PATIENCE, Places, Search, not_a_memory
from fieldcraft.pursuit.visibility import Landmarks, hiding_places, landmarks_of, visibility_cache
from fieldcraft.space import Space

__all__ = ["SearchParty"]

Ints = NDArray[np.int64]

_SIGHT = 10  # typical steps
_LANDMARKS = 96
_SPARE = 3  # moments beyond the next thought that a searcher is sent,
_CELLS = 3  # and cells at least
_EVERY = 3.0  # seconds after which a searcher is thought of again
_AT_ONCE = 3  # of them in a thought,
_TURNS = 4  # or as many as it takes to come to all in so many thoughts
_PARTICLES = 800
_FEWEST = 0.4  # of the particles, below which those that are struck out are replaced


class SearchParty(Search):
    """Searchers who share the work: each goes where it makes the time until the target is seen
    shortest, given what the others do.

    What the target may do is drawn as some hundred particles (`Motion`): it runs on to a far
    place, hides, doubles back round what the nearest searcher sees, stands or wanders, straight
    on wherever a way is as short. Those on which it would have been seen are struck out, so
    that what is seen, and what is not, weighs one hypothesis against the others. Paths for a
    searcher lead to places all over the map, to where particles stay, from there on to others,
    and nowhere: it waits. For each it is counted which particles it would meet on the way, and
    when; the sooner the better, and what is far off counts less, as it is planned again. One
    after the other takes the way that is worth most beside those chosen before, and then once
    more, beside all others. So nobody goes through the same corridor as another unless it pays,
    and one waits where all must pass. A searcher gets the next segment of its way, not the end:
    of many ways as short it is to take this one.

    What is foreseen goes by places of a few cells each on maps of more than 4,096 open cells; what
    was seen, by cells.

    The gain of a set of ways is submodular, so choosing one after the other is at most a factor of
    2 worse than the best choice at that moment (Hollinger, Singh, Djugash and Kehagias, "Efficient
    Multi-robot Search for a Moving Target", IJRR 2009).

    Parameters
    ----------
    space : Space
        A grid or a graph.
    speed : float
        Of the target, world units a second; searchers are taken to be as fast.
    sight : float, optional
        How far searchers see, world units; ten typical steps if absent.
    motion : Motion, optional
        How the target moves, a `Motion`.
    every : float, optional
        Seconds after which all think again.
    particles : int, optional
        How many there are: more see finer, and take longer.
    patience : float, optional
        Seconds after which a searcher gives up a place that it could not reach.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    """

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        sight: float | None = None,
        motion: Motion | None = None,
        every: float = _EVERY,
        particles: int = _PARTICLES,
        patience: float = PATIENCE,
    ) -> None:
        self._particles: Particles | None = None
        self._heading = np.zeros(0)
        self._looked: list[tuple[int, Ints]] = []
        self._thought: Ints = np.zeros(0, dtype=np.int64)
        self._aims: Ints = np.zeros(0, dtype=np.int64)
        self._ends: Ints = np.zeros(0, dtype=np.int64)
        super().__init__(space, speed, patience=patience)
        self.sight = _SIGHT * self._step if sight is None else checks.positive("sight", sight)
        if motion is not None and not isinstance(motion, Motion):
            raise InvalidValue(
                "motion is a Motion",
                got=repr(motion)[:60],
                remedy="Pass fc.Motion(runs=0.5, hides=0.5), say",
            )
        self.motion = Motion() if motion is None else motion
        self.particles = checks.integer("particles", particles, minimum=1, maximum=100_000)
        self._interval = clock.ticks("every", every, minimum=1)
        self._moment = clock.ticks("a typical step", max(self._step / self.speed, 1e-6), minimum=1)

    # What happens

    def _begin(self, last: int) -> None:
        super()._begin(last)
        self._particles, self._looked = None, []
        self._thought = self._aims = self._ends = np.zeros(0, dtype=np.int64)

    def _lost(self, position: Places, velocity: Places) -> None:
        self._heading = np.array(velocity, dtype=np.float64)

    def _look(self, cells: Ints) -> None:
        moment = self._ticks // self._moment
        before = [self._looked.pop()[1]] if self._looked and self._looked[-1][0] == moment else []
        self._looked.append((moment, np.unique(np.concatenate([*before, cells]))))

    def _may_drop(self) -> NDArray[np.bool_]:
        return np.zeros(len(self._goals), dtype=np.bool_)

    def _follow(self, points: Places, rng: np.random.Generator) -> Particles:
        """Return the particles as they are now, after what has been seen since."""
        if self._particles is None:
            self._particles = self._laid_out(points, rng)
        particles = self._particles
        for moment, cells in self._looked:
            particles.go_on(moment, rng)
            self._strike(particles, cells, rng)
        self._looked = []
        particles.go_on(self._ticks // self._moment, rng)
        return particles

    def _strike(self, particles: Particles, cells: Ints, rng: np.random.Generator) -> None:
        seen = np.zeros(len(self.space), dtype=np.bool_)
        seen[cells] = True
        particles.observe(seen)
        if not len(particles.alive):  # none of them is true
            # A target moves on within a moment, before the particles make their step.
            start = self.space.position_of(self.space.nearest_open(self._last))
            reach = (particles.now + 1) * self._step
            away = distance_map(self.space, start, outward=True).exact.reshape(-1)
            hidden = np.isfinite(away) & ~seen
            if not hidden.any():
                hidden = np.isfinite(away)
            nearest = float(away[hidden].min())
            particles.reinitialize(np.flatnonzero(hidden & (away <= max(reach, nearest))), rng)

    def _marks(self) -> Landmarks:
        return landmarks_of(self.space, int(self.space.nearest_open(self._last)), _LANDMARKS)

    def _laid_out(self, points: Places, rng: np.random.Generator) -> Particles:
        start = int(self.space.nearest_open(self._last))
        visibility = visibility_cache(self.space, self.sight)
        hiding, likely = np.empty((0, 1), dtype=np.int32), np.empty(0)
        if self.motion.hides > 0:
            low, high = (steps * self._step for steps in self.motion.near)
            hiding, likely = hiding_places(self.space, visibility, start, (low, high), rng)
        searchers = self._cells_of(points)
        off = ((self.space.positions[searchers] - self.space.positions[start]) ** 2).sum(axis=1)
        heading = self._heading if len(self._heading) else np.zeros(self.space.dimensions)
        lost = Lost(
            self.space,
            start,
            heading,
            visibility.sees(int(searchers[np.argmin(off)])),
            self._moment / clock.TICKS_PER_SECOND,
        )
        particles = Particles(self._marks(), self._step)
        particles.begin(self.motion, self.particles, lost, hiding, likely, rng)
        return particles

    def _cells_of(self, points: Places) -> Ints:
        return np.atleast_1d(
            self.space.nearest_open(self.space.cell_at(points, outside="clamp"))
        ).astype(np.int64)

    # Who goes where

    def _send(self, points: Places, idle: Ints, rng: np.random.Generator) -> None:
        particles = self._follow(points, rng)
        if len(self._thought) != len(points):
            self._thought = np.full(len(points), NONE, dtype=np.int64)
            self._aims, self._ends = (
                self._cells_of(points),
                np.full(len(points), NONE, dtype=np.int64),
            )
        waited = np.where(self._thought == NONE, np.inf, self._ticks - self._thought)
        due = np.argsort(-waited, kind="stable")[: max(_AT_ONCE, -(-len(points) // _TURNS))]
        due = np.sort(due[waited[due] >= self._interval])
        if len(due):
            self._plan(particles, points, due, rng)
            self._thought[due] = self._ticks
        self._goals = self._aims.copy()

    def _plan(
        self, particles: Particles, points: Places, due: Ints, rng: np.random.Generator
    ) -> None:
        """Choose ways for the searchers who are due, and roughly for those whom nobody has sent
        yet; others go on to where they go.
        """
        if len(particles.alive) < _FEWEST * len(particles.weights):
            particles.resample(rng)
        starts, sent = self._cells_of(points), self._ends != NONE
        rollouts = Rollouts(
            self.space, particles, visibility_cache(self.space, self.sight), self._ends[sent], rng
        )
        unmet = rollouts.unmet()
        met = np.tile(unmet, (len(points), 1))
        for number in np.flatnonzero(sent).tolist():
            met[number] = rollouts.met(
                rollouts.way(int(starts[number]), int(self._ends[number])), unmet
            )
        offers = {
            number: rollouts.ways(int(starts[number]))
            for number in np.union1d(due, np.flatnonzero(~sent)).tolist()
        }
        for number in np.flatnonzero(~sent).tolist():
            way, end = rollouts.best(offers[number], rollouts.others(met, number), roughly=True)
            met[number] = rollouts.met(way, unmet)
            self._aims[number], self._ends[number] = self._leg(way, end), end
        for number in due.tolist():  # now each knows what all others do
            way, end = rollouts.best(offers[number], rollouts.others(met, number))
            met[number] = rollouts.met(way, unmet)
            self._aims[number], self._ends[number] = self._leg(way, end), end

    def _leg(self, way: NDArray[np.int32], end: int) -> int:
        """The cell on a way up to which a searcher goes before all think again: with its end alone
        it might take another as short.
        """
        changes = np.flatnonzero(np.diff(way)) + 1
        if not len(changes):
            return end
        third = changes[min(_CELLS, len(changes)) - 1]
        return int(way[max(min(self._interval // self._moment + _SPARE, len(way) - 1), third)])

    def prepare(self) -> None:
        """Work out what belongs to the map, and look from all its places, so that no search waits
        for it: a second at most, once a map.
        """
        visibility = visibility_cache(self.space, self.sight)
        visibility.know(np.unique(visibility.of))
        opened = np.flatnonzero(~self.space.walls.reshape(-1))
        if len(opened):
            landmarks_of(self.space, int(opened[len(opened) // 2]), _LANDMARKS)

    # What it says

    @property
    def values(self) -> NDArray[np.float32] | None:
        """How likely each cell is, by the particles that are left; None before any are laid out."""
        if self._particles is None:
            return None
        return self._particles.chances(len(self.space)).astype(np.float32).reshape(self.space.shape)

    def hypotheses(self) -> dict[str, float]:
        """How likely each thing that the target may do is by now, by name; they add up to 1. Empty
        before particles are laid out.
        """
        if self._particles is None:
            return {}
        shares = np.bincount(
            self._particles.kinds, weights=self._particles.weights, minlength=len(KINDS)
        )
        return dict(zip(KINDS, shares.tolist(), strict=True))

    def estimate(self) -> Places | None:
        """The likeliest cell; the last sighting before particles are laid out."""
        if self._particles is None or not len(self._particles.alive):
            return super().estimate()
        return np.asarray(
            self.space.position_of(int(np.argmax(self._particles.chances(len(self.space)))))
        )

    # Saves

    def _memory(self) -> dict[str, Any]:
        return {
            "heading": self._heading.copy(),
            "looked": tuple((moment, cells.copy()) for moment, cells in self._looked),
            "thought": self._thought.copy(),
            "aims": self._aims.copy(),
            "ends": self._ends.copy(),
            "particles": None if self._particles is None else self._particles.state(),
        }

    def _recall(self, memory: Mapping[str, Any]) -> None:
        try:
            heading = np.array(memory["heading"], dtype=np.float64)
            looked = [
                (int(moment), self.space.cell_ids(np.array(cells, dtype=np.int64)))
                for moment, cells in memory["looked"]
            ]
            state = memory["particles"]
            aims, ends, thought = (
                np.array(memory[name], dtype=np.int64) for name in ("aims", "ends", "thought")
            )
            if (
                aims.ndim != 1
                or not aims.shape == ends.shape == thought.shape
                or any(not 0 <= cell < len(self.space) for cell in aims.tolist())
                or any(not NONE <= cell < len(self.space) for cell in ends.tolist())
            ):
                raise ValueError("aims off the map")
            particles = None
            if state is not None:
                particles = Particles(self._marks(), self._step)
                particles.plan(self.motion)
                particles.take(state, len(self.space))
        except (KeyError, TypeError, ValueError, InvalidValue) as error:
            raise not_a_memory(f"{type(error).__name__}: {error}") from None
        self._heading, self._looked, self._particles = heading, looked, particles
        self._aims, self._ends, self._thought = aims, ends, thought
