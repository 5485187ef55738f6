"""Agents of swarms on the CPU: threads, their order in memory, and the number of steps at a time
change nothing.
"""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.kernels.compiling import pool
from fieldcraft.space.wrapping import Wrap
from fieldcraft.steering import Deposit, Swarm, Walk
from fieldcraft.steering.swarm import host_agents
from support.swarming import HOW, world_of
from support.worlds import WRAPS


def test_threads_and_order_in_memory_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_agents, "_AGENTS", 50)
    found = []
    threads = pool.threads()
    for count, crowded in ((1, 1 << 40), (2, 1 << 40), (3, 100)):
        monkeypatch.setattr(host_agents, "_CROWDED", crowded)
        fc.set_threads(count)
        try:
            grid, imap = world_of()
            trail = imap.add_layer("trail", fc.Trail(keep=0.9), every=0.1)
            swarm = Swarm.scattered(grid, 500, seed=5)
            swarm.run(HOW, 0.1, steps=40, trail=trail, deposits=Deposit(trail))
        finally:
            fc.set_threads(threads)
        found.append((swarm.agents.tobytes(), trail.values.tobytes()))
    assert found[0] == found[1] == found[2]
    assert trail.time == pytest.approx(4.0)


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_run_of_many_steps_is_as_many_runs_of_one(wrap: Wrap) -> None:
    found = []
    for pieces in ((30,), (1,) * 30, (7, 20, 3)):
        grid, imap = world_of(wrap=wrap)
        trail = imap.add_layer("trail", fc.Trail(keep=0.9))
        swarm = Swarm.scattered(grid, 300, seed=2)
        for steps in pieces:
            swarm.run(HOW, 0.1, steps=steps, trail=trail, deposits=Deposit(trail, 0.5))
        found.append((swarm.agents.tobytes(), trail.values.tobytes(), swarm.step))
    assert found[0] == found[1] == found[2]


def test_agents_keep_their_numbers_while_they_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_agents, "_CROWDED", 1)
    grid, _ = world_of(share=0.0)
    swarm = Swarm.scattered(grid, 200, seed=6)
    before = swarm.positions
    swarm.run(Walk(0.0), 0.1, steps=40)
    np.testing.assert_array_equal(swarm.positions, before)
