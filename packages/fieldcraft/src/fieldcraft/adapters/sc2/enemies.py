"""The enemies of a bot and how dangerous they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue

__all__ = [
    "BUFFER",
    "EFFECTS",
    "LAYERS",
    "MELEE",
    "UNITS",
    "Effect",
    "Enemies",
    "Feared",
    "Share",
    "Threat",
    "by_weapons",
    "fields",
]


def fields(units: Iterable[Any], *names: str) -> list[Any]:
    """Return some fields of each unit: one value, or a tuple of several.

    `names` are those of the game's own message, which units of python-sc2 keep as `_proto`: reading
    it takes a fifth of the time of a unit's attributes. Other units have attributes.
    """
    units = list(units)
    try:
        return list(map(attrgetter(*(f"_proto.{name}" for name in names)), units))
    except AttributeError:
        return list(map(attrgetter(*(_ATTRIBUTES.get(name, name) for name in names)), units))


_ATTRIBUTES = {"unit_type": "type_id", "pos.x": "position.x", "pos.y": "position.y"}


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


LAYERS = ("ground", "air", "fighters")
"""The layers of those who fear: those on the ground, those in the air, and those in the air of what
shoots from the ground alone.
"""

Row = tuple[float, float, float, float, bool]
_Seen = dict[Any, tuple[int, Any, Effect]]


class Share(NamedTuple):
    """The part that one layer fears: places in the list of all, keys, costs and radii."""

    which: NDArray[np.int64]
    keys: list[Any]
    costs: NDArray[np.float64]
    radii: NDArray[np.float64]


class Feared:
    """All that is feared in a step: `keys`, and a row for each, ground cost and radius, air cost
    and radius, and whether it flies.

    It stays the same object while none of them changes; `positions` (N, 2) are those of this step.
    """

    positions: NDArray[np.float64]

    def __init__(self, keys: list[Any], rows: list[Row]) -> None:
        self.keys, self.rows = keys, rows

    @cached_property
    def _shares(self) -> dict[str, Share]:
        table = np.array(self.rows, dtype=np.float64).reshape(-1, 5)
        grounded = table[:, 4] == 0
        return {
            name: self._share(
                table[:, first],
                table[:, first + 1],
                grounded if name == "fighters" else np.ones_like(grounded),
            )
            for name, first in zip(LAYERS, (0, 2, 2), strict=True)
        }

    def _share(
        self, costs: NDArray[np.float64], radii: NDArray[np.float64], counts: NDArray[np.bool_]
    ) -> Share:
        which = np.flatnonzero((costs != 0) & (radii > 0) & counts)
        return Share(
            which, [self.keys[number] for number in which.tolist()], costs[which], radii[which]
        )

    def by(self, layer: str) -> Share:
        """The part that a layer fears."""
        return self._shares[layer]


class Enemies:
    """The enemies of a bot, and effects. What a type of unit can do is asked once, if `threat` is a
    table by its name.

    `threat` as a function is asked for each unit in each step. `last` is what was read last.
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
        self._bot, self._effects = bot, effects
        self._threat = threat if callable(threat) else None
        self._table: Mapping[str, Threat] = threat if isinstance(threat, Mapping) else {}
        self._known: dict[Any, Row] = {}
        self._seen: _Seen = {}
        self.last = Feared([], [])
        self.last.positions = np.zeros((0, 2))

    def read(self, enemies: Iterable[Any] | None) -> Feared:
        """All that is to be feared now, of the bot's enemies or of these, and of effects."""
        if enemies is None:
            units = list(self._bot.enemy_units)
            buildings = list(self._bot.enemy_structures)
            shoots = [row[:4] != _HARMLESS for row in self._rows(buildings)]
            units += [
                building
                for building, does in zip(buildings, shoots, strict=True)
                if does and _works(building)
            ]
        else:
            units = list(enemies)
        keys, rows = fields(units, "tag"), self._rows(units)
        places = _places(units)
        for key, place, effect in self._burning():
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
            self.last = Feared(keys, rows)
        self.last.positions = np.array(places, dtype=np.float64).reshape(-1, 2)
        return self.last

    def _rows(self, units: list[Any]) -> list[Row]:
        if self._threat is not None:
            return [_row_of(self._threat(unit), unit) for unit in units]
        kinds, known = fields(units, "unit_type"), self._known
        try:
            return [known[kind] for kind in kinds]
        except KeyError:
            for kind, unit in zip(kinds, units, strict=True):
                if kind not in known:
                    threat = self._table.get(unit.type_id.name)
                    known[kind] = _row_of(by_weapons(unit) if threat is None else threat, unit)
            return [known[kind] for kind in kinds]

    def _burning(self) -> Iterable[tuple[Any, Any, Effect]]:
        """Keys, places and rules of the effects that act now."""
        effects = self._bot.state.effects
        if not effects and not self._seen:
            return []
        now = int(getattr(self._bot.state, "game_loop", 0))
        told: _Seen = {}
        for effect in effects:
            name = getattr(effect.id, "name", effect.id)
            rule = self._effects.get(name)
            if rule is not None and not getattr(effect, "is_mine", False):
                told |= {
                    (name, *place): (now, tuple(place)[:2], rule) for place in effect.positions
                }
        lasting = {
            key: seen
            for key, seen in self._seen.items()
            if key in told or now - seen[0] <= seen[2].lasts
        }
        self._seen = told | lasting
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
    return threat.ground, threat.ground_radius, threat.air, threat.air_radius, bool(unit.is_flying)


def _works(building: Any) -> bool:
    """Whether a building shoots, as far as the game says."""
    return bool(getattr(building, "is_ready", True)) and (
        building.type_id.name != "PHOTONCANNON" or bool(getattr(building, "is_powered", True))
    )
