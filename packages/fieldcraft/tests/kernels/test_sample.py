"""The compiled kernels of values between cells give the bits of their reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.kernels import compiled
from fieldcraft.kernels.arrays import frozen
from oracles import sample as reference
from support.questions import World, same, worlds

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import sample as fast


@given(worlds, st.booleans())
@settings(max_examples=80, deadline=None)
def test_bilinear_and_gradient(world: World, clamp: bool) -> None:
    space, ground = world.space, world.ground
    points = world.positions(60, margin=0.3)
    points[::17] = np.nan
    common = (
        ground.values,
        *ground.obstacles(),
        frozen(points),
        *space.origin,
        space.cell_size,
        space.y_up,
        space.wrap,
        clamp,
    )
    for name, extra, shape, dtype in (
        ("bilinear", (), (60,), np.float32),
        ("gradient", (False,), (60, 2), np.float64),
        ("gradient", (True,), (60, 2), np.float64),
    ):
        answers = []
        for module in (fast, reference):
            out, outside = np.zeros(shape, dtype), np.full(1, -1)
            getattr(module, name)(*common, *extra, 3, 57, outside, out)
            answers.append((out, outside))
        same(answers[0][0], answers[1][0])
        same(answers[0][1], answers[1][1])
