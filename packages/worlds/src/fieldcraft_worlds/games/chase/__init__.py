"""Chase: hunters see, hear, lose and search for a player who collects items and escapes."""

from fieldcraft_worlds.games.chase.plugin import GAME
from fieldcraft_worlds.games.chase.settings import CivilianRules, HunterRules, PlayerRules, Settings

__all__ = ["GAME", "CivilianRules", "HunterRules", "PlayerRules", "Settings"]
