"""Agents that come and go: parts of swarms, and swarms joined."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import steering
from fieldcraft.base.errors import InvalidValue


def swarm() -> steering.Swarm:
    made = steering.Swarm.scattered(fc.Grid(14, 9), 20, seed=3)
    made.run(steering.Walk(2.0), 0.1, steps=4)
    return made


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
