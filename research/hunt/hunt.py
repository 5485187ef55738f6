"""Steering by influence against a path that is computed once, with a moving target."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fieldcraft import Grid, InfluenceMap, Spread, distance_map, shortest_path
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.query import uphill
from research.shared.statistics import Interval, mean, rate
from research.shared.study import (
    Experiment,
    Job,
    Measure,
    Row,
    Study,
    Summary,
    integer,
    map_options,
    number,
    seed_options,
)
from research.shared.worlds import by_map, grid_of, seeds_of, worlds_of

HUNTERS = {
    "once": "path computed once",
    "again": "path computed every second",
    "influence": "uphill on influence",
}
"""Methods of following, and their names in tables."""

RATE = 10
"""Steps of the hunter a second, a cell each."""

_PAUSE = 5  # the target rests in one of this many steps
CAUGHT = 1.5  # cells
_STRENGTH = 1e9
_DECAY = 0.05
_WAVES = 4  # steps of the layer in one step of the hunter
LONGEST = {
    "--seconds": {
        "type": float,
        "default": 60.0,
        "metavar": "S",
        "help": "longest duration of a hunt (default: 60)",
    }
}
"""The option of the longest duration."""
_MEASURES = (
    Measure("caught", percent=True, limits=(0.0, 1.0)),
    Measure("seconds until then"),
    Measure("steps that lead away", percent=True, limits=(0.0, 1.0)),
    Measure("degrees turned a step"),
)


def hunt_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "80x56",
    seeds: int = 40,
    first_seed: int = 0,
    seconds: float = 60.0,
) -> Study:
    """Return the study of `experiment hunt`: the same walks, followed by each method.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    worlds, digests = worlds_of(kinds, files, size, neighbors=8)
    jobs = hunt_jobs(worlds, seeds_of(seeds, first_seed), seconds, HUNTERS)
    return Study("hunt", "Following a moving target", "hunts", jobs, hunt, _summarise, digests)


def hunt_jobs(
    worlds: Iterable[Row], seeds: Sequence[int], seconds: float, methods: Iterable[str]
) -> tuple[Row, ...]:
    """Return a job for each world, seed and method."""
    lasts = checks.positive("seconds", seconds, maximum=3600)
    return tuple(
        {**world, "seed": seed, "seconds": lasts, "by": method}
        for world, seed, method in itertools.product(worlds, seeds, methods)
    )


def hunt(job: Job) -> Row:
    """Return the end of one hunt, the number of steps away from the target, and the mean turn per
    step.
    """
    space = grid_of(job, "The hunt takes place", neighbors=8)
    rng = np.random.default_rng(integer(job, "seed"))
    steps = round(number(job, "seconds") * RATE)
    start, *target = target_walk(space, rng, steps)
    hunter: _OnPath | _Uphill
    if job["by"] == "influence":
        hunter = _Uphill(space, target[0])
    else:
        hunter = _OnPath(space, RATE if job["by"] == "again" else math.inf)
    cell = start
    before = None
    away = 0
    turns = [0.0]
    for step, at in enumerate(target):
        distances = distance_map(space, space.position_of(at)).values.reshape(-1)
        if distances[cell] <= CAUGHT * space.cell_size:
            return _row(True, step, away, turns)
        after = hunter.next(cell, at)
        away += bool(distances[after] > distances[cell])
        if after != cell:
            heading = space.shortest_vectors(space.position_of(after) - space.position_of(cell))
            if before is not None:
                cross = before[0] * heading[1] - before[1] * heading[0]
                turns.append(abs(float(np.degrees(np.arctan2(cross, before @ heading)))))
            before = heading
        cell = after
    return _row(False, len(target), away, turns)


def _row(caught: bool, steps: int, away: int, turns: list[float]) -> Row:
    return {
        "caught": caught,
        "after": steps / RATE,
        "away": away / max(steps, 1),
        "turned": float(np.mean(turns)),
    }


def target_walk(space: Grid, rng: np.random.Generator, steps: int) -> list[int]:
    """Return the cell where the hunter starts, and then the cells of the target: from place to
    place by shortest paths, four steps out of five.
    """
    parts = space.parts().reshape(-1)
    home = np.flatnonzero(parts == 0)
    if len(home) < 2:
        raise InvalidValue(
            "A hunt needs two cells that are joined", got=repr(space), remedy="Take a larger map"
        )
    at, hunter = (int(cell) for cell in rng.choice(home, 2, replace=False))
    found = [hunter]
    path = list[int]()
    while len(found) <= steps:
        while not path:
            path = steps_to(space, at, int(rng.choice(home)))
        if len(found) % _PAUSE:
            at = path.pop()
        found.append(at)
    return found


def steps_to(space: Grid, start: int, goal: int) -> list[int]:
    """Return the cells of a shortest path without its start, the last cell first."""
    path = shortest_path(space, space.position_of(start), space.position_of(goal))
    cells: list[int] = path.cells[:0:-1].tolist()
    return cells


class _OnPath:
    """The hunter walks to the place of the target, and takes a new path there or `every` steps."""

    def __init__(self, space: Grid, every: float) -> None:
        self._space = space
        self._every = every
        self._path: list[int] = []
        self._steps = 0

    def next(self, cell: int, at: int) -> int:
        """Return the next cell of the hunter."""
        if not self._path or self._steps % self._every == 0:
            self._path = steps_to(self._space, cell, at)
        self._steps += 1
        if self._path:
            return self._path.pop()
        return cell


class _Uphill:
    """The hunter steps to the neighbor of most influence; the target is the only source."""

    def __init__(self, space: Grid, at: int) -> None:
        self._space = space
        decay = _DECAY / space.cell_size
        self._layer = InfluenceMap(space).add_layer(
            "target", Spread(decay, 1.0, floor=0.0), every=1 / RATE
        )
        self._source: Any = self._layer.add_source(space.position_of(at), _STRENGTH)
        self._layer.settle()

    def next(self, cell: int, at: int) -> int:
        """Return the next cell of the hunter."""
        self._source.move(self._space.position_of(at))
        self._layer.step(_WAVES)
        return int(uphill(self._layer, self._space.position_of(cell)).cells)


def _summarise(rows: Sequence[Row]) -> Summary:
    groups = by_map(rows)
    found: dict[tuple[str, str, str], Interval] = {}
    for group, some in groups.items():
        for method, title in HUNTERS.items():
            own = [row for row in some if row["by"] == method]
            if own:
                caught = sum(bool(row["caught"]) for row in own)
                found[group, title, "caught"] = rate(caught, len(own))
                for measure, column in zip(_MEASURES[1:], ("after", "away", "turned"), strict=True):
                    found[group, title, measure.name] = mean([number(row, column) for row in own])
    note = (
        "The target walks from place to place, four steps while the hunter takes five; a hunt that"
        " fails counts with its whole time"
    )
    return Summary(tuple(groups), tuple(HUNTERS.values()), _MEASURES, found, (note,))


EXPERIMENT = Experiment(
    "hunt",
    "steering by influence against a path that is computed once, and every second",
    "Lets a hunter follow a moving target: by the shortest path to where it was, by one"
    " computed again every second, and uphill on an influence map whose source is the target.",
    {
        **map_options(),
        **seed_options(40, "worlds per map, each hunted in three times"),
        **LONGEST,
    },
    hunt_study,
)
