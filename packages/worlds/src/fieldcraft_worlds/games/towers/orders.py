"""The orders of players and commanders, and their effect on a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue
from fieldcraft_worlds.games.towers import ground
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.state import NOTHING, State, Towers
from fieldcraft_worlds.games.walking import away

__all__ = [
    "Begin",
    "Command",
    "March",
    "Order",
    "Place",
    "Regroup",
    "Remove",
    "Send",
    "Strike",
    "apply",
]


@dataclass(frozen=True)
class Place:
    """Put a tower of a team around the cell at (x, y), before the match begins."""

    team: int
    x: float
    y: float


@dataclass(frozen=True)
class Remove:
    """Take a tower of a team away again, before the match begins."""

    team: int
    tower: int


@dataclass(frozen=True)
class Begin:
    """Let the match begin; every team has a tower by then."""


@dataclass(frozen=True)
class Send:
    """Let a tower send units of the team's supply to a squad: as many as `count`, or as there are.
    They come out one by one.
    """

    team: int
    tower: int
    count: int
    squad: int


@dataclass(frozen=True)
class March:
    """Let a squad go to the open cell nearest to (x, y) and hold it, the shortest way or a safe
    one.
    """

    team: int
    squad: int
    x: float
    y: float
    safely: bool = False


@dataclass(frozen=True)
class Strike:
    """Let a squad go for an enemy tower, the shortest way or a safe one."""

    team: int
    squad: int
    tower: int
    safely: bool = False


@dataclass(frozen=True)
class Regroup:
    """Let all units of one squad join another."""

    team: int
    squad: int
    into: int


@dataclass(frozen=True)
class Command:
    """Let the orders of a team come from outside alone, or from its commander as well."""

    team: int
    by_hand: bool


Order = Command | Place | Remove | Begin | Send | March | Strike | Regroup


def apply(derived: TowersDerived, state: State, orders: Sequence[Order]) -> State:
    """The state after these orders, one after the other.

    Raises
    ------
    InvalidValue
        If an argument has a wrong value, shape or type.
    OutsideMap
        For the first that cannot be followed; the state itself is never changed.
    """
    for order in orders:
        if type(order) not in _RULES:
            raise InvalidValue(
                "An order is one of the towers game",
                got=repr(order),
                remedy="Pass Place(...), Begin(), Send(...), ...",
            )
        if state.over:
            raise InvalidValue(
                "Orders are for a match that goes on",
                got=f"{order} after its end",
                remedy="Start another match",
            )
        _check_numbers(derived, order)
        state = _RULES[type(order)](derived, state, order)
    return state


def _check_numbers(derived: TowersDerived, order: Order) -> None:
    settings = derived.settings
    for name, most in (
        ("team", len(settings.teams)),
        ("squad", settings.squads),
        ("into", settings.squads),
    ):
        if hasattr(order, name) and checks.integer(name, getattr(order, name)) >= most:
            raise InvalidValue(
                f"{name} is a number below {most}",
                got=f"{name}={getattr(order, name)} in {order}",
                remedy="Count from 0",
            )


def _place(derived: TowersDerived, state: State, order: Place) -> State:
    _before(state, order)
    settings = derived.settings
    team = order.team
    if np.count_nonzero(state.towers.teams == team) >= settings.towers:
        raise InvalidValue(
            f"A team has at most {settings.towers} towers",
            got=f"one more of {settings.teams[team]}",
            remedy="Remove one first",
        )
    cell = int(derived.space.cell_at((order.x, order.y)))
    refuse_site(derived, state.towers, team, cell)
    new = raised(settings, state.next_id, np.array([team]), np.array([cell]))
    return replace(state, towers=state.towers.joined(new), next_id=state.next_id + 1)


def refuse_site(derived: TowersDerived, towers: Towers, team: int, cell: int) -> None:
    """Raise `InvalidValue` if a team may not have a tower there: on open ground, out of enemy
    range, and cutting nobody off.
    """
    from fieldcraft import would_block

    settings, space = derived.settings, derived.walking
    derived.follow_towers(towers)
    cells = ground.standing(space, cell, settings.tower.size // 2)
    least = settings.tower.range * space.cell_size
    gaps = np.hypot(
        *away(space, space.position_of(cell), space.position_of(towers.cells).reshape(-1, 2)).T
    )
    near = (gaps < least) & (towers.teams != team)
    if near.any():
        raise InvalidValue(
            f"Towers are placed out of range of the enemy's, {least:g} or more apart",
            got=(
                f"{gaps[near].min():g} from a tower of {settings.teams[int(towers.teams[near][0])]}"
            ),
            remedy="Place it farther away",
        )
    around = ground.ring(space, cell, settings.tower.size // 2)
    if not len(around):
        raise InvalidValue(
            "A tower has open ground beside it",
            got=f"none around {ground.place(space, cell)}",
            remedy="Place it elsewhere",
        )
    if any(len(goals) and np.isin(goals, cells).all() for goals in derived.rings):
        raise InvalidValue(
            "Towers leave open ground beside each other",
            got=ground.place(space, cell),
            remedy="Place it farther away",
        )
    # All that could reach the ground beside it still can: so nobody is parted from anybody.
    if not ground.is_clear(space, settings.tower.size // 2).reshape(-1)[cell] and would_block(
        space, cells, space.position_of(around[:1])
    ):
        raise InvalidValue(
            "A tower blocks nobody's way",
            got=f"the only way through {ground.place(space, cell)}",
            remedy="Leave room beside it",
        )


def raised(
    settings: Any, first_id: int, teams: NDArray[np.int64], cells: NDArray[np.int64]
) -> Towers:
    """New towers, with ids from `first_id` on."""
    count = len(cells)
    zeros = np.zeros(count, dtype=np.int64)
    return Towers(
        ids=np.arange(first_id, first_id + count, dtype=np.int64),
        teams=teams.astype(np.int64),
        cells=cells.astype(np.int64),
        health=np.full(count, settings.tower.health),
        ready=zeros,
        trained=zeros.copy(),
        queues=zeros.copy(),
        heads_for=zeros.copy(),
    )


def _remove(derived: TowersDerived, state: State, order: Remove) -> State:
    _before(state, order)
    row = _tower_row(derived, state, order.tower, order.team)
    return replace(state, towers=state.towers.at(np.arange(len(state.towers)) != row))


def _begin(derived: TowersDerived, state: State, order: Begin) -> State:
    _before(state, order)
    settings = derived.settings
    bare = sorted(set(range(len(settings.teams))) - set(state.towers.teams.tolist()))
    if bare:
        raise InvalidValue(
            "A match begins when every team has a tower",
            got=f"none of {settings.teams[bare[0]]}",
            remedy="Click on open ground of your side to place one",
        )
    return replace(state, begun=True)


def _send(derived: TowersDerived, state: State, order: Send) -> State:
    _during(state, order)
    wanted = checks.integer("count", order.count, minimum=1)
    row = _tower_row(derived, state, order.tower, order.team)
    own = int(np.count_nonzero(state.units.teams == order.team)) + int(
        state.towers.queues[state.towers.teams == order.team].sum()
    )
    count = max(0, min(wanted, int(state.supply[order.team]), derived.settings.units - own))
    if not count:
        return state
    queues, heads_for, supply = (
        state.towers.queues.copy(),
        state.towers.heads_for.copy(),
        state.supply.copy(),
    )
    queues[row] += count
    heads_for[row] = order.squad
    supply[order.team] -= count
    return replace(
        state, towers=replace(state.towers, queues=queues, heads_for=heads_for), supply=supply
    )


def _march(derived: TowersDerived, state: State, order: March) -> State:
    _during(state, order)
    derived.follow_towers(state.towers)
    cell = int(derived.walking.nearest_open(derived.walking.cell_at((order.x, order.y))))
    return _told(state, order.team, order.squad, NOTHING, cell, order.safely)


def _strike(derived: TowersDerived, state: State, order: Strike) -> State:
    _during(state, order)
    row = _tower_row(derived, state, order.tower, None)
    if state.towers.teams[row] == order.team:
        raise InvalidValue(
            "A squad strikes the towers of others",
            got=f"{order}, its own tower",
            remedy="Pass an enemy tower's id",
        )
    return _told(state, order.team, order.squad, order.tower, NOTHING, order.safely)


def _command(derived: TowersDerived, state: State, order: Command) -> State:
    _check_flag("by_hand", order.by_hand)
    by_hand = state.by_hand.copy()
    by_hand[order.team] = order.by_hand
    return replace(state, by_hand=by_hand)


def _check_flag(name: str, flag: object) -> None:
    if not isinstance(flag, (bool, np.bool_)):
        raise InvalidValue(f"{name} is True or False", got=repr(flag), remedy="Pass one of the two")


def _told(state: State, team: int, squad: int, tower: int, cell: int, safely: bool) -> State:
    _check_flag("safely", safely)
    towers, cells, ways = (
        state.squads.towers.copy(),
        state.squads.cells.copy(),
        state.squads.safely.copy(),
    )
    towers[team, squad], cells[team, squad], ways[team, squad] = tower, cell, safely
    return replace(state, squads=replace(state.squads, towers=towers, cells=cells, safely=ways))


def _regroup(derived: TowersDerived, state: State, order: Regroup) -> State:
    _during(state, order)
    squads = state.units.squads.copy()
    squads[(state.units.teams == order.team) & (squads == order.squad)] = order.into
    return replace(state, units=replace(state.units, squads=squads))


def _before(state: State, order: Order) -> None:
    if state.begun:
        raise InvalidValue(
            "Towers are placed before the match begins",
            got=f"{order} at step {state.step}",
            remedy="Send units instead",
        )


def _during(state: State, order: Order) -> None:
    if not state.begun:
        raise InvalidValue(
            "Squads are led once the match has begun",
            got=f"{order} before",
            remedy="Pass Begin() first",
        )


def _tower_row(derived: TowersDerived, state: State, tower: int, team: int | None) -> int:
    rows = np.flatnonzero(state.towers.ids == checks.integer("tower", tower))
    if not len(rows):
        raise InvalidValue(
            "Orders name a tower that stands",
            got=f"tower {tower}",
            remedy="Look up its id in state.towers.ids",
        )
    row = int(rows[0])
    if team is not None and state.towers.teams[row] != team:
        owner, asking = (
            derived.settings.teams[int(state.towers.teams[row])],
            derived.settings.teams[team],
        )
        raise InvalidValue(
            "A team orders its own towers",
            got=f"tower {tower} of {owner} for {asking}",
            remedy="Pass one of its own",
        )
    return row


_RULES: dict[type, Any] = {
    Command: _command,
    Place: _place,
    Remove: _remove,
    Begin: _begin,
    Send: _send,
    March: _march,
    Strike: _strike,
    Regroup: _regroup,
}
