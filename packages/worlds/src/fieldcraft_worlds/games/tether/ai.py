"""How fighters decide where to go: by the tether layer, or more simply.

A brain sees everything: where all enemies stand, and all walls. It plans for one fighter at a time,
a way over cells, and plans anew a moment later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fieldcraft import distance_map
from fieldcraft.steering import move
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.state import State
from fieldcraft_worlds.scene import Part

__all__ = ["PLANS", "Plan", "ahead", "expected", "layer_of", "parts_of", "planned"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NEAR = 1.5  # cells between two who are as near as they care to be
_CROWDED = 1.5  # cells around a friend's goal that are taken
_STRIDE = 4  # cells of a way that are looked along at most
_HELD = 0.9  # of the own range, at which distance is kept
_SLACK = 0.5  # cells by which that distance may be off
_SPARE = (
    0.8  # of a range that is not the longer one: whoever is hit from its edge is soon out of it
)
_HEAVIEST = 16.0  # how much worse a threat may weigh than a chance
_BEYOND = 1000.0  # what a place from which nobody is reached is worse by


@dataclass(frozen=True, eq=False)
class Plan:
    """Cells to walk along, from the fighter's own to its goal."""

    cells: Ints

    @property
    def goal(self) -> int:
        """Where it leads."""
        return int(self.cells[-1])


@dataclass(frozen=True, eq=False)
class _View:
    """Where one fighter stands, where its enemies stand, and where its friends are going: cells."""

    side: int
    cell: int
    enemies: Ints
    taken: Ints


def planned(derived: TetherDerived, state: State) -> dict[int, Plan]:
    """The plans of all fighters that think for themselves, by number; each knows the goals of the
    friends before it.
    """
    fighters, plans = state.fighters, dict[int, Plan]()
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
    """The cells where the enemies of a side will be after `foresight`, if they go on as they
    walk.
    """
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
    """The tether layer of a side, around where its enemies will be: (cells,).

    The weight of the threat is `threat` times what an enemy takes off the fighter while the fighter
    takes one point off it.
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
    rules, tuning = derived.settings.rules, state.tuning
    weight = min(tuning.threat * rules[1 - side].firepower / rules[side].firepower, _HEAVIEST)
    return derived.tether(enemies, tuning.ranges[side], _reach(derived, state, side), weight)


def _reach(derived: TetherDerived, state: State, side: int) -> float:
    """How far the enemies of a side reach within `foresight`, in cells."""
    return (
        state.tuning.ranges[1 - side]
        + derived.settings.rules[1 - side].speed * derived.settings.foresight
    )


def tethered(derived: TetherDerived, state: State, view: _View) -> Plan:
    """To the best place of the tether layer from which an enemy is reached, less the way there,
    which costs more where enemies reach.
    """
    enemies = expected(derived, state, view.side)
    own_range, enemy_range = state.tuning.ranges[view.side], state.tuning.ranges[1 - view.side]
    values = layer_of(derived, state, view.side)
    for cell in view.taken.tolist():
        values = values - np.maximum(0.0, 1.0 - derived.apart(cell) / _CROWDED)
    danger = derived.reached(enemies, _reach(derived, state, view.side))
    cost = (1.0 + state.tuning.caution * danger).reshape(derived.ground.shape)
    far = (
        distance_map(derived.ground, derived.centers[view.cell], cost=cost).exact.reshape(-1)
        / derived.cell
    )
    reached = (
        derived.reached(enemies, own_range if own_range > enemy_range else _SPARE * own_range) > 0
    )
    score = np.where(reached, values, values - _BEYOND) - far / derived.settings.patience
    goal = int(np.argmax(score))
    return Plan(
        distance_map(derived.ground, derived.centers[goal], cost=cost)
        .descend(derived.centers[view.cell])
        .cells
    )


def charging(derived: TetherDerived, state: State, view: _View) -> Plan:
    """Straight at the enemy who is nearest to walk to."""
    enemy = _nearest(derived, view)
    if derived.apart(view.cell)[enemy] <= _NEAR and derived.seen(view.cell)[enemy]:
        return _staying(view)
    return _way(derived, view.cell, enemy)


def distant(derived: TetherDerived, state: State, view: _View) -> Plan:
    """Nine tenths of the own range away from the nearest enemy: back off when it is nearer, come
    when it is farther.
    """
    enemy = int(min(view.enemies.tolist(), key=lambda cell: (derived.apart(view.cell)[cell], cell)))
    apart, wanted = float(derived.apart(view.cell)[enemy]), _HELD * state.tuning.ranges[view.side]
    if apart < wanted - _SLACK:
        return _way(derived, view.cell, _farther(derived, view.cell, enemy))
    if apart > wanted + _SLACK or not derived.seen(view.cell)[enemy]:
        return _way(derived, view.cell, _nearest(derived, view))
    return _staying(view)


def covered(derived: TetherDerived, state: State, view: _View) -> Plan:
    """The nearest place that no enemy sees, and wait there; where there is none, wait here."""
    exposed = np.zeros(len(derived.ground), dtype=np.bool_)
    for cell in view.enemies.tolist():
        exposed |= derived.seen(cell)
    far = np.where(exposed, np.inf, derived.distances(view.cell).exact.reshape(-1))
    goal = int(np.argmin(far))
    return _staying(view) if not np.isfinite(far[goal]) else _way(derived, view.cell, goal)


PLANS: Mapping[str, Callable[[TetherDerived, State, _View], Plan]] = {
    "tether": tethered,
    "charge": charging,
    "distance": distant,
    "cover": covered,
}
"""The brains by name."""


def _nearest(derived: TetherDerived, view: _View) -> int:
    """The enemy who is nearest to walk to."""
    far = [
        float(derived.distances(cell).measured(np.array([view.cell]))[0])
        for cell in view.enemies.tolist()
    ]
    return int(view.enemies[int(np.argmin(far))])


def _farther(derived: TetherDerived, cell: int, enemy: int) -> int:
    """Of the places a few steps away, that from which the enemy has the longest way."""
    steps = derived.distances(cell).exact.reshape(-1)
    near = np.flatnonzero(steps <= _STRIDE * derived.cell)
    far = derived.distances(enemy).exact.reshape(-1)[near]
    return int(near[int(np.argmax(np.where(np.isfinite(far), far, -1.0)))])


def _staying(view: _View) -> Plan:
    return Plan(np.array([view.cell], dtype=np.int64))


def _way(derived: TetherDerived, cell: int, goal: int) -> Plan:
    path = derived.distances(goal).descend(derived.centers[cell])
    return Plan(path.cells if path else np.array([cell], dtype=np.int64))


def ahead(derived: TetherDerived, plan: Plan) -> int:
    """The farthest cell of a plan, a few steps on at most, that can be walked to in a straight
    line.
    """
    seen = derived.seen(int(plan.cells[0]))
    steps = plan.cells[1 : _STRIDE + 1]
    blocked = np.flatnonzero(~seen[steps])
    count = int(blocked[0]) if len(blocked) else len(steps)
    return int(steps[max(count - 1, 0)]) if len(steps) else int(plan.cells[0])
