"""The derived state of the tower game: influence, fire, sight and the ways of squads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

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
from fieldcraft.layer import RadialLayer
from fieldcraft.steering import Crowd
from fieldcraft_worlds.games.towers import ground
from fieldcraft_worlds.games.towers.settings import Settings
from fieldcraft_worlds.games.towers.state import NOTHING, State, Towers, Units
from fieldcraft_worlds.games.walking import walking_grid

__all__ = ["TowersDerived", "Way"]

_WAYS_KEPT = 48
_PLAIN = -1
# who sees a tower across water seeks it if the way round is at most so many times as far as units
# see
_WALK = 3.0

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass
class Way:
    """The distances to some goals and, once it is walked, the flow along them, at the costs that
    `team` sees, or at none.
    """

    team: int
    goals: Ints
    distance: DistanceMap
    mended: int

    @cached_property
    def flow(self) -> FlowField:
        """Which way to walk from anywhere."""
        return flow_field(self.distance)


class TowersDerived:
    """Everything that can be told from a state and need not be kept in it.

    `follow` brings it to any state, of the past or the future, at the price of what differs: since
    radial layers are exact under change and distance maps are mended to the bits of new ones, what
    it held before shows in no result.

    `space` is the map, `walking` the same with the towers that stand in the way. `teams` are the
    layers of influence of towers and units, `quiet` those of towers alone, `fire` those of what a
    team's towers take off a unit in a second, as a share of its health. By rows of towers:
    `middles` are their positions, `rings` the open cells around them, `views` what is seen from
    them, `sought` from where units that see them go for them.
    """

    def __init__(self, space: Grid, settings: Settings) -> None:
        self.settings = settings
        self.space = walking_grid(space)
        self.walking = walking_grid(space)
        tower, cell = settings.tower, space.cell_size
        self.crowd = Crowd(self.walking, radius=0.3 * cell, keep_apart=settings.unit.room * cell)
        self.imap = InfluenceMap(self.space)
        influence = Radial(tower.reach * cell, "parabolic", settings.metric)
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
        self._widths: dict[int, Ints] = {}
        self._round = 0
        self._ways: dict[tuple[int, bytes], Way] = {}
        self._twin: InfluenceMap | None = None
        self.views = np.zeros((0, len(space)), dtype=np.bool_)
        self.sought = self.views
        self.middles = np.zeros((0, 2))
        self.rings: list[Ints] = []

    def is_open_between(self, starts: Floats, gaps: Floats) -> NDArray[np.bool_]:
        """Whether the straight ways from starts along gaps, both (N, 2), are free of walls and
        towers, looked at every half cell.
        """
        longest = float(np.abs(gaps).max(initial=0.0)) / self.walking.cell_size
        shares = np.linspace(0, 1, 2 * int(np.ceil(longest)) + 2)[1:-1]
        points = starts[:, None] + gaps[:, None] * shares[:, None]
        cells = np.atleast_1d(self.walking.cell_at(points.reshape(-1, 2), outside="clamp"))
        return np.asarray(
            ~self.walking.walls.reshape(-1)[cells].reshape(len(starts), len(shares)).any(axis=1)
        )

    def width(self, reach: int) -> Ints:
        """How many cells are open within so many of each on every side, (cells,): few where a way
        is narrow.
        """
        if reach not in self._widths:
            self._widths[reach] = ground.openness(self.space.walls, reach)
        return self._widths[reach]

    # Towers

    def follow_towers(self, towers: Towers) -> None:
        """Bring to these towers what follows from them alone: the ground, who sees what, fire, and
        ways.
        """
        old, new = self.towers, towers
        if (
            len(old) == len(new)
            and np.array_equal(old.ids, new.ids)
            and np.array_equal(old.cells, new.cells)
            and np.array_equal(old.teams, new.teams)
        ):
            return
        self._twin = None
        here = {
            (int(i), int(c), int(t)): row
            for row, (i, c, t) in enumerate(zip(old.ids, old.cells, old.teams, strict=True))
        }
        wanted = [
            (int(i), int(c), int(t)) for i, c, t in zip(new.ids, new.cells, new.teams, strict=True)
        ]
        kept = set(wanted)
        reach = self.settings.tower.size // 2
        for key, row in here.items():
            if key not in kept:
                for layer, source in zip(
                    self._layers_of(key[2]), self._tower_sources[row], strict=True
                ):
                    layer.sources.remove([source])
                self.walking.set_walls(ground.block(self.walking, key[1], reach), False)
        sources = np.zeros((len(wanted), 3), dtype=np.int64)
        for row, key in enumerate(wanted):
            if key in here:
                sources[row] = self._tower_sources[here[key]]
            else:
                sources[row] = self._raised(key[1], key[2])
        # After all that fell, so that one may stand where another stood.
        for key in wanted:
            if key not in here:
                self.walking.set_walls(ground.block(self.walking, key[1], reach), True)
        self.towers, self._tower_sources = new, sources
        for layer in (*self.quiet, *self.fire):
            layer.step()
        self.middles = self.space.position_of(new.cells).reshape(-1, 2)
        self.rings = [ground.ring(self.walking, cell, reach) for cell in new.cells.tolist()]
        self._views = {
            cell: self._views[cell] if cell in self._views else self._view(cell)
            for cell in new.cells.tolist()
        }
        self.views = np.stack(list(self._views.values())) if len(new) else self.views[:0]
        self.sought = self._sought()
        self._mend()

    def _layers_of(self, team: int) -> tuple[RadialLayer, RadialLayer, RadialLayer]:
        """The layers that a tower of this team is a source of."""
        return self._layers[team], self.quiet[team], self.fire[team]

    def _raised(self, cell: int, team: int) -> list[int]:
        """Put the sources of a new tower on its layers."""
        tower, at = self.settings.tower, self.space.position_of(cell)
        pressure = sum(tower.damage) / 2 / tower.interval / self.settings.unit.health
        strengths = (tower.influence, tower.influence, pressure)
        return [
            layer.add_source(at, strength, on_wall="through").id
            for layer, strength in zip(self._layers_of(team), strengths, strict=True)
        ]

    def _view(self, cell: int) -> NDArray[np.bool_]:
        """The view from the middle of a tower as far as towers or units see, flat."""
        reach = (
            max(self.settings.tower.sight, self.settings.tower.range, self.settings.unit.sight)
            * self.space.cell_size
        )
        return visible(self.space, self.space.position_of(cell), reach).reshape(-1)

    def _sought(self) -> NDArray[np.bool_]:
        """`views`, where ground that is in sight can also be walked; else without what lies across
        ground that cannot.
        """
        terrain = self.space.terrain
        if terrain is None or terrain.is_plain or not len(self.views):
            return self.views
        limit = _WALK * self.settings.unit.sight * self.space.cell_size
        goals = [self.walking.position_of(ring) for ring in self.rings]
        near = [
            (
                np.isfinite(distance_map(self.walking, at, limit=limit).values.reshape(-1))
                if len(at)
                else False
            )
            for at in goals
        ]
        return np.stack([view & walked for view, walked in zip(self.views, near, strict=True)])

    # Units

    def follow(self, state: State) -> None:
        """Bring every layer to this state."""
        self._twin = None
        self.follow_towers(state.towers)
        self._follow_units(state.units)
        for layer in self._layers:
            layer.step()

    def twin(self) -> InfluenceMap:
        """A copy of the influence map as it is since `follow`, to try things on; who changes its
        sources puts them back.
        """
        if self._twin is None:
            self._twin = self.imap.copy()
        return self._twin

    def _follow_units(self, units: Units) -> None:
        old, unit = self._units, self.settings.unit
        cells = (
            np.atleast_1d(self.space.cell_at(units.positions))
            if len(units)
            else np.zeros(0, dtype=np.int64)
        )
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
        self._units, self._unit_sources, self._unit_cells = units, sources, cells

    # Paths

    def threat(self, team: int) -> Floats:
        """The damage that the towers of all others do to a unit of this team in a second, as a
        share of its health: (height, width).
        """
        others = [layer.values for number, layer in enumerate(self.fire) if number != team]
        return np.asarray(np.sum(others, axis=0, dtype=np.float64))

    def cost(self, team: int) -> Floats:
        """The cost of ground for a team that takes care: `1 + caution * threat`, (height,
        width).
        """
        if team not in self._costs:
            self._costs[team] = 1.0 + self.settings.caution * self.threat(team)
        return self._costs[team]

    def way_to_tower(self, team: int, row: int, safely: bool) -> Way | None:
        """The way to the edge of a tower, by its row; None where no ground is open around it."""
        return self._way(team, self.rings[row], safely)

    def way_to_cell(self, team: int, cell: int, safely: bool) -> Way | None:
        """The way to a cell."""
        return self._way(team, np.array([cell], dtype=np.int64), safely)

    def way(self, state: State, team: int, squad: int) -> Way | None:
        """The way that a squad has been told to go, if there is one."""
        target, cell = int(state.squads.towers[team, squad]), int(state.squads.cells[team, squad])
        safely = bool(state.squads.safely[team, squad])
        if target != NOTHING:
            rows = np.flatnonzero(state.towers.ids == target)
            return self.way_to_tower(team, int(rows[0]), safely) if len(rows) else None
        return self.way_to_cell(team, cell, safely) if cell != NOTHING else None

    def ways(self, state: State) -> Iterator[tuple[int, int, Way]]:
        """All squads that have a way and units to go it: (team, squad, way)."""
        held = np.unique(state.units.teams * self.settings.squads + state.units.squads)
        for team, squad in (divmod(number, self.settings.squads) for number in held.tolist()):
            way = self.way(state, team, squad)
            if way is not None:
                yield team, squad, way

    def _way(self, team: int, goals: Ints, safely: bool) -> Way | None:
        if not len(goals):
            return None
        payer = team if safely else _PLAIN
        key = (payer, goals.tobytes())
        way = self._ways.pop(key, None)
        cost = self.cost(team) if safely else None
        if way is None:
            distance = distance_map(self.walking, self.walking.position_of(goals), cost=cost)
            way = Way(payer, goals, distance, self._round)
            while len(self._ways) >= _WAYS_KEPT:
                del self._ways[next(iter(self._ways))]
        elif way.mended != self._round:
            way.distance.repair(cost=cost)
            way.mended = self._round
        self._ways[key] = way
        return way

    def _mend(self) -> None:
        """Let ways follow to the ground and the fire of now when they are next asked for; those
        whose goals are gone go.
        """
        self._round += 1
        self._costs.clear()
        walls = self.walking.walls.reshape(-1)
        rings = {goals.tobytes() for goals in self.rings}
        for key, way in list(self._ways.items()):
            if walls[way.goals].any() or (len(way.goals) > 1 and key[1] not in rings):
                del self._ways[key]
