"""Hits, health, walking, the end; and that a duel is the same whatever was played before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fieldcraft import Grid, generate_map
from fieldcraft.base.errors import FieldcraftError, InvalidValue
from fieldcraft_worlds.games.tether import GAME, FighterRules, Settings
from fieldcraft_worlds.games.tether.derived import TetherDerived
from fieldcraft_worlds.games.tether.orders import Lead, Leave, Steer, Take, Tune, Walk
from fieldcraft_worlds.games.tether.rules import reaches, start, step
from fieldcraft_worlds.games.tether.state import NOBODY
from fieldcraft_worlds.play.session import Session, play_out
from support.duels import SPACE, placed, with_wall
from support.refusals import refused


def rng() -> np.random.Generator:
    return np.random.default_rng(5)


class TestHits:
    def test_the_long_range_hits_first(self) -> None:
        derived, state = placed(SPACE, (8.5, 10.5), (17.5, 10.5), brains="cover")
        after = step(derived, state, (), rng())
        assert after.hits.tolist() == [1, 0]
        assert 5.0 <= after.dealt[0] <= 9.0
        assert after.fighters.health.tolist() == [100.0, 100.0 - after.dealt[0]]
        assert state.fighters.health.tolist() == [100.0, 100.0]
        again = step(derived, after, (), rng())
        assert again.hits.tolist() == [1, 0]  # not ready yet
        for _ in range(23):
            again = step(derived, again, (), rng())
        assert again.hits.tolist() == [2, 0]

    def test_walls_stop_hits_both_ways(self) -> None:
        derived, state = placed(with_wall(15, slice(5, 16)), (13.5, 10.5), (17.5, 10.5))
        assert not reaches(derived, state).any()
        derived, state = placed(SPACE, (13.5, 10.5), (17.5, 10.5))
        assert reaches(derived, state).tolist() == [[False, True], [True, False]]

    def test_both_may_fall_at_once(self) -> None:
        derived, state = placed(SPACE, (13.5, 10.5), (17.5, 10.5))
        state = replace(state, fighters=replace(state.fighters, health=np.array([1.0, 1.0])))
        after = step(derived, state, (), rng())
        assert (after.over, after.winner) == (True, NOBODY)
        assert after.dealt.tolist() == [1.0, 1.0]
        assert step(derived, after, (), rng()) is after

    def test_the_weakest_is_hit(self) -> None:
        derived, state = placed(SPACE, (9.5, 10.5), (9.5, 12.5), (16.5, 10.5), (16.5, 12.5))
        state = replace(
            state, fighters=replace(state.fighters, health=np.array([100.0, 100.0, 50.0, 40.0]))
        )
        after = step(derived, state, (), rng())
        assert after.fighters.health[2] == 50.0
        assert after.fighters.health[3] < 31.0
        assert (100.0 * 2 + 90.0 - after.fighters.health.sum()) == pytest.approx(after.dealt.sum())

    def test_out_of_time_the_damage_decides(self) -> None:
        derived, state = placed(SPACE, (13.5, 2.5), (17.5, 18.5), limit=0.1, brains="cover")
        for _ in range(4):
            state = step(derived, state, (), rng())
        assert (state.over, state.winner) == (True, NOBODY)
        derived, state = placed(SPACE, (13.5, 2.5), (17.5, 18.5), limit=0.1, brains="cover")
        state = replace(state, dealt=np.array([3.0, 4.0]))
        for _ in range(4):
            state = step(derived, state, (), rng())
        assert (state.over, state.winner) == (True, 1)


class TestWalking:
    def test_nobody_ends_in_a_wall_and_nobody_is_faster_than_he_can(self) -> None:
        space = generate_map("rooms", 40, 26, seed=4, neighbors=8)
        last: list[Any] = []

        def watch(session: Session) -> None:
            fighters = session.state.fighters
            assert not space.walls.flat[space.cell_at(fighters.positions)].any()
            if last:
                moved = np.hypot(*(fighters.positions - last[-1].positions).T)
                assert (moved <= np.array([4.0, 4.0, 4.2, 4.2]) / 30 + 1e-9).all()
            last.append(fighters)

        play_out(GAME, space, Settings(fighters=2), seed=3, most_steps=300, watch=watch)
        assert np.hypot(*(last[-1].positions - last[0].positions).T).max() > 5


class TestHand:
    def test_steered(self) -> None:
        derived, state = placed(SPACE, (5.5, 10.5), (25.5, 10.5), brains="cover")
        state = step(derived, state, [Take(0), Steer(0.0, -3.0)], rng())
        for _ in range(29):
            state = step(derived, state, (), rng())
        assert state.player == 0
        assert state.steer == (0.0, -1.0)
        assert state.fighters.positions[0].tolist() == pytest.approx([5.5, 6.8], abs=0.2)
        state = step(derived, state, [Steer(0.0, 0.0)], rng())
        for _ in range(30):
            state = step(derived, state, (), rng())
        here = state.fighters.positions[0]
        state = step(derived, state, (), rng())
        assert state.fighters.positions[0] == pytest.approx(here, abs=1e-3)
        assert step(derived, state, [Leave()], rng()).player == NOBODY

    def test_walking_round_a_wall(self) -> None:
        derived, state = placed(
            with_wall(15, slice(3, 21)),
            (12.5, 18.5),
            (28.5, 1.5),
            brains="cover",
            short=FighterRules(1.0, (1.0, 2.0)),
        )
        state = step(derived, state, [Take(0), Walk(18.5, 18.5)], rng())
        for _ in range(400):
            state = step(derived, state, (), rng())
        assert state.fighters.positions[0] == pytest.approx([18.5, 18.5], abs=0.3)

    def test_the_next_and_the_fallen(self) -> None:
        derived, state = placed(
            SPACE, (5.5, 10.5), (5.5, 12.5), (25.5, 10.5), (25.5, 12.5), brains="cover"
        )
        for wanted in (0, 1, 0):
            state = step(derived, state, [Take(0)], rng())
            assert state.player == wanted
        assert step(derived, state, [Take(1)], rng()).player == 2
        near = np.array([[5.5, 10.5], [5.5, 12.5], [7.5, 10.5], [25.5, 12.5]])
        fallen = replace(
            state.fighters, positions=near, health=np.array([1.0, 100.0, 100.0, 100.0])
        )
        after = step(derived, replace(state, fighters=fallen), (), rng())
        assert after.player == NOBODY

    @pytest.mark.parametrize(
        "order",
        [
            Steer(1, 0),
            Walk(3, 3),
            Take(2),
            Lead(0, "panic"),
            Tune("speed", 1.0),
            Tune("threat", -1.0),
            Tune("long_range", 99.0),
        ],
    )
    def test_what_cannot_be_followed(self, order: Any) -> None:
        derived, state = placed(SPACE, (5.5, 10.5), (25.5, 10.5))
        with pytest.raises(FieldcraftError):
            step(derived, state, [order], rng())

    @pytest.mark.parametrize("order", ["walk", None, (3.0, 3.0)])
    def test_what_is_no_order(self, order: Any) -> None:
        derived, state = placed(SPACE, (5.5, 10.5), (25.5, 10.5))
        with refused(InvalidValue, "An order is"):
            step(derived, state, [Take(0), order], rng())

    def test_walls_are_not_walked_to(self) -> None:
        derived, state = placed(with_wall(15, slice(3, 21)), (12.5, 18.5), (28.5, 1.5))
        with refused(InvalidValue, "open ground"):
            step(derived, state, [Take(0), Walk(15.5, 10.5)], rng())

    def test_brains_and_numbers_change(self) -> None:
        derived, state = placed(SPACE, (5.5, 10.5), (25.5, 10.5))
        after = step(derived, state, [Lead(1, "cover"), Tune("long_range", 12.5)], rng())
        assert after.brains == ("tether", "cover")
        assert after.tuning.ranges == (12.5, 5.0)


class TestSameBits:
    def test_swapped_sides_start_in_each_other_s_places(self) -> None:
        space = generate_map("open", 40, 26, seed=2, neighbors=8)
        one, other = (
            start(TetherDerived(space, Settings(fighters=2, swapped=swapped)), rng())
            for swapped in (False, True)
        )
        assert one.fighters.positions.tolist() == [
            *other.fighters.positions[2:].tolist(),
            *other.fighters.positions[:2].tolist(),
        ]


class TestRefusals:
    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"fighters": 0}, "fighters"),
            ({"fighters": 6}, "at most 5"),
            ({"brains": "panic"}, "brain"),
            ({"brains": ("tether",)}, "two sides"),
            ({"swapped": 1}, "swapped"),
            ({"threat": -1.0}, "threat"),
            ({"patience": 0.0}, "patience"),
            ({"rate": 0}, "rate"),
            ({"long": FighterRules(4.0, (1.0, 2.0))}, "longer than"),
            ({"long": 3}, "FighterRules"),
        ],
    )
    def test_settings(self, settings: dict[str, Any], said: str) -> None:
        with refused(InvalidValue, said):
            Settings(**settings)

    @pytest.mark.parametrize(
        ("rules", "said"),
        [
            ((31.0, (1.0, 2.0)), "at most 30"),
            ((0.0, (1.0, 2.0)), "range"),
            ((5.0, (3.0, 2.0)), "least damage"),
            ((5.0, (3.0,)), "damage"),
            ((5.0, (1.0, 2.0), 0.0), "interval"),
        ],
    )
    def test_rules(self, rules: tuple[Any, ...], said: str) -> None:
        with refused(InvalidValue, said):
            FighterRules(*rules)

    def test_maps_without_room(self) -> None:
        with refused(InvalidValue, "open ground"):
            play_out(GAME, Grid(5, 5, walls=np.ones((5, 5), dtype=bool)))
        with refused(InvalidValue, "room"):
            play_out(GAME, Grid(2, 2), Settings(fighters=3))
        with refused(InvalidValue, "grid"):
            play_out(GAME, "map")
        with refused(InvalidValue, "two sides"):
            Settings(brains=("tether",))  # type: ignore[arg-type]
