"""The compiled kernels of regions give the bits of their reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.kernels import compiled
from fieldcraft.space.answers import moves_beside
from oracles import regions as reference
from support.questions import World, same, worlds

if not compiled():
    pytest.skip("the compiled kernels are not in use here", allow_module_level=True)

from fieldcraft.kernels import regions as fast


@given(worlds, st.sampled_from([-10.0, 0.0, 0.5]))
@settings(max_examples=40, deadline=None)
def test_label_and_measure(world: World, threshold: float) -> None:
    space, ground = world.space, world.ground
    answers = []
    for module in (fast, reference):
        labels = np.zeros(space.shape, np.int32)
        queue, columns, rows = (np.zeros(len(space), np.int64) for _ in range(3))
        count, size = module.label(
            ground.values,
            ground.walls,
            *moves_beside(space),
            threshold,
            space.wrap,
            labels,
            queue,
            columns,
            rows,
        )
        cells, totals, tops, middles = (
            np.zeros(count, np.int64),
            np.zeros(count),
            np.full(count, -1),
            np.zeros(count, np.int64),
        )
        module.measure(
            ground.values, labels, queue, columns, rows, size, cells, totals, tops, middles
        )
        answers.append(
            (labels, queue[:size], columns[:size], rows[:size], cells, totals, tops, middles)
        )
    for one, other in zip(*answers, strict=True):
        same(one, other)
