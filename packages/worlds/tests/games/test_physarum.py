"""The slime mould: roads between cities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, NoDevice
from fieldcraft.space.encoding import digest
from fieldcraft_worlds.games.device import choose_device
from fieldcraft_worlds.games.lazy import AT_ONCE
from fieldcraft_worlds.games.physarum.network import (
    network_of,
    path_lengths,
    shortest_tree,
    tree_length,
)
from fieldcraft_worlds.games.physarum.orders import Found
from fieldcraft_worlds.games.physarum.plugin import GAME, KINDS
from fieldcraft_worlds.games.physarum.settings import Settings
from support.refusals import refused

SMALL = Settings(agents=800, cities=4, city=2.0)


def _grid() -> fc.Grid:
    walls = np.zeros((40, 60), np.bool_)
    walls[10:30, 28:32] = True
    return fc.Grid(60, 40, walls=walls, neighbors=8)


def test_states_are_the_same_whenever_and_in_whatever_order_they_are_looked_at(
    carrier: str,
) -> None:
    rng = np.random.default_rng(3)
    world, at_once = GAME.open(_grid(), SMALL), list[str]()
    first = state = world.start(rng)
    orders: dict[int, tuple[Found, ...]] = {7: (Found((5.5, 5.5)),), 23: (Found((50.5, 35.5)),)}
    for k in range(36):
        state = world.step(state, orders.get(k, ()), rng)
        at_once.append(digest(state, KINDS))
    later = GAME.open(_grid(), SMALL)
    states = [first]
    for k in range(36):
        states.append(later.step(states[-1], orders.get(k, ()), rng))
        if k % 13 == 4:
            assert states[-1].values.any()
        if k == 30:
            assert digest(states[9], KINDS) == at_once[8]
    for k in np.random.default_rng(0).permutation(36).tolist():
        assert digest(states[k + 1], KINDS) == at_once[k]
        assert states[k + 1].is_complete


def test_steps_on_a_device_are_few_submissions_and_nothing_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    try:
        device = fc.gpu.device()
    except NoDevice as error:
        pytest.skip(str(error))
    choose_device("gpu")
    try:
        world = GAME.open(_grid(), SMALL)
        rng = np.random.default_rng(3)
        state = world.step(world.start(rng), (), rng)
        told: list[str] = []
        for name in ("submit", "read"):
            real = getattr(type(device), name)
            monkeypatch.setattr(
                type(device),
                name,
                lambda self, *given, name=name, real=real: told.append(name) or real(self, *given),
            )
        for _ in range(3 * AT_ONCE):
            state = world.step(state, (), rng)
        assert told == ["submit"] * 3
        assert state.values.any()
        assert told == ["submit"] * 4 + ["read"]
    finally:
        choose_device(None)


def test_agents_gather_on_roads_and_cities_smell() -> None:
    world = GAME.open(_grid(), SMALL)
    rng = np.random.default_rng(1)
    state = world.start(rng)
    for _ in range(90):
        state = world.step(state, (), rng)
    open_values = np.sort(state.values[~world.space.walls])
    assert open_values[-len(open_values) // 5 :].sum() > 0.6 * open_values.sum()
    assert (state.values.reshape(-1)[state.cities] > np.median(open_values)).all()
    shown = world.scene(state, frozenset({"trail", "cities", "tree"}))
    assert [fact.name for fact in shown.facts][:2] == ["agents", "cities"]
    assert world.result(state) is None


def test_a_network_is_measured_beside_the_shortest_tree() -> None:
    grid = fc.Grid(30, 20)
    cities = np.array([5 * 30 + 5, 5 * 30 + 25, 15 * 30 + 5])
    values = np.zeros(grid.shape, np.float32)
    apart = network_of(grid, values, cities, 0.5, 1.0)
    assert apart.joined == pytest.approx(1 / 3)
    assert apart.detour is None
    assert 0 < apart.shared < 0.3
    values[5, 5:26] = values[5:16, 5] = 1
    whole = network_of(grid, values, cities, 0.5, 1.0)
    assert whole.joined == 1
    assert whole.detour == pytest.approx(1.0)
    assert whole.shared == 1.0
    assert 30 / 600 < whole.ground < 45 / 600
    assert (
        whole.tree == pytest.approx(tree_length(path_lengths(grid, cities))) == pytest.approx(30.0)
    )
    values[:] = 0
    values[5:16, 5] = values[15, 5:26] = values[5:16, 25] = 1
    about = network_of(grid, values, cities, 0.5, 1.0)
    assert about.detour == pytest.approx(40 / 30)
    assert 0.3 < about.shared < 0.5
    walls = np.zeros(grid.shape, np.bool_)
    walls[3:9, 15] = True
    streets = fc.Grid(30, 20, walls=walls, neighbors=8)
    tree = shortest_tree(streets, cities)
    cells = tree.cells(streets)
    assert len(tree.paths) == 2
    assert set(cities.tolist()) <= set(cells.tolist())
    assert tree.length > 30
    assert (
        len(shortest_tree(streets, cities[:1]).paths)
        == len(shortest_tree(streets, cities[:0]).paths)
        == 0
    )


def test_settings_that_join_all_cities_do() -> None:
    world = GAME.open(
        GAME.default_map(),
        Settings(distance=16, angle=35, turn=20, wander=45, food=30, city=5, speed=20),
    )
    rng = np.random.default_rng(1)
    state = world.start(rng)
    for _ in range(450):
        state = world.step(state, (), rng)
    network = world.derived.network(state)
    assert network.joined == 1
    assert network.detour < 1.3
    assert network.ground < 0.5


def test_refuses_cities_in_walls_and_settings_that_are_none() -> None:
    world = GAME.open(_grid(), SMALL)
    rng = np.random.default_rng(3)
    state = world.start(rng)
    with refused(InvalidValue, "open ground"):
        world.step(state, (Found((30.5, 20.5)),), rng)
    given_up = world.step(
        state, (Found(tuple(world.space.position_of(int(state.cities[0])).tolist())),), rng
    )
    assert len(given_up.cities) == 3
    assert len(world.step(replace(given_up), (Found((5.5, 35.5)),), rng).cities) == 4
    for bad in (
        {"agents": 10**9},
        {"cities": 65},
        {"keep": 1.5},
        {"wander": 180.0},
        {"speed": 0.0},
    ):
        with refused(InvalidValue):
            Settings(**bad)
    with refused(InvalidValue, "open ground"):
        GAME.open(fc.Grid(5, 4, walls=np.ones((4, 5), np.bool_)), SMALL)
