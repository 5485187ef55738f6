"""Many tower games: commanders against each other, from both sides."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games import towers as game
from fieldcraft_worlds.games.towers.settings import COMMANDERS, HUMAN
from fieldcraft_worlds.play.session import play_out
from research.shared.statistics import Interval, mean, paired, rate
from research.shared.study import (
    Experiment,
    Job,
    Measure,
    Row,
    Study,
    Summary,
    integer,
    map_options,
    number,
    seed_options,
    words,
)
from research.shared.worlds import by_map, grid_of, seeds_of, worlds_of

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
    """Return the study of `experiment towers`.

    Parameters
    ----------
    kinds, files, size
        Maps, see `worlds_of`.
    seeds, first_seed : int, optional
        The number of worlds per map, and the first seed. Each world is played from both sides.
    commanders : Sequence[str], optional
        The two commanders to compare.
    towers, units, limit : int / int / float, optional
        Numbers of each team, and the seconds after which the score decides; the game's defaults if
        None.

    Raises
    ------
    InvalidValue
        For arguments out of range.
    BadMapFile
        For a file that is no map.
    """
    numbers = seeds_of(seeds, first_seed)
    worlds, digests = worlds_of(kinds, files, size)
    for world in worlds:
        grid_of({**world, "seed": numbers[0]}, "The tower game is played")
    players = tuple(name for name in COMMANDERS if name != HUMAN)
    pair = tuple(checks.choice("commander", name, players) for name in commanders)
    if len(set(pair)) != 2 or len(pair) != 2:
        raise InvalidValue(
            "Two commanders are compared",
            got=", ".join(pair) or "none",
            remedy=f"Choose two of {', '.join(players)}",
        )
    given = {"towers": towers, "units": units, "limit": limit}
    settings = game.Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
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
    """Return the outcome of one match."""
    settings = game.Settings(
        towers=integer(job, "towers"),
        units=integer(job, "units"),
        limit=number(job, "limit"),
        commanders=(str(job["first"]), str(job["second"])),
    )
    space = grid_of(job, "The tower game is played")
    match = play_out(game.GAME, space, settings, integer(job, "seed"))
    state = match.state
    columns = {
        "score": state.scores,
        "towers destroyed": state.destroyed,
        "units sent": state.sent,
        "units lost": state.lost,
    }
    return {
        "winner": job[_SIDES[state.winner]] if state.winner in (0, 1) else None,
        **{
            f"{name} by {side}": int(counts[team])
            for name, counts in columns.items()
            for team, side in enumerate(_SIDES)
        },
        "steps": state.step,
        "out of time": state.step >= settings.steps(settings.limit),
        "digest": match.digest(),
    }


def summarise(rows: Sequence[Row]) -> Summary:
    """Return the summary for each commander, map by map and of all maps together.

    Matches won have Wilson's interval. Other measures are means over worlds of the two matches of a
    world, one from each side; "score ahead" is the lead over the other commander.
    """
    names = [str(row[side]) for side in _SIDES for row in rows]
    series = tuple(dict.fromkeys(names))
    groups = by_map(rows)
    found: dict[tuple[str, str, str], Interval] = {}
    for group, matches in groups.items():
        worlds = _played_twice(matches)
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
                    [_score(world, commander, column) for world in worlds]
                )
            if commander == series[0]:
                ours, theirs = (
                    [_score(world, name, "score") for world in worlds]
                    for name in (commander, other)
                )
                found[group, commander, "score ahead"] = paired(ours, theirs)
    return Summary(tuple(groups), series, MEASURES, found, tuple(_notes(rows)))


def _notes(rows: Sequence[Row]) -> Iterable[str]:
    yield (
        "Each world was played from both sides; score, towers and units are means of the two"
        ' matches of a world; "score ahead" is the lead of the first commander in the same worlds'
    )
    if late := sum(bool(row["out of time"]) for row in rows):
        yield f"{late:,} of {len(rows):,} matches ran out of time, where the score decides"
    if undecided := sum(row["winner"] is None for row in rows):
        yield f"{undecided:,} of {len(rows):,} matches ended undecided"


def _played_twice(matches: Iterable[Row]) -> list[tuple[Row, Row]]:
    """Return the pairs of matches of worlds that were played from both sides."""
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for match in matches:
        found[match["map"], match["width"], match["height"], match["seed"]].append(match)
    return [(pair[0], pair[1]) for pair in found.values() if len(pair) == 2]


def _score(world: tuple[Row, Row], commander: str, column: str) -> float:
    """Return the mean of a commander's column over the two matches of a world."""
    return fmean(
        number(match, f"{column} by {'first' if match['first'] == commander else 'second'}")
        for match in world
    )


EXPERIMENT = Experiment(
    "towers",
    "commanders of the tower game against each other",
    "Plays the tower game: a commander that reads influence maps against one that takes shortest"
    " paths, in the same worlds with both sides swapped.",
    {
        **map_options(),
        **seed_options(20, "worlds per map, each played twice with the sides swapped"),
        "--commanders": {
            "type": words,
            "default": ("influence", "shortest"),
            "metavar": "A,B",
            "help": "two of influence, planner, shortest (default: influence,shortest)",
        },
        "--towers": {"type": int, "metavar": "N", "help": "towers of each team"},
        "--units": {"type": int, "metavar": "N", "help": "units of each team at once"},
        "--limit": {
            "type": float,
            "metavar": "S",
            "help": "seconds after which the score decides",
        },
    },
    towers_study,
)
