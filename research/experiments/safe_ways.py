"""Safe ways: when a way round the enemy's fire pays in the tower game, and how much.

The commander `routed` does all that `shortest` does, but for the ways, and so `raider` beside
`charger`. The first two strike the nearest tower, whose own fire nobody can walk round; the others
what lies deepest, past the towers that stand before it. Where towers stand apart nothing covers the
way; in three other layouts something does.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fieldcraft import checks
from research.experiments.experiment import Experiment, words
from research.experiments.statistics import Interval, paired, rate
from research.experiments.study import Job, Measure, Row, Study, Summary, number
from research.experiments.towers import has_room, play
from research.experiments.worlds import (
    add_map_arguments,
    add_seed_arguments,
    label_of,
    seeds_of,
    worlds_of,
)

__all__ = ["EXPERIMENT", "MEASURES", "safe_ways_study", "summarise"]

LAYOUTS = {
    "seeded": "towers apart",
    "guarded": "towers that cover each other along the way",
    "gates": "towers at narrow places of the way",
    "roads": "towers along the way, and a road out of their fire",
}
PAIRS = {"strike the nearest": ("routed", "shortest"), "strike the deepest": ("raider", "charger")}
"""The commanders that take safe ways and the shortest, striking the same."""

MEASURES = (
    Measure("matches won", percent=True, limits=(0.0, 1.0), mark=0.5),
    Measure("score ahead", mark=0.0),
    Measure("units saved", mark=0.0),
)


def safe_ways_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "72x48",
    seeds: int = 10,
    first_seed: int = 0,
    layouts: Sequence[str] = tuple(LAYOUTS),
    towers: int = 4,
    units: int = 36,
    limit: float = 120.0,
    rate: int = 15,
) -> Study:
    """The study behind `experiment safe-ways`: safe ways against shortest ones on the
    same worlds, in each layout of towers.

    A layout that a map has no room for is left out on it. `rate` is how many steps a second has.
    The other arguments are those of `towers_study`; each world is played twice by each of `PAIRS`,
    with the sides swapped.
    """
    chosen = [checks.choice("layout", layout, tuple(LAYOUTS)) for layout in layouts]
    worlds, digests = worlds_of(kinds, files, size)
    rules: Row = {"towers": towers, "units": units, "limit": float(limit), "rate": rate}
    laid = [
        {**world, **rules, "layout": layout, "seed": seed}
        for seed in seeds_of(seeds, first_seed)
        for world in worlds
        for layout in chosen
        if layout == "seeded" or has_room({**world, **rules, "seed": seed}, layout)
    ]
    jobs: tuple[Job, ...] = tuple(
        {**world, "first": ours, "second": theirs}
        for world in laid
        for pair in PAIRS.values()
        for ours, theirs in (pair, pair[::-1])
    )
    return Study(
        "safe-ways",
        "Tower game: safe ways against shortest ways",
        "matches",
        jobs,
        play,
        summarise,
        digests,
    )


def summarise(rows: Sequence[Row]) -> Summary:
    """How much safe ways gained, by layout and by map: matches won, and what was gained in the two
    matches of a world.
    """
    layouts = {
        LAYOUTS[layout]: [row for row in rows if row["layout"] == layout] for layout in LAYOUTS
    }
    layouts = {title: some for title, some in layouts.items() if some}
    covered = [row for row in rows if row["layout"] != "seeded"]
    maps = {
        name: [row for row in covered if label_of(row) == name]
        for name in dict.fromkeys(map(label_of, covered))
    }
    note = (
        "Figures are of the side that takes safe ways; score and units saved are means of the two"
        " matches of a world"
    )
    more = (
        (_gains(maps, (), name="maps", title="map by map, where towers cover the way"),)
        if maps
        else ()
    )
    return _gains(layouts, (note,), more=more)


def _gains(groups: Mapping[str, Sequence[Row]], notes: tuple[str, ...], **other: Any) -> Summary:
    found: dict[tuple[str, str, str], Interval] = {}
    for group, some in groups.items():
        for series, (safe, short) in PAIRS.items():
            here = [row for row in some if {row["first"], row["second"]} == {safe, short}]
            if not here:
                continue
            found[group, series, "matches won"] = rate(
                sum(row["winner"] == safe for row in here), len(here)
            )
            worlds: dict[tuple[object, ...], list[Row]] = {}
            for row in here:
                worlds.setdefault(
                    (row["map"], row["width"], row["height"], row["seed"], row["layout"]), []
                ).append(row)
            whole = [pair for pair in worlds.values() if len(pair) == 2]
            if whole:
                for measure, column, sign in (
                    ("score ahead", "score", 1),
                    ("units saved", "units lost", -1),
                ):
                    ours, theirs = (
                        [sum(_of(row, side, column) for row in pair) / 2 for pair in whole]
                        for side in (safe, short)
                    )
                    found[group, series, measure] = paired(
                        [sign * value for value in ours], [sign * value for value in theirs]
                    )
    return Summary(tuple(groups), tuple(PAIRS), MEASURES, found, notes, **other)


def _of(row: Row, side: str, column: str) -> float:
    return number(row, f"{column} by {'first' if row['first'] == side else 'second'}")


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_map_arguments(parser, size="72x48")
    add_seed_arguments(parser, seeds=10, what="worlds per map and layout, each played four times")
    parser.add_argument(
        "--layouts",
        default=",".join(LAYOUTS),
        metavar="A,B,...",
        help=f"of towers, each on every map (default: {','.join(LAYOUTS)})",
    )


def _study(chosen: argparse.Namespace) -> Study:
    kinds = None if chosen.maps is None else words(chosen.maps)
    return safe_ways_study(
        kinds,
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        layouts=words(chosen.layouts),
    )


EXPERIMENT = Experiment(
    "safe-ways",
    "when a way round the enemy's fire pays in the tower game, and how much",
    "Plays the tower game: safe ways against shortest ways, with towers that stand apart and towers"
    " that cover the way.",
    "python -m research experiment safe-ways --maps open,rooms --seeds 20 --out out/safe-ways",
    _arguments,
    _study,
)
