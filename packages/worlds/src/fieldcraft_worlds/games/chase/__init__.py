"""The chase: somebody is hunted through a map, seen, heard, lost and searched for."""

from fieldcraft_worlds.games.chase.match import Match, play_chase
from fieldcraft_worlds.games.chase.settings import CivilianRules, HunterRules, PlayerRules, Settings

__all__ = ["CivilianRules", "HunterRules", "Match", "PlayerRules", "Settings", "play_chase"]
