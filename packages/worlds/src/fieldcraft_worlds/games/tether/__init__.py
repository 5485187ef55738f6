"""Duel: long-range fighters against short-range ones among walls."""

from fieldcraft_worlds.games.tether.plugin import GAME
from fieldcraft_worlds.games.tether.settings import FighterRules, Settings

__all__ = ["GAME", "FighterRules", "Settings"]
