"""Steering by influence beside a way that is computed once: which finds a moving target, and which
looks as if it knew?
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fieldcraft import Grid, InfluenceMap, Spread, checks, distance_map, shortest_path
from fieldcraft.errors import InvalidValue
from fieldcraft.query import uphill
from research.experiments.experiment import Experiment, words
from research.experiments.statistics import Interval, mean, rate
from research.experiments.study import Job, Measure, Row, Study, Summary, integer, number
from research.experiments.worlds import (
    add_map_arguments,
    add_seed_arguments,
    grid_of,
    label_of,
    seeds_of,
    worlds_of,
)

__all__ = ["EXPERIMENT", "HUNTERS", "hunt", "hunt_study"]

HUNTERS = {
    "once": "way computed once",
    "again": "way computed every second",
    "influence": "uphill on influence",
}
"""The ways of following, and their names in tables."""

RATE = 10
"""Steps of the hunter a second, a cell each."""

_ALL = "all maps"
_PAUSE = 5  # of so many steps the target leaves one out
_CAUGHT = 1.5  # cells
_STRENGTH, _DECAY = 1e9, 0.05
_WAVES = (
    4  # steps of the layer in one of the hunter: influence is four times as fast as whom it leads
)
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
    """The study behind `experiment hunt`: the same target on its walks, followed in each
    of the three ways.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    numbers = seeds_of(seeds, first_seed)
    worlds, digests = worlds_of(kinds, files, size, neighbors=8)
    lasts = checks.positive("seconds", seconds)
    if lasts > 3600:
        raise InvalidValue(
            "seconds is at most 3,600", got=f"seconds={lasts:g}", remedy="Ask for fewer"
        )
    jobs: list[Row] = [
        {**world, "seed": seed, "seconds": lasts, "by": way}
        for world in worlds
        for seed in numbers
        for way in HUNTERS
    ]
    return Study(
        "hunt",
        "Following a target that walks about",
        "hunts",
        tuple(jobs),
        hunt,
        _summarise,
        digests,
    )


def hunt(job: Job) -> Row:
    """One hunt: when it ended, how many steps led away from the target, and how far the hunter
    turned a step.
    """
    space = grid_of(job, "The hunt takes place", neighbors=8)
    walk = _walk(
        space, np.random.default_rng(integer(job, "seed")), round(number(job, "seconds") * RATE)
    )
    start, *target = walk
    leads: dict[str, type[_Once] | type[_Uphill]] = {
        "once": _Once,
        "again": _Again,
        "influence": _Uphill,
    }
    lead = leads[str(job["by"])](space, target[0])
    cell, before, away, turns = start, None, 0, [0.0]
    for step, at in enumerate(target):
        ways = distance_map(space, space.position_of(at)).values.reshape(-1)
        if ways[cell] <= _CAUGHT * space.cell_size:
            return _row(True, step, away, turns)
        after = lead.next(cell, at)
        away += bool(ways[after] > ways[cell])
        if after != cell:
            way = space.shortest_vectors(space.position_of(after) - space.position_of(cell))
            if before is not None:
                turns.append(
                    abs(
                        float(
                            np.degrees(
                                np.arctan2(before[0] * way[1] - before[1] * way[0], before @ way)
                            )
                        )
                    )
                )
            before = way
        cell = after
    return _row(False, len(target), away, turns)


def _row(caught: bool, steps: int, away: int, turns: list[float]) -> Row:
    return {
        "caught": caught,
        "after": steps / RATE,
        "away": away / max(steps, 1),
        "turned": float(np.mean(turns)),
    }


def _walk(space: Grid, rng: np.random.Generator, steps: int) -> list[int]:
    """Where the hunter starts, and the cells of the target: from place to place by the shortest
    ways, four steps out of five.
    """
    parts = space.parts().reshape(-1)
    home = np.flatnonzero(parts == 0)
    if len(home) < 2:
        raise InvalidValue(
            "A hunt needs two cells that are joined", got=repr(space), remedy="Take a larger map"
        )
    at, hunter = (int(cell) for cell in rng.choice(home, 2, replace=False))
    found, way = [hunter], list[int]()
    while len(found) <= steps:
        while not way:
            goal = int(rng.choice(home))
            way = (
                shortest_path(space, space.position_of(at), space.position_of(goal))
                .cells[:0:-1]
                .tolist()
            )
        if len(found) % _PAUSE:
            at = way.pop()
        found.append(at)
    return found


