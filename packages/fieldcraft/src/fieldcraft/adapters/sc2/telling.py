"""Fields of many units at once, read from the game's own messages, which takes a fifth of the time
of a unit's attributes.

Units of python-sc2 keep their message as `_proto`; anything else is asked for the attributes that a
unit has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["kinds", "places", "standing", "tags"]


def tags(units: Iterable[Any]) -> list[Any]:
    """The tag of each unit."""
    units = list(units)
    try:
        return [unit._proto.tag for unit in units]
    except AttributeError:
        return [unit.tag for unit in units]


def kinds(units: Sequence[Any]) -> list[Any]:
    """The type of each unit: a number of the game, or a `UnitTypeId`."""
    try:
        return [unit._proto.unit_type for unit in units]
    except AttributeError:
        return [unit.type_id for unit in units]


def places(units: Sequence[Any]) -> list[float]:
    """The positions of units, x and y in turn."""
    flat: list[float] = []
    try:
        for unit in units:
            at = unit._proto.pos
            flat += (at.x, at.y)
    except AttributeError:
        flat = [float(part) for unit in units for part in tuple(unit.position)[:2]]
    return flat


def standing(units: Iterable[Any]) -> frozenset[Any]:
    """The tag and the type of each building, and whether it flies."""
    units = list(units)
    try:
        told = [unit._proto for unit in units]
        return frozenset((each.tag, each.unit_type, each.is_flying) for each in told)
    except AttributeError:
        return frozenset((unit.tag, unit.type_id, unit.is_flying) for unit in units)
