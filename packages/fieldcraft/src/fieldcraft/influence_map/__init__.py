"""The layers on one space: their clock, steps, saves and loads."""

from fieldcraft.influence_map.imap import Advance, InfluenceMap

__all__ = ["Advance", "InfluenceMap"]
