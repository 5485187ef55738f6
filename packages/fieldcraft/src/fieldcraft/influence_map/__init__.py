"""The layers on one space: their clock, steps, saves and loads."""

from fieldcraft.influence_map.advancing import Advance
from fieldcraft.influence_map.imap import InfluenceMap

__all__ = ["Advance", "InfluenceMap"]
