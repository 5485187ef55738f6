"""Planners: commanders that forecast a strike before they order it, turn back from a lost one, and
hold narrow ways.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import InfluenceMap
from fieldcraft.layer import RadialLayer
from fieldcraft_worlds.games.towers.ai import FIRST_WAVE, RESERVE, Commander, march
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Order, Regroup, Send, Strike
from fieldcraft_worlds.games.towers.state import NOTHING, State

__all__ = ["COMMANDER_OF", "Planner", "Prospect"]

_ASKED = 4  # so many enemy towers, the nearest by the safe way, are thought about
_TOWER = 10.0  # the score of a tower
_GROUND = 40.0  # what all ground is worth beside that
_NEAR = 8.0  # cells within which enemy units count as defenders
_NARROW = 3  # cells on each side within which walls make a place narrow

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Prospect:
    """The forecast of a strike at an enemy tower.

    `tower` is its id, `row` its row; `start` the cell beside an own tower from where it is nearest
    by the safe way, `way` how far that is in cells. `lost` is the share of a unit's health that
    fire takes off on the way, `cover` how many enemy towers hit who stands beside it, `defenders`
    the enemy units near it, and `needed` the units that must arrive so that some are left when it
    falls. `ground` is the share of the map that turns to the team when it has fallen and the wave
    stands there, None where it was not asked for, and `worth` the score that is forecast a second.
    """

    tower: int
    row: int
    start: int
    way: float
    lost: float
    cover: float
    defenders: int
    needed: float
    ground: float | None
    worth: float

    @property
    def to_send(self) -> float:
        """The units that must set out."""
        return self.needed / max(1.0 - self.lost, 0.05)

    def told(self) -> str:
        """The reasons in words."""
        ground = "" if self.ground is None else f", {self.ground:+.0%} of the ground"
        return (
            f"{self.way:.0f} cells, {self.lost:.0%} of health on the way, {self.cover:.0f} towers"
            f" and {self.defenders} units to meet: {math.ceil(self.to_send)} to send{ground}"
        )


@dataclass(frozen=True)
class Planner(Commander):
    """A commander that asks what would be if a tower fell, on a copy of the influence map, and
    reckons what a strike costs.

    How many units a strike needs follows from Lanchester's square law: towers and units that hit
    one at a time take off so much a second, while the wave takes off the tower's health. F. W.
    Lanchester, "Aircraft in Warfare" (1916).

    Parameters
    ----------
    hold : bool, optional
        The reserve stands where the enemy's shortest way is narrowest under own fire, not at a
        tower's foot.
    """

    hold: bool = True

    def decide(self, derived: TowersDerived, state: State, team: int) -> list[Order]:
        """The orders of a team at this state."""
        towers = state.towers
        own, foes = np.flatnonzero(towers.teams == team), np.flatnonzero(towers.teams != team)
        if not len(foes):
            return []
        sizes = np.bincount(
            state.units.squads[state.units.teams == team], minlength=derived.settings.squads
        )
        prospects = self.prospects(
            derived, state, team, int(max(sizes.max(initial=0), 1)), every_ground=False
        )
        orders = self._lead_waves(derived, state, team, sizes, prospects)
        if len(own):
            orders += self._command_reserve(derived, state, team, own, sizes, prospects)
        return orders

    def reasons(self, derived: TowersDerived, state: State, team: int) -> list[tuple[int, str]]:
        """The forecasts in words, those for the reserve as it is now, the best first."""
        size = int(np.count_nonzero((state.units.teams == team) & (state.units.squads == RESERVE)))
        prospects = self.prospects(derived, state, team, max(size, 1))
        able = [
            prospect
            for prospect in prospects
            if prospect.worth > 0 and size >= derived.settings.commander.margin * prospect.to_send
        ]
        rest = [prospect for prospect in prospects if prospect not in able]
        return [(prospect.row, prospect.told()) for prospect in (*able, *rest)]

    # Forecasts

    def prospects(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        size: int,
        *,
        every_ground: bool = True,
    ) -> list[Prospect]:
        """The forecasts for a wave of `size` at the nearest enemy towers, the best first.

        Without `every_ground`, which ground would turn is asked only where it counts: where the
        tower would fall.
        """
        towers, space = state.towers, derived.walking
        own, foes = np.flatnonzero(towers.teams == team), np.flatnonzero(towers.teams != team)
        doors = [derived.rings[row] for row in own.tolist()] or [
            np.atleast_1d(space.cell_at(state.units.positions[state.units.teams == team]))
        ]
        starts = np.concatenate(doors)
        if not len(starts):
            return []
        reached: list[tuple[float, int, int]] = []
        for row in foes.tolist():
            way = derived.way_to_tower(team, row, self.safely)
            if way is not None:
                far = way.distance.values.reshape(-1)[starts]
                if np.isfinite(far.min()):
                    reached.append((float(far.min()), row, int(starts[int(np.argmin(far))])))
        reached.sort()
        found = [
            self._forecast(derived, state, team, row, start, cost, size, every_ground)
            for cost, row, start in reached[:_ASKED]
        ]
        return sorted(found, key=lambda prospect: -prospect.worth)

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
    ) -> Prospect:
        settings, space, towers = derived.settings, derived.walking, state.towers
        tower, unit = settings.tower, settings.unit
        way = derived.way_to_tower(team, row, self.safely)
        assert way is not None
        path = way.distance.descend(space.position_of(start))
        ring = derived.rings[row]
        threat = derived.threat(team).reshape(-1)
        if self.safely:
            lost = (
                max(cost - path.length, 0.0)
                / max(settings.caution, 1e-9)
                / space.cell_size
                / unit.speed
            )
        else:
            lost = (
                float(threat[np.atleast_1d(space.cell_at(path.positions))].mean())
                * path.length
                / space.cell_size
                / unit.speed
            )
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
        ground = self._turned(derived, team, row, ring, size) if every_ground or left > 0 else None
        seconds = path.length / space.cell_size / unit.speed + float(towers.health[row]) / (
            strength * max(arriving, 1.0)
        )
        gained = (_TOWER + _GROUND * ground if ground is not None and left > 0 else 0.0) - (
            size - left
        )
        worth = gained / (seconds + 10.0)
        return Prospect(
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

    def _turned(self, derived: TowersDerived, team: int, row: int, ring: Ints, size: int) -> float:
        """The share of ground that turns if the tower is gone and a wave stands in its place.

        Both are tried on a copy of the influence map, which is put back after: radial layers are
        exact under change.
        """
        names, tower, unit, space = (
            derived.settings.teams,
            derived.settings.tower,
            derived.settings.unit,
            derived.space,
        )
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
        after = self._held(twin, derived, team)
        ours.sources.remove(wave)
        theirs.add_source(derived.middles[row], tower.influence, on_wall="through")
        return after - self._held(derived.imap, derived, team)

    def _held(self, imap: InfluenceMap, derived: TowersDerived, team: int) -> float:
        """The share of open ground where a team's influence is above all others' together."""
        names, walls = derived.settings.teams, derived.space.walls
        others = np.sum(
            [imap[name].values for number, name in enumerate(names) if number != team], axis=0
        )
        return int(np.count_nonzero((imap[names[team]].values > others) & ~walls)) / max(
            int(np.count_nonzero(~walls)), 1
        )

    # Waves

    def _lead_waves(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        sizes: Ints,
        prospects: list[Prospect],
    ) -> list[Order]:
        """Strike on, strike the next, or turn back."""
        orders: list[Order] = []
        by_tower = {prospect.tower: prospect for prospect in prospects}
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
                prospect
                for prospect in prospects
                if size >= prospect.to_send and prospect.worth > 0
            ]
            if able:
                orders.append(Strike(team, squad, able[0].tower, self.safely))
            else:
                orders.append(Regroup(team, squad, RESERVE))
        return orders

    def _is_far(
        self, derived: TowersDerived, state: State, team: int, squad: int, prospect: Prospect
    ) -> bool:
        """Whether a wave has not come into the fire of its target yet: there, to go on is as good
        as to turn back.
        """
        wave = (state.units.teams == team) & (state.units.squads == squad)
        gaps = state.units.positions[wave] - derived.middles[prospect.row]
        return (
            float(np.median(np.hypot(*gaps.T))) / derived.space.cell_size
            > derived.settings.tower.range
        )

    # The reserve

    def _command_reserve(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        own: Ints,
        sizes: Ints,
        prospects: list[Prospect],
    ) -> list[Order]:
        settings = derived.settings
        best = prospects[0] if prospects else None
        hot = self._pressed(derived, team, own) if self.reinforce else NOTHING
        post = hot if hot != NOTHING else (best.start if best is not None else NOTHING)
        if post == NOTHING:
            return []
        source = next(row for row in own.tolist() if post in derived.rings[row])
        if hot == NOTHING and self.hold:
            post = self._narrows(derived, state, team, source, post)
        orders: list[Order] = [
            Send(team, int(state.towers.ids[source]), settings.units, RESERVE),
            *march(derived, state, team, RESERVE, post),
        ]
        margin = settings.commander.margin
        able = [
            prospect
            for prospect in prospects
            if prospect.worth > 0 and sizes[RESERVE] >= margin * prospect.to_send
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

    def _narrows(
        self, derived: TowersDerived, state: State, team: int, row: int, otherwise: int
    ) -> int:
        """The narrowest cell under own fire on the enemy's shortest way to an own tower, else the
        cell given.
        """
        enemy = np.flatnonzero(state.towers.teams != team)
        way = derived.way_to_tower(int(state.towers.teams[enemy[0]]), row, False)
        doors = np.concatenate([derived.rings[foe] for foe in enemy.tolist()])
        if way is None or not len(doors):
            return otherwise
        far = way.distance.values.reshape(-1)[doors]
        if not np.isfinite(far.min()):
            return otherwise
        path = way.distance.descend(derived.walking.position_of(int(doors[int(np.argmin(far))])))
        cells = np.atleast_1d(derived.walking.cell_at(path.positions))
        covered = cells[derived.fire[team].values.reshape(-1)[cells] > 0]
        if not len(covered):
            return otherwise
        width = derived.width(_NARROW)[covered]
        return int(covered[int(np.argmin(width))])


COMMANDER_OF: Mapping[str, Commander] = {
    "influence": Commander(safely=True, weak=True, reinforce=True),
    "shortest": Commander(safely=False, weak=False, reinforce=False, wave=0.2),
    "planner": Planner(safely=True, weak=True, reinforce=True),
    "easy": Commander(safely=False, weak=False, reinforce=False, wave=0.06),
    "hardest": Planner(safely=True, weak=True, reinforce=True, hold=False),
}
"""The commander that a name in the settings stands for: "easy" is "shortest" with small waves,
"hardest" is "planner" without holding narrow places.
"""
