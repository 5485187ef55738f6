"""Exploring mazes and maps, many times: a memory that fades against random walks and the nearest
frontier.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence

from fieldcraft import Graph, Grid, checks, generate_map
from fieldcraft.maps import MAZE_ALGORITHMS
from research.experiments.experiment import Experiment, numbers, words
from research.experiments.statistics import Interval, mean, mean_share
from research.experiments.study import Job, Measure, Row, Study, Summary, integer, number
from research.experiments.worlds import (
    add_seed_arguments,
    label_of,
    seeds_of,
    size_of,
    world_of,
    worlds_of,
)

__all__ = ["EXPERIMENT", "by_map", "maze_study", "over_time", "run"]

_LAPS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
_ALL = "all maps"

_OVER_TIME = (
    ("explored", Measure("explored", percent=True, limits=(0.0, 1.0))),
    ("age", Measure("mean age, laps", limits=(0.0, 1.5))),
    ("worst age", Measure("worst age, laps", limits=(0.0, 3.5))),
)
_BY_MAP = (
    ("laps to 95 %", Measure("laps to 95 %")),
    ("mean age", Measure("mean age, laps")),
    ("worst age", Measure("worst age, laps")),
    ("again", Measure("steps soon again", percent=True)),
)


def maze_study(
    algorithms: Iterable[str] = ("backtracker", "growing"),
    loops: Iterable[float] = (0.0, 0.5),
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "31x23",
    seeds: int = 12,
    first_seed: int = 0,
    sights: Iterable[int] = (1, 2, 5),
    laps: float = 8.0,
    life: float = 20.0,
    explorers: int = 1,
    by: str = "time",
) -> Study:
    """The study behind `experiment maze`.

    Parameters
    ----------
    algorithms, loops : Iterable[str], optional / Iterable[float], optional
        Of generated mazes, each with each; none where there are no algorithms.
    files : Iterable[str | path], optional
        Map files, grids or graphs.
    size : str, optional
        Cells of generated mazes, as "31x23".
    seeds, first_seed : int, optional
        How many tours per map and way of exploring, and the first of their seeds; all ways start at
        the same places.
    sights : Iterable[int], optional
        How far explorers with a memory look, in steps; the one that also goes to the frontier looks
        as far as the farthest of them.
    laps : float, optional
        How long tours are; a lap is as many steps as a map has cells.
    life : float, optional
        Laps until a mark is forgotten.
    explorers : int, optional
        How many explore together and share what they know.
    by : str, optional
        "time" for curves over laps, of all maps together, or "map" for each map by itself.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    names = [
        checks.choice("algorithm", name, MAZE_ALGORITHMS) for name in dict.fromkeys(algorithms)
    ]
    shares = [checks.fraction("loops", share) for share in dict.fromkeys(loops)]
    far = [checks.integer("sight", sight, minimum=1) for sight in dict.fromkeys(sights)]
    length = checks.positive("laps", laps)
    width, height = size_of(size)
    worlds: list[Row] = [
        {"map": "maze", "width": width, "height": height, "algorithm": name, "loops": share}
        for name in names
        for share in shares
    ]
    for world in worlds:
        _ground({**world, "seed": first_seed})
    loaded, digests = worlds_of([], files, size)
    worlds += [{**world, "algorithm": "", "loops": 0.0} for world in loaded]
    ways = [
        ("random", 1),
        *(("memory", sight) for sight in far),
        ("beyond", max(far, default=1)),
        ("frontier", 1),
    ]
    rules: dict[str, str | int | float] = {
        "laps": length,
        "life": checks.positive("life", life),
        "explorers": checks.integer("explorers", explorers, minimum=1),
    }
    jobs = tuple(
        {**world, **rules, "seed": seed, "how": how, "sight": sight}
        for world in worlds
        for seed in seeds_of(seeds, first_seed)
        for how, sight in ways
    )
    summarise = {"time": over_time, "map": by_map}[checks.choice("by", by, ("time", "map"))]
    return Study(
        "maze",
        "Exploring: a memory that fades, random walks, the nearest frontier",
        "tours",
        jobs,
        run,
        summarise,
        digests,
    )


def run(job: Job) -> Row:
    """One tour."""
    from research.experiments.explorers import tour

    laps = _looks(number(job, "laps"))
    found = tour(
        _ground(job),
        str(job["how"]),
        sight=integer(job, "sight"),
        laps=laps,
        life=number(job, "life"),
        count=integer(job, "explorers"),
        seed=integer(job, "seed"),
    )
    row: dict[str, float | int | None] = {"cells": found.cells}
    for name, values in (
        ("explored", found.explored),
        ("age", found.ages),
        ("worst age", found.worst),
    ):
        row |= {f"{name} at {lap:g}": value for lap, value in zip(laps, values, strict=True)}
    return row | {
        "laps to 95 %": found.nearly,
        "laps to all": found.full,
        "mean age": found.mean_age,
        "worst age": found.worst_age,
        "again": found.again,
    }


def over_time(rows: Sequence[Row]) -> Summary:
    """The summary of all tours for each way of exploring, lap by lap, all maps together."""
    laps = _looks(number(rows[0], "laps"))
    series = _series(rows)
    found: dict[tuple[str, str, str], Interval] = {}
    for label, own in series.items():
        for lap in laps:
            for column, measure in _OVER_TIME:
                values = [number(row, f"{column} at {lap:g}") for row in own]
                found[f"{lap:g}", label, measure.name] = (mean_share if measure.percent else mean)(
                    values
                )
    measures = tuple(measure for _, measure in _OVER_TIME)
    groups = tuple(f"{lap:g}" for lap in laps)
    notes = (*_notes(rows), "Lines that come to the top of a panel go on above it")
    return Summary(
        groups, tuple(series), measures, found, notes, axis="laps: as many steps as cells", log=True
    )


