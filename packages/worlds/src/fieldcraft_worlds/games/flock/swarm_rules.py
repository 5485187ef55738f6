"""One step of a flock that is a swarm: the rules of the birds in whole numbers, which a graphics
card keeps as the CPU does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fieldcraft.interruption import whole
from fieldcraft.steering import Swarm
from fieldcraft_worlds.games.flock import rules
from fieldcraft_worlds.games.flock.orders import Order, apply
from fieldcraft_worlds.games.flock.swarm_mirror import SwarmMirror
from fieldcraft_worlds.games.flock.swarm_state import SwarmState

__all__ = ["start", "step"]


def start(mirror: SwarmMirror, rng: np.random.Generator) -> SwarmState:
    """The first state: that of the other birds, in whole numbers. Raises `InvalidValue` where all
    is wall.
    """
    first = rules.start(mirror, rng)
    agents = Swarm.at(mirror.space, first.positions, first.headings, seed=first.key).agents
    return SwarmState(
        step=0, key=first.key, tuning=first.tuning, agents=agents, walls=first.walls, predator=None
    )


@whole
def step(
    mirror: SwarmMirror, state: SwarmState, orders: Sequence[Order], rng: np.random.Generator
) -> SwarmState:
    """Another state, a step later; the old one stays as it was.

    Raises `InvalidValue`, `OutsideMap` or `UnknownName` for an order that cannot be followed; then
    nothing has happened.
    """
    state = apply(mirror.grid, state, orders)
    return mirror.next(
        state, key=state.key, tuning=state.tuning, walls=state.walls, predator=state.predator
    )
