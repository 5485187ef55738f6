"""One step of a flock: birds see, turn and fly; some by layers, some by their neighbors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fieldcraft.errors import InvalidValue
from fieldcraft.interruption import atomic
from fieldcraft.steering import Swarm
from fieldcraft_worlds.games.flock.derived import FlockDerived
from fieldcraft_worlds.games.flock.orders import Order, apply
from fieldcraft_worlds.games.flock.state import State

__all__ = ["start", "step"]

_MOST_KEY = 2**62 - 1


def start(derived: FlockDerived, rng: np.random.Generator) -> State:
    """Return the first state: birds in any cells, heading anywhere. Raises `InvalidValue` on a map
    without open ground.
    """
    settings, space = derived.settings, derived.space
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
    """Return another state, a step later; the old one does not change.

    All birds decide on what they see now, then all move. Raises `InvalidValue`, `OutsideMap` or
    `UnknownName` for an order that cannot be followed; then nothing has happened.
    """
    state = apply(derived.grid, state, orders)
    known = {name: getattr(state, name) for name in ("key", "rule", "tuning", "walls", "predator")}
    return derived.next(state, **known)
