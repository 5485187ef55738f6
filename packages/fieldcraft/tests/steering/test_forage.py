"""Food, deposits and emitters of swarms."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.steering import Deposit, Emitter, Forage, Reversed, Swarm, Walk
from support.refusals import refused
from support.swarming import HOW, world_of


def test_deposits_add_up_in_the_cells_of_the_agents() -> None:
    grid, imap = world_of(share=0.0)
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
    grid, _ = world_of()
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


def test_food_is_neither_made_nor_lost() -> None:
    grid, imap = world_of(share=0.05)
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


@pytest.mark.parametrize("y_up", [False, True])
def test_deposits_on_vectors_are_headings_times_the_amount_of_their_time(y_up: bool) -> None:
    grid, imap = world_of(share=0.0, y_up=y_up)
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
