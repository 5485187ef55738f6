"""Games played for a search: one world with the settings of a job, and how well it went."""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np

from fieldcraft_worlds.library import find_game
from fieldcraft_worlds.play.settings import settings_from
from research.experiments.study import Job, Row, number, whole
from research.experiments.worlds import grid_of, world_of
from research.tuning.ranges import nested
from research.tuning.tunable import asked

__all__ = ["SECONDS", "chase", "maze", "measured_game", "planner", "tether", "towers"]

SECONDS = 30.0
"""Seconds that a game without an end is played."""


def towers(job: Job) -> Row:
    """One world of the tower game from both sides: how far the influence commander was ahead, and
    the share of matches won.
    """
    return _commanded(job, "influence")


def planner(job: Job) -> Row:
    """The same of the planner."""
    return _commanded(job, "planner")


def _commanded(job: Job, commander: str) -> Row:
    from fieldcraft_worlds.games.towers import play_match
    from fieldcraft_worlds.games.towers.settings import Settings

    settings = settings_from(Settings, nested(asked(job)))
    ahead, won = [], []
    for ours in (0, 1):
        sides = (commander, "shortest") if ours == 0 else ("shortest", commander)
        match = play_match(
            grid_of(job, "The tower game is played"),
            settings,
            seed=whole(job, "seed"),
            commanders=sides,
        )
        ahead.append(match.scores[ours] - match.scores[1 - ours])
        won.append(float(match.winner == ours))
    return {"ahead": fmean(ahead), "won": fmean(won)}


def chase(job: Job) -> Row:
    """One chase with hunters who play by the settings: the hearts that the player lost, and the
    seconds until the end.
    """
    from fieldcraft_worlds.games.chase.match import play_chase
    from fieldcraft_worlds.games.chase.settings import Settings

    settings = settings_from(Settings, nested(asked(job)))
    match = play_chase(world_of(job, neighbors=8), settings, seed=whole(job, "seed"))
    return {
        "hearts": float(settings.player.hearts - match.hearts),
        "seconds": match.seconds,
        "caught": float(match.outcome == "caught"),
    }


def maze(job: Job) -> Row:
    """One match of the maze game: the treasures that the player took, and the seconds until it was
    caught, the limit if it was not.
    """
    from fieldcraft_worlds.games.maze.match import play_maze
    from fieldcraft_worlds.games.maze.settings import Settings

    settings = settings_from(Settings, nested(asked(job)))
    match = play_maze(grid_of(job, "The maze game is played"), settings, seed=whole(job, "seed"))
    caught = match.outcome == "caught"
    return {
        "treasures": float(match.treasures),
        "caught": float(caught),
        "seconds": match.steps / settings.rate if caught else settings.limit,
    }


def tether(job: Job) -> Row:
    """One world of the duel against each other brain, with either range: damage dealt less damage
    taken, and the share of duels won.
    """
    from fieldcraft_worlds.games.tether.match import play_duel
    from fieldcraft_worlds.games.tether.settings import BRAINS, Settings

    settings = settings_from(Settings, nested(asked(job)))
    space = grid_of(job, "The duel is fought", neighbors=8)
    ahead, won = [], []
    for rival in BRAINS:
        for side in (0, 1):
            if rival != "tether":
                brains = ("tether", rival) if side == 0 else (rival, "tether")
                duel = play_duel(space, settings, seed=whole(job, "seed"), brains=brains)
                ahead.append(duel.dealt[side] - duel.dealt[1 - side])
                won.append(float(duel.winner == side))
    return {"ahead": fmean(ahead), "won": fmean(won)}


def measured_game(name: str, job: Job) -> Row:
    """A game that counts how well it goes, played by itself to its end, or for the job's
    `seconds`.
    """
    game = find_game(name)
    settings = settings_from(game.settings, nested(asked(job)))
    world = game.open(world_of(job, neighbors=8), settings)
    rng = np.random.default_rng(whole(job, "seed"))
    state = world.start(rng)
    seconds = number(job, "seconds") if "seconds" in job else SECONDS
    for _ in range(max(1, math.ceil(seconds * world.rate))):
        if world.result(state) is not None:
            break
        state = world.step(state, (), rng)
    return {name: float(value) for name, value in game.measured(world, state).items()}  # type: ignore[attr-defined]
