"""Orders of a player of the chase."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.arrays import Floats
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.settings import SEARCHING, Settings
from fieldcraft_worlds.games.chase.state import CIVILIAN, NOBODY, NOTHING, RUN, SNEAK, WALK, State
from fieldcraft_worlds.games.orders import checked_direction, not_an_order

_CALLED = 12.0  # units from the player to a civilian that it calls

GAITS = {"sneak": SNEAK, "walk": WALK, "run": RUN}


@dataclass(frozen=True)
class Walk:
    """Walk in a direction up to 1 long, in world axes; (0, 0) to stand. A person plays from then
    on.
    """

    x: float
    y: float


@dataclass(frozen=True)
class Go:
    """Walk to the place nearest to a position by the shortest path. A person plays from then on."""

    x: float
    y: float


@dataclass(frozen=True)
class Pace:
    """Continue in this gait: "sneak", "walk" or "run"."""

    gait: str


@dataclass(frozen=True)
class Throw:
    """Throw a stone to a position: hunters hear it fall."""

    x: float
    y: float


@dataclass(frozen=True)
class Lead:
    """Play by hand, or let the script play again."""

    by_hand: bool


@dataclass(frozen=True)
class SearchBy:
    """Let hunters search by a method: "flood", "belief", "last", "random" or "party"."""

    how: str


@dataclass(frozen=True)
class Call:
    """Call the nearest civilian to come along, in place of the one before: a companion."""


Order = Walk | Go | Pace | Throw | Lead | SearchBy | Call


def apply_orders(
    ground: ChaseGround, settings: Settings, state: State, orders: Iterable[Order]
) -> tuple[State, list[Floats]]:
    """Return the state after some orders, and the positions of thrown stones. Raises `InvalidValue`
    or `OutsideMap` for impossible ones.
    """
    stones = []
    for order in orders:
        if isinstance(order, Walk):
            wish = np.zeros(ground.dimensions)
            wish[:2] = checked_direction(order.x, order.y)
            state = replace(state, wish=wish, goal=NOTHING, by_hand=True)
        elif isinstance(order, Go):
            cell = ground.place(order.x, order.y, state.people.positions[0])
            state = replace(state, goal=cell, wish=np.zeros(ground.dimensions), by_hand=True)
        elif isinstance(order, Pace):
            state = replace(
                state, gait=GAITS[checks.choice("gait", order.gait, tuple(GAITS))], by_hand=True
            )
        elif isinstance(order, Lead):
            if not isinstance(order.by_hand, bool):
                raise InvalidValue(
                    "by_hand is True or False", got=repr(order.by_hand), remedy="Pass one of them"
                )
            state = replace(
                state, by_hand=order.by_hand, goal=NOTHING, wish=np.zeros(ground.dimensions)
            )
        elif isinstance(order, SearchBy):
            state = replace(state, search=checks.choice("how", order.how, SEARCHING))
        elif isinstance(order, Call):
            state = _call(ground, state)
        elif isinstance(order, Throw):
            state, place = _throw(ground, settings, state, order)
            stones.append(place)
        else:
            raise not_an_order(order, Order)
    return state, stones


def _call(ground: ChaseGround, state: State) -> State:
    people = state.people
    targets = state.people.targets.copy()
    rows = people.rows(CIVILIAN)
    gaps = ground.away(people.positions[0], people.positions[rows])
    far = np.sqrt((gaps**2).sum(axis=1)) / ground.unit
    if not len(rows) or far.min() > _CALLED:
        got = "none"
        if len(rows):
            got = f"{far.min():.0f} units to the nearest"
        raise InvalidValue(
            f"A civilian within {_CALLED:g} units can hear you",
            got=got,
            remedy="Walk closer to one",
        )
    targets[rows] = NOBODY
    targets[rows[np.argmin(far)]] = 0
    return state.with_people(targets=targets)


def _throw(
    ground: ChaseGround, settings: Settings, state: State, order: Throw
) -> tuple[State, Floats]:
    if state.stones <= 0:
        raise InvalidValue("You need a stone to throw", got="none left", remedy="Sneak instead")
    place = ground.space.position_of(ground.place(order.x, order.y, state.people.positions[0]))
    far = float(np.sqrt((ground.away(state.people.positions[0], place) ** 2).sum())) / ground.unit
    if far > settings.player.throw:
        raise InvalidValue(
            f"A stone flies {settings.player.throw:g} units at most",
            got=f"{far:.1f} units",
            remedy="Click nearer, or walk closer first",
        )
    return replace(state, stones=state.stones - 1), place
