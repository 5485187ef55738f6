"""Script of a player that plays by itself: it collects items and flees from hunters."""

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

Floats = NDArray[np.float64]

_MARGIN = 0.5  # seconds ahead of hunters on every cell of a safe path
_FAR = 45.0  # units from hunters; farther is not safer
_PATH_COST = 0.7  # of a unit of path, in units of safety
_HIDDEN = 12.0  # units of safety for a refuge out of sight
_SAME_GOAL = 6.0  # units of safety for the present goal
_ROOM_WORTH = 40.0  # units of safety for room to run on
_AROUND = 25.0  # units around a refuge
# refuges to compare, and units between them
_CHOICES = 6
_CHOICES_APART = 8.0
_RETHINKS = 0.7  # seconds with the same goal, as long as it is safe
_SNEAK_WITHIN = 9.0  # units to the nearest hunter
_NEAR = 9.0  # units to a hunter that has not seen the player
_RUN_WITHIN = 6.0  # units to a hunter that has not seen the player


def scripted_move(
    ground: ChaseGround, settings: Settings, state: State
) -> tuple[int, Floats, int, int]:
    """Return the next move of the player: the gait, the direction (D,), the next cell on waypoints
    (or NOTHING), and the cell of its goal.
    """
    space = ground.space
    unit = ground.unit
    people = state.people
    rules = settings.player
    at = people.positions[:1]
    cell = people.cells[:1]
    near, known, chasing = _threats(ground, settings, state)
    left = state.items.cells[~state.items.taken]
    if len(left):
        goals = left
    else:
        goals = np.array([state.exit])
    cost = 1.0 + rules.caution * np.asarray(state.infection, dtype=np.float64)
    here = space.position_of(cell)
    if not len(known):
        own = distance_map(space, here, cost=cost).exact.reshape(-1)
        goal = int(goals[np.argmin(own[goals])])
        if len(chasing):
            gait = RUN
        elif near < _SNEAK_WITHIN:
            gait = SNEAK
        else:
            gait = WALK
    else:
        own_map = distance_map(space, here)
        own = own_map.exact.reshape(-1)
        enemy = distance_map(space, space.position_of(people.cells[known])).exact.reshape(-1)
        joined = np.isfinite(own)
        lead = enemy - np.where(joined, own, 0.0) * (
            settings.hunter.run * settings.pace / rules.run
        )
        first = joined & (lead > _MARGIN * settings.hunter.run * unit)
        first[cell[0]] = True
        safe = np.where(first.reshape(space.shape), cost, np.inf)
        safe_distance = distance_map(space, here, cost=safe).exact.reshape(-1)
        free = goals[np.isfinite(safe_distance[goals])]
        if len(free):
            goal = int(free[np.argmin(safe_distance[free])])
            cost = safe
        else:
            goal, is_safe = _best_refuge(
                ground, settings, state, known, safe_distance / unit, own_map, enemy / unit
            )
            if is_safe:
                cost = safe
        if len(chasing) or near < _RUN_WITHIN:
            gait = RUN
        else:
            gait = WALK
    direction, following = ground.downhill_step(
        distance_map(space, space.position_of(goal), cost=cost), at, cell, people.ahead[:1]
    )
    return gait, direction[0], int(following[0]), goal


def _threats(
    ground: ChaseGround, settings: Settings, state: State
) -> tuple[float, NDArray[np.int64], NDArray[np.int64]]:
    """Return the distance to the nearest hunter in units, the rows of the hunters that the player
    knows of, and the rows of those among them that chase it.
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


def _best_refuge(
    ground: ChaseGround,
    settings: Settings,
    state: State,
    known: NDArray[np.int64],
    safe_distance: Floats,
    own_map: DistanceMap,
    enemy: Floats,
) -> tuple[int, bool]:
    """Return a cell to flee to, far from hunters and out of their sight, near and not a dead end;
    and whether a path leads there ahead of the hunters.
    """
    home = ground.home
    unit = ground.unit
    last_goal = state.goal
    view = 1.5 * settings.player.view * unit
    hidden = ~visible(ground.space, ground.eyes(state.people, known), view, angle=360).reshape(-1)[
        home
    ]
    worth = np.minimum(enemy[home], _FAR) + _HIDDEN * hidden + _SAME_GOAL * (home == last_goal)
    own = own_map.exact.reshape(-1) / unit
    for near in (safe_distance, own):
        found = np.where(
            np.isfinite(near[home]), worth - _PATH_COST * np.minimum(own[home], near[home]), -np.inf
        )
        if np.count_nonzero(np.isfinite(found)) > 1:
            break
    is_new = state.step % settings.steps(_RETHINKS) < settings.steps(settings.think)
    if (
        not is_new
        and last_goal != NOTHING
        and last_goal != state.people.cells[0]
        and np.isfinite(found[home == last_goal]).any()
    ):
        return last_goal, near is safe_distance
    best = -np.inf
    chosen = int(home[np.argmax(found)])
    places = ground.space.position_of(home)
    for _ in range(_CHOICES):
        row = int(np.argmax(found))
        if not np.isfinite(found[row]):
            break
        cell = int(home[row])
        value = found[row] + _ROOM_WORTH * _space_behind(
            ground, own_map, cell, enemy[cell] - own[cell]
        )
        if value > best:
            best = value
            chosen = cell
        found = np.where(
            (ground.away(places[row], places) ** 2).sum(axis=1) < (_CHOICES_APART * unit) ** 2,
            -np.inf,
            found,
        )
    return chosen, near is safe_distance


def _space_behind(ground: ChaseGround, own_map: DistanceMap, cell: int, lead: float) -> float:
    """Return the share of the ground around a cell that the player reaches from there before
    hunters that follow `lead` units behind.
    """
    space = ground.space
    unit = ground.unit
    path = own_map.descend(space.position_of(cell))
    if len(path) > 1:
        behind = path.at(min(max(lead, 1.0) * unit, path.length))
    else:
        behind = space.position_of(cell)
    from_there = distance_map(space, space.position_of(cell), limit=_AROUND * unit).exact.reshape(
        -1
    )
    from_them = distance_map(space, behind, limit=_AROUND * unit).exact.reshape(-1)
    around = np.flatnonzero(np.isfinite(from_there))
    return float(np.count_nonzero(from_there[around] < from_them[around]) / len(around))
