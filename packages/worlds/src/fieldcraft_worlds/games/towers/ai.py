"""The AI of a team: commanders decide what to strike, what to hold and which way to walk, by the
layers or without them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import March, Order, Regroup, Send, Strike
from fieldcraft_worlds.games.towers.state import NOTHING, State
from fieldcraft_worlds.games.walking import away

__all__ = ["FIRST_WAVE", "RESERVE", "Commander", "march"]

RESERVE, FIRST_WAVE = 0, 1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Commander:
    """A way of deciding, the same for every team that has it; what it decides follows from the
    state alone.

    Units gather in the first squad, the reserve, until they are a wave, and go in one of the other
    squads.

    Parameters
    ----------
    safely : bool
        Take ways of cost `1 + caution * threat`, and count distances so; else the shortest ways.
    weak : bool
        Strike the tower whose surroundings are weakly held and quiet: the least of the way there
        times `(1 + presence) * (1 + vulnerability)`, both as shares of a tower's influence, by the
        weights of `settings.commander`. Else the nearest.
    reinforce : bool
        While enemy units press own towers, the reserve holds the one where tension is highest, and
        new units come there.
    wave : float, optional
        The share of `settings.units` that makes a wave, that of `settings.commander` if None; twice
        as many go even from a tower under pressure.
    """

    safely: bool
    weak: bool
    reinforce: bool
    wave: float | None = None

    def decide(self, derived: TowersDerived, state: State, team: int) -> list[Order]:
        """The orders of a team at this state."""
        own = np.flatnonzero(state.towers.teams == team)
        foes = np.flatnonzero(state.towers.teams != team)
        if not len(foes):
            return []
        pull = self._pull(derived, state, team, foes)
        orders = self._next_targets(derived, state, team, foes, pull)
        if len(own):
            orders += self._lead_reserve(derived, state, team, own, foes, pull)
        return orders

    def reasons(self, derived: TowersDerived, state: State, team: int) -> list[tuple[int, str]]:
        """Why it strikes where: rows of enemy towers, the best to strike first, and what it reckons
        of each in words.
        """
        own, foes = (
            np.flatnonzero(state.towers.teams == team),
            np.flatnonzero(state.towers.teams != team),
        )
        doors = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(derived.rings[row] for row in own.tolist())]
        )
        if not len(foes) or not len(doors):
            return []
        found = []
        for row, pull in zip(
            foes.tolist(), self._pull(derived, state, team, foes).tolist(), strict=True
        ):
            way = derived.way_to_tower(team, row, self.safely)
            far = (
                np.inf
                if way is None
                else float(way.distance.values.reshape(-1)[doors].min()) / derived.walking.cell_size
            )
            if np.isfinite(far):
                held = f", counted {pull:.1f} times for what stands there" if self.weak else ""
                fire = " with the fire on the way" if self.safely else ""
                found.append((far * pull, row, f"{far:.0f} cells{fire}{held}"))
        return [(row, words) for _, row, words in sorted(found)]

    # Where to strike

    def _pull(self, derived: TowersDerived, state: State, team: int, foes: Ints) -> Floats:
        """By how much each enemy tower's way counts longer for what stands there, (F,)."""
        if not self.weak or not len(foes):
            return np.ones(len(foes))
        base, rules = derived.settings.tower.influence, derived.settings.commander
        own = derived.teams[derived.settings.teams[team]].values.reshape(-1)
        tension = derived.teams.tension().values.reshape(-1)
        contested = derived.teams.vulnerability(derived.settings.teams[team]).values.reshape(-1)
        hostile = [
            float((tension[ring] - own[ring]).mean()) if len(ring) else 0.0
            for ring in (derived.rings[row] for row in foes.tolist())
        ]
        quarrel = [
            float(contested[ring].mean()) if len(ring) else 0.0
            for ring in (derived.rings[row] for row in foes.tolist())
        ]
        return np.asarray(
            (1 + rules.presence * np.array(hostile) / base)
            * (1 + rules.quarrel * np.array(quarrel) / base)
        )

    def _next_targets(
        self, derived: TowersDerived, state: State, team: int, foes: Ints, pull: Floats
    ) -> list[Order]:
        """Waves keep their target while it stands; then they take the next."""
        orders: list[Order] = []
        mine = state.units.teams == team
        for squad in range(FIRST_WAVE, derived.settings.squads):
            wave = mine & (state.units.squads == squad)
            if not wave.any() or np.isin(state.squads.towers[team, squad], state.towers.ids):
                continue
            target = self._target(
                derived,
                team,
                foes,
                pull,
                np.atleast_1d(derived.walking.cell_at(state.units.positions[wave])),
            )
            if target != NOTHING:
                orders.append(Strike(team, squad, int(state.towers.ids[target]), self.safely))
        return orders

    def _lead_reserve(
        self, derived: TowersDerived, state: State, team: int, own: Ints, foes: Ints, pull: Floats
    ) -> list[Order]:
        """Gather the reserve at the tower under pressure, or at the front; from there send it out
        as a wave.
        """
        settings = derived.settings
        place, target = self._front(derived, team, own, foes, pull)
        hot = self._pressed(derived, team, own) if self.reinforce else NOTHING
        post = place if hot == NOTHING else hot
        if post == NOTHING:
            return []
        tower = next(
            int(state.towers.ids[row]) for row in own.tolist() if post in derived.rings[row]
        )
        orders: list[Order] = [
            Send(team, tower, settings.units, RESERVE),
            *march(derived, state, team, RESERVE, post),
        ]
        sizes = np.bincount(
            state.units.squads[state.units.teams == team], minlength=settings.squads
        )
        share = settings.commander.wave if self.wave is None else self.wave
        wave = max(1, round(share * settings.units)) * (1 if hot == NOTHING else 2)
        if target != NOTHING and sizes[RESERVE] >= wave:
            free = min(range(FIRST_WAVE, settings.squads), key=lambda squad: (sizes[squad], squad))
            orders += [
                Regroup(team, RESERVE, free),
                Strike(team, free, int(state.towers.ids[target]), self.safely),
            ]
        return orders

    def _target(
        self, derived: TowersDerived, team: int, foes: Ints, pull: Floats, here: Ints
    ) -> int:
        """The row of the enemy tower that is best to strike for a wave in these cells, judged by
        its middle unit.
        """
        _, target = self._nearest(
            derived, team, here, foes, pull, lambda costs: float(np.median(costs))
        )
        return target

    def _front(
        self, derived: TowersDerived, team: int, own: Ints, foes: Ints, pull: Floats
    ) -> tuple[int, int]:
        """The cell beside an own tower to start from, and the row of the enemy tower to strike from
        there.
        """
        doors = np.concatenate([derived.rings[row] for row in own.tolist()])
        place, target = self._nearest(
            derived, team, doors, foes, pull, lambda costs: float(costs.min())
        )
        return (NOTHING, NOTHING) if target == NOTHING else (int(doors[place]), target)

    def _nearest(
        self,
        derived: TowersDerived,
        team: int,
        starts: Ints,
        foes: Ints,
        pull: Floats,
        judge: Callable[[Floats], float],
    ) -> tuple[int, int]:
        """Of starts, the place of the one nearest to the best enemy tower, and the row of that:
        `NOTHING` where none is reached.

        No way is shorter than the straight one, so towers whose straight way counts longer than the
        best are not asked for theirs.
        """
        space = derived.walking
        if not len(starts):
            return NOTHING, NOTHING
        at = space.position_of(starts).reshape(-1, 2)
        gaps = away(space, at, derived.middles[foes][:, None])
        room = (
            derived.settings.tower.size + 1
        ) * space.cell_size  # from a tower's middle to the corners of its ring
        least = (
            np.array(
                [judge(np.maximum(np.hypot(gap[:, 0], gap[:, 1]) - room, 0.0)) for gap in gaps]
            )
            * pull
        )
        best, place, target = np.inf, NOTHING, NOTHING
        for number in np.argsort(least, kind="stable").tolist():
            if least[number] >= best:
                break
            way = derived.way_to_tower(team, int(foes[number]), self.safely)
            if way is None:
                continue
            far = way.distance.values.reshape(-1)[starts].astype(np.float64)
            cost = judge(far) * pull[number]
            if cost < best:
                best, place, target = cost, int(np.argmin(far)), int(foes[number])
        return place, target

    # Where to hold

    def _pressed(self, derived: TowersDerived, team: int, own: Ints) -> int:
        """The cell beside an own tower where tension is highest, of the towers that enemy units
        have come near, else `NOTHING`.
        """
        names = derived.settings.teams
        hostile = np.zeros(len(derived.space))
        for number in range(len(names)):
            if number != team:
                hostile += derived.teams[names[number]].values.reshape(-1) - derived.quiet[
                    number
                ].values.reshape(-1)
        tension = derived.teams.tension().values.reshape(-1)
        least = derived.settings.commander.pressed * derived.settings.tower.influence
        rings = [derived.rings[row] for row in own.tolist()]
        hot = [
            int(ring[np.argmax(tension[ring])])
            for ring in rings
            if len(ring) and hostile[ring].max() >= least
        ]
        return max(hot, key=lambda cell: float(tension[cell]), default=NOTHING)


def march(derived: TowersDerived, state: State, team: int, squad: int, cell: int) -> list[Order]:
    """The order to hold a cell, if that is new."""
    if int(state.squads.cells[team, squad]) == cell:
        return []
    x, y = derived.walking.position_of(cell).tolist()
    return [March(team, squad, x, y)]
