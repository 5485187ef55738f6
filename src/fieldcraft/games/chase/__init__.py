"""The chase: somebody is hunted through a map, seen, heard, lost and searched for."""

from fieldcraft.games.chase.match import Match, play_chase
from fieldcraft.games.chase.settings import CivilianRules, HunterRules, PlayerRules, Settings

__all__ = ["CivilianRules", "HunterRules", "Match", "PlayerRules", "Settings", "play_chase"]