def by_map(rows: Sequence[Row]) -> Summary:
    """The summary of the tours for each way of exploring, map by map."""
    maps: dict[str, list[Row]] = {}
    for row in rows:
        maps.setdefault(_label(row), []).append(row)
    groups = {**maps, **({_ALL: list(rows)} if len(maps) > 1 else {})}
    found: dict[tuple[str, str, str], Interval] = {}
    late = 0
    for group, all_ways in groups.items():
        for label, own in _series(all_ways).items():
            for column, measure in _BY_MAP:
                known = [number(row, column) for row in own if row[column] is not None]
                if len(known) == len(own):
                    found[group, label, measure.name] = (mean_share if measure.percent else mean)(
                        known
                    )
                elif group != _ALL:
                    late += len(own) - len(known)
    notes = [
        *_notes(rows),
        "Averages of ages and of steps soon again are over the second half of a tour",
    ]
    if late:
        notes.append(
            f"{late:,} tours did not come to 95 % in their laps; there is no mean where one of them"
            " did not"
        )
    return Summary(
        tuple(groups),
        tuple(_series(rows)),
        tuple(measure for _, measure in _BY_MAP),
        found,
        tuple(notes),
    )


def _series(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The tours of each way of exploring, by what it is called."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        name = {"random": "random walk", "frontier": "nearest frontier"}.get(
            str(row["how"]), f"memory, sight {row['sight']}"
        )
        found.setdefault(f"{name}, and frontier" if row["how"] == "beyond" else name, []).append(
            row
        )
    return found


def _notes(rows: Sequence[Row]) -> Iterable[str]:
    laps, life, explorers = (number(rows[0], name) for name in ("laps", "life", "explorers"))
    tours = len({(_label(row), row["seed"]) for row in rows})
    together = (
        "One explorer" if explorers == 1 else f"{explorers:.0f} explorers that share what they know"
    )
    yield (
        f"{together}; {tours:,} maps and starts of {laps:g} laps, the same for all; a mark is"
        f" forgotten after {life:g} laps"
    )
    yield "The age of a cell is the time since its last visit"


def _looks(laps: float) -> tuple[float, ...]:
    return (*(lap for lap in _LAPS if lap < laps), laps)


def _label(row: Row) -> str:
    if not row["algorithm"]:
        return label_of(row)
    return f"{row['algorithm']}, {100 * number(row, 'loops'):.0f} % loops"


def _ground(job: Job) -> Grid | Graph:
    if not job["algorithm"]:
        return world_of(job)
    width, height, seed = (integer(job, name) for name in ("width", "height", "seed"))
    return generate_map(
        "maze",
        width,
        height,
        seed=seed,
        algorithm=str(job["algorithm"]),
        loops=number(job, "loops"),
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--algorithms",
        default=None,
        metavar="NAME,...",
        help=(
            f"how mazes are carved: {', '.join(MAZE_ALGORITHMS)} (default: backtracker,growing, or"
            " none with --map)"
        ),
    )
    parser.add_argument(
        "--loops",
        default="0,0.5",
        metavar="SHARE,...",
        help="how many dead ends are opened, 0 to 1 (default: 0,0.5)",
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FILE",
        help="a map file; may be given several times",
    )
    parser.add_argument(
        "--size", default="31x23", metavar="WxH", help="cells of generated mazes (default: 31x23)"
    )
    add_seed_arguments(parser, seeds=12, what="tours per map and way of exploring")
    parser.add_argument(
        "--sights",
        default="1,2,5",
        metavar="N,...",
        help="how many steps memory looks ahead (default: 1,2,5)",
    )
    parser.add_argument(
        "--laps",
        type=float,
        default=8.0,
        metavar="N",
        help="how long a tour is: N times the cells of the map (default: 8)",
    )
    parser.add_argument(
        "--life",
        type=float,
        default=20.0,
        metavar="N",
        help="laps until a mark is forgotten (default: 20)",
    )
    parser.add_argument(
        "--explorers",
        type=int,
        default=1,
        metavar="N",
        help="how many explore together, with one memory (default: 1)",
    )
    parser.add_argument(
        "--by",
        choices=("time", "map"),
        default="time",
        help="curves over time, or a table map by map (default: time)",
    )


def _study(chosen: argparse.Namespace) -> Study:
    usual = () if chosen.map else ("backtracker", "growing")
    return maze_study(
        usual if chosen.algorithms is None else words(chosen.algorithms),
        numbers("--loops", chosen.loops, float),
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        sights=numbers("--sights", chosen.sights, int),
        laps=chosen.laps,
        life=chosen.life,
        explorers=chosen.explorers,
        by=chosen.by,
    )


EXPERIMENT = Experiment(
    "maze",
    "explorers with a memory that fades against random walks and the nearest frontier",
    "Lets explorers walk through mazes and maps: by a memory that fades, at random, or always to"
    " the nearest cell not yet visited. Says what share of the map they have visited over time, and"
    " how long places wait for the next visit.",
    "python -m research experiment maze --algorithms growing --loops 0,0.5,1 --by map --out"
    " out/maze",
    _arguments,
    _study,
)
