"""The maze as a game to play."""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft import Grid, distance_map, generate_map
from fieldcraft.base import checks
from fieldcraft_worlds.games.game import Action, InputFrame, moves
from fieldcraft_worlds.games.maze import rules, scene
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.orders import Explore, Lead, Order, Steer
from fieldcraft_worlds.games.maze.settings import (
    Settings,
)
from fieldcraft_worlds.games.maze.state import (
    State,
)
from fieldcraft_worlds.games.states import dataclasses_in
from fieldcraft_worlds.games.walking import require_grid
from fieldcraft_worlds.games.world import DerivedWorld, GameOfParts
from fieldcraft_worlds.scene import Scene

KINDS = dataclasses_in(State, Settings, Order)


class MazeWorld(DerivedWorld):
    """The maze game on one map."""

    rules = rules
    scenes = scene
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
        """Return the orders of keys: steering, when it changes."""
        if inputs.pressed("lead"):
            return (Lead(),)
        if inputs.pressed("explore"):
            return (Explore(not state.memory),)
        x, y = inputs.direction(y_up=self.space.y_up)
        direction = (round(x, 2), round(y, 2))
        if direction == state.player.wish or (not any(direction) and not state.player.by_hand):
            return ()
        return (Steer(*direction),)

    def opening(self, frames: int) -> list[Scene]:
        """Return the growth of the maze from one corner, for films."""
        space = self.space
        ground = self.derived.ground
        centers = self.derived.centers
        far = distance_map(space, centers[ground[0]]).values.reshape(space.shape)
        steps = np.linspace(0.0, float(far.reshape(-1)[ground].max()), frames)
        return [Scene(space.with_walls(~(far <= most)), "the maze grows") for most in steps]

    def result(self, state: State) -> str | None:
        """Return how it ended."""
        return scene.result(state)


def open_maze(space: Any, settings: Settings) -> MazeWorld:
    """Return the game on a map, or in a maze of the settings if there is none."""
    if space is None:
        rules = settings.maze
        space = generate_map(
            "maze",
            rules.width,
            rules.height,
            seed=rules.seed,
            algorithm=rules.algorithm,
            loops=rules.loops,
            corridor=rules.corridor,
        )
    return MazeWorld(require_grid(space, "The maze is played on"), settings)


def default_map() -> None:
    """Return no map: the maze follows from the settings."""


GAME = GameOfParts(
    "maze",
    "The maze",
    "Collect the treasures, then get out.",
    Settings,
    KINDS,
    default_map,
    open_maze,
    scene.OVERLAYS,
    (
        *moves("walk"),
        Action("lead", "play yourself, or let the script play again", ("key m",), takes_over=True),
        Action("explore", "monsters explore by memory, or by chance", ("key e",)),
    ),
)
