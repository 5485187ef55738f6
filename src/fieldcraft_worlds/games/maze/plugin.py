"""The maze game as the frame plays it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fieldcraft import Grid
from fieldcraft_worlds.games.game import Action, Hands, Overlay, moves
from fieldcraft_worlds.games.maze import scene
from fieldcraft_worlds.games.maze.match import made
from fieldcraft_worlds.games.maze.mirror import Mirror
from fieldcraft_worlds.games.maze.rules import start, step
from fieldcraft_worlds.games.maze.settings import MazeRules, MemoryRules, MonsterRules, PlayerRules, Settings
from fieldcraft_worlds.games.maze.state import Lead, Monsters, Order, Player, State, Steer, checked
from fieldcraft_worlds.games.walking import grid_asked
from fieldcraft_worlds.scene import Scene

__all__ = ["GAME", "KINDS", "MazeGame", "MazeWorld"]

KINDS = (State, Monsters, Player, Settings, MazeRules, MemoryRules, MonsterRules, PlayerRules, Steer, Lead)


class MazeWorld:
    """The maze game on one map."""

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.mirror = Mirror(space, settings)

    @property
    def space(self) -> Grid:
        """The map."""
        return self.mirror.space

    @property
    def rate(self) -> int:
        """Steps a second."""
        return self.mirror.settings.rate

    def start(self, rng: np.random.Generator) -> State:
        """The first state."""
        return start(self.mirror, rng)

    def checked(self, state: State) -> State:
        """The state, if it is one that this world can go on from, see `state.checked`."""
        return checked(state, self.space, self.mirror.settings)

    def step(self, state: State, orders: Sequence[Order], rng: np.random.Generator) -> State:
        """The next state, see `rules.step`."""
        return step(self.mirror, state, orders, rng)

    def orders(self, state: State, hands: Hands) -> tuple[Order, ...]:
        """Where the player is steered to, when that changes; until then the script plays."""
        if hands.pressed("lead"):
            return (Lead(),)
        x, y = hands.direction(y_up=self.space.y_up)
        wished = (round(x, 2), round(y, 2))
        if wished == state.player.wish or (not any(wished) and not state.player.by_hand):
            return ()
        return (Steer(*wished),)

    def scene(self, state: State, overlays: frozenset[str]) -> Scene:
        """The scene of a state."""
        return scene.seen(self.mirror, state, overlays)

    def result(self, state: State) -> str | None:
        """How it ended."""
        return scene.result(state)


class MazeGame:
    """Monsters explore a maze by a memory that they share, and hunt a player who collects treasures."""

    name = "maze"
    version = 1
    title = "The maze"
    overlays: tuple[Overlay, ...] = scene.OVERLAYS
    actions: tuple[Action, ...] = (
        *moves("walk"),
        Action("lead", "take the player into your own hands, or leave him to the script", ("key m", "pad y")),
    )
    settings = Settings
    kinds = KINDS

    def default_map(self) -> Any:
        """None: the maze is made from the settings."""
        return None

    def open(self, space: Any, settings: Settings) -> MazeWorld:
        """The game on a map, or in the maze of the settings if there is none."""
        return MazeWorld(made(settings.maze) if space is None else grid_asked(space, "The maze game"), settings)


GAME = MazeGame()
