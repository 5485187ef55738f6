"""AI of teams: which tower to attack, which to defend, and which path to take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Advance, Order, Regroup, Send, Strike
from fieldcraft_worlds.games.towers.state import NOTHING, State
from fieldcraft_worlds.games.walking import away

RESERVE = 0
FIRST_WAVE = 1


@dataclass(frozen=True)
class Commander:
    """An AI for any team; its orders follow from the state alone.

    Units gather in the first squad, the reserve, and go as a wave in one of the other squads.

    Parameters
    ----------
    safely : bool
        Take paths of cost `1 + caution * threat`, in place of the shortest ones.
    weak : bool
        Attack the tower with the least distance times `(1 + presence) * (1 + vulnerability)` around
        it, both as shares of a tower's influence and with the weights of `settings.commander`; in
        place of the nearest.
    reinforce : bool
        While enemy units attack own towers, keep the reserve and new units at the one with the
        highest tension.
    wave : float, optional
        The share of `settings.units` that makes a wave, that of `settings.commander` if None; twice
        as many while a tower is attacked.
    """

    safely: bool
    weak: bool
    reinforce: bool
    wave: float | None = None

    def decide(self, derived: TowersDerived, state: State, team: int) -> list[Order]:
        """Return the orders of a team."""
        own = np.flatnonzero(state.towers.teams == team)
        enemies = np.flatnonzero(state.towers.teams != team)
        if not len(enemies):
            return []
        weights = self._weights(derived, state, team, enemies)
        orders = self._wave_orders(derived, state, team, enemies, weights)
        if len(own):
            orders += self._reserve_orders(derived, state, team, own, enemies, weights)
        return orders

    def reasons(self, derived: TowersDerived, state: State, team: int) -> list[tuple[int, str]]:
        """Return rows of enemy towers, the best target first, with the reasons in words."""
        own = np.flatnonzero(state.towers.teams == team)
        enemies = np.flatnonzero(state.towers.teams != team)
        starts = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(derived.rings[row] for row in own.tolist())]
        )
        if not len(enemies) or not len(starts):
            return []
        found = []
        all_weights = self._weights(derived, state, team, enemies).tolist()
        for row, weight in zip(enemies.tolist(), all_weights, strict=True):
            route = derived.route_to_tower(team, row, self.safely)
            if route is None:
                continue
            nearest = float(route.distance.values.reshape(-1)[starts].min())
            far = nearest / derived.walking.cell_size
            if not np.isfinite(far):
                continue
            words = f"{far:.0f} cells"
            if self.safely:
                words += " with fire on the path"
            if self.weak:
                words += f" x {weight:.1f} for the influence there"
            found.append((far * weight, row, words))
        return [(row, words) for _, row, words in sorted(found)]

    # Targets

    def _weights(self, derived: TowersDerived, state: State, team: int, enemies: Ints) -> Floats:
        """Return the factor of the distance to each enemy tower, by the influence there, (F,)."""
        if not self.weak or not len(enemies):
            return np.ones(len(enemies))
        base = derived.settings.tower.influence
        rules = derived.settings.commander
        own = derived.teams[derived.settings.teams[team]].values.reshape(-1)
        tension = derived.teams.tension().values.reshape(-1)
        contested = derived.teams.vulnerability(derived.settings.teams[team]).values.reshape(-1)
        hostile = np.zeros(len(enemies))
        quarrel = np.zeros(len(enemies))
        for number, row in enumerate(enemies.tolist()):
            ring = derived.rings[row]
            if len(ring):
                hostile[number] = (tension[ring] - own[ring]).mean()
                quarrel[number] = contested[ring].mean()
        return np.asarray(
            (1 + rules.presence * hostile / base) * (1 + rules.quarrel * quarrel / base)
        )

    def _wave_orders(
        self, derived: TowersDerived, state: State, team: int, enemies: Ints, weights: Floats
    ) -> list[Order]:
        """Return a new target for each wave whose target has fallen."""
        orders: list[Order] = []
        mine = state.units.teams == team
        for squad in range(FIRST_WAVE, derived.settings.squads):
            wave = mine & (state.units.squads == squad)
            if not wave.any() or np.isin(state.squads.towers[team, squad], state.towers.ids):
                continue
            target = self._target(
                derived,
                team,
                enemies,
                weights,
                np.atleast_1d(derived.walking.cell_at(state.units.positions[wave])),
            )
            if target != NOTHING:
                orders.append(Strike(team, squad, int(state.towers.ids[target]), self.safely))
        return orders

    def _reserve_orders(
        self,
        derived: TowersDerived,
        state: State,
        team: int,
        own: Ints,
        enemies: Ints,
        weights: Floats,
    ) -> list[Order]:
        """Return orders to gather the reserve at a tower, and to send it as a wave once it is large
        enough.
        """
        settings = derived.settings
        place, target = self._best_start(derived, team, own, enemies, weights)
        if self.reinforce:
            attacked = self._tower_under_attack(derived, team, own)
        else:
            attacked = NOTHING
        post = attacked
        if attacked == NOTHING:
            post = place
        if post == NOTHING:
            return []
        tower = next(
            int(state.towers.ids[row]) for row in own.tolist() if post in derived.rings[row]
        )
        orders: list[Order] = [
            Send(team, tower, settings.units, RESERVE),
            *reserve_orders(derived, state, team, RESERVE, post),
        ]
        sizes = np.bincount(
            state.units.squads[state.units.teams == team], minlength=settings.squads
        )
        if self.wave is None:
            share = settings.commander.wave
        else:
            share = self.wave
        wave = max(1, round(share * settings.units))
        if attacked != NOTHING:
            wave *= 2
        if target != NOTHING and sizes[RESERVE] >= wave:
            free = min(range(FIRST_WAVE, settings.squads), key=lambda squad: (sizes[squad], squad))
            orders += [
                Regroup(team, RESERVE, free),
                Strike(team, free, int(state.towers.ids[target]), self.safely),
            ]
        return orders

    def _target(
        self, derived: TowersDerived, team: int, enemies: Ints, weights: Floats, here: Ints
    ) -> int:
        """Return the row of the best enemy tower for a wave in some cells (median distance)."""
        _, target = self._nearest(
            derived, team, here, enemies, weights, lambda costs: float(np.median(costs))
        )
        return target

    def _best_start(
        self, derived: TowersDerived, team: int, own: Ints, enemies: Ints, weights: Floats
    ) -> tuple[int, int]:
        """Return the cell beside an own tower to start from, and the row of the best enemy tower
        from there.
        """
        starts = np.concatenate([derived.rings[row] for row in own.tolist()])
        place, target = self._nearest(
            derived, team, starts, enemies, weights, lambda costs: float(costs.min())
        )
        if target == NOTHING:
            return (NOTHING, NOTHING)
        return (int(starts[place]), target)

    def _nearest(
        self,
        derived: TowersDerived,
        team: int,
        starts: Ints,
        enemies: Ints,
        weights: Floats,
        measure: Callable[[Floats], float],
    ) -> tuple[int, int]:
        """Return the index of the start nearest to the best enemy tower, and the row of that tower;
        `NOTHING` where none can be reached.

        No path is shorter than the straight line, so towers farther by the straight line than the
        best one need no path.
        """
        space = derived.walking
        if not len(starts):
            return (NOTHING, NOTHING)
        at = space.position_of(starts).reshape(-1, 2)
        gaps = away(space, at, derived.middles[enemies][:, None])
        # The distance from a tower's middle to the corners of its ring.
        size = (derived.settings.tower.size + 1) * space.cell_size
        straight = np.maximum(np.hypot(gaps[..., 0], gaps[..., 1]) - size, 0.0)
        least = np.array([measure(lengths) for lengths in straight]) * weights
        best = np.inf
        place = NOTHING
        target = NOTHING
        for number in np.argsort(least, kind="stable").tolist():
            if least[number] >= best:
                break
            route = derived.route_to_tower(team, int(enemies[number]), self.safely)
            if route is None:
                continue
            far = route.distance.values.reshape(-1)[starts].astype(np.float64)
            cost = measure(far) * weights[number]
            if cost < best:
                best = cost
                place = int(np.argmin(far))
                target = int(enemies[number])
        return place, target

    # Defense

    def _tower_under_attack(self, derived: TowersDerived, team: int, own: Ints) -> int:
        """Return the cell with the highest tension beside an own tower with enemy units near, else
        `NOTHING`.
        """
        names = derived.settings.teams
        hostile = np.zeros(len(derived.space))
        for number in range(len(names)):
            if number != team:
                all_influence = derived.teams[names[number]].values.reshape(-1)
                hostile += all_influence - derived.quiet[number].values.reshape(-1)
        tension = derived.teams.tension().values.reshape(-1)
        least = derived.settings.commander.pressed * derived.settings.tower.influence
        rings = [derived.rings[row] for row in own.tolist()]
        attacked = [
            int(ring[np.argmax(tension[ring])])
            for ring in rings
            if len(ring) and hostile[ring].max() >= least
        ]
        return max(attacked, key=lambda cell: float(tension[cell]), default=NOTHING)


def reserve_orders(
    derived: TowersDerived, state: State, team: int, squad: int, cell: int
) -> list[Order]:
    """Return the order to hold a cell, if it is new."""
    if int(state.squads.cells[team, squad]) == cell:
        return []
    x, y = derived.walking.position_of(cell).tolist()
    return [Advance(team, squad, x, y)]
