"""Swarms: agents in whole numbers, led by layers."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.base.errors import InvalidValue
from fieldcraft.steering import Swarm, Walk
from support.refusals import refused
from support.swarming import HOW, swarm, world_of


def test_alignment_goes_with_the_flow() -> None:
    grid = fc.Grid(60, 40, y_up=True)
    way = fc.flow_field(fc.distance_map(grid, (50.5, 35.5)))
    swarm = Swarm.at(grid, np.full((200, 2), (10.5, 5.5)), seed=1)
    swarm.run(Walk(10.0, align=4.0, wander=2.0, distance=0.5), 0.1, steps=60, flow=way)
    assert np.hypot(*(swarm.positions - (50.5, 35.5)).T).mean() < 8


def test_new_walls_on_agents_move_them_to_open_cells() -> None:
    grid, _ = world_of(share=0.0)
    swarm = Swarm.scattered(grid, 300, seed=4)
    grid.set_walls(np.unique(swarm.cells)[::2])
    swarm.run(Walk(0.0), 0.1)
    assert not grid.walls.reshape(-1)[swarm.cells].any()
    swarm.run(Walk(30.0, avoid=1.0), 0.1, steps=30)
    assert not grid.walls.reshape(-1)[swarm.cells].any()


def test_copies_and_restored_swarms_continue_alike() -> None:
    grid, imap = world_of()
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


def test_parts_and_joined_parts_are_the_same_agents() -> None:
    everybody = swarm()
    mask = np.arange(len(everybody)) % 2 == 0
    even, odd = everybody[mask], everybody[~mask]
    assert len(even) + len(odd) == len(everybody)
    np.testing.assert_array_equal(even.positions, everybody.positions[mask])
    joined = even + odd
    np.testing.assert_array_equal(joined.positions, np.concatenate([even.positions, odd.positions]))
    np.testing.assert_array_equal(everybody[[-1, 0]].positions, everybody.positions[[-1, 0]])
    assert len(everybody[[]]) == 0 and len(everybody[[]] + even) == len(even)


def test_births_and_deaths_go_on_walking() -> None:
    some = swarm()
    some = some[some.positions[:, 0] > 4.0]
    some += steering.Swarm.at(some.space, [(0.5, 0.5)], roles=[1])
    assert (some.step, some.roles[-1]) == (4, 1)
    before = some.positions
    some.run(steering.Walk(2.0), 0.1, steps=5)
    assert some.step == 9 and (some.positions != before).any(axis=1).all()


def test_others_are_refused() -> None:
    everybody = swarm()
    for wrong in ([len(everybody)], [0.5], [[0]], np.ones(3 + len(everybody), bool), 0):
        with pytest.raises(InvalidValue, match="Agents are chosen"):
            everybody[wrong]
    for other in (3, swarm()):
        with pytest.raises(InvalidValue, match="join"):
            everybody + other  # type: ignore[operator]
