"""Forecasts of places: the fit is the greatest likelihood, scores are those by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from research.recordings.forecasts import fit_places, score_places


def world(seed: int, moments: int = 30) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Moments of 40 to 60 cells with three features, of which the first draws and the third
    repels.
    """
    rng = np.random.default_rng(seed)
    tables = [
        rng.normal(3.0, (1.0, 5.0, 0.1), (int(rng.integers(40, 61)), 3)) for _ in range(moments)
    ]
    came = []
    for table in tables:
        chances = np.exp(1.5 * table[:, 0] - 12.0 * table[:, 2])
        came.append(rng.choice(len(table), size=4, p=chances / chances.sum()))
    return tables, came


def test_the_fit_is_where_scipy_finds_the_greatest_likelihood() -> None:
    tables, came = world(3)
    model = fit_places(tables, came, penalty=2.0, even=0.0)

    def loss(weights: np.ndarray) -> float:
        scaled = [(table - model.means) / model.deviations @ weights for table in tables]
        likelihood = sum(
            float((scores - np.log(np.exp(scores).sum()))[cells].sum())
            for scores, cells in zip(scaled, came, strict=True)
        )
        return -likelihood + float(weights @ weights)

    found = optimize.minimize(loss, np.zeros(3), method="BFGS").x
    np.testing.assert_allclose(model.weights, found, atol=2e-4)
    slopes = model.weights / model.deviations
    assert slopes[0] == pytest.approx(1.5, rel=0.25)
    assert slopes[2] == pytest.approx(-12.0, rel=0.35)
    assert abs(slopes[1]) < 0.1


def test_units_do_not_matter_and_a_flat_feature_weighs_nothing() -> None:
    tables, came = world(5)
    plain = fit_places(tables, came)
    other = fit_places(
        [
            np.column_stack([1000 * table[:, :1] - 7, table[:, 1:], np.full(len(table), 4.2)])
            for table in tables
        ],
        came,
    )
    assert other.weights[3] == 0
    widened = np.column_stack(
        [1000 * tables[0][:, :1] - 7, tables[0][:, 1:], np.full(len(tables[0]), 4.2)]
    )
    np.testing.assert_allclose(plain.chances(tables[0]), other.chances(widened), rtol=1e-6)


def test_a_moment_that_counts_twice_is_two_moments() -> None:
    tables, came = world(7, moments=6)
    twice = fit_places([*tables, tables[2]], [*came, came[2]])
    weighted = fit_places(tables, came, weights=[1, 1, 2, 1, 1, 1])
    shares = [fit.weights / fit.deviations for fit in (twice, weighted)]
    assert (
        np.abs(shares[0] - shares[1]).max() < 0.05 * np.abs(shares[0]).max()
    )  # means and deviations are of other cells


@settings(max_examples=14, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_chances_sum_to_one_and_none_is_below_the_even_share(seed: int, even: float) -> None:
    tables, came = world(seed, moments=4)
    model = fit_places(tables, came, even=even)
    for table in tables:
        chances = model.chances(table)
        assert chances.sum() == pytest.approx(1.0)
        assert chances.min() >= even / len(table) * (1 - 1e-9)


def test_scores_by_hand() -> None:
    chances = np.array([0.5, 0.125, 0.125, 0.25])
    score = score_places([chances, np.full(8, 0.125)], [[0, 1, 1], []])
    assert score.count == 3
    assert score.bits == pytest.approx((1 - 1 - 1) / 3)
    assert score.log_likelihood == pytest.approx((np.log(0.5) + 2 * np.log(0.125)) / 3)
    assert score.auc == pytest.approx((3.5 / 4 + 2 * 1 / 4) / 3)
    weighted = score_places([chances, chances], [[0], [3]], weights=[3, 1])
    assert weighted.bits == pytest.approx((3 * 1 + 0) / 4)


def test_uniform_ground_scores_nothing() -> None:
    score = score_places([np.full(50, 0.02)] * 2, [[3, 4], [49]])
    assert (score.bits, score.auc) == (pytest.approx(0), 0.5)
