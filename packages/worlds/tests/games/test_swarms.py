"""Ants and birds as swarms: the same matches on any carrier, whenever they are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, NoDevice
from fieldcraft.commands import command_line as cli
from fieldcraft.space.encoding import digest
from fieldcraft_worlds.games.ants import Settings as Ants
from fieldcraft_worlds.games.ants import plugin as ants
from fieldcraft_worlds.games.ants.orders import Paint, Tune
from fieldcraft_worlds.games.device import choose_device
from fieldcraft_worlds.games.flock import Settings as Flock
from fieldcraft_worlds.games.flock import plugin as flock
from fieldcraft_worlds.games.flock.orders import Paint as PaintSky
from fieldcraft_worlds.games.flock.orders import Scare
from support.refusals import refused

CASES: dict[str, tuple[Any, Any, dict[int, tuple[Any, ...]]]] = {
    "ants": (
        ants,
        Ants(ants=250, piles=2, food=3, window=1.0),
        {
            20: (Paint("wall", ((20.5, 5.5), (20.5, 30.5))), Paint("food", ((5.5, 5.5),))),
            41: (Tune("keep", 0.95), Tune("blur", 5.0), Tune("separate", 1.0)),
            50: (Paint("clear", ((20.5, 5.5), (20.5, 30.5))),),
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
        choose_device(None)
        DIGESTS[case] = [digest(state, kinds) for state in _states(case, 60, looking=True)]
        choose_device(carrier)
    states = _states(case, 60, looking=False)
    for k in [60, 59, 3, 44, 41, 42, 20, 21, 51, 0]:
        assert digest(states[k], kinds) == DIGESTS[case][k], k
        assert states[k].is_complete


def test_beyond_the_limits_of_a_swarm_is_refused() -> None:
    world = ants.GAME.open(fc.Grid(20, 15), Ants(ants=5, follow=17.0))
    rng = np.random.default_rng(0)
    with refused(InvalidValue, "at most 16"):
        world.step(world.start(rng), (), rng)


def test_a_device_plays_the_same_match(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        fc.gpu.device()
    except NoDevice as error:
        pytest.skip(str(error))
    reports = []
    try:
        for words in (["--device", "gpu"], []):
            asked = ["play", "ants", "open:30x20", "--set", "ants=40", *words]
            assert cli.main([*asked, "--headless", "--steps", "40", "--quiet"]) in (0, None)
            reports.append(capsys.readouterr().out)
        for module, settings in ((ants, Ants(trails="velocity")), (flock, Flock(rule="both"))):
            choose_device("gpu")
            world = module.GAME.open(fc.Grid(20, 15), settings)
            rng = np.random.default_rng(0)
            with refused(InvalidValue, "device"):
                digest(world.step(world.start(rng), (), rng), module.KINDS)
    finally:
        choose_device(None)
    assert reports[0].startswith("digest ")
    assert reports[0] == reports[1]
