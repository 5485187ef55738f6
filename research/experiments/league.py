"""The league: all commanders of the tower game against each other, and a rating for each."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from research.experiments.experiment import Experiment, words
from research.experiments.statistics import Interval, mean, rate
from research.experiments.study import Job, Measure, Row, Study, Summary, number
from research.experiments.towers import has_room, play
from research.experiments.worlds import (
    add_map_arguments,
    add_seed_arguments,
    label_of,
    seeds_of,
    worlds_of,
)

__all__ = ["EXPERIMENT", "MEASURES", "league_study", "rated", "summarise"]

DEFAULT = ("planner", "hardest", "influence", "shortest", "easy")
LAYOUTS = ("seeded", "guarded", "gates", "roads")
MEASURES = (
    Measure("rating", mark=1500.0, limits=(900.0, 2100.0)),
    Measure("matches won", percent=True, limits=(0.0, 1.0), mark=0.5),
    Measure("score"),
)
_MIDDLE = 1500.0
_SCALE = 400.0 / math.log(10.0)
_RESAMPLES = 500
_ROUNDS = 200

Floats = NDArray[np.float64]


def league_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "56x40",
    seeds: int = 2,
    first_seed: int = 9000,
    commanders: Sequence[str] = DEFAULT,
    layouts: Sequence[str] = LAYOUTS,
    towers: int = 4,
    units: int = 36,
    limit: float = 120.0,
    rate: int = 15,
) -> Study:
    """The study behind `experiment league`.

    Every two of `commanders` meet on every world from both sides. A world is a map and a seed, and
    worlds take the `layouts` of towers in turn; one that a map has no room for is left out there.
    The seeds begin where none of the commanders was tried while it was written.
    `rate` is how many steps a second has: 15 take half the time of the game's 30. The other
    arguments are those of `towers_study`.

    Raises
    ------
    InvalidValue
        For fewer than two commanders, and unknown ones.
    """
    from fieldcraft_worlds.games.towers.settings import COMMANDERS, HUMAN
    from fieldcraft_worlds.games.towers.settings import LAYOUTS as KNOWN

    known = tuple(name for name in COMMANDERS if name != HUMAN)
    names = [checks.choice("commander", name, known) for name in commanders]
    if len(set(names)) < 2 or len(set(names)) != len(names):
        raise InvalidValue(
            "A league has two commanders or more",
            got=", ".join(names) or "none",
            remedy=f"Choose among {', '.join(known)}",
        )
    turns = [
        checks.choice("layout", name, tuple(name for name in KNOWN if name != "placed"))
        for name in layouts
    ]
    worlds, digests = worlds_of(kinds, files, size)
    rules: Row = {"towers": towers, "units": units, "limit": float(limit), "rate": rate}
    laid = [
        {
            **world,
            **rules,
            "seed": seed,
            "layout": _laid({**world, **rules, "seed": seed}, turns[turn:] + turns[:turn]),
        }
        for round, seed in enumerate(seeds_of(seeds, first_seed))
        for number, world in enumerate(worlds)
        for turn in [(number + round) % len(turns)]
    ]
    jobs: tuple[Job, ...] = tuple(
        {**world, "first": ours, "second": theirs}
        for world in laid
        for pair in combinations(names, 2)
        for ours, theirs in (pair, pair[::-1])
    )
    return Study(
        "league", "Tower game: the league of commanders", "matches", jobs, play, summarise, digests
    )


def _laid(job: Row, layouts: Sequence[str]) -> str:
    """The first of the layouts that the map of a job has room for; the last, where it is alone."""
    return next((layout for layout in layouts[:-1] if has_room(job, layout)), layouts[-1])


def rated(names: Sequence[str], points: Floats) -> Floats:
    """The rating of each player, whose mean is 1500; 400 more win ten times as often.

    `points` (..., N, N) are those that the player of a row took off the player of a column: 1 for a
    win, one half each for a tie. Everybody is given one more tie with everybody, so that who never
    lost has a rating.

    References
    ----------
    R. A. Bradley and M. E. Terry, "Rank analysis of incomplete block designs" (1952), fitted as by
    D. R. Hunter, "MM algorithms for generalized Bradley-Terry models" (2004).
    """
    taken = np.asarray(points, dtype=np.float64) + 0.5 * (1 - np.eye(len(names)))
    met, won = taken + np.swapaxes(taken, -1, -2), taken.sum(axis=-1)
    strength = np.ones_like(won)
    for _ in range(_ROUNDS):
        strength = won / (met / (strength[..., :, None] + strength[..., None, :])).sum(axis=-1)
        strength = strength / np.exp(np.log(strength).mean(axis=-1, keepdims=True))
    return np.asarray(_MIDDLE + _SCALE * np.log(strength))


def summarise(rows: Sequence[Row]) -> Summary:
    """The rating of each commander, the share of its matches that it won, and its mean score; by
    layout and taken together.

    Intervals of ratings are those of a bootstrap over worlds, and in each over pairings: two
    commanders from both sides. Further tables say who beats whom, who wins on which map, and
    whether each level of difficulty beats the one below.
    """
    names = tuple(dict.fromkeys(str(row[side]) for row in rows for side in ("first", "second")))
    groups = ("all worlds", *dict.fromkeys(str(row["layout"]) for row in rows))
    found: dict[tuple[str, str, str], Interval] = {}
    for group in groups:
        here = [row for row in rows if group in ("all worlds", str(row["layout"]))]
        for name, interval in zip(names, _ratings(names, here), strict=True):
            played = [row for row in here if name in (row["first"], row["second"])]
            if not played:
                continue
            found[group, name, "rating"] = interval
            found[group, name, "matches won"] = rate(
                sum(row["winner"] == name for row in played), len(played)
            )
            found[group, name, "score"] = mean(
                [
                    number(row, f"score by {'first' if row['first'] == name else 'second'}")
                    for row in played
                ]
            )
    undecided = sum(row["winner"] is None for row in rows)
    late = sum(bool(row["out of time"]) for row in rows)
    notes = (
        "Ratings by Bradley and Terry: 400 more win ten times as often",
        f"{undecided:,} of {len(rows):,} matches ended undecided",
        f"{late:,} ran out of time, where the score decides",
    )
    return Summary(
        groups,
        names,
        MEASURES,
        found,
        notes,
        more=(_table(names, rows), _maps(names, rows)),
    )


def _ratings(names: Sequence[str], rows: Sequence[Row]) -> list[Interval]:
    place = {name: number for number, name in enumerate(names)}
    pairings: dict[tuple[object, ...], Floats] = {}
    for row in rows:
        one, other = place[str(row["first"])], place[str(row["second"])]
        key = (min(one, other), max(one, other), label_of(row), row["seed"], row["layout"])
        points = pairings.setdefault(key, np.zeros((len(names), len(names))))
        won = 0.5 if row["winner"] is None else float(row["winner"] == row["first"])
        points[one, other] += won
        points[other, one] += 1 - won
    each, worlds = np.stack(list(pairings.values())), [key[2:] for key in pairings]
    by_world = [
        np.array([row for row, world in enumerate(worlds) if world == here])
        for here in dict.fromkeys(worlds)
    ]
    rng = np.random.default_rng(0)
    drawn = rated(
        names, np.stack([each[_drawn(by_world, rng)].sum(axis=0) for _ in range(_RESAMPLES)])
    )
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    values = rated(names, each.sum(axis=0))
    return [
        Interval(
            float(value),
            float(least),
            float(most),
            len(rows) * 2 // len(names),
            "bootstrap over worlds and pairings",
        )
        for value, least, most in zip(values, low, high, strict=True)
    ]


def _drawn(by_world: Sequence[NDArray[np.int64]], rng: np.random.Generator) -> NDArray[np.int64]:
    """Pairings drawn with replacement, from worlds drawn so."""
    worlds = [by_world[number] for number in rng.integers(len(by_world), size=len(by_world))]
    return np.concatenate([rng.choice(rows, size=len(rows)) for rows in worlds])


def _table(names: Sequence[str], rows: Sequence[Row]) -> Summary:
    """The share of matches that the commander of a row won against that of a column."""
    measures = tuple(
        Measure(f"against {name}", percent=True, limits=(0.0, 1.0), mark=0.5) for name in names
    )
    found = {}
    for one in names:
        for measure, other in zip(measures, names, strict=True):
            met = [row for row in rows if {row["first"], row["second"]} == {one, other}]
            if met and one != other:
                found[one, "won", measure.name] = rate(
                    sum(row["winner"] == one for row in met), len(met)
                )
    return Summary(tuple(names), ("won",), measures, found, name="pairs", title="who beats whom")


def _maps(names: Sequence[str], rows: Sequence[Row]) -> Summary:
    """The share of its matches that each commander won on each map, by layout."""
    worlds: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        worlds.setdefault((label_of(row), str(row["layout"])), []).append(row)
    measures = tuple(Measure(name, percent=True, limits=(0.0, 1.0), mark=0.5) for name in names)
    found = {}
    for (label, layout), here in worlds.items():
        for name in names:
            if played := [row for row in here if name in (row["first"], row["second"])]:
                found[label, layout, name] = rate(
                    sum(row["winner"] == name for row in played), len(played)
                )
    labels, layouts = (tuple(dict.fromkeys(part)) for part in zip(*worlds, strict=True))
    return Summary(labels, layouts, measures, found, name="maps", title="matches won, map by map")


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_map_arguments(parser, size="56x40")
    add_seed_arguments(parser, seeds=2, what="worlds per map")
    parser.set_defaults(first_seed=9000)
    parser.add_argument(
        "--commanders",
        default=",".join(DEFAULT),
        metavar="A,B,...",
        help=f"who plays (default: {','.join(DEFAULT)})",
    )
    parser.add_argument(
        "--layouts",
        default=",".join(LAYOUTS),
        metavar="A,B,...",
        help=f"of towers, world by world in turn (default: {','.join(LAYOUTS)})",
    )


def _study(chosen: argparse.Namespace) -> Study:
    kinds = None if chosen.maps is None else words(chosen.maps)
    return league_study(
        kinds,
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        commanders=words(chosen.commanders),
        layouts=words(chosen.layouts),
    )


EXPERIMENT = Experiment(
    "league",
    "all commanders of the tower game against each other, with ratings",
    "Plays the tower game: every two commanders on the same worlds from both sides, and a rating"
    " for each with its interval.",
    "python -m research experiment league --seeds 5 --out out/league",
    _arguments,
    _study,
)
