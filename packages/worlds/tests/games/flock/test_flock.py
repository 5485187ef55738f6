"""The flock: both kinds come to order, keep apart and flee; walls hold, and one seed is one
flight.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap, UnknownName
from fieldcraft.steering import Neighbors
from fieldcraft_worlds.games.flock import Settings, Tuning
from fieldcraft_worlds.games.flock.derived import FlockDerived
from fieldcraft_worlds.games.flock.orders import Fly, Paint, Scare, Tune
from fieldcraft_worlds.games.flock.plugin import GAME
from fieldcraft_worlds.games.flock.rules import start, step
from fieldcraft_worlds.games.flock.state import State, order_of
from fieldcraft_worlds.games.game import InputEvent, InputFrame
from fieldcraft_worlds.play.session import Session, play_out
from support.refusals import refused

KINDS_OF_FLIGHT = ["layers", "neighbors"]


def sky(width: int = 60, height: int = 44, **options: Any) -> fc.Grid:
    return fc.Grid(width, height, wrap=True, **options)


def begun(
    settings: Settings, space: fc.Grid | None = None, seed: int = 1
) -> tuple[FlockDerived, State]:
    derived = FlockDerived(sky() if space is None else space, settings)
    return derived, start(derived, np.random.default_rng(seed))


def played(derived: FlockDerived, state: State, steps: int, orders: Any = ()) -> State:
    for number in range(steps):
        state = step(derived, state, orders if number == 0 else (), np.random.default_rng(0))
    return state


class TestFlying:
    @pytest.mark.parametrize("rule", KINDS_OF_FLIGHT)
    def test_comes_to_order(self, rule: str) -> None:
        def order(steps: int, **tuning: float) -> float:
            settings = Settings(birds=400, rule=rule, tuning=Tuning(**tuning))
            match = play_out(GAME, sky(), settings, seed=1, most_steps=steps)
            return GAME.measured(match.world, match.state)["order"]

        assert order(1) < 0.2
        assert order(500) > 0.7
        assert order(200, align=0.0) < 0.4

    @pytest.mark.parametrize("rule", KINDS_OF_FLIGHT)
    def test_keeps_apart_and_together(self, rule: str) -> None:
        def gaps(**tuning: float) -> float:
            derived, state = begun(
                Settings(birds=300, rule=rule, tuning=replace(Tuning(), **tuning))
            )
            state = played(derived, state, 150)
            return float(
                np.minimum(
                    Neighbors(derived.swarm(state).positions, 4.0, space=derived.grid).nearest()[1],
                    4.0,
                ).mean()
            )

        usual = gaps()
        assert gaps(separate=0.0) < 0.6 * usual
        assert gaps(cohere=0.0, separate=2.0) > usual

    @pytest.mark.parametrize("rule", KINDS_OF_FLIGHT)
    def test_flees_a_predator(self, rule: str) -> None:
        derived, state = begun(Settings(birds=600, rule=rule))
        near = []
        for scare in (Scare(None), Scare((30.0, 22.0))):
            after = played(derived, state, 45, [scare])
            near.append(
                int((np.hypot(*(derived.swarm(after).positions - (30.0, 22.0)).T) < 6).sum())
            )
        assert near[1] < 0.4 * near[0]
        assert after.predator == (30.0, 22.0)

    def test_the_two_kinds_do_not_see_each_other(self) -> None:
        derived, state = begun(Settings(birds=200, rule="both"))
        assert state.by_layers.sum() == 100
        alone = replace(state, rule="layers", agents=state.agents[:, ::2].copy())
        both, one = played(derived, state, 30), played(derived, alone, 30)
        np.testing.assert_array_equal(both.agents[:, ::2], one.agents)
        switched = played(derived, both, 1, [Fly("neighbors")])
        assert not switched.by_layers.any()
        assert switched.rule == "neighbors"

    def test_order_of_headings(self) -> None:
        assert order_of(np.tile([0.6, -0.8], (5, 1))) == pytest.approx(1)
        assert order_of(np.array([(1.0, 0.0), (-1.0, 0.0)])) == 0
        assert order_of(np.zeros((0, 2))) == 0


class TestWalls:
    @pytest.mark.parametrize("rule", KINDS_OF_FLIGHT)
    @pytest.mark.parametrize("wrap", [False, True])
    def test_painted_walls_hold(self, rule: str, wrap: bool) -> None:
        space = fc.Grid(40, 30, cell_size=0.5, origin=(3.0, -2.0), wrap=wrap, y_up=wrap)
        derived, state = begun(Settings(birds=150, rule=rule), space)
        state = played(derived, state, 10)
        stroke = ((5.0, 0.0), (20.0, 10.0))
        state = played(derived, state, 1, [Paint("wall", stroke)])
        assert state.walls.any()
        for _ in range(6):
            assert not state.walls.reshape(-1)[derived.swarm(state).cells].any()
            state = played(derived, state, 10)
        assert not played(
            derived, state, 1, [Tune("brush", 3.0), Paint("clear", stroke)]
        ).walls.any()

    def test_a_cell_stays_open(self) -> None:
        derived, state = begun(Settings(birds=5))
        with refused(InvalidValue, "room"):
            step(
                derived,
                state,
                [Tune("brush", 200.0), Paint("wall", ((30.0, 20.0),))],
                np.random.default_rng(0),
            )
        with refused(InvalidValue, "room"):
            play_out(GAME, fc.Grid(9, 8, walls=np.ones((8, 9), bool)))
        with refused(InvalidValue, "grid"):
            GAME.open(fc.Graph(np.zeros((1, 2)), np.zeros((0, 2), int)), Settings())


def test_hands() -> None:
    session = Session(GAME, None, Settings(birds=10), seed=1)
    world = session.world
    inputs = InputFrame(
        (
            InputEvent("scare", "hold", (9.0, 7.0), (5.0, 5.0)),
            InputEvent("paint", "press", (9.0, 7.0)),
            InputEvent("by both"),
            InputEvent("by layers"),
        ),
        chosen={"brush": "paint clear"},
        sliders={"align": 1.5},
    )
    asked = world.orders(session.state, inputs)
    assert asked == (
        Tune("align", 1.5),
        Scare((9.0, 7.0)),
        Paint("clear", ((9.0, 7.0),)),
        Fly("both"),
    )
    session.step(asked)
    held = InputFrame((InputEvent("scare", "hold", (9.0, 7.0)),))
    assert world.orders(session.state, held) == ()
    assert world.orders(
        session.state, InputFrame((InputEvent("scare", "release", (9.0, 7.0)),))
    ) == (Scare(None),)
    assert set(world.tuned(session.state)) == {slider.name for slider in GAME.sliders}


class TestRefusals:
    @pytest.mark.parametrize(
        "bad",
        [
            {"birds": -1},
            {"birds": 10**7},
            {"rule": "boids"},
            {"speed": 0},
            {"near": 4},
            {"far": 65},
            {"room": -1},
            {"obstacle": 1e9},
            {"rate": 0},
            {"tuning": 1},
        ],
    )
    def test_of_settings(self, bad: dict[str, Any]) -> None:
        with refused(InvalidValue):
            Settings(**bad)

    @pytest.mark.parametrize("bad", [{"align": -1}, {"wander": 180}, {"turn": float("nan")}])
    def test_of_tuning(self, bad: dict[str, Any]) -> None:
        with refused(InvalidValue):
            Tuning(**bad)

    @pytest.mark.parametrize(
        ("order", "kind"),
        [
            (Paint("gold", ((1.0, 1.0),)), InvalidValue),
            (Tune("align", -1.0), InvalidValue),
            (Tune("luck", 1.0), UnknownName),
            (Fly("south"), InvalidValue),
            (None, InvalidValue),
        ],
    )
    def test_of_orders(self, order: Any, kind: type[Exception]) -> None:
        derived, state = begun(Settings(birds=5))
        with refused(kind):
            step(derived, state, [order], np.random.default_rng(0))

    def test_of_predators_off_the_map(self) -> None:
        derived, state = begun(Settings(birds=5), fc.Grid(20, 10))
        with refused(OutsideMap):
            step(derived, state, [Scare((99.0, 1.0))], np.random.default_rng(0))
