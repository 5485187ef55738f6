"""The tower game, many times: a commander who routes by influence against one who takes the
shortest way.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from fieldcraft import Grid, checks
from fieldcraft.errors import InvalidValue
from research.experiments.experiment import Experiment, words
from research.experiments.statistics import Interval, mean, paired, rate
from research.experiments.study import Job, Measure, Row, Study, Summary, integer, number
from research.experiments.worlds import (
    add_map_arguments,
    add_seed_arguments,
    grid_of,
    label_of,
    seeds_of,
    worlds_of,
)

__all__ = [
    "EXPERIMENT",
    "MEASURES",
    "got",
    "play",
    "played_twice",
    "summarise",
    "towers_study",
]

_ALL = "all maps"
_SIDES = ("first", "second")

MEASURES = (
    Measure("matches won", percent=True, limits=(0.0, 1.0), mark=0.5),
    Measure("score", mark=0.0),
    Measure("towers destroyed"),
    Measure("units lost"),
    Measure("score ahead", mark=0.0),
)


def towers_study(
    kinds: Iterable[str] | None = None,
    files: Iterable[str | os.PathLike[str]] = (),
    *,
    size: str = "80x56",
    seeds: int = 20,
    first_seed: int = 0,
    commanders: Sequence[str] = ("influence", "shortest"),
    towers: int | None = None,
    units: int | None = None,
    limit: float | None = None,
) -> Study:
    """The study behind `experiment towers`.

    Parameters
    ----------
    kinds:
        kinds of generated maps, made anew from every seed; all of them if absent and there are no
        `files`.
    files:
        map files, on which only towers and dice differ from seed to seed.
    size:
        cells of generated maps, as "80x56".
    seeds, first_seed:
        how many worlds per map, and the first of their seeds. Each is played twice, with the sides
        swapped.
    commanders:
        the two who are compared: "influence", "planner" or "shortest".
    towers, units, limit:
        of each team, and the seconds after which the score decides, in place of those of the game's
        settings.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    from fieldcraft_worlds.games.towers.settings import COMMANDERS, HUMAN, Settings

    numbers = seeds_of(seeds, first_seed)
    worlds, digests = worlds_of(kinds, files, size)
    for world in worlds:
        _ground({**world, "seed": numbers[0]})
    players = tuple(name for name in COMMANDERS if name != HUMAN)
    pair = tuple(checks.choice("commander", name, players) for name in commanders)
    if len(set(pair)) != 2 or len(pair) != 2:
        raise InvalidValue(
            "Two commanders are compared",
            got=", ".join(pair) or "none",
            remedy=f"Choose two of {', '.join(players)}",
        )
    given = {"towers": towers, "units": units, "limit": limit}
    settings = Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    rules = {"towers": settings.towers, "units": settings.units, "limit": float(settings.limit)}
    jobs = [
        {**world, **rules, "seed": seed, "first": ours, "second": theirs}
        for world in worlds
        for seed in numbers
        for ours, theirs in (pair, pair[::-1])
    ]
    title = f"Tower game: {pair[0]} against {pair[1]}"
    return Study("towers", title, "matches", tuple(jobs), play, summarise, digests)


def play(job: Job) -> Row:
    """One match: the results of the job's two commanders on its world."""
    from fieldcraft_worlds.games.towers import play_match
    from fieldcraft_worlds.games.towers.settings import Settings

    settings = Settings(
        towers=integer(job, "towers"),
        units=integer(job, "units"),
        limit=number(job, "limit"),
    )
    match = play_match(
        _ground(job),
        settings,
        seed=integer(job, "seed"),
        commanders=(str(job["first"]), str(job["second"])),
    )
    columns = {
        "score": match.scores,
        "towers destroyed": match.towers_destroyed,
        "units sent": match.units_sent,
        "units lost": match.units_lost,
    }
    return {
        "winner": None if match.winner is None else job[_SIDES[match.winner]],
        **{
            f"{name} by {side}": counts[team]
            for name, counts in columns.items()
            for team, side in enumerate(_SIDES)
        },
        "steps": match.steps,
        "out of time": match.steps >= settings.steps(settings.limit),
        "digest": match.digest,
    }


