from __future__ import annotations

import math

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue
from research.shared import mean, paired, rate
from research.shared.statistics import FEW, mean_share


def test_a_rate_says_something_even_when_all_won():
    assert rate(20, 20).low == pytest.approx(0.8389, abs=1e-4)
    assert rate(0, 1).high < 1


def test_few_values_get_students_interval():
    found = mean([1, 2, 3, 4])
    assert found.method == "Student's t"
    assert found.value == 2.5
    assert (found.low, found.high) == pytest.approx((2.5 - 2.0542, 2.5 + 2.0542), abs=1e-3)


def test_many_values_get_a_bootstrap_that_repeats_itself():
    values = np.random.default_rng(3).exponential(size=60)
    found = mean(values)
    assert found.method == "BCa bootstrap"
    assert found == mean(values)
    assert found.low < found.value < found.high
    # Skewed to the right, so the interval leans that way too, which Student's can't.
    assert found.high - found.value > found.value - found.low


@pytest.mark.parametrize("count", [8, FEW, 50])
def test_intervals_hold_the_truth_as_often_as_they_say(count):
    rng = np.random.default_rng(count)
    held = 0
    for _ in range(100):
        found = mean(rng.normal(2, 3, size=count))
        held += found.low <= 2 <= found.high
    assert 0.88 <= held / 100 <= 0.993


def test_values_without_spread():
    alike, one = mean([3.0] * 30), mean([3.0])
    assert (alike.value, alike.low, alike.high, alike.method) == (3, 3, 3, "all alike")
    assert (one.value, one.method) == (3, "one value")
    assert math.isnan(one.low)
    assert math.isnan(one.high)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: rate(3, 2), "no more successes"),
        (lambda: rate(0, 0), "count is at least 1"),
        (lambda: mean([]), "at least one"),
        (lambda: mean([1, np.nan]), "finite"),
        (lambda: mean(["a", "b"]), "numbers"),
        (lambda: paired([1, 2], [1]), "Got 2 and 1"),
    ],
)
def test_what_is_refused(call, says):
    with pytest.raises(InvalidValue, match=says):
        call()


def test_a_mean_of_shares_is_a_share() -> None:
    found = mean_share([1.0, 1.0, 0.7, 0.99])
    assert mean([1.0, 1.0, 0.7, 0.99]).high > 1
    assert found.high == 1
    assert 0 < found.low < found.value < 1
