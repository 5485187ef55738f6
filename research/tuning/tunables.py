"""Games whose settings can be searched, and their objectives."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from statistics import fmean
from typing import Any

from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.base.settings.dataclasses import settings_from
from fieldcraft_worlds.games import chase, maze, tether, towers
from fieldcraft_worlds.library import GAMES, find_game
from fieldcraft_worlds.play.session import play_out
from fieldcraft_worlds.play.settings import read_table
from research.shared.study import Job, Row, integer, number
from research.shared.worlds import grid_of, world_of

_SECONDS = 30.0  # that a game without an end is played


@dataclass(frozen=True)
class Tunable:
    """A game whose settings can be searched.

    Parameters
    ----------
    name : str
        The name on the command line.
    title : str
        A description in one line.
    settings : Mapping[str, Any]
        The settings by dotted name, with their default values.
    objectives : Mapping[str, int]
        The objectives by name: 1 if more is better, -1 if less is.
    run : Callable[[Job], Row]
        From a job (`map`, `width`, `height`, `seed`, and `settings`, a JSON list of
        "name=value") to a number for each objective. The same job gives the same numbers.
    check : Callable[[list[str]], object]
        Raises an error for settings that are out of range.
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    objectives: Mapping[str, int]
    run: Callable[[Job], Row]
    check: Callable[[list[str]], object]


def declared(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Return the numbers and texts of a dataclass and of nested ones, by dotted name."""
    found: dict[str, Any] = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        if is_dataclass(value):
            found |= declared(value, f"{prefix}{field.name}.")
        elif isinstance(value, (int, float, str)) and not isinstance(value, bool):
            found[prefix + field.name] = value
    return found


def settings_of(kind: type, job: Job) -> Any:
    """Return the settings of a job."""
    return settings_from(kind, read_table(None, json.loads(str(job["settings"]))))


def play_towers(job: Job) -> Row:
    """Play a map from both sides; return the lead of `influence` over `shortest`, and its wins."""
    settings = settings_of(towers.Settings, job)
    ahead = []
    won = []
    for side in (0, 1):
        sides = ("influence", "shortest")[:: 1 - 2 * side]
        ground = grid_of(job, "The tower game is played")
        rules = replace(settings, commanders=sides)
        state = play_out(towers.GAME, ground, rules, integer(job, "seed")).state
        ahead.append(int(state.scores[side] - state.scores[1 - side]))
        won.append(float(state.winner == side))
    return {"ahead": fmean(ahead), "won": fmean(won)}


def play_chase(job: Job) -> Row:
    """Play a chase; return the hearts that the player lost, and the seconds until the end."""
    settings = settings_of(chase.Settings, job)
    space = world_of(job, neighbors=8)
    state = play_out(chase.GAME, space, settings, integer(job, "seed")).state
    return {
        "hearts": float(settings.player.hearts - state.hearts),
        "seconds": state.step / settings.rate,
        "caught": float(state.outcome == "caught"),
    }


def play_maze(job: Job) -> Row:
    """Play a match; return the treasures that the player took, and the seconds until it was
    caught.
    """
    settings = settings_of(maze.Settings, job)
    ground = grid_of(job, "The maze game is played")
    match = play_out(maze.GAME, ground, settings, integer(job, "seed"))
    caught = match.result == "caught"
    if caught:
        seconds = match.steps / settings.rate
    else:
        seconds = settings.limit
    treasures = match.state.most - len(match.state.treasures)
    return {"treasures": float(treasures), "caught": float(caught), "seconds": seconds}


def play_tether(job: Job) -> Row:
    """Play the duel against each other brain with either range; return damage dealt less damage
    taken, and duels won.
    """
    settings = settings_of(tether.Settings, job)
    ahead = []
    won = []
    space = grid_of(job, "The duel is fought", neighbors=8)
    for rival in ("charge", "distance", "cover"):
        for side in (0, 1):
            rules = replace(settings, brains=("tether", rival)[:: 1 - 2 * side])
            state = play_out(tether.GAME, space, rules, integer(job, "seed")).state
            ahead.append(float(state.dealt[side] - state.dealt[1 - side]))
            won.append(float(state.winner == side))
    return {"ahead": fmean(ahead), "won": fmean(won)}


def play_measured(name: str, job: Job) -> Row:
    """Play a game with objectives to its end, or for the job's `seconds`."""
    game: Any = find_game(name)
    settings = settings_of(game.settings, job)
    space = world_of(job, neighbors=8)
    if "seconds" in job:
        seconds = number(job, "seconds")
    else:
        seconds = _SECONDS
    steps = max(1, math.ceil(seconds * settings.rate))
    match = play_out(game, space, settings, integer(job, "seed"), most_steps=steps)
    measured = game.measured(match.world, match.state)
    return {name: float(value) for name, value in measured.items()}


_LEAD = {"ahead": 1, "won": 1}
_PLAYED: dict[str, tuple[str, Mapping[str, int], Callable[[Job], Row]]] = {
    "towers": ("the commander influence against shortest", _LEAD, play_towers),
    "chase": (
        "hunters after a player led by a program",
        {"hearts": 1, "seconds": -1, "caught": 1},
        play_chase,
    ),
    "maze": (
        "monsters after a player led by a script",
        {"treasures": -1, "caught": 1, "seconds": -1},
        play_maze,
    ),
    "tether": ("the tether against three other brains, from both sides", _LEAD, play_tether),
}


def find_tunable(name: str, objective: str | None) -> tuple[Tunable, str]:
    """Return the game of a name, or of "module:object", and the objective, by default its first.

    Raises
    ------
    UnknownName
        For another name.
    InvalidValue
        For a game without objectives, and for an objective that it does not have.
    """
    if name not in GAMES and ":" not in name:
        raise UnknownName("game", name, GAMES)
    game: Any = find_game(name)
    if name in _PLAYED:
        title, objectives, run = _PLAYED[name]
    elif getattr(game, "objectives", {}):
        title = f"{game.title}, by itself"
        run = partial(play_measured, name)
        objectives = game.objectives
    else:
        raise InvalidValue(
            "A game with settings to search has objectives",
            got=f"{name} without objectives and measured",
            remedy="Add what fieldcraft_worlds.games.game.MeasuredGame declares",
        )
    if objective is None:
        wanted = next(iter(objectives))
    else:
        wanted = objective
    if wanted not in objectives:
        raise InvalidValue(
            f"An objective of {name} is one of {', '.join(objectives)}",
            got=repr(objective),
            remedy="Choose one of them",
        )

    def check(texts: list[str]) -> object:
        return settings_from(game.settings, read_table(None, texts))

    return Tunable(name, title, declared(game.settings()), objectives, run, check), wanted
