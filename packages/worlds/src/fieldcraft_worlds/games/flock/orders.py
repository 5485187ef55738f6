"""Orders of a player of the flock: obstacles, a predator, another rule, another tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fieldcraft import Grid
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.flock.settings import RULES
from fieldcraft_worlds.games.flock.state import State
from fieldcraft_worlds.games.orders import not_an_order
from fieldcraft_worlds.games.painting import brushed
from fieldcraft_worlds.games.settings import tuned
from fieldcraft_worlds.games.slider import Tune

__all__ = ["BRUSHES", "Fly", "Order", "Paint", "Scare", "Tune", "apply"]

BRUSHES = ("wall", "clear")


@dataclass(frozen=True)
class Paint:
    """Paint "wall", or "clear" walls, along a stroke of world positions (x, y). One cell stays
    open.
    """

    what: str
    stroke: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Scare:
    """Put the predator there, (x, y), or remove it: None."""

    position: tuple[float, float] | None


@dataclass(frozen=True)
class Fly:
    """Change the rule of birds."""

    rule: str


Order = Paint | Scare | Fly | Tune


def apply(grid: Grid, state: State, orders: Sequence[Order]) -> State:
    """Return the state after some orders; raises `InvalidValue`, `OutsideMap` or `UnknownName` for
    impossible ones.
    """
    for order in orders:
        if isinstance(order, Paint):
            state = _paint(grid, state, order)
        elif isinstance(order, Scare):
            if order.position is not None:
                grid.cell_at(order.position)
            state = replace(state, predator=order.position)
        elif isinstance(order, Fly):
            rule = checks.choice("rule", order.rule, RULES)
            state = replace(state, rule=rule)
        elif isinstance(order, Tune):
            state = replace(state, tuning=tuned(state.tuning, order))
        else:
            raise not_an_order(order, Order)
    return state


def _paint(grid: Grid, state: State, order: Paint) -> State:
    """Return the state with walls painted or cleared."""
    checks.choice("what", order.what, BRUSHES)
    cells = brushed(grid, order.stroke, state.tuning.brush * grid.cell_size)
    walls = state.walls.copy()
    walls.reshape(-1)[cells] = order.what == "wall"
    if walls.all():
        raise InvalidValue("Birds need room", got="walls everywhere", remedy="Leave a cell open")
    return replace(state, walls=walls)
