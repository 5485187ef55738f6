"""The compiled kernels of peaks give the bits of their reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.kernels import compiled
from fieldcraft.space.answers import moves_beside
from oracles import best as reference_spots
from oracles import peaks as reference
from support.questions import World, same, worlds

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import best as fast_spots
from fieldcraft.kernels import peaks as fast


@given(worlds, st.sampled_from([-10.0, 0.0, 0.5]), st.sampled_from([0.0, 1.0, 4.0]))
@settings(max_examples=40, deadline=None)
def test_peaks_and_thin(world: World, threshold: float, spacing: float) -> None:
    space, ground = world.space, world.ground
    answers = []
    for module, spots in ((fast, fast_spots), (reference, reference_spots)):
        found = np.zeros(len(space), np.int64)
        count = module.peaks(
            ground.values, ground.walls, *moves_beside(space), threshold, space.wrap, found
        )
        kept, closed = np.zeros(len(space), np.int64), np.zeros(space.shape, np.uint8)
        most = spots.thin(found[:count], spacing**2, space.wrap, 7, kept, closed)
        answers.append((found[:count], kept[:most], closed))
    for one, other in zip(*answers, strict=True):
        same(one, other)