class _Once:
    """The hunter walks to where the target was when it set out; there it looks again where the
    target is.
    """

    def __init__(self, space: Grid, at: int) -> None:
        self._space = space
        self._way: list[int] = []

    def next(self, cell: int, at: int) -> int:
        """The next cell of the hunter."""
        if not self._way:
            self._look(cell, at)
        return self._way.pop() if self._way else cell

    def _look(self, cell: int, at: int) -> None:
        self._way = (
            shortest_path(self._space, self._space.position_of(cell), self._space.position_of(at))
            .cells[:0:-1]
            .tolist()
        )


class _Again(_Once):
    """The hunter looks every second where the target is."""

    def __init__(self, space: Grid, at: int) -> None:
        super().__init__(space, at)
        self._steps = 0

    def next(self, cell: int, at: int) -> int:
        """The next cell of the hunter."""
        if self._steps % RATE == 0:
            self._look(cell, at)
        self._steps += 1
        return super().next(cell, at)


class _Uphill:
    """The hunter steps to the neighbor of most influence, in a layer whose one source is the
    target.
    """

    def __init__(self, space: Grid, at: int) -> None:
        self._space = space
        decay = _DECAY / space.cell_size
        self._layer = InfluenceMap(space).add_layer(
            "target", Spread(decay, 1.0, floor=0.0), every=1 / RATE
        )
        self._source: Any = self._layer.add_source(space.position_of(at), _STRENGTH)
        self._layer.settle()

    def next(self, cell: int, at: int) -> int:
        """The next cell of the hunter."""
        self._source.move(self._space.position_of(at))
        self._layer.step(_WAVES)
        return int(uphill(self._layer, cells=np.array([cell])).cells[0])


def _summarise(rows: Sequence[Row]) -> Summary:
    maps: dict[str, list[Row]] = {}
    for row in rows:
        maps.setdefault(label_of(row), []).append(row)
    groups = {**maps, **({_ALL: list(rows)} if len(maps) > 1 else {})}
    found: dict[tuple[str, str, str], Interval] = {}
    for group, some in groups.items():
        for way, title in HUNTERS.items():
            mine = [row for row in some if row["by"] == way]
            if mine:
                found[group, title, "caught"] = rate(
                    sum(bool(row["caught"]) for row in mine), len(mine)
                )
                for measure, column in zip(_MEASURES[1:], ("after", "away", "turned"), strict=True):
                    found[group, title, measure.name] = mean([number(row, column) for row in mine])
    note = (
        "The target walks from place to place, four steps while the hunter takes five; a hunt that"
        " fails counts with its whole time"
    )
    return Summary(tuple(groups), tuple(HUNTERS.values()), _MEASURES, found, (note,))


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_map_arguments(parser)
    add_seed_arguments(parser, seeds=40, what="worlds per map, each hunted in three times")
    parser.add_argument(
        "--seconds",
        type=float,
        default=60.0,
        metavar="S",
        help="how long a hunt lasts at most (default: 60)",
    )


def _study(chosen: argparse.Namespace) -> Study:
    return hunt_study(
        None if chosen.maps is None else words(chosen.maps),
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        seconds=chosen.seconds,
    )


EXPERIMENT = Experiment(
    "hunt",
    "steering by influence against a way that is computed once, and every second",
    "Lets a hunter follow a target that walks about: by the shortest way to where it was, by one"
    " that is looked up again every second, and uphill on an influence map whose source is the"
    " target.",
    "python -m research experiment hunt --maps rooms,cave --seeds 40 --out out/hunt",
    _arguments,
    _study,
)
