"""The battlefield of a bot: spaces, danger and paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.formats.adapters.sc2.enemies import (
    BUFFER,
    EFFECTS,
    LAYERS,
    UNITS,
    Effect,
    Enemies,
    Threat,
)
from fieldcraft.formats.adapters.sc2.obstacles import Obstacles
from fieldcraft.formats.adapters.sc2.walking import (
    Journey,
    cheapest_journey,
    firing_cells,
    on_open,
    path_between,
)
from fieldcraft.layers import RadialLayer
from fieldcraft.layers.influence_map import InfluenceMap
from fieldcraft.layers.propagation import Radial
from fieldcraft.paths import Path, distance_map
from fieldcraft.query import best
from fieldcraft.query.choke_points import ChokePoints, choke_points
from fieldcraft.space import Grid

__all__ = ["KINDS", "Battlefield"]

KINDS = ("ground", "air", "climber", "large", "rocks", "fighters")
"""Kinds of movement: on the ground, in the air, over cliffs (reapers, colossi), of large units
(thors, ultralisks), on the ground as if all rocks had fallen, and in the air for fighters that are
in danger only from ground units.
"""

_LARGE = 1.0
_MOST_COSTS = 15
_WORMS = {"NYDUSNETWORK", "NYDUSCANAL"}


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
        self.ground = self.space("ground")
        self.air = self.space("air")
        # A space without walls: danger reaches over them.
        self.imap = InfluenceMap(Grid(width, height, neighbors=8, y_up=True))
        self.danger: dict[str, RadialLayer] = {}
        for name in ("ground", "air"):
            self._danger_layer(name)

    def update(self, enemies: Iterable[Any] | None = None) -> None:
        """Update walls, effects and enemies.

        Parameters
        ----------
        enemies : iterable of Unit, optional
            The enemies, which may include remembered ones; by default the bot's enemy units and
            finished buildings.
        """
        if self._obstacles.follow():
            self._follow_walls()
        self._enemies.read(enemies)
        for name, layer in self.danger.items():
            self._fill(name, layer)
        self.imap.step()

    def _danger_layer(self, name: str) -> RadialLayer:
        """Return a layer of danger, created on first use with the current threats."""
        if name not in self.danger:
            layer = self.imap.add_layer(name, Radial(BUFFER, "constant", metric="straight"))
            self._fill(name, layer)
            layer.settle()
            self.danger[name] = layer
        return self.danger[name]

    def _fill(self, name: str, layer: RadialLayer) -> None:
        """Update the sources of a layer of danger."""
        threats = self._enemies.last
        which, keys, costs, radii = threats.by_layer[name]
        layer.sync(keys, threats.positions[which], costs, radii=radii, outside="clamp")

    def space(self, kind: str = "ground") -> Grid:
        """Return the map of a kind of movement, see `KINDS`; its walls follow the game."""
        if checks.choice("kind", kind, KINDS) not in self._spaces:
            blocked = self._obstacles.blocked_for(kind, self._large)
            height, width = blocked.shape
            self._spaces[kind] = Grid(width, height, walls=blocked[::-1], neighbors=8, y_up=True)
        return self._spaces[kind]

    @cached_property
    def choke_points(self) -> ChokePoints:
        """The areas of the ground at the beginning of the game, and the choke points between them,
        such as ramps; computed on first use. See `fieldcraft.query.choke_points`.
        """
        blocked = self._obstacles.natural
        height, width = blocked.shape
        return choke_points(Grid(width, height, walls=blocked[::-1], neighbors=8, y_up=True))

    def grid(self, kind: str = "ground") -> NDArray[np.float32]:
        """Return the cost of each cell, 1 + danger, for pathfinders of other libraries.

        Parameters
        ----------
        kind : str
            See `KINDS`.

        Returns
        -------
        ndarray of float32, (width, height)
            A new array, indexed [x, y]; infinite on walls.
        """
        layer, space = self._of(kind)
        cost = 1 + layer.values
        cost[space.walls] = np.inf
        return np.asfortranarray(cost[::-1].T)

    def danger_at(self, positions: ArrayLike, kind: str = "ground") -> float | NDArray[np.float32]:
        """Return the danger at positions: a float for one, (N,) float32 for many.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            Positions off the map count as at its border.
        kind : str
            See `KINDS`.
        """
        return self._of(kind)[0].sample(positions, outside="clamp")

    def is_safe(
        self, positions: ArrayLike, kind: str = "ground", *, limit: float = 0.0
    ) -> bool | NDArray[np.bool_]:
        """Return whether the danger at positions is at most `limit`: a bool, or (N,) for many.

        Parameters
        ----------
        positions, kind
            As for `danger_at`.
        limit : float
            The largest danger of a safe position.
        """
        found = np.asarray(self.danger_at(positions, kind)) <= limit
        if found.ndim == 0:
            return bool(found)
        return found

    def safe_spots(
        self, positions: ArrayLike, kind: str = "ground", *, radius: float = 11.0
    ) -> NDArray[np.float64]:
        """Return the center of the least dangerous cell around each position, (2,) or (N, 2).

        Of equally dangerous cells the nearest is chosen.

        Parameters
        ----------
        positions : array_like of shape (2,) or (N, 2)
            World positions.
        kind : str
            See `KINDS`.
        radius : float
            Largest straight distance of the cell.
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
        """Return the cheapest path between two positions.

        Parameters
        ----------
        start, goal : array_like of shape (2,)
            World positions; positions in walls are moved to the nearest open cell.
        kind : str
            See `KINDS`.
        weight : float
            A cell costs 1 + `weight` times its danger.
        smooth : bool
            Replace steps by straight legs, as `shortest_path` does.

        Examples
        --------
        The point that a unit moves to next, 3 cells ahead:

        >>> field.pathfind(unit.position, base).at(3)  # doctest: +SKIP
        """
        return path_between(self.space(kind), start, goal, self._cost(kind, weight), smooth)

    def _cost(self, kind: str, weight: float) -> Any:
        """Return the cost of cells as an expression, cached."""
        factor = checks.not_negative("weight", weight)
        key = (kind, factor)
        if key not in self._costs:
            layer, space = self._of(kind)
            if len(self._costs) > _MOST_COSTS:
                oldest = next(iter(self._costs))
                del self._costs[oldest]
            self._costs[key] = 1 + factor * layer.on(space)
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
        """Return the cheapest path on foot or through a nydus worm.

        Parameters
        ----------
        start, goal, kind, weight
            As for `pathfind`.
        toll : float
            The cost of a worm.
        worms : iterable of Unit, optional
            Open networks and canals; by default the bot's own that are ready.
        """
        if worms is None:
            worms = [
                unit
                for unit in self.bot.structures
                if unit.type_id.name in _WORMS and unit.is_ready
            ]
        toll = checks.not_negative("toll", toll)
        return cheapest_journey(
            self.space(kind), start, goal, self._cost(kind, weight), list(worms), toll
        )

    def next_points(
        self,
        positions: ArrayLike,
        goal: ArrayLike,
        kind: str = "ground",
        *,
        ahead: int = 3,
        weight: float = 1.0,
    ) -> NDArray[np.float64]:
        """Return the next points of many units on their cheapest paths to one goal, by one search.

        Parameters
        ----------
        positions : array_like of shape (N, 2)
            World positions of the units.
        goal, kind, weight
            As for `pathfind`.
        ahead : int
            The number of cells along the path.

        Returns
        -------
        ndarray of float64, (N, 2)
            Units without a path stay in the center of their cell, or of the nearest open one.
        """
        space = self.space(kind)
        steps = checks.integer("ahead", ahead, minimum=1)
        distances = distance_map(space, on_open(space, goal), cost=self._cost(kind, weight))
        at = on_open(space, checks.positions(positions)[0])
        for _ in range(steps):
            at = distances.step(at).positions
        return at

    def firing_positions(
        self,
        positions: ArrayLike,
        targets: ArrayLike,
        reach: float,
        kind: str = "ground",
        *,
        radius: float = 4.0,
    ) -> NDArray[np.float64]:
        """Return the least dangerous position around each unit with its target in range.

        Of equally dangerous cells the nearest is chosen. With a call in each step, ranged units
        keep their distance while they fire (kiting).

        Parameters
        ----------
        positions : array_like of shape (N, 2)
            World positions of the units.
        targets : array_like of shape (2,) or (N, 2)
            One target, or one per unit.
        reach : float
            Range of the units' weapons.
        kind : str
            See `KINDS`.
        radius : float
            Largest straight distance of the cell from the unit.

        Returns
        -------
        ndarray of float64, (N, 2)
            Where no cell is in range, the cell within `radius` nearest to the target.
        """
        layer, space = self._of(kind)
        return firing_cells(space, layer.values, positions, targets, reach, radius)

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
        if kind in LAYERS:
            return self._danger_layer(kind), space
        return self._danger_layer("ground"), space

    def _follow_walls(self) -> None:
        """Update the walls of all spaces."""
        for kind, space in self._spaces.items():
            if kind in ("air", "fighters"):
                continue
            walls = self._obstacles.blocked_for(kind, self._large)[::-1]
            closed = np.flatnonzero(walls & ~space.walls)
            if len(closed):
                space.set_walls(closed, True)
            opened = np.flatnonzero(~walls & space.walls)
            if len(opened):
                space.set_walls(opened, False)
