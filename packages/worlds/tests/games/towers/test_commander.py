"""What commanders read from the maps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft_worlds.games.towers import Settings, TowerRules, UnitRules
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import Advance, Order, Send, Strike, apply, new_towers
from fieldcraft_worlds.games.towers.planner import AI_OF
from fieldcraft_worlds.games.towers.rules import start
from fieldcraft_worlds.games.towers.state import State, Units

RULES = Settings(
    commanders="human",
    towers=1,
    units=10,
    tower=TowerRules(size=1, range=6, least_range=2, sight=8, reach=10),
    unit=UnitRules(sight=4),
)


def scene(
    towers: list[tuple[int, float, float]], units: list[tuple[int, int, float, float]]
) -> tuple[TowersDerived, State]:
    """A match with towers (team, x, y) and units (team, squad, x, y), all layers up to date."""
    derived = TowersDerived(fc.Grid(60, 30), RULES)
    state = start(derived, np.random.default_rng(0))
    count = len(units)
    there = Units(
        ids=100 + np.arange(count, dtype=np.int64),
        teams=np.array([team for team, *_ in units], dtype=np.int64),
        squads=np.array([squad for _, squad, *_ in units], dtype=np.int64),
        positions=np.array([at for _, _, *at in units], dtype=np.float64).reshape(-1, 2),
        velocities=np.zeros((count, 2)),
        health=np.full(count, RULES.unit.health),
        ready=np.zeros(count, dtype=np.int64),
    )
    cells = np.asarray(derived.space.cell_at([at for _, *at in towers]))
    new = new_towers(RULES, 0, np.array([team for team, *_ in towers]), cells)
    state = replace(state, towers=new, units=there, next_id=200)
    derived.follow(state)
    return derived, state


def of(kind: type, orders: list[Order]) -> list[Order]:
    return [order for order in orders if isinstance(order, kind)]


# Blue's tower 1 is nearer, but two others stand by; its tower 4 stands alone.
FIELD = [(0, 10.5, 15.5), (1, 28.5, 15.5), (1, 31.5, 13.5), (1, 31.5, 17.5), (1, 34.5, 27.5)]
WAVE = [(0, 0, 12.5, 13.5), (0, 0, 12.5, 14.5)]


def test_the_plain_commander_strikes_the_nearest_and_the_other_the_weak() -> None:
    derived, state = scene(FIELD, WAVE)
    plain = of(Strike, AI_OF["shortest"].decide(derived, state, 0))
    clever = of(Strike, AI_OF["influence"].decide(derived, state, 0))
    assert plain == [Strike(0, 1, 1, False)]
    assert clever == [Strike(0, 1, 4, True)]


def test_the_clever_commander_stays_away_from_where_enemies_stand() -> None:
    towers = [(0, 10.5, 15.5), (1, 40.5, 5.5), (1, 40.5, 26.5)]
    for y, expected in ((6.5, 2), (25.5, 1)):
        crowd = [(1, 0, 38.5 + k % 3, y + k % 2) for k in range(9)]
        derived, state = scene(towers, WAVE + crowd)
        assert of(Strike, AI_OF["influence"].decide(derived, state, 0)) == [
            Strike(0, 1, expected, True)
        ]


@pytest.mark.parametrize(("friend", "expected"), [(5.5, 2), (24.5, 1)])
def test_of_equal_ways_the_clever_commander_takes_the_one_to_the_weaker_ground(
    friend: float, expected: int
) -> None:
    # The third tower's fire reaches neither of the others, but its influence does.
    derived, state = scene(
        [(0, 10.5, 15.0), (1, 40.5, 5.5), (1, 40.5, 24.5), (1, 50.0, friend)], WAVE
    )
    assert of(Strike, AI_OF["influence"].decide(derived, state, 0)) == [
        Strike(0, 1, expected, True)
    ]


def test_commanders_wait_until_there_is_a_wave() -> None:
    derived, state = scene(FIELD, WAVE[:1])
    orders = AI_OF["shortest"].decide(derived, state, 0)
    assert not of(Strike, orders)
    assert of(Send, orders) == [Send(0, 0, 10, 0)]
    assert len(of(Advance, orders)) == 1
    reason = apply(derived, state, orders)
    assert not of(Advance, AI_OF["shortest"].decide(derived, reason, 0))  # it is there already


def test_a_wave_takes_the_next_target_when_its_own_has_fallen() -> None:
    derived, state = scene(FIELD, [(0, 3, 33.5, 24.5), (0, 3, 33.5, 25.5)])
    state = apply(derived, state, [Strike(0, 3, 4)])
    assert not of(Strike, AI_OF["shortest"].decide(derived, state, 0))
    fallen = replace(state, towers=state.towers.at(state.towers.ids != 4))
    derived.follow(fallen)
    assert of(Strike, AI_OF["shortest"].decide(derived, fallen, 0)) == [Strike(0, 3, 3, False)]


def test_the_tower_under_pressure_is_held_and_only_while_it_is() -> None:
    towers = [(0, 10.5, 7.5), (0, 10.5, 24.5), (1, 50.5, 18.5)]
    raid = [(1, 2, 13.5, 5.5 + k / 2) for k in range(8)]
    derived, state = scene(towers, raid)
    orders = AI_OF["influence"].decide(derived, state, 0)
    held = of(Advance, orders)[0]
    assert held.squad == 0
    assert np.hypot(held.x - 10.5, held.y - 7.5) < 2
    assert of(Send, orders) == [Send(0, 0, 10, 0)]
    # Towers of the enemy alone press nobody, and who does not look at the maps does not notice.
    derived, calm = scene(towers, [])
    for commander, at in (("influence", calm), ("shortest", state)):
        derived.follow(at)
        held = of(Advance, AI_OF[commander].decide(derived, at, 0))[0]
        assert np.hypot(held.x - 10.5, held.y - 24.5) < 2
