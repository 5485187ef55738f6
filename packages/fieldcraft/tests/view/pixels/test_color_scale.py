"""Color scales."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.view import ColorScale
from support.pictures import field


@pytest.mark.parametrize(
    "limits",
    [
        (0.0, 5.0),
        (-5.0, 0.0),
        (2.0, 3.0),
        (-3.0, -1.0),
        (-4.0, 4.0),
        (0.0, 1e-40),
        (-3e38, 3e38),
        (0.0, 3e38),
    ],
)
def test_values_at_the_limits_get_the_ends_of_the_table(limits: tuple[float, float]):
    scale = ColorScale(*limits, threshold=None)
    low, high = scale.rgb(np.array(limits, dtype=np.float32))
    first, last = (high, low) if limits[1] <= 0 else (low, high)
    assert (first == scale.table[0]).all()
    assert (last == scale.table[-1]).all()
    beyond = scale.rgb(np.array([-3.4e38, 3.4e38], dtype=np.float32))
    assert (beyond == [low, high]).all()


def test_zero_is_the_middle_of_a_signed_scale_and_opposites_mirror():
    scale = ColorScale(-2, 5, threshold=None)
    assert (scale.low, scale.high) == (-5, 5)
    middle = len(scale.table) // 2
    assert scale.index(np.zeros(1, np.float32)) == middle
    values = np.random.default_rng(1).uniform(0, 5, 100).astype(np.float32)
    there = scale.index(values).astype(int) - middle
    back = middle - scale.index(-values).astype(int)
    assert np.abs(there - back).max() <= 1


@settings(max_examples=16, deadline=None)
@given(st.floats(-1e6, 1e6, width=32), st.floats(1, 1e6, width=32), st.integers(0, 2**31))
def test_a_larger_value_never_gets_an_earlier_color(low: float, span: float, seed: int):
    scale = ColorScale(low, low + span, threshold=None)
    values = np.sort(np.random.default_rng(seed).uniform(low - span, low + 2 * span, 50)).astype(
        np.float32
    )
    index = scale.index(values).astype(int)
    assert (np.diff(-index if scale.high <= 0 else index) >= 0).all()


def test_a_scale_fits_the_strongest_value_of_all_arrays():
    positive, signed = field(1), field(2) - 4
    assert ColorScale.of(positive).high == positive.max()
    assert ColorScale.of(positive).low == 0
    both = ColorScale.of(positive, signed)
    assert both.high == -both.low == max(positive.max(), -signed.min())
    assert (ColorScale.of(-positive).low, ColorScale.of(-positive).high) == (-positive.max(), 0)
    assert (ColorScale.of(np.zeros((2, 3))).low, ColorScale.of(np.zeros((2, 3))).high) == (0, 1)
