"""The influence maps of the agent: who strikes where, who is worth striking, who holds ground."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

import fieldcraft as fc
from fieldcraft.layers import RadialLayer
from research.microrts.board import Settings
from research.microrts.game import MOVE, PRODUCE, Cell, Kind, State, Unit

_WORTH = {"Base": 1.5, "Barracks": 1.5, "Worker": 1.0, "Light": 2.0, "Heavy": 3.0, "Ranged": 2.0}
_POWER = {"Worker": 1.0, "Light": 2.8, "Heavy": 5.0, "Ranged": 2.2}
_CACHE = 64  # distance maps
_WATCHFUL = 3  # cycles in which a free enemy waited
_STRIKE = 5  # cycles of an attack, of all kinds


def worth(unit: Unit) -> float:
    """Return what the loss of a unit costs its player, in resources."""
    return _WORTH[unit.kind.name] + 0.3 * unit.carried


def power(unit: Unit) -> float:
    """Return how well a unit fights, in workers."""
    return _POWER.get(unit.kind.name, 0.0) * (0.3 + 0.7 * unit.hp / unit.kind.hp)


class Maps:
    """Layers on the game's grid, made anew as far as they are needed in a cycle.

    With `settings.blank` all influence reads 0: paths are shortest paths, and positions nearest.
    """

    def __init__(self, state: State, settings: Settings) -> None:
        self.grid = fc.Grid(walls=_walls(state), tiles=True)
        self._settings = settings
        self._imap = fc.InfluenceMap(self.grid)
        self._state = state
        self._layers: dict[str, RadialLayer] = {}
        self._cache: dict[object, NDArray[np.float32]] = {}
        self._idle: set[int] = set()
        self._watchful = 0
        self._buildings: set[Cell] = set()
        self._fresh: set[str] = set()

    def update(self, state: State) -> None:
        """Take over a new state; walls follow buildings and deposits."""
        idle = {u.id for u in state.enemies() if u.kind.can_attack and u.action is None}
        if state.time == self._state.time + 1:
            self._watchful += len(idle & self._idle)
        self._idle = idle
        self._state = state
        self._buildings = {u.cell for u in state.own() if not u.kind.can_move}
        walls = _walls(state)
        changed = walls != self.grid.walls
        for blocked in (True, False):
            if (changed & (walls == blocked)).any():
                self.grid.set_walls(changed & (walls == blocked), blocked)
        self._fresh.clear()

    # Layers

    def strikes(self, delay: int) -> NDArray[np.float32]:
        """Damage that enemies deal who can strike back at a unit that arrives after `delay`."""
        arrival = self._state.time + delay
        ready = [
            (u, u.target if u.action == MOVE else u.cell)
            for u in self._fighters()
            if not self._late(u, arrival)
        ]
        return self._layer(
            f"strikes {delay}",
            ready,
            [u.kind.damage for u, _ in ready],
            [u.kind.range for u, _ in ready],
        )

    def prey(self, kind: Kind, delay: int, late: bool) -> NDArray[np.float32]:
        """The best enemy to strike from each cell after `delay`: those that are too late to strike
        back at once, or the others.
        """
        arrival = self._state.time + delay
        units = [
            (u, _place(u, arrival))
            for u in self._state.enemies()
            if self._late(u, arrival) == late
            # A unit that leaves its cell before the strike lands is no prey.
            and not (u.action == MOVE and arrival < u.ends <= arrival + kind.attack_time)
        ]
        return self._layer(
            f"prey {kind.name} {delay} {late}",
            units,
            [worth(u) * min(1.0, kind.damage / u.hp) for u, _ in units],
            [kind.range for _ in units],
            blend="max",
        )

    def locked(self, delay: int) -> NDArray[np.float32]:
        """Damage to a unit that starts now to move away, and is struck before it has left."""
        now = self._state.time
        units = [
            (u, u.target) for u in self._fighters() if u.ends + u.kind.attack_time < now + delay
        ]
        return self._layer(
            f"locked {delay}",
            units,
            [u.kind.damage for u, _ in units],
            [u.kind.range for u, _ in units],
        )

    def presence(self, enemy: bool) -> NDArray[np.float32]:
        """How strong a side is around each cell, in workers."""
        if enemy:
            units = self._state.enemies()
        else:
            units = self._state.own()
        fighters = [(u, u.target) for u in units if u.kind.can_attack]
        radius = self._settings.presence_radius
        return self._layer(
            f"presence {enemy}",
            fighters,
            [power(u) for u, _ in fighters],
            [radius for _ in fighters],
            falloff="linear",
        )

    def contact(self) -> NDArray[np.float32]:
        """The number of own fighters that can strike each cell from where they will stand."""
        units = [(u, u.target) for u in self._state.own() if u.kind.can_attack]
        return self._layer(
            "contact", units, [1.0 for _ in units], [u.kind.range + 1 for u, _ in units]
        )

    # Distances

    def distances(
        self,
        goals: Iterable[Cell],
        start_costs: Sequence[float] | None = None,
        safe: bool = False,
    ) -> NDArray[np.float32]:
        """Walking distances to cells, all if none is open; over safe ground if asked for."""
        cells = list(goals)
        if not cells:
            return np.full(self.grid.shape, np.inf, np.float32)
        if safe:
            return self._search(
                cells, start_costs, 1 + self._settings.caution * self.presence(True)
            )
        key = (
            self.grid.walls_version,
            tuple(cells),
            None if start_costs is None else tuple(start_costs),
        )
        if key not in self._cache:
            if len(self._cache) >= _CACHE:
                self._cache.clear()
            self._cache[key] = self._search(cells, start_costs, None)
        return self._cache[key]

    def distances_around(
        self, goals: Sequence[Cell], others: Sequence[Cell], extra: float
    ) -> NDArray[np.float32]:
        """Walking distances to cells, where passing one of the others costs `extra` steps."""
        key = (self.grid.walls_version, tuple(goals), tuple(sorted(others)), extra)
        if key not in self._cache:
            if len(self._cache) >= _CACHE:
                self._cache.clear()
            cost = np.ones(self.grid.shape, np.float32)
            for x, y in others:
                cost[y, x] += extra
            self._cache[key] = self._search(list(goals), None, cost)
        return self._cache[key]

    def _search(
        self, cells: list[Cell], start_costs: Sequence[float] | None, cost: ArrayLike | None
    ) -> NDArray[np.float32]:
        return fc.distance_map(
            self.grid, cells, cost=cost, start_costs=start_costs, on_wall="nearest"
        ).values

    def beside(self, cells: Iterable[Cell]) -> list[Cell]:
        """Return the open cells beside cells, such as buildings."""
        height, width = self.grid.shape
        walls = self.grid.walls
        return sorted(
            {
                (x, y)
                for cx, cy in cells
                for x, y in ((cx, cy - 1), (cx + 1, cy), (cx, cy + 1), (cx - 1, cy))
                if 0 <= x < width and 0 <= y < height and not walls[y, x]
            }
        )

    def _fighters(self) -> list[Unit]:
        return [u for u in self._state.enemies() if u.kind.can_attack]

    def _late(self, unit: Unit, arrival: int) -> bool:
        """Whether a unit is busy when another arrives beside it, and so strikes second.

        A unit that ends a step shortly before is taken to begin the next one, because nobody is in
        its range then; but not if the enemy's free units are seen to wait for us.
        """
        if not unit.kind.can_attack:
            return True
        if unit.aim in self._buildings:
            return True
        if unit.action != MOVE:
            return unit.ends > arrival
        if unit.ends > arrival:
            return unit.ends > arrival + _STRIKE
        if self._watchful > _WATCHFUL:
            return False
        return self._state.time < unit.ends < arrival < unit.ends + unit.kind.move_time - _STRIKE

    def _layer(
        self,
        name: str,
        units: list[tuple[Unit, Cell]],
        strengths: list[float],
        radii: list[float],
        blend: Literal["sum", "max"] = "sum",
        falloff: Literal["constant", "linear", "parabolic"] = "constant",
    ) -> NDArray[np.float32]:
        if name in self._fresh:
            return self._layers[name].values
        self._fresh.add(name)
        if name not in self._layers:
            kind = fc.Radial(1, falloff=falloff, metric="straight", blend=blend)
            self._layers[name] = self._imap.add_layer(name, kind, walls=False)
        layer = self._layers[name]
        if self._settings.blank:
            units = []
            strengths = []
            radii = []
        layer.sync(
            [u.id for u, _ in units],
            np.reshape([at for _, at in units], (-1, 2)),
            strengths,
            radii=np.array(radii) + 0.1,
        )
        layer.step()
        return layer.values


def _walls(state: State) -> NDArray[np.bool_]:
    walls = state.walls.copy()
    for unit in state.units:
        if not unit.kind.can_move and unit.player != 1 - state.me:
            walls[unit.cell[1], unit.cell[0]] = True
        if unit.action == PRODUCE and unit.product and not unit.product.can_move and unit.aim:
            walls[unit.aim[1], unit.aim[0]] = True
    return walls


def _place(unit: Unit, time: int) -> Cell:
    if unit.ends <= time:
        return unit.target
    return unit.cell
