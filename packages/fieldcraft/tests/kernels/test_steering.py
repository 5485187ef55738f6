"""The compiled kernels of flow fields and steering give the bits of their references, whatever the
number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import steering
from fieldcraft.kernels import compiled
from fieldcraft.paths import distance_map
from fieldcraft.paths.flow.flow_on_grid import GridFlow
from support.crowds import World, bands
from support.examples import examples
from support.tiers import plain

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

seeds = st.integers(0, 2**32 - 1)


def same(ask: Callable[[], Any]) -> None:
    """`ask` answers alike, whatever serves it."""
    answers = [_bits(ask())]
    with bands():
        answers.append(_bits(ask()))
    with plain():
        answers.append(_bits(ask()))
    assert answers[0] == answers[1]
    assert answers[0] == answers[2]


def _bits(answer: Any) -> list[Any]:
    return [
        (part.dtype, part.shape, part.tobytes())
        for part in (answer if isinstance(answer, (tuple, list)) else [answer])
    ]


@settings(max_examples=25)
@given(seeds, st.sampled_from([0.0, 0.2, 0.5]))
def test_moves_and_looks_ahead(seed: int, radius: float) -> None:
    world = World(seed)
    at, shifts = world.agents(60), world.shifts(60)
    same(lambda: steering.move(world.space, at, shifts, radius=radius * world.size))
    same(lambda: steering.avoid_walls(world.space, at, shifts, 2.5 * world.size))


@examples(16)
@given(seeds, st.sampled_from([0.4, 1.3, 5.0, 100.0]))
def test_neighbors(seed: int, reach: float) -> None:
    world = World(seed)
    at = world.agents(int(world.rng.integers(0, 80)))
    at[3:6] = at[:1]
    wraps = [world.space.wraps_x, world.space.wraps_y]
    at = at + world.rng.integers(-2, 3, at.shape) * np.where(wraps, world.space.size, 0.0)
    moving, groups = world.rng.normal(size=at.shape), world.rng.integers(0, 3, len(at))
    others = world.rng.random((20, 2)) * 2 * np.array(world.space.size) + world.space.origin

    def ask() -> list[Any]:
        near = steering.Neighbors(at, reach * world.size, space=world.space)
        return [
            near.counts(),
            *near.nearest(),
            *near.nearest(groups=groups),
            *near.nearest(others),
            steering.separation(near),
            steering.alignment(near, moving),
            steering.cohesion(near, moving, 2.0),
        ]

    same(ask)


@settings(max_examples=25)
@given(seeds)
def test_flow(seed: int) -> None:
    world = World(seed)
    goals = world.space.position_of(world.rng.choice(world.open_cells, 2))
    cost = None if world.rng.random() < 0.4 else 1 + 30 * world.rng.random(world.space.shape) ** 3
    distances = distance_map(world.space, goals, cost=cost)
    at = world.agents(100)

    def ask() -> list[Any]:
        field = GridFlow(distances)
        return [
            field.vectors,
            field._gates,
            field.sample(at),
            field.sample(at + world.size, outside="clamp"),
        ]

    same(ask)


@settings(max_examples=25)
@given(seeds)
def test_crowds(seed: int) -> None:
    world = World(seed)
    radius, apart, ahead = (
        float(world.rng.choice(choice)) * world.size for choice in ([0, 0.3], [0, 1.5], [0, 1.7])
    )
    crowd = steering.Crowd(world.space, radius=radius, separation_radius=apart, ahead=ahead)
    at, moving = world.agents(70), world.rng.normal(size=(70, 2)) * world.size
    field = GridFlow(distance_map(world.space, world.space.position_of(world.open_cells[:1])))
    limit = world.rng.random(70) * 3 * world.size
    for wish in (field, moving[::-1]):
        same(
            lambda wish=wish: crowd.step(
                at, moving, wish, 0.3, max_speed=limit, max_force=9 * world.size
            )
        )
