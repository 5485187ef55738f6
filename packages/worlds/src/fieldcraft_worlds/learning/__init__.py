"""Learning environments: the chase for PettingZoo and Gymnasium, and many pursuits at once."""

from fieldcraft_worlds.learning.environments import ChasePlayer, ChaseTeam
from fieldcraft_worlds.learning.pursuits import Pursuits

__all__ = ["ChasePlayer", "ChaseTeam", "Pursuits"]
