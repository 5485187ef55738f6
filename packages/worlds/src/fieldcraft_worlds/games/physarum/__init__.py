"""Slime mold: agents that follow and leave a trail join cities."""

from fieldcraft_worlds.games.physarum.network import Network, network_of
from fieldcraft_worlds.games.physarum.plugin import GAME
from fieldcraft_worlds.games.physarum.settings import Settings

__all__ = ["GAME", "Network", "Settings", "network_of"]
