"""After losing sight: how often and how fast the fugitive is found again, by six ways of
searching.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.maps import KINDS
from research.experiments.escapes import FUGITIVES, SPEED, Ground, escape, search_for
from research.experiments.experiment import Experiment, numbers, words
from research.experiments.statistics import Interval, mean, paired, rate
from research.experiments.study import Job, Measure, Row, Study, Summary, integer, number
from research.experiments.worlds import (
    add_map_arguments,
    add_seed_arguments,
    label_of,
    seeds_of,
    world_of,
    worlds_of,
)

if TYPE_CHECKING:
    from fieldcraft.pursuit import Search

__all__ = ["EXPERIMENT", "STANDARDS", "WAYS", "chase_study", "run", "summarise"]

WAYS = ("last", "random", "blind", "flood", "belief", "party")
"""The ways of searching, as in `fieldcraft.pursuit.SEARCHES`; "blind" is a flood that is not told
what searchers see.
"""

STANDARDS = ("greedy", "horizon", "motion")
"""Methods of the literature: probability over distance, Hollinger's search, and "motion", a belief
that knows how fugitives move.
"""

_ALL = "all maps"


def chase_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "80x56",
    seeds: int = 40,
    first_seed: int = 0,
    searchers: Sequence[int] = (1, 2, 4, 8),
    fugitives: Sequence[str] = FUGITIVES,
    sight: float = 10.0,
    lead: float = 4.0,
    limit: float = 60.0,
    ways: Sequence[str] = WAYS,
) -> Study:
    """The study behind `experiment chase`.

    Parameters
    ----------
    kinds:
        kinds of generated maps, made anew from every seed; rooms, cave and open if absent and there
        are no `files`.
    files:
        map files, grids or graphs, on which only the chase differs from seed to seed.
    size:
        cells of generated maps, as "80x56".
    seeds, first_seed:
        how many chases per map, and the first of their seeds.
    searchers:
        how many search, each number on the same chases.
    fugitives:
        what the fugitive does out of sight, out of `escapes.FUGITIVES`.
    sight:
        how far everybody sees, all round, in typical steps of the map.
    lead:
        seconds after which the search sets out; until then the fugitive is alone.
    limit:
        seconds after which the search is given up, counted from the loss of sight.
    ways:
        ways of searching, out of `WAYS` and `STANDARDS`; others are compared with the first.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    numbers = seeds_of(seeds, first_seed)
    crews = [checks.integer("searchers", count, minimum=1) for count in searchers]
    kept = [checks.choice("fugitive", fugitive, FUGITIVES) for fugitive in fugitives]
    rules = {
        "sight": checks.positive("sight", sight),
        "lead": checks.not_negative("lead", lead),
        "limit": checks.positive("limit", limit),
    }
    if rules["lead"] >= rules["limit"]:
        raise InvalidValue(
            "The search sets out before it is given up",
            got=f"lead={lead}, limit={limit}",
            remedy="Pass a longer limit",
        )
    sides = list(dict.fromkeys(checks.choice("way", way, (*WAYS, *STANDARDS)) for way in ways))
    if not sides:
        raise InvalidValue(
            "A study has ways of searching", got="none", remedy='Pass ("last", "belief"), say'
        )
    asked = {} if tuple(sides) == WAYS else {"ways": ",".join(sides)}
    worlds, digests = worlds_of(kinds, files, size, neighbors=8)
    jobs = [
        {**world, **rules, "seed": seed, "fugitive": fugitive, "searchers": count, **asked}
        for world in worlds
        for seed in numbers
        for fugitive in dict.fromkeys(kept)
        for count in sorted(set(crews))
    ]
    return Study(
        "chase", "Lost from sight, and found again", "chases", tuple(jobs), run, summarise, digests
    )


