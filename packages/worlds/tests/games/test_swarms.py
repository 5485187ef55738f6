"""Ants and birds as swarms: the same matches on any carrier, whenever they are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import cli
from fieldcraft.errors import InvalidValue, NoDevice
from fieldcraft.packing import digest
from fieldcraft_worlds.games import carrying
from fieldcraft_worlds.games.ants import Settings as Ants
from fieldcraft_worlds.games.ants import play_ants
from fieldcraft_worlds.games.ants import swarm_plugin as ants
from fieldcraft_worlds.games.ants.orders import Leave, Paint, Tune
from fieldcraft_worlds.games.ants.plugin import meadow
from fieldcraft_worlds.games.flock import Settings as Flock
from fieldcraft_worlds.games.flock import swarm_plugin as flock
from fieldcraft_worlds.games.flock.orders import Fly, Scare
from fieldcraft_worlds.games.flock.orders import Paint as PaintSky
from fieldcraft_worlds.games.flock.state import order_of
from fieldcraft_worlds.library import carried, find_game
from support.refusals import refused

CASES: dict[str, tuple[Any, Any, dict[int, tuple[Any, ...]]]] = {
    "ants": (
        ants,
        Ants(ants=250, piles=2, food=3, window=1.0),
        {
            20: (Paint("wall", ((20.5, 5.5), (20.5, 30.5))), Paint("food", ((5.5, 5.5),))),
            41: (Tune("keep", 0.95), Tune("blur", 5.0), Tune("separate", 1.0)),
            70: (Paint("clear", ((20.5, 5.5), (20.5, 30.5))),),
        },
    ),
    "flock": (
        flock,
        Flock(birds=250),
        {
            20: (PaintSky("wall", ((20.5, 5.5), (20.5, 30.5))), Scare((30.0, 20.0))),
            41: (Scare(None), Tune("align", 1.5)),
        },
    ),
}


def _states(case: str, steps: int, *, looking: bool) -> list[Any]:
    module, settings, orders = CASES[case]
    world = module.GAME.open(
        fc.Grid(
            47, 36, walls=np.random.default_rng(2).random((36, 47)) < 0.05, wrap=case == "flock"
        ),
        settings,
    )
    rng = np.random.default_rng(3)
    states = [world.start(rng)]
    for k in range(steps):
        states.append(world.step(states[-1], orders.get(k, ()), rng))
        if looking:
            digest(states[-1], module.KINDS)
    return states


DIGESTS: dict[str, list[str]] = {}


@pytest.mark.parametrize("case", list(CASES))
def test_one_seed_is_one_match_on_any_carrier_whenever_it_is_looked_at(
    case: str, carrier: str
) -> None:
    kinds = CASES[case][0].KINDS
    if case not in DIGESTS:
        carrying.choose(None)
        DIGESTS[case] = [digest(state, kinds) for state in _states(case, 100, looking=True)]
        carrying.choose(carrier)
    states = _states(case, 100, looking=False)
    for k in [100, 99, 3, 64, 41, 42, 20, 21, 90, 0]:
        assert digest(states[k], kinds) == DIGESTS[case][k], k
        assert states[k].is_whole


def test_a_swarm_brings_home_what_the_other_ants_do() -> None:
    space, settings = meadow(80, 60, seed=3), Ants(ants=300)
    world, rng = ants.GAME.open(space, settings), np.random.default_rng(4)
    state = world.start(rng)
    first = int(state.food.sum())
    for _ in range(600):
        state = world.step(state, (), rng)
    assert int(state.food.sum()) + int(state.carrying.sum()) + state.home == first
    assert state.home == pytest.approx(play_ants(space, settings, seed=4, steps=600).home, rel=0.15)
    assert 0.9 * state.home < state.per_minute <= state.home
    assert state.nowhere is not None
    facts = {
        fact.name: fact.value for fact in world.scene(state, frozenset({"crowd", "ants"})).facts
    }
    assert facts["food home"] == f"{state.home:,}"


def test_birds_of_a_swarm_come_to_head_the_same_way_and_flee() -> None:
    world, rng = (
        flock.GAME.open(fc.Grid(60, 40, wrap=True), Flock(birds=300)),
        np.random.default_rng(4),
    )
    state = world.start(rng)
    before = order_of(world.mirror.birds(state)[1])
    for _ in range(300):
        state = world.step(state, (), rng)
    positions, headings = world.mirror.birds(state)
    assert order_of(headings) > before + 0.2
    place = (float(positions[0, 0]), float(positions[0, 1]))
    near = np.hypot(*(positions - place).T) < 6
    for k in range(40):
        state = world.step(state, (Scare(place),) if k == 0 else (), rng)
    assert (np.hypot(*(world.mirror.birds(state)[0] - place).T) < 6).sum() < near.sum()


def test_a_card_plays_the_swarms_and_what_they_are_not_is_refused() -> None:
    assert carried("ants") == "ants-swarm"
    assert carried("flock") == "flock-swarm"
    assert carried("towers") == "towers"
    assert find_game(carried("ants")).settings is Ants
    space = fc.Grid(20, 15)
    with refused(InvalidValue, "two pheromones"):
        ants.GAME.open(space, Ants(trails="velocity"))
    with refused(InvalidValue, "by layers"):
        flock.GAME.open(space, Flock(rule="neighbors"))
    rng = np.random.default_rng(0)
    for module, settings, order in (
        (ants, Ants(ants=5), Leave("velocity")),
        (flock, Flock(birds=5), Fly("neighbors")),
    ):
        world = module.GAME.open(space, settings)
        with refused(InvalidValue):
            world.step(world.start(rng), (order,), rng)
    world = ants.GAME.open(space, Ants(ants=5, follow=17.0))
    with refused(InvalidValue, "at most 16"):
        world.step(world.start(rng), (), rng)


def test_play_with_a_device_plays_the_swarm(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        fc.gpu.device()
    except NoDevice as error:
        pytest.skip(str(error))
    told = []
    try:
        for words in (["ants", "open:30x20", "--device", "gpu"], ["ants-swarm", "open:30x20"]):
            assert cli.main(
                ["play", *words, "--set", "ants=40", "--headless", "--steps", "40", "--quiet"]
            ) in (0, None)
            told.append(capsys.readouterr().out)
    finally:
        carrying.choose(None)
    assert told[0].startswith("digest ")
    assert told[0] == told[1]
