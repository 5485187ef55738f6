"""Bots for StarCraft II on python-sc2: the battlefield as maps that are kept from step to step, not built anew in each.

Only attributes of a `BotAI` are read, so nothing of python-sc2 is imported: a bot of burnysc2, ares-sc2 or a recording will do. Positions
are the game's own, (x, y) with y up, cell (x, y) from x to x + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import RadialLayer
from fieldcraft.paths import Path, shortest_path
from fieldcraft.propagation import Radial
from fieldcraft.query import best
from fieldcraft.space import Grid

__all__ = ["EFFECTS", "MELEE", "Battlefield", "Effect", "Threat", "by_weapons"]

MELEE = 4.0
"""How far a melee unit is taken to reach, in cells: its next steps, not its blade."""

_BUFFER = 4.0
_WALKED_OVER = {"SUPPLYDEPOTLOWERED", "CREEPTUMOR", "CREEPTUMORQUEEN", "CREEPTUMORBURROWED", "FORCEFIELD"}
_REACH_OF_MELEE = 2.0


@dataclass(frozen=True)
class Threat:
    """The danger round one unit: a cost in each cell within a radius of it, for those on the ground and those in the air."""

    ground: float = 0.0
    ground_radius: float = 0.0
    air: float = 0.0
    air_radius: float = 0.0


@dataclass(frozen=True)
class Effect:
    """The danger of an effect on the field: a cost within a radius, against ground, air or both."""

    cost: float
    radius: float
    ground: bool = True
    air: bool = True


EFFECTS: Mapping[str, Effect] = {
    "PSISTORMPERSISTENT": Effect(600.0, 3.5),
    "RAVAGERCORROSIVEBILECP": Effect(100.0, 3.0),
    "NUKEPERSISTENT": Effect(1000.0, 8.0),
    "LURKERMP": Effect(600.0, 1.5, air=False),
    "LIBERATORTARGETMORPHPERSISTENT": Effect(500.0, 6.0, air=False),
    "LIBERATORTARGETMORPHDELAYPERSISTENT": Effect(500.0, 6.0, air=False),
    "BLINDINGCLOUDCP": Effect(300.0, 4.0, air=False),
    "KD8CHARGE": Effect(100.0, 4.0, air=False),
}
"""Dangerous effects by their name in python-sc2. Pass your own table to `Battlefield` to weigh them otherwise."""


def by_weapons(unit: Any) -> Threat:
    """The threat of a unit by its weapons: damage a second as cost, range and 4 cells as radius; 4 cells for melee units."""

    def radius(range_: float) -> float:
        return MELEE if range_ < _REACH_OF_MELEE else range_ + _BUFFER

    ground, air = float(unit.ground_dps), float(unit.air_dps)
    return Threat(ground, radius(float(unit.ground_range)) if ground > 0 else 0.0, air, radius(float(unit.air_range)) if air > 0 else 0.0)


class Battlefield:
    """A bot's maps: where units can walk and fly, and what is dangerous there, brought up to date by `update()` once a step.

    Parameters
    ----------
    bot: a `BotAI` after its first step was prepared (in `on_start` or later).
    threat: the `Threat` of an enemy unit; `by_weapons`, or a table: `lambda unit: TABLE.get(unit.type_id.name, by_weapons(unit))`.
    effects: costs of effects by name, see `EFFECTS`.

    `ground` and `air` are `Grid`s, `imap` holds the layers "ground" and "air" (`danger["ground"]`): costs per cell, without a base.
    Structures, minerals and rocks that come and go change the walls of `ground`. Raises `InvalidValue` for what is no bot.
    """

    ground: Grid
    """Where ground units walk."""
    air: Grid
    """Where air units fly: the playable area."""
    danger: dict[str, RadialLayer]
    """The layers "ground" and "air"."""

    def __init__(self, bot: Any, *, threat: Callable[[Any], Threat] = by_weapons, effects: Mapping[str, Effect] = EFFECTS) -> None:
        if not hasattr(bot, "game_info") or not hasattr(bot, "state"):
            raise InvalidValue("A battlefield is that of a bot", got=type(bot).__name__, remedy="Pass self in on_start()")
        self.bot, self._threat, self._effects = bot, threat, effects
        walkable = self._walkable()
        height, width = walkable.shape
        area = bot.game_info.playable_area
        inside = np.zeros_like(walkable)
        inside[area.y : area.y + area.height, area.x : area.x + area.width] = True
        self.ground = Grid(width, height, walls=~walkable[::-1], neighbors=8, y_up=True)
        self.air = Grid(width, height, walls=~inside[::-1], neighbors=8, y_up=True)
        self.imap = InfluenceMap(Grid(width, height, neighbors=8, y_up=True))  # danger reaches over walls
        disc = Radial(_BUFFER, "constant", metric="straight")
        self.danger = {name: self.imap.add_layer(name, disc) for name in ("ground", "air")}

    def update(self, enemies: Iterable[Any] | None = None) -> None:
        """Bring all maps up to date: walls, enemy units (those of the bot, or `enemies`: remembered ones, too), effects."""
        self._follow_walls()
        found = [(unit.tag, unit.position, self._threat(unit)) for unit in (self.bot.enemy_units if enemies is None else enemies)]
        burning: dict[Any, tuple[Any, Threat]] = {}
        for effect in self.bot.state.effects:
            name = getattr(effect.id, "name", effect.id)
            rule = self._effects.get(name)
            if rule is None or getattr(effect, "is_mine", False):
                continue
            threat = Threat(rule.cost * rule.ground, rule.radius * rule.ground, rule.cost * rule.air, rule.radius * rule.air)
            burning.update({(name, tuple(place)): (place, threat) for place in effect.positions})
        found += [(key, place, threat) for key, (place, threat) in burning.items()]
        keys = [key for key, _, _ in found]
        at = np.array([place for _, place, _ in found], dtype=np.float64).reshape(-1, 2)
        table = np.array([(each.ground, each.ground_radius, each.air, each.air_radius) for _, _, each in found], dtype=np.float64).reshape(
            -1, 4
        )
        for column, layer in ((0, self.danger["ground"]), (2, self.danger["air"])):
            acts = np.flatnonzero((table[:, column] != 0) & (table[:, column + 1] > 0))
            layer.sync(
                [keys[number] for number in acts.tolist()],
                at[acts],
                table[acts, column],
                radii=table[acts, column + 1],
                outside="clamp",
            )
        self.imap.step()

    def grid(self, kind: str = "ground") -> NDArray[np.float32]:
        """The cost of each cell as bots index it: float32 [x, y], 1 + danger, infinite on walls. A new array."""
        layer, space = self._of(kind)
        cost = 1 + layer.values
        cost[space.walls] = np.inf
        return np.asfortranarray(cost[::-1].T)

    def danger_at(self, positions: ArrayLike, kind: str = "ground") -> float | NDArray[np.float32]:
        """The danger at positions: a float for one, (N,) float32 for many; positions off the map count where the map is nearest."""
        return self._of(kind)[0].sample(positions, outside="clamp")

    def is_safe(self, positions: ArrayLike, kind: str = "ground", *, limit: float = 0.0) -> bool | NDArray[np.bool_]:
        """Whether the danger at positions is at most `limit`: a bool for one, (N,) for many."""
        found = np.asarray(self.danger_at(positions, kind)) <= limit
        return bool(found) if found.ndim == 0 else found

    def safe_spots(self, positions: ArrayLike, kind: str = "ground", *, radius: float = 11.0) -> NDArray[np.float64]:
        """The least dangerous cell within `radius` of each position, the nearest of equal ones: (N, 2), or (2,) for one position."""
        layer, space = self._of(kind)
        return np.asarray(best(-1.0 * layer.on(space), positions, radius).positions)

    def pathfind(self, start: ArrayLike, goal: ArrayLike, kind: str = "ground", *, weight: float = 1.0, smooth: bool = False) -> Path:
        """The cheapest way, each cell at 1 + `weight` times its danger; ends in walls are taken to the nearest open cell."""
        layer, space = self._of(kind)
        ends = space.position_of(
            space.nearest_open(np.atleast_1d(space.cell_at(np.array([start, goal], dtype=np.float64), outside="clamp")))
        )
        return shortest_path(space, ends[0], ends[1], cost=1 + checks.not_negative("weight", weight) * layer.on(space), smooth=smooth)

    def next_point(
        self, start: ArrayLike, goal: ArrayLike, kind: str = "ground", *, ahead: float = 3.0, weight: float = 1.0
    ) -> tuple[float, float]:
        """The point on the cheapest way that lies `ahead` cells along it: what to tell a unit to move to."""
        way = self.pathfind(start, goal, kind, weight=weight).positions
        run = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))])
        x, y = (float(np.interp(ahead, run, way[:, axis])) for axis in (0, 1))
        return x, y

    @property
    def seen(self) -> NDArray[np.bool_]:
        """The cells in sight now, a mask for `Belief.look`, `LastSeen.look` and `MemoryLayer.mark` on maps of `ground`'s shape."""
        return np.asarray(self.bot.state.visibility.data_numpy[::-1] == 2)

    @property
    def creep(self) -> NDArray[np.bool_]:
        """The cells with creep, as `seen`."""
        return np.asarray(self.bot.state.creep.data_numpy[::-1] == 1)

    def _of(self, kind: str) -> tuple[RadialLayer, Grid]:
        """The layer and the space of a kind."""
        on_ground = checks.choice("kind", kind, ("ground", "air")) == "ground"
        return self.danger[kind], self.ground if on_ground else self.air

    def _walkable(self) -> NDArray[np.bool_]:
        """Where the ground can be walked on, [y, x] with y up: the game's grid, without minerals and geysers nobody sees."""
        info = self.bot.game_info
        walkable: NDArray[np.bool_] = np.fmax(info.pathing_grid.data_numpy, info.placement_grid.data_numpy) > 0
        for units, wide, high in ((self.bot.mineral_field, 2, 1), (self.bot.vespene_geyser, 3, 3)):
            for unit in units:
                left, low = int(unit.position[0] - wide / 2), int(unit.position[1] - high / 2)
                walkable[low : low + high, left : left + wide] = False
        for structure in [*self.bot.structures, *self.bot.enemy_structures, *self.bot.destructables]:
            if not structure.is_flying and structure.type_id.name not in _WALKED_OVER:
                _stamp(walkable, structure)
        return walkable

    def _follow_walls(self) -> None:
        walls = ~self._walkable()[::-1]
        for blocked in (True, False):
            changed = np.flatnonzero((walls if blocked else ~walls) & (self.ground.walls != walls))
            if len(changed):
                self.ground.set_walls(changed, blocked)


def _stamp(walkable: NDArray[np.bool_], unit: Any) -> None:
    """Close the cells below a building, whose footprint is a square about as wide as twice its radius."""
    half = getattr(unit, "footprint_radius", None) or int(unit.radius * 2) / 2
    x, y = unit.position
    left, low, right, high = (round(part) for part in (x - half, y - half, x + half, y + half))
    walkable[max(low, 0) : max(high, 0), max(left, 0) : max(right, 0)] = False
