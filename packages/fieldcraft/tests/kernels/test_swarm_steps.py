"""Agents in whole numbers: compiled kernels give the bits of the uncompiled text."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fieldcraft.kernels.agents.swarm_layout import circle, packed
from support.swarms import random_agents, random_inputs, random_rule
from support.tiers import uncompiled

fast = pytest.importorskip("fieldcraft.kernels.agents.swarm_steps")


@pytest.mark.parametrize("seed", range(8))
def test_both_tiers_walk_to_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(3, 30, 2).tolist()
    walls = rng.random((height, width)) < (0.2 if seed % 2 else 0.0)
    walls[0, 0] = False
    agents, numbers = random_agents(rng, walls, 60)
    rule, inputs = random_rule(rng, height, width, wrap=seed % 4), random_inputs(rng, walls)
    ours, before, text = agents.copy(), agents.copy(), uncompiled("swarm_steps")
    for step in range(4):
        common = (numbers, inputs, circle(), rule, not walls.any(), step)
        text.walk(*common, 0, 60, agents)
        for first, last in ((0, 33), (33, 60)):
            fast.walk(*common, first, last, ours)
        np.testing.assert_array_equal(ours, agents)
        assert not walls.reshape(-1)[_cells(agents, width)].any()
    assert rule.stride == 0 or (agents[:2] != before[:2]).any()


@pytest.mark.parametrize("seed", range(6))
def test_both_tiers_fetch_leave_and_arrange_alike(seed: int) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(9, 90, 2).tolist()
    agents, numbers = random_agents(rng, np.zeros((height, width), np.bool_), 200)
    ours = agents.copy()
    text = uncompiled("swarm_steps")
    homes = packed(rng.random((height, width)) < 0.3)
    food = rng.integers(0, 4, height * width).astype(np.int32)
    left = [food.copy(), food.copy()]
    claims = np.zeros((2, 2, food.size), np.int32)
    brought = text.forage(numbers, homes, width, agents, left[0], claims[0])
    assert brought > 0
    assert fast.forage(numbers, homes, width, ours, left[1], claims[1]) == brought
    np.testing.assert_array_equal(ours, agents)
    np.testing.assert_array_equal(left[0], left[1])
    by_heading = bool(seed % 2)
    amounts = rng.integers(-(1 << 40), 1 << 40, 4096 if by_heading else 7)
    sums = np.zeros((2, height, width), np.int64)
    dirty = np.zeros((2, -(-height // 8), -(-width // 32)), np.uint8)
    for top, bottom in ((0, 8), (8, height)):
        common = (amounts, width, seed % 3 - 1, by_heading, top, bottom)
        text.leave(agents, *common, sums[0], dirty[0])
        fast.leave(ours, *common, sums[1], dirty[1])
    np.testing.assert_array_equal(sums[0], sums[1])
    np.testing.assert_array_equal(dirty[0], dirty[1])
    arranged = [(np.empty_like(agents), np.empty_like(numbers)) for _ in range(2)]
    text.arrange(agents, numbers, height, width, *arranged[0])
    fast.arrange(ours, numbers, height, width, *arranged[1])
    np.testing.assert_array_equal(arranged[0][0], arranged[1][0])
    np.testing.assert_array_equal(arranged[0][1], arranged[1][1])


def _cells(agents: NDArray[np.int32], width: int) -> NDArray[np.int64]:
    return np.asarray((agents[1].astype(np.int64) >> 16) * width + (agents[0] >> 16))
