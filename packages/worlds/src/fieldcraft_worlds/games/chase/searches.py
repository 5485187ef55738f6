"""Ways of searching for a target that was lost from sight: where should each searcher go now?

- `LastSeenSearch`: all go to the place of the last sighting, and then to places around it;
- `RandomSearch`: each goes to random places;
- `FloodSearch`: the flood of `fc.Pursuit`, with a place in it for each;
- `BeliefSearch`: the shared belief of `fc.Belief`, with a place in it for each.

`fc.SearchParty` has the same methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import Belief, Motion, Pursuit, SearchParty, Space, distance_map
from fieldcraft.base import checks, clock
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.arrays import Floats, Ints

_NONE = -1
_PATIENCE = clock.ticks("patience", 20.0)  # after which a place that was not reached is given up
_NEARBY = 15  # typical steps: how far around the last sighting `LastSeenSearch` goes
_INTERVAL = clock.ticks("interval", 3.0)  # after which floods and beliefs assign places again
_SPACING = 20  # typical steps from place to place: the views of two searchers are disjoint
_COOLING = 0.02  # ground where the target may have stopped is warm for fifty steps
_MOST_HOT = 100_000


class Search:
    """A way of searching: it assigns a place to each searcher and goes through saves by
    `state()`, plain data, and `restore(state)`.
    """

    _goals: Ints
    _given: Ints

    def __init__(self, space: Space, speed: float) -> None:
        self.space = space
        self.speed = checks.positive("speed", speed)
        self._begin(_NONE)

    def _begin(self, last: int) -> None:
        """Begin a search from a cell, or stop: `_NONE`."""
        self._last = last
        self._ticks = 0
        self._goals = np.zeros(0, dtype=np.int64)
        self._given = np.zeros(0, dtype=np.int64)

    def lost(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Begin anew: the target was last seen at a world position, with a velocity in world units
        per second.
        """
        self._begin(self._open_cell(position))

    def found(self, position: ArrayLike) -> None:
        """Stop: the target is seen at a world position."""
        self._open_cell(position)
        self._begin(_NONE)

    def observe(self, view: ArrayLike) -> None:
        """Record that searchers see these cells and not the target."""
        self._goals[np.isin(self._goals, self.space.cell_ids(view)) & self._may_drop()] = _NONE

    def report(self, position: ArrayLike, radius: float) -> None:
        """Record a noise within a radius of a world position: a sighting, for most searches."""
        self.lost(position)

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        self._ticks += clock.ticks("dt", dt)

    @property
    def searching(self) -> bool:
        """Whether a target is searched for."""
        return self._last != _NONE

    def places(self, searchers: ArrayLike, rng: np.random.Generator) -> Floats:
        """Return where each searcher should go now; all stay while no target is searched for."""
        points, _ = checks.positions(searchers, dimensions=self.space.dimensions)
        if not self.searching or not len(points):
            return points.copy()
        if len(points) != len(self._goals):
            self._goals = np.full(len(points), _NONE, dtype=np.int64)
            self._given = np.zeros(len(points), dtype=np.int64)
        near = self.space.position_of(np.maximum(self._goals, 0))
        reach = 0.75 * self.space.typical_step
        there = ((points - near) ** 2).sum(axis=1) <= reach**2
        self._goals[there | (self._ticks - self._given > _PATIENCE)] = _NONE
        idle = np.flatnonzero(self._goals == _NONE)
        self._send(points, idle, rng)
        self._given[idle] = self._ticks
        return np.asarray(self.space.position_of(self._goals))

    @property
    def values(self) -> NDArray[np.float32] | None:
        """The heat or the belief of each cell; None for searches without one."""
        return None

    def estimate(self) -> Floats | None:
        """Return the likeliest position of the target, or None."""
        if self.searching:
            return np.asarray(self.space.position_of(self._last))
        return None

    def state(self) -> dict[str, Any]:
        """Return the state as plain data."""
        goals = self._goals.copy()
        given = self._given.copy()
        return {"last": self._last, "ticks": self._ticks, "goals": goals, "given": given}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from the `state` of another search of the same kind on this space. Raises
        `InvalidValue` for anything else.
        """
        try:
            last = int(state["last"])
            ticks = int(state["ticks"])
            goals = np.array(state["goals"], dtype=np.int64)
            given = np.array(state["given"], dtype=np.int64)
            cells = [last, *goals.tolist()]
            if goals.shape != given.shape or not all(_NONE <= c < len(self.space) for c in cells):
                raise ValueError("goals off the map")
            self._restore(state, len(goals))
        except (LookupError, OverflowError, TypeError, ValueError) as error:
            raise InvalidValue(
                "A search goes on from what its state() gave",
                got=f"{type(error).__name__}: {error}",
                remedy="Pass that of the same way of searching on this map",
            ) from None
        self._last = last
        self._ticks = ticks
        self._goals = goals
        self._given = given

    def _restore(self, state: Mapping[str, Any], count: int) -> None:
        """Restore what this kind of search remembers besides goals."""

    def _may_drop(self) -> NDArray[np.bool_]:
        """Return which goals have served their purpose when they are seen."""
        return np.ones(len(self._goals), dtype=np.bool_)

    def _send(self, points: Floats, idle: Ints, rng: np.random.Generator) -> None:
        """Set goals; those of the `idle` searchers are free."""
        raise NotImplementedError

    def _open_cell(self, position: ArrayLike) -> int:
        """Return the open cell nearest to a world position."""
        rule = "A target is in one place"
        point = checks.position(position, rule, dimensions=self.space.dimensions)
        return int(self.space.nearest_open(int(self.space.cell_at(point))))

    def _around(self, limit: float | None = None) -> Ints:
        """Return the cells with a path to the last sighting, up to a length in world units."""
        place = self.space.position_of(self.space.nearest_open(self._last))
        return np.flatnonzero(np.isfinite(distance_map(self.space, place, limit=limit).values))


class LastSeenSearch(Search):
    """All go to the place of the last sighting, then to random places around it."""

    def _begin(self, last: int) -> None:
        super()._begin(last)
        self._been = np.zeros(0, dtype=np.bool_)

    def _may_drop(self) -> NDArray[np.bool_]:
        return self._been

    def _send(self, points: Floats, idle: Ints, rng: np.random.Generator) -> None:
        if len(self._been) != len(points):
            self._been = np.zeros(len(points), dtype=np.bool_)
            self._goals[:] = self.space.nearest_open(self._last)
        elif len(idle):
            self._been[idle] = True
            around = self._around(_NEARBY * self.space.typical_step)
            self._goals[idle] = rng.choice(around, len(idle))

    def state(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return super().state() | {"been": self._been.copy()}

    def _restore(self, state: Mapping[str, Any], count: int) -> None:
        been = np.array(state["been"], dtype=np.bool_)
        if been.shape != (count,):
            raise ValueError(f"been of shape {been.shape}")
        self._been = been


class RandomSearch(Search):
    """Each searcher goes to a random place; when that has been seen, to the next."""

    def _send(self, points: Floats, idle: Ints, rng: np.random.Generator) -> None:
        if len(idle):
            self._goals[idle] = rng.choice(self._around(), len(idle))


class GuidedSearch(Search):
    """A search that assigns places by a belief or a flood, its `guide`: anew every three seconds,
    and when one is reached or seen.
    """

    guide: Belief | Pursuit | None = None

    def observe(self, view: ArrayLike) -> None:
        """Record that searchers see these cells and not the target."""
        super().observe(view)
        if self.searching and self.guide is not None:
            self.guide.observe(view)

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        super().advance(dt)
        if self.guide is not None:
            self.guide.advance(dt)

    @property
    def values(self) -> NDArray[np.float32] | None:
        """The heat or the belief of each cell; None without a flood."""
        if self.guide is None:
            return None
        return self.guide.values

    def estimate(self) -> Floats | None:
        """Return the likeliest position, or the middle of the flood; None without one."""
        if self.guide is None:
            return None
        return self.guide.estimate()

    def _send(self, points: Floats, idle: Ints, rng: np.random.Generator) -> None:
        if len(idle) or (self._ticks - self._given >= _INTERVAL).any():
            places = self._assigned(points, _SPACING * self.space.typical_step)
            self._goals = np.atleast_1d(self.space.cell_at(places)).astype(np.int64)
            self._given[:] = self._ticks

    def _assigned(self, points: Floats, spacing: float) -> Floats:
        """Return a place for each searcher, at least `spacing` apart if there is room."""
        assert self.guide is not None
        return self.guide.assign(points, spacing=spacing, outside="clamp")


class FloodSearch(GuidedSearch):
    """Searchers go where the flood of `Pursuit` is hot, each to a place of its own."""

    guide: Pursuit | None = None
    _seed: tuple[Floats, Floats] | None = None

    def lost(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Begin a flood at the last sighting."""
        super().lost(position)
        if velocity is None:
            motion = np.zeros(self.space.dimensions)
        else:
            motion = np.array(velocity, float)
        self._flood(self.space.position_of(self._last), motion)

    def _flood(self, place: Floats, velocity: Floats) -> Pursuit:
        """Begin a flood, and return it."""
        self._seed = (place, velocity)
        known = None
        if velocity.any():
            known = velocity
        self.guide = Pursuit(
            self.space, place, known, speed=self.speed, cooling=_COOLING, most_hot=_MOST_HOT
        )
        return self.guide

    def found(self, position: ArrayLike) -> None:
        """Forget the flood."""
        super().found(position)
        self.guide = None
        self._seed = None

    def state(self) -> dict[str, Any]:
        """Return the state as plain data."""
        if self.guide is None:
            flood = None
        else:
            flood = self.guide.state()
        return super().state() | {"seed": self._seed, "flood": flood}

    def _restore(self, state: Mapping[str, Any], count: int) -> None:
        if state["seed"] is None or state["flood"] is None:
            self.guide = None
            self._seed = None
            return
        seed = np.array(state["seed"], dtype=np.float64)
        flood = self.guide
        if flood is None or not np.array_equal(np.array(self._seed), seed):
            flood = self._flood(*seed)
        flood.restore(state["flood"])


