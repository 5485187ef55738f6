"""The maze: monsters explore it by a memory that they share, and hunt a player who collects treasures and wants out."""

from fieldcraft.games.maze.match import Match, play_maze
from fieldcraft.games.maze.settings import MazeRules, MemoryRules, MonsterRules, PlayerRules, Settings

__all__ = ["Match", "MazeRules", "MemoryRules", "MonsterRules", "PlayerRules", "Settings", "play_maze"]
