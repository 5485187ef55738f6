"""Trails: fast = reference, bit for bit, in bands, near walls and on a torus."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from fieldcraft.kernels.shared.grid_frame import WRAP_Y
from oracles import stamps as blit
from oracles import trail as reference

if kernels.compiled():
    from fieldcraft.kernels.trail import trail_plan
    from fieldcraft.kernels.trail import trail_steps as fast

compiled_only = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)
WEIGHTS = [
    [1.0],
    [1.0, 1.0, 1.0],
    [0.25, 0.5, 0.25],
    [1.0] * 5,
    [0.1, 0.2, 0.4, 0.2, 0.1],
    [0.0, 0.1, 0.2, 0.4, 0.2, 0.1, 0.0],
    [1.0] * 11,
]


@compiled_only
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    height=st.integers(1, 40),
    width=st.integers(1, 140),
    weights=st.sampled_from(WEIGHTS),
    share=st.sampled_from([0.0, 0.02, 0.3]),
    conserves=st.booleans(),
    wrap=st.integers(0, 3),
    bands=st.integers(1, 3),
)
def test_updates_as_the_reference(
    seed: int,
    height: int,
    width: int,
    weights: list[float],
    share: float,
    conserves: bool,
    wrap: int,
    bands: int,
) -> None:
    rng = np.random.default_rng(seed)
    walls = rng.random((height, width)) < share
    values = (rng.normal(size=(height, width)) * (rng.random((height, 1)) < 0.6) * ~walls).astype(
        np.float32
    )
    tiles = (-(-height // blit.TILE_ROWS), -(-width // blit.TILE_COLUMNS))
    dirty = (rng.integers(0, blit.ALL_ROWS + 1, tiles) * (rng.random(tiles) < 0.7)).astype(np.uint8)
    rows = np.arange(height)[:, None]
    fed = (
        np.repeat(
            dirty[rows[:, 0] // blit.TILE_ROWS] >> rows % blit.TILE_ROWS & 1, blit.TILE_COLUMNS, 1
        )[:, :width]
        != 0
    )
    inflow = np.where(fed, rng.integers(-(1 << 26), 1 << 26, (height, width)), 0)
    ones = set(weights) == {1.0}
    kernel, floor = np.array(weights, np.float32 if ones else np.float64), np.float32(0.01)
    gain = 0.98 / float(kernel.sum()) ** 2  # as layers have it: a float32 would be compiled anew
    expected = reference.updated(values, inflow, walls, kernel, gain, conserves, floor, wrap)

    reach = len(weights) // 2
    closed = np.zeros((height, width + 1), np.uint8)
    closed[:, 0], closed[:, 1:] = walls.any(axis=1), walls
    edges = sorted({tiles[0] * band // bands * blit.TILE_ROWS for band in range(bands)} | {height})
    around = (
        np.pad(values, ((reach, reach), (0, 0)), mode="wrap")
        if wrap & WRAP_Y
        else np.pad(values, ((reach, reach), (0, 0)))
    )
    found = values.copy()
    plan = trail_plan.plan(walls, kernel, wrap)
    for first, last in pairwise(edges):
        above, below = (
            around[first : first + reach].copy(),
            around[last + reach : last + 2 * reach].copy(),
        )
        fast.update(
            (closed, *plan),
            kernel,
            above,
            below,
            dirty,
            (ones, gain, conserves, floor, wrap),
            first,
            last,
            found,
            inflow,
            fast.scratch_for(width, reach, kernel.dtype),
        )
    np.testing.assert_array_equal(
        found.view(np.uint32) & 0x7FFFFFFF, expected.view(np.uint32) & 0x7FFFFFFF
    )
    np.testing.assert_array_equal(found, expected)
    assert not inflow.any()
