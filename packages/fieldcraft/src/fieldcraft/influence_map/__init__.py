"""The layers on one space: their clock, their steps, saving and loading."""

from fieldcraft.influence_map.imap import Advance, InfluenceMap

__all__ = ["Advance", "InfluenceMap"]
