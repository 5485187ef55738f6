"""Fading and bleeding give the bits of their oracle, exploring those of its uncompiled text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.arrays import frozen
from oracles import fade as reference
from support.tiers import uncompiled
from support.worlds import KNIGHT_AND_CORNER

if kernels.compiled():
    from fieldcraft.kernels import explore, fade

compiled_only = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)
NO_WAYS = (np.zeros(1, np.int64), np.zeros(0, np.int32))


@compiled_only
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    width=st.integers(1, 90),
    height=st.integers(1, 40),
    half=st.sampled_from([0.0, 5e6, 3.3e7]),
)
def test_marks_and_shows_as_the_reference(seed: int, width: int, height: int, half: float) -> None:
    rng = np.random.default_rng(seed)
    tiles = -(-height // reference.TILE_ROWS) * -(-width // reference.TILE_COLUMNS)
    states = []
    for ops in (reference, fade):
        rng = np.random.default_rng(seed)
        ends = np.zeros((tiles, reference.TILE_ROWS, reference.TILE_COLUMNS), np.int32)
        active, listed = np.zeros(tiles, np.uint16), np.zeros(tiles, np.int64)
        values = np.zeros((height, width), np.float32)
        count, now, seen = 0, 0, []
        for _ in range(4):
            cells = rng.integers(0, width * height, int(rng.integers(0, 30)))
            moments = (
                now + rng.integers(0, 1 << 29, len(cells)) // int(rng.choice([1, 1 << 8]))
            ).astype(np.int32)
            count = ops.mark(ends, width, cells, moments, active, listed, count)
            now += int(rng.integers(0, 1 << 28))
            rate, most = 100 / (1 << 29), np.float32(100)
            count = ops.show(ends, now, rate, half, 1e-3, most, values, active, listed, 0, count)
            seen.append((values.copy(), ends.copy(), active.copy(), listed[:count].copy()))
        states.append(seen)
    for slow, fast in zip(*states, strict=True):
        for one, other in zip(slow, fast, strict=True):
            np.testing.assert_array_equal(one.view(np.uint8), other.view(np.uint8))


def test_powers_of_two_are_those_of_the_library() -> None:
    power = np.linspace(0, 200, 5001)
    np.testing.assert_allclose(reference.exp2(power), np.exp2(power), rtol=4e-16)


@compiled_only
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    neighbors=st.sampled_from([4, 8, KNIGHT_AND_CORNER, [(0, 1), (3, 0), (-1, 0)]]),
    wrap=st.booleans(),
    share=st.sampled_from([0.3, 0.5, 0.9]),
)
def test_bleeds_as_the_reference(seed: int, neighbors: object, wrap: bool, share: float) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 14)), int(rng.integers(1, 17)))
    grid = fc.Grid(
        shape[1], shape[0], walls=rng.random(shape) < 0.25, neighbors=neighbors, wrap=wrap
    )
    cells = rng.integers(0, len(grid), 5)
    amounts = rng.random(5) * 100
    steps = np.array(grid.neighborhood.steps)
    common = (
        grid.links(),
        grid.link_masks,
        steps,
        share ** grid.neighborhood.lengths(1.0),
        cells,
        amounts,
        1.0,
        wrap,
    )
    expected = reference.bleed(*common)
    room = fade.room(len(grid))
    count = fade.bleed(*common, *room)
    order = np.sort(room[3][:count])
    np.testing.assert_array_equal(order, expected[0])
    np.testing.assert_array_equal(room[0][order], expected[1])
    assert not room[1].any()


@compiled_only
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.3, 0.9]))
def test_bleeds_along_graphs_as_the_reference(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    ways = rng.integers(0, 4, count)
    starts = np.append(0, np.cumsum(ways))
    ends = rng.integers(0, count, starts[-1]).astype(np.int32)
    common = (
        starts,
        ends,
        share ** (rng.random(len(ends)) * 3),
        rng.integers(0, count, 4),
        rng.random(4) * 100,
        1.0,
    )
    expected = reference.bleed_along(*common)
    room = fade.room(count)
    found = fade.bleed_along(*common, *room)
    order = np.sort(room[3][:found])
    np.testing.assert_array_equal(order, expected[0])
    np.testing.assert_array_equal(room[0][order], expected[1])


@compiled_only
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.3, 1.0]))
def test_seeps_as_the_reference(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    starts = np.append(0, np.cumsum(rng.integers(0, 4, count)))
    ends = rng.integers(0, count, starts[-1]).astype(np.int32)
    values = (rng.random(count) * 100 * (rng.random(count) < share)).astype(np.float32)
    common = (
        starts,
        ends,
        rng.random(len(ends)),
        rng.random(count),
        values,
        np.flatnonzero(values),
    )
    held, seen, found, amounts = room = (
        np.zeros(count),
        np.zeros(count, np.uint8),
        np.zeros(count, np.int64),
        np.zeros(count),
    )
    expected = reference.seep(*common)
    size = fade.seep(*common, *room)
    assert (found[:size].tolist(), amounts[:size].tobytes()) == (
        expected[0].tolist(),
        expected[1].tobytes(),
    )
    assert not held.any() and not seen.any()


@compiled_only
@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    neighbors=st.sampled_from([4, 8, KNIGHT_AND_CORNER, [(0, 1), (3, 0), (-1, 0)]]),
    wrap=st.booleans(),
    sight=st.integers(1, 6),
    searches=st.booleans(),
    apart=st.booleans(),
)
def test_explores_alike_uncompiled(
    seed: int, neighbors: object, wrap: bool, sight: int, searches: bool, apart: bool
) -> None:
    rng = np.random.default_rng(seed)
    shape = (int(rng.integers(1, 14)), int(rng.integers(1, 17)))
    grid = fc.Grid(
        shape[1], shape[0], walls=rng.random(shape) < 0.25, neighbors=neighbors, wrap=wrap
    )
    values = frozen(
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
            values,
            grid.links(),
            grid.link_masks,
            np.array(grid.neighborhood.steps),
            wrap,
            tuple(map(frozen, NO_WAYS)),
            frozen(starts),
            sight,
            searches,
            np.float32(0),
            seed,
            taken,
            0,
            6,
            cells,
            targets,
            *ops.room(len(grid)),
        )
        found.append((cells, targets))
        assert not apart or np.flatnonzero(taken).tolist() == np.unique(cells).tolist()
    np.testing.assert_array_equal(found[0], found[1])
