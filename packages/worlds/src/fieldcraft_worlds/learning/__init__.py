"""Games as environments to learn in: PettingZoo's for several agents, Gymnasium's for one among
programs.
"""

from fieldcraft_worlds.learning.environments import PlayerEnv, TeamEnv, parallel, single
from fieldcraft_worlds.learning.lesson import LESSONS, Lesson

__all__ = ["LESSONS", "Lesson", "PlayerEnv", "TeamEnv", "parallel", "single"]
