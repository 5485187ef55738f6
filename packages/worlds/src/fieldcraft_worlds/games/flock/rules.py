"""Rules of a flock: birds sense, turn and fly, by layers or by neighbors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.steering import Swarm
from fieldcraft_worlds.games.flock.derived import FlockDerived
from fieldcraft_worlds.games.flock.orders import Order, apply
from fieldcraft_worlds.games.flock.state import State

_MOST_KEY = 2**62 - 1


def start(derived: FlockDerived, rng: np.random.Generator) -> State:
    """Return the first state: birds in random cells with random headings. Raises `InvalidValue` on
    a map without open ground.
    """
    settings = derived.settings
    space = derived.space
    ground = np.flatnonzero(~space.walls)
    if not len(ground):
        raise InvalidValue("Birds need room", got="walls everywhere", remedy="Choose another map")
    cells = ground[rng.integers(len(ground), size=settings.birds)]
    key = int(rng.integers(_MOST_KEY))
    return State(
        step=0,
        key=key,
        rule=settings.rule,
        tuning=settings.tuning,
        agents=Swarm.at(space, space.position_of(cells).reshape(-1, 2), seed=key).agents,
        walls=space.walls.copy(),
        predator=None,
    )


@atomic
def step(
    derived: FlockDerived, state: State, orders: Sequence[Order], rng: np.random.Generator
) -> State:
    """Return the next state; the given one does not change.

    All birds decide on the same state. Raises `InvalidValue`, `OutsideMap` or `UnknownName` for an
    impossible order.
    """
    state = apply(derived.grid, state, orders)
    known = {name: getattr(state, name) for name in ("key", "rule", "tuning", "walls", "predator")}
    return derived.next(state, **known)
