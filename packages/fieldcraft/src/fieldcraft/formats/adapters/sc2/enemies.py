"""Threats of the enemies of a bot and of effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue

__all__ = [
    "BUFFER",
    "EFFECTS",
    "LAYERS",
    "MELEE",
    "UNITS",
    "Effect",
    "Enemies",
    "LayerThreats",
    "Threat",
    "Threats",
    "by_weapons",
    "fields",
]


# Names of a message's fields, and of the attributes that other units have in their place.
_ATTRIBUTES = {"unit_type": "type_id", "pos.x": "position.x", "pos.y": "position.y"}


def fields(units: Iterable[Any], *names: str) -> list[Any]:
    """Return some fields of each unit: one value, or a tuple of several.

    `names` are those of the game's message, the `_proto` of units of python-sc2: reading it takes a
    fifth of the time of reading attributes. Other units have attributes.
    """
    units = list(units)
    of_message = attrgetter(*[f"_proto.{name}" for name in names])
    try:
        return list(map(of_message, units))
    except AttributeError:
        of_unit = attrgetter(*[_ATTRIBUTES.get(name, name) for name in names])
        return list(map(of_unit, units))


MELEE = 4.0
"""Radius of the danger of melee units, in cells; it includes their next steps."""

BUFFER = 4.0
"""Cells added to the range of a weapon."""

_REACH_OF_MELEE = 2.0


@dataclass(frozen=True)
class Threat:
    """The danger around a unit: a cost for ground and for air units within radii, in cells."""

    ground: float = 0.0
    ground_radius: float = 0.0
    air: float = 0.0
    air_radius: float = 0.0


@dataclass(frozen=True)
class Effect:
    """The danger of an effect: a cost within a radius, for ground units, air units or both.

    It counts from `begins` to at least `lasts`, even if the game no longer lists it: frames since
    it was first seen, 22.4 per second.
    """

    cost: float
    radius: float
    ground: bool = True
    air: bool = True
    begins: int = 0
    lasts: int = 0


EFFECTS: Mapping[str, Effect] = {
    "PSISTORMPERSISTENT": Effect(600.0, 3.5),
    # The game does not list it just before it lands.
    "RAVAGERCORROSIVEBILECP": Effect(100.0, 3.0, begins=16, lasts=50),
    "NUKEPERSISTENT": Effect(1000.0, 8.0, begins=250, lasts=320),
    "LURKERMP": Effect(600.0, 1.5, air=False),
    "LIBERATORTARGETMORPHPERSISTENT": Effect(500.0, 6.0, air=False),
    "LIBERATORTARGETMORPHDELAYPERSISTENT": Effect(500.0, 6.0, air=False),
    "BLINDINGCLOUDCP": Effect(300.0, 4.0, air=False),
    "KD8CHARGE": Effect(100.0, 4.0, air=False),
}
"""Dangerous effects by their name in python-sc2; `Battlefield` takes another table."""


UNITS: Mapping[str, Threat] = {
    "BATTLECRUISER": Threat(50.0, 10.0, 31.2, 10.0),
    "BANELING": Threat(20.0, 4.0),
    "BUNKER": Threat(39.3, 10.0, 39.3, 10.0),  # four marines with one more cell of range
    "CARRIER": Threat(37.4, 12.0, 37.4, 12.0),
    "DISRUPTORPHASED": Threat(1000.0, 5.5),
    "INFESTOR": Threat(10.5, 14.0, 10.5, 14.0),
    "ORACLE": Threat(24.4, 8.0),
    "SENTRY": Threat(8.4, 9.0, 8.4, 9.0),
    "VOIDRAY": Threat(16.8, 10.0, 16.8, 10.0),
    "WIDOWMINEBURROWED": Threat(150.0, 9.0, 150.0, 9.0),
}
"""Threats of units without weapons in the game's data, by their name in python-sc2. Radii include
`BUFFER`, except for units that explode. Pass `UNITS | {...}` to `Battlefield` to change some; all
others have the threat of `by_weapons`.
"""


def by_weapons(unit: Any) -> Threat:
    """Return the threat of a unit by its weapons: damage per second as cost, range plus `BUFFER` as
    radius; `MELEE` for melee units.
    """
    ground = float(unit.ground_dps)
    air = float(unit.air_dps)
    return Threat(ground, _radius(ground, unit.ground_range), air, _radius(air, unit.air_range))


def _radius(damage: float, range_: float) -> float:
    """Return the radius of the danger of a weapon; 0 for a unit without one."""
    if damage <= 0:
        return 0.0
    if range_ < _REACH_OF_MELEE:
        return MELEE
    return float(range_) + BUFFER


LAYERS = ("ground", "air", "fighters")
"""The layers of danger: for ground units, for air units, and for air units of which only ground
units count.
"""

Row = tuple[float, float, float, float, bool]
"""A threat: ground cost and radius, air cost and radius, and whether its unit flies."""
_Seen = dict[Any, tuple[int, Any, Effect]]
"""Effects by name and position: the frame in which they were first seen, position and rule."""


class LayerThreats(NamedTuple):
    """The threats of one layer: their numbers in the list of all, keys, costs and radii."""

    which: NDArray[np.int64]
    keys: list[Any]
    costs: NDArray[np.float64]
    radii: NDArray[np.float64]


class Threats:
    """All threats of a step: `keys`, and a row for each, ground cost and radius, air cost and
    radius, and whether it flies.

    The object stays the same while none of them changes; `positions` (N, 2) are those of this step.
    """

    def __init__(self, keys: list[Any], rows: list[Row]) -> None:
        self.keys = keys
        self.rows = rows
        self.positions = np.zeros((0, 2))

    @cached_property
    def by_layer(self) -> dict[str, LayerThreats]:
        """The threats of each layer."""
        table = np.array(self.rows, dtype=np.float64).reshape(-1, 5)
        ground_cost, ground_radius, air_cost, air_radius, flies = table.T
        grounded = flies == 0
        every = np.ones_like(grounded)
        return {
            "ground": self._of_layer(ground_cost, ground_radius, every),
            "air": self._of_layer(air_cost, air_radius, every),
            "fighters": self._of_layer(air_cost, air_radius, grounded),
        }

    def _of_layer(
        self, costs: NDArray[np.float64], radii: NDArray[np.float64], counts: NDArray[np.bool_]
    ) -> LayerThreats:
        """Return the threats that count and have a cost and a radius."""
        which = np.flatnonzero((costs != 0) & (radii > 0) & counts)
        keys = [self.keys[number] for number in which.tolist()]
        return LayerThreats(which, keys, costs[which], radii[which])


class Enemies:
    """The threats of the enemies of a bot and of effects.

    With `threat` a table, the threat of each type is read once; a function is called for each unit
    in each step. `last` are the threats that were read last.
    """

    def __init__(
        self,
        bot: Any,
        threat: Mapping[str, Threat] | Callable[[Any], Threat],
        effects: Mapping[str, Effect],
    ) -> None:
        if not callable(threat) and not isinstance(threat, Mapping):
            raise InvalidValue(
                "threat is a table by name, or a function",
                got=repr(threat),
                remedy='Pass UNITS | {"MARINE": ...}',
            )
        self._bot = bot
        self._effects = effects
        self._threat: Callable[[Any], Threat] | None = None
        self._table: Mapping[str, Threat] = {}
        if callable(threat):
            self._threat = threat
        else:
            self._table = threat
        self._rows_by_kind: dict[Any, Row] = {}
        self._seen: _Seen = {}
        self.last = Threats([], [])

    def read(self, enemies: Iterable[Any] | None) -> Threats:
        """Return the threats now, of the bot's enemies or the given ones, and of effects."""
        if enemies is None:
            units = list(self._bot.enemy_units)
            buildings = list(self._bot.enemy_structures)
            shoots = [row[:4] != _HARMLESS for row in self._rows(buildings)]
            units += [
                building
                for building, does in zip(buildings, shoots, strict=True)
                if does and _is_working(building)
            ]
        else:
            units = list(enemies)
        keys = fields(units, "tag")
        rows = self._rows(units)
        places = _places(units)
        for key, place, effect in self._acting():
            keys.append(key)
            places.append(place)
            rows.append(
                (
                    effect.cost * effect.ground,
                    effect.radius,
                    effect.cost * effect.air,
                    effect.radius,
                    False,
                )
            )
        if keys != self.last.keys or rows != self.last.rows:
            self.last = Threats(keys, rows)
        self.last.positions = np.array(places, dtype=np.float64).reshape(-1, 2)
        return self.last

    def _rows(self, units: list[Any]) -> list[Row]:
        """Return the threats of units."""
        if self._threat is not None:
            return [_row_of(self._threat(unit), unit) for unit in units]
        kinds = fields(units, "unit_type")
        rows = self._rows_by_kind
        try:
            return [rows[kind] for kind in kinds]
        except KeyError:
            for kind, unit in zip(kinds, units, strict=True):
                if kind not in rows:
                    threat = self._table.get(unit.type_id.name)
                    rows[kind] = _row_of(by_weapons(unit) if threat is None else threat, unit)
            return [rows[kind] for kind in kinds]

    def _acting(self) -> Iterable[tuple[Any, Any, Effect]]:
        """Return keys, positions and rules of the effects that act now."""
        effects = self._bot.state.effects
        if not effects and not self._seen:
            return []
        now = int(getattr(self._bot.state, "game_loop", 0))
        listed: _Seen = {}
        for effect in effects:
            name = getattr(effect.id, "name", effect.id)
            rule = self._effects.get(name)
            if rule is not None and not getattr(effect, "is_mine", False):
                listed |= {
                    (name, *place): (now, tuple(place)[:2], rule) for place in effect.positions
                }
        lasting = {
            key: seen
            for key, seen in self._seen.items()
            if key in listed or now - seen[0] <= seen[2].lasts
        }
        self._seen = listed | lasting
        return [
            (key, place, rule)
            for key, (first, place, rule) in self._seen.items()
            if now - first >= rule.begins
        ]


_HARMLESS = (0.0, 0.0, 0.0, 0.0)


def _places(units: list[Any]) -> list[Any]:
    """Return the positions of units, which may be plain pairs."""
    try:
        return fields(units, "pos.x", "pos.y")
    except AttributeError:
        return [tuple(unit.position)[:2] for unit in units]


def _row_of(threat: Threat, unit: Any) -> Row:
    """Return the threat of a unit as a row."""
    return threat.ground, threat.ground_radius, threat.air, threat.air_radius, bool(unit.is_flying)


def _is_working(building: Any) -> bool:
    """Return whether a building is finished and powered."""
    return bool(getattr(building, "is_ready", True)) and (
        building.type_id.name != "PHOTONCANNON" or bool(getattr(building, "is_powered", True))
    )
