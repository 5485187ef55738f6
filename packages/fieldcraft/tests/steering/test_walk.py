"""Walks in whole numbers."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.steering import Deposit, Forage, Swarm, Walk
from support.refusals import refused
from support.swarming import world_of


def test_places_and_headings_come_back_as_they_were_given() -> None:
    for y_up in (False, True):
        grid, _ = world_of(y_up=y_up)
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


def test_refuses_settings_beyond_whole_numbers() -> None:
    grid, imap = world_of()
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
