"""Searches for targets that were lost from sight."""

from fieldcraft.pursuit.belief import Belief
from fieldcraft.pursuit.hunt import Pursuit
from fieldcraft.pursuit.last_seen import LastSeen
from fieldcraft.pursuit.motion import Motion
from fieldcraft.pursuit.party import SearchParty
from fieldcraft.pursuit.search import Search
from fieldcraft.pursuit.searches import (
    SEARCHES,
    BeliefSearch,
    FloodSearch,
    LastSeenSearch,
    RandomSearch,
)
from fieldcraft.pursuit.sighting import Contacts, Sight

__all__ = [
    "SEARCHES",
    "Belief",
    "BeliefSearch",
    "Contacts",
    "FloodSearch",
    "LastSeen",
    "LastSeenSearch",
    "Motion",
    "Pursuit",
    "RandomSearch",
    "Search",
    "SearchParty",
    "Sight",
]
