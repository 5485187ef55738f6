"""Motions of targets that are out of sight."""

from fieldcraft.pursuit.motion.goals import DoubleBack, Hide, Journey, Run
from fieldcraft.pursuit.motion.motion import Motion
from fieldcraft.pursuit.motion.mover import Lost, Mover, Stage, Stand, Wander

__all__ = [
    "DoubleBack",
    "Hide",
    "Journey",
    "Lost",
    "Motion",
    "Mover",
    "Run",
    "Stage",
    "Stand",
    "Wander",
]
