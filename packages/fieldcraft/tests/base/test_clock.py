"""Ticks: frame times add up exactly."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.base import clock
from fieldcraft.base.errors import InvalidValue
from support.refusals import refused

RATES = [
    1,
    2,
    5,
    10,
    20,
    24,
    25,
    30,
    48,
    50,
    60,
    72,
    75,
    90,
    100,
    120,
    144,
    200,
    240,
    300,
    44_100,
    48_000,
]


@pytest.mark.parametrize("rate", RATES)
def test_a_second_of_frames_is_a_second(rate: int) -> None:
    assert rate * clock.ticks("dt", 1 / rate) == clock.TICKS_PER_SECOND


@pytest.mark.parametrize("seconds", [0, 0.0, 1e-12])
def test_nothing_is_no_tick(seconds: float) -> None:
    assert clock.ticks("dt", seconds) == 0


@given(st.integers(0, 10**17))
def test_ticks_survive_the_way_through_seconds(count: int) -> None:
    # A float holds 53 bits: up to 2**52 ticks (74 days) come back exactly, later ones to the
    # nearest it can hold.
    again = clock.ticks("dt", clock.seconds(count))
    assert abs(again - count) <= max(0, count.bit_length() - 52) * count * 2**-52


@pytest.mark.parametrize("value", [-1e-9, -1, math.nan, math.inf, None, "1", True])
def test_what_is_no_time(value: float) -> None:
    with refused(InvalidValue, "dt"):
        clock.ticks("dt", value)


def test_milliseconds_by_mistake() -> None:
    assert clock.ticks("dt", 1e9) == 10**9 * clock.TICKS_PER_SECOND
    with refused(InvalidValue, "seconds", "1000000001"):
        clock.ticks("dt", 1_000_000_001)


def test_an_interval_is_at_least_a_tick() -> None:
    assert clock.ticks("every", 1 / clock.TICKS_PER_SECOND, minimum=1) == 1
    for value in (0, 1e-10):
        with refused(InvalidValue, "every", "1.4e-09"):
            clock.ticks("every", value, minimum=1)