class BeliefSearch(GuidedSearch):
    """Searchers go where `Belief` is strong, each to a place of its own."""

    guide: Belief

    def __init__(self, space: Space, speed: float, motion: Motion | None = None) -> None:
        super().__init__(space, speed)
        self.guide = Belief(space, speed, motion=motion)

    def lost(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Begin a belief at the last sighting."""
        super().lost(position)
        self.guide.see(self.space.position_of(self._last), velocity=velocity)

    def found(self, position: ArrayLike) -> None:
        """Stop: the target is certainly there."""
        super().found(position)
        self.guide.see(self.space.position_of(self._open_cell(position)))

    def report(self, position: ArrayLike, radius: float) -> None:
        """Record a noise: the target is probably within a radius of a world position."""
        self.guide.report(position, radius)
        if self.searching:
            self._begin(self._last)
        else:
            self._begin(self._open_cell(position))

    def state(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return super().state() | {"belief": self.guide.state()}

    def _restore(self, state: Mapping[str, Any], count: int) -> None:
        self.guide.restore(state["belief"])


AnySearch = Search | SearchParty

SEARCHES: dict[str, Callable[[Space, float], AnySearch]] = {
    "last": LastSeenSearch,
    "random": RandomSearch,
    "flood": FloodSearch,
    "belief": BeliefSearch,
    "party": SearchParty,
}
"""The ways by name; each is made with `(space, speed)`: the speed of the target, world units per
second.
"""
