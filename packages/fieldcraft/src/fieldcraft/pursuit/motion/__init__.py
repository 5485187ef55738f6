"""Motions of targets that are out of sight."""

from fieldcraft.pursuit.motion.mixture import Motion
from fieldcraft.pursuit.motion.mover import Lost, Mover, Stage, Stand, Wander
from fieldcraft.pursuit.motion.ready import DoubleBack, Hide, Journey, Run

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
