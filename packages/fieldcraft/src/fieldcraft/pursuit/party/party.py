"""A search party: where each searcher goes, so that a lost target is seen soonest."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.base.missing_names import Suggesting, SuggestingArguments
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.hiding_places import SearcherSight, hiding_paths, visibility_cache
from fieldcraft.pursuit.landmarks import Landmarks, landmarks_of
from fieldcraft.pursuit.likely_places import offsets
from fieldcraft.pursuit.motion import Motion
from fieldcraft.pursuit.party.particles import HYPOTHESES, LostTarget, Particles
from fieldcraft.pursuit.party.rollouts import Rollouts
from fieldcraft.pursuit.pursuit_checks import checked_velocity
from fieldcraft.space import Space, check_lines_of_sight
from fieldcraft.space.changes import UNKNOWN
from fieldcraft.space.kinds import checked_space
from fieldcraft.space.sight.viewers import checked_heights

_NONE = -1
_SIGHT = 10  # Searchers see so many typical steps far.
_LANDMARKS = 96
# A searcher goes on for so many moments after the next plan is due, and for at least so many cells.
_SPARE = 3
_CELLS = 3
_EVERY = 3.0  # A searcher gets another plan after so many seconds.
# So many searchers get a plan in one call, or as many that all get one in so many calls.
_AT_ONCE = 3
_TURNS = 4
_PARTICLES = 800
_FEWEST = 0.4  # Where fewer than this share have weight, the others are replaced.


class SearchParty(Suggesting, SuggestingArguments):
    """Searchers that share the work: each gets the path that makes the expected time until the
    target is seen shortest, given the paths of the others.

    Some hundred particles stand for what the target may do (`Motion`): it runs on to a far place,
    hides, doubles back around what the nearest searcher sees, stands or wanders. Particles that
    searchers would have seen are removed, so observations weigh one hypothesis against the others.
    Each searcher compares paths to places all over the map, to where particles stay, and from there
    on; a path gains the more, the more particles it sees and the sooner. One searcher after the
    other takes the best path given those chosen before, and then once more given all others. So
    nobody takes the same corridor as another unless it pays, and one waits where all must pass.

    The party follows walls. A particle in a new wall is removed, and a searcher whose place becomes
    a wall gets another one.

    On maps of more than 4,096 open cells, plans count clusters of a few cells; observations always
    count cells. The gain of a set of paths is submodular, so the greedy choice is at most a factor
    of 2 worse than the best.

    Parameters
    ----------
    space : Space
        A grid, hexagons that do not wrap, a graph or a mesh.
    speed : float
        Speed of the target, world units per second; searchers are assumed to be as fast.
    sight : float, optional
        How far searchers see, world units; ten typical steps if absent.
    heights, eye : array_like, float, optional
        Heights of the cells of a grid, each of which is level, and of eyes above them, as in
        `visible`. Pass them to the call that makes the view for `observe`, too.
    motion : Motion, optional
        How the target moves.
    every : float, optional
        Seconds after which each searcher gets a new plan.
    particles : int, optional
        Number of particles: more are more precise and take longer.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.

    References
    ----------
    G. Hollinger, S. Singh, J. Djugash and A. Kehagias, "Efficient Multi-robot Search for a Moving
    Target", International Journal of Robotics Research 28 (2009).

    Examples
    --------
    >>> import fieldcraft as fc
    >>> import numpy as np
    >>> hall = fc.Grid(21, 5)
    >>> party = fc.SearchParty(hall, speed=2.0, sight=3.0)
    >>> party.lost((10.5, 2.5), velocity=(2.0, 0.0))
    >>> searchers = np.array([[8.5, 2.5], [2.5, 2.5]])
    >>> party.advance(1.0)
    >>> party.observe(fc.visible(hall, searchers, 3.0))
    >>> goals = party.places(searchers, np.random.default_rng(1))
    >>> goals[0]
    array([17.5,  2.5])
    """

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        sight: float | None = None,
        heights: ArrayLike | None = None,
        eye: float = 1.0,
        motion: Motion | None = None,
        every: float = _EVERY,
        particles: int = _PARTICLES,
    ) -> None:
        self.space = checked_space(space)
        check_lines_of_sight(self.space, "Sight")
        self.speed = checks.positive("speed", speed)
        self._sight: float | None = None
        if sight is not None:
            self._sight = checks.positive("sight", sight)
        self._heights = checked_heights(self.space, heights, eye)
        if motion is None:
            motion = Motion()
        remedy = "Pass fc.Motion(runs=0.5, hides=0.5), say"
        self.motion = checks.instance(motion, Motion, "motion is a Motion", remedy)
        self.particles = checks.integer("particles", particles, minimum=1, maximum=100_000)
        self._interval = clock.ticks("every", every, minimum=1)
        self._set_step(space.typical_step)
        self._walls_version = space.walls_version
        self._begin(_NONE)

    def _set_step(self, step: float) -> None:
        """Set what depends on the length of a typical step, which walls may change on graphs."""
        self._step = step
        if self._sight is None:
            self.sight = _SIGHT * step
        else:
            self.sight = self._sight
        self._searcher_sight = SearcherSight(self.sight, self._heights)
        self._moment = clock.ticks("a typical step", max(step / self.speed, 1e-6), minimum=1)

    def _begin(self, last: int) -> None:
        """Forget everything but the cell of the last sighting."""
        self._last = last
        self._ticks = 0
        self._velocity = np.zeros(self.space.dimensions)
        self._particles: Particles | None = None
        self._observed: list[tuple[int, Ints]] = []
        self._planned = np.empty(0, dtype=np.int64)
        self._waypoints = np.empty(0, dtype=np.int64)
        self._ends = np.empty(0, dtype=np.int64)

    # Events

    @atomic
    def lost(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Begin a search. A noise is a sighting without a velocity.

        Parameters
        ----------
        position : array_like of shape (2,)
            World position where the target was last seen.
        velocity : array_like of shape (2,), optional
            World units per second.
        """
        cell = self._open_cell(position)
        motion = checked_velocity(velocity, self.space.dimensions)
        self._begin(cell)
        self._velocity = motion

    @atomic
    def found(self, position: ArrayLike) -> None:
        """End the search: the target is seen at a world position."""
        self._open_cell(position)
        self._begin(_NONE)

    @atomic
    def observe(self, view: ArrayLike) -> None:
        """Record that searchers see these cells, a mask or ids, and not the target."""
        cells = self.space.cell_ids(view)
        if self.searching:
            moment = self._ticks // self._moment
            if self._observed and self._observed[-1][0] == moment:
                cells = np.concatenate([self._observed.pop()[1], cells])
            self._observed.append((moment, np.unique(cells)))

    @atomic
    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        passed = clock.ticks("dt", dt)
        clock.check_time(self._ticks, passed)
        self._ticks += passed

    def prepare(self) -> None:
        """Compute what belongs to the map, so that the first plan takes no longer than others: up
        to a second, once per map.
        """
        opened = np.flatnonzero(~self.space.walls.reshape(-1))
        if not len(opened):
            return
        visibility = visibility_cache(self.space, self._searcher_sight)
        visibility.fill(np.unique(visibility.of))
        landmarks_of(self.space, int(opened[len(opened) // 2]), _LANDMARKS)

    # Answers

    @property
    def searching(self) -> bool:
        """Whether a target is searched for."""
        return self._last != _NONE

    @atomic
    def places(self, searchers: ArrayLike, rng: np.random.Generator) -> Floats:
        """Return where each searcher should go now, the next part of a path.

        Call it again at least every `every` seconds. Before a target was lost and after it was
        found, all searchers stay.

        Parameters
        ----------
        searchers : array_like of shape (N, 2)
            World positions.
        rng : numpy.random.Generator
            The source of random numbers.

        Returns
        -------
        ndarray of shape (N, 2)
            World positions in the order of the searchers.
        """
        points, _ = checks.positions(searchers, dimensions=self.space.dimensions)
        checks.generator(rng)
        if not self.searching or not len(points):
            return points.copy()
        self._follow_walls(rng)
        particles = self._updated_particles(points, rng)
        if len(self._planned) != len(points):
            self._planned = np.full(len(points), _NONE, dtype=np.int64)
            self._ends = np.full(len(points), _NONE, dtype=np.int64)
            self._waypoints = self._cells_of(points)
        waited = np.where(self._planned == _NONE, np.inf, self._ticks - self._planned)
        most = max(_AT_ONCE, math.ceil(len(points) / _TURNS))
        due = np.argsort(-waited, kind="stable")[:most]
        due = np.sort(due[waited[due] >= self._interval])
        if len(due):
            self._plan(particles, points, due, rng)
            self._planned[due] = self._ticks
        return np.asarray(self.space.position_of(self._waypoints))

    @property
    def values(self) -> NDArray[np.float32] | None:
        """The probability of each cell, float32 in the space's shape; None before the first call of
        `places`.
        """
        if self._particles is None:
            return None
        return self._chances(self._particles).astype(np.float32).reshape(self.space.shape)

    def hypotheses(self) -> dict[str, float]:
        """Return the probability of each hypothesis of `motion`, by name; empty before the first
        call of `places`.
        """
        if self._particles is None:
            return {}
        kinds = self._particles.kinds
        weights = self._particles.weights
        shares = np.bincount(kinds, weights=weights, minlength=len(HYPOTHESES))
        return dict(zip(HYPOTHESES, shares.tolist(), strict=True))

    def estimate(self) -> Floats | None:
        """Return the likeliest position, the last sighting before the first call of `places`; None
        without a search.
        """
        if not self.searching:
            return None
        if self._particles is not None and len(self._particles.alive):
            cell = int(np.argmax(self._chances(self._particles)))
        elif self.space.walls.all():
            cell = self._last
        else:
            cell = int(self.space.nearest_open(self._last))
        return np.asarray(self.space.position_of(cell))

    def _chances(self, particles: Particles) -> Floats:
        """Return the probability of each cell, (N,): 0 on walls, also before the particles follow
        them.
        """
        found = particles.chances(len(self.space))
        walls = self.space.walls.reshape(-1)
        if not found[walls].any() or walls.all():
            return found
        found[walls] = 0.0
        if not found.any():
            found[self._reachable_unseen(particles.now, np.zeros_like(walls))] = 1.0
        return np.asarray(found / found.sum())

    # Walls

    def _follow_walls(self, rng: np.random.Generator) -> None:
        """Take over changed walls: places move to open cells, and searchers whose place or path is
        gone get another plan.
        """
        space = self.space
        if self._walls_version == space.walls_version:
            return
        if self._particles is not None:
            self._particles.follow(space, self._landmarks())
            if not len(self._particles.alive):
                nothing = np.zeros(len(space), dtype=np.bool_)
                now = self._particles.now
                self._particles.reinitialize(self._reachable_unseen(now, nothing), rng)
        sent = self._ends != _NONE
        ends = self._ends.copy()
        ends[sent] = space.nearest_open(self._ends[sent])
        waypoints = np.atleast_1d(space.nearest_open(self._waypoints))
        self._planned[(ends != self._ends) | (waypoints != self._waypoints)] = _NONE
        self._ends = ends
        self._waypoints = waypoints
        self._walls_version = space.walls_version

    # Particles

    def _updated_particles(self, points: Floats, rng: np.random.Generator) -> Particles:
        """Return the particles as they are now, after all observations."""
        if self._particles is None:
            self._particles = self._drawn(points, rng)
        particles = self._particles
        for moment, cells in self._observed:
            particles.advance_to(moment, rng)
            seen = np.zeros(len(self.space), dtype=np.bool_)
            seen[cells] = True
            particles.observe(seen)
            if not len(particles.alive):
                particles.reinitialize(self._reachable_unseen(particles.now, seen), rng)
        self._observed = []
        particles.advance_to(self._ticks // self._moment, rng)
        return particles

    def _reachable_unseen(self, now: int, seen: NDArray[np.bool_]) -> Ints:
        """Return the cells out of view that the target can have reached, at least the nearest."""
        # A target moves on within a moment, before the particles make their step.
        reach = (now + 1) * self._step
        start = self.space.position_of(self.space.nearest_open(self._last))
        away = distance_map(self.space, start, outward=True).exact.reshape(-1)
        hidden = np.isfinite(away) & ~seen
        if not hidden.any():
            hidden = np.isfinite(away)
        return np.flatnonzero(hidden & (away <= max(reach, float(away[hidden].min()))))

    def _landmarks(self) -> Landmarks:
        return landmarks_of(self.space, int(self.space.nearest_open(self._last)), _LANDMARKS)

    def _drawn(self, points: Floats, rng: np.random.Generator) -> Particles:
        """Return particles at the last sighting."""
        space = self.space
        start = int(self.space.nearest_open(self._last))
        visibility = visibility_cache(space, self._searcher_sight)
        hiding = np.empty((0, 1), dtype=np.int32)
        likely = np.empty(0)
        if self.motion.hides > 0:
            low, high = self.motion.near
            near = (low * self._step, high * self._step)
            hiding, likely = hiding_paths(space, visibility, start, near, self._step, rng)
        searchers = self._cells_of(points)
        off = (offsets(space, space.positions[searchers], space.positions[start]) ** 2).sum(axis=1)
        watched = visibility.sees(int(searchers[np.argmin(off)]))
        moment = self._moment / clock.TICKS_PER_SECOND
        particles = Particles(self._step, self.motion)
        particles.follow(space, self._landmarks())
        lost = LostTarget(space, start, self._velocity, watched, moment)
        particles.begin(self.particles, lost, hiding, likely, rng)
        return particles

    # Plans

    def _plan(
        self, particles: Particles, points: Floats, due: Ints, rng: np.random.Generator
    ) -> None:
        """Plan paths for the searchers that are due, and roughly for those that have none yet."""
        if len(particles.alive) < _FEWEST * len(particles.weights):
            particles.resample(rng)
        starts = self._cells_of(points)
        sent = self._ends != _NONE
        visibility = visibility_cache(self.space, self._searcher_sight)
        rollouts = Rollouts(self.space, particles, visibility, self._ends[sent], rng)
        unseen = rollouts.unseen()
        seen = np.tile(unseen, (len(points), 1))
        for number in np.flatnonzero(sent).tolist():
            path = rollouts.path(int(starts[number]), int(self._ends[number]))
            seen[number] = rollouts.seen(path, unseen)
        new = np.flatnonzero(~sent).tolist()
        routes = {
            number: rollouts.routes(int(starts[number])) for number in sorted({*due.tolist(), *new})
        }

        def choose(number: int, roughly: bool) -> None:
            others = rollouts.seen_by_others(seen, number)
            path, end = rollouts.best(routes[number], others, roughly=roughly)
            seen[number] = rollouts.seen(path, unseen)
            self._waypoints[number] = self._waypoint(path, end)
            self._ends[number] = end

        for number in new:
            choose(number, roughly=True)
        # Now the paths of all others are known.
        for number in due.tolist():
            choose(number, roughly=False)

    def _waypoint(self, path: NDArray[np.int32], end: int) -> int:
        """Return the cell on a path up to which a searcher goes before the next plan; a searcher
        that knows only the end might take another path of the same length.
        """
        changes = np.flatnonzero(np.diff(path)) + 1
        if not len(changes):
            return end
        least = changes[min(_CELLS, len(changes)) - 1]
        moments = min(self._interval // self._moment + _SPARE, len(path) - 1)
        return int(path[max(moments, least)])

    def _cells_of(self, points: Floats) -> Ints:
        cells = self.space.nearest_open(self.space.cell_at(points, outside="clamp"))
        return np.atleast_1d(cells).astype(np.int64)

    def _open_cell(self, position: ArrayLike) -> int:
        rule = "A target is in one place"
        point = checks.position(position, rule, dimensions=self.space.dimensions)
        return int(self.space.nearest_open(int(self.space.cell_at(point))))

    # Saves

    def state(self) -> dict[str, Any]:
        """Return the state as plain data to save."""
        return {
            "shape": np.array(self.space.shape, dtype=np.int64),
            "last": self._last,
            "step": self._step,
            "ticks": self._ticks,
            "velocity": self._velocity.copy(),
            "observed": tuple((moment, cells.copy()) for moment, cells in self._observed),
            "planned": self._planned.copy(),
            "waypoints": self._waypoints.copy(),
            "ends": self._ends.copy(),
            "particles": None if self._particles is None else self._particles.state(),
        }

    @atomic
    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue bit for bit from the `state` of another party on this space, made with the same
        arguments.

        Raises
        ------
        InvalidValue
            For anything else.
        """
        restored = copy.copy(self)
        try:
            restored._restore(state)
        except (LookupError, OverflowError, TypeError, ValueError) as error:
            raise InvalidValue(
                "A search party continues from its own state()",
                got=f"{type(error).__name__}: {error}",
                remedy="Pass that of a party on this map, made with the same arguments",
            ) from None
        self.__dict__.update(restored.__dict__)

    def _restore(self, state: Mapping[str, Any]) -> None:
        if not np.array_equal(state["shape"], self.space.shape):
            raise ValueError(f"a map of shape {state['shape']}")
        count = len(self.space)
        self._set_step(checks.positive("step", state["step"]))
        self._last = int(state["last"])
        self._ticks = int(state["ticks"])
        self._velocity = np.array(state["velocity"], dtype=np.float64)
        self._observed = [
            (int(moment), self.space.cell_ids(np.array(cells, dtype=np.int64)))
            for moment, cells in state["observed"]
        ]
        self._planned = np.array(state["planned"], dtype=np.int64)
        self._waypoints = np.array(state["waypoints"], dtype=np.int64)
        self._ends = np.array(state["ends"], dtype=np.int64)
        cells = [self._last, *self._ends.tolist()]
        if (
            self._velocity.shape != (self.space.dimensions,)
            or self._waypoints.ndim != 1
            or not self._waypoints.shape == self._ends.shape == self._planned.shape
            or not all(0 <= cell < count for cell in self._waypoints.tolist())
            or not all(_NONE <= cell < count for cell in cells)
        ):
            raise ValueError("waypoints off the map")
        self._particles = None
        if state["particles"] is not None:
            self._particles = Particles(self._step, self.motion)
            self._particles.restore(state["particles"], count)
        self._walls_version = UNKNOWN  # the particles need landmarks
