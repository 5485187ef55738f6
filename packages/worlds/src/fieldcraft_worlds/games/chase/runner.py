"""A player who is led by a program: fetches what is to be found, and runs from every hunter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import DistanceMap, distance_map, sees, visible
from fieldcraft_worlds.games.chase.ground import ChaseGround
from fieldcraft_worlds.games.chase.settings import Settings
from fieldcraft_worlds.games.chase.state import (
    CHASE,
    HUNTER,
    NOTHING,
    RUN,
    SEARCH,
    SNEAK,
    WALK,
    State,
)

__all__ = ["by_himself"]

Floats = NDArray[np.float64]

_LEAD = 0.5  # seconds that he wants to be ahead of hunters wherever he goes
_FAR = 45.0  # units from hunters at which one is as safe as can be
_WAY = 0.7  # what a unit of way to safety costs, in units of safety
_HIDDEN = 12.0  # what it is worth not to be seen there, in units of safety
_STAY = 6.0  # and to stay with what he decided
_OPEN = 40.0  # and what it is worth that one can run on from there, in units of safety
_AROUND = 25.0  # units around a place that one may run on to
_CHOICES, _CHOICES_APART = 6, 8.0  # places that he compares, and units between them
_RETHINKS = 0.7  # seconds for which he stays with what he decided, as long as it is safe
_QUIET = 9.0  # units from the nearest hunter at which he begins to sneak
_NEAR = 9.0  # units at which he minds a hunter who has not seen him
_PRESSED = 6.0  # and those at which he runs from one who has not seen him


def by_himself(
    ground: ChaseGround, settings: Settings, state: State
) -> tuple[int, Floats, int, int]:
    """The next move of the fugitive: the gait, the direction (D,), the next cell on the way (or
    NOTHING), and the cell it makes for.
    """
    space, unit, people, rules = ground.space, ground.unit, state.people, settings.player
    at, cell = people.positions[:1], people.cells[:1]
    near, known, chasing = _threats(ground, settings, state)
    wanted = state.items.cells[~state.items.taken]
    aims = wanted if len(wanted) else np.array([state.exit])
    cost = 1.0 + rules.caution * np.asarray(state.infection, dtype=np.float64)
    me = space.position_of(cell)
    if not len(known):
        ways = distance_map(space, me, cost=cost).exact.reshape(-1)
        goal = int(aims[np.argmin(ways[aims])])
        gait = RUN if len(chasing) else SNEAK if near < _QUIET else WALK
    else:
        mine = distance_map(space, me)
        ways = mine.exact.reshape(-1)
        theirs = distance_map(space, space.position_of(people.cells[known])).exact.reshape(-1)
        joined = np.isfinite(ways)
        lead = theirs - np.where(joined, ways, 0.0) * (
            settings.hunter.run * settings.pace / rules.run
        )
        first = joined & (lead > _LEAD * settings.hunter.run * unit)
        first[cell[0]] = True
        safe = np.where(first.reshape(space.shape), cost, np.inf)
        safely = distance_map(space, me, cost=safe).exact.reshape(-1)
        free = aims[np.isfinite(safely[aims])]
        if len(free):
            goal, cost = int(free[np.argmin(safely[free])]), safe
        else:
            goal, is_safe = _refuge(
                ground, settings, state, known, safely / unit, mine, theirs / unit
            )
            cost = safe if is_safe else cost
        gait = RUN if len(chasing) or near < _PRESSED else WALK
    wish, following = ground.led(
        distance_map(space, space.position_of(goal), cost=cost), at, cell, people.ahead[:1]
    )
    return gait, wish[0], int(following[0]), goal


def _threats(
    ground: ChaseGround, settings: Settings, state: State
) -> tuple[float, NDArray[np.int64], NDArray[np.int64]]:
    """How far the nearest hunter is, in units; the rows of those that the player knows of, and of
    those that are after the player.
    """
    people = state.people
    hunters = people.rows(HUNTER)
    gaps = (
        np.sqrt((ground.away(people.positions[0], people.positions[hunters]) ** 2).sum(axis=1))
        / ground.unit
    )
    chasing = (people.moods[hunters] == CHASE) & (people.targets[hunters] == 0)
    close = np.flatnonzero(gaps <= settings.player.view)
    in_sight = np.zeros(len(hunters), dtype=np.bool_)
    if len(close):
        in_sight[close] = sees(
            ground.space,
            ground.eyes(people, slice(1)),
            ground.eyes(people, hunters[close]),
            settings.player.view * ground.unit,
            angle=360,
        )[0]
    after = chasing | (people.moods[hunters] == SEARCH)
    known = (in_sight & (gaps <= _NEAR)) | (after & (gaps <= 2 * settings.player.view))
    return float(gaps.min(initial=np.inf)), hunters[known], hunters[chasing & known]


def _refuge(
    ground: ChaseGround,
    settings: Settings,
    state: State,
    known: NDArray[np.int64],
    safely: Floats,
    mine: DistanceMap,
    theirs: Floats,
) -> tuple[int, bool]:
    """Where to run: far from hunters and out of their sight, near, and no dead end; and whether a
    way leads there before them.
    """
    home, unit, keeps = ground.home, ground.unit, state.goal
    view = 1.5 * settings.player.view * unit
    hidden = ~visible(ground.space, ground.eyes(state.people, known), view, angle=360).reshape(-1)[
        home
    ]
    worth = np.minimum(theirs[home], _FAR) + _HIDDEN * hidden + _STAY * (home == keeps)
    ways = mine.exact.reshape(-1) / unit
    for near in (safely, ways):
        found = np.where(
            np.isfinite(near[home]), worth - _WAY * np.minimum(ways[home], near[home]), -np.inf
        )
        if np.count_nonzero(np.isfinite(found)) > 1:
            break
    is_new = state.step % settings.steps(_RETHINKS) < settings.steps(settings.think)
    if (
        not is_new
        and keeps != NOTHING
        and keeps != state.people.cells[0]
        and np.isfinite(found[home == keeps]).any()
    ):
        return keeps, near is safely
    best, chosen = -np.inf, int(home[np.argmax(found)])
    places = ground.space.position_of(home)
    for _ in range(_CHOICES):
        row = int(np.argmax(found))
        if not np.isfinite(found[row]):
            break
        cell = int(home[row])
        value = found[row] + _OPEN * _room_beyond(ground, mine, cell, theirs[cell] - ways[cell])
        if value > best:
            best, chosen = value, cell
        found = np.where(
            (ground.away(places[row], places) ** 2).sum(axis=1) < (_CHOICES_APART * unit) ** 2,
            -np.inf,
            found,
        )
    return chosen, near is safely


def _room_beyond(ground: ChaseGround, mine: DistanceMap, cell: int, lead: float) -> float:
    """The share of the ground around a cell that one who runs there reaches before those who come
    after it, `lead` units behind.
    """
    space, unit = ground.space, ground.unit
    way = mine.descend(space.position_of(cell))
    behind = (
        way.at(min(max(lead, 1.0) * unit, way.length)) if len(way) > 1 else space.position_of(cell)
    )
    from_there = distance_map(space, space.position_of(cell), limit=_AROUND * unit).exact.reshape(
        -1
    )
    from_them = distance_map(space, behind, limit=_AROUND * unit).exact.reshape(-1)
    around = np.flatnonzero(np.isfinite(from_there))
    return float(np.count_nonzero(from_there[around] < from_them[around]) / len(around))
