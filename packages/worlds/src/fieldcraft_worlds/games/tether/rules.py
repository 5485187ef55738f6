"""Rules of the duel: one step of hits, plans, movement, and the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.tether.ai import Plan, ahead, plans_of
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.orders import Order, apply
from fieldcraft_worlds.games.tether.state import NOBODY, Fighters, Shots, State, Tuning
from fieldcraft_worlds.games.walking import away

DuelAI = Callable[[TetherDerived, State], dict[int, Plan]]
"""Returns the plans of fighters by number; see `ai.plans_of`."""

_LEAST_DISTANCE = 0.6  # least distance of the sides at the start, as a share of the longest
_SLOWING = 0.5  # cells to a goal at which a fighter slows down


def start(derived: TetherDerived, rng: np.random.Generator) -> State:
    """Return the first state: two places far from each other, out of sight if possible.

    Raises
    ------
    InvalidValue
        If the map is too small.
    """
    settings = derived.settings
    count = derived.settings.fighters
    open_cells = np.flatnonzero(~derived.ground.walls.reshape(-1))
    if not len(open_cells):
        raise InvalidValue(
            "Fighters need open ground", got="a map of walls", remedy="Use another map"
        )
    here = int(open_cells[rng.integers(len(open_cells))])
    far = derived.paths_to(here).exact.reshape(-1)
    reachable = np.flatnonzero(np.isfinite(far))
    if len(reachable) < 4 * count:
        raise InvalidValue(
            "A duel needs room for its fighters",
            got=(
                f"{len(reachable)} cells around {tuple(derived.centers[here].tolist())} for"
                f" {2 * count} of them"
            ),
            remedy="Use a larger map, fewer fighters, or another seed",
        )
    far_cells = reachable[far[reachable] >= _LEAST_DISTANCE * far[reachable].max()]
    hidden = far_cells[~derived.in_sight(here)[far_cells]]
    if len(hidden):
        likely = hidden
    else:
        likely = far_cells
    there = int(likely[rng.integers(len(likely))])
    if settings.swapped:
        middles = (there, here)
    else:
        middles = (here, there)
    groups = [_around(derived, cell, count) for cell in middles]
    if len(np.intersect1d(groups[0], groups[1])):
        raise InvalidValue(
            "The sides start at different places",
            got="places that touch",
            remedy="Use a larger map, or fewer fighters",
        )
    positions = derived.centers[np.concatenate(groups)]
    sides = np.repeat(np.arange(2), count)
    fighters = Fighters(
        sides=sides,
        positions=positions.copy(),
        velocities=np.zeros((2 * count, 2)),
        aims=positions.copy(),
        health=np.array([settings.rules[side].health for side in sides.tolist()]),
        ready=np.zeros(2 * count, dtype=np.int64),
    )
    return State(
        step=0,
        over=False,
        winner=NOBODY,
        fighters=fighters,
        shots=Shots.none(),
        dealt=np.zeros(2),
        hits=np.zeros(2, dtype=np.int64),
        brains=settings.brain_names,
        tuning=Tuning(settings.long.range, settings.short.range, settings.threat, settings.caution),
        player=NOBODY,
        steer=(0.0, 0.0),
        walk=None,
    )


def advance(
    derived: TetherDerived, state: State, rng: np.random.Generator, ai: DuelAI = plans_of
) -> State:
    """Return the state a step later. All hits of a step are simultaneous."""
    state = _hit(derived, state, rng)
    if state.step % derived.settings.steps(derived.settings.think) == 0:
        state = _plan(derived, state, ai)
    return _end(derived, replace(_walk(derived, state), step=state.step + 1))


def reaches(derived: TetherDerived, state: State) -> NDArray[np.bool_]:
    """Return the pairs of fighters that can hit each other, bool (F, F): alive, in range and in
    sight.
    """
    fighters = state.fighters
    gaps = away(derived.ground, fighters.positions[:, None], fighters.positions[None])
    distances = np.hypot(gaps[..., 0], gaps[..., 1]) / derived.cell
    ranges = np.array(state.tuning.ranges)[fighters.sides]
    found = (distances <= ranges[:, None] + 1e-9) & (
        fighters.sides[:, None] != fighters.sides[None]
    )
    found &= fighters.alive[:, None] & fighters.alive[None]
    cells = derived.cells(fighters.positions)
    for number in np.flatnonzero(found.any(axis=1)).tolist():
        found[number] &= derived.in_sight(int(cells[number]))[cells]
    return np.asarray(found)


def _around(derived: TetherDerived, cell: int, count: int) -> Ints:
    """Return the cells nearest to one by path, itself first; every second one, to leave room."""
    far = derived.paths_to(cell).exact.reshape(-1)
    order = np.argsort(far, kind="stable")
    order = order[np.isfinite(far[order])]
    if len(order) >= 2 * count:
        chosen = order[: 2 * count : 2]
    else:
        chosen = order[:count]
    return np.asarray(chosen, dtype=np.int64)


def _hit(derived: TetherDerived, state: State, rng: np.random.Generator) -> State:
    """Return the state after all ready fighters have hit the weakest enemy in reach."""
    fighters = state.fighters
    able = reaches(derived, state) & (fighters.ready <= state.step)[:, None]
    hitting = np.flatnonzero(able.any(axis=1))
    if not len(hitting):
        return replace(state, shots=Shots.none())
    health = fighters.health.copy()
    ready = fighters.ready.copy()
    dealt = state.dealt.copy()
    hits = state.hits.copy()
    targets = np.argmin(np.where(able[hitting], fighters.health, np.inf), axis=1)
    for number, target in zip(hitting.tolist(), targets.tolist(), strict=True):
        side = int(fighters.sides[number])
        rules = derived.settings.rules[side]
        damage = min(float(rng.uniform(*rules.damage)), float(health[target]))
        health[target] -= damage
        dealt[side] += damage
        hits[side] += 1
        ready[number] = state.step + derived.settings.steps(rules.interval)
    shots = Shots(fighters.sides[hitting], fighters.positions[hitting], fighters.positions[targets])
    return replace(
        state,
        fighters=replace(fighters, health=health, ready=ready),
        shots=shots,
        dealt=dealt,
        hits=hits,
    )


def _plan(derived: TetherDerived, state: State, ai: DuelAI) -> State:
    """Return the state with new aims of fighters with AI."""
    plans = ai(derived, state)
    if not plans:
        return state
    targets = state.fighters.aims.copy()
    cells = derived.cells(state.fighters.positions)
    for number, plan in plans.items():
        aim = ahead(derived, plan)
        if aim == cells[number]:
            targets[number] = state.fighters.positions[number]
        else:
            targets[number] = derived.centers[aim]
    return replace(state, fighters=replace(state.fighters, aims=targets))


def _walk(derived: TetherDerived, state: State) -> State:
    """Return the state with all fighters moved towards their aims."""
    fighters = state.fighters
    alive = np.flatnonzero(fighters.alive)
    rules = [derived.settings.rules[side] for side in fighters.sides[alive].tolist()]
    speeds = np.array([rule.speed for rule in rules]) * derived.cell
    forces = np.array([rule.force for rule in rules]) * derived.cell
    gaps = away(derived.ground, fighters.positions[alive], fighters.aims[alive])
    far = np.hypot(gaps[:, 0], gaps[:, 1])
    pace = speeds * np.minimum(1.0, far / (_SLOWING * derived.cell))
    desired = gaps / np.maximum(far, 1e-12)[:, None] * pace[:, None]
    by_hand = np.flatnonzero(alive == state.player)
    if len(by_hand):
        desired[by_hand] = _player_velocity(derived, state, float(speeds[by_hand[0]]))
    positions = fighters.positions.copy()
    velocities = np.zeros_like(fighters.velocities)
    positions[alive], velocities[alive] = derived.crowd.step(
        fighters.positions[alive],
        fighters.velocities[alive],
        desired,
        1 / derived.settings.rate,
        max_speed=speeds,
        max_force=forces,
    )
    return replace(state, fighters=replace(fighters, positions=positions, velocities=velocities))


def _player_velocity(derived: TetherDerived, state: State, speed: float) -> Floats:
    """Return the velocity of the fighter that a person plays."""
    position = state.fighters.positions[state.player]
    if state.walk is None:
        return np.array(state.steer) * speed
    cells = derived.cells(np.array([position, state.walk]))
    path = derived.paths_to(int(cells[1])).descend(derived.centers[cells[0]])
    goal = np.array(state.walk)
    if path and len(path) > 1 and not derived.in_sight(int(cells[0]))[cells[1]]:
        visible_cells = derived.in_sight(int(cells[0]))[path.cells]
        goal = derived.centers[path.cells[max(int(np.argmin(visible_cells)) - 1, 1)]]
    gap = away(derived.ground, position, goal)
    far = float(np.hypot(*gap))
    return np.asarray(gap / max(far, 1e-12) * speed * min(1.0, far / (_SLOWING * derived.cell)))


def _end(derived: TetherDerived, state: State) -> State:
    """Return the state, over if a side has fallen or time is up; a fallen player loses control."""
    left = [len(state.fighters.of(side)) for side in (0, 1)]
    if all(left) and state.step < derived.settings.steps(derived.settings.limit):
        if state.player != NOBODY and not state.fighters.alive[state.player]:
            return replace(state, player=NOBODY, steer=(0.0, 0.0), walk=None)
        return state
    if min(left) == 0:
        scores = left
    else:
        scores = state.dealt.tolist()
    if scores[0] == scores[1]:
        winner = NOBODY
    else:
        winner = int(scores[1] > scores[0])
    return replace(state, over=True, winner=winner)


@atomic
def step(
    derived: TetherDerived,
    state: State,
    orders: Sequence[Order],
    rng: np.random.Generator,
    ai: DuelAI = plans_of,
) -> State:
    """Return the next state; the given one does not change. After the end nothing changes.

    Raises `InvalidValue` or `OutsideMap` for an impossible order.
    """
    state = apply(derived, state, orders)
    if state.over:
        return state
    return advance(derived, state, rng, ai)
