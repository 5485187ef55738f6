"""Planner: an AI that forecasts an attack before it orders it, and turns back from a lost one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fieldcraft import InfluenceMap
from fieldcraft.layers import RadialLayer
from fieldcraft_worlds.arrays import Ints
from fieldcraft_worlds.games.towers.ai import FIRST_WAVE, RESERVE, Commander, reserve_orders
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Order, Regroup, Send, Strike
from fieldcraft_worlds.games.towers.state import NOTHING, State

_MOST_TARGETS = 4  # enemy towers, the nearest by safe paths
_TOWER = 10.0  # score of a tower
_GROUND = 40.0  # score of all ground
_NEAR = 8.0  # cells within which enemy units count as defenders


@dataclass(frozen=True)
class Forecast:
    """The forecast of an attack on an enemy tower.

    `tower` is its id, `row` its row; `start` the cell beside an own tower with the shortest safe
    path to it, `route` the length of that path in cells. `lost` is the share of a unit's health
    that fire costs on the path, `cover` the number of enemy towers that hit units beside it,
    `defenders` the enemy units near it, and `needed` the units that must arrive for some to
    survive. `ground` is the share of the map that changes to the team, None where it was not
    computed, and `worth` the forecast score a second.
    """

    tower: int
    row: int
    start: int
    route: float
    lost: float
    cover: float
    defenders: int
    needed: float
    ground: float | None
    worth: float

    @property
    def to_send(self) -> float:
        """The units that must be sent."""
        return self.needed / max(1.0 - self.lost, 0.05)

    def reason(self) -> str:
        """Return the forecast in words."""
        if self.ground is None:
            ground = ""
        else:
            ground = f", {self.ground:+.0%} of the ground"
        return (
            f"{self.route:.0f} cells, {self.lost:.0%} of health lost on the way, {self.cover:.0f}"
            f" towers and {self.defenders} units there: send {math.ceil(self.to_send)}{ground}"
        )


@dataclass(frozen=True)
class Planner(Commander):
    """An AI that forecasts on a copy of the influence map what the fall of a tower brings, and what
    an attack costs.

    The units that an attack needs follow from Lanchester's square law: towers and units that hit
    one target at a time, against the health of the tower. F. W. Lanchester, "Aircraft in Warfare"
    (1916).
    """

    def decide(self, derived: TowersDerived, state: State, team: int) -> list[Order]:
        """Return the orders of a team."""
        towers = state.towers
        own = np.flatnonzero(towers.teams == team)
        enemies = np.flatnonzero(towers.teams != team)
        if not len(enemies):
            return []
        sizes = np.bincount(
            state.units.squads[state.units.teams == team], minlength=derived.settings.squads
        )
        forecasts = self.forecasts(
            derived, state, team, int(max(sizes.max(initial=0), 1)), every_ground=False
        )
        orders = self._orders_of_waves(derived, state, team, sizes, forecasts)
        if len(own):
            orders += self._orders_of_reserve(derived, state, team, own, sizes, forecasts)
        return orders

    def reasons(self, derived: TowersDerived, state: State, team: int) -> list[tuple[int, str]]:
        """Return the forecasts for the present reserve in words, the best first."""
        size = int(np.count_nonzero((state.units.teams == team) & (state.units.squads == RESERVE)))
        forecasts = self.forecasts(derived, state, team, max(size, 1))
        able = [
            forecast
            for forecast in forecasts
            if forecast.worth > 0 and size >= derived.settings.commander.margin * forecast.to_send
        ]
        rest = [forecast for forecast in forecasts if forecast not in able]
        return [(forecast.row, forecast.reason()) for forecast in (*able, *rest)]

    # Forecasts

    def forecasts(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        size: int,
        *,
        every_ground: bool = True,
    ) -> list[Forecast]:
        """Return the forecasts for a wave of `size` at the nearest enemy towers, the best first.

        Without `every_ground`, the ground gained is computed only where the tower would fall.
        """
        towers = state.towers
        space = derived.walking
        own = np.flatnonzero(towers.teams == team)
        enemies = np.flatnonzero(towers.teams != team)
        rings = [derived.rings[row] for row in own.tolist()] or [
            np.atleast_1d(space.cell_at(state.units.positions[state.units.teams == team]))
        ]
        starts = np.concatenate(rings)
        if not len(starts):
            return []
        reached: list[tuple[float, int, int]] = []
        for row in enemies.tolist():
            route = derived.route_to_tower(team, row, self.safely)
            if route is not None:
                far = route.distance.values.reshape(-1)[starts]
                if np.isfinite(far.min()):
                    reached.append((float(far.min()), row, int(starts[int(np.argmin(far))])))
        reached.sort()
        found = [
            self._forecast(derived, state, team, row, start, cost, size, every_ground)
            for cost, row, start in reached[:_MOST_TARGETS]
        ]
        return sorted(found, key=lambda forecast: -forecast.worth)

    def _forecast(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        row: int,
        start: int,
        cost: float,
        size: int,
        every_ground: bool,
    ) -> Forecast:
        """Return the forecast of an attack on a tower by its row, from a cell, at the cost of the
        path.
        """
        settings = derived.settings
        space = derived.walking
        towers = state.towers
        tower = settings.tower
        unit = settings.unit
        route = derived.route_to_tower(team, row, self.safely)
        assert route is not None
        path = route.distance.descend(space.position_of(start))
        ring = derived.rings[row]
        threat = derived.threat(team).reshape(-1)
        if self.safely:
            exposure = max(cost - path.length, 0.0) / max(settings.caution, 1e-9)
        else:
            cells = np.atleast_1d(space.cell_at(path.positions))
            exposure = float(threat[cells].mean()) * path.length
        lost = exposure / space.cell_size / unit.speed
        pressure = sum(tower.damage) / 2 / tower.interval / unit.health
        cover = float(threat[ring].max()) / pressure
        gaps = np.abs(state.units.positions - derived.middles[row]) / space.cell_size
        defenders = int(
            np.count_nonzero((state.units.teams != team) & (np.hypot(*gaps.T) <= _NEAR))
        )
        strength = sum(unit.damage) / 2 / unit.interval
        needed = math.sqrt(
            2 * cover * pressure * float(towers.health[row]) / strength + defenders**2
        )
        arriving = size * max(1.0 - lost, 0.0)
        left = math.sqrt(max(arriving**2 - needed**2, 0.0))
        if every_ground or left > 0:
            ground = self._ground_gain(derived, team, row, ring, size)
        else:
            ground = None
        seconds = path.length / space.cell_size / unit.speed + float(towers.health[row]) / (
            strength * max(arriving, 1.0)
        )
        if ground is not None and left > 0:
            gained = _TOWER + _GROUND * ground - (size - left)
        else:
            gained = 0.0 - (size - left)
        worth = gained / (seconds + 10.0)
        return Forecast(
            int(towers.ids[row]),
            row,
            start,
            path.length / space.cell_size,
            lost,
            cover,
            defenders,
            needed,
            ground,
            worth,
        )

    def _ground_gain(
        self, derived: TowersDerived, team: int, row: int, ring: Ints, size: int
    ) -> float:
        """Return the share of ground that the team gains if the tower falls and a wave takes its
        place.

        It is computed on a copy of the influence map, which is restored: radial layers are exact
        under change.
        """
        names = derived.settings.teams
        tower = derived.settings.tower
        unit = derived.settings.unit
        space = derived.space
        twin = derived.twin()
        theirs = twin.layer(names[int(derived.towers.teams[row])], RadialLayer)
        ours = twin.layer(names[team], RadialLayer)
        places = space.position_of(ring[np.arange(min(size, len(ring)))])
        strengths = np.full(len(places), unit.influence * size / max(len(places), 1))
        theirs.remove_at(derived.middles[row])
        wave = ours.add_sources(
            places, strengths, radii=unit.reach * space.cell_size, on_wall="through"
        )
        for layer in (theirs, ours):
            layer.step()
        after = self._ground_share(twin, derived, team)
        ours.sources.remove(wave)
        theirs.add_source(derived.middles[row], tower.influence, on_wall="through")
        return after - self._ground_share(derived.imap, derived, team)

    def _ground_share(self, imap: InfluenceMap, derived: TowersDerived, team: int) -> float:
        """Return the share of open ground where a team's influence is above that of all others."""
        names = derived.settings.teams
        walls = derived.space.walls
        others = np.sum(
            [imap[name].values for number, name in enumerate(names) if number != team], axis=0
        )
        owned = int(np.count_nonzero((imap[names[team]].values > others) & ~walls))
        return owned / max(int(np.count_nonzero(~walls)), 1)

    # Waves

    def _orders_of_waves(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        sizes: Ints,
        forecasts: list[Forecast],
    ) -> list[Order]:
        """Return orders to continue, attack the next tower, or turn back."""
        orders: list[Order] = []
        by_tower = {forecast.tower: forecast for forecast in forecasts}
        for squad in range(FIRST_WAVE, derived.settings.squads):
            size = int(sizes[squad])
            if not size:
                continue
            target = int(state.squads.towers[team, squad])
            if target in state.towers.ids:
                known = by_tower.get(target)
                if (
                    known is not None
                    and size < derived.settings.commander.hopeless * known.needed
                    and self._is_far(derived, state, team, squad, known)
                ):
                    orders.append(Regroup(team, squad, RESERVE))
                continue
            able = [
                forecast
                for forecast in forecasts
                if size >= forecast.to_send and forecast.worth > 0
            ]
            if able:
                orders.append(Strike(team, squad, able[0].tower, self.safely))
            else:
                orders.append(Regroup(team, squad, RESERVE))
        return orders

    def _is_far(
        self, derived: TowersDerived, state: State, team: int, squad: int, forecast: Forecast
    ) -> bool:
        """Return whether a wave is not in the fire of its target yet; there, turning back gains
        nothing.
        """
        wave = (state.units.teams == team) & (state.units.squads == squad)
        gaps = state.units.positions[wave] - derived.middles[forecast.row]
        far = float(np.median(np.hypot(gaps[:, 0], gaps[:, 1]))) / derived.space.cell_size
        return far > derived.settings.tower.range

    # The reserve

    def _orders_of_reserve(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        own: Ints,
        sizes: Ints,
        forecasts: list[Forecast],
    ) -> list[Order]:
        """Return orders to gather the reserve at a tower, and to attack with a large enough one."""
        settings = derived.settings
        best = None
        post = NOTHING
        if forecasts:
            best = forecasts[0]
            post = best.start
        hot = NOTHING
        if self.reinforce:
            hot = self._tower_under_attack(derived, team, own)
        if hot != NOTHING:
            post = hot
        if post == NOTHING:
            return []
        source = next(row for row in own.tolist() if post in derived.rings[row])
        orders: list[Order] = [
            Send(team, int(state.towers.ids[source]), settings.units, RESERVE),
            *reserve_orders(derived, state, team, RESERVE, post),
        ]
        margin = settings.commander.margin
        able = [
            forecast
            for forecast in forecasts
            if forecast.worth > 0 and sizes[RESERVE] >= margin * forecast.to_send
        ]
        if (
            not able
            and best is not None
            and sizes[RESERVE] >= settings.commander.patience * settings.units
        ):
            able = [best]
        if able and (hot == NOTHING or sizes[RESERVE] >= 2 * margin * able[0].to_send):
            squads = range(FIRST_WAVE, settings.squads)
            free = min(squads, key=lambda squad: (int(sizes[squad]), squad))
            orders += [Regroup(team, RESERVE, free), Strike(team, free, able[0].tower, self.safely)]
        return orders


AI_OF: dict[str, Commander] = {
    "shortest": Commander(safely=False, weak=False, reinforce=False, wave=0.2),
    "influence": Commander(safely=True, weak=True, reinforce=True),
    "planner": Planner(safely=True, weak=True, reinforce=True),
}
AI_OF |= {
    "easy": replace(AI_OF["shortest"], wave=0.06),
    "fair": AI_OF["influence"],
    "hard": AI_OF["planner"],
}
"""The AI of each name in the settings; the levels are variants of the others."""
