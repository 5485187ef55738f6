"""Stamps on whole numbers: fast = reference, bit for bit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.trail.footprint_tables import FootprintTables, StampPlaces
from oracles import stamps as reference

if kernels.compiled():
    from fieldcraft.kernels.trail import stamp_sums as fast

pytestmark = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)


@settings(max_examples=35)
@given(
    seed=st.integers(0, 10**6),
    height=st.integers(1, 30),
    width=st.integers(1, 150),
    blend=st.sampled_from([reference.ADD, reference.MAX, reference.REPLACE]),
    wrap=st.integers(0, 3),
    between=st.booleans(),
    banded=st.booleans(),
)
def test_blits_as_the_reference(
    seed: int, height: int, width: int, blend: int, wrap: int, between: bool, banded: bool
) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, (3, 2))
    padded = [np.pad(np.round(rng.normal(size=size), 1), 1).reshape(-1) for size in sizes]
    starts = np.cumsum([len(each) for each in padded]) - [len(each) for each in padded]
    shapes = np.column_stack([starts, sizes, -rng.integers(-3, 9, (3, 2))]).astype(np.int64)
    count = 12
    rows, columns = rng.integers(-6, height + 6, count), rng.integers(-6, width + 6, count)
    if wrap & WRAP_X:
        columns = columns % width
    if wrap & WRAP_Y:
        rows = rows % height
    downs, rights = (
        (rng.random((2, count)) * rng.integers(0, 2, (2, count)))
        if between
        else np.zeros((2, count))
    )
    amounts = rng.normal(size=count) * reference.SCALE
    which = rng.integers(0, 3, count)
    begun = rng.integers(-(10**6), 10**6, (height, width))
    dirty = [
        np.zeros((-(-height // reference.TILE_ROWS), -(-width // reference.TILE_COLUMNS)), np.uint8)
        for _ in range(2)
    ]
    slow, quick = begun.copy(), begun.copy()
    weights = np.concatenate(padded)
    places = StampPlaces(rows, columns, downs, rights)
    prints = FootprintTables(weights, shapes)
    edges = [0, 8, height] if banded and height > 8 else [0, height]
    for top, bottom in pairwise(edges):
        of_rows = (blend, wrap, top, bottom)
        reference.blit(places, amounts, (weights, shapes, which), *of_rows, slow, dirty[0])
        fast.blit(places, amounts, prints, which, *of_rows, quick, dirty[1])
    np.testing.assert_array_equal(slow, quick)
    walls = rng.random((height, width)) < 0.2 if wrap else None
    values = [np.full((height, width), np.nan, np.float32) for _ in range(2)]
    for ops, sums, marks, shown in (
        (reference, slow, dirty[0], values[0]),
        (fast, quick, dirty[1], values[1]),
    ):
        rows_of_tiles = np.unpackbits(marks[:, np.newaxis], axis=1, bitorder="little")
        changed = rows_of_tiles.reshape(-1, marks.shape[1]) != 0
        changed = np.repeat(changed, reference.TILE_COLUMNS, 1)[:height, :width]
        assert changed[sums != begun].all()
        ops.publish(sums, walls, 0, len(marks), marks, shown)
        assert not marks.any()
        expected = np.where(False if walls is None else walls, 0, sums / reference.SCALE)
        np.testing.assert_array_equal(shown[changed], expected[changed].astype(np.float32))
        assert np.isnan(shown[~changed]).all()


@settings(max_examples=14)
@given(
    seed=st.integers(0, 10**6),
    height=st.integers(1, 30),
    width=st.integers(1, 150),
    blend=st.sampled_from([reference.ADD, reference.MAX, reference.REPLACE]),
)
def test_scatters_as_the_reference(seed: int, height: int, width: int, blend: int) -> None:
    rng = np.random.default_rng(seed)
    cells, amounts = rng.integers(0, height * width, 50), rng.normal(size=50) * reference.SCALE
    amounts[:10] = rng.choice([0.0, 1.0, -1.0, 0.5, 1.5, -0.5], 10)  # ties of the rounding
    found = []
    for ops in (reference, fast):
        sums = np.zeros((height, width), np.int64)
        dirty = np.zeros(
            (-(-height // reference.TILE_ROWS), -(-width // reference.TILE_COLUMNS)), np.uint8
        )
        ops.scatter(cells, amounts, blend, sums, dirty)
        found.append((sums, dirty))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])
