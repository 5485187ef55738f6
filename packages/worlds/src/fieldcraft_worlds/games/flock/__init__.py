"""The flock: separation, alignment and cohesion from layers alone, beside the same three rules by
exact neighbors.
"""

from fieldcraft_worlds.games.flock.plugin import GAME
from fieldcraft_worlds.games.flock.settings import Settings, Tuning

__all__ = ["GAME", "Settings", "Tuning"]
