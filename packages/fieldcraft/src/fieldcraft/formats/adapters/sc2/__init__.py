"""Maps for StarCraft II bots on python-sc2, updated from step to step.

Only attributes of a `BotAI` are read, and python-sc2 is not imported: bots of burnysc2 and ares-sc2
and recordings work. Positions are those of the game, (x, y) with y up; cell (x, y) reaches from x
to x + 1.
"""

from fieldcraft.formats.adapters.sc2.battlefield import Battlefield
from fieldcraft.formats.adapters.sc2.enemies import EFFECTS, UNITS, Threat
from fieldcraft.formats.adapters.sc2.walking import Journey

__all__ = [
    "EFFECTS",
    "UNITS",
    "Battlefield",
    "Journey",
    "Threat",
]
