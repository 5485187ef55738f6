"""Vectors are stored as vectors: what the colors of "Influence Maps, Ants, and Flocking" do to
directions does not happen.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc

GRID = fc.Grid(37, 23)


def worst(vectors: np.ndarray, way: np.ndarray, where: np.ndarray) -> float:
    """The largest angle in degrees between vectors and a way."""
    chosen = vectors[where].astype(np.float64)
    cosines = chosen @ way / np.maximum(np.hypot(*chosen.T) * np.hypot(*way), 1e-30)
    return float(np.degrees(np.arccos(np.clip(cosines, -1, 1))).max())


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32), st.floats(-np.pi, np.pi), st.integers(1, 30), st.sampled_from([3, 5]))
def test_a_blurred_field_of_one_direction_keeps_it_as_vectors_and_loses_it_as_colors(
    seed, angle, steps, blur
):
    rng = np.random.default_rng(seed)
    way = np.array([np.cos(angle), np.sin(angle)])
    cells = rng.integers(0, len(GRID), 12)
    imap = fc.InfluenceMap(GRID)
    flow = imap.add_layer("flow", fc.Trail(keep=0.97, vector=True, blur=blur, floor=0))
    red, green, blue = (
        imap.add_layer(name, fc.Trail(keep=0.97, blur=blur, floor=0))
        for name in ("red", "green", "blue")
    )
    flow.deposit_at(cells, way)
    for channel, share in ((red, (way[0] + 1) / 2), (green, (way[1] + 1) / 2), (blue, 1.0)):
        channel.deposit_at(cells, share)
    imap.step(steps)
    there = flow.values > 1e-4
    assert worst(flow.vectors, way, there) < 0.1
    colors = np.stack([red.values, green.values], axis=-1)
    # Black is (-1, -1): where little is left of a stream, its color says that it goes there,
    # whichever way it went.
    faint = there & (blue.values < 0.02)
    if faint.any():
        assert worst(2 * colors - 1, np.array([-1.0, -1.0]), faint) < 5
    # The constant blue of that text, which says how much of black is nothing, gives the vectors
    # back.
    np.testing.assert_allclose(2 * colors - blue.values[..., None], flow.vectors, atol=1e-5)


def test_the_colors_turn_a_stream_round():
    imap = fc.InfluenceMap(GRID)
    way = np.array([0.8, 0.6])
    channels = [imap.add_layer(name, fc.Trail(keep=0.97)) for name in ("red", "green")]
    flow = imap.add_layer("flow", fc.Trail(keep=0.97, vector=True))
    flow.deposit((18.5, 11.5), way)
    for channel, share in zip(channels, (way + 1) / 2, strict=True):
        channel.deposit((18.5, 11.5), share)
    imap.step(10)
    here = np.zeros(GRID.shape, dtype=bool)
    here[11, 18] = True
    decoded = np.stack([2 * channel.values - 1 for channel in channels], axis=-1)
    assert worst(flow.vectors, way, here) == pytest.approx(0, abs=0.05)
    assert worst(decoded, way, here) > 150
