"""Rules of a slime mold: agents follow and leave a trail, and cities smell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.interruption import atomic
from fieldcraft.steering import Swarm
from fieldcraft_worlds.games.physarum.derived import PhysarumDerived
from fieldcraft_worlds.games.physarum.state import State

_MOST_KEY = 2**62
_MOST_CITIES = 64
_USUAL = 1_000_000


@dataclass(frozen=True)
class Found:
    """Add a city at (x, y), or remove the one there."""

    position: tuple[float, float]


def start(derived: PhysarumDerived, rng: np.random.Generator) -> State:
    """Return the first state: cities far from each other on the largest part, agents at random."""
    settings = derived.settings
    grid = derived.grid
    ground = derived.ground
    key = int(rng.integers(_MOST_KEY))
    count = settings.agents or min(max(len(ground) // 2, 1), _USUAL)
    places = grid.position_of(ground[rng.integers(len(ground), size=count)]).reshape(-1, 2)
    swarm = Swarm.at(
        grid, places + rng.uniform(-0.49, 0.49, places.shape) * grid.cell_size, seed=key
    )
    return State(0, key, swarm.agents, np.zeros(grid.shape, np.float32), _cities(derived, rng))


def _cities(derived: PhysarumDerived, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return cells of cities: each the farthest of some random cells from those before."""
    chosen: list[int] = []
    for _ in range(derived.settings.cities):
        options = derived.ground[rng.integers(len(derived.ground), size=24)]
        if chosen:
            places, others = (
                derived.grid.position_of(cells).reshape(-1, 1, 2)
                for cells in (options, np.array(chosen))
            )
            gaps = np.hypot(*np.moveaxis(places - others.reshape(1, -1, 2), -1, 0)).min(axis=1)
            chosen.append(int(options[gaps.argmax()]))
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
    for order in orders:
        state = _toggle_city(derived, state, order)
    return derived.next(state, key=state.key, cities=state.cities)


def _toggle_city(derived: PhysarumDerived, state: State, order: Found) -> State:
    if not isinstance(order, Found):
        raise InvalidValue(
            "Orders are Found",
            got=type(order).__name__,
            remedy="Import it from games.physarum.rules",
        )
    grid = derived.grid
    cell = int(grid.cell_at(order.position))
    away = (
        np.hypot(*(grid.position_of(state.cities).reshape(-1, 2) - grid.position_of(cell)).T)
        / grid.cell_size
    )
    near = away <= max(derived.settings.city, 1.0)
    if near.any():
        return replace(state, cities=state.cities[~near])
    if grid.walls.reshape(-1)[cell] or len(state.cities) >= _MOST_CITIES:
        raise InvalidValue(
            f"At most {_MOST_CITIES} cities, on open ground",
            got=f"{order.position}",
            remedy="Choose another place",
        )
    return replace(state, cities=np.append(state.cities, cell))
