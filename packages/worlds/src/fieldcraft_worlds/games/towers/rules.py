"""One step of a match: towers and units see, hit, move, die, and come; then it is seen whether it
has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft.interruption import atomic
from fieldcraft_worlds.games.towers.combat import Blows, Sightings, look, nearest_enemies, strike
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Order, apply, raised
from fieldcraft_worlds.games.towers.planner import COMMANDER_OF
from fieldcraft_worlds.games.towers.settings import HUMAN, Settings
from fieldcraft_worlds.games.towers.state import NOBODY, NOTHING, Shots, Squads, State, Units
from fieldcraft_worlds.games.walking import away

__all__ = ["advance", "start", "step"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def start(derived: TowersDerived, rng: np.random.Generator) -> State:
    """The state before the first step: towers by the seed, or none yet for teams whose player
    places them.
    """
    from fieldcraft_worlds.games.towers.layout import seeded

    settings = derived.settings
    count = len(settings.teams)
    cells = seeded(derived.space, settings, rng)
    human = np.array([commander == HUMAN for commander in settings.led_by])
    to_come = human if settings.layout == "placed" else np.zeros(count, dtype=np.bool_)
    teams = [
        np.full(len(own), team, dtype=np.int64)
        for team, own in enumerate(cells)
        if not to_come[team]
    ]
    placed = [own for team, own in enumerate(cells) if not to_come[team]]
    none = np.zeros(0, dtype=np.int64)
    towers = raised(settings, 0, np.concatenate([none, *teams]), np.concatenate([none, *placed]))
    shape = (count, settings.squads)
    return State(
        step=0,
        begun=not to_come.any(),
        over=False,
        winner=NOBODY,
        next_id=len(towers),
        towers=towers,
        units=Units.none(),
        squads=Squads(
            np.full(shape, NOTHING), np.full(shape, NOTHING), np.zeros(shape, dtype=np.bool_)
        ),
        shots=Shots.none(),
        supply=np.full(count, settings.supply),
        sent=np.zeros(count, dtype=np.int64),
        lost=np.zeros(count, dtype=np.int64),
        destroyed=np.zeros(count, dtype=np.int64),
        by_hand=human,
    )


def advance(derived: TowersDerived, state: State, rng: np.random.Generator) -> State:
    """The state a step later. All that randomness decides is drawn from `rng`, always in the same
    order.
    """
    derived.follow_towers(state.towers)
    sightings = look(derived, state)
    blows = strike(derived, state, sightings, rng)
    moved = _moved(derived, state, sightings)
    after = _sent_out(derived, _without_the_dead(derived, replace(state, units=moved), blows), rng)
    return _judged(derived.settings, replace(after, step=state.step + 1, shots=blows.shots))


# Movement


def _moved(derived: TowersDerived, state: State, sightings: Sightings) -> Units:
    units = state.units
    if not len(units):
        return units
    wish = _wishes(derived, state, sightings)
    rules, cell = derived.settings.unit, derived.walking.cell_size
    positions, velocities = derived.crowd.step(
        units.positions,
        units.velocities,
        wish,
        1 / derived.settings.rate,
        max_speed=rules.speed * cell,
        max_force=rules.force * cell,
    )
    return replace(units, positions=positions, velocities=velocities)


def _wishes(derived: TowersDerived, state: State, sightings: Sightings) -> Floats:
    """The velocity that each unit wants: along its squad's flow; straight to an enemy that it sees;
    none where it has arrived.
    """
    units, rules, space = state.units, derived.settings.unit, derived.walking
    wish = np.zeros((len(units), 2))
    holding = np.zeros(len(units), dtype=np.bool_)
    cells = np.atleast_1d(space.cell_at(units.positions))
    for team, squad, way in derived.ways(state):
        rows = np.flatnonzero((units.teams == team) & (units.squads == squad))
        wish[rows] = way.flow.sample(units.positions[rows])
        if state.squads.cells[team, squad] != NOTHING:
            holding[rows] = True
            room = (1 + 0.6 * rules.room * np.sqrt(len(rows))) * space.cell_size
            wish[rows[way.distance.values.reshape(-1)[cells[rows]] <= room]] = 0

    seeking = np.flatnonzero(sightings.targets != NOTHING)
    wish[seeking] = _direction(
        away(space, units.positions[seeking], derived.middles[sightings.targets[seeking]])
    )
    wish[sightings.edges <= 0.6 * rules.closeness] = 0

    guards = holding & (sightings.targets == NOTHING)
    if guards.any():
        foes, apart = nearest_enemies(derived, units, guards, rules.sight)
        chasing = np.flatnonzero(foes != NOTHING)
        gaps = away(space, units.positions[chasing], units.positions[foes[chasing]])
        in_the_open = derived.is_open_between(units.positions[chasing], gaps)
        chasing, gaps = chasing[in_the_open], gaps[in_the_open]
        wish[chasing] = _direction(gaps)
        wish[chasing[apart[chasing] <= 0.6 * rules.closeness]] = 0
    return wish * (rules.speed * space.cell_size)


def _direction(gaps: Floats) -> Floats:
    length = np.hypot(gaps[:, 0], gaps[:, 1])[:, None]
    return np.divide(gaps, length, out=np.zeros_like(gaps), where=length > 0)


# Death


def _without_the_dead(derived: TowersDerived, state: State, blows: Blows) -> State:
    """Take off what was hit, and take away whoever has nothing left; what a tower had yet to send
    goes back to the supply.
    """
    settings, towers, units = derived.settings, state.towers, state.units
    waiting = (
        state.step + settings.steps(settings.tower.interval),
        state.step + settings.steps(settings.unit.interval),
    )
    towers = replace(
        towers,
        health=towers.health - blows.on_towers.sum(axis=0),
        ready=np.where(blows.towers_hit, waiting[0], towers.ready),
    )
    units = replace(
        units,
        health=units.health - blows.on_units,
        ready=np.where(blows.units_hit, waiting[1], units.ready),
    )
    stand, live = towers.health > 0, units.health > 0
    destroyed, lost = state.destroyed.copy(), state.lost.copy()
    np.add.at(destroyed, np.argmax(blows.on_towers[:, ~stand], axis=0), 1)
    np.add.at(lost, units.teams[~live], 1)
    supply = state.supply + np.bincount(
        towers.teams[~stand], weights=towers.queues[~stand], minlength=len(state.supply)
    )
    return replace(
        state,
        towers=towers.at(stand),
        units=units.at(live),
        destroyed=destroyed,
        lost=lost,
        supply=supply,
    )


# Supply


def _sent_out(derived: TowersDerived, state: State, rng: np.random.Generator) -> State:
    """Let towers send what they were told to, one unit at a time, to the open ground around
    them.
    """
    settings, towers = derived.settings, state.towers
    teams = len(settings.teams)
    supply = state.supply + np.bincount(towers.teams, minlength=teams) * (
        settings.income / settings.rate
    )
    due = np.flatnonzero((towers.queues > 0) & (towers.trained <= state.step))
    if not len(due):
        return replace(state, supply=supply)
    derived.follow_towers(towers)
    due = np.array([row for row in due.tolist() if len(derived.rings[row])], dtype=np.int64)
    count = len(due)
    cells = np.array(
        [derived.rings[row][int(rng.integers(len(derived.rings[row])))] for row in due.tolist()],
        dtype=np.int64,
    )
    jitter = rng.uniform(-0.3, 0.3, size=(count, 2)) * derived.space.cell_size
    new = Units(
        ids=state.next_id + np.arange(count, dtype=np.int64),
        teams=towers.teams[due],
        squads=towers.heads_for[due],
        positions=derived.space.position_of(cells).reshape(-1, 2) + jitter,
        velocities=np.zeros((count, 2)),
        health=np.full(count, settings.unit.health),
        ready=np.full(count, state.step),
    )
    queues, trained = towers.queues.copy(), towers.trained.copy()
    queues[due] -= 1
    trained[due] = state.step + settings.steps(settings.tower.training)
    return replace(
        state,
        towers=replace(towers, queues=queues, trained=trained),
        units=state.units.joined(new),
        next_id=state.next_id + count,
        supply=supply,
        sent=state.sent + np.bincount(new.teams, minlength=teams),
    )


# The end


def _judged(settings: Settings, state: State) -> State:
    """End the match if one team at most has towers, or its time is over."""
    standing = np.unique(state.towers.teams)
    if len(standing) == 1:
        return replace(state, over=True, winner=int(standing[0]))
    if len(standing) == 0 or state.step >= settings.steps(settings.limit):
        best = np.flatnonzero(state.scores == state.scores.max())
        return replace(state, over=True, winner=int(best[0]) if len(best) == 1 else NOBODY)
    return state


@atomic
def step(
    derived: TowersDerived, state: State, orders: Sequence[Order], rng: np.random.Generator
) -> State:
    """Another state, a step later; the old one stays as it was and can be gone on from again.

    First the orders from outside are followed, then, every `think` seconds, those of the
    commanders, who all decide on the same state. While towers are placed no time passes, and after
    the end nothing changes. `derived` may come from any other
    match on this map with these settings: it changes no result.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    OutsideMap
        For an order that cannot be followed; then nothing has happened.
    """
    state = apply(derived, state, orders)
    if not state.begun or state.over:
        return state
    settings = derived.settings
    if state.step % settings.steps(settings.think) == 0:
        led = [
            team
            for team, name in enumerate(settings.led_by)
            if name != HUMAN and not state.by_hand[team]
        ]
        if led:
            derived.follow(state)
            decided = [
                order
                for team in led
                for order in COMMANDER_OF[settings.led_by[team]].decide(derived, state, team)
            ]
            state = apply(derived, state, decided)
    return advance(derived, state, rng)
