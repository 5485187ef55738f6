"""Distance maps against `tcod.path.dijkstra2d` and `skimage.graph.MCP_Geometric`, and what a repair
costs beside a new map.

Times only: both others let diagonals cut corners, and tcod takes whole costs and counts a diagonal
as 3/2 of a straight step. What
fieldcraft finds is checked here against its neighbors: each cell's distance is the least that a
step to another cell gives.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import tcod.path
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from skimage.graph import MCP_Geometric

import fieldcraft as fc
from bench import machine
from bench.race import REST, Times, now, repeats, say
from bench.table import Report, Table, at_least, milliseconds, target, times
from fieldcraft.paths import DistanceMap, distance_map, would_block

DATA = Path(
    os.environ.get("FIELDCRAFT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
MAPS = {"arena2": "dao", "brc202d": "dao", "TheFrozenSea": "sc1", "maze512-4-0": "mazes"}
PLACES = 200
MAPS_ALIVE = 8


def load(name: str, report: Report) -> fc.Grid | None:
    """A map of the benchmark set, if it is there."""
    path = DATA / "gridmaps" / "maps" / MAPS[name] / f"{name}.map"
    if not path.is_file():
        report.notes.append(f"Left out: {name}. Not found: {path} (set FIELDCRAFT_DATA).")
        return None
    return fc.load_map(path, neighbors=8)


def contest(
    ways: dict[str, Callable[[], object]], batch: dict[str, int], rounds: int
) -> dict[str, Times]:
    """Time each way in turn, round by round, `batch` calls at a time for those that are short."""
    found = {name: Times() for name in ways}
    for run in ways.values():
        run()
    for _ in range(rounds):
        for name, run in ways.items():
            time.sleep(REST)
            for _ in range(batch.get(name, 1)):
                start = now()
                run()
                found[name].rounds.append(now() - start)
    return found


def skimage_map(ground: MCP_Geometric | NDArray[np.float64], goal: tuple[int, int]) -> object:
    """Search a made object, or make one for an array of costs first."""
    if isinstance(ground, np.ndarray):
        ground = MCP_Geometric(ground)
    return ground.find_costs([goal])


def is_settled(space: fc.Grid, field: DistanceMap, goal: int, cost: NDArray[np.float64]) -> bool:
    """Whether every distance is the least that a step to a neighbor gives."""
    away = field.exact
    least = np.full(space.shape, np.inf)
    least.flat[goal] = 0.0
    padded = np.pad(away, 1, constant_values=np.inf)
    links = np.pad(space.links(), 1)
    costs = np.pad(cost, 1, constant_values=1.0)
    height, width = space.shape
    for k, (dx, dy) in enumerate(space.neighborhood.steps):
        there = np.s_[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]
        steps = math.hypot(dx, dy) * space.cell_size * (cost + costs[there]) / 2
        least = np.minimum(least, np.where(links[there] >> k & 1, padded[there] + steps, np.inf))
    least[space.walls] = np.inf
    return bool(np.allclose(away, least, rtol=1e-12, atol=1e-9))


def whole_maps(report: Report, quick: bool) -> None:
    """A map from one goal to everywhere: unit costs, and costs of 1 + 4 * threat."""
    plain = Table(
        "Distance map from one goal, 8 neighbors, unit cost, values read",
        (
            "map",
            "fieldcraft best ms",
            "median",
            "tcod best ms",
            "is",
            "required",
            "verdict",
            "skimage best ms",
            "is",
            "required",
            "verdict",
        ),
    )
    priced = Table("The same with costs of 1 + 4 * threat", plain.columns)
    rounds = repeats(quick, 2, 8)
    for name in MAPS:
        space = load(name, report)
        if space is None:
            continue
        say(f"bench paths: distance maps of {name}")
        open_ = np.flatnonzero(~space.walls)
        goal = int(open_[len(open_) // 2])
        position = space.position_of(goal)
        threat = gaussian_filter(np.random.default_rng(0).random(space.shape), 3)
        threat = (threat - threat.min()) / (threat.max() - threat.min())
        for table, cost, least in (
            (plain, None, 15 if name != "maze512-4-0" else 9),
            (priced, (1 + 4 * threat).astype(np.float32), 5),
        ):
            if cost is None:
                cells = np.ones(space.shape)
            else:
                cells = cost.astype(np.float64)
            whole = np.where(space.walls, 0, np.rint(cells)).astype(np.int32)
            shut = np.where(space.walls, -1.0, cells)
            search = MCP_Geometric(shut)

            def tcod_map(whole: NDArray[np.int32] = whole, goal: int = goal) -> None:
                away = np.full(whole.shape, np.iinfo(np.int32).max, dtype=np.int32)
                away.flat[goal] = 0
                tcod.path.dijkstra2d(away, whole, 2, 3, out=away)

            found = contest(
                {
                    "ours": lambda cost=cost, space=space, position=position: (
                        distance_map(space, position, cost=cost).values
                    ),
                    "tcod": tcod_map,
                    # Ground that stays is made ready once; costs that have changed are new to
                    # everybody.
                    "skimage": partial(
                        skimage_map, search if cost is None else shut, divmod(goal, space.width)
                    ),
                    "find_costs": partial(skimage_map, search, divmod(goal, space.width)),
                },
                {"ours": 8},
                rounds,
            )
            if not is_settled(space, distance_map(space, position, cost=cost), goal, cells):
                report.wrong.append(f"{name}: a distance is not the least that a step gives")
            ours = found["ours"]
            ratios = {other: found[other].best / ours.best for other in ("tcod", "skimage")}
            wanted = {"tcod": 8 if cost is None else 4, "skimage": least}
            row = [
                f"{name} ({len(open_):,} open cells)",
                milliseconds(ours.best),
                milliseconds(ours.median),
            ]
            for other in ("tcod", "skimage"):
                row += [
                    milliseconds(found[other].best),
                    times(ratios[other]),
                    f"{wanted[other]}x",
                    at_least(ratios[other], wanted[other]),
                ]
            table.add(*row)
            if cost is not None:
                alone = times(found["find_costs"].best / ours.best)
                table.notes.append(
                    f"{name}: MCP_Geometric.find_costs alone, made for these costs beforehand:"
                    f" {alone}."
                )
    for table in (plain, priced):
        if table.rows:
            if table is plain:
                made = "find_costs only"
            else:
                made = "made for the costs, and find_costs"
            table.notes.append(
                f"{rounds} rounds in turn, 8 of ours in each. skimage: {made}. tcod"
                f" {machine.version('tcod')}, whole costs; scikit-image"
                f" {machine.version('scikit-image')}."
            )
            report.tables.append(table)


def towers(report: Report, quick: bool) -> None:
    """What a repair after one tower costs."""
    space = load("TheFrozenSea", report)
    if space is None:
        return
    say("bench paths: repairs")
    rng = np.random.default_rng(0)
    open_ = np.flatnonzero(~space.walls)
    goal = int(open_[len(open_) // 2])
    field = distance_map(space, space.position_of(goal))
    rebuild = contest(
        {"ours": lambda: distance_map(space, space.position_of(goal)).values},
        {"ours": 4},
        repeats(quick, 2, 10),
    )["ours"].best
    np.asarray(field.values)
    others = [
        distance_map(space, space.position_of(int(cell))) for cell in rng.choice(open_, MAPS_ALIVE)
    ]
    for other in others:
        np.asarray(other.values)
    repairs = []
    questions = []
    shared = []
    for _ in range(repeats(quick, 20, PLACES)):
        cells = place(space, goal, rng)
        took = []
        asked = []
        each = []
        for _ in range(repeats(quick, 2, 5)):
            space.set_walls(cells)
            start = now()
            field.repair()
            np.asarray(field.values)
            took.append(now() - start)
            start = now()
            for other in others:
                other.repair()
                np.asarray(other.values)
            each.append((now() - start) / len(others))
            space.set_walls(cells, False)
            field.repair()
            for other in others:
                other.repair()
        for _ in range(repeats(quick, 2, 5)):
            start = now()
            would_block(space, cells, field)
            asked.append(now() - start)
        repairs.append(min(took))
        shared.append(min(each))
        questions.append(min(asked))
    space.set_walls(place(space, goal, rng))
    field.repair()
    if not np.array_equal(field.exact, distance_map(space, space.position_of(goal)).exact):
        report.wrong.append("a repaired map differs from a new one")
    table = Table(
        f"After one 3 x 3 tower on TheFrozenSea, at {len(repairs)} random places; a new map takes"
        f" {milliseconds(rebuild)} ms",
        (
            "what",
            "median us",
            "mean us",
            "a new map is, median",
            "required",
            "verdict",
            "mean",
            "required",
            "verdict",
        ),
    )
    for title, spent, wanted in (
        ("repair of one map, values read", repairs, (300, 50)),
        (f"of {MAPS_ALIVE} maps more, each", shared, (300, 50)),
        ("would_block, with the map", questions, (None, None)),
    ):
        median = rebuild / statistics.median(spent)
        mean = rebuild / statistics.mean(spent)
        table.add(
            title,
            f"{statistics.median(spent) * 1e6:.1f}",
            f"{statistics.mean(spent) * 1e6:.1f}",
            times(median),
            target(wanted[0]),
            at_least(median, wanted[0]),
            times(mean),
            target(wanted[1]),
            at_least(mean, wanted[1]),
        )
    table.notes.append(
        "Each place: the best of 5, between set_walls, which is not timed and leaves little in the"
        " caches."
    )
    report.tables.append(table)


def place(space: fc.Grid, goal: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The cells of a 3 x 3 tower on open ground, not on the goal."""
    height, width = space.shape
    while True:
        row, column = int(rng.integers(1, height - 1)), int(rng.integers(1, width - 1))
        rows, columns = np.mgrid[row - 1 : row + 2, column - 1 : column + 2]
        cells = (rows * width + columns).reshape(-1)
        if not space.walls.reshape(-1)[cells].any() and goal not in cells:
            return cells


def run(quick: bool) -> Report:
    """Every table of this suite."""
    report = Report()
    whole_maps(report, quick)
    towers(report, quick)
    return report