def run(job: Job) -> Row:
    """One chase, searched for in every way: whether the fugitive was found, and the seconds that
    took (the limit, if not).
    """
    seed, limit = integer(job, "seed"), number(job, "limit")
    ground = _ground(job)
    fled = escape(
        ground,
        str(job["fugitive"]),
        hunters=integer(job, "searchers"),
        ticks=round(limit / ground.tick),
        lead=round(number(job, "lead") / ground.tick),
        seed=seed,
    )
    results: dict[str, float | bool] = {}
    for way in _ways(job):
        search = _search(ground, way)
        found = search_for(
            ground, fled, search, np.random.default_rng([seed, 3, fled.hunters.size])
        )
        results[f"found by {way}"] = found is not None
        results[f"seconds by {way}"] = limit if found is None else round(found * ground.tick, 3)
    return results


def _search(ground: Ground, way: str) -> Search:
    """A way of searching, as fast as the fugitive, with the sight of the world."""
    from fieldcraft.pursuit import SEARCHES, BeliefSearch, FloodSearch, Motion, SearchParty
    from research.search.yardsticks import GreedySearch, HorizonSearch

    speed = SPEED * ground.step
    if way == "greedy":
        return GreedySearch(ground.space, speed)
    if way == "horizon":
        return HorizonSearch(ground.space, speed)
    if way == "motion":
        return BeliefSearch(ground.space, speed, motion=Motion())
    if way == "blind":
        return FloodSearch(ground.space, speed, looks=False)
    if way == "party":
        return SearchParty(ground.space, speed, sight=ground.reach * ground.step)
    return SEARCHES[way](ground.space, speed)


def summarise(rows: Sequence[Row]) -> Summary:
    """The summary of the chases: over the number of searchers for each fugitive, and map by map.

    Found is counted with Wilson's interval where a chase counts once, and as a mean over worlds
    where it counts for several fugitives and numbers of searchers, which are not independent.
    """
    crews = sorted({integer(row, "searchers") for row in rows})
    fugitives = tuple(dict.fromkeys(str(row["fugitive"]) for row in rows))
    found: dict[tuple[str, str, str], Interval] = {}
    ways = _ways(rows[0])
    for count in crews:
        for fugitive in fugitives:
            chases = [
                row for row in rows if row["searchers"] == count and row["fugitive"] == fugitive
            ]
            for way in ways if chases else ():
                found[str(count), way, f"{fugitive}: found"] = rate(
                    sum(bool(row[f"found by {way}"]) for row in chases), len(chases)
                )
                found[str(count), way, f"{fugitive}: seconds"] = mean(
                    [number(row, f"seconds by {way}") for row in chases]
                )
    measures = [
        Measure(f"{fugitive}: found", percent=True, limits=(0.0, 1.0)) for fugitive in fugitives
    ]
    limit = max(number(row, "limit") for row in rows)
    measures += [Measure(f"{fugitive}: seconds", limits=(0.0, limit)) for fugitive in fugitives]
    return Summary(
        tuple(map(str, crews)),
        ways,
        tuple(measures),
        found,
        _notes(rows),
        axis="searchers",
        log=len(crews) > 1,
        columns=len(fugitives),
        title="by searchers and fugitive",
        more=(_by_map(rows, fugitives),),
    )


def _by_map(rows: Sequence[Row], fugitives: Sequence[str]) -> Summary:
    maps: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        maps[label_of(row)].append(row)
    groups = {**maps, **({_ALL: list(rows)} if len(maps) > 1 else {})}
    found: dict[tuple[str, str, str], Interval] = {}
    ways = _ways(rows[0])
    sooner = f"sooner than {ways[0]}"
    for group, chases in groups.items():
        for way in ways:
            found[group, way, "found"] = _share(_worlds(chases, f"found by {way}"))
            for fugitive in fugitives:
                of_his = [row for row in chases if row["fugitive"] == fugitive]
                if of_his:
                    found[group, way, f"{fugitive}: s"] = mean(_worlds(of_his, f"seconds by {way}"))
            seconds, last = (_worlds(chases, f"seconds by {each}") for each in (way, ways[0]))
            found[group, way, "seconds"] = mean(seconds)
            if way != ways[0]:
                found[group, way, sooner] = paired(last, seconds)
    measures = (
        Measure("found", percent=True),
        *(Measure(f"{fugitive}: s") for fugitive in fugitives),
        Measure("seconds"),
        Measure(sooner, mark=0.0),
    )
    return Summary(
        tuple(groups),
        ways,
        measures,
        found,
        _notes(rows),
        name="maps",
        title="map by map",
        unit="worlds",
    )


