"""Shortest paths against those that Python programs use: problems of the MovingAI benchmark, one
call each.

Only times are compared. tcod's A* takes 1.41 for a diagonal, and both it and pyastar2d cut corners;
fieldcraft's lengths are judged by those that the benchmark lists. Everybody's map is built once,
beforehand.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

import fieldcraft as fc
from bench import machine
from bench.race import race, repeats, say
from bench.table import Report, Table, at_least, milliseconds, times
from fieldcraft.formats.maps.scenarios import Scenarios, load_scenarios
from fieldcraft.kernels.compiling import pool
from fieldcraft.paths import shortest_path, shortest_paths

DATA = (
    Path(os.environ.get("FIELDCRAFT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    / "gridmaps"
)
MAPS = ("dao/brc202d", "dao/orz900d", "cities/Berlin_1_256", "sc1/AcrosstheCape")
PROBLEMS = 1000
REQUIRED = 2.5
SEED = 20261121
ROUNDS = {
    "own": 9,
    "pyastar2d": 3,
    "tcod.path.AStar": 1,
}  # the slowest is asked once, for half a minute
FEW = 200  # problems for what is not raced

Pairs = list[tuple[tuple[float, float], tuple[float, float]]]


class Case:
    """Problems on one map."""

    def __init__(self, name: str, count: int) -> None:
        self.name = name.partition("/")[2]
        self.space = fc.load_map(DATA / f"maps/{name}.map", neighbors=8)
        problems: Scenarios = load_scenarios(DATA / f"scenarios/{name}.map.scen")
        rows = np.unique(
            np.linspace(0, len(problems) - 1, min(count, len(problems))).round().astype(np.int64)
        )
        self.starts = problems.starts[rows]
        self.goals = problems.goals[rows]
        self.lengths = problems.lengths[rows]
        self.pairs: Pairs = [
            (tuple(start), tuple(goal))
            for start, goal in zip(self.starts.tolist(), self.goals.tolist(), strict=True)
        ]
        self.cells = [
            ((int(start[1]), int(start[0])), (int(goal[1]), int(goal[0])))
            for start, goal in zip(self.starts.tolist(), self.goals.tolist(), strict=True)
        ]

    def __len__(self) -> int:
        return len(self.pairs)

    def threat(self) -> NDArray[np.float64]:
        """Smooth costs from 1 to about 10, most of them near 1."""
        noise = np.random.default_rng(SEED).normal(size=self.space.shape)
        field = np.maximum(ndimage.gaussian_filter(noise, 8), 0)
        return np.asarray(1 + 4 * field * (2.25 / field.max()))


def alone(case: Case, **options: Any) -> None:
    """One call per problem."""
    for start, goal in case.pairs:
        shortest_path(case.space, start, goal, **options)


def tcod_astar(case: Case) -> Callable[[], None]:
    """tcod's A*, its graph built."""
    import tcod.path

    astar = tcod.path.AStar(cost=np.where(case.space.walls, 0, 1).astype(np.int8), diagonal=1.41)

    def run() -> None:
        for start, goal in case.cells:
            astar.get_path(*start, *goal)

    return run


def pyastar(case: Case) -> Callable[[], None]:
    """pyastar2d, its weights built."""
    import pyastar2d

    weights = np.where(case.space.walls, np.inf, 1).astype(np.float32)

    def run() -> None:
        for start, goal in case.cells:
            pyastar2d.astar_path(weights, start, goal, allow_diagonal=True)

    return run


def peers(case: Case) -> dict[str, Callable[[], None]]:
    """Those that are installed."""
    found = {}
    if machine.version("tcod") != "not installed":
        found["tcod.path.AStar"] = tcod_astar(case)
    if machine.version("pyastar2d") != "not installed":
        found["pyastar2d"] = pyastar(case)
    return found


def run(quick: bool) -> Report:
    """The tables of this suite."""
    report = Report()
    report.tables.append(reach_of_many(quick))
    if not DATA.is_dir():
        report.notes.append(
            f"The maps of the MovingAI benchmark were not found in {DATA}: set FIELDCRAFT_DATA to"
            " the folder that holds gridmaps."
        )
        return report
    cases = [Case(name, repeats(quick, 40, PROBLEMS)) for name in MAPS]
    report.tables.append(against_peers(cases, quick, report))
    few = [Case(name, repeats(quick, 40, FEW)) for name in MAPS]
    report.tables += [other_ways(few, quick)]
    return report


