"""The rule for ranges: exactly the range is within it."""

import numpy as np

from fieldcraft.base.ranges import farthest_within, nearest_beyond


def test_sums_of_steps_are_within_their_number_of_steps():
    assert 0.1 + 0.1 + 0.1 > 0.3
    assert farthest_within(0.3) >= 0.1 + 0.1 + 0.1
    assert nearest_beyond(0.3) <= 0.1 + 0.1 + 0.1
    assert farthest_within(0.3) < 0.3 * (1 + 1e-6)
    assert nearest_beyond(0.3) > 0.3 * (1 - 1e-6)


def test_large_coordinates_have_larger_rounding():
    longer = (5e6 + 0.7) - (5e6 + 0.6)
    shorter = (5e6 + 0.1) - 5e6
    assert longer > farthest_within(0.1)
    assert longer <= farthest_within(0.1, 5e6)
    assert shorter < nearest_beyond(0.1)
    assert shorter >= nearest_beyond(0.1, 5e6)


def test_no_limit_stays_none():
    assert farthest_within(np.inf, 1e9) == np.inf
    assert farthest_within(np.array([np.inf, 1.0]))[0] == np.inf
