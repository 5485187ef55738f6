"""Dangers of units and effects: costs within a radius, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["BUFFER", "EFFECTS", "MELEE", "UNITS", "Effect", "Threat", "by_weapons"]

MELEE = 4.0
"""How far a melee unit is taken to reach, in cells: its next steps, not its blade."""

BUFFER = 4.0
"""Cells by which a weapon is feared farther than it reaches."""

_REACH_OF_MELEE = 2.0


@dataclass(frozen=True)
class Threat:
    """The danger round one unit: a cost in each cell within a radius of it, for those on the ground
    and those in the air.
    """

    ground: float = 0.0
    ground_radius: float = 0.0
    air: float = 0.0
    air_radius: float = 0.0


@dataclass(frozen=True)
class Effect:
    """The danger of an effect on the field: a cost within a radius, against ground, air or both.

    It counts from `begins` on, and for `lasts` at least even if the game tells no more of it: both
    in frames since it was first seen, of which a second has 22.4.
    """

    cost: float
    radius: float
    ground: bool = True
    air: bool = True
    begins: int = 0
    lasts: int = 0


EFFECTS: Mapping[str, Effect] = {
    "PSISTORMPERSISTENT": Effect(600.0, 3.5),
    "RAVAGERCORROSIVEBILECP": Effect(
        100.0, 3.0, begins=16, lasts=50
    ),  # the game tells no more of it just before it lands
    "NUKEPERSISTENT": Effect(1000.0, 8.0, begins=250, lasts=320),
    "LURKERMP": Effect(600.0, 1.5, air=False),
    "LIBERATORTARGETMORPHPERSISTENT": Effect(500.0, 6.0, air=False),
    "LIBERATORTARGETMORPHDELAYPERSISTENT": Effect(500.0, 6.0, air=False),
    "BLINDINGCLOUDCP": Effect(300.0, 4.0, air=False),
    "KD8CHARGE": Effect(100.0, 4.0, air=False),
}
"""Dangerous effects by their name in python-sc2. Pass your own table to `Battlefield` to weigh them
otherwise.
"""


UNITS: Mapping[str, Threat] = {
    "BATTLECRUISER": Threat(50.0, 10.0, 31.2, 10.0),
    "BANELING": Threat(20.0, 4.0),
    "BUNKER": Threat(39.3, 10.0, 39.3, 10.0),  # four marines, who reach a cell farther
    "CARRIER": Threat(37.4, 12.0, 37.4, 12.0),
    "DISRUPTORPHASED": Threat(1000.0, 5.5),
    "INFESTOR": Threat(10.5, 14.0, 10.5, 14.0),
    "ORACLE": Threat(24.4, 8.0),
    "SENTRY": Threat(8.4, 9.0, 8.4, 9.0),
    "VOIDRAY": Threat(16.8, 10.0, 16.8, 10.0),
    "WIDOWMINEBURROWED": Threat(150.0, 9.0, 150.0, 9.0),
}
"""Threats of those of whose weapons the game says nothing, by their name in python-sc2. Radii have
the 4 cells of `BUFFER` in them, but for those who blow themselves up. Pass `UNITS | {...}` to
`Battlefield` to fear some otherwise: all others are feared `by_weapons`.
"""


def by_weapons(unit: Any) -> Threat:
    """The threat of a unit by its weapons: damage a second as cost, range and 4 cells as radius; 4
    cells for melee units.
    """

    def radius(range_: float) -> float:
        return MELEE if range_ < _REACH_OF_MELEE else range_ + BUFFER

    ground, air = float(unit.ground_dps), float(unit.air_dps)
    return Threat(
        ground,
        radius(float(unit.ground_range)) if ground > 0 else 0.0,
        air,
        radius(float(unit.air_range)) if air > 0 else 0.0,
    )
