"""Bots for StarCraft II on python-sc2: the battlefield as maps that are kept from step to step, not
built anew in each.

Only attributes of a `BotAI` are read, so nothing of python-sc2 is imported: a bot of burnysc2,
ares-sc2 or a recording will do. Positions are the game's own, (x, y) with y up, cell (x, y) from x
to x + 1.
"""

from fieldcraft.adapters.sc2.battlefield import Battlefield, Journey
from fieldcraft.adapters.sc2.enemies import EFFECTS, UNITS, Threat
from fieldcraft.adapters.sc2.regions import Regions

__all__ = [
    "EFFECTS",
    "UNITS",
    "Battlefield",
    "Journey",
    "Regions",
    "Threat",
]
