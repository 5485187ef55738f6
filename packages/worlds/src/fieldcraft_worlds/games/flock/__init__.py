"""Flock: birds that keep apart, align and stay together."""

from fieldcraft_worlds.games.flock.plugin import GAME
from fieldcraft_worlds.games.flock.settings import Settings, Tuning

__all__ = ["GAME", "Settings", "Tuning"]
