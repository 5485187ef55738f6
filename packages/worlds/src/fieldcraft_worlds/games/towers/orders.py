"""Orders of players and AI, and their effects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.orders import not_an_order
from fieldcraft_worlds.games.towers import ground
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.state import NOTHING, State, Towers
from fieldcraft_worlds.games.walking import away


@dataclass(frozen=True)
class Place:
    """Place a tower of a team around the cell at (x, y), before the match begins."""

    team: int
    x: float
    y: float


@dataclass(frozen=True)
class Remove:
    """Remove a tower of a team, before the match begins."""

    team: int
    tower: int


@dataclass(frozen=True)
class Begin:
    """Start the match; every team needs a tower."""


@dataclass(frozen=True)
class Send:
    """Send units of the team's supply from a tower to a squad, at most `count`, one by one."""

    team: int
    tower: int
    count: int
    squad: int


@dataclass(frozen=True)
class Advance:
    """Move a squad to the open cell nearest to (x, y), by the shortest or a safe path."""

    team: int
    squad: int
    x: float
    y: float
    safely: bool = False


@dataclass(frozen=True)
class Strike:
    """Send a squad against an enemy tower, by the shortest or a safe path."""

    team: int
    squad: int
    tower: int
    safely: bool = False


@dataclass(frozen=True)
class Regroup:
    """Move all units of one squad into another."""

    team: int
    squad: int
    into: int


@dataclass(frozen=True)
class Command:
    """Let only a player lead a team, or its AI as well."""

    team: int
    by_hand: bool


Order = Command | Place | Remove | Begin | Send | Advance | Strike | Regroup


def apply(derived: TowersDerived, state: State, orders: Sequence[Order]) -> State:
    """Return the state after some orders.

    Raises
    ------
    InvalidValue
        For the first impossible order.
    OutsideMap
        For a position outside the map.
    """
    for order in orders:
        if type(order) not in _RULES:
            raise not_an_order(order, Order)
        if state.over:
            raise InvalidValue(
                "A match that has ended takes no orders",
                got=f"{order} after the end",
                remedy="Start another match",
            )
        _check_numbers(derived, order)
        state = _RULES[type(order)](derived, state, order)
    return state


def _check_numbers(derived: TowersDerived, order: Order) -> None:
    """Refuse teams and squads that don't exist."""
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
    _check_not_begun(state, order)
    settings = derived.settings
    team = order.team
    if np.count_nonzero(state.towers.teams == team) >= settings.towers:
        raise InvalidValue(
            f"A team has at most {settings.towers} towers",
            got=f"one more of {settings.teams[team]}",
            remedy="Remove one first",
        )
    cell = int(derived.space.cell_at((order.x, order.y)))
    check_site(derived, state.towers, team, cell)
    new = new_towers(settings, state.next_id, np.array([team]), np.array([cell]))
    return replace(state, towers=state.towers.joined(new), next_id=state.next_id + 1)