def _ways(row: Row) -> tuple[str, ...]:
    """The ways of searching of a job, or of its results."""
    return tuple(str(row["ways"]).split(",")) if "ways" in row else WAYS


def _worlds(rows: Iterable[Row], column: str) -> list[float]:
    """The mean of a column in each world: one map, one seed."""
    worlds: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for row in rows:
        worlds[row["map"], row["width"], row["height"], row["seed"]].append(number(row, column))
    return [fmean(values) for values in worlds.values()]


def _share(values: Sequence[float]) -> Interval:
    """The mean of shares; its interval does not leave what a share can be."""
    found = mean(values)
    return (
        replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))
        if len(values) > 1
        else found
    )


def _notes(rows: Sequence[Row]) -> tuple[str, ...]:
    one = rows[0]
    first = _ways(one)[0]
    return (
        (
            f"Everybody sees {one['sight']:g} steps far and is as fast as he; the search sets out"
            f" {one['lead']:g} s after he was lost, and is given up after {one['limit']:g} s, which"
            " count as the seconds where he was not found"
        ),
        f'All ways search the same chases; "sooner than {first}" is how many seconds sooner he is'
        " found, in the same worlds"
        + (", than by going to where he was last seen" if first == "last" else ""),
    )


def _ground(job: Job) -> Ground:
    name = str(job["map"])
    width, height, seed = (integer(job, key) for key in ("width", "height", "seed"))
    return _ground_of(name, width, height, seed if name in KINDS else 0, number(job, "sight"))


@lru_cache(maxsize=4)
def _ground_of(name: str, width: int, height: int, seed: int, sight: float) -> Ground:
    return Ground(
        world_of({"map": name, "width": width, "height": height, "seed": seed}, neighbors=8), sight
    )


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_map_arguments(parser)
    add_seed_arguments(
        parser,
        seeds=40,
        what="chases per map, each with every fugitive, number of searchers and way of searching",
    )
    parser.add_argument(
        "--searchers", default="1,2,4,8", metavar="N,...", help="how many search (default: 1,2,4,8)"
    )
    parser.add_argument(
        "--fugitives",
        default=",".join(FUGITIVES),
        metavar="KIND,...",
        help=f"what the fugitive does out of sight (default: {','.join(FUGITIVES)})",
    )
    parser.add_argument(
        "--ways",
        default=",".join(WAYS),
        metavar="WAY,...",
        help=(
            f"ways of searching, out of {','.join((*WAYS, *STANDARDS))} (default: {','.join(WAYS)})"
        ),
    )
    parser.add_argument(
        "--sight",
        type=float,
        default=10.0,
        metavar="STEPS",
        help="how far one sees, in typical steps (default: 10)",
    )
    parser.add_argument(
        "--lead",
        type=float,
        default=4.0,
        metavar="S",
        help="seconds that he is alone before the search (default: 4)",
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds after which the search is given up (default: 60)",
    )


def _study(chosen: argparse.Namespace) -> Study:
    return chase_study(
        None if chosen.maps is None else words(chosen.maps),
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        searchers=numbers("--searchers", chosen.searchers, int),
        fugitives=words(chosen.fugitives),
        sight=chosen.sight,
        lead=chosen.lead,
        limit=chosen.limit,
        ways=words(chosen.ways),
    )


EXPERIMENT = Experiment(
    "chase",
    "six ways of searching for a fugitive lost from sight",
    "Loses a fugitive from sight and searches for him: by going to where he was last seen (last),"
    " by chance (random), by a flood after him that is not told what searchers see (blind) or is"
    " (flood), by a shared belief, and by a search party (party); on the same chases, for fugitives"
    " who run, hide, double back or stand.",
    "python -m research experiment chase --seeds 100 --searchers 1,4 --out out/chase",
    _arguments,
    _study,
)
