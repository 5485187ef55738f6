"""Environments to learn in: games, as PettingZoo's for several agents or Gymnasium's for one, and
many pursuits at once.
"""

from fieldcraft_worlds.learning.environments import PlayerEnv, TeamEnv, parallel, single
from fieldcraft_worlds.learning.lesson import LESSONS, Lesson
from fieldcraft_worlds.learning.pursuits import Pursuits

__all__ = ["LESSONS", "Lesson", "PlayerEnv", "Pursuits", "TeamEnv", "parallel", "single"]
