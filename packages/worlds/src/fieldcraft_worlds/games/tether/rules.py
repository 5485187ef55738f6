"""One step of a duel: fighters hit whom they reach, think, and walk; then it is seen whether it has
ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft_worlds.games.tether.ai import Plan, ahead, planned
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.orders import Order, apply
from fieldcraft_worlds.games.tether.state import NOBODY, Fighters, Shots, State, Tuning
from fieldcraft_worlds.games.walking import away

__all__ = ["Brains", "advance", "reaches", "start", "step"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Brains = Callable[[TetherDerived, State], dict[int, Plan]]
"""Gives fighters their plans by number, as `brains.planned` does."""

_APART = 0.6  # of the farthest way there is, at least so far the sides start from each other
_SLOWING = 0.5  # cells from an aim at which a fighter begins to slow down


def start(derived: TetherDerived, rng: np.random.Generator) -> State:
    """The state before the first step: two places far from each other and, if there are such, out
    of sight.

    Raises
    ------
    InvalidValue
        If the map has no room for them.
    """
    settings, count = derived.settings, derived.settings.fighters
    open_cells = np.flatnonzero(~derived.ground.walls.reshape(-1))
    if not len(open_cells):
        raise InvalidValue(
            "Fighters stand on open ground", got="a map of walls", remedy="Use another map"
        )
    here = int(open_cells[rng.integers(len(open_cells))])
    far = derived.distances(here).exact.reshape(-1)
    reached = np.flatnonzero(np.isfinite(far))
    if len(reached) < 4 * count:
        raise InvalidValue(
            "A duel has room for its fighters",
            got=(
                f"{len(reached)} cells around {tuple(derived.centers[here].tolist())} for"
                f" {2 * count} of them"
            ),
            remedy="Use a larger map, fewer fighters, or another seed",
        )
    distant = reached[far[reached] >= _APART * far[reached].max()]
    hidden = distant[~derived.seen(here)[distant]]
    there = int(
        (hidden if len(hidden) else distant)[
            rng.integers(len(hidden) if len(hidden) else len(distant))
        ]
    )
    groups = [
        _around(derived, cell, count)
        for cell in ((there, here) if settings.swapped else (here, there))
    ]
    if len(np.intersect1d(groups[0], groups[1])):
        raise InvalidValue(
            "Two sides start apart",
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
        brains=settings.led_by,
        tuning=Tuning(settings.long.range, settings.short.range, settings.threat, settings.caution),
        player=NOBODY,
        steer=(0.0, 0.0),
        walk=None,
    )


def advance(
    derived: TetherDerived, state: State, rng: np.random.Generator, decide: Brains = planned
) -> State:
    """The state a step later; fighters `decide` by their brains, or by yours. Who hits whom is
    decided for all at once: nobody is first.
    """
    state = _shot(derived, state, rng)
    if state.step % derived.settings.steps(derived.settings.think) == 0:
        state = _thought(derived, state, decide)
    return _judged(derived, replace(_walked(derived, state), step=state.step + 1))


def reaches(derived: TetherDerived, state: State) -> NDArray[np.bool_]:
    """The pairs of fighters that could hit each other, bool (F, F): an enemy that stands, in range
    and in sight.
    """
    fighters = state.fighters
    gaps = away(derived.ground, fighters.positions[:, None], fighters.positions[None])
    apart = np.hypot(gaps[..., 0], gaps[..., 1]) / derived.cell
    ranges = np.array(state.tuning.ranges)[fighters.sides]
    found = (apart <= ranges[:, None] + 1e-9) & (fighters.sides[:, None] != fighters.sides[None])
    found &= fighters.alive[:, None] & fighters.alive[None]
    cells = derived.cells(fighters.positions)
    for number in np.flatnonzero(found.any(axis=1)).tolist():
        found[number] &= derived.seen(int(cells[number]))[cells]
    return np.asarray(found)


def _around(derived: TetherDerived, cell: int, count: int) -> Ints:
    """The cells nearest to one to walk to, itself first; every second one, so that there is room
    between them.
    """
    far = derived.distances(cell).exact.reshape(-1)
    order = np.argsort(far, kind="stable")
    order = order[np.isfinite(far[order])]
    return np.asarray(
        order[: 2 * count : 2] if len(order) >= 2 * count else order[:count], dtype=np.int64
    )


def _shot(derived: TetherDerived, state: State, rng: np.random.Generator) -> State:
    """Everybody who is ready hits the weakest enemy within reach."""
    fighters = state.fighters
    able = reaches(derived, state) & (fighters.ready <= state.step)[:, None]
    hitting = np.flatnonzero(able.any(axis=1))
    if not len(hitting):
        return replace(state, shots=Shots.none())
    health, ready = fighters.health.copy(), fighters.ready.copy()
    dealt, hits = state.dealt.copy(), state.hits.copy()
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


def _thought(derived: TetherDerived, state: State, decide: Brains) -> State:
    plans = decide(derived, state)
    if not plans:
        return state
    aims = state.fighters.aims.copy()
    cells = derived.cells(state.fighters.positions)
    for number, plan in plans.items():
        aim = ahead(derived, plan)
        aims[number] = (
            state.fighters.positions[number] if aim == cells[number] else derived.centers[aim]
        )
    return replace(state, fighters=replace(state.fighters, aims=aims))


def _walked(derived: TetherDerived, state: State) -> State:
    fighters = state.fighters
    standing = np.flatnonzero(fighters.alive)
    rules = [derived.settings.rules[side] for side in fighters.sides[standing].tolist()]
    speeds, forces = (
        np.array([getattr(rule, name) for rule in rules]) * derived.cell
        for name in ("speed", "force")
    )
    gaps = away(derived.ground, fighters.positions[standing], fighters.aims[standing])
    far = np.hypot(gaps[:, 0], gaps[:, 1])
    pace = speeds * np.minimum(1.0, far / (_SLOWING * derived.cell))
    wish = gaps / np.maximum(far, 1e-12)[:, None] * pace[:, None]
    led = np.flatnonzero(standing == state.player)
    if len(led):
        wish[led] = _by_hand(derived, state, float(speeds[led[0]]))
    positions, velocities = fighters.positions.copy(), np.zeros_like(fighters.velocities)
    positions[standing], velocities[standing] = derived.crowd.step(
        fighters.positions[standing],
        fighters.velocities[standing],
        wish,
        1 / derived.settings.rate,
        max_speed=speeds,
        max_force=forces,
    )
    return replace(state, fighters=replace(fighters, positions=positions, velocities=velocities))


def _by_hand(derived: TetherDerived, state: State, speed: float) -> Floats:
    """The velocity that the player wants."""
    position = state.fighters.positions[state.player]
    if state.walk is None:
        return np.array(state.steer) * speed
    cells = derived.cells(np.array([position, state.walk]))
    path = derived.distances(int(cells[1])).descend(derived.centers[cells[0]])
    goal = np.array(state.walk)
    if path and len(path) > 1 and not derived.seen(int(cells[0]))[cells[1]]:
        seen = derived.seen(int(cells[0]))[path.cells]
        goal = derived.centers[path.cells[max(int(np.argmin(seen)) - 1, 1)]]
    gap = away(derived.ground, position, goal)
    far = float(np.hypot(*gap))
    return np.asarray(gap / max(far, 1e-12) * speed * min(1.0, far / (_SLOWING * derived.cell)))


def _judged(derived: TetherDerived, state: State) -> State:
    left = [len(state.fighters.of(side)) for side in (0, 1)]
    if all(left) and state.step < derived.settings.steps(derived.settings.limit):
        if state.player != NOBODY and not state.fighters.alive[state.player]:
            return replace(state, player=NOBODY, steer=(0.0, 0.0), walk=None)
        return state
    scores = left if min(left) == 0 else state.dealt.tolist()
    winner = NOBODY if scores[0] == scores[1] else int(scores[1] > scores[0])
    return replace(state, over=True, winner=winner)


@atomic
def step(
    derived: TetherDerived,
    state: State,
    orders: Sequence[Order],
    rng: np.random.Generator,
    decide: Brains = planned,
) -> State:
    """Another state, a step later; the old one stays as it was. After the end nothing changes.

    Fighters `decide` by their brains, or by yours. Raises `InvalidValue` or `OutsideMap` for an
    order that cannot be followed; then nothing has happened.
    """
    state = apply(derived, state, orders)
    return state if state.over else advance(derived, state, rng, decide)
