"""Orders of a player of the maze, and how monsters explore."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.maze.derived import MazeDerived
from fieldcraft_worlds.games.maze.state import NOWHERE, Player, State
from fieldcraft_worlds.games.orders import not_an_order


@dataclass(frozen=True)
class Steer:
    """Steer in a direction, in world axes, slower if it is shorter than 1; (0, 0) stops at the next
    cell.
    """

    x: float
    y: float


@dataclass(frozen=True)
class Lead:
    """Play by hand, or let the script play again."""


@dataclass(frozen=True)
class Explore:
    """Let monsters explore by their memory, empty at first, or by chance."""

    by_memory: bool


Order = Steer | Lead | Explore


def apply(derived: MazeDerived, state: State, orders: Sequence[Order]) -> State:
    """Return the state after some orders; raises `InvalidValue` for an impossible one."""
    for order in orders:
        if isinstance(order, Explore):
            if order.by_memory:
                state = replace(state, memory=derived.blank)
            else:
                state = replace(state, memory={})
        elif isinstance(order, Lead):
            by_hand = not state.player.by_hand
            player = replace(state.player, by_hand=by_hand, wish=(0.0, 0.0), goal=NOWHERE)
            state = replace(state, player=player)
        elif isinstance(order, Steer):
            state = replace(state, player=_steered(state.player, order))
        else:
            raise not_an_order(order, Order)
    return state


def _steered(player: Player, order: Steer) -> Player:
    """Return the player with a wish, played by hand."""
    if not (math.isfinite(order.x) and math.isfinite(order.y)):
        raise InvalidValue(
            "A player is steered by two numbers", got=repr(order)[:80], remedy="Pass Steer(x, y)"
        )
    return replace(player, wish=(float(order.x), float(order.y)), by_hand=True, goal=NOWHERE)
