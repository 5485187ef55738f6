"""Random agents in whole numbers, and random rules and layers for them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.agents.swarm_layout import Inputs, Rule, packed


def random_agents(
    rng: np.random.Generator, walls: NDArray[np.bool_], count: int
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Agents on open ground with any headings, roles and counts, in no order."""
    cells = rng.choice(np.flatnonzero(~walls), count)
    width = walls.shape[1]
    agents = np.empty((3, count), np.int32)
    agents[0] = cells % width * 65536 + rng.integers(65536, size=count)
    agents[1] = cells // width * 65536 + rng.integers(65536, size=count)
    agents[2] = rng.integers(1 << 32, size=count).astype(np.uint32).view(np.int32)
    return agents, rng.permutation(count).astype(np.uint32)


def random_inputs(rng: np.random.Generator, walls: NDArray[np.bool_]) -> Inputs:
    """Layers with values of all sizes, some negative, some 0."""

    def layer(signed: bool) -> NDArray[np.int32]:
        size = rng.normal(size=walls.size) * 10.0 ** rng.integers(-5, 5, size=walls.size)
        values = np.where(rng.random(walls.size) < 0.7, size if signed else np.abs(size), 0).astype(
            np.float32
        )
        bits: NDArray[np.int32] = values.view(np.int32)
        bits.flags.writeable = False
        return bits

    closed = packed(walls)
    closed.flags.writeable = False
    return Inputs(closed, *[layer(True) for _ in range(6)], layer(False), layer(False))


def random_rule(rng: np.random.Generator, height: int, width: int, *, wrap: int) -> Rule:
    """A rule with any of its weights, or without."""
    angle = float(rng.uniform(0, 3))

    def weight() -> int:
        return int(rng.integers(0, 16 * 256)) * int(rng.integers(2))

    return Rule(
        height=height,
        width=width,
        wrap=wrap,
        distance=int(rng.integers(1, 4 * min(height, width))),
        angle=int(angle / 2 / math.pi * 65536),
        cosine=round(math.cos(angle) * 16384),
        sine=round(math.sin(angle) * 16384),
        stride=int(rng.integers(32769)),
        pieces=int(rng.integers(1, 5)),
        turn=int(rng.integers(32769)),
        wander=int(rng.integers(0, 32768)),
        follow=weight(),
        avoid=weight(),
        align=weight(),
        separate=weight(),
        cohere=weight(),
        flip=int(rng.integers(2)),
        key=int(rng.integers(1 << 32)),
    )
