"""Searchers after somebody who is never found: what each way of searching takes to say where they
go.

Views, walks and the ways that searchers walk are the game's, and given to all: only `advance`,
`observe` and `places` are timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

import numpy as np
from numpy.typing import NDArray

import fieldcraft as fc
from bench.race import say
from bench.table import Report, Table, at_most, milliseconds, times
from fieldcraft_worlds.games.chase.searches import AnySearch, BeliefSearch, FloodSearch
from research.chase.chase import LayerSearch

SIDE = 256
SEED = 5
# cells, cells a second
SIGHT = 10.0
SPEED = 4.0
THINK = 0.25  # seconds
AROUND = 40.0  # cells of way around the last sighting in which searchers stand at first
PARTIES = (1, 4, 8)
REQUIRED = 1e-3  # seconds a searcher and second

Floats = NDArray[np.float64]
Made = Callable[[fc.Grid], AnySearch]

CONTENDERS: dict[str, Made] = {
    "SearchParty": lambda space: fc.SearchParty(space, SPEED, sight=SIGHT),
    "BeliefSearch": lambda space: BeliefSearch(space, SPEED),
    "FloodSearch": lambda space: FloodSearch(space, SPEED),
    "LayerSearch, Diffuse": lambda space: LayerSearch(space, SPEED, fc.Diffuse(0.9, floor=0.0)),
    "LayerSearch, Spread": lambda space: LayerSearch(space, SPEED, fc.Spread(0.1, floor=0.0)),
}


@dataclass
class Took:
    """Seconds that thoughts took: `new_map` the first on a map that nobody has searched, `first`
    the first of each search there later; and of each such search all thoughts after it, `later` by
    searcher and second, and the `longest` of them.
    """

    new_map: float = 0.0
    first: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    longest: list[float] = field(default_factory=list)


def fresh() -> fc.Grid:
    """Rooms of 256 x 256 that no search has looked at."""
    return fc.generate_map("rooms", SIDE, SIDE, seed=SEED, neighbors=8)


def begins(space: fc.Grid, count: int, turn: int) -> tuple[Floats, Floats]:
    """Where the target is lost, and where searchers stand then."""
    rng = np.random.default_rng((SEED, count, turn))
    lost = space.position_of(int(rng.choice(np.flatnonzero(~space.walls.reshape(-1)))))
    near = np.flatnonzero(
        np.isfinite(fc.distance_map(space, lost, limit=AROUND).values.reshape(-1))
    )
    return np.asarray(lost), np.asarray(
        space.position_of(rng.choice(near, count)), dtype=np.float64
    )


def searched(
    made: Made, space: fc.Grid, count: int, turn: int, seconds: float
) -> tuple[float, list[float]]:
    """The seconds that the first thought of a search took, and each after it."""
    lost, places = begins(space, count, turn)
    search = made(space)
    rng = np.random.default_rng(turn)
    search.lost(lost, (SPEED, 0.0))
    ways: dict[int, fc.DistanceMap] = {}
    took = []
    for _ in range(1 + round(seconds / THINK)):
        seen = np.logical_or.reduce([fc.visible(space, place, SIGHT) for place in places])
        start = time.process_time()
        search.advance(THINK)
        search.observe(seen)
        goals = search.places(places, rng)
        took.append(time.process_time() - start)
        places = np.array(
            [walked(space, ways, place, goal) for place, goal in zip(places, goals, strict=True)]
        )
    return took[0], took[1:]


def walked(space: fc.Grid, ways: dict[int, fc.DistanceMap], place: Floats, goal: Floats) -> Floats:
    """Where a searcher is a thought later."""
    cell = int(space.cell_at(goal))
    if cell not in ways:
        ways[cell] = fc.distance_map(space, goal)
    way = ways[cell].descend(place)
    if len(way) <= 1:
        return np.asarray(place)
    return np.asarray(way.at(min(SPEED * THINK, way.length)))


def raced(count: int, rounds: int, seconds: float) -> dict[str, Took]:
    """The contenders in turn, each on a map of its own, which it comes to know."""
    spaces = {name: fresh() for name in CONTENDERS}
    found = {
        name: Took(searched(made, spaces[name], count, rounds, THINK)[0])
        for name, made in CONTENDERS.items()
    }
    for turn in range(rounds):
        for name, made in CONTENDERS.items():
            first, later = searched(made, spaces[name], count, turn, seconds)
            found[name].first.append(first)
            found[name].later.append(sum(later) / (seconds * count))
            found[name].longest.append(max(later))
    return found


def run(quick: bool) -> Report:
    """The table of this suite."""
    report = Report()
    rounds, seconds = (1, 6.0) if quick else (5, 24.0)
    raced(1, 1, THINK)  # compiles
    table = Table(
        f"Searching rooms of {SIDE} x {SIDE}, {THINK:g} s from thought to thought",
        (
            "searchers, by",
            "ms a searcher and second, best",
            "median",
            "required",
            "verdict",
            "longest thought ms",
            "first of a search",
            "first on a map",
            "SearchParty takes",
        ),
    )
    for count in PARTIES:
        say(f"bench searching: {count} searchers")
        found = raced(count, rounds, seconds)
        own = min(found["SearchParty"].later)
        for name, took in found.items():
            best = min(took.later)
            if name == "SearchParty":
                required = f"{REQUIRED * 1e3:g} ms"
                verdict = at_most(best, REQUIRED)
                ratio = ""
            else:
                required = ""
                verdict = ""
                ratio = times(own / best)
            table.add(
                f"{count}, {name}",
                milliseconds(best),
                milliseconds(median(took.later)),
                required,
                verdict,
                milliseconds(median(took.longest)),
                milliseconds(median(took.first)),
                milliseconds(took.new_map),
                ratio,
            )
    table.notes.append(
        f"{rounds} searches of {seconds:g} s each, after targets that are never found; views and"
        " walks are given to all and not timed. A thought longer than the others is one in which"
        " all are sent anew. The first on a map looks up what belongs to the map, and is told"
        " apart, as is the first of each search after it. CPU time."
    )
    report.tables.append(table)
    return report
