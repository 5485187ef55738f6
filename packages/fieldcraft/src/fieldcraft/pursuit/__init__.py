"""Searches for targets that were lost from sight."""

from fieldcraft.pursuit import motion as motion
from fieldcraft.pursuit.belief import Belief
from fieldcraft.pursuit.group_sight import Contacts, Sight
from fieldcraft.pursuit.last_seen import LastSeen
from fieldcraft.pursuit.motion import Motion
from fieldcraft.pursuit.party.party import SearchParty
from fieldcraft.pursuit.pursuit import Pursuit

__all__ = [
    "Belief",
    "Contacts",
    "LastSeen",
    "Motion",
    "Pursuit",
    "SearchParty",
    "Sight",
]