def summarise(rows: Sequence[Row]) -> Summary:
    """The summary of the matches for each commander, map by map and taken together.

    A match won is counted with Wilson's interval. All else is the mean over worlds of what a
    commander got in the two matches of a world, one from each side; "score ahead" is how far the
    commander was ahead of the other there.
    """
    commanders = tuple(dict.fromkeys(str(row["first"]) for row in rows)) + tuple(
        dict.fromkeys(str(row["second"]) for row in rows)
    )
    series = tuple(dict.fromkeys(commanders))
    by_map: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_map[label_of(row)].append(row)
    groups = {**by_map, **({_ALL: list(rows)} if len(by_map) > 1 else {})}
    found: dict[tuple[str, str, str], Interval] = {}
    for group, matches in groups.items():
        worlds = played_twice(matches)
        for commander in series:
            other = next(name for name in (*series, commander) if name != commander)
            wins = sum(match["winner"] == commander for match in matches)
            found[group, commander, "matches won"] = rate(wins, len(matches))
            if not worlds:
                continue
            for measure, column in (
                ("score", "score"),
                ("towers destroyed", "towers destroyed"),
                ("units lost", "units lost"),
            ):
                found[group, commander, measure] = mean(
                    [got(world, commander, column) for world in worlds]
                )
            if commander == series[0]:
                ours, theirs = (
                    [got(world, name, "score") for world in worlds] for name in (commander, other)
                )
                found[group, commander, "score ahead"] = paired(ours, theirs)
    return Summary(tuple(groups), series, MEASURES, found, tuple(_notes(rows)))


def _notes(rows: Sequence[Row]) -> Iterable[str]:
    worlds = len(played_twice(rows))
    if worlds == 1:
        yield "A mean over one world has no interval: ask for more seeds"
    yield (
        ("One world was" if worlds == 1 else f"Each of {worlds:,} worlds was")
        + " played from both sides; score, towers and units are means of the two matches of a"
        " world,"
        ' and "score ahead" is how far the first commander was ahead in the same worlds'
    )
    if late := sum(bool(row["out of time"]) for row in rows):
        yield f"{late:,} of {len(rows):,} matches ran out of time, where the score decides"
    if undecided := sum(row["winner"] is None for row in rows):
        yield f"{undecided:,} of {len(rows):,} matches ended undecided"
    if alone := len(rows) - 2 * worlds:
        lack = "1 match lacks its" if alone == 1 else f"{alone:,} matches lack their"
        yield f"{lack} other side, and {'counts' if alone == 1 else 'count'} only among matches won"


def played_twice(matches: Iterable[Row]) -> list[tuple[Row, Row]]:
    """The worlds that were played from both sides."""
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for match in matches:
        found[match["map"], match["width"], match["height"], match["seed"]].append(match)
    return [(pair[0], pair[1]) for pair in found.values() if len(pair) == 2]


def got(world: tuple[Row, Row], commander: str, column: str) -> float:
    """The score of a commander in the two matches of a world, on average."""
    return fmean(
        number(match, f"{column} by {'first' if match['first'] == commander else 'second'}")
        for match in world
    )


def _ground(job: Job) -> Grid:
    return grid_of(job, "The tower game is played")


def _arguments(parser: argparse.ArgumentParser) -> None:
    add_map_arguments(parser)
    add_seed_arguments(
        parser, seeds=20, what="worlds per map, each played twice with the sides swapped"
    )
    parser.add_argument(
        "--commanders",
        default="influence,shortest",
        metavar="A,B",
        help=(
            "who is compared: influence (aims and routes by it), planner (forecasts strikes),"
            " shortest (default: influence,shortest)"
        ),
    )
    parser.add_argument(
        "--towers", type=int, metavar="N", help="towers of each team, in place of the game's"
    )
    parser.add_argument(
        "--units",
        type=int,
        metavar="N",
        help="units that each team may have at once, in place of the game's",
    )
    parser.add_argument(
        "--limit",
        type=float,
        metavar="S",
        help="seconds after which the score decides, in place of the game's",
    )


def _study(chosen: argparse.Namespace) -> Study:
    return towers_study(
        None if chosen.maps is None else words(chosen.maps),
        chosen.map,
        size=chosen.size,
        seeds=chosen.seeds,
        first_seed=chosen.first_seed,
        commanders=words(chosen.commanders),
        towers=chosen.towers,
        units=chosen.units,
        limit=chosen.limit,
    )


EXPERIMENT = Experiment(
    "towers",
    "influence-led against shortest-path commander in the tower game",
    "Plays the tower game: a commander who routes units by influence against one who sends them the"
    " shortest way, on the same worlds with both sides swapped.",
    "python -m research experiment towers --maps open,cave --seeds 40 --out out/towers",
    _arguments,
    _study,
)
