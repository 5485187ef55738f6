"""Games whose settings can be searched: what plays, and what counts as good."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from fieldcraft.errors import InvalidValue, UnknownName
from fieldcraft_worlds.games import chase, maze, tether, towers
from fieldcraft_worlds.library import GAMES, find_game
from fieldcraft_worlds.play.settings import settings_from
from research.experiments.study import Job, Row, integer, number
from research.experiments.worlds import grid_of, world_of
from research.tuning.ranges import nested

__all__ = ["TUNABLES", "Tunable", "find_tunable"]

_SECONDS = 30.0  # that a game without an end is played


@dataclass(frozen=True)
class Tunable:
    """A game with settings, and how well it plays with them on one map.

    Parameters
    ----------
    name : str
        On the command line.
    title : str
        What plays, in a line.
    settings : Mapping[str, Any]
        The settings that may be searched, by dotted name, with their default values.
    objectives : Mapping[str, int]
        What may be optimized, by name: 1 for more is better, -1 for less.
    run : Callable[[Job], Row]
        From a job (`map`, `width`, `height`, `seed`, and `settings` as JSON) to a number for each
        objective. The same job gives the same numbers.
    check : Callable[[Mapping[str, Any]], object]
        Raises an error for settings that are out of range.
    """

    name: str
    title: str
    settings: Mapping[str, Any]
    objectives: Mapping[str, int]
    run: Callable[[Job], Row]
    check: Callable[[Mapping[str, Any]], object]


def declared(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Return the numbers and words of a dataclass, and of those in it, by dotted name."""
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
    return settings_from(kind, nested(json.loads(str(job["settings"]))))


def play_towers(commander: str, job: Job) -> Row:
    """Play one map of the tower game from both sides: the commander's lead over `shortest` in
    points, and its share of matches won.
    """
    ahead, won = [], []
    for side in (0, 1):
        sides = (commander, "shortest") if side == 0 else ("shortest", commander)
        ground = grid_of(job, "The tower game is played")
        settings = settings_of(towers.Settings, job)
        match = towers.play_match(ground, settings, seed=integer(job, "seed"), commanders=sides)
        ahead.append(match.scores[side] - match.scores[1 - side])
        won.append(float(match.winner == side))
    return {"ahead": fmean(ahead), "won": fmean(won)}


def play_chase(job: Job) -> Row:
    """Play one chase: the hearts that the player lost, and the seconds until the end."""
    settings = settings_of(chase.Settings, job)
    match = chase.play_chase(world_of(job, neighbors=8), settings, seed=integer(job, "seed"))
    return {
        "hearts": float(settings.player.hearts - match.hearts),
        "seconds": match.seconds,
        "caught": float(match.outcome == "caught"),
    }


def play_maze(job: Job) -> Row:
    """Play one match of the maze game: the treasures that the player took, and the seconds until
    it was caught, or the limit.
    """
    settings = settings_of(maze.Settings, job)
    ground = grid_of(job, "The maze game is played")
    match = maze.play_maze(ground, settings, seed=integer(job, "seed"))
    caught = match.outcome == "caught"
    seconds = match.steps / settings.rate if caught else settings.limit
    return {"treasures": float(match.treasures), "caught": float(caught), "seconds": seconds}


def play_tether(job: Job) -> Row:
    """Play the duel against each other brain with either range: damage dealt less damage taken,
    and the share of duels won.
    """
    settings = settings_of(tether.Settings, job)
    space = grid_of(job, "The duel is fought", neighbors=8)
    ahead, won = [], []
    for rival in ("charge", "distance", "cover"):
        for side in (0, 1):
            brains = ("tether", rival) if side == 0 else (rival, "tether")
            duel = tether.play_duel(space, settings, seed=integer(job, "seed"), brains=brains)
            ahead.append(duel.dealt[side] - duel.dealt[1 - side])
            won.append(float(duel.winner == side))
    return {"ahead": fmean(ahead), "won": fmean(won)}


def play_measured(name: str, job: Job) -> Row:
    """Play a game with objectives to its end, or for the job's `seconds`."""
    game = find_game(name)
    world = game.open(world_of(job, neighbors=8), settings_of(game.settings, job))
    rng = np.random.default_rng(integer(job, "seed"))
    state = world.start(rng)
    seconds = number(job, "seconds") if "seconds" in job else _SECONDS
    for _ in range(max(1, math.ceil(seconds * world.rate))):
        if world.result(state) is not None:
            break
        state = world.step(state, (), rng)
    return {name: float(value) for name, value in game.measured(world, state).items()}  # type: ignore[attr-defined]


_LEAD = {"ahead": 1, "won": 1}
_PLAYED: dict[str, tuple[str, Mapping[str, int], Callable[[Job], Row]]] = {
    "towers": (
        "the influence commander against the shortest path, from both sides",
        _LEAD,
        partial(play_towers, "influence"),
    ),
    "towers-planner": (
        "the planner against the shortest path, from both sides",
        _LEAD,
        partial(play_towers, "planner"),
    ),
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
TUNABLES = tuple(dict.fromkeys((*_PLAYED, *GAMES)))
"""The names of all games that can be tuned."""


def find_tunable(name: str, objective: str | None) -> tuple[Tunable, str]:
    """Return the game of a name, or of "module:object", and the objective, by default its first.

    Raises
    ------
    UnknownName
        For another name.
    InvalidValue
        For a game without objectives, and for an objective that it does not have.
    """
    if name not in TUNABLES and ":" not in name:
        raise UnknownName("thing to tune", name, TUNABLES)
    game = find_game("towers" if name == "towers-planner" else name)
    if name not in _PLAYED and not (hasattr(game, "objectives") and hasattr(game, "measured")):
        raise InvalidValue(
            "A game that is tuned has objectives",
            got=f"{name} without objectives and measured",
            remedy="Add what fieldcraft_worlds.games.game.MeasuredGame asks for",
        )
    if name in _PLAYED:
        title, objectives, run = _PLAYED[name]
    else:
        title, run = f"{game.title}, by itself", partial(play_measured, name)
        objectives = game.objectives  # type: ignore[attr-defined]
    found = Tunable(
        name,
        title,
        declared(game.settings()),
        objectives,
        run,
        lambda values: settings_from(game.settings, nested(values)),
    )
    wanted = next(iter(objectives)) if objective is None else objective
    if wanted not in objectives:
        raise InvalidValue(
            f"An objective of {name} is one of {', '.join(objectives)}",
            got=repr(objective),
            remedy="Choose one",
        )
    return found, wanted
