"""Orders of a player of the slime mold: add and remove cities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.orders import not_an_order
from fieldcraft_worlds.games.physarum.derived import PhysarumDerived
from fieldcraft_worlds.games.physarum.state import State

_MOST_CITIES = 64


@dataclass(frozen=True)
class Found:
    """Add a city at (x, y), or remove the one there."""

    position: tuple[float, float]


def apply(derived: PhysarumDerived, state: State, orders: Sequence[Found]) -> State:
    """Return the state after some orders; raises `InvalidValue` for a city in a wall."""
    for order in orders:
        state = _toggle_city(derived, state, order)
    return state


def _toggle_city(derived: PhysarumDerived, state: State, order: Found) -> State:
    """Return the state with a city more, or one less."""
    if not isinstance(order, Found):
        raise not_an_order(order, Found)
    grid = derived.grid
    cell = int(grid.cell_at(order.position))
    gaps = grid.position_of(state.cities).reshape(-1, 2) - grid.position_of(cell)
    away = np.hypot(gaps[:, 0], gaps[:, 1]) / grid.cell_size
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
