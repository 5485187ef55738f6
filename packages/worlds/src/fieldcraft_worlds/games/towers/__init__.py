"""Tower game: teams send squads against each other's towers."""

from fieldcraft_worlds.games.towers.plugin import GAME
from fieldcraft_worlds.games.towers.settings import Settings, TowerRules, UnitRules

__all__ = ["GAME", "Settings", "TowerRules", "UnitRules"]
