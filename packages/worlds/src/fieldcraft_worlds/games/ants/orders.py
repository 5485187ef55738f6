"""Orders of a player of ants: paint food and walls, tune, change the kind of trails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldcraft.base import checks
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.settings import TRAILS
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.orders import not_an_order
from fieldcraft_worlds.games.painting import brushed
from fieldcraft_worlds.games.settings import tuned
from fieldcraft_worlds.games.slider import Tune

__all__ = ["BRUSHES", "Leave", "Order", "Paint", "Tune", "apply"]

BRUSHES = ("food", "wall", "clear")


@dataclass(frozen=True)
class Paint:
    """Paint "food" or "wall", or "clear" both, along a stroke of world positions (x, y), but not on
    the nest.
    """

    what: str
    stroke: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Leave:
    """Leave another kind of trails; the old trails are removed, and the tuning is that of the new
    kind.
    """

    trails: str


Order = Paint | Tune | Leave


def apply(derived: AntsDerived, state: State, orders: Sequence[Order]) -> State:
    """Return the state after some orders; raises `InvalidValue` or `UnknownName` for impossible
    ones.
    """
    for order in orders:
        if isinstance(order, Paint):
            state = _paint(derived, state, order)
        elif isinstance(order, Tune):
            state = replace(state, tuning=tuned(state.tuning, order))
        elif isinstance(order, Leave):
            trails = checks.choice("trails", order.trails, TRAILS)
            if trails != state.trails:
                tuning = replace(derived.settings.tuning(trails), brush=state.tuning.brush)
                state = replace(
                    state, trails=trails, tuning=tuning, planes=np.zeros_like(state.planes)
                )
        else:
            raise not_an_order(order, Order)
    return state


def _paint(derived: AntsDerived, state: State, order: Paint) -> State:
    """Return the state with food or walls painted, or both cleared."""
    checks.choice("what", order.what, BRUSHES)
    cells = brushed(derived.grid, order.stroke, state.tuning.brush * derived.grid.cell_size)
    cells = cells[~derived.is_nest(state.nest)[cells]]
    walls = state.walls.copy()
    food = state.food.copy()
    if order.what == "food":
        cells = cells[~walls.reshape(-1)[cells]]
        food.reshape(-1)[cells] = np.maximum(food.reshape(-1)[cells], derived.settings.food)
    else:
        walls.reshape(-1)[cells] = order.what == "wall"
        food.reshape(-1)[cells] = 0
    return replace(state, walls=walls, food=food)
