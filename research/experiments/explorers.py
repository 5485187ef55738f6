"""Methods of exploring a map, and what one sees of a place that is explored and patrolled: the runs
behind `experiment maze`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Fade, Graph, Grid, InfluenceMap, checks, distance_map
from fieldcraft.errors import InvalidValue
from fieldcraft.query import explore_step

__all__ = ["EXPLORERS", "Tour", "tour"]

EXPLORERS = ("memory", "beyond", "frontier", "random")

_LOOKS = 60  # times in a lap at which the ages of all cells are looked at
_TRIES = 100

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Tour:
    """The outcome of a tour. A lap is as many steps as there are cells, and ages are counted in
    laps.

    `cells` are those that can be reached. At each of the laps asked for: `explored` is the share of
    cells that somebody has been at, `ages` the mean and `worst` the greatest time since a cell was
    last visited, or since the start. `full` and `nearly` are the laps until all, and until 95 % of
    them, have been visited, None if they were not. In the second half of the tour, `mean_age` and
    `worst_age` are averages over time, and `again` is the share of steps to a cell that was visited
    within the last half lap.
    """

    cells: int
    explored: tuple[float, ...]
    ages: tuple[float, ...]
    worst: tuple[float, ...]
    nearly: float | None
    full: float | None
    mean_age: float
    worst_age: float
    again: float


def tour(
    space: Grid | Graph,
    how: str,
    *,
    sight: int = 1,
    laps: tuple[float, ...] = (1.0, 2.0),
    life: float = 20.0,
    count: int = 1,
    seed: int = 0,
) -> Tour:
    """Let explorers walk until the last of the laps, all from one place, a step a second.

    Parameters
    ----------
    space : Grid or Graph
        A grid or a graph.
    how : str
        "memory" walks to the least known cell within `sight` steps, by marks on a `Fade` layer;
        "beyond" does so too, and where all within sight is known it walks to the nearest unknown
        cell; "frontier" walks to the nearest cell that has not been visited, and begins anew when
        there is none; "random" takes any step.
    sight : int, optional
        Steps.
    laps : tuple[float, ...], optional
        When to look, rising, above 0.
    life : float, optional
        Laps after which a mark is forgotten.
    count : int, optional
        How many explorers there are; they share what they know. A lap is then walked by all
        together.
    seed : int, optional
        Of the start and the dice; the same start for all ways.

    Raises
    ------
    InvalidValue
        For arguments out of range, and a map with nowhere to go.
    """
    checks.choice("how", how, EXPLORERS)
    looks = tuple(checks.positive("laps", lap) for lap in laps)
    if not looks or list(looks) != sorted(set(looks)):
        raise InvalidValue(
            "laps are rising numbers", got=repr(laps)[:80], remedy="Pass (0.5, 1.0, 2.0), say"
        )
    rng = np.random.default_rng(checks.integer("seed", seed))
    start, ground = _start(space, rng)
    cells = len(ground)
    walks = _made(
        how,
        space,
        checks.integer("sight", sight, minimum=1),
        checks.positive("life", life) * cells,
        rng,
    )
    here = np.full(checks.integer("count", count, minimum=1), start)
    most = max(1, round(looks[-1] * cells / count))
    due = {min(max(1, round(lap * cells / count)), most): place for place, lap in enumerate(looks)}
    every = max(1, cells // (_LOOKS * count))
    last = np.full(len(space), -1)
    last[start] = 0
    found = np.zeros((3, len(looks)))
    left = cells - 1
    nearly = full = None
    patrol: list[tuple[float, float]] = []
    repeats = 0
    for now in range(1, most + 1):
        came = walks.step(here)
        left -= len(np.unique(came[last[came] < 0]))
        if nearly is None and left <= 0.05 * cells:
            nearly = now * count / cells
        if full is None and left == 0:
            full = now * count / cells
        late = now > most // 2
        if late:
            repeats += int(
                np.count_nonzero((last[came] >= 0) & ((now - last[came]) * count < 0.5 * cells))
            )
        last[came] = now
        here = came
        if now in due or (late and now % every == 0):
            ages = (now - np.maximum(last[ground], 0)) * (count / cells)
            if late:
                patrol.append((float(ages.mean()), float(ages.max())))
            if now in due:
                found[:, due[now]] = 1 - left / cells, ages.mean(), ages.max()
    means = np.mean(patrol, axis=0)
    return Tour(
        cells=cells,
        explored=tuple(found[0].tolist()),
        ages=tuple(found[1].tolist()),
        worst=tuple(found[2].tolist()),
        nearly=nearly,
        full=full,
        mean_age=float(means[0]),
        worst_age=float(means[1]),
        again=repeats / (count * (most - most // 2)),
    )


def _start(space: Grid | Graph, rng: np.random.Generator) -> tuple[int, Ints]:
    """A cell in a large part of the map, and all cells that are joined with it."""
    free = np.flatnonzero(~space.walls.reshape(-1))
    for _ in range(_TRIES if len(free) else 0):
        start = int(rng.choice(free))
        ground = np.flatnonzero(
            np.isfinite(distance_map(space, space.position_of(start)).values.reshape(-1))
        )
        if len(ground) > max(1, len(free) // 2):
            return start, ground
    raise InvalidValue(
        "Explorers have somewhere to go",
        got=f"{space!r}, of which no half is joined",
        remedy="Pass a map whose open cells are joined",
    )


class _Walk(Protocol):
    def step(self, here: Ints) -> Ints:
        """The cells where explorers are a step later."""


@dataclass(frozen=True, eq=False)
class _Known:
    """Values that explorers look at."""

    space: Grid | Graph
    values: NDArray[np.float32]


class _Memory:
    def __init__(
        self, space: Grid | Graph, sight: int, life: float, beyond: bool, rng: np.random.Generator
    ) -> None:
        self._world = InfluenceMap(space)
        self._memory = self._world.add_layer(
            "memory", Fade(amount=1.0, interval=1.0, maximum=life), every=1.0
        )
        self._space, self._sight, self._unknown, self._rng = (
            space,
            sight,
            0.0 if beyond else None,
            rng,
        )

    def step(self, here: Ints) -> Ints:
        places = self._space.position_of(here)
        self._memory.mark(places)
        found = explore_step(
            self._memory, places, self._sight, unknown=self._unknown, rng=self._rng, apart=True
        )
        self._world.advance(1.0)
        return found.cells


class _Frontier:
    def __init__(self, space: Grid | Graph, rng: np.random.Generator) -> None:
        self._been = _Known(space, np.zeros(space.shape, dtype=np.float32))
        self._rng = rng

    def step(self, here: Ints) -> Ints:
        space, values = self._been.space, self._been.values
        values.reshape(-1)[here] = 1
        found = explore_step(self._been, space.position_of(here), 1, rng=self._rng, apart=True)
        if values.reshape(-1)[found.targets].all():
            values[:] = 0
            values.reshape(-1)[here] = 1
            found = explore_step(self._been, space.position_of(here), 1, rng=self._rng, apart=True)
        return found.cells


class _Random:
    def __init__(self, space: Grid | Graph, rng: np.random.Generator) -> None:
        self._nothing = _Known(space, np.zeros(space.shape, dtype=np.float32))
        self._rng = rng

    def step(self, here: Ints) -> Ints:
        # Of equally known cells the nearest counts, and dice decide.
        return explore_step(
            self._nothing, self._nothing.space.position_of(here), 1, rng=self._rng
        ).cells


def _made(
    how: str, space: Grid | Graph, sight: int, life: float, rng: np.random.Generator
) -> _Walk:
    if how == "frontier":
        return _Frontier(space, rng)
    if how == "random":
        return _Random(space, rng)
    return _Memory(space, sight, life, how == "beyond", rng)
