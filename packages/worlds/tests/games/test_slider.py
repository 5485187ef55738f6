from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.games.slider import Slider
from support.refusals import refused

KEEP = Slider("keep", "keep", 0.9, 1.0, step=0.01)
ODD = Slider("odd", "odd", 1.0, 4.5, step=1.0)


def test_notches() -> None:
    assert [ODD.notches, KEEP.notches] == [4, 10]
    assert [ODD.at(share) for share in (-1, 0, 0.3, 0.6, 0.9, 1, 2)] == [1, 1, 2, 3, 4, 4.5, 4.5]
    assert [KEEP.moved(0.95, by) for by in (-99, -1, 1, 99)] == [0.9, 0.94, 0.96, 1.0]
    assert [ODD.moved(2.5, by) for by in (-2, -1, 1, 2)] == [1, 2, 3, 4]


@given(
    share=st.floats(0, 1),
    slider=st.sampled_from([KEEP, ODD, Slider("any", "any", -3.0, 7.0)]),
)
def test_values_stay_inside_and_where_they_are(share: float, slider: Slider) -> None:
    value = slider.at(share)
    assert slider.low <= value <= slider.high
    assert slider.share(value) == pytest.approx(share, abs=1.01 / slider.notches)
    assert slider.at(slider.share(value)) == value
    for by in (1, -1):
        moved = slider.moved(value, by)
        assert (moved - value) * by > 0 or moved in (slider.low, slider.high)


def test_refusals() -> None:
    for low, high, step, message in (
        (1, 1, 0, "low end"),
        (2, 1, 0, "low end"),
        (0, 1, 2, "no longer"),
        (0, 1, -1, "step"),
    ):
        with refused(InvalidValue, message):
            Slider("a", "a", low, high, step=step)
