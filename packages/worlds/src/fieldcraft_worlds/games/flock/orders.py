"""The orders of a player of the flock: obstacles, a predator, another rule, another tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fieldcraft import Grid, checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.flock.settings import RULES
from fieldcraft_worlds.games.flock.state import State
from fieldcraft_worlds.games.painting import brushed
from fieldcraft_worlds.games.settings import tuned
from fieldcraft_worlds.games.slider import Tune

__all__ = ["BRUSHES", "Fly", "Order", "Paint", "Scare", "Tune", "apply"]

BRUSHES = ("wall", "clear")


@dataclass(frozen=True)
class Paint:
    """Paint a "wall", or "clear" walls away, along a stroke: world positions (x, y), one or more. A
    map keeps an open cell.
    """

    what: str
    stroke: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Scare:
    """Put the predator there, (x, y), or away: None."""

    position: tuple[float, float] | None


@dataclass(frozen=True)
class Fly:
    """Let birds fly by another rule."""

    rule: str


Order = Paint | Scare | Fly | Tune


def apply(grid: Grid, state: State, orders: Sequence[Order]) -> State:
    """The state with all orders followed; raises `InvalidValue`, `OutsideMap` or `UnknownName` for
    one that cannot be.
    """
    for order in orders:
        if isinstance(order, Paint):
            state = _painted(grid, state, order)
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
            raise InvalidValue(
                "Orders are Paint, Scare, Fly or Tune",
                got=type(order).__name__,
                remedy="Import them from games.flock.orders",
            )
    return state


def _painted(grid: Grid, state: State, order: Paint) -> State:
    checks.choice("what", order.what, BRUSHES)
    walls = state.walls.copy()
    walls.reshape(-1)[brushed(grid, order.stroke, state.tuning.brush * grid.cell_size)] = (
        order.what == "wall"
    )
    if walls.all():
        raise InvalidValue("Birds need room", got="walls everywhere", remedy="Leave a cell open")
    return replace(state, walls=walls)
