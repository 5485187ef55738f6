"""The battlefield of a bot: spaces, dangers, ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.adapters.sc2.enemies import BUFFER, EFFECTS, LAYERS, UNITS, Effect, Enemies, Threat
from fieldcraft.adapters.sc2.ground import Standing, climbable, dilated
from fieldcraft.adapters.sc2.regions import Regions, regions_of
from fieldcraft.errors import InvalidValue
from fieldcraft.influence_map import InfluenceMap
from fieldcraft.layer import RadialLayer
from fieldcraft.paths import Path, distance_map, shortest_path
from fieldcraft.propagation import Radial
from fieldcraft.query import best
from fieldcraft.space import Grid

__all__ = ["KINDS", "Battlefield", "Journey"]

KINDS = ("ground", "air", "climber", "large", "rocks", "fighters")
"""The kinds of movement: on the ground, in the air, over cliffs (reapers, colossi), for large units
(thors, ultralisks), on the ground as if all rocks had fallen, and in the air for those who fight in
the air and fear only what shoots from the ground.
"""

_LARGE = 1.0
_MOST_COSTS = 15
_WORMS = {"NYDUSNETWORK", "NYDUSCANAL"}


@dataclass(frozen=True)
class Journey:
    """A way that may lead through a nydus worm: `legs`, one path on foot or two, and the `worms`
    between them, entrance and exit.
    """

    legs: tuple[Path, ...]
    worms: tuple[Any, ...] = ()

    @property
    def cost(self) -> float:
        """The cost of all legs, without the toll."""
        return float(sum(leg.cost for leg in self.legs))


class Battlefield:
    """A bot's maps: where units can walk and fly, and what is dangerous there, brought up to date
    by `update()` once a step.

    `space(kind)` is the `Grid` of a kind of movement, see `KINDS`, made when it is first asked for
    and then kept up to date: structures, minerals and rocks that come and go change its walls.
    `ground` and `air` are two of them. `imap` holds the layers "ground" and "air"
    (`danger["ground"]`), and "fighters" once somebody asks for that kind: costs per cell, without a
    base; all other kinds read "ground". Raises `InvalidValue` for what is no bot.

    Parameters
    ----------
    bot : object
        A `BotAI` after its first step was prepared (in `on_start` or later).
    threat : Mapping[str, Threat] or Callable[[Any], Threat], optional
        A table of `Threat`s by the name of a type, see `UNITS`; types that are not in it are feared
        `by_weapons`, and asked once. Or a function of a unit, which is asked for each in each step:
        what it answers may depend on health, buffs, energy.
    effects : Mapping[str, Effect], optional
        Costs of effects by name, see `EFFECTS`.
    large : float, optional
        The radius of large units, in cells.
    """

    ground: Grid
    """Where ground units walk."""
    air: Grid
    """Where air units fly: the playable area."""
    danger: dict[str, RadialLayer]
    """The layers "ground" and "air", and "fighters" once it is asked for."""

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
                "A battlefield is that of a bot",
                got=type(bot).__name__,
                remedy="Pass self in on_start()",
            )
        self.bot = bot
        self._enemies = Enemies(bot, threat, effects)
        self._large = checks.positive("large", large)
        self._standing = Standing(bot)
        height, width = self._standing.blocked.shape
        self._spaces: dict[str, Grid] = {}
        self._safety: dict[str, Any] = {}
        self._costs: dict[tuple[str, float], Any] = {}
        self.ground, self.air = self.space("ground"), self.space("air")
        self.imap = InfluenceMap(
            Grid(width, height, neighbors=8, y_up=True)
        )  # danger reaches over walls
        self.danger = {}
        for name in ("ground", "air"):
            self._fear(name)

    def update(self, enemies: Iterable[Any] | None = None) -> None:
        """Bring all maps up to date: walls, effects, enemies (units and finished buildings; or
        these `enemies`, remembered ones, too).
        """
        if self._standing.follow():
            self._follow_walls()
        self._enemies.read(enemies)
        for name, layer in self.danger.items():
            self._fill(name, layer)
        self.imap.step()

    def _fear(self, name: str) -> RadialLayer:
        """The layer of those who fear alike, made when it is first asked for; what is dangerous now
        stands in it at once.
        """
        if name not in self.danger:
            layer = self.imap.add_layer(name, Radial(BUFFER, "constant", metric="straight"))
            self._fill(name, layer)
            layer.settle()
            self.danger[name] = layer
        return self.danger[name]

    def _fill(self, name: str, layer: RadialLayer) -> None:
        feared = self._enemies.last
        which, keys, costs, radii = feared.by(name)
        layer.sync(keys, feared.positions[which], costs, radii=radii, outside="clamp")

    def space(self, kind: str = "ground") -> Grid:
        """The map on which a kind of unit moves; its walls follow the game."""
        if checks.choice("kind", kind, KINDS) not in self._spaces:
            blocked = self._blocked(kind)
            height, width = blocked.shape
            self._spaces[kind] = Grid(width, height, walls=blocked[::-1], neighbors=8, y_up=True)
        return self._spaces[kind]

    @cached_property
    def regions(self) -> Regions:
        """The wide places of the ground as it was at first, and the chokes between them; worked out
        when they are first asked for.
        """
        blocked = self._standing.natural
        height, width = blocked.shape
        return regions_of(Grid(width, height, walls=blocked[::-1], neighbors=8, y_up=True))

    def grid(self, kind: str = "ground") -> NDArray[np.float32]:
        """The cost of each cell as bots index it: float32 [x, y], 1 + danger, infinite on walls. A
        new array.
        """
        layer, space = self._of(kind)
        cost = 1 + layer.values
        cost[space.walls] = np.inf
        return np.asfortranarray(cost[::-1].T)

    def danger_at(self, positions: ArrayLike, kind: str = "ground") -> float | NDArray[np.float32]:
        """The danger at positions: a float for one, (N,) float32 for many; positions off the map
        count where the map is nearest.
        """
        return self._of(kind)[0].sample(positions, outside="clamp")

    def is_safe(
        self, positions: ArrayLike, kind: str = "ground", *, limit: float = 0.0
    ) -> bool | NDArray[np.bool_]:
        """Whether the danger at positions is at most `limit`: a bool for one, (N,) for many."""
        found = np.asarray(self.danger_at(positions, kind)) <= limit
        return bool(found) if found.ndim == 0 else found

    def safe_spots(
        self, positions: ArrayLike, kind: str = "ground", *, radius: float = 11.0
    ) -> NDArray[np.float64]:
        """The least dangerous cell within `radius` of each position, the nearest of equal ones: (N,
        2), or (2,) for one position.
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
        """The cheapest way, each cell at 1 + `weight` times its danger; ends in walls are taken to
        the nearest open cell.
        """
        return self._way(self.space(kind), start, goal, self._cost(kind, weight), smooth)

    def _cost(self, kind: str, weight: float) -> Any:
        """The cost of ways, worked out once a step for all who ask."""
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
        """The cheapest way on foot or through a nydus worm, whichever is cheaper when going through
        one costs a `toll`.

        `worms` are networks and canals that are open, those of the bot that are ready if none are
        given. Each leg is exact, as `pathfind`.
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
        on_foot = self._way(space, start, goal, cost)
        if len(open_) < 2:
            return Journey((on_foot,))
        there = [self._way(space, start, worm.position, cost) for worm in open_]
        on = [self._way(space, worm.position, goal, cost) for worm in open_]
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
            on_foot and on_foot.cost <= there[best_pair[0]].cost + on[best_pair[1]].cost + toll
        ):
            return Journey((on_foot,))
        a, b = best_pair
        return Journey((there[a], on[b]), (open_[a], open_[b]))

    @staticmethod
    def _way(
        space: Grid, start: ArrayLike, goal: ArrayLike, cost: Any, smooth: bool = False
    ) -> Path:
        ends = Battlefield._on_open(
            space, np.concatenate([checks.positions(end)[0] for end in (start, goal)])
        )
        return shortest_path(space, ends[0], ends[1], cost=cost, smooth=smooth)

    def next_point(
        self,
        start: ArrayLike,
        goal: ArrayLike,
        kind: str = "ground",
        *,
        ahead: float = 3.0,
        weight: float = 1.0,
    ) -> tuple[float, float]:
        """The point on the cheapest way that lies `ahead` cells along it: what to tell a unit to
        move to.
        """
        x, y = self.pathfind(start, goal, kind, weight=weight).at(ahead).tolist()
        return x, y

    def next_points(
        self,
        positions: ArrayLike,
        goal: ArrayLike,
        kind: str = "ground",
        *,
        ahead: int = 3,
        weight: float = 1.0,
    ) -> NDArray[np.float64]:
        """The points `ahead` cells along the cheapest ways of many units to one goal, (N, 2): one
        search for all of them.

        Units from which no way leads there stay in the middle of their cell, or of the nearest open
        one.
        """
        space = self.space(kind)
        steps = checks.integer("ahead", ahead, minimum=1)
        ways = distance_map(space, self._on_open(space, goal), cost=self._cost(kind, weight))
        at = self._on_open(space, checks.positions(positions)[0])
        for _ in range(steps):
            at = ways.step(at).positions
        return at

    @staticmethod
    def _on_open(space: Grid, positions: ArrayLike) -> NDArray[np.float64]:
        """The middles of the nearest open cells."""
        return space.position_of(
            space.nearest_open(np.atleast_1d(space.cell_at(positions, outside="clamp")))
        )

    def stands(
        self,
        positions: ArrayLike,
        targets: ArrayLike,
        reach: float,
        kind: str = "ground",
        *,
        radius: float = 4.0,
    ) -> NDArray[np.float64]:
        """Where to shoot from: for each unit the least dangerous cell within `radius` from which
        its target is within `reach`, (N, 2).

        Of equal ones the nearest to the unit. A unit that finds none goes where it comes nearest to
        its target: call it in each step, and ranged units keep their distance from whatever
        threatens them as they fire (kiting). `targets` is one position, or one per unit.
        """
        layer, space = self._of(kind)
        at = checks.positions(positions)[0]
        aims = np.broadcast_to(checks.positions(targets)[0], at.shape)
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
        away = np.hypot(*np.moveaxis(cells + 0.5 - aims[:, None], 2, 0))
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
        """The cells in sight now, on maps of `ground`'s shape: a mask for `Belief.observe`,
        `LastSeen.observe` and `MemoryLayer.mark`.
        """
        return np.asarray(self.bot.state.visibility.data_numpy[::-1] == 2)

    @property
    def creep(self) -> NDArray[np.bool_]:
        """The cells with creep, as `seen`."""
        return np.asarray(self.bot.state.creep.data_numpy[::-1] == 1)

    def _of(self, kind: str) -> tuple[RadialLayer, Grid]:
        """The layer and the space of a kind."""
        space = self.space(kind)
        return self._fear(kind if kind in LAYERS else "ground"), space

    @cached_property
    def _cliffs(self) -> NDArray[np.bool_]:
        return climbable(self._standing.natural, self.bot.game_info.terrain_height.data_numpy)

    def _blocked(self, kind: str) -> NDArray[np.bool_]:
        """Where a kind cannot move, [y, x] with y up."""
        if kind in ("air", "fighters"):
            area = self.bot.game_info.playable_area
            outside = np.ones_like(self._standing.natural)
            outside[area.y : area.y + area.height, area.x : area.x + area.width] = False
            return outside
        if kind == "climber":
            return self._standing.blocked & ~(self._cliffs & ~self._standing.occupied)
        if kind == "large":
            return dilated(self._standing.blocked, self._large)
        return self._standing.without_rocks if kind == "rocks" else self._standing.blocked

    def _follow_walls(self) -> None:
        for kind, space in self._spaces.items():
            if kind in ("air", "fighters"):
                continue
            walls = self._blocked(kind)[::-1]
            for blocked in (True, False):
                changed = np.flatnonzero((walls if blocked else ~walls) & (space.walls != walls))
                if len(changed):
                    space.set_walls(changed, blocked)
