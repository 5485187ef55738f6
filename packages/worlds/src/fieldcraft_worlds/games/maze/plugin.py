"""The maze game as the frame plays it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fieldcraft import Grid, checks, generate_map
from fieldcraft.packing import digest
from fieldcraft_worlds.games.game import Action, InputFrame, Overlay, moves
from fieldcraft_worlds.games.maze import rules, scene
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.settings import (
    MazeRules,
    MemoryRules,
    MonsterRules,
    PlayerRules,
    Settings,
)
from fieldcraft_worlds.games.maze.state import (
    CAUGHT,
    GOING,
    LATE,
    OUT,
    Lead,
    Monsters,
    Order,
    Player,
    State,
    Steer,
    checked,
)
from fieldcraft_worlds.games.walking import grid_asked
from fieldcraft_worlds.games.world import DerivedWorld, play_out

__all__ = ["GAME", "KINDS", "MazeGame", "MazeResult", "MazeWorld", "play_maze"]

KINDS = (
    State,
    Monsters,
    Player,
    Settings,
    MazeRules,
    MemoryRules,
    MonsterRules,
    PlayerRules,
    Steer,
    Lead,
)

_OUTCOMES = {GOING: "going", OUT: "out", CAUGHT: "caught", LATE: "late"}


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


class MazeWorld(DerivedWorld):
    """The maze game on one map."""

    rules = rules
    views = scene
    derived: MazeDerived

    def __init__(self, space: Grid, settings: Settings) -> None:
        super().__init__(space, MazeDerived(space, settings))

    def checked(self, state: State) -> State:
        """The state, if it is one that this world can go on from, see `state.checked`."""
        return checked(state, self.space, self.derived.settings)

    def orders(self, state: State, inputs: InputFrame) -> tuple[Order, ...]:
        """Where the player is steered to, when that changes; until then the script plays."""
        if inputs.pressed("lead"):
            return (Lead(),)
        x, y = inputs.direction(y_up=self.space.y_up)
        wished = (round(x, 2), round(y, 2))
        if wished == state.player.wish or (not any(wished) and not state.player.by_hand):
            return ()
        return (Steer(*wished),)

    def result(self, state: State) -> str | None:
        """How it ended."""
        return scene.result(state)


class MazeGame:
    """Monsters explore a maze by a memory that they share, and hunt a player who collects
    treasures.
    """

    name = "maze"
    version = 1
    title = "The maze"
    goal = "Collect the treasures and get out before the monsters catch you."
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        *moves("walk"),
        Action(
            "lead",
            "play yourself, or let the player play by itself again",
            ("key m", "pad y"),
            takes_over=True,
        ),
    )
    settings = Settings
    kinds = KINDS

    def default_map(self) -> Any:
        """None: the maze is made from the settings."""
        return None

    def open(self, space: Any, settings: Settings) -> MazeWorld:
        """The game on a map, or in the maze of the settings if there is none."""
        if space is None:
            return MazeWorld(made(settings.maze), settings)
        return MazeWorld(grid_asked(space, "The maze game needs"), settings)


GAME = MazeGame()


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
    rules = Settings() if settings is None else settings
    most = None if most_steps is None else checks.integer("most_steps", most_steps, minimum=1)
    world: MazeWorld = GAME.open(space, rules)
    derived = world.derived
    state: State = play_out(
        world,
        seed,
        lambda state: state.outcome != GOING or (most is not None and state.step >= most),
        watch,
    )
    derived.follow(state)
    return MazeResult(
        outcome=_OUTCOMES[state.outcome],
        treasures=state.most - len(state.treasures),
        known=float(np.count_nonzero(derived.memory.values.reshape(-1)[derived.ground]))
        / len(derived.ground),
        steps=state.step,
        digest=digest(state, KINDS),
    )
