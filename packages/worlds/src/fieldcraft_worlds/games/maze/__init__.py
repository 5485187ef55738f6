"""Maze: monsters explore with a shared memory, and hunt a player who collects treasures."""

from fieldcraft_worlds.games.maze.plugin import GAME
from fieldcraft_worlds.games.maze.settings import (
    MazeRules,
    MemoryRules,
    MonsterRules,
    PlayerRules,
    Settings,
)

__all__ = [
    "GAME",
    "MazeRules",
    "MemoryRules",
    "MonsterRules",
    "PlayerRules",
    "Settings",
]
