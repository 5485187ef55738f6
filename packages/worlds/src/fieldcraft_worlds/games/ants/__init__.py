"""The ants: a nest, food, obstacles, and trails by which thousands of them find their way."""

from fieldcraft_worlds.games.ants.plugin import Colony, play_ants
from fieldcraft_worlds.games.ants.settings import Settings, Tuning

__all__ = ["Colony", "Settings", "Tuning", "play_ants"]
