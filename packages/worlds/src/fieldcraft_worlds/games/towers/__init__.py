"""The tower game: teams place towers, towers send units, units take towers."""

from fieldcraft_worlds.games.towers.plugin import TowersResult, play_match
from fieldcraft_worlds.games.towers.settings import Settings, TowerRules, UnitRules

__all__ = ["Settings", "TowerRules", "TowersResult", "UnitRules", "play_match"]
