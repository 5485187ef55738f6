"""Walkers move alike compiled and uncompiled, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from fieldcraft.kernels.arrays import frozen
from support.tiers import uncompiled

if kernels.compiled():
    from fieldcraft.kernels import sense as sense_fast
    from fieldcraft.kernels import walk as fast

pytestmark = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the reference serves in this process, so there is nothing to compare",
)
WEIGHTS = st.sampled_from([0.0, 0.0, 0.7, 3.0])


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    y_up=st.booleans(),
    wrap=st.booleans(),
    follow=WEIGHTS,
    align=WEIGHTS,
    separate=WEIGHTS,
    cohere=WEIGHTS,
    avoid=WEIGHTS,
    wander=st.sampled_from([0.0, 0.2, 5.0]),
    stride=st.sampled_from([0.0, 0.3, 0.5, 2.3]),
    turn=st.sampled_from([None, 0.0, 0.5]),
    pushed=st.booleans(),
    count=st.sampled_from([9, 9, 9, 9, 300]),
)
def test_walks_and_senses_alike_uncompiled(
    seed: int,
    y_up: bool,
    wrap: bool,
    follow: float,
    align: float,
    separate: float,
    cohere: float,
    avoid: float,
    wander: float,
    stride: float,
    turn: float | None,
    pushed: bool,
    count: int,
) -> None:
    rng = np.random.default_rng(seed)
    height, width = rng.integers(1, 12, 2).tolist()
    walls = rng.random((height, width)) < rng.choice([0.0, 0.3])
    walls[0, 0] = False
    walls, no_layer = frozen(walls), frozen(fast.NO_LAYER)
    layers = [
        np.where(walls, 0, rng.choice([0.0, 0.5, 1.0, 2.5], walls.shape)).astype(np.float32)
        for _ in range(8)
    ]
    for layer in layers[4:]:
        layer -= np.float32(1)
    layers = [frozen(layer) for layer in layers]
    open_cells, first = np.flatnonzero(~walls), count // 100
    rows, columns = np.divmod(rng.choice(open_cells, count), width)
    rows = height - 1 - rows if y_up else rows
    places = np.stack([columns, rows], axis=1) + rng.choice([0.0, 0.25, rng.random()], (count, 2))
    angles = rng.uniform(0, 2 * math.pi, count)
    places, headings = frozen(places), frozen(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    roles = rng.integers(0, 2, count).astype(np.uint8)
    distance, angle = float(rng.uniform(0.2, 5)), float(rng.uniform(0, 1.5))
    limits = (-2.0, 0.0) if turn is None else (math.cos(turn), math.sin(turn))
    crowds = [
        layer if weight else no_layer
        for layer, weight in zip(layers[2:4], (separate, cohere), strict=True)
    ]
    flows = tuple(layers[4:]) if align else (no_layer,) * 4
    push = frozen(rng.normal(size=(count, 2)) if pushed else fast.NO_PUSH)
    trails = (layers[0], layers[1]) if follow else (no_layer, no_layer)
    found = []
    for ops, senses in ((uncompiled("walk"), uncompiled("sense")), (fast, sense_fast)):
        out = (np.zeros((count, 2)), np.zeros((count, 2)), np.zeros(count, np.int64))
        ops.walk(
            walls,
            y_up,
            wrap,
            trails,
            flows,
            roles,
            *crowds,
            push,
            follow,
            align,
            separate,
            cohere,
            avoid,
            distance,
            math.cos(angle),
            math.sin(angle),
            stride,
            wander,
            *limits,
            seed,
            7,
            places,
            headings,
            first,
            count,
            *out,
        )
        read = np.zeros((count, 3), np.float32)
        senses.sense(
            layers[0],
            walls,
            y_up,
            wrap,
            places,
            headings,
            distance,
            math.cos(angle),
            math.sin(angle),
            -1.5,
            0,
            count,
            read,
        )
        found.append((*out, read))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not walls.reshape(-1)[found[0][2][first:]].any()
    np.testing.assert_allclose(np.hypot(*found[0][1][first:].T), 1, rtol=1e-12)