def reach_of_many(quick: bool) -> Table:
    """The cells that 20 agents reach, in one call and in one each."""
    say("bench search: reach")
    rng = np.random.default_rng(SEED)
    walls = rng.random((160, 160)) < 0.1
    space = fc.Grid(walls=walls, neighbors=8)
    agents = space.position_of(rng.choice(np.flatnonzero(~walls), 20, replace=False))
    table = Table(
        "Reach of 20 agents on 160 x 160, us",
        ("cells", "one call", "a call each", "ratio", "required", "verdict"),
    )
    for limit in (2, 8, 16):
        ways: dict[str, Callable[[], Any]] = {
            "together": partial(fc.reach, space, agents, limit),
            "alone": lambda limit=limit: [fc.reach(space, agent, limit) for agent in agents],
        }
        for way in ways.values():
            way()
        took = contest(ways, 1, dict.fromkeys(ways, repeats(quick, 20, 200)))
        ratio = took["alone"].best / took["together"].best
        required = 1.2 if limit > 8 else 1.5
        table.add(
            f"{limit}",
            f"{took['together'].best * 1e6:.0f}",
            f"{took['alone'].best * 1e6:.0f}",
            times(ratio),
            f"{required:g}x",
            at_least(ratio, required),
        )
    return table


def against_peers(cases: list[Case], quick: bool, report: Report) -> Table:
    """One call per problem, on plain ground."""
    columns = (
        "problems",
        "count",
        "ms per path, best",
        "median",
        "best peer",
        "its best",
        "fieldcraft is",
        "other peers",
        "required",
        "verdict",
    )
    table = Table("Shortest paths, one call each", columns)
    for case in cases:
        say(f"bench search: {case.name}")
        found = np.array([shortest_path(case.space, *pair).length for pair in case.pairs])
        worst = float(np.abs(found - case.lengths).max())
        if not worst < 0.01:
            report.wrong.append(f"{case.name}: a length differs from the listed one by {worst:g}")
        others = peers(case)
        rounds = {name: 1 if quick else ROUNDS[name] for name in ("own", *others)}
        took = contest({"own": partial(alone, case), **others}, len(case), rounds)
        own = took.pop("own")
        ranking = sorted(took, key=lambda name: took[name].best)
        if ranking:
            best = took[ranking[0]].best
        else:
            best = float("nan")
        table.add(
            case.name,
            f"{len(case):,}",
            milliseconds(own.best),
            milliseconds(own.median),
            ranking[0] if ranking else "none installed",
            milliseconds(best),
            times(best / own.best),
            ", ".join(f"{name} {times(took[name].best / own.best)}" for name in ranking[1:]),
            f"{REQUIRED:g}x",
            at_least(best / own.best, REQUIRED),
        )
    return table


def other_ways(cases: list[Case], quick: bool) -> Table:
    """What straight legs, batches and costs take."""
    columns = (
        "problems",
        "one call each",
        "with smooth=True",
        f"one batch, {pool.threads()} threads",
        "batch, costs 1 + 4 * threat",
    )
    table = Table("Other paths, ms per path", columns)
    for case in cases:
        say(f"bench search: {case.name}, other paths")
        costs = case.threat()
        ways: dict[str, Callable[[], Any]] = {
            "alone": partial(alone, case),
            "smooth": partial(alone, case, smooth=True),
            "batch": partial(shortest_paths, case.space, case.starts, case.goals),
            "costs": partial(shortest_paths, case.space, case.starts, case.goals, cost=costs),
        }
        for way in ways.values():
            way()
        took = contest(ways, len(case), dict.fromkeys(ways, repeats(quick, 1, 3)))
        table.add(case.name, *(milliseconds(took[way].best) for way in ways))
    return table


def contest(
    ways: dict[str, Callable[[], Any]], steps: int, rounds: dict[str, int]
) -> dict[str, Any]:
    """Race calls that need no preparation."""
    return race({name: (lambda: None, way) for name, way in ways.items()}, steps, rounds)
