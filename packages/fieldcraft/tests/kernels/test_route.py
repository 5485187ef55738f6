"""The compiled kernels of what lies along a path give the bits of their reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from fieldcraft.kernels import compiled
from oracles import route as reference
from support.questions import World, same, worlds

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import route as fast


@given(worlds)
@settings(max_examples=80, deadline=None)
def test_along(world: World) -> None:
    space, ground = world.space, world.ground
    places, _ = ground.places(world.positions(30, margin=0.2), "clamp")
    starts = np.array([0, 1, 3, 8, 20, 30])
    answers = []
    for module in (fast, reference):
        out = [np.zeros(5), np.zeros(5), np.zeros(5), np.zeros((5, 2))]
        module.along(ground.values, places, starts, space.y_up, space.wrap, 0, 5, *out)
        answers.append(out)
    for one, other in zip(*answers, strict=True):
        same(one, other)
