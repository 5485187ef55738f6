"""Things to tune: a game or a way of searching, its settings, and what counts as good."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any

import numpy as np

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft.pursuit import SEARCHES
from fieldcraft_worlds.experiments.chase import _ground_of
from fieldcraft_worlds.experiments.escapes import FUGITIVES, SPEED, escape, search_for
from fieldcraft_worlds.experiments.study import Job, Row, number, whole
from fieldcraft_worlds.experiments.worlds import grid_of, world_of
from fieldcraft_worlds.library import find_game, kernels_of
from fieldcraft_worlds.play.settings import settings_from
from fieldcraft_worlds.tuning.ranges import nested

__all__ = ["TUNABLES", "Tunable", "find_tunable", "of_game"]


@dataclass(frozen=True)
class Tunable:
    """Something with settings, and how well it does with them in one world.

    Parameters
    ----------
    name: on the command line.
    told: what plays, in a line.
    settings: the settings that may be searched, by dotted name, with the values that they usually have.
    objectives: what may be sought, by name: 1 for the more the better, -1 for the less.
    run: from a job (`map`, `width`, `height`, `seed`, and `settings` as JSON) to a number for each objective. The same job, the same.
    check: refuses settings that nothing can be played with; they may have bounds of their own.
    kernels: those that jobs call.
    """

    name: str
    told: str
    settings: Mapping[str, Any]
    objectives: Mapping[str, int]
    run: Callable[[Job], Row]
    check: Callable[[Mapping[str, Any]], object]
    kernels: tuple[str, ...] = ()


def declared(settings: Any, prefix: str = "") -> dict[str, Any]:
    """The numbers and words of a dataclass, and of those in it, by dotted name."""
    found: dict[str, Any] = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            found |= declared(value, f"{prefix}{field.name}.")
        elif isinstance(value, (int, float, str)) and not isinstance(value, bool) and field.init:
            found[prefix + field.name] = value
    return found


def _asked(job: Job) -> dict[str, Any]:
    return dict(json.loads(str(job["settings"])))


# The tower game: the commander who reads influence, with the settings, against the one who takes the shortest way, without


def towers(job: Job) -> Row:
    """One world of the tower game from both sides: how far the influence commander was ahead, and the share of matches won."""
    from fieldcraft_worlds.games.towers import play_match
    from fieldcraft_worlds.games.towers.settings import Settings

    settings = settings_from(Settings, nested(_asked(job)))
    ahead, won = [], []
    for ours in (0, 1):
        sides = ("influence", "shortest") if ours == 0 else ("shortest", "influence")
        match = play_match(grid_of(job, "The tower game is played"), settings, seed=whole(job, "seed"), commanders=sides)
        ahead.append(match.scores[ours] - match.scores[1 - ours])
        won.append(float(match.winner == ours))
    return {"ahead": fmean(ahead), "won": fmean(won)}


def chase(job: Job) -> Row:
    """One chase with hunters who play by the settings: the hearts that the player lost, and the seconds until the end."""
    from fieldcraft_worlds.games.chase.match import play_chase
    from fieldcraft_worlds.games.chase.settings import Settings

    settings = settings_from(Settings, nested(_asked(job)))
    match = play_chase(world_of(job, neighbors=8), settings, seed=whole(job, "seed"))
    return {"hearts": float(settings.player.hearts - match.hearts), "seconds": match.seconds, "caught": float(match.outcome == "caught")}


# Searchers after a fugitive who was lost from sight, as in `fieldcraft experiment chase`

_SIGHT, _LIMIT, _LEAD, _CREW = 10.0, 60.0, 4.0, 4
_SEARCHED: dict[str, dict[str, Any]] = {
    "flood": {"every": 3.0, "spacing": 20.0, "patience": 40.0, "cooling": 0.02, "barrier_angle": 100.0},
    "belief": {"every": 3.0, "spacing": 20.0, "patience": 40.0, "stay": 0.1},
}


def _searchers(way: str, job: Job) -> Row:
    seed = whole(job, "seed")
    ground = _ground_of(str(job["map"]), whole(job, "width"), whole(job, "height"), seed, _SIGHT)
    asked = _asked(job)
    seconds, found = [], []
    for fugitive in FUGITIVES:
        fled = escape(ground, fugitive, hunters=_CREW, ticks=round(_LIMIT / ground.tick), lead=round(_LEAD / ground.tick), seed=seed)
        search = _search(way, ground, asked)
        at = search_for(ground, fled, search, np.random.default_rng([seed, 3, fled.hunters.size]))
        seconds.append(_LIMIT if at is None else at * ground.tick)
        found.append(float(at is not None))
    return {"seconds": fmean(seconds), "found": fmean(found)}


def _search(way: str, ground: Any, asked: Mapping[str, Any]) -> Any:
    options = dict(asked)
    if "spacing" in options:
        options["spacing"] *= ground.step
    return SEARCHES[way](ground.space, SPEED * ground.step, **options)


def flood(job: Job) -> Row:
    """Four searchers by a flood after each kind of fugitive: seconds until it is seen again, and the share of those found."""
    return _searchers("flood", job)


def belief(job: Job) -> Row:
    """Four searchers by a shared belief after each kind of fugitive: seconds until it is seen again, and the share of those found."""
    return _searchers("belief", job)


@lru_cache(maxsize=1)
def _probe() -> Any:
    return _ground_of("open", 20, 15, 0, _SIGHT)


def _of_way(way: str, run: Callable[[Job], Row]) -> Tunable:
    return Tunable(
        f"search-{way}", f"four searchers by {way}, after fugitives lost from sight", _SEARCHED[way], {"seconds": -1, "found": 1}, run,
        lambda values: _search(way, _probe(), values), kernels_of("chase"),
    )  # fmt: skip


def of_game(name: str, told: str, objectives: Mapping[str, int], run: Callable[[Job], Row]) -> Tunable:
    """A game as something to tune: all numbers and words among its settings."""
    kind = find_game(name).settings
    return Tunable(name, told, declared(kind()), objectives, run, lambda values: settings_from(kind, nested(values)), kernels_of(name))


_TOWERS = {"ahead": 1, "won": 1}
_CHASE = {"hearts": 1, "seconds": -1, "caught": 1}

TUNABLES: dict[str, Callable[[], Tunable]] = {
    "towers": lambda: of_game("towers", "the influence commander against the shortest way, from both sides", _TOWERS, towers),
    "chase": lambda: of_game("chase", "hunters after a player who is played by a program", _CHASE, chase),
    "search-flood": lambda: _of_way("flood", flood),
    "search-belief": lambda: _of_way("belief", belief),
}
"""The tunable worlds by name."""


def find_tunable(name: str, objective: str | None) -> tuple[Tunable, str]:
    """The thing to tune, and the objective, by default its first; raises `UnknownName`, or `InvalidValue` for no such objective."""
    if name not in TUNABLES:
        raise UnknownName("thing to tune", name, TUNABLES)
    found = TUNABLES[name]()
    wanted = next(iter(found.objectives)) if objective is None else objective
    if wanted not in found.objectives:
        raise InvalidValue(f"An objective of {name} is one of {', '.join(found.objectives)}", got=repr(objective), remedy="Choose one")
    return found, wanted


def score_of(row: Row, objective: str, sign: int) -> float:
    """How good a row is: the more the better."""
    return sign * number(row, objective)
