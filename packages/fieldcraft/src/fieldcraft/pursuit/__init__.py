"""Searches for targets that were lost from sight."""

from fieldcraft.pursuit.belief import Belief
from fieldcraft.pursuit.hunt import Pursuit
from fieldcraft.pursuit.motion import Motion
from fieldcraft.pursuit.party import SearchParty
from fieldcraft.pursuit.search_maps import LastSeen
from fieldcraft.pursuit.sighting import Contacts, Sight

__all__ = [
    "Belief",
    "Contacts",
    "LastSeen",
    "Motion",
    "Pursuit",
    "SearchParty",
    "Sight",
]
