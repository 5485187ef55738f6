"""What orders of all games share: those of sliders, directions, and the refusal of unknown ones."""

from __future__ import annotations

import math
from types import UnionType
from typing import get_args

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.game import InputFrame
from fieldcraft_worlds.games.slider import Tune


def tuning_orders(inputs: InputFrame) -> list[Tune]:
    """Return an order for each slider that was moved."""
    return [Tune(name, value) for name, value in inputs.sliders.items()]


def checked_direction(x: float, y: float) -> tuple[float, float]:
    """Return a direction at most 1 long: the given one, or shortened; refuse NaN and infinity."""
    x = checks.finite("x", x)
    y = checks.finite("y", y)
    far = max(math.hypot(x, y), 1.0)
    return x / far, y / far


def not_an_order(order: object, orders: UnionType | type) -> InvalidValue:
    """Return the error for an order that a game does not know.

    Parameters
    ----------
    order : object
        What came.
    orders : type
        The class of orders of the game, or the union of all of them.
    """
    names = [kind.__name__ for kind in get_args(orders) or (orders,)]
    return InvalidValue(
        f"An order is one of {', '.join(names)}",
        got=repr(order)[:80],
        remedy="Import them from the game's orders.py",
    )
