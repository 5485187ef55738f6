"""Four ways of searching for somebody who was lost from sight: where should each searcher go now?

- `LastSeen`: all go to where he was last seen, and then look about there;
- `Wander`: each goes to a place by chance, and then to the next;
- `Flood`: the flood of `fc.Pursuit`, with a place in it for each;
- `Occupancy`: the shared belief of `fc.Belief`, with a place in it for each.

They are asked alike, know nothing but what they are told, and live inside a game of frozen states by `memory()`, which is
plain data for the state, and `recall(memory)`. Dice are passed to the one call that needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.paths import distance_map
from fieldcraft.pursuit import Belief, Pursuit
from fieldcraft.pursuit.views import cells_of
from fieldcraft.space import AnySpace
from fieldcraft.space.ways import checked_space, typical_step

__all__ = ["SEARCHES", "Flood", "LastSeen", "Occupancy", "Search", "Wander"]

Places = NDArray[np.float64]

_NONE = -1
_NEARBY = 15  # typical steps: how far from where he was last seen `LastSeen` looks about
_PATIENCE = 20.0  # seconds after which a place that was not reached is given up
_INTERVAL = 3.0  # seconds after which `Flood` and `Occupancy` think again
_SPACING = 20  # typical steps from place to place: two who see ten steps far don't see the same
_COOLING = 0.02  # ground where he may have stopped is warm for fifty steps, not ten


class Search:
    """A way of searching for one who was seen and then lost; the ways themselves are below.

    Parameters
    ----------
    space: a grid or a graph.
    speed: his, world units a second.
    patience: seconds after which a searcher gives up a place that he could not reach.
    """

    _goals: NDArray[np.int64]
    _given: NDArray[np.int64]

    def __init__(self, space: AnySpace, speed: float, *, patience: float = _PATIENCE) -> None:
        self.space = checked_space(space)
        self.speed = checks.positive("speed", speed)
        self._patience = clock.ticks("patience", patience, minimum=1)
        self._step = typical_step(space)
        self._begin(_NONE)

    # What happens

    def lost(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """He was last seen at a world position, running so fast that way, world units a second; the search begins anew."""
        self._begin(self._open_cell(position))
        self._lost(self.space.position_of(self._last), _heading(velocity, self.space.dimensions))

    def found(self, position: ArrayLike) -> None:
        """He is seen at a world position: there is nothing to search until he is lost."""
        cell = self._open_cell(position)
        self._begin(_NONE)
        self._found(self.space.position_of(cell))

    def look(self, view: ArrayLike) -> None:
        """Searchers see these cells, and he is not there: bool in the space's shape, or cells."""
        cells = cells_of(self.space, view, "A view")
        self._goals[np.isin(self._goals, cells) & self._may_drop()] = _NONE
        if self.searching:
            self._look(cells)

    def hear(self, position: ArrayLike, radius: float, certainty: float = 0.8) -> None:
        """A noise: so surely he is within a radius of a world position. All ways but `Occupancy` take it as where he was last seen."""
        if checks.positive("radius", radius) and checks.fraction("certainty", certainty) >= 0.5:
            self.lost(position)

    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        self._ticks += clock.ticks("dt", dt)
        self._advance(dt)

    # What it says

    @property
    def searching(self) -> bool:
        """Whether there is anybody to search for."""
        return self._last != _NONE

    def places(self, searchers: ArrayLike, rng: np.random.Generator) -> Places:
        """Where each searcher should go now: world positions in the order of `searchers`, which are world positions too.

        Before anybody was lost, and while he is in sight, all stay where they are.
        """
        points, _ = checks.positions(searchers, dimensions=self.space.dimensions)
        if not self.searching or not len(points):
            return points.copy()
        if len(points) != len(self._goals):
            self._goals = np.full(len(points), _NONE, dtype=np.int64)
            self._given = np.zeros(len(points), dtype=np.int64)
        near = self.space.position_of(np.maximum(self._goals, 0))
        there = ((points - near) ** 2).sum(axis=1) <= (0.75 * self._step) ** 2
        self._goals[there | (self._ticks - self._given > self._patience)] = _NONE
        idle = np.flatnonzero(self._goals == _NONE)
        self._send(points, idle, rng)
        self._given[idle] = self._ticks
        return np.asarray(self.space.position_of(self._goals))

    @property
    def values(self) -> NDArray[np.float32] | None:
        """What it thinks of each cell, float32 in the space's shape: heat or belief; None where it doesn't."""
        return None

    def estimate(self) -> Places | None:
        """Where he is if he is in one place, a world position; None where it has no idea."""
        return np.asarray(self.space.position_of(self._last)) if self.searching else None

    # Saves

    def memory(self) -> dict[str, Any]:
        """All that it knows, as plain data to keep in a state."""
        own = {"last": self._last, "ticks": self._ticks, "goals": self._goals.copy(), "given": self._given.copy()}
        return own | self._memory()

    def recall(self, memory: Mapping[str, Any]) -> None:
        """Go on bit for bit from where another on this space, made with the same arguments, was: its `memory()`.

        Raises `InvalidValue` for anything else.
        """
        try:
            last, ticks = int(memory["last"]), int(memory["ticks"])
            goals, given = (np.array(memory[name], dtype=np.int64) for name in ("goals", "given"))
        except (KeyError, TypeError, ValueError) as error:
            raise _not_a_memory(f"{type(error).__name__}: {error}") from None
        if goals.ndim != 1 or goals.shape != given.shape or not all(_NONE <= cell < len(self.space) for cell in (last, *goals.tolist())):
            raise _not_a_memory(f"last={last} and goals {goals[:5].tolist()} on a map of {len(self.space)} cells")
        self._last, self._ticks, self._goals, self._given = last, ticks, goals, given
        self._recall(memory)

    # What the ways differ in

    def _lost(self, position: Places, velocity: Places) -> None:
        pass

    def _found(self, position: Places) -> None:
        pass

    def _look(self, cells: NDArray[np.int64]) -> None:
        pass

    def _advance(self, dt: float) -> None:
        pass

    def _may_drop(self) -> NDArray[np.bool_]:
        """Which goals have served their purpose when they are seen."""
        return np.ones(len(self._goals), dtype=np.bool_)

    def _send(self, points: Places, idle: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Set goals; those of the `idle` searchers are free."""
        raise NotImplementedError

    def _memory(self) -> dict[str, Any]:
        return {}

    def _recall(self, memory: Mapping[str, Any]) -> None:
        pass

    def _begin(self, last: int) -> None:
        self._last, self._ticks = last, 0
        self._goals = np.zeros(0, dtype=np.int64)
        self._given = np.zeros(0, dtype=np.int64)

    def _open_cell(self, position: ArrayLike) -> int:
        point, single = checks.positions(position, dimensions=self.space.dimensions)
        if not single:
            raise InvalidValue("He is in one place", got=f"shape {np.shape(position)}", remedy="Make a search for each fugitive")
        return int(self.space.nearest_open(int(self.space.cell_at(point[0]))))

    def _around(self, limit: float | None = None) -> NDArray[np.int64]:
        """The cells from which a way leads to where he was last seen, at most so long, world units."""
        ways = distance_map(self.space, self.space.position_of(self.space.nearest_open(self._last)), limit=limit)
        return np.flatnonzero(np.isfinite(ways.values))


class LastSeen(Search):
    """Go to where he was last seen; who was there goes to places by chance near it, at most `nearby` world units of way."""

    def __init__(self, space: AnySpace, speed: float, *, nearby: float | None = None, patience: float = _PATIENCE) -> None:
        super().__init__(space, speed, patience=patience)
        self.nearby = _NEARBY * self._step if nearby is None else checks.positive("nearby", nearby)

    def _may_drop(self) -> NDArray[np.bool_]:
        return self._been

    def _memory(self) -> dict[str, Any]:
        return {"been": self._been.copy()}

    def _recall(self, memory: Mapping[str, Any]) -> None:
        self._been = np.array(memory.get("been"), dtype=np.bool_)
        if self._been.shape != self._goals.shape:
            raise _not_a_memory(f"been of shape {self._been.shape}")

    def _send(self, points: Places, idle: NDArray[np.int64], rng: np.random.Generator) -> None:
        if len(self._been) != len(points):
            self._been = np.zeros(len(points), dtype=np.bool_)
            self._goals[:] = self.space.nearest_open(self._last)
            return
        if len(idle):
            self._been[idle] = True
            self._goals[idle] = rng.choice(self._around(self.nearby), len(idle))

    def _begin(self, last: int) -> None:
        super()._begin(last)
        self._been = np.zeros(0, dtype=np.bool_)


class Wander(Search):
    """Go to any place that can be reached, by chance; when it has been seen, to the next."""

    def _send(self, points: Places, idle: NDArray[np.int64], rng: np.random.Generator) -> None:
        if len(idle):
            self._goals[idle] = rng.choice(self._around(), len(idle))


class _Thinker(Search):
    """Who thinks again every `interval` seconds, and when a place is reached or seen; places keep `spacing` world units to each other."""

    def __init__(
        self, space: AnySpace, speed: float, *, interval: float = _INTERVAL, spacing: float | None = None, patience: float = _PATIENCE
    ) -> None:
        super().__init__(space, speed, patience=patience)
        self.spacing = _SPACING * self._step if spacing is None else checks.not_negative("spacing", spacing)
        self._interval = clock.ticks("interval", interval, minimum=1)

    def _send(self, points: Places, idle: NDArray[np.int64], rng: np.random.Generator) -> None:
        if len(idle) or (self._ticks - self._given >= self._interval).any():
            self._goals = np.atleast_1d(self.space.cell_at(self._assigned(points))).astype(np.int64)
            self._given[:] = self._ticks

    def _assigned(self, points: Places) -> Places:
        raise NotImplementedError


class Flood(_Thinker):
    """Go where the flood of `Pursuit` is hot, each to a place of his own: `spacing` world units apart, twenty typical steps if absent.

    They think again every `interval` seconds, and when a place is reached or seen. `looks` says whether the flood is told what they see.
    `options` are those of `Pursuit`; here it cools slowly.
    """

    def __init__(
        self,
        space: AnySpace,
        speed: float,
        *,
        interval: float = _INTERVAL,
        spacing: float | None = None,
        patience: float = _PATIENCE,
        looks: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(space, speed, interval=interval, spacing=spacing, patience=patience)
        self.looks = looks
        self._options = {"cooling": _COOLING} | options
        self._flood: Pursuit | None = None
        self._seed: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    @property
    def pursuit(self) -> Pursuit | None:
        """The flood, while there is one."""
        return self._flood

    def _lost(self, position: Places, velocity: Places) -> None:
        self._start(position, velocity)

    def _found(self, position: Places) -> None:
        self._flood = self._seed = None

    def _look(self, cells: NDArray[np.int64]) -> None:
        if self._flood is not None and self.looks:
            self._flood.look(cells)

    def _advance(self, dt: float) -> None:
        if self._flood is not None:
            self._flood.advance(dt)

    @property
    def values(self) -> NDArray[np.float32] | None:
        """The heat; None where there is no flood."""
        return None if self._flood is None else self._flood.values

    def estimate(self) -> Places | None:
        """The medoid of the heat; None where there is no flood."""
        return None if self._flood is None else self._flood.estimate("medoid")

    def _memory(self) -> dict[str, Any]:
        if self._flood is None or self._seed is None:
            return {"seed": None, "flood": None}
        return {"seed": tuple(part.copy() for part in self._seed), "flood": self._flood.memory()}

    def _recall(self, memory: Mapping[str, Any]) -> None:
        seed, flood = memory.get("seed"), memory.get("flood")
        if seed is None or flood is None:
            self._flood = self._seed = None
            return
        place, velocity = (np.array(part, dtype=np.float64) for part in seed)
        if self._flood is None or self._seed is None or not np.array_equal(self._seed, (place, velocity)):
            self._start(place, velocity)
        assert self._flood is not None
        self._flood.recall(flood)

    def _start(self, place: NDArray[np.float64], velocity: NDArray[np.float64]) -> None:
        self._seed = place, velocity
        self._flood = Pursuit(self.space, place, velocity if velocity.any() else None, speed=self.speed, **self._options)

    def _assigned(self, points: Places) -> Places:
        assert self._flood is not None
        return self._flood.assign(points, spacing=self.spacing)


class Occupancy(_Thinker):
    """Go where `Belief` is strong, each to a place of his own: `spacing` world units apart, twenty typical steps if absent.

    They think again every `interval` seconds, and when a place is reached or seen. `options` are those of `Belief`.
    """

    def __init__(
        self,
        space: AnySpace,
        speed: float,
        *,
        interval: float = _INTERVAL,
        spacing: float | None = None,
        patience: float = _PATIENCE,
        **options: Any,
    ) -> None:
        super().__init__(space, speed, interval=interval, spacing=spacing, patience=patience)
        self.belief = Belief(space, speed, **options)

    def hear(self, position: ArrayLike, radius: float, certainty: float = 0.8) -> None:
        """A noise: so surely he is within a radius of a world position; what was believed before keeps the rest."""
        self.belief.hear(position, radius, certainty=certainty)
        self._begin(self._last if self.searching else self._open_cell(position))

    def _lost(self, position: Places, velocity: Places) -> None:
        self.belief.see(position)

    def _found(self, position: Places) -> None:
        self.belief.see(position)

    def _look(self, cells: NDArray[np.int64]) -> None:
        self.belief.look(cells)

    def _advance(self, dt: float) -> None:
        self.belief.advance(dt)

    @property
    def values(self) -> NDArray[np.float32] | None:
        """The belief."""
        return self.belief.values

    def estimate(self) -> Places | None:
        """The likeliest cell."""
        return self.belief.estimate("peak")

    def _memory(self) -> dict[str, Any]:
        return {"belief": self.belief.memory()}

    def _recall(self, memory: Mapping[str, Any]) -> None:
        belief = memory.get("belief")
        if not isinstance(belief, Mapping):
            raise _not_a_memory(f"belief={type(belief).__name__}")
        self.belief.recall(belief)

    def _assigned(self, points: Places) -> Places:
        return self.belief.assign(points, spacing=self.spacing)


def _heading(velocity: ArrayLike | None, dimensions: int) -> NDArray[np.float64]:
    """A velocity, 0 where it is not known."""
    if velocity is None:
        return np.zeros(dimensions)
    moves, single = checks.positions(velocity, dimensions=dimensions)
    if not single:
        raise InvalidValue("velocity is one vector", got=f"shape {np.shape(velocity)}", remedy="Make a search for each fugitive")
    return np.asarray(moves[0])


def _not_a_memory(got: str) -> InvalidValue:
    return InvalidValue(
        "A search goes on from what its memory() gave", got=got, remedy="Pass that of the same way of searching on this map"
    )


SEARCHES: dict[str, type[LastSeen] | type[Wander] | type[Flood] | type[Occupancy]] = {
    "last": LastSeen,
    "random": Wander,
    "flood": Flood,
    "belief": Occupancy,
}
"""The ways by name; each is made with `(space, speed)`: that of the fugitive, world units a second."""
