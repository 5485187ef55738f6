"""How somebody moves who was lost from sight: ready motions, and one for all of them together."""

from fieldcraft.pursuit.motion.mixture import Motion

__all__ = ["Motion"]
