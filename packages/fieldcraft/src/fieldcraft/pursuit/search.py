"""The common part of all ways of searching: the last sighting, and the place that each searcher is
sent to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, clock
from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.paths import distance_map
from fieldcraft.pursuit.arguments import checked_velocity
from fieldcraft.space import Space
from fieldcraft.space.kinds import checked_space

__all__ = ["NONE", "PATIENCE", "Places", "Search", "not_a_memory"]

Places = NDArray[np.float64]

NONE = -1
PATIENCE = 20.0  # seconds after which a place that was not reached is given up


class Search:
    """A way of searching for a target that was seen and then lost; `SEARCHES` has five of them.

    Searchers are the game's: a search says where each should go now, knows nothing but what it is
    told, and goes through saves and states by `snapshot()`, plain data, and `restore(memory)`. Dice
    are passed to the one call that needs them.

    Parameters
    ----------
    space : Space
        A grid or a graph.
    speed : float
        Of the target, world units a second.
    patience : float, optional
        Seconds after which a searcher gives up a place that it could not reach.
    """

    _goals: NDArray[np.int64]
    _given: NDArray[np.int64]

    def __init__(self, space: Space, speed: float, *, patience: float = PATIENCE) -> None:
        self.space = checked_space(space)
        self.speed = checks.positive("speed", speed)
        self._patience = clock.ticks("patience", patience, minimum=1)
        self._step = space.typical_step
        self._begin(NONE)

    # What happens

    @atomic
    def lost(self, position: ArrayLike, velocity: ArrayLike | None = None) -> None:
        """Begin anew: the target was last seen at a world position, with that velocity, world units
        a second.
        """
        self._begin(self._open_cell(position))
        self._lost(
            self.space.position_of(self._last), checked_velocity(velocity, self.space.dimensions)
        )

    @atomic
    def found(self, position: ArrayLike) -> None:
        """Stop: the target is seen at a world position, and nothing is searched until it is
        lost.
        """
        cell = self._open_cell(position)
        self._begin(NONE)
        self._found(self.space.position_of(cell))

    @atomic
    def observe(self, view: ArrayLike) -> None:
        """Take in that searchers see these cells and the target is not there: bool in the space's
        shape, or cells.
        """
        cells = self.space.cell_ids(view)
        self._goals[np.isin(self._goals, cells) & self._may_drop()] = NONE
        if self.searching:
            self._look(cells)

    @atomic
    def report(self, position: ArrayLike, radius: float, certainty: float = 0.8) -> None:
        """Take in a noise: so surely the target is within a radius of a world position.

        All ways but `BeliefSearch` take it as a sighting, if it is likelier than not.
        """
        if checks.positive("radius", radius) and checks.fraction("certainty", certainty) >= 0.5:
            self.lost(position)

    @atomic
    def advance(self, dt: float) -> None:
        """Let `dt` seconds pass."""
        self._ticks += clock.ticks("dt", dt)
        self._advance(dt)

    # What it says

    @property
    def searching(self) -> bool:
        """Whether there is anybody to search for."""
        return self._last != NONE

    @atomic
    def places(self, searchers: ArrayLike, rng: np.random.Generator) -> Places:
        """Where each searcher should go now: world positions in the order of `searchers`, which are
        world positions too.

        Before a target was lost, and while it is in sight, all stay where they are.
        """
        points, _ = checks.positions(searchers, dimensions=self.space.dimensions)
        checks.generator(rng)
        if not self.searching or not len(points):
            return points.copy()
        if len(points) != len(self._goals):
            self._goals = np.full(len(points), NONE, dtype=np.int64)
            self._given = np.zeros(len(points), dtype=np.int64)
        near = self.space.position_of(np.maximum(self._goals, 0))
        there = ((points - near) ** 2).sum(axis=1) <= (0.75 * self._step) ** 2
        self._goals[there | (self._ticks - self._given > self._patience)] = NONE
        idle = np.flatnonzero(self._goals == NONE)
        self._send(points, idle, rng)
        self._given[idle] = self._ticks
        return np.asarray(self.space.position_of(self._goals))

    @property
    def values(self) -> NDArray[np.float32] | None:
        """The heat or the belief of each cell, float32 in the space's shape; None where the way of
        searching has none.
        """
        return None

    def estimate(self) -> Places | None:
        """The one place where the target most likely is, a world position; None without any
        idea.
        """
        return np.asarray(self.space.position_of(self._last)) if self.searching else None

    # Saves

    def snapshot(self) -> dict[str, Any]:
        """All knowledge, as plain data to keep in a state."""
        own = {
            "last": self._last,
            "ticks": self._ticks,
            "goals": self._goals.copy(),
            "given": self._given.copy(),
        }
        return own | self._memory()

    @atomic
    def restore(self, memory: Mapping[str, Any]) -> None:
        """Go on bit for bit from where another on this space, made with the same arguments, was:
        its `snapshot()`.

        Raises
        ------
        InvalidValue
            For anything else.
        """
        try:
            last, ticks = int(memory["last"]), int(memory["ticks"])
            goals, given = (np.array(memory[name], dtype=np.int64) for name in ("goals", "given"))
        except (LookupError, OverflowError, TypeError, ValueError) as error:
            raise not_a_memory(f"{type(error).__name__}: {error}") from None
        if (
            goals.ndim != 1
            or goals.shape != given.shape
            or not all(NONE <= cell < len(self.space) for cell in (last, *goals.tolist()))
        ):
            raise not_a_memory(
                f"last={last} and goals {goals[:5].tolist()} on a map of {len(self.space)} cells"
            )
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
        point = checks.position(
            position, "A target is in one place", dimensions=self.space.dimensions
        )
        return int(self.space.nearest_open(int(self.space.cell_at(point))))

    def _around(self, limit: float | None = None) -> NDArray[np.int64]:
        """The cells from which a way leads to the last sighting, at most so long, world units."""
        ways = distance_map(
            self.space, self.space.position_of(self.space.nearest_open(self._last)), limit=limit
        )
        return np.flatnonzero(np.isfinite(ways.values))


def not_a_memory(got: str) -> InvalidValue:
    """The error about a memory that no such search gave."""
    return InvalidValue(
        "A search goes on from what its snapshot() gave",
        got=got,
        remedy="Pass that of the same way of searching on this map",
    )
