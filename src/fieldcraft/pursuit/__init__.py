"""A guess: where somebody went after we lost sight of him, and what nobody has looked at."""

from fieldcraft.pursuit.belief import Belief
from fieldcraft.pursuit.hunt import Pursuit
from fieldcraft.pursuit.sighting import Contacts, Sight
from fieldcraft.pursuit.staleness import Staleness

__all__ = ["Belief", "Contacts", "Pursuit", "Sight", "Staleness"]
