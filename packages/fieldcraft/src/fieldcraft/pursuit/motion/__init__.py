"""How somebody moves who was lost from sight: ready motions, one for all of them together, and how
to write another.
"""

from fieldcraft.pursuit.motion.mixture import Motion
from fieldcraft.pursuit.motion.mover import Afraid, Lost, Mover, Stage, Stand, Then, Wander
from fieldcraft.pursuit.motion.ready import DoubleBack, Hide, Journey, Run

__all__ = [
    "Afraid",
    "DoubleBack",
    "Hide",
    "Journey",
    "Lost",
    "Motion",
    "Mover",
    "Run",
    "Stage",
    "Stand",
    "Then",
    "Wander",
]
