"""Exploring gives the bits of its uncompiled text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.kernels.values.explore_arrays import ExploreRule
from fieldcraft.space.grid.grid_steps import grid_ground
from fieldcraft.space.wrapping import Wrap
from support.tiers import uncompiled
from support.worlds import KNIGHT_AND_CORNER, WRAPS

if kernels.compiled():
    from fieldcraft.kernels.values import explore

compiled_only = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)


@compiled_only
@settings(max_examples=14)
@given(
    seed=st.integers(0, 10**6),
    neighbors=st.sampled_from([4, 8, KNIGHT_AND_CORNER, [(0, 1), (3, 0), (-1, 0)]]),
    wrap=st.sampled_from(WRAPS),
    sight=st.integers(1, 6),
    searches=st.booleans(),
    apart=st.booleans(),
)
def test_explores_alike_uncompiled(
    seed: int, neighbors: object, wrap: Wrap, sight: int, searches: bool, apart: bool
) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 14)), int(rng.integers(1, 17)))
    grid = fc.Grid(
        shape[1], shape[0], walls=rng.random(shape) < 0.25, neighbors=neighbors, wrap=wrap
    )
    values = read_only(
        rng.choice([0, 1, 2, 5], shape, p=[0.05, 0.4, 0.4, 0.15]).astype(np.float32).reshape(-1)
    )
    starts = np.repeat(rng.integers(0, len(grid), 3), 2) if apart else rng.integers(0, len(grid), 6)
    found = []
    for ops in (uncompiled("explore"), explore):
        cells, targets, taken = (
            np.full(6, -1),
            np.full(6, -1),
            np.zeros(len(grid) if apart else 0, dtype=np.bool_),
        )
        ops.explore(
            None,
            grid_ground(grid),
            values,
            read_only(starts),
            ExploreRule(sight, searches, np.float32(0), seed),
            0,
            6,
            taken,
            cells,
            targets,
            ops.scratch(len(grid)),
        )
        found.append((cells, targets))
        assert not apart or np.flatnonzero(taken).tolist() == np.unique(cells).tolist()
    np.testing.assert_array_equal(found[0], found[1])
