"""The duel: long-range fighters against short-range ones among walls, led by tether layers, by
simpler brains, or by hand.
"""

from fieldcraft_worlds.games.tether.plugin import GAME
from fieldcraft_worlds.games.tether.settings import FighterRules, Settings

__all__ = ["GAME", "FighterRules", "Settings"]
