"""The chase: somebody is hunted through a map, seen, heard, lost and searched for."""

from fieldcraft_worlds.games.chase.plugin import GAME
from fieldcraft_worlds.games.chase.settings import CivilianRules, HunterRules, PlayerRules, Settings

__all__ = ["GAME", "CivilianRules", "HunterRules", "PlayerRules", "Settings"]
