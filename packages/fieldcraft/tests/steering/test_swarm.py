"""Swarms: agents in whole numbers, led by layers."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.kernels.compiling import pool
from fieldcraft.steering import Deposit, Emitter, Forage, Reversed, Swarm, Walk
from fieldcraft.steering.swarm import plan as swarm_plan
from support.refusals import refused

HOW = Walk(4.0, follow=1.0, wander=9.0, turn=30.0, distance=4.0, avoid=1.0)


def _world(
    *, wrap: bool = False, share: float = 0.1, y_up: bool = False
) -> tuple[fc.Grid, fc.InfluenceMap]:
    walls = np.random.default_rng(3).random((34, 51)) < share
    grid = fc.Grid(51, 34, cell_size=0.5, origin=(-3.0, 7.0), walls=walls, wrap=wrap, y_up=y_up)
    return grid, fc.InfluenceMap(grid)


def test_places_and_headings_come_back_as_they_were_given() -> None:
    for y_up in (False, True):
        grid, _ = _world(y_up=y_up)
        rng = np.random.default_rng(1)
        cells = rng.choice(np.flatnonzero(~grid.walls), 200)
        points = grid.position_of(cells) + rng.uniform(-0.24, 0.24, (200, 2))
        ways = rng.normal(size=(200, 2))
        swarm = Swarm.at(grid, points, ways, roles=np.arange(200) % 2)
        np.testing.assert_allclose(swarm.positions, points, atol=grid.cell_size / 65536)
        np.testing.assert_allclose(swarm.headings, ways / np.hypot(*ways.T)[:, None], atol=1e-4)
        np.testing.assert_array_equal(swarm.cells, cells)
        np.testing.assert_array_equal(swarm.cells, grid.cell_at(swarm.positions))
        np.testing.assert_array_equal(swarm.roles, np.arange(200) % 2)


def test_threads_and_order_in_memory_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swarm_plan, "_AGENTS", 50)
    found = []
    threads = pool.threads()
    for count, crowded in ((1, 1 << 40), (2, 1 << 40), (3, 100)):
        monkeypatch.setattr(swarm_plan, "_CROWDED", crowded)
        fc.set_threads(count)
        try:
            grid, imap = _world()
            trail = imap.add_layer("trail", fc.Trail(keep=0.9), every=0.1)
            swarm = Swarm.scattered(grid, 500, seed=5)
            swarm.run(HOW, 0.1, steps=40, trail=trail, deposits=Deposit(trail))
        finally:
            fc.set_threads(threads)
        found.append((swarm.agents.tobytes(), trail.values.tobytes()))
    assert found[0] == found[1] == found[2]
    assert trail.time == pytest.approx(4.0)


@pytest.mark.parametrize("wrap", [False, True])
def test_a_run_of_many_steps_is_as_many_runs_of_one(wrap: bool) -> None:
    found = []
    for pieces in ((30,), (1,) * 30, (7, 20, 3)):
        grid, imap = _world(wrap=wrap)
        trail = imap.add_layer("trail", fc.Trail(keep=0.9))
        swarm = Swarm.scattered(grid, 300, seed=2)
        for steps in pieces:
            swarm.run(HOW, 0.1, steps=steps, trail=trail, deposits=Deposit(trail, 0.5))
        found.append((swarm.agents.tobytes(), trail.values.tobytes(), swarm.step))
    assert found[0] == found[1] == found[2]


def test_deposits_add_up_in_the_cells_of_the_agents() -> None:
    grid, imap = _world(share=0.0)
    trail = imap.add_layer("trail", fc.Trail(keep=1.0, blur=1))
    heading = imap.add_layer("heading", fc.Trail(keep=1.0, blur=1, vector=True))
    swarm = Swarm.scattered(grid, 400, seed=2)
    swarm.run(
        HOW, 0.1, steps=1, trail=trail, deposits=[Deposit(trail, 0.25), Deposit(heading, 2.0)]
    )
    assert trail.values.sum() == pytest.approx(100.0)
    sums = np.zeros((*grid.shape, 2))
    np.add.at(sums.reshape(-1, 2), swarm.cells, 2.0 * swarm.headings)
    np.testing.assert_allclose(heading.vectors, sums, atol=0.02)


def test_emitters_add_the_same_as_deposits_by_hand() -> None:
    grid, _ = _world()
    ground = np.flatnonzero(~grid.walls)
    rng = np.random.default_rng(8)
    cells, amounts, ways = rng.choice(ground, 30), rng.normal(size=30) * 3, rng.normal(size=(30, 2))
    found = []
    for emitting in (True, False):
        imap = fc.InfluenceMap(grid)
        trail, flow = (
            imap.add_layer("trail", fc.Trail(keep=0.9)),
            imap.add_layer("flow", fc.Trail(keep=0.9, vector=True)),
        )
        food = Forage(
            grid, np.arange(len(grid)).reshape(grid.shape) % 5 // 4, np.zeros(grid.shape, np.bool_)
        )
        swarm = Swarm.scattered(grid, 200, seed=3)
        for _ in range(6):
            if emitting:
                given = [
                    Emitter(trail, cells, amounts),
                    Emitter(flow, cells, ways),
                    Emitter(trail, food, 0.5),
                ]
                swarm.run(
                    HOW, 0.1, trail=trail, deposits=Deposit(trail), emitters=given, forage=food
                )
            else:
                trail.deposit_at(cells, amounts)
                flow.deposit_at(cells, ways)
                swarm.run(HOW, 0.1, trail=trail, forage=food)
                trail.deposit_at(swarm.cells)
                trail.deposit_at(np.flatnonzero((food.food > 0) & ~grid.walls), 0.5)
                imap.step()
        found.append(
            (
                swarm.agents.tobytes(),
                trail.values.tobytes(),
                flow.vectors.tobytes(),
                food.food.tobytes(),
            )
        )
    assert found[0] == found[1]
    for bad, words in (
        (lambda: Emitter(trail, food, [1.0, 2.0]), "one amount"),
        (lambda: Emitter(trail, [3], np.nan), "at most"),
    ):
        with refused(InvalidValue, words):
            bad()
    step = swarm.step
    for emitter, kind, words in (
        (Emitter(trail, [1.5]), InvalidValue, "whole numbers"),
        (Emitter(trail, [len(grid)]), OutsideMap, "0 to"),
        (Emitter(trail, np.flatnonzero(grid.walls)[:1]), OnWall, "Leave these out"),
        (Emitter(trail, ground[:2], [1.0]), InvalidValue, "shape (1,) for 2"),
        (Emitter(flow, food), InvalidValue, "numbers"),
        (Emitter(imap, [3]), InvalidValue, "fc.Trail"),
    ):
        with refused(kind, words):
            swarm.run(HOW, 0.1, trail=trail, emitters=emitter)
    assert swarm.step == step


def test_followers_find_the_ridge_and_separation_spreads_a_crowd() -> None:
    grid = fc.Grid(60, 40)
    imap = fc.InfluenceMap(grid)
    ridge = imap.add_layer(
        "ridge", values=np.exp(-(((np.arange(40) - 20)[:, None] / 6.0) ** 2)) * np.ones((40, 60))
    )
    swarm = Swarm.at(grid, np.random.default_rng(0).uniform((5, 12), (55, 28), (500, 2)), seed=1)
    swarm.run(Walk(4.0, follow=2.0, wander=5.0, distance=3.0), 0.1, steps=60, trail=ridge)
    assert np.abs(swarm.positions[:, 1] - 20).mean() < 2.0
    crowd = imap.add_layer("crowd", fc.Trail(accumulate=False, blur=5))
    dense = Swarm.at(grid, np.full((500, 2), (30.0, 20.0)), seed=1)
    dense.run(
        Walk(4.0, separate=2.0, wander=5.0),
        0.1,
        steps=40,
        crowd_layer=crowd,
        deposits=Deposit(crowd),
    )
    loose = Swarm.at(grid, np.full((500, 2), (30.0, 20.0)), seed=1)
    loose.run(
        Walk(4.0, cohere=2.0, wander=5.0), 0.1, steps=40, group_layer=crowd, deposits=Deposit(crowd)
    )
    assert np.std(dense.positions, axis=0).mean() > 3 * np.std(loose.positions, axis=0).mean()


def test_alignment_goes_with_the_flow() -> None:
    grid = fc.Grid(60, 40, y_up=True)
    way = fc.flow_field(fc.distance_map(grid, (50.5, 35.5)))
    swarm = Swarm.at(grid, np.full((200, 2), (10.5, 5.5)), seed=1)
    swarm.run(Walk(10.0, align=4.0, wander=2.0, distance=0.5), 0.1, steps=60, flow=way)
    assert np.hypot(*(swarm.positions - (50.5, 35.5)).T).mean() < 8


def test_food_is_neither_made_nor_lost() -> None:
    grid, imap = _world(share=0.05)
    rng = np.random.default_rng(0)
    start = rng.integers(0, 3, grid.shape) * ~grid.walls
    home = np.zeros(grid.shape, np.bool_)
    home[:6, :9] = True
    food = Forage(grid, start, home)
    to_home, to_food = (imap.add_layer(name, fc.Trail(keep=0.97)) for name in ("home", "food"))
    swarm = Swarm.scattered(grid, 300, seed=4)
    deposits = [
        Deposit(to_home, [4.0, 2.0, 1.0], role=0),
        Deposit(to_food, [4.0, 2.0, 1.0], role=1),
    ]
    for _ in range(5):
        swarm.run(HOW, 0.1, steps=20, trail=(to_food, to_home), deposits=deposits, forage=food)
        assert food.food.min() >= 0
        assert int(food.food.sum()) + int(swarm.roles.sum()) + food.brought == int(start.sum())
    assert food.brought > 20
    assert 0 <= swarm.since.min() <= swarm.since.max() <= 100


def test_new_walls_on_agents_move_them_to_open_cells() -> None:
    grid, _ = _world(share=0.0)
    swarm = Swarm.scattered(grid, 300, seed=4)
    grid.set_walls(np.unique(swarm.cells)[::2])
    swarm.run(Walk(0.0), 0.1)
    assert not grid.walls.reshape(-1)[swarm.cells].any()
    swarm.run(Walk(30.0, avoid=1.0), 0.1, steps=30)
    assert not grid.walls.reshape(-1)[swarm.cells].any()


def test_copies_and_restored_swarms_continue_alike() -> None:
    grid, imap = _world()
    layer = imap.add_layer("ridge", values=np.random.default_rng(0).random(grid.shape, np.float32))
    swarm = Swarm.scattered(grid, 300, seed=2**40 + 3)
    swarm.run(HOW, 0.1, steps=5, trail=layer)
    twins = [swarm.copy(), Swarm.restored(grid, swarm.state())]
    for each in [swarm, *twins]:
        each.run(HOW, 0.1, steps=5, trail=layer)
    for twin in twins:
        np.testing.assert_array_equal(twin.agents, swarm.agents)
        assert twin.step == 10
    with refused(InvalidValue, "off it"):
        Swarm.restored(fc.Grid(5, 4), swarm.state())


def test_refuses_settings_beyond_whole_numbers() -> None:
    grid, imap = _world()
    trail = imap.add_layer("trail", fc.Trail())
    swarm = Swarm.scattered(grid, 10)
    before = swarm.agents
    for words, call in (
        ((InvalidValue, "follow=17"), lambda: swarm.run(Walk(1.0, follow=17.0), 0.1, trail=trail)),
        ((InvalidValue, "256 cells"), lambda: swarm.run(Walk(1e4), 0.1)),
        ((InvalidValue, "follow=1 and no layer"), lambda: swarm.run(Walk(1.0, follow=1.0), 0.1)),
        (
            (InvalidValue, "that map"),
            lambda: swarm.run(
                Walk(1.0, follow=1.0),
                0.1,
                trail=fc.InfluenceMap(fc.Grid(9, 7)).add_layer("t", fc.Trail()),
            ),
        ),
        (
            (InvalidValue, "fc.Trail"),
            lambda: swarm.run(
                Walk(1.0), 0.1, deposits=Deposit(imap.add_layer("s", fc.Spread(0.5, 0.5)))
            ),
        ),
        ((InvalidValue, "vectors"), lambda: swarm.run(Walk(1.0, align=1.0), 0.1, flow=trail)),
        ((InvalidValue, "at most 1"), lambda: Deposit(trail, role=2)),
        ((InvalidValue, "at most"), lambda: Deposit(trail, 1e9)),
        (
            (InvalidValue, "in the space's shape"),
            lambda: Forage(grid, np.zeros((3, 3), int), grid.walls),
        ),
        ((OutsideMap,), lambda: Swarm.at(grid, [(99.0, 99.0)])),
        ((OnWall,), lambda: Swarm.at(grid, grid.position_of(np.flatnonzero(grid.walls)[:1]))),
        ((InvalidValue, "16,384"), lambda: Swarm.scattered(fc.Grid(16_385, 1), 1)),
    ):
        with refused(*words):
            call()
    np.testing.assert_array_equal(swarm.agents, before)
    assert swarm.step == 0
    assert not trail.values.any()


@pytest.mark.parametrize("y_up", [False, True])
def test_deposits_on_vectors_are_headings_times_the_amount_of_their_time(y_up: bool) -> None:
    grid, imap = _world(share=0.0, y_up=y_up)
    flow = imap.add_layer("flow", fc.Trail(keep=1.0, blur=1, vector=True))
    swarm = Swarm.scattered(grid, 200, seed=4)
    hungry = Forage(grid, np.zeros(grid.shape, int), np.zeros(grid.shape, bool))
    expected, amounts = np.zeros((len(grid), 2)), np.array([9.0, -1.0, 0.5])
    for _ in range(4):
        swarm.run(HOW, 0.1, trail=flow, deposits=Deposit(flow, amounts.tolist()), forage=hungry)
        each = amounts[np.minimum(swarm.since, 2)]
        np.add.at(expected, swarm.cells, each[:, None] * swarm.headings)
    assert set(swarm.since) == {4}
    np.testing.assert_allclose(flow.vectors.reshape(-1, 2), expected, atol=0.01)


def test_agents_align_against_a_reversed_flow() -> None:
    grid = fc.Grid(60, 40)
    away = fc.flow_field(fc.distance_map(grid, (50.5, 20.5)))
    imap = fc.InfluenceMap(grid)
    trail = imap.add_layer("trail", fc.Trail(keep=1.0, blur=1, vector=True))
    trail.write(away.vectors)
    for flow in (away, trail):
        swarm = Swarm.at(grid, np.full((50, 2), (40.5, 20.5)), seed=1, roles=np.arange(50) % 2)
        how = Walk(4.0, align=4.0, wander=2.0, distance=0.5)
        swarm.run(how, 0.1, steps=15, flow=(flow, Reversed(flow)))
        along = swarm.positions[:, 0] - 40.5
        assert along[::2].min() > 2
        assert along[1::2].max() < -2
