"""The tower game: teams place towers, towers send units, units take towers."""

from fieldcraft_worlds.games.towers.match import Match, play_match
from fieldcraft_worlds.games.towers.settings import Settings, TowerRules, UnitRules

__all__ = ["Match", "Settings", "TowerRules", "UnitRules", "play_match"]
