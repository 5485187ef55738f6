"""Arithmetic on maps, numbers and arrays."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.values import where
from support.expressions import HEIGHT, WIDTH, f32


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b, c: a - 0.5 * b,
        lambda a, b, c: (a + b) * c / 3,
        lambda a, b, c: -a + 2 - b,
        lambda a, b, c: 1 / (1 + abs(a)),
        lambda a, b, c: +a * 0.1 * b,
        lambda a, b, c: 0.6 * a + 0.3 * b + 0.1 * c,
        lambda a, b, c: (a * b - c) - c * a,
        lambda a, b, c: (a - b) / (a - b),
        lambda a, b, c: 3 - (a * a + b * b) * (a * a + b * b),
    ],
)
def test_arithmetic_is_that_of_numpy_in_float32(imap, make):
    layers = imap["ally"], imap["enemy"], imap["cover"]
    assert make(*layers).values.tobytes() == make(*(layer.values for layer in layers)).tobytes()


def test_division_by_zero_is_zero_and_results_are_finite(imap):
    a = imap["ally"]
    assert (a / 0).values.any() == 0
    assert (a / (a - a)).values.any() == 0
    assert (1 / (a * 0)).values.any() == 0
    big = a * 1e20 * 1e20
    assert np.isfinite(big.values).all() and np.abs(big.values).max() == np.finfo(np.float32).max
    assert np.isfinite((big - -big).values).all()
    assert not (big - big).values.any()
    assert np.isfinite((a / 1e-30 / 1e-30).values).all()


def test_arrays_are_copied_and_stand_on_either_side(imap):
    rng = np.random.default_rng(2)
    weights = rng.random((HEIGHT, WIDTH))
    narrow = weights.astype(np.float32)
    product, difference = imap["ally"] * weights, weights - imap["ally"]
    weights[:] = 0
    assert np.array_equal(product.values, imap["ally"].values * narrow)
    assert np.array_equal(difference.values, narrow - imap["ally"].values)
    assert np.array_equal((narrow < imap["ally"]).values, narrow < imap["ally"].values)
    mask = narrow > 0.5
    assert np.array_equal(
        where(mask, imap["ally"], 0).values, np.where(mask, imap["ally"].values, 0)
    )
    assert np.array_equal((imap["ally"] + np.float64(0.1)).values, imap["ally"].values + f32(0.1))
    assert np.array_equal((np.int64(3) * imap["ally"]).values, imap["ally"].values * f32(3))
    assert np.array_equal((imap["ally"] + np.array(2)).values, imap["ally"].values + f32(2))


def test_arrays_of_float16_are_read_as_they_are():
    layer = fc.InfluenceMap(fc.Grid(3, 1)).add_layer("a", values=np.ones((1, 3)))
    half = np.array([[0.5, 2.0, np.inf]], dtype=np.float16)
    assert (layer * half[:, ::-1].clip(0, 9)).values.tolist() == [[9.0, 2.0, 0.5]]
    cost = fc.where(layer > 0, half, 1.0)
    assert fc.distance_map(layer.space, (0.5, 0.5), cost=cost).values[0, 2] == np.inf
