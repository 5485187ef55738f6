"""AI of fighters: by the tether layer, or by simpler rules.

It knows all enemies and all walls. It plans a path for one fighter at a time, again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from fieldcraft import distance_map
from fieldcraft.steering import move
from fieldcraft_worlds.arrays import Floats, Ints
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.state import State
from fieldcraft_worlds.scene import Part

_CLOSE = 1.5  # cells to an enemy at which a charge stops
_CROWDED = 1.5  # cells around a friend's goal to avoid
_STRIDE = 4  # most steps of a plan at a time
_RANGE_SHARE = 0.9  # of the own range: distance to keep
_SLACK = 0.5  # cells of tolerance
_SHORT_SHARE = 0.8  # of the shorter range: an enemy at its edge soon leaves it
_HEAVIEST = 16.0  # greatest weight of a threat
_OUT_OF_REACH = 1000.0  # penalty of a cell with no enemy in reach


@dataclass(frozen=True, eq=False)
class Plan:
    """Cells to walk along, from the fighter's own to its goal."""

    cells: Ints

    @property
    def goal(self) -> int:
        """The last cell."""
        return int(self.cells[-1])


@dataclass(frozen=True, eq=False)
class _View:
    """The cells of a fighter and of its enemies, and the goals of its friends."""

    side: int
    cell: int
    enemies: Ints
    taken: Ints


def plans_of(derived: TetherDerived, state: State) -> dict[int, Plan]:
    """Return the plans of all fighters with AI, by number; each knows the goals of the friends
    before it.
    """
    fighters = state.fighters
    plans = dict[int, Plan]()
    cells = derived.cells(fighters.positions)
    for side in (0, 1):
        foes = fighters.of(1 - side)
        if not len(foes):
            continue
        goals: list[int] = []
        for number in fighters.of(side).tolist():
            if number == state.player:
                goals.append(int(cells[number]))
                continue
            view = _View(side, int(cells[number]), cells[foes], np.array(goals, dtype=np.int64))
            plans[number] = PLANS[state.brains[side]](derived, state, view)
            goals.append(plans[number].goal)
    return plans


def expected(derived: TetherDerived, state: State, side: int) -> list[int]:
    """Return the cells of a side's enemies after `foresight`, at their present velocities."""
    fighters = state.fighters
    foes = fighters.of(1 - side)
    if not len(foes):
        return []
    places = move(
        derived.ground,
        fighters.positions[foes],
        fighters.velocities[foes] * derived.settings.foresight,
    )
    return [int(cell) for cell in derived.cells(places)]


def layer_of(derived: TetherDerived, state: State, side: int) -> Floats:
    """Return the tether layer of a side, around the expected cells of its enemies: (cells,).

    The weight of the threat is `threat` times the damage of an enemy per damage of the fighter.
    """
    return _tether(derived, state, side, expected(derived, state, side))


def parts_of(
    derived: TetherDerived, state: State, side: int, position: tuple[float, ...]
) -> list[Part]:
    """Return what each enemy contributes to the tether layer of a side at a position."""
    cell = int(derived.cells(np.array([position[:2]]))[0])
    enemies = state.fighters.positions[state.fighters.of(1 - side)].tolist()
    return [
        (tuple(enemy), float(_tether(derived, state, side, [at])[cell]))
        for enemy, at in zip(enemies, expected(derived, state, side), strict=True)
    ]


def _tether(derived: TetherDerived, state: State, side: int, enemies: list[int]) -> Floats:
    """Return the tether layer of a side against enemies on some cells."""
    rules = derived.settings.rules
    tuning = state.tuning
    weight = min(tuning.threat * rules[1 - side].firepower / rules[side].firepower, _HEAVIEST)
    return derived.tether(enemies, tuning.ranges[side], _reach(derived, state, side), weight)


def _reach(derived: TetherDerived, state: State, side: int) -> float:
    """Return the reach of a side's enemies within `foresight`, in cells."""
    return (
        state.tuning.ranges[1 - side]
        + derived.settings.rules[1 - side].speed * derived.settings.foresight
    )


