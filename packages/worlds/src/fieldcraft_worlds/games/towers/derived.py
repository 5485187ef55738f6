"""Derived state of the tower game: influence, fire, sight and routes of squads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import (
    DistanceMap,
    FlowField,
    Grid,
    InfluenceMap,
    Radial,
    Teams,
    distance_map,
    flow_field,
    visible,
)
from fieldcraft.layers import RadialLayer
from fieldcraft.steering import Crowd
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.towers import ground
from fieldcraft_worlds.games.towers.settings import Settings
from fieldcraft_worlds.games.towers.state import NOTHING, State, Towers, Units
from fieldcraft_worlds.games.walking import walking_grid

_MOST_PATHS = 48
_PLAIN = -1
# The longest path to a tower in sight across ground that blocks walking, as a factor of the sight.
_WALK = 3.0


@dataclass
class Route:
    """Distance map to some goals and its flow field, at the costs of a `team` or without."""

    team: int
    goals: Ints
    distance: DistanceMap
    version: int

    @cached_property
    def flow(self) -> FlowField:
        """The direction to walk in from any position."""
        return flow_field(self.distance)


class TowersDerived:
    """The layers, views and routes that follow from a state.

    `follow` updates them to any state, earlier or later. Radial layers are exact under change and
    repaired distance maps equal new ones, so no result depends on earlier states.

    `space` is the map, `walking` the map with towers as walls. `teams` are the layers of influence
    of towers and units, `quiet` those of towers alone, `fire` those of the damage of towers to a
    unit in a second, as a share of its health. By rows of towers: `middles` are their positions,
    `rings` the open cells around them, `views` the cells in sight, `reachable_views` those of them
    from which units can walk to the tower.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.settings = settings
        self.space = walking_grid(space)
        self.walking = walking_grid(space)
        tower = settings.tower
        cell = space.cell_size
        self.crowd = Crowd(
            self.walking, radius=0.3 * cell, separation_radius=settings.unit.room * cell
        )
        self.imap = InfluenceMap(self.space)
        metric: Any = settings.metric  # one of the words, which the settings check
        influence = Radial(tower.reach * cell, "parabolic", metric)
        self.teams: Teams = self.imap.add_teams(settings.teams, influence)
        self.quiet: list[RadialLayer] = [
            self.imap.add_layer(f"towers of {name}", influence) for name in settings.teams
        ]
        nearest = tower.least_range / tower.range
        band = Radial(
            tower.range * cell, lambda share: (share >= nearest).astype(np.float64), "sight"
        )
        self.fire: list[RadialLayer] = [
            self.imap.add_layer(f"fire of {name}", band) for name in settings.teams
        ]
        self._layers = [self.imap.layer(name, RadialLayer) for name in settings.teams]
        self.towers = Towers.none()
        self._tower_sources = np.zeros((0, 3), dtype=np.int64)
        self._units = Units.none()
        self._unit_sources = np.zeros(0, dtype=np.int64)
        self._unit_cells = np.zeros(0, dtype=np.int64)
        self._views: dict[int, NDArray[np.bool_]] = {}
        self._costs: dict[int, Floats] = {}
        self._version = 0
        self._routes: dict[tuple[int, bytes], Route] = {}
        self._twin: InfluenceMap | None = None
        self.views = np.zeros((0, len(space)), dtype=np.bool_)
        self.reachable_views = self.views
        self.middles = np.zeros((0, 2))
        self.rings: list[Ints] = []

    def is_open_between(self, starts: Floats, gaps: Floats) -> NDArray[np.bool_]:
        """Return whether the straight lines from starts along gaps, both (N, 2), are free of walls
        and towers, at every half cell.
        """
        longest = float(np.abs(gaps).max(initial=0.0)) / self.walking.cell_size
        shares = np.linspace(0, 1, 2 * int(np.ceil(longest)) + 2)[1:-1]
        points = starts[:, None] + gaps[:, None] * shares[:, None]
        cells = np.atleast_1d(self.walking.cell_at(points.reshape(-1, 2), outside="clamp"))
        return np.asarray(
            ~self.walking.walls.reshape(-1)[cells].reshape(len(starts), len(shares)).any(axis=1)
        )

    # Towers

    def follow_towers(self, towers: Towers) -> None:
        """Update ground, views, fire and routes to some towers."""
        old = self.towers
        new = towers
        if (
            len(old) == len(new)
            and np.array_equal(old.ids, new.ids)
            and np.array_equal(old.cells, new.cells)
            and np.array_equal(old.teams, new.teams)
        ):
            return
        self._twin = None
        here = {key: row for row, key in enumerate(_keys_of(old))}
        wanted = _keys_of(new)
        left = set(wanted)
        reach = self.settings.tower.size // 2
        for key, row in here.items():
            if key not in left:
                _, cell, team = key
                layers = self._layers_of(team)
                for layer, source in zip(layers, self._tower_sources[row], strict=True):
                    layer.sources.remove([source])
                self.walking.set_walls(ground.block(self.walking, cell, reach), False)
        sources = np.zeros((len(wanted), 3), dtype=np.int64)
        for row, key in enumerate(wanted):
            _, cell, team = key
            if key in here:
                sources[row] = self._tower_sources[here[key]]
            else:
                sources[row] = self._add_tower(cell, team)
        # After all removals: a new tower may take the place of an old one.
        for key in wanted:
            _, cell, _ = key
            if key not in here:
                self.walking.set_walls(ground.block(self.walking, cell, reach), True)
        self.towers = new
        self._tower_sources = sources
        for layer in (*self.quiet, *self.fire):
            layer.step()
        self.middles = self.space.position_of(new.cells).reshape(-1, 2)
        self.rings = [ground.ring(self.walking, cell, reach) for cell in new.cells.tolist()]
        self._views = {
            cell: self._views[cell] if cell in self._views else self._view(cell)
            for cell in new.cells.tolist()
        }
        if len(new):
            self.views = np.stack(list(self._views.values()))
        else:
            self.views = self.views[:0]
        self.reachable_views = self._reachable_views()
        self._update_paths()

    def _layers_of(self, team: int) -> tuple[RadialLayer, RadialLayer, RadialLayer]:
        """Return the layers with a source for a tower of a team."""
        return self._layers[team], self.quiet[team], self.fire[team]

    def _add_tower(self, cell: int, team: int) -> list[int]:
        """Add the sources of a new tower to its layers, and return their ids."""
        tower = self.settings.tower
        at = self.space.position_of(cell)
        pressure = sum(tower.damage) / 2 / tower.interval / self.settings.unit.health
        strengths = (tower.influence, tower.influence, pressure)
        return [
            layer.add_source(at, strength, on_wall="through").id
            for layer, strength in zip(self._layers_of(team), strengths, strict=True)
        ]

    def _view(self, cell: int) -> NDArray[np.bool_]:
        """Return the cells in sight of a tower as far as towers or units see, flat."""
        reach = (
            max(self.settings.tower.sight, self.settings.tower.range, self.settings.unit.sight)
            * self.space.cell_size
        )
        return visible(self.space, self.space.position_of(cell), reach).reshape(-1)

    def _reachable_views(self) -> NDArray[np.bool_]:
        """Return `views` without cells from which the tower cannot be reached on foot."""
        terrain = self.space.terrain
        if terrain is None or terrain.is_plain or not len(self.views):
            return self.views
        limit = _WALK * self.settings.unit.sight * self.space.cell_size
        reachable = np.zeros_like(self.views)
        for row, ring in enumerate(self.rings):
            if len(ring):
                goals = self.walking.position_of(ring)
                distances = distance_map(self.walking, goals, limit=limit).values.reshape(-1)
                reachable[row] = self.views[row] & np.isfinite(distances)
        return reachable

    # Units

    def follow(self, state: State) -> None:
        """Update every layer to a state."""
        self._twin = None
        self.follow_towers(state.towers)
        self._follow_units(state.units)
        for layer in self._layers:
            layer.step()

    def twin(self) -> InfluenceMap:
        """Return a copy of the influence map since `follow`, for trials; callers restore its
        sources.
        """
        if self._twin is None:
            self._twin = self.imap.copy()
        return self._twin

    def _follow_units(self, units: Units) -> None:
        """Update the sources of units."""
        old = self._units
        unit = self.settings.unit
        if len(units):
            cells = np.atleast_1d(self.space.cell_at(units.positions))
        else:
            cells = np.zeros(0, dtype=np.int64)
        # Rows are in the order of ids, in both.
        place = np.searchsorted(old.ids, units.ids)
        known = place < len(old)
        known[known] = (old.ids[place[known]] == units.ids[known]) & (
            old.teams[place[known]] == units.teams[known]
        )
        sources = np.zeros(len(units), dtype=np.int64)
        sources[known] = self._unit_sources[place[known]]
        gone = np.ones(len(old), dtype=np.bool_)
        gone[place[known]] = False
        moved = np.zeros(len(units), dtype=np.bool_)
        moved[known] = cells[known] != self._unit_cells[place[known]]
        for team, layer in enumerate(self._layers):
            left = gone & (old.teams == team)
            if left.any():
                layer.sources.remove(self._unit_sources[left])
            own = units.teams == team
            going = moved & own
            if going.any():
                layer.sources.move(
                    sources[going], self.space.position_of(cells[going]), on_wall="through"
                )
            new = own & ~known
            if new.any():
                sources[new] = layer.add_sources(
                    self.space.position_of(cells[new]),
                    unit.influence,
                    radii=unit.reach * self.space.cell_size,
                    on_wall="through",
                )
        self._units = units
        self._unit_sources = sources
        self._unit_cells = cells

    # Paths

    def threat(self, team: int) -> Floats:
        """Return the damage of all other teams' towers to a unit of a team in a second, as a share
        of its health: (height, width).
        """
        others = [layer.values for number, layer in enumerate(self.fire) if number != team]
        return np.asarray(np.sum(others, axis=0, dtype=np.float64))

    def cost(self, team: int) -> Floats:
        """Return the cost of ground for a careful team: `1 + caution * threat`, (height, width)."""
        if team not in self._costs:
            self._costs[team] = 1.0 + self.settings.caution * self.threat(team)
        return self._costs[team]

    def route_to_tower(self, team: int, row: int, safely: bool) -> Route | None:
        """Return the route to the edge of a tower, by its row; None if no cell there is open."""
        return self._route(team, self.rings[row], safely)

    def route(self, state: State, team: int, squad: int) -> Route | None:
        """Return the route that a squad has been ordered to take, if there is one."""
        target = int(state.squads.towers[team, squad])
        cell = int(state.squads.cells[team, squad])
        safely = bool(state.squads.safely[team, squad])
        if target != NOTHING:
            rows = np.flatnonzero(state.towers.ids == target)
            if len(rows):
                return self.route_to_tower(team, int(rows[0]), safely)
            return None
        if cell != NOTHING:
            return self._route(team, np.array([cell]), safely)
        return None

    def routes(self, state: State) -> Iterator[tuple[int, int, Route]]:
        """Yield the squads that have a route and units: (team, squad, route)."""
        held = np.unique(state.units.teams * self.settings.squads + state.units.squads)
        for number in held.tolist():
            team, squad = divmod(number, self.settings.squads)
            route = self.route(state, team, squad)
            if route is not None:
                yield team, squad, route

    def _route(self, team: int, goals: Ints, safely: bool) -> Route | None:
        """Return the route of a team to some cells, cached; None without a cell."""
        if not len(goals):
            return None
        if safely:
            cost_of = team
            cost = self.cost(team)
        else:
            cost_of = _PLAIN
            cost = None
        key = (cost_of, goals.tobytes())
        route = self._routes.pop(key, None)
        if route is None:
            distance = distance_map(self.walking, self.walking.position_of(goals), cost=cost)
            route = Route(cost_of, goals, distance, self._version)
            while len(self._routes) >= _MOST_PATHS:
                del self._routes[next(iter(self._routes))]
        elif route.version != self._version:
            route.distance.repair(cost=cost)
            route.version = self._version
        self._routes[key] = route
        return route

    def _update_paths(self) -> None:
        """Let routes update when they are next used, and remove those whose goals are gone."""
        self._version += 1
        self._costs.clear()
        walls = self.walking.walls.reshape(-1)
        rings = {goals.tobytes() for goals in self.rings}
        for key, route in list(self._routes.items()):
            if walls[route.goals].any() or (len(route.goals) > 1 and key[1] not in rings):
                del self._routes[key]


def _keys_of(towers: Towers) -> list[tuple[int, int, int]]:
    """Return the id, the cell and the team of each tower."""
    columns = (towers.ids.tolist(), towers.cells.tolist(), towers.teams.tolist())
    return list(zip(*columns, strict=True))
