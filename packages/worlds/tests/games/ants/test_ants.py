"""The ants: food is neither made nor lost, walls hold, one seed is one run, and separation cures
vortices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.space.encoding import to_bytes
from fieldcraft_worlds.games.ants import Settings, Tuning
from fieldcraft_worlds.games.ants.derived import AntsDerived
from fieldcraft_worlds.games.ants.orders import Leave, Paint, Tune
from fieldcraft_worlds.games.ants.plugin import GAME, KINDS, meadow
from fieldcraft_worlds.games.ants.rules import start, step
from fieldcraft_worlds.games.ants.state import State
from fieldcraft_worlds.games.game import InputEvent, InputFrame
from fieldcraft_worlds.play.session import Session, play_out
from support.refusals import refused

SMALL = Settings(ants=300, food=20, pile=3, window=1.0)


def played(
    derived: AntsDerived,
    state: State,
    steps: int,
    rng: np.random.Generator | None = None,
    orders: Any = (),
) -> State:
    dice = np.random.default_rng(0) if rng is None else rng
    for number in range(steps):
        state = step(derived, state, orders if number == 0 else (), dice)
    return state


def begun(
    settings: Settings = SMALL, space: fc.Grid | None = None, seed: int = 1
) -> tuple[AntsDerived, State]:
    derived = AntsDerived(meadow(48, 36, seed=2) if space is None else space, settings)
    return derived, start(derived, np.random.default_rng(seed))


class TestForaging:
    @pytest.mark.parametrize("trails", ["scalar", "velocity"])
    def test_food_is_neither_made_nor_lost(self, trails: str) -> None:
        derived, state = begun(replace(SMALL, trails=trails, renew=False))
        whole = int(state.food.sum())
        assert whole > 0
        for _ in range(10):
            state = played(derived, state, 25)
            assert int(state.food.sum()) + int(state.carrying.sum()) + state.home == whole
            assert state.per_minute <= state.home
        assert state.home > 0

    def test_as_many_take_as_there_is(self) -> None:
        derived, state = begun(replace(SMALL, renew=False, piles=0))
        food = np.zeros_like(state.food)
        far = (state.nest + len(derived.grid) // 2) % len(derived.grid)
        cell = int(derived.grid.nearest_open(far))
        food.reshape(-1)[cell] = 3
        agents = state.agents.copy()
        agents[0] = (cell % derived.grid.width << 16) + (1 << 15)
        agents[1] = (cell // derived.grid.width << 16) + (1 << 15)
        after = played(derived, replace(state, food=food, agents=agents), 1)
        cells = derived.swarm(after).cells
        assert int(after.food.sum()) + int(after.carrying.sum()) == 3
        assert set(np.flatnonzero(after.carrying)) <= set(np.flatnonzero(cells == cell)[:3])

    def test_another_pile_grows(self) -> None:
        derived, state = begun(replace(SMALL, food=1, piles=1))
        state = replace(state, food=np.zeros_like(state.food))
        after = played(derived, state, SMALL.rate + 1)
        assert int(after.food.sum()) > 5

    def test_the_minute_forgets(self) -> None:
        derived, state = begun(replace(SMALL, rate=2))
        recent = np.arange(60, dtype=np.int32)
        state = replace(state, recent=recent, step=2 * 8, home=5, counted=2)
        after = played(derived, state, 1)
        assert after.recent[7] == 3
        assert after.counted == 5
        assert np.delete(after.recent, 7).tolist() == [n for n in range(60) if n != 7]


class TestNowhere:
    def test_separation_cures_vortices(self) -> None:
        """With velocity trails alone ants end up in vortices; when they also keep apart they get
        on.
        """
        space = meadow(96, 64, seed=7)
        shares = []
        for separate in (0.0, 2.0):
            settings = Settings(
                ants=1000,
                trails="velocity",
                piles=0,
                searchers=1.0,
                velocity=Tuning(keep=0.98, distance=4.0, separate=separate),
            )
            match = play_out(GAME, space, settings, seed=1, most_steps=1441)
            shares.append(match.state.nowhere)
        assert shares[0] > 0.8
        assert shares[1] < 0.35

    def test_a_velocity_trail_brings_a_third_of_the_food_of_two_pheromones(self) -> None:
        space = meadow(96, 64, seed=7)
        homes = [
            play_out(GAME, space, Settings(ants=1000, trails=trails), seed=1, most_steps=1200).state
            for trails in ("scalar", "velocity")
        ]
        assert homes[1].home > homes[0].home / 3

    def test_who_walks_straight_goes_somewhere(self) -> None:
        settings = replace(
            SMALL, piles=0, follow=0.0, avoid=0.0, scalar=Tuning(wander=0.0, separate=0.0)
        )
        space = fc.Grid(40, 30, wrap=True)
        assert play_out(GAME, space, settings, most_steps=61).state.nowhere == 0.0
        tight = replace(settings, nest=0.5, scalar=Tuning(wander=179.0, turn=180.0, separate=0.0))
        assert play_out(GAME, space, tight, most_steps=121).state.nowhere > 0.5


def test_ants_that_keep_apart_fork_and_find_all_piles() -> None:
    found = []
    for separate in (0.2, 1.0):
        settings = replace(Settings(), scalar=Tuning(separate=separate))
        match = play_out(GAME, meadow(160, 100), settings, seed=2, most_steps=1200)
        positions = match.world.derived.swarm(match.state).positions
        found.append(len(np.unique(positions // 10, axis=0)))
    assert found[1] > 1.5 * found[0]


class TestPainting:
    def test_walls_stop_ants_at_once(self) -> None:
        derived, state = begun()
        state = played(derived, state, 40)
        across = Paint("wall", ((2.0, 10.0), (46.0, 30.0)))
        after = played(derived, state, 1, orders=[across])
        assert after.walls.sum() > state.walls.sum()
        for _ in range(5):
            assert not after.walls.reshape(-1)[derived.swarm(after).cells].any()
            assert not after.planes[:, after.walls].any()
            after = played(derived, after, 10)
        opened = played(derived, after, 1, orders=[Paint("clear", across.stroke)])
        assert opened.walls.sum() < after.walls.sum()

    def test_the_nest_stays_clear(self) -> None:
        derived, state = begun()
        nest = tuple(derived.grid.position_of(state.nest).tolist())
        for what in ("wall", "food"):
            state = played(derived, state, 1, orders=[Tune("brush", 100.0), Paint(what, (nest,))])
            assert not state.walls.reshape(-1)[derived.is_nest(state.nest)].any()
            assert not state.food.reshape(-1)[derived.is_nest(state.nest)].any()
        assert state.walls.sum() == state.walls.size - derived.is_nest(state.nest).sum()
        assert state.food.sum() == 0  # where there are walls none is laid
        played(derived, state, 20)

    def test_food_and_clearing(self) -> None:
        derived, state = begun(replace(SMALL, piles=0, ants=0))
        fed = played(derived, state, 1, orders=[Paint("food", ((20.5, 20.5), (24.5, 20.5)))])
        assert fed.food.max() == 20
        assert not fed.food[fed.walls].any()
        assert (
            played(
                derived, fed, 1, orders=[Paint("clear", ((20.5, 20.5), (24.5, 20.5)))]
            ).food.sum()
            == 0
        )

    def test_other_trails_begin_with_nothing(self) -> None:
        derived, state = begun()
        state = played(derived, state, 30, orders=[Tune("brush", 5.0)])
        other = played(derived, state, 1, orders=[Leave("velocity")])
        assert other.tuning == replace(SMALL.velocity, brush=5.0)
        assert (other.planes < 0).any()
        again = played(derived, other, 30, orders=[Leave("scalar")])
        assert (again.planes >= 0).all()
        assert again.planes.any()

    def test_hands(self) -> None:
        session = Session(GAME, meadow(48, 36, seed=2), SMALL, seed=1)
        world, state = session.world, session.state
        stroke = ((5.0, 5.0), (9.0, 7.0))
        inputs = InputFrame(
            (
                InputEvent("paint", "hold", (9.0, 7.0), (5.0, 5.0), stroke=stroke),
                InputEvent("keep apart"),
                InputEvent("other trails"),
            ),
            chosen={"brush": "paint wall"},
            sliders={"keep": 0.95},
        )
        asked = world.orders(state, inputs)
        assert asked == (
            Tune("keep", 0.95),
            Paint("wall", stroke),
            Tune("separate", 0.0),
            Leave("velocity"),
        )
        session.step(asked)
        assert session.state.trails == "velocity"
        assert set(world.tuned(session.state)) == {slider.name for slider in GAME.sliders}
        assert world.orders(
            state,
            InputFrame(
                (
                    InputEvent("wipe", "press", (5.0, 5.0)),
                    InputEvent("paint", "release", (5.0, 5.0)),
                )
            ),
        ) == (Paint("clear", ((5.0, 5.0),)),)


class TestGrounds:
    @pytest.mark.parametrize("y_up", [False, True])
    def test_any_grid(self, y_up: bool) -> None:
        space = fc.Grid(
            30,
            22,
            cell_size=2.5,
            origin=(-7.0, 100.0),
            y_up=y_up,
            walls=fc.generate_map("cave", 30, 22, seed=3).walls,
        )
        play_out(GAME, space, replace(SMALL, ants=80), seed=2, most_steps=60)
        one = np.ones((5, 7), bool)
        one[2, 3] = False
        tiny = play_out(GAME, fc.Grid(7, 5, walls=one), replace(SMALL, ants=5), most_steps=10)
        assert tiny.state.home == 0

    def test_the_largest_part_over_the_rim_of_a_torus(self) -> None:
        walls = np.zeros((12, 20), bool)
        walls[:, [3, 8]] = True
        for wrap, columns in ((False, range(9, 20)), (True, [*range(9, 20), 0, 1, 2])):
            space = fc.Grid(20, 12, walls=walls, wrap=wrap)
            seen = {
                begun(replace(SMALL, nest=1, ants=1), space, seed)[1].nest % 20
                for seed in range(60)
            }
            assert seen == set(columns)

    def test_no_ground(self) -> None:
        with refused(InvalidValue, "open ground"):
            play_out(GAME, fc.Grid(9, 8, walls=np.ones((8, 9), bool)))
        with refused(InvalidValue, "grid"):
            GAME.open(fc.Graph(np.zeros((1, 2)), np.zeros((0, 2), int)), Settings())


class TestRefusals:
    @pytest.mark.parametrize(
        "bad",
        [
            {"ants": -1},
            {"ants": 10**7},
            {"trails": "smell"},
            {"speed": 0},
            {"follow": -1},
            {"scent": 0},
            {"crowd": 4},
            {"crowd": 99},
            {"food": 0},
            {"food": 2**31},
            {"renew": 1},
            {"rate": 0},
            {"window": float("nan")},
            {"scalar": None},
            {"scent": 1e9},
            {"smell": 1e9},
            {"homing": 0},
            {"obstacle": 1e9},
        ],
    )
    def test_of_settings(self, bad: dict[str, Any]) -> None:
        with refused(InvalidValue):
            Settings(**bad)

    @pytest.mark.parametrize(
        "bad",
        [
            {"keep": 1.01},
            {"keep": -1},
            {"blur": 2},
            {"blur": 17},
            {"distance": 0},
            {"turn": -1},
            {"wander": 180},
            {"brush": -1},
        ],
    )
    def test_of_tuning(self, bad: dict[str, Any]) -> None:
        with refused(InvalidValue):
            Tuning(**bad)

    @pytest.mark.parametrize(
        ("order", "kind"),
        [
            (Paint("gold", ((1.0, 1.0),)), InvalidValue),
            (Tune("keep", 2.0), InvalidValue),
            (Tune("blur", 2.5), InvalidValue),
            (Tune("luck", 1.0), UnknownName),
            (Leave("none"), InvalidValue),
            (None, InvalidValue),
            (Paint("wall", ((float("nan"), 1.0),)), InvalidValue),
        ],
    )
    def test_of_orders(self, order: Any, kind: type[Exception]) -> None:
        derived, state = begun()
        before = to_bytes(state, KINDS)
        with refused(kind):
            step(derived, state, [order], np.random.default_rng(0))
        assert to_bytes(state, KINDS) == before
