"""The ants: a nest, food, obstacles, and trails by which thousands of them find their way."""

from fieldcraft_worlds.games.ants.plugin import GAME
from fieldcraft_worlds.games.ants.settings import Settings, Tuning

__all__ = ["GAME", "Settings", "Tuning"]
