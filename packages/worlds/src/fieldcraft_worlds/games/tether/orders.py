"""Orders of a player of the duel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.orders import checked_direction, not_an_order
from fieldcraft_worlds.games.settings import tuned
from fieldcraft_worlds.games.slider import Tune
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.settings import BRAINS, SIDES
from fieldcraft_worlds.games.tether.state import NOBODY, State

__all__ = ["Lead", "Leave", "Order", "Steer", "Take", "Tune", "Walk", "apply"]


@dataclass(frozen=True)
class Take:
    """Play a fighter of a side, 0 or 1: the next one alive."""

    side: int


@dataclass(frozen=True)
class Leave:
    """Let the AI of its side play the fighter again."""


@dataclass(frozen=True)
class Steer:
    """Walk in a direction; its length is the share of the full speed, (0, 0) stops."""

    x: float
    y: float


@dataclass(frozen=True)
class Walk:
    """Walk to a place."""

    x: float
    y: float


@dataclass(frozen=True)
class Lead:
    """Change the AI of a side."""

    side: int
    brain: str


Order = Take | Leave | Steer | Walk | Lead | Tune


def apply(derived: TetherDerived, state: State, orders: Sequence[Order]) -> State:
    """Return the state after some orders; raises `InvalidValue` or `OutsideMap` for impossible
    ones.
    """
    for order in orders:
        state = _apply(derived, state, order)
    return state


def _apply(derived: TetherDerived, state: State, order: Order) -> State:
    """Return the state after one order."""
    if isinstance(order, Take):
        return _take(state, _side(order.side))
    if isinstance(order, Leave):
        return replace(state, player=NOBODY, steer=(0.0, 0.0), walk=None)
    if isinstance(order, Lead):
        brains = list(state.brains)
        brains[_side(order.side)] = checks.choice("brain", order.brain, BRAINS)
        return replace(state, brains=(brains[0], brains[1]))
    if isinstance(order, Tune):
        return replace(state, tuning=tuned(state.tuning, order))
    if not isinstance(order, Steer | Walk):
        raise not_an_order(order, Order)
    if state.player == NOBODY:
        raise InvalidValue(
            "Only a fighter that you play can walk",
            got="none",
            remedy="Press M to play one",
        )
    if isinstance(order, Steer):
        return replace(state, steer=checked_direction(order.x, order.y), walk=None)
    cell = int(derived.ground.cell_at((order.x, order.y)))
    if derived.ground.walls.flat[cell]:
        raise InvalidValue(
            "A fighter walks on open ground",
            got=f"({order.x:g}, {order.y:g})",
            remedy="Click beside the wall",
        )
    return replace(state, steer=(0.0, 0.0), walk=(float(order.x), float(order.y)))


def _take(state: State, side: int) -> State:
    """Return the state with a person playing the next fighter of a side that is alive."""
    alive = state.fighters.of(side).tolist()
    if not alive:
        raise InvalidValue(
            "A fighter that you play is alive",
            got=f"none on the {SIDES[side]} side",
            remedy="Play one of the other side",
        )
    later = [number for number in alive if number > state.player]
    if later:
        player = later[0]
    else:
        player = alive[0]
    return replace(state, player=player, steer=(0.0, 0.0), walk=None)


def _side(side: int) -> int:
    """Return a side; refuse other numbers."""
    if side not in (0, 1):
        raise InvalidValue(
            "A side is 0, the long range, or 1, the short",
            got=repr(side),
            remedy="Pass one of the two",
        )
    return side
