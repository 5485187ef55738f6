"""Rules of the tower game: sight, hits, movement, supply, and the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fieldcraft.base.interruption import atomic
from fieldcraft_worlds.arrays import Floats
from fieldcraft_worlds.games.towers.combat import Hits, Sightings, look, nearest_enemies, strike
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Order, apply, new_towers
from fieldcraft_worlds.games.towers.planner import AI_OF
from fieldcraft_worlds.games.towers.settings import HUMAN, Settings
from fieldcraft_worlds.games.towers.state import NOBODY, NOTHING, Shots, Squads, State, Units
from fieldcraft_worlds.games.walking import away


def start(derived: TowersDerived, rng: np.random.Generator) -> State:
    """Return the first state: towers by the seed, or none yet for teams that place them."""
    from fieldcraft_worlds.games.towers.layout import seeded

    settings = derived.settings
    count = len(settings.teams)
    cells = seeded(derived.space, settings, rng)
    human = np.array([commander == HUMAN for commander in settings.ai_names])
    if settings.layout == "placed":
        placed_later = human
    else:
        placed_later = np.zeros(count, dtype=np.bool_)
    teams = [
        np.full(len(own), team, dtype=np.int64)
        for team, own in enumerate(cells)
        if not placed_later[team]
    ]
    placed = [own for team, own in enumerate(cells) if not placed_later[team]]
    none = np.zeros(0, dtype=np.int64)
    towers = new_towers(
        settings, 0, np.concatenate([none, *teams]), np.concatenate([none, *placed])
    )
    shape = (count, settings.squads)
    return State(
        step=0,
        begun=not placed_later.any(),
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
    """Return the state a step later. All random numbers are drawn from `rng`, in a fixed order."""
    derived.follow_towers(state.towers)
    sightings = look(derived, state)
    hits = strike(derived, state, sightings, rng)
    moved = _move(derived, state, sightings)
    after = _send_units(derived, _apply_hits(derived, replace(state, units=moved), hits), rng)
    return _end(derived.settings, replace(after, step=state.step + 1, shots=hits.shots))


# Movement


def _move(derived: TowersDerived, state: State, sightings: Sightings) -> Units:
    """Return the units a step later."""
    units = state.units
    if not len(units):
        return units
    desired = _desired_velocities(derived, state, sightings)
    rules = derived.settings.unit
    cell = derived.walking.cell_size
    positions, velocities = derived.crowd.step(
        units.positions,
        units.velocities,
        desired,
        1 / derived.settings.rate,
        max_speed=rules.speed * cell,
        max_force=rules.force * cell,
    )
    return replace(units, positions=positions, velocities=velocities)


def _desired_velocities(derived: TowersDerived, state: State, sightings: Sightings) -> Floats:
    """Return the desired velocity of each unit: along its squad's flow, straight to an enemy in
    sight, or 0 at its goal.
    """
    units = state.units
    rules = derived.settings.unit
    space = derived.walking
    desired = np.zeros((len(units), 2))
    holding = np.zeros(len(units), dtype=np.bool_)
    cells = np.atleast_1d(space.cell_at(units.positions))
    for team, squad, route in derived.routes(state):
        rows = np.flatnonzero((units.teams == team) & (units.squads == squad))
        desired[rows] = route.flow.sample(units.positions[rows])
        if state.squads.cells[team, squad] != NOTHING:
            holding[rows] = True
            spread = (1 + 0.6 * rules.room * np.sqrt(len(rows))) * space.cell_size
            desired[rows[route.distance.values.reshape(-1)[cells[rows]] <= spread]] = 0

    seeking = np.flatnonzero(sightings.targets != NOTHING)
    desired[seeking] = _direction(
        away(space, units.positions[seeking], derived.middles[sightings.targets[seeking]])
    )
    desired[sightings.edges <= 0.6 * rules.closeness] = 0

    guards = holding & (sightings.targets == NOTHING)
    if guards.any():
        enemies, distances = nearest_enemies(derived, units, guards, rules.sight)
        chasing = np.flatnonzero(enemies != NOTHING)
        gaps = away(space, units.positions[chasing], units.positions[enemies[chasing]])
        is_free = derived.is_open_between(units.positions[chasing], gaps)
        chasing = chasing[is_free]
        gaps = gaps[is_free]
        desired[chasing] = _direction(gaps)
        desired[chasing[distances[chasing] <= 0.6 * rules.closeness]] = 0
    return desired * (rules.speed * space.cell_size)


def _direction(gaps: Floats) -> Floats:
    """Return vectors 1 long; 0 for those without a length."""
    length = np.hypot(gaps[:, 0], gaps[:, 1])[:, None]
    return np.divide(gaps, length, out=np.zeros_like(gaps), where=length > 0)


# Damage


def _apply_hits(derived: TowersDerived, state: State, hits: Hits) -> State:
    """Return the state after hits, without destroyed towers and dead units; the queues of destroyed
    towers return to the supply.
    """
    settings = derived.settings
    towers = state.towers
    units = state.units
    tower_ready = state.step + settings.steps(settings.tower.interval)
    unit_ready = state.step + settings.steps(settings.unit.interval)
    towers = replace(
        towers,
        health=towers.health - hits.on_towers.sum(axis=0),
        ready=np.where(hits.towers_hit, tower_ready, towers.ready),
    )
    units = replace(
        units,
        health=units.health - hits.on_units,
        ready=np.where(hits.units_hit, unit_ready, units.ready),
    )
    intact = towers.health > 0
    alive = units.health > 0
    destroyed = state.destroyed.copy()
    lost = state.lost.copy()
    np.add.at(destroyed, np.argmax(hits.on_towers[:, ~intact], axis=0), 1)
    np.add.at(lost, units.teams[~alive], 1)
    supply = state.supply + np.bincount(
        towers.teams[~intact], weights=towers.queues[~intact], minlength=len(state.supply)
    )
    return replace(
        state,
        towers=towers.at(intact),
        units=units.at(alive),
        destroyed=destroyed,
        lost=lost,
        supply=supply,
    )


# Supply


def _send_units(derived: TowersDerived, state: State, rng: np.random.Generator) -> State:
    """Return the state after towers have sent a unit each from their queues."""
    settings = derived.settings
    towers = state.towers
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
    queues = towers.queues.copy()
    trained = towers.trained.copy()
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


def _end(settings: Settings, state: State) -> State:
    """End the match if at most one team has towers, or the time is over."""
    teams = np.unique(state.towers.teams)
    if len(teams) == 1:
        return replace(state, over=True, winner=int(teams[0]))
    if len(teams) == 0 or state.step >= settings.steps(settings.limit):
        best = np.flatnonzero(state.scores == state.scores.max())
        if len(best) == 1:
            return replace(state, over=True, winner=int(best[0]))
        return replace(state, over=True, winner=NOBODY)
    return state


@atomic
def step(
    derived: TowersDerived, state: State, orders: Sequence[Order], rng: np.random.Generator
) -> State:
    """Return the next state; the given one does not change.

    First come the orders of players, then, every `think` seconds, those of the AI of all teams,
    which decide on the same state. While towers are placed no time passes, and after the end
    nothing changes.

    Raises
    ------
    InvalidValue
        For an impossible order.
    OutsideMap
        For a position outside the map.
    """
    state = apply(derived, state, orders)
    if not state.begun or state.over:
        return state
    settings = derived.settings
    if state.step % settings.steps(settings.think) == 0:
        with_ai = [
            team
            for team, name in enumerate(settings.ai_names)
            if name != HUMAN and not state.by_hand[team]
        ]
        if with_ai:
            derived.follow(state)
            new = [
                order
                for team in with_ai
                for order in AI_OF[settings.ai_names[team]].decide(derived, state, team)
            ]
            state = apply(derived, state, new)
    return advance(derived, state, rng)
