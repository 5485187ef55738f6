"""Floods and wandering belief: compiled = plain, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import kernels
from support.tiers import uncompiled

pytestmark = pytest.mark.skipif(
    not kernels.compiled(),
    reason="the text runs plain in this process, so there is nothing to compare",
)
slow_belief, slow_flood = uncompiled("belief_steps"), uncompiled("flood_steps")


def lists(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    degree = rng.integers(0, 5, count)
    return np.concatenate([[0], np.cumsum(degree)]), rng.integers(
        0, count, int(degree.sum())
    ).astype(np.int32)


@settings(max_examples=25)
@given(
    st.integers(0, 2**16),
    st.integers(1, 60),
    st.sampled_from([1, 4, 100]),
    st.sampled_from([1, 2, 5, 2**31]),
)
def test_run(seed: int, count: int, most_hot: int, lasts: int) -> None:
    from fieldcraft.kernels.pursuit import flood_steps

    rng = np.random.default_rng(seed)
    starts, ends = lists(rng, count)
    state, behind = (
        rng.choice(4, count, p=[0.9, 0, 0, 0.1]).astype(np.uint8),
        rng.random(count) < 0.4,
    )
    start = int(rng.integers(count))
    state[start] = slow_flood.HEAT
    answers = []
    for run in (flood_steps.run, slow_flood.run):
        now, ignited, lit, shut = (
            state.copy(),
            np.full(count, -1, np.int32),
            np.zeros(count, np.int32),
            np.zeros(count, np.int32),
        )
        lit[0] = shut[0] = start
        ignited[start] = 0
        marks = np.array([0, 1, 0, 1, 0])
        ended = [
            run(starts, ends, behind, steps, most_hot, lasts, now, ignited, lit, shut, marks)
            for steps in (1, 2, 7)
        ]
        answers.append((ended, [array.tobytes() for array in (now, ignited, lit, shut, marks)]))
    assert answers[0] == answers[1]


@settings(max_examples=20)
@given(st.integers(0, 2**16), st.integers(1, 60))
def test_wander(seed: int, count: int) -> None:
    from fieldcraft.kernels.pursuit import belief_steps

    rng = np.random.default_rng(seed)
    starts, origins = lists(rng, count)
    mass, keep, shares = rng.random(count), rng.random(count), rng.random(len(origins))
    one, other = np.zeros(count), np.zeros(count)
    belief_steps.wander(starts, origins, shares, keep, mass, 1.25, one)
    slow_belief.wander(starts, origins, shares, keep, mass, 1.25, other)
    assert one.tobytes() == other.tobytes()


@settings(max_examples=20)
@given(st.integers(0, 2**16), st.integers(1, 20), st.integers(1, 33))
def test_wander_grid(seed: int, height: int, width: int) -> None:
    from fieldcraft.kernels.pursuit import belief_steps

    rng = np.random.default_rng(seed)
    mass = np.zeros((height + 2, width + 2))
    mass[1:-1, 1:-1] = rng.random((height, width))
    keep, part, flows = rng.random((height, width)), rng.random((height, width)), rng.random(2)
    ins = rng.integers(0, 256, (height, width)).astype(np.uint8)
    for bit, (dy, dx) in enumerate(belief_steps.AROUND):
        rows, columns = np.mgrid[:height, :width]
        off = (rows + dy < 0) | (rows + dy >= height) | (columns + dx < 0) | (columns + dx >= width)
        ins[off] &= np.uint8(255 - (1 << bit))
    first, last = sorted(rng.integers(0, height + 1, 2).tolist())
    one, other = np.zeros_like(mass), np.zeros_like(mass)
    belief_steps.wander_grid(
        ins, keep, part, flows, mass, 1.25, first, last, one, np.zeros((2, 3, width + 2))
    )
    slow_belief.wander_grid(
        ins, keep, part, flows, mass, 1.25, first, last, other, np.zeros((2, 3, width + 2))
    )
    assert one.tobytes() == other.tobytes()
