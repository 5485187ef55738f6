"""The compiled kernels of the best cells around agents give the bits of their reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.kernels import compiled
from oracles import best as reference
from support.questions import World, same, worlds

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import best as fast


@given(
    worlds,
    st.sampled_from([0.4, 1.0, 3.0, 9.5, 40.0]),
    st.sampled_from([0.0, 1.0, 2.5]),
    st.integers(1, 4),
    st.sampled_from([1, -1]),
)
@settings(max_examples=50, deadline=None)
def test_best(world: World, reach: float, spacing: float, count: int, sign: int) -> None:
    space, ground = world.space, world.ground
    places, _ = ground.places(world.positions(12), "clamp")
    closed = ground.closed(world.rng.random(space.shape) < 0.9).view(np.uint8)
    sign = np.float32(sign)
    tiles = (-(-space.height // reference.TILE), -(-space.width // reference.TILE))
    bounds, plain = np.empty(tiles, np.float32), np.empty(tiles, np.float32)
    fast.bounds(ground.values, closed, sign, bounds)
    reference.bounds(ground.values, closed, sign, plain)
    np.testing.assert_array_equal(bounds, plain)  # 0 and -0 are equally high
    for taking in (False, True):
        answers = []
        for module, highest in (
            (reference, bounds),
            (fast, bounds),
            (fast, np.full(tiles, np.inf, np.float32)),
        ):
            out, taken = np.full((12, count), -1), closed.copy()
            module.best(
                ground.values,
                highest,
                places,
                (space.y_up, space.wrap),
                sign,
                (reach**2, spacing**2),
                taking,
                0,
                12,
                out,
                taken,
            )
            answers.append((out, taken))
        for out, taken in answers[1:]:
            same(out, answers[0][0])
            same(taken, answers[0][1])