def tether_plan(derived: TetherDerived, state: State, view: _View) -> Plan:
    """Return a plan to the best cell of the tether layer with an enemy in reach, less the path
    there, which costs more in reach of enemies.
    """
    enemies = expected(derived, state, view.side)
    own_range = state.tuning.ranges[view.side]
    enemy_range = state.tuning.ranges[1 - view.side]
    values = layer_of(derived, state, view.side)
    for cell in view.taken.tolist():
        values = values - np.maximum(0.0, 1.0 - derived.distances_from(cell) / _CROWDED)
    danger = derived.enemies_in_reach(enemies, _reach(derived, state, view.side))
    cost = (1.0 + state.tuning.caution * danger).reshape(derived.ground.shape)
    from_here = distance_map(derived.ground, derived.centers[view.cell], cost=cost)
    far = from_here.exact.reshape(-1) / derived.cell
    reach = own_range
    if own_range <= enemy_range:
        reach *= _SHORT_SHARE
    in_reach = derived.enemies_in_reach(enemies, reach) > 0
    score = np.where(in_reach, values, values - _OUT_OF_REACH) - far / derived.settings.patience
    goal = int(np.argmax(score))
    to_goal = distance_map(derived.ground, derived.centers[goal], cost=cost)
    return Plan(to_goal.descend(derived.centers[view.cell]).cells)


def charge_plan(derived: TetherDerived, state: State, view: _View) -> Plan:
    """Return a plan straight to the enemy with the shortest path."""
    enemy = _nearest(derived, view)
    if derived.distances_from(view.cell)[enemy] <= _CLOSE and derived.in_sight(view.cell)[enemy]:
        return _stay(view)
    return _path_to(derived, view.cell, enemy)


def distance_plan(derived: TetherDerived, state: State, view: _View) -> Plan:
    """Return a plan to keep nine tenths of the own range to the nearest enemy."""
    distances = derived.distances_from(view.cell)
    enemy = int(min(view.enemies.tolist(), key=lambda cell: (distances[cell], cell)))
    distance = float(distances[enemy])
    desired = _RANGE_SHARE * state.tuning.ranges[view.side]
    if distance < desired - _SLACK:
        return _path_to(derived, view.cell, _retreat(derived, view.cell, enemy))
    if distance > desired + _SLACK or not derived.in_sight(view.cell)[enemy]:
        return _path_to(derived, view.cell, _nearest(derived, view))
    return _stay(view)


def cover_plan(derived: TetherDerived, state: State, view: _View) -> Plan:
    """Return a plan to the nearest cell out of sight of all enemies; without one, to stay."""
    exposed = np.zeros(len(derived.ground), dtype=np.bool_)
    for cell in view.enemies.tolist():
        exposed |= derived.in_sight(cell)
    far = np.where(exposed, np.inf, derived.paths_to(view.cell).exact.reshape(-1))
    goal = int(np.argmin(far))
    if not np.isfinite(far[goal]):
        return _stay(view)
    return _path_to(derived, view.cell, goal)


PLANS: Mapping[str, Callable[[TetherDerived, State, _View], Plan]] = {
    "tether": tether_plan,
    "charge": charge_plan,
    "distance": distance_plan,
    "cover": cover_plan,
}
"""The plans by the name of the AI."""


def _nearest(derived: TetherDerived, view: _View) -> int:
    """Return the cell of the enemy with the shortest path."""
    far = [
        float(derived.paths_to(cell).measured(np.array([view.cell]))[0])
        for cell in view.enemies.tolist()
    ]
    return int(view.enemies[int(np.argmin(far))])


def _retreat(derived: TetherDerived, cell: int, enemy: int) -> int:
    """Return the cell a few steps away with the longest path from the enemy."""
    steps = derived.paths_to(cell).exact.reshape(-1)
    near = np.flatnonzero(steps <= _STRIDE * derived.cell)
    far = derived.paths_to(enemy).exact.reshape(-1)[near]
    return int(near[int(np.argmax(np.where(np.isfinite(far), far, -1.0)))])


def _stay(view: _View) -> Plan:
    """Return the plan to stay."""
    return Plan(np.array([view.cell], dtype=np.int64))


def _path_to(derived: TetherDerived, cell: int, goal: int) -> Plan:
    """Return the plan to walk to a cell; to stay, without a path."""
    path = derived.paths_to(goal).descend(derived.centers[cell])
    if path:
        return Plan(path.cells)
    return Plan(np.array([cell], dtype=np.int64))


def ahead(derived: TetherDerived, plan: Plan) -> int:
    """Return the farthest cell of a plan, at most a few steps on, in a straight line."""
    visible = derived.in_sight(int(plan.cells[0]))
    steps = plan.cells[1 : _STRIDE + 1]
    blocked = np.flatnonzero(~visible[steps])
    if len(blocked):
        count = int(blocked[0])
    else:
        count = len(steps)
    if len(steps):
        return int(steps[max(count - 1, 0)])
    return int(plan.cells[0])
