"""The maze: monsters explore it by a memory that they share, and hunt a player who collects
treasures and wants out.
"""

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
