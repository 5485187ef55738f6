"""The battlefield of a bot: spaces, danger and paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.adapters.sc2.enemies import BUFFER, EFFECTS, LAYERS, UNITS, Effect, Enemies, Threat
from fieldcraft.adapters.sc2.ground import Obstacles, Regions, climbable, dilated, regions_of
from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import RadialLayer
from fieldcraft.paths import Path, distance_map, shortest_path
from fieldcraft.propagation import Radial
from fieldcraft.query import best
from fieldcraft.space import Grid

__all__ = ["KINDS", "Battlefield", "Journey"]

KINDS = ("ground", "air", "climber", "large", "rocks", "fighters")
"""Kinds of movement: on the ground, in the air, over cliffs (reapers, colossi), of large units
(thors, ultralisks), on the ground as if all rocks had fallen, and in the air for fighters that are
in danger only from ground units.
"""

_LARGE = 1.0
_MOST_COSTS = 15
_WORMS = {"NYDUSNETWORK", "NYDUSCANAL"}


@dataclass(frozen=True)
class Journey:
    """A path on foot, or two `paths` with the `worms` between them, entrance and exit."""

    paths: tuple[Path, ...]
    worms: tuple[Any, ...] = ()

    @property
    def cost(self) -> float:
        """The cost of all paths without the toll."""
        return float(sum(leg.cost for leg in self.paths))


class Battlefield:
    """Maps of a bot: where units can walk and fly, and the danger there. `update()` is called once
    a step.

    `space(kind)` is the `Grid` of a kind of movement, see `KINDS`. Its walls follow structures,
    minerals and rocks.

    Parameters
    ----------
    bot : object
        A `BotAI` after its first step was prepared (in `on_start` or later).
    threat : mapping of str to Threat, or callable, optional
        Threats by the name of a type, see `UNITS`; other types have the threat of their weapons,
        which is read once. Or a function of a unit that returns its `Threat`, called for each unit
        in each step: it may depend on health, buffs and energy.
    effects : mapping of str to Effect, optional
        Effects by name, see `EFFECTS`.
    large : float, optional
        Radius of large units, in cells.

    Attributes
    ----------
    ground, air : Grid
        The maps of ground units and of air units; the latter is the playable area.
    danger : dict of str to RadialLayer
        The layers of danger "ground" and "air", and "fighters" once that kind is used: costs per
        cell without a base. All other kinds use "ground".
    imap : InfluenceMap
        The map of these layers.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value or type.

    Examples
    --------
    In a bot of python-sc2, with cover from danger for wounded units:

    >>> class Bot(BotAI):  # doctest: +SKIP
    ...     async def on_start(self):
    ...         self.field = Battlefield(self)
    ...     async def on_step(self, iteration):
    ...         self.field.update()
    ...         for unit in self.units.filter(lambda unit: unit.health_percentage < 0.3):
    ...             unit.move(Point2(self.field.safe_spots(unit.position)))
    """

    def __init__(
        self,
        bot: Any,
        *,
        threat: Mapping[str, Threat] | Callable[[Any], Threat] = UNITS,
        effects: Mapping[str, Effect] = EFFECTS,
        large: float = _LARGE,
    ) -> None:
        if not hasattr(bot, "game_info") or not hasattr(bot, "state"):
            raise InvalidValue(
                "A battlefield takes a bot",
                got=type(bot).__name__,
                remedy="Pass self in on_start()",
            )
        self.bot = bot
        self._enemies = Enemies(bot, threat, effects)
        self._large = checks.positive("large", large)
        self._obstacles = Obstacles(bot)
        height, width = self._obstacles.blocked.shape
        self._spaces: dict[str, Grid] = {}
        self._safety: dict[str, Any] = {}
        self._costs: dict[tuple[str, float], Any] = {}
        self.ground, self.air = self.space("ground"), self.space("air")
        self.imap = InfluenceMap(
            Grid(width, height, neighbors=8, y_up=True)
        )  # danger reaches over walls
        self.danger: dict[str, RadialLayer] = {}
        for name in ("ground", "air"):
            self._danger_layer(name)

    def update(self, enemies: Iterable[Any] | None = None) -> None:
        """Update walls, effects and enemies: the bot's enemy units and finished buildings, or the
        given `enemies`, which may include remembered ones.
        """
        if self._obstacles.follow():
            self._follow_walls()
        self._enemies.read(enemies)
        for name, layer in self.danger.items():
            self._fill(name, layer)
        self.imap.step()

    def _danger_layer(self, name: str) -> RadialLayer:
        """Return a layer of danger, created on first use with the threats of now."""
        if name not in self.danger:
            layer = self.imap.add_layer(name, Radial(BUFFER, "constant", metric="straight"))
            self._fill(name, layer)
            layer.settle()
            self.danger[name] = layer
        return self.danger[name]

    def _fill(self, name: str, layer: RadialLayer) -> None:
        threats = self._enemies.last
        which, keys, costs, radii = threats.by_layer[name]
        layer.sync(keys, threats.positions[which], costs, radii=radii, outside="clamp")

    def space(self, kind: str = "ground") -> Grid:
        """Return the map of a kind of movement; its walls follow the game."""
        if checks.choice("kind", kind, KINDS) not in self._spaces:
            blocked = self._blocked(kind)
            height, width = blocked.shape
            self._spaces[kind] = Grid(width, height, walls=blocked[::-1], neighbors=8, y_up=True)
        return self._spaces[kind]

    @cached_property
    def regions(self) -> Regions:
        """The wide places of the ground at the beginning of the game, and the chokes between
        them; computed on first use.
        """
        blocked = self._obstacles.natural
        height, width = blocked.shape
        return regions_of(Grid(width, height, walls=blocked[::-1], neighbors=8, y_up=True))

    def grid(self, kind: str = "ground") -> NDArray[np.float32]:
        """Return the cost of each cell, 1 + danger, as a new array: float32 [x, y], infinite on
        walls.
        """
        layer, space = self._of(kind)
        cost = 1 + layer.values
        cost[space.walls] = np.inf
        return np.asfortranarray(cost[::-1].T)

    def danger_at(self, positions: ArrayLike, kind: str = "ground") -> float | NDArray[np.float32]:
        """Return the danger at positions: a float for one, (N,) float32 for many. Positions off the
        map count as at its border.
        """
        return self._of(kind)[0].sample(positions, outside="clamp")

    def is_safe(
        self, positions: ArrayLike, kind: str = "ground", *, limit: float = 0.0
    ) -> bool | NDArray[np.bool_]:
        """Return whether the danger at positions is at most `limit`: a bool, or (N,) for many."""
        found = np.asarray(self.danger_at(positions, kind)) <= limit
        return bool(found) if found.ndim == 0 else found

    def safe_spots(
        self, positions: ArrayLike, kind: str = "ground", *, radius: float = 11.0
    ) -> NDArray[np.float64]:
        """Return the least dangerous cell within `radius` of each position, the nearest of equal
        ones: (N, 2), or (2,) for one position.
        """
        layer, space = self._of(kind)
        if kind not in self._safety:
            self._safety[kind] = -1.0 * layer.on(space)
        return np.asarray(best(self._safety[kind], positions, radius).positions)

    def pathfind(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        kind: str = "ground",
        *,
        weight: float = 1.0,
        smooth: bool = False,
    ) -> Path:
        """Return the cheapest path; a cell costs 1 + `weight` times its danger. Ends in walls are
        moved to the nearest open cell.
        """
        return self._path(self.space(kind), start, goal, self._cost(kind, weight), smooth)

    def _cost(self, kind: str, weight: float) -> Any:
        """Return the cost of cells as an expression, cached."""
        key = kind, checks.not_negative("weight", weight)
        if key not in self._costs:
            layer, space = self._of(kind)
            self._costs = dict(list(self._costs.items())[-_MOST_COSTS:])
            self._costs[key] = 1 + key[1] * layer.on(space)
        return self._costs[key]

    def journey(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        kind: str = "ground",
        *,
        weight: float = 1.0,
        toll: float = 10.0,
        worms: Iterable[Any] | None = None,
    ) -> Journey:
        """Return the cheapest path on foot or through a nydus worm, which costs a `toll`.

        `worms` are open networks and canals; if absent, those of the bot that are ready.
        """
        space, cost = self.space(kind), self._cost(kind, weight)
        toll = checks.not_negative("toll", toll)
        if worms is None:
            worms = [
                unit
                for unit in self.bot.structures
                if unit.type_id.name in _WORMS and unit.is_ready
            ]
        open_ = list(worms)
        walk = self._path(space, start, goal, cost)
        if len(open_) < 2:
            return Journey((walk,))
        there = [self._path(space, start, worm.position, cost) for worm in open_]
        on = [self._path(space, worm.position, goal, cost) for worm in open_]
        pairs = [
            (a, b)
            for a in range(len(open_))
            for b in range(len(open_))
            if a != b and there[a] and on[b]
        ]
        best_pair = min(
            pairs, key=lambda pair: there[pair[0]].cost + on[pair[1]].cost, default=None
        )
        if best_pair is None or (
            walk and walk.cost <= there[best_pair[0]].cost + on[best_pair[1]].cost + toll
        ):
            return Journey((walk,))
        a, b = best_pair
        return Journey((there[a], on[b]), (open_[a], open_[b]))

    @staticmethod
    def _path(
        space: Grid, start: ArrayLike, goal: ArrayLike, cost: Any, smooth: bool = False
    ) -> Path:
        ends = Battlefield._on_open(
            space, np.concatenate([checks.positions(end)[0] for end in (start, goal)])
        )
        return shortest_path(space, ends[0], ends[1], cost=cost, smooth=smooth)

    def next_points(
        self,
        positions: ArrayLike,
        goal: ArrayLike,
        kind: str = "ground",
        *,
        ahead: int = 3,
        weight: float = 1.0,
    ) -> NDArray[np.float64]:
        """Return the points `ahead` cells along the cheapest paths of many units to one goal,
        (N, 2), by one search.

        Units without a path stay in the center of their cell, or of the nearest open one.
        """
        space = self.space(kind)
        steps = checks.integer("ahead", ahead, minimum=1)
        distances = distance_map(space, self._on_open(space, goal), cost=self._cost(kind, weight))
        at = self._on_open(space, checks.positions(positions)[0])
        for _ in range(steps):
            at = distances.step(at).positions
        return at

    @staticmethod
    def _on_open(space: Grid, positions: ArrayLike) -> NDArray[np.float64]:
        """Return the centers of the nearest open cells."""
        return space.position_of(
            space.nearest_open(np.atleast_1d(space.cell_at(positions, outside="clamp")))
        )

    def firing_positions(
        self,
        positions: ArrayLike,
        targets: ArrayLike,
        reach: float,
        kind: str = "ground",
        *,
        radius: float = 4.0,
    ) -> NDArray[np.float64]:
        """Return the least dangerous cell within `radius` of each unit from which its target is
        within `reach`, the nearest of equal ones, (N, 2).

        A unit without such a cell goes to the one nearest to its target. Called in each step,
        ranged units keep their distance while they fire (kiting). `targets` is one position, or one
        per unit.
        """
        layer, space = self._of(kind)
        at = checks.positions(positions)[0]
        targets_at = np.broadcast_to(checks.positions(targets)[0], at.shape)
        size = int(checks.positive("radius", radius))
        dy, dx = np.mgrid[-size : size + 1, -size : size + 1].reshape(2, -1)
        order = np.argsort(dx**2 + dy**2, kind="stable")
        order = order[(dx**2 + dy**2)[order] <= radius**2]
        cells = np.floor(at)[:, None] + np.stack([dx, dy], axis=1)[order]
        inside = (cells >= 0).all(axis=2) & (cells < (space.width, space.height)).all(axis=2)
        ids = np.asarray(
            space.cell_at(
                np.clip(cells + 0.5, 0.5, (space.width - 0.5, space.height - 0.5)).reshape(-1, 2)
            )
        ).reshape(inside.shape)
        usable = inside & ~space.walls.reshape(-1)[ids]
        away = np.hypot(*np.moveaxis(cells + 0.5 - targets_at[:, None], 2, 0))
        danger = np.where(
            usable & (away <= checks.positive("reach", reach)),
            layer.values.reshape(-1)[ids],
            np.inf,
        )
        nearer = np.where(usable, away, np.inf)
        best_ = np.where(
            np.isfinite(danger.min(axis=1)), danger.argmin(axis=1), nearer.argmin(axis=1)
        )
        return space.position_of(ids[np.arange(len(at)), best_])

    @property
    def seen(self) -> NDArray[np.bool_]:
        """The cells in sight now, bool in the shape of `ground`, for `Belief.observe`,
        `LastSeen.observe` and `MemoryLayer.mark`.
        """
        return np.asarray(self.bot.state.visibility.data_numpy[::-1] == 2)

    @property
    def creep(self) -> NDArray[np.bool_]:
        """The cells with creep, as `seen`."""
        return np.asarray(self.bot.state.creep.data_numpy[::-1] == 1)

    def _of(self, kind: str) -> tuple[RadialLayer, Grid]:
        """Return the layer and the space of a kind."""
        space = self.space(kind)
        return self._danger_layer(kind if kind in LAYERS else "ground"), space

    @cached_property
    def _cliffs(self) -> NDArray[np.bool_]:
        return climbable(self._obstacles.natural, self.bot.game_info.terrain_height.data_numpy)

    def _blocked(self, kind: str) -> NDArray[np.bool_]:
        """Return the cells where a kind cannot move, [y, x] with y up."""
        if kind in ("air", "fighters"):
            area = self.bot.game_info.playable_area
            outside = np.ones_like(self._obstacles.natural)
            outside[area.y : area.y + area.height, area.x : area.x + area.width] = False
            return outside
        if kind == "climber":
            return self._obstacles.blocked & ~(self._cliffs & ~self._obstacles.occupied)
        if kind == "large":
            return dilated(self._obstacles.blocked, self._large)
        return self._obstacles.without_rocks if kind == "rocks" else self._obstacles.blocked

    def _follow_walls(self) -> None:
        for kind, space in self._spaces.items():
            if kind in ("air", "fighters"):
                continue
            walls = self._blocked(kind)[::-1]
            for blocked in (True, False):
                changed = np.flatnonzero((walls if blocked else ~walls) & (space.walls != walls))
                if len(changed):
                    space.set_walls(changed, blocked)
