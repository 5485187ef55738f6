"""The maze game as the frame plays it."""

from __future__ import annotations

from typing import Any

from fieldcraft import Grid, checks, generate_map
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
)
from fieldcraft_worlds.games.walking import grid_asked
from fieldcraft_worlds.games.world import DerivedWorld

__all__ = ["GAME", "KINDS", "MazeGame", "MazeWorld"]

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

    @property
    def sizes(self) -> dict[str, int]:
        """The number of monsters."""
        return {"monsters": self.derived.settings.monster.count}

    def check(self, state: State) -> None:
        """Check a state; see `DerivedWorld.check`."""
        super().check(state)
        checks.integer("most", state.most, minimum=len(state.treasures))

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
            ("key m",),
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