def check_site(derived: TowersDerived, towers: Towers, team: int, cell: int) -> None:
    """Raise `InvalidValue` for a site that is not open ground, in range of an enemy tower, or cuts
    a path.
    """
    from fieldcraft import would_block

    settings = derived.settings
    space = derived.walking
    derived.follow_towers(towers)
    cells = ground.block_of_tower(space, cell, settings.tower.size // 2)
    least = settings.tower.range * space.cell_size
    middles = space.position_of(towers.cells).reshape(-1, 2)
    offsets = away(space, space.position_of(cell), middles)
    gaps = np.hypot(offsets[:, 0], offsets[:, 1])
    near = (gaps < least) & (towers.teams != team)
    if near.any():
        raise InvalidValue(
            f"A tower must be {least:g} or more from enemy towers",
            got=(
                f"{gaps[near].min():g} from a tower of {settings.teams[int(towers.teams[near][0])]}"
            ),
            remedy="Place it farther away",
        )
    around = ground.ring(space, cell, settings.tower.size // 2)
    if not len(around):
        raise InvalidValue(
            "A tower needs open ground beside it",
            got=f"none around {ground.place(space, cell)}",
            remedy="Place it elsewhere",
        )
    if any(len(goals) and np.isin(goals, cells).all() for goals in derived.rings):
        raise InvalidValue(
            "Other towers need open ground beside them",
            got=ground.place(space, cell),
            remedy="Place it farther away",
        )
    # The ground stays connected if all cells that reach the ring around it still do.
    if not ground.is_clear(space, settings.tower.size // 2).reshape(-1)[cell] and would_block(
        space, cells, space.position_of(around[:1])
    ):
        raise InvalidValue(
            "A tower must not block the only path",
            got=f"that through {ground.place(space, cell)}",
            remedy="Leave room beside it",
        )


def new_towers(
    settings: Any, first_id: int, teams: NDArray[np.int64], cells: NDArray[np.int64]
) -> Towers:
    """Return new towers, with ids from `first_id` on."""
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
    _check_not_begun(state, order)
    row = _tower_row(derived, state, order.tower, order.team)
    return replace(state, towers=state.towers.at(np.arange(len(state.towers)) != row))


def _begin(derived: TowersDerived, state: State, order: Begin) -> State:
    _check_not_begun(state, order)
    settings = derived.settings
    bare = sorted(set(range(len(settings.teams))) - set(state.towers.teams.tolist()))
    if bare:
        raise InvalidValue(
            "Every team needs a tower before the match starts",
            got=f"no tower of {settings.teams[bare[0]]}",
            remedy="Click on open ground of your side to place one",
        )
    return replace(state, begun=True)


def _send(derived: TowersDerived, state: State, order: Send) -> State:
    _check_begun(state, order)
    most = checks.integer("count", order.count, minimum=1)
    row = _tower_row(derived, state, order.tower, order.team)
    alive = int(np.count_nonzero(state.units.teams == order.team))
    queued = int(state.towers.queues[state.towers.teams == order.team].sum())
    remaining = derived.settings.units - alive - queued
    count = max(0, min(most, int(state.supply[order.team]), remaining))
    if not count:
        return state
    queues = state.towers.queues.copy()
    heads_for = state.towers.heads_for.copy()
    supply = state.supply.copy()
    queues[row] += count
    heads_for[row] = order.squad
    supply[order.team] -= count
    return replace(
        state, towers=replace(state.towers, queues=queues, heads_for=heads_for), supply=supply
    )


def _advance(derived: TowersDerived, state: State, order: Advance) -> State:
    _check_begun(state, order)
    derived.follow_towers(state.towers)
    cell = int(derived.walking.nearest_open(derived.walking.cell_at((order.x, order.y))))
    return _set_orders(state, order.team, order.squad, NOTHING, cell, order.safely)


def _strike(derived: TowersDerived, state: State, order: Strike) -> State:
    _check_begun(state, order)
    row = _tower_row(derived, state, order.tower, None)
    if state.towers.teams[row] == order.team:
        raise InvalidValue(
            "A squad attacks towers of other teams",
            got=f"{order}, its own tower",
            remedy="Click on an enemy tower",
        )
    return _set_orders(state, order.team, order.squad, order.tower, NOTHING, order.safely)


def _command(derived: TowersDerived, state: State, order: Command) -> State:
    _check_flag("by_hand", order.by_hand)
    by_hand = state.by_hand.copy()
    by_hand[order.team] = order.by_hand
    return replace(state, by_hand=by_hand)


def _check_flag(name: str, flag: object) -> None:
    if not isinstance(flag, (bool, np.bool_)):
        raise InvalidValue(f"{name} is True or False", got=repr(flag), remedy="Pass one of the two")


def _set_orders(state: State, team: int, squad: int, tower: int, cell: int, safely: bool) -> State:
    _check_flag("safely", safely)
    towers = state.squads.towers.copy()
    cells = state.squads.cells.copy()
    safe = state.squads.safely.copy()
    towers[team, squad] = tower
    cells[team, squad] = cell
    safe[team, squad] = safely
    return replace(state, squads=replace(state.squads, towers=towers, cells=cells, safely=safe))


def _regroup(derived: TowersDerived, state: State, order: Regroup) -> State:
    _check_begun(state, order)
    squads = state.units.squads.copy()
    squads[(state.units.teams == order.team) & (squads == order.squad)] = order.into
    return replace(state, units=replace(state.units, squads=squads))


def _check_not_begun(state: State, order: Order) -> None:
    if state.begun:
        raise InvalidValue(
            "Towers can be placed before the match starts",
            got=f"{order} at step {state.step}",
            remedy="Send units instead",
        )


def _check_begun(state: State, order: Order) -> None:
    if not state.begun:
        raise InvalidValue(
            "Squads can move after the match has started",
            got=f"{order} before",
            remedy="Start the match first: press space",
        )


def _tower_row(derived: TowersDerived, state: State, tower: int, team: int | None) -> int:
    """Return the row of a tower by its id; refuse one of another team than `team`."""
    rows = np.flatnonzero(state.towers.ids == checks.integer("tower", tower))
    if not len(rows):
        raise InvalidValue(
            "Orders need an existing tower",
            got=f"tower {tower}",
            remedy="Click on a tower",
        )
    row = int(rows[0])
    if team is not None and state.towers.teams[row] != team:
        owner = derived.settings.teams[int(state.towers.teams[row])]
        asking = derived.settings.teams[team]
        raise InvalidValue(
            "A team orders its own towers",
            got=f"tower {tower} of {owner} for {asking}",
            remedy="Click on a tower of your own",
        )
    return row


_RULES: dict[type, Any] = {
    Command: _command,
    Place: _place,
    Remove: _remove,
    Begin: _begin,
    Send: _send,
    Advance: _advance,
    Strike: _strike,
    Regroup: _regroup,
}
