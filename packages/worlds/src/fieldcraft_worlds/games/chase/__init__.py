"""The chase: somebody is hunted through a map, seen, heard, lost and searched for."""

from fieldcraft_worlds.games.chase.plugin import ChaseResult, play_chase
from fieldcraft_worlds.games.chase.settings import CivilianRules, HunterRules, PlayerRules, Settings

__all__ = ["ChaseResult", "CivilianRules", "HunterRules", "PlayerRules", "Settings", "play_chase"]
