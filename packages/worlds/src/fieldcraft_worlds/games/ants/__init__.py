"""Ants: trails of pheromones, or a trail of directions."""

from fieldcraft_worlds.games.ants.plugin import GAME
from fieldcraft_worlds.games.ants.settings import Settings, Tuning

__all__ = ["GAME", "Settings", "Tuning"]
