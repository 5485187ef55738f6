"""Whole matches, without a window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fieldcraft import Grid, checks, generate_map
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.rules import start, step
from fieldcraft_worlds.games.maze.settings import MazeRules, Settings
from fieldcraft_worlds.games.maze.state import CAUGHT, GOING, LATE, OUT, State
from fieldcraft_worlds.games.walking import grid_asked

__all__ = ["MazeResult", "made", "play_maze"]

_OUTCOMES = {GOING: "going", OUT: "out", CAUGHT: "caught", LATE: "late"}


@dataclass(frozen=True)
class MazeResult:
    """The outcome of a match.

    `outcome` is "out", "caught", "late" or, where it was stopped before its end, "going";
    `treasures` how many were taken; `known` the share of the open map that the monsters remember at
    the end; `digest` that of the last state.
    """

    outcome: str
    treasures: int
    known: float
    steps: int
    digest: str


def made(rules: MazeRules) -> Grid:
    """The maze that settings ask for."""
    return generate_map(
        "maze",
        rules.width,
        rules.height,
        seed=rules.seed,
        algorithm=rules.algorithm,
        loops=rules.loops,
        corridor=rules.corridor,
    )


def play_maze(
    space: Grid | None = None,
    settings: Settings | None = None,
    *,
    seed: int = 0,
    most_steps: int | None = None,
    watch: Callable[[MazeDerived, State], None] | None = None,
) -> MazeResult:
    """Play a match of monsters against the scripted player to its end, or for `most_steps`.

    The same arguments give the same match, bit for bit.

    Parameters
    ----------
    space : Grid, optional
        Any grid with room for all; the maze of the settings if None.
    settings : Settings, optional
        The rules; the usual ones if None.
    seed : int, optional
        Of where everything starts, and of the dice.
    most_steps : int, optional
        Stop there.
    watch : Callable[[MazeDerived, State], None], optional
        Called with the derived and each state, the first and the last included.

    Raises
    ------
    InvalidValue
        If the map has no room.
    """
    from fieldcraft.packing import digest
    from fieldcraft_worlds.games.maze.plugin import KINDS

    rules = Settings() if settings is None else settings
    most = None if most_steps is None else checks.whole("most_steps", most_steps, minimum=1)
    rng = np.random.default_rng(checks.whole("seed", seed))
    derived = MazeDerived(
        made(rules.maze) if space is None else grid_asked(space, "The maze game needs"), rules
    )
    state = start(derived, rng)
    if watch is not None:
        watch(derived, state)
    while state.outcome == GOING and (most is None or state.step < most):
        state = step(derived, state, (), rng)
        if watch is not None:
            watch(derived, state)
    derived.follow(state)
    return MazeResult(
        outcome=_OUTCOMES[state.outcome],
        treasures=state.most - len(state.treasures),
        known=float(np.count_nonzero(derived.memory.values.reshape(-1)[derived.ground]))
        / len(derived.ground),
        steps=state.step,
        digest=digest(state, KINDS),
    )
