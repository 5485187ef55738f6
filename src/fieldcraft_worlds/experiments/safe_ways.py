"""Safe ways: when a way round the enemy's fire pays in the tower game, and how much.

The commander `routed` does all that `shortest` does, but for the ways. Where towers stand apart nothing covers the way; where they cover
each other along the shortest way between the bases, it is under fire from end to end.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence

from fieldcraft_worlds.experiments.experiment import Experiment, words
from fieldcraft_worlds.experiments.statistics import Interval, paired, rate
from fieldcraft_worlds.experiments.study import Job, Measure, Row, Study, Summary, number
from fieldcraft_worlds.experiments.towers import play
from fieldcraft_worlds.experiments.worlds import add_map_arguments, add_seed_arguments, label_of, seeds_of, worlds_of
from fieldcraft_worlds.library import kernels_of

__all__ = ["EXPERIMENT", "MEASURES", "safe_ways_study", "summarise"]

LAYOUTS = {"seeded": "towers apart", "guarded": "towers that cover the way"}
SIDES = ("routed", "shortest")
MEASURES = (
    Measure("matches won", percent=True, limits=(0.0, 1.0), mark=0.5),
    Measure("score ahead", mark=0.0),
    Measure("units saved", mark=0.0),
)


def safe_ways_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "56x40",
    seeds: int = 10,
    first_seed: int = 0,
    towers: int = 4,
    units: int = 36,
    limit: float = 120.0,
) -> Study:
    """The study behind `fieldcraft experiment safe-ways`: `routed` against `shortest` on the same worlds, with towers apart and covering
    the way.

    Arguments are those of `towers_study`; each world is played twice, with the sides swapped.
    """
    worlds, digests = worlds_of(kinds, files, size)
    rules: Row = {"towers": towers, "units": units, "limit": float(limit)}
    jobs: tuple[Job, ...] = tuple(
        {**world, **rules, "layout": layout, "seed": seed, "first": ours, "second": theirs}
        for layout in LAYOUTS
        for world in worlds
        for seed in seeds_of(seeds, first_seed)
        for ours, theirs in (SIDES, SIDES[::-1])
    )
    return Study("safe-ways", "Tower game: safe ways against shortest ways", "matches", jobs, play, summarise, digests)


def summarise(rows: Sequence[Row]) -> Summary:
    """How much safe ways gained, map by map and taken together: matches won, and what `routed` was ahead in the two matches of a world."""
    series = tuple(LAYOUTS.values())
    maps = tuple(dict.fromkeys(label_of(row) for row in rows))
    groups = (*maps, *(("all maps",) if len(maps) > 1 else ()))
    found: dict[tuple[str, str, str], Interval] = {}
    for group in groups:
        for layout, name in LAYOUTS.items():
            here = [row for row in rows if row["layout"] == layout and group in (label_of(row), "all maps")]
            if not here:
                continue
            found[group, name, "matches won"] = rate(sum(row["winner"] == SIDES[0] for row in here), len(here))
            worlds: dict[tuple[object, ...], list[Row]] = {}
            for row in here:
                worlds.setdefault((row["map"], row["width"], row["height"], row["seed"]), []).append(row)
            whole = [pair for pair in worlds.values() if len(pair) == 2]
            if whole:
                for measure, column, sign in (("score ahead", "score", 1), ("units saved", "units lost", -1)):
                    ours, theirs = ([sum(_of(row, side, column) for row in pair) / 2 for pair in whole] for side in SIDES)
                    found[group, name, measure] = paired([sign * value for value in ours], [sign * value for value in theirs])
    note = "Figures are of the commander that takes safe ways; score and units saved are means of the two matches of a world"
    return Summary(groups, series, MEASURES, found, (note,))


def _of(row: Row, side: str, column: str) -> float:
    return number(row, f"{column} by {'first' if row['first'] == side else 'second'}")


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_map_arguments(parser, size="56x40")
    add_seed_arguments(parser, seeds=10, what="worlds per map and layout, each played twice with the sides swapped")


def _study(chosen: argparse.Namespace) -> Study:
    kinds = None if chosen.maps is None else words(chosen.maps)
    return safe_ways_study(kinds, chosen.map, size=chosen.size, seeds=chosen.seeds, first_seed=chosen.first_seed)


EXPERIMENT = Experiment(
    "safe-ways",
    "when a way round the enemy's fire pays in the tower game, and how much",
    "Plays the tower game: safe ways against shortest ways, with towers that stand apart and towers that cover each other along the way.",
    "fieldcraft experiment safe-ways --maps open,rooms --seeds 20 --out out/safe-ways",
    _arguments,
    _study,
    kernels=kernels_of("towers"),
)
