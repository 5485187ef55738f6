"""What brains choose, on maps where it can be in_sight what is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fieldcraft import Stamp
from fieldcraft_worlds.games.tether.ai import ahead, expected, layer_of, plans_of
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.state import State
from support.duels import SPACE, placed, with_wall

FAR = (25.5, 10.5)


def goal(derived: TetherDerived, state: State, number: int = 0) -> Any:
    return derived.centers[plans_of(derived, state)[number].goal]


def gap(one: Any, other: Any) -> float:
    return float(np.hypot(*(np.asarray(one) - np.asarray(other))))


class TestLayer:
    def test_it_is_the_tether_stamp_where_the_enemy_is_in_sight(self) -> None:
        derived, state = placed(
            with_wall(15, slice(5, 16)), (5.5, 10.5), (12.5, 10.5), foresight=0.0
        )
        layer = layer_of(derived, state, 0).reshape(21, 30)
        stamp = Stamp.tether(10.0, 5.0, threat=(12.0 / 7.0))
        weights, top, left = stamp.on(1.0, y_up=False, most=30)
        for row in range(21):
            for column in range(30):
                i, j = row - 10 - top, column - 12 - left
                inside = 0 <= i < weights.shape[0] and 0 <= j < weights.shape[1]
                wanted = (
                    float(weights[i, j])
                    if inside and derived.in_sight(10 * 30 + 12)[row * 30 + column]
                    else 0.0
                )
                assert layer[row, column] == pytest.approx(wanted, abs=1e-6)
        assert layer[10, 18] == 0.0  # behind the wall nobody reaches anybody

    def test_enemies_add_up_and_the_fallen_do_not_count(self) -> None:
        derived, state = placed(
            SPACE, (2.5, 2.5), (2.5, 4.5), (14.5, 10.5), (17.5, 10.5), foresight=0.0
        )
        both = layer_of(derived, state, 0)
        fighters = replace(state.fighters, health=np.array([100.0, 100.0, 100.0, 0.0]))
        one = layer_of(derived, replace(state, fighters=fighters), 0)
        assert both.max() > one.max() > 0
        assert both[10 * 30 + 23] == pytest.approx(
            one[10 * 30 + 23] + derived.tether([10 * 30 + 17], 10.0, 5.0, 12 / 7)[10 * 30 + 23]
        )

    def test_enemies_are_expected_where_they_walk_but_not_in_walls(self) -> None:
        derived, state = placed(
            with_wall(15, slice(0, 21)), (5.5, 10.5), (17.5, 10.5), foresight=0.5
        )
        fighters = replace(state.fighters, velocities=np.array([[0.0, 4.0], [-8.0, 0.0]]))
        state = replace(state, fighters=fighters)
        assert expected(derived, state, 1) == [12 * 30 + 5]
        assert expected(derived, state, 0) == [10 * 30 + 16]


class TestTether:
    def test_the_long_range_goes_to_the_ring(self) -> None:
        for x in (2.5, 12.5, 18.5, 22.5):
            derived, state = placed(SPACE, (x, 10.5), FAR, foresight=0.0)
            assert 6.0 < gap(goal(derived, state), FAR) < 9.0

    def test_the_short_range_goes_into_its_own(self) -> None:
        derived, state = placed(SPACE, (10.5, 10.5), FAR, foresight=0.0)
        assert gap(goal(derived, state, 1), (10.5, 10.5)) <= 4.0

    def test_it_goes_where_the_enemy_can_be_seen(self) -> None:
        derived, state = placed(
            with_wall(15, slice(3, 18)), (9.5, 10.5), (18.5, 10.5), foresight=0.0
        )
        plan = plans_of(derived, state)[0]
        cells = derived.cells(state.fighters.positions)
        assert not derived.in_sight(int(cells[1]))[cells[0]]
        assert derived.in_sight(int(cells[1]))[plan.goal]
        assert not derived.ground.walls.reshape(-1)[plan.cells].any()

    def test_a_charging_enemy_is_given_way_to_sooner(self) -> None:
        derived, state = placed(SPACE, (16.5, 10.5), FAR, foresight=0.5)
        still = gap(goal(derived, state), FAR)
        fighters = replace(state.fighters, velocities=np.array([[0.0, 0.0], [-4.0, 0.0]]))
        assert gap(goal(derived, replace(state, fighters=fighters)), FAR) > still + 1

    def test_friends_choose_other_places(self) -> None:
        derived, state = placed(
            SPACE, (12.5, 9.5), (12.5, 11.5), (12.5, 12.5), FAR, (25.5, 12.5), (25.5, 8.5)
        )
        plans = plans_of(derived, state)
        goals = {plans[number].goal for number in (0, 1, 2)}
        assert len(goals) == 3

    def test_nobody_in_reach_means_going_on(self) -> None:
        derived, state = placed(with_wall(15, slice(0, 20)), (3.5, 3.5), (27.5, 3.5))
        assert all(len(plan.cells) > 5 for plan in plans_of(derived, state).values())


class TestOthers:
    def test_charge_goes_all_the_way(self) -> None:
        derived, state = placed(SPACE, (5.5, 10.5), FAR, brains="charge")
        assert goal(derived, state).tolist() == list(FAR)
        derived, state = placed(SPACE, (24.5, 10.5), FAR, brains="charge")
        assert len(plans_of(derived, state)[0].cells) == 1

    @pytest.mark.parametrize(("x", "nearer"), [(5.5, True), (22.5, False), (16.5, None)])
    def test_distance_is_kept(self, x: float, nearer: bool | None) -> None:
        derived, state = placed(SPACE, (x, 10.5), FAR, brains="distance")
        before, after = gap((x, 10.5), FAR), gap(goal(derived, state), FAR)
        assert (after < before) is nearer if nearer is not None else after == before

    def test_cover_is_out_of_sight_or_not_at_all(self) -> None:
        derived, state = placed(with_wall(15, slice(5, 16)), (12.5, 2.5), FAR, brains="cover")
        plan = plans_of(derived, state)[0]
        enemy = int(derived.cells(state.fighters.positions)[1])
        assert not derived.in_sight(enemy)[plan.goal]
        assert len(plans_of(*placed(SPACE, (12.5, 2.5), FAR, brains="cover"))[0].cells) == 1


def test_ahead_stops_before_a_corner() -> None:
    derived, state = placed(
        with_wall(15, slice(3, 18)), (14.5, 10.5), (16.5, 10.5), brains="charge"
    )
    plan = plans_of(derived, state)[0]
    cell = ahead(derived, plan)
    assert cell in plan.cells[1:5]
    assert derived.in_sight(int(plan.cells[0]))[cell]


def test_the_player_thinks_for_himself() -> None:
    derived, state = placed(SPACE, (5.5, 10.5), FAR)
    assert set(plans_of(derived, replace(state, player=0))) == {1}
