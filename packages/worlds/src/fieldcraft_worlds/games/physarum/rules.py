"""Rules of a slime mold: agents follow and leave a trail, and cities smell."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.interruption import atomic
from fieldcraft.steering import Swarm
from fieldcraft_worlds.games.physarum.derived import PhysarumDerived
from fieldcraft_worlds.games.physarum.orders import Found, apply
from fieldcraft_worlds.games.physarum.state import State

_MOST_KEY = 2**62
_USUAL = 1_000_000  # most agents of a map by default


def start(derived: PhysarumDerived, rng: np.random.Generator) -> State:
    """Return the first state: cities far from each other on the largest part, agents at random."""
    settings = derived.settings
    grid = derived.grid
    ground = derived.ground
    key = int(rng.integers(_MOST_KEY))
    count = settings.agents or min(max(len(ground) // 2, 1), _USUAL)
    places = grid.position_of(ground[rng.integers(len(ground), size=count)]).reshape(-1, 2)
    places = places + rng.uniform(-0.49, 0.49, places.shape) * grid.cell_size
    swarm = Swarm.at(grid, places, seed=key)
    return State(0, key, swarm.agents, np.zeros(grid.shape, np.float32), _cities(derived, rng))


def _cities(derived: PhysarumDerived, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return cells of cities: each the farthest of some random cells from those before."""
    chosen: list[int] = []
    for _ in range(derived.settings.cities):
        options = derived.ground[rng.integers(len(derived.ground), size=24)]
        if chosen:
            places = derived.grid.position_of(options)
            others = derived.grid.position_of(np.array(chosen))
            gaps = places[:, np.newaxis] - others
            nearest = np.hypot(gaps[..., 0], gaps[..., 1]).min(axis=1)
            chosen.append(int(options[nearest.argmax()]))
        else:
            chosen.append(int(options[0]))
    return np.array(chosen, dtype=np.int64)


@atomic
def step(
    derived: PhysarumDerived, state: State, orders: Sequence[Found], rng: np.random.Generator
) -> State:
    """Return the next state; the given one does not change. Raises `InvalidValue` for a city in a
    wall.
    """
    state = apply(derived, state, orders)
    return derived.next(state, key=state.key, cities=state.cities)
