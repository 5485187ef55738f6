"""The rules of a step: who hits whom, how often and how hard; who dies, what it scores, and when it
ends.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft_worlds.games.towers import Settings, TowerRules, UnitRules
from fieldcraft_worlds.games.towers.combat import look
from fieldcraft_worlds.games.towers.derived import TowersDerived
from fieldcraft_worlds.games.towers.orders import (
    Advance,
    Begin,
    Place,
    Regroup,
    Remove,
    Send,
    Strike,
    apply,
    new_towers,
)
from fieldcraft_worlds.games.towers.rules import start, step
from fieldcraft_worlds.games.towers.state import NOBODY, NOTHING, State, Towers, Units
from support.refusals import refused

TOWER = TowerRules(
    size=1, range=6, least_range=2, sight=8, interval=0.5, damage=(2, 5), health=20, reach=8
)
UNIT = UnitRules(health=50, interval=0.5, damage=(1, 2), closeness=1.0, sight=4)
STILL = Settings(
    teams=("red", "blue"),
    commanders="human",
    towers=1,
    tower=TOWER,
    unit=UNIT,
    rate=10,
    units=20,
    income=0,
    limit=100,
    caution=12.0,
)


def scene(
    settings: Settings,
    towers: list[tuple[int, float, float]],
    units: list[tuple[int, float, float]] = (),
    space: fc.Grid | None = None,
    **more: Any,
) -> tuple[TowersDerived, State]:
    """A match with towers and units (team, x, y) where they are put."""
    derived = TowersDerived(fc.Grid(30, 20) if space is None else space, settings)
    state = start(derived, np.random.default_rng(0))
    teams = np.array([team for team, *_ in towers], dtype=np.int64)
    cells = (
        np.atleast_1d(derived.space.cell_at([at for _, *at in towers]))
        if towers
        else np.zeros(0, dtype=np.int64)
    )
    count = len(units)
    there = Units(
        ids=100 + np.arange(count, dtype=np.int64),
        teams=np.array([team for team, *_ in units], dtype=np.int64),
        squads=np.zeros(count, dtype=np.int64),
        positions=np.array([at for _, *at in units], dtype=np.float64).reshape(-1, 2),
        velocities=np.zeros((count, 2)),
        health=np.full(count, settings.unit.health),
        ready=np.zeros(count, dtype=np.int64),
    )
    new = Towers.none() if not towers else new_towers(settings, 0, teams, cells)
    return derived, replace(state, towers=new, units=there, next_id=200, **more)


def rolled(derived: TowersDerived, state: State, steps: int, seed: int = 0) -> list[State]:
    """The states of so many steps without orders, the first included."""
    rng = np.random.default_rng(seed)
    states = [state]
    for _ in range(steps):
        states.append(step(derived, states[-1], (), rng))
    return states


@pytest.mark.parametrize(("away", "hit"), [(1.5, False), (2.5, True), (5.9, True), (6.5, False)])
def test_a_tower_hits_between_its_ranges(away: float, hit: bool) -> None:
    derived, state = scene(STILL, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 10.5 + away, 10.5)])
    after = rolled(derived, state, 1)[-1]
    assert (after.units.health[0] < 50) == hit
    assert len(after.shots) == hit


def test_a_tower_does_not_hit_beyond_its_sight_or_through_walls() -> None:
    walls = np.zeros((20, 30), dtype=bool)
    walls[5:16, 12] = True
    blind = replace(STILL, tower=replace(TOWER, sight=3.0))
    for rules, space in ((blind, None), (STILL, fc.Grid(30, 20, walls=walls))):
        towers, units = [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 14.5, 10.5)]
        derived, state = scene(rules, towers, units, space)
        assert rolled(derived, state, 1)[-1].units.health[0] == 50


def test_a_tower_hits_once_per_interval_and_its_damage_lies_in_the_range() -> None:
    # The unit sees the tower and comes nearer, but not into the least range within these steps.
    held = replace(STILL, unit=replace(UNIT, speed=0.01))
    derived, state = scene(held, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 14.5, 10.5)])
    taken = -np.diff([s.units.health[0] for s in rolled(derived, state, 16)])
    assert np.flatnonzero(taken).tolist() == [0, 5, 10, 15]
    hits = taken[taken > 0]
    assert ((hits >= 2) & (hits <= 5)).all()
    assert len(set(hits.tolist())) == 4


def test_of_several_units_the_nearest_in_range_is_hit() -> None:
    derived, state = scene(
        STILL,
        [(0, 10.5, 10.5), (1, 28.5, 2.5)],
        [(1, 15.5, 10.5), (1, 10.5, 13.5), (1, 11.5, 10.5)],
    )
    after = rolled(derived, state, 1)[-1]
    assert (after.units.health < 50).tolist() == [False, True, False]


def test_a_unit_seeks_the_tower_it_sees_and_hits_it_when_close() -> None:
    calm = replace(STILL, tower=replace(TOWER, damage=(0.0, 0.0), health=4.0))
    derived, state = scene(calm, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 13.9, 10.5)])
    states = rolled(derived, state, 30)
    first = next(s for s in states if s.towers.health[0] < 4)
    assert (
        np.hypot(*(first.units.positions[0] - (10.5, 10.5))) <= 0.5 + 1.0 + 0.6
    )  # edge, closeness, a step
    assert first.units.positions[0, 0] < 13.9
    assert states[-1].over
    assert states[-1].winner == 1


def test_a_unit_beyond_sight_stays_where_it_was_told_nothing() -> None:
    derived, state = scene(STILL, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 20.5, 10.5)])
    after = rolled(derived, state, 20)[-1]
    assert after.units.positions[0].tolist() == [20.5, 10.5]


def test_units_hit_enemy_units_in_reach_but_not_through_a_wall() -> None:
    derived, state = scene(
        STILL, [(0, 2.5, 2.5), (1, 28.5, 18.5)], [(0, 15.1, 10.5), (1, 15.9, 10.5), (0, 20.5, 10.5)]
    )
    after = rolled(derived, state, 1)[-1]
    assert (after.units.health < 50).tolist() == [True, True, False]
    walls = np.zeros((20, 30), dtype=bool)
    walls[:, 15] = True
    thick = replace(STILL, unit=replace(UNIT, closeness=1.3))
    derived, state = scene(
        thick,
        [(0, 2.5, 2.5), (1, 28.5, 18.5)],
        [(0, 14.95, 10.5), (1, 16.05, 10.5)],
        fc.Grid(30, 20, walls=walls),
    )
    assert (rolled(derived, state, 1)[-1].units.health == 50).all()


def test_a_tower_across_water_hits_but_is_not_sought() -> None:
    classes = np.zeros((20, 30), dtype=np.int64)
    classes[:, 12:15] = 1
    for bridge, reachable_views in ((False, False), (True, True)):
        classes[12, 12:15] = 0 if bridge else 1
        space = fc.Grid(30, 20, terrain=fc.Terrain(classes, np.eye(2, dtype=bool)), neighbors=8)
        seeing = replace(STILL, unit=replace(UNIT, sight=6.0))
        derived, state = scene(seeing, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 15.5, 10.5)], space)
        after = rolled(derived, state, 1)[-1]
        assert after.units.health[0] < 50
        assert (look(derived, state).targets[0] == 0) == reachable_views
        assert (after.units.velocities[0] != 0).any() == reachable_views


def test_all_hit_at_the_same_moment() -> None:
    frail = replace(STILL, unit=replace(UNIT, health=0.5))
    derived, state = scene(
        frail, [(0, 2.5, 2.5), (1, 28.5, 18.5)], [(0, 15.1, 10.5), (1, 15.9, 10.5)]
    )
    after = rolled(derived, state, 1)[-1]
    assert len(after.units) == 0
    assert after.lost.tolist() == [1, 1]


def test_what_dies_takes_its_influence_along_at_once_and_exactly() -> None:
    dying = replace(STILL, tower=replace(TOWER, health=0.5, damage=(60.0, 60.0)))
    near = [(1, 9.3, 10.5), (1, 13.5, 10.5)]
    derived, state = scene(
        replace(dying, teams=("red", "blue", "green")),
        [(0, 10.5, 10.5), (1, 28.5, 2.5), (2, 20.5, 18.5)],
        near,
    )
    derived.follow(state)
    assert derived.teams["red"].sample((10.5, 10.5)) == 10
    before = derived.teams["blue"].values.copy()
    after = rolled(derived, state, 1)[-1]
    assert after.towers.teams.tolist() == [1, 2]
    assert after.units.ids.tolist() == [100]
    derived.follow(after)
    assert not derived.teams["red"].values.any()
    assert not derived.fire[0].values.any()
    assert (derived.teams["blue"].values != before).any()
    fresh = TowersDerived(fc.Grid(30, 20), derived.settings)
    fresh.follow(after)
    for name in derived.settings.teams:
        assert np.array_equal(derived.teams[name].values, fresh.teams[name].values)
    assert np.array_equal(derived.walking.walls, fresh.walking.walls)


def test_fire_is_the_share_of_a_units_health_that_is_taken_in_a_second() -> None:
    derived, state = scene(STILL, [(0, 10.5, 10.5), (1, 28.5, 2.5)])
    derived.follow(state)
    assert derived.threat(1)[10, 14] == pytest.approx(3.5 / 0.5 / 50, abs=1e-6)
    assert derived.threat(1)[10, 11] == 0  # within the least range
    assert derived.threat(1)[10, 17] == 0
    assert not derived.threat(0)[:, :20].any()
    assert derived.cost(1)[10, 14] == pytest.approx(1 + 12 * 0.14, abs=1e-4)


def test_the_match_ends_when_one_team_has_no_towers() -> None:
    weak = replace(STILL, tower=replace(TOWER, health=0.5))
    derived, state = scene(weak, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 9.3, 10.5)])
    states = rolled(derived, state, 3)
    assert states[1].over
    assert (states[1].winner, states[1].destroyed.tolist(), states[1].scores.tolist()) == (
        1,
        [0, 1],
        [0, 10],
    )
    assert states[2] is states[1]


@pytest.mark.parametrize(("destroyed", "winner"), [((2, 1), 0), ((1, 2), 1), ((1, 1), NOBODY)])
def test_out_of_time_the_score_decides_and_equal_scores_are_a_tie(
    destroyed: tuple[int, int], winner: int
) -> None:
    short = replace(STILL, limit=0.5)
    derived, state = scene(short, [(0, 10.5, 10.5), (1, 28.5, 2.5)], destroyed=np.array(destroyed))
    states = rolled(derived, state, 5)
    assert [s.over for s in states] == [False] * 5 + [True]
    assert states[-1].winner == winner


# Supply


def test_a_tower_sends_what_it_is_told_one_by_one() -> None:
    eager = replace(STILL, supply=3.0, tower=replace(TOWER, training=0.4))
    derived, state = scene(eager, [(0, 10.5, 10.5), (1, 28.5, 2.5)], supply=np.array([3.0, 3.0]))
    state = apply(derived, state, [Send(0, 0, 5, 2)])
    assert state.supply.tolist() == [0, 3]
    states = rolled(derived, state, 12)
    assert [len(s.units) for s in states] == [0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    units = states[-1].units
    assert units.squads.tolist() == [2, 2, 2]
    assert units.ids.tolist() == [200, 201, 202]
    assert (np.abs(states[1].units.positions[0] - 10.5).max()) < 1.5
    assert states[-1].sent.tolist() == [3, 0]


def test_supply_grows_with_the_towers_that_stand() -> None:
    rich = replace(STILL, income=0.5)
    derived, state = scene(
        rich, [(0, 10.5, 10.5), (0, 4.5, 4.5), (1, 28.5, 2.5)], supply=np.zeros(2)
    )
    assert rolled(derived, state, 20)[-1].supply == pytest.approx([2.0, 1.0])


def test_a_team_sends_no_more_units_than_it_may_have() -> None:
    few = replace(STILL, units=2)
    derived, state = scene(
        few, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(0, 3.5, 3.5)], supply=np.array([9.0, 9.0])
    )
    state = apply(derived, state, [Send(0, 0, 5, 0), Send(0, 0, 5, 0)])
    assert state.towers.queues[0] == 1


def test_what_a_falling_tower_had_to_send_goes_back_to_the_supply() -> None:
    weak = replace(STILL, tower=replace(TOWER, health=0.5))
    derived, state = scene(
        weak,
        [(0, 10.5, 10.5), (0, 2.5, 2.5), (1, 28.5, 2.5)],
        [(1, 9.3, 10.5)],
        supply=np.array([9.0, 9.0]),
    )
    state = apply(derived, state, [Send(0, 0, 4, 0)])
    assert rolled(derived, state, 1)[-1].supply[0] == 9


# Orders


def test_a_squad_marches_to_its_post_and_stays() -> None:
    derived, state = scene(STILL, [(0, 3.5, 3.5), (1, 28.5, 2.5)], [(0, 5.5, 15.5), (0, 6.5, 15.5)])
    state = apply(derived, state, [Advance(0, 0, 20.5, 16.5)])
    states = rolled(derived, state, 60)
    assert (np.hypot(*(states[-1].units.positions - (20.5, 16.5)).T) < 3).all()
    assert np.abs(states[-1].units.positions - states[-3].units.positions).max() < 0.3


def test_a_squad_strikes_the_tower_it_is_told_to() -> None:
    derived, state = scene(
        STILL, [(0, 3.5, 3.5), (1, 26.5, 4.5), (1, 26.5, 16.5)], [(0, 5.5, 10.5)]
    )
    state = apply(derived, state, [Strike(0, 0, 2)])
    after = rolled(derived, state, 60)[-1]
    assert after.towers.health[2] < 20
    assert after.towers.health[1] == 20


def test_a_safe_way_leads_round_the_fire() -> None:
    derived, state = scene(
        replace(STILL, caution=200.0),
        [(0, 3.5, 10.5), (1, 14.5, 10.5), (1, 27.5, 10.5)],
        [(0, 5.5, 10.5), (0, 6.5, 10.5)],
    )
    short, safe = (
        apply(derived, state, [Advance(0, 0, 21.5, 10.5, safely)]) for safely in (False, True)
    )
    hurt = [np.sum(50 - rolled(derived, reason, 80)[-1].units.health) for reason in (short, safe)]
    assert hurt[1] < hurt[0]


@pytest.mark.parametrize(
    ("order", "fragments"),
    [
        (Send(0, 7, 1, 0), ("Orders need an existing tower", "tower 7")),
        (Send(0, 1, 1, 0), ("its own towers", "blue for red")),
        (Send(0, 0, 0, 0), ("count is at least 1",)),
        (Send(2, 0, 1, 0), ("team is a number below 2",)),
        (Send(0, 0, 1, 6), ("squad is a number below 6",)),
        (Regroup(0, 0, 9), ("into is a number below 6",)),
        (Strike(0, 0, 0), ("attacks towers of other teams",)),
        (Strike(0, 0, 1, 1), ("safely is True or False",)),
        (Place(0, 5.5, 5.5), ("before the match starts",)),
        (Remove(0, 0), ("before the match starts",)),
        (Begin(), ("before the match starts",)),
        ("attack", ("An order is one of",)),
    ],
)
def test_an_order_that_cannot_be_followed_is_refused_and_nothing_happens(
    order: Any, fragments: tuple[str, ...]
) -> None:
    derived, state = scene(STILL, [(0, 3.5, 3.5), (1, 28.5, 2.5)])
    rng = np.random.default_rng(1)
    with refused(InvalidValue, *fragments):
        step(derived, state, [Send(0, 0, 1, 0), order], rng)
    assert rng.bit_generator.state == np.random.default_rng(1).bit_generator.state
    assert state.towers.queues.tolist() == [0, 0]
    with refused(OutsideMap, "lie on the map"):
        apply(derived, state, [Advance(0, 0, 31.0, 4.0)])


# Placing

PLACED = replace(STILL, layout="placed", towers=2, tower=replace(TOWER, size=3))


def test_towers_are_placed_before_the_match_begins() -> None:
    derived = TowersDerived(fc.Grid(30, 20), PLACED)
    rng = np.random.default_rng(0)
    state = start(derived, rng)
    assert not state.begun
    state = step(derived, state, [Place(0, 4.2, 5.9), Place(1, 25.5, 5.5)], rng)
    assert (state.step, len(state.towers)) == (0, 2)
    assert derived.space.position_of(state.towers.cells).tolist() == [[4.5, 5.5], [25.5, 5.5]]
    state = step(derived, state, [Place(0, 4.5, 12.5), Remove(0, 0), Begin()], rng)
    assert (state.step, state.begun, state.towers.ids.tolist()) == (1, True, [1, 2])


@pytest.mark.parametrize(
    ("orders", "fragments"),
    [
        ([Place(0, 1.5, 10.5)] * 2, ("open ground", "(0.5, 9.5)")),
        ([Place(0, 0.5, 10.5)], ("All cells of a tower are on the map", "rim")),
        (
            [Place(0, 12.5, 10.5), Place(1, 16.5, 10.5)],
            ("must be 6 or more from enemy towers", "4 from a tower of red"),
        ),
        ([Place(0, 3.5, 4.5), Place(0, 3.5, 10.5), Place(0, 3.5, 15.5)], ("at most 2 towers",)),
        ([Place(0, 3.5, 4.5), Begin()], ("Every team needs a tower", "no tower of blue")),
        ([Send(0, 0, 1, 0)], ("after the match has started",)),
    ],
)
def test_a_tower_that_may_not_stand_there_is_refused(
    orders: list[Any], fragments: tuple[str, ...]
) -> None:
    derived = TowersDerived(fc.Grid(30, 20), PLACED)
    state = start(derived, np.random.default_rng(0))
    with refused(InvalidValue, *fragments):
        apply(derived, state, orders)


def test_a_tower_that_blocks_the_only_way_is_refused() -> None:
    walls = np.zeros((20, 30), dtype=bool)
    walls[:8, 14:17] = walls[11:, 14:17] = True
    walls[19, :] = True
    walls[19, 20] = False  # a corner of its own, which nobody reaches anyway
    walls[18, 18:23] = True
    derived = TowersDerived(fc.Grid(30, 20, walls=walls), PLACED)
    state = apply(
        derived, start(derived, np.random.default_rng(0)), [Place(0, 4.5, 5.5), Place(1, 25.5, 5.5)]
    )
    with refused(InvalidValue, "must not block the only path"):
        apply(derived, state, [Place(0, 15.5, 9.5)])
    beside = apply(
        derived, state, [Place(0, 12.5, 12.5)]
    )  # at the wall, but there is a route round it
    assert len(beside.towers) == 3


def test_a_tower_that_shuts_another_in_is_refused() -> None:
    walls = np.ones((20, 30), dtype=bool)
    walls[2:5, 2:9] = walls[10:18, 2:28] = False
    derived = TowersDerived(fc.Grid(30, 20, walls=walls), PLACED)
    state = apply(derived, start(derived, np.random.default_rng(0)), [Place(0, 3.5, 3.5)])
    with refused(InvalidValue, "open ground beside"):
        apply(derived, state, [Place(0, 6.5, 3.5)])


@pytest.mark.parametrize(
    ("settings", "fragments"),
    [
        (lambda: Settings(teams=("red",)), ("two or more teams",)),
        (lambda: Settings(teams=("red", "red")), ("different names",)),
        (lambda: Settings(commanders=("human",)), ("1 for 2 teams",)),
        (lambda: Settings(commanders="clever"), ("commander is one of",)),
        (lambda: Settings(towers=0), ("towers is at least 1",)),
        (lambda: Settings(layout="random"), ("layout is one of",)),
        (lambda: Settings(limit=0.0), ("limit is above 0",)),
        (lambda: Settings(tower=UnitRules()), ("tower is TowerRules",)),
        (lambda: TowerRules(size=2), ("size is odd",)),
        (lambda: TowerRules(least_range=10.0), ("below the range",)),
        (lambda: TowerRules(damage=(5.0, 2.0)), ("least damage is at most",)),
        (lambda: UnitRules(damage=3.0), ("damage is (least, greatest)",)),
        (lambda: UnitRules(speed=-1.0), ("speed is above 0",)),
    ],
)
def test_settings_out_of_range_are_refused(settings: Any, fragments: tuple[str, ...]) -> None:
    with refused(InvalidValue, *fragments):
        settings()


def test_nothing_is_a_target_that_cannot_be_seen() -> None:
    derived, state = scene(
        STILL, [(0, 10.5, 10.5), (1, 28.5, 2.5)], [(1, 14.4, 10.5), (1, 14.6, 10.5)]
    )
    derived.follow_towers(state.towers)

    assert look(derived, state).targets.tolist() == [0, NOTHING]
