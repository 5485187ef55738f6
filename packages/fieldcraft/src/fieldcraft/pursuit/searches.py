"""Four ways of searching for a target that was lost from sight: where should each searcher go now?

- `LastSeenSearch`: all go to the place of the last sighting, and then look about there;
- `RandomSearch`: each goes to a place by chance, and then to the next;
- `FloodSearch`: the flood of `fc.Pursuit`, with a place in it for each;
- `BeliefSearch`: the shared belief of `fc.Belief`, with a place in it for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.interruption import atomic
from fieldcraft.pursuit.belief import Belief
from fieldcraft.pursuit.hunt import Pursuit
from fieldcraft.pursuit.party import SearchParty
from fieldcraft.pursuit.search import PATIENCE, Places, Search, not_a_memory
from fieldcraft.space import Space

__all__ = ["SEARCHES", "BeliefSearch", "FloodSearch", "LastSeenSearch", "RandomSearch"]

_NEARBY = 15  # typical steps: how far around the last sighting `LastSeenSearch` looks about
_INTERVAL = 3.0  # seconds after which `FloodSearch` and `BeliefSearch` think again
_SPACING = 20  # typical steps from place to place: two who see ten steps far don't see the same
_COOLING = 0.02  # ground where the target may have stopped is warm for fifty steps, not ten
_MOST_HOT = 100_000  # of which there are more, then


class LastSeenSearch(Search):
    """All go to the place of the last sighting, then each to places by chance within `nearby` world
    units of way around it.

    `nearby` is fifteen typical steps if absent; for the rest see `Search`.
    """

    def __init__(
        self, space: Space, speed: float, *, nearby: float | None = None, patience: float = PATIENCE
    ) -> None:
        super().__init__(space, speed, patience=patience)
        self.nearby = _NEARBY * self._step if nearby is None else checks.positive("nearby", nearby)

    def _may_drop(self) -> NDArray[np.bool_]:
        return self._been

    def _memory(self) -> dict[str, Any]:
        return {"been": self._been.copy()}

    def _recall(self, memory: Mapping[str, Any]) -> None:
        self._been = np.array(memory.get("been"), dtype=np.bool_)
        if self._been.shape != self._goals.shape:
            raise not_a_memory(f"been of shape {self._been.shape}")

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


class RandomSearch(Search):
    """Each searcher goes to any place that can be reached, by chance; when it has been seen, to the
    next.
    """

    def _send(self, points: Places, idle: NDArray[np.int64], rng: np.random.Generator) -> None:
        if len(idle):
            self._goals[idle] = rng.choice(self._around(), len(idle))


class _Guided(Search):
    """A search that assigns places anew each `every` seconds, and when one is reached or seen,
    `spacing` world units apart.
    """

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        every: float = _INTERVAL,
        spacing: float | None = None,
        patience: float = PATIENCE,
    ) -> None:
        super().__init__(space, speed, patience=patience)
        self.spacing = (
            _SPACING * self._step if spacing is None else checks.not_negative("spacing", spacing)
        )
        self._interval = clock.ticks("every", every, minimum=1)

    def _send(self, points: Places, idle: NDArray[np.int64], rng: np.random.Generator) -> None:
        if len(idle) or (self._ticks - self._given >= self._interval).any():
            self._goals = np.atleast_1d(self.space.cell_at(self._assigned(points, rng))).astype(
                np.int64
            )
            self._given[:] = self._ticks

    def _assigned(self, points: Places, rng: np.random.Generator) -> Places:
        raise NotImplementedError


class FloodSearch(_Guided):
    """Searchers go where the flood of `Pursuit` is hot, each to a place of its own.

    Places keep `spacing` world units to each other, twenty typical steps if absent, and are
    assigned anew each `every` seconds, and when one is reached or seen. `looks` says whether the
    flood is told what searchers see. `options` are those of `Pursuit`; here it cools slowly.
    """

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        every: float = _INTERVAL,
        spacing: float | None = None,
        patience: float = PATIENCE,
        looks: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(space, speed, every=every, spacing=spacing, patience=patience)
        self.looks = looks
        self._options = {"cooling": _COOLING, "most_hot": _MOST_HOT} | options
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
            self._flood.observe(cells)

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
        return {"seed": tuple(part.copy() for part in self._seed), "flood": self._flood.snapshot()}

    def _recall(self, memory: Mapping[str, Any]) -> None:
        seed, flood = memory.get("seed"), memory.get("flood")
        if seed is None or flood is None:
            self._flood = self._seed = None
            return
        place, velocity = (np.array(part, dtype=np.float64) for part in seed)
        if (
            self._flood is None
            or self._seed is None
            or not np.array_equal(self._seed, (place, velocity))
        ):
            self._start(place, velocity)
        assert self._flood is not None
        self._flood.restore(flood)

    def _start(self, place: NDArray[np.float64], velocity: NDArray[np.float64]) -> None:
        self._seed = place, velocity
        self._flood = Pursuit(
            self.space,
            place,
            velocity if velocity.any() else None,
            speed=self.speed,
            **self._options,
        )

    def _assigned(self, points: Places, rng: np.random.Generator) -> Places:
        assert self._flood is not None
        return self._flood.assign(points, spacing=self.spacing, outside="clamp")


class BeliefSearch(_Guided):
    """Searchers go where `Belief` is strong, each to a place of its own.

    Places keep `spacing` world units to each other, twenty typical steps if absent, and are
    assigned anew each `every` seconds, and when one is reached or seen. `options` are those of
    `Belief`.
    """

    def __init__(
        self,
        space: Space,
        speed: float,
        *,
        every: float = _INTERVAL,
        spacing: float | None = None,
        patience: float = PATIENCE,
        **options: Any,
    ) -> None:
        super().__init__(space, speed, every=every, spacing=spacing, patience=patience)
        self.belief = Belief(space, speed, **options)

    @atomic
    def report(self, position: ArrayLike, radius: float, certainty: float = 0.8) -> None:
        """Take in a noise: so surely the target is within a radius of a world position; what was
        believed before keeps the rest.
        """
        self.belief.report(position, radius, certainty=certainty)
        self._begin(self._last if self.searching else self._open_cell(position))

    def _lost(self, position: Places, velocity: Places) -> None:
        self.belief.see(position, velocity=velocity)

    def _found(self, position: Places) -> None:
        self.belief.see(position)

    def _look(self, cells: NDArray[np.int64]) -> None:
        self.belief.observe(cells)

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
        return {"belief": self.belief.snapshot()}

    def _recall(self, memory: Mapping[str, Any]) -> None:
        belief = memory.get("belief")
        if not isinstance(belief, Mapping):
            raise not_a_memory(f"belief={type(belief).__name__}")
        self.belief.restore(belief)

    def _assigned(self, points: Places, rng: np.random.Generator) -> Places:
        return self.belief.assign(points, spacing=self.spacing, outside="clamp")


SEARCHES: dict[
    str,
    type[LastSeenSearch]
    | type[RandomSearch]
    | type[FloodSearch]
    | type[BeliefSearch]
    | type[SearchParty],
] = {
    "last": LastSeenSearch,
    "random": RandomSearch,
    "flood": FloodSearch,
    "belief": BeliefSearch,
    "party": SearchParty,
}
"""The ways by name; each is made with `(space, speed)`: the speed of the target, world units a
second.
"""
