from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.errors import InvalidValue
from fieldcraft.view.curves import plot_curves
from fieldcraft.view.intervals import IntervalPanel
from fieldcraft.view.legend import PAGE

NAN = float("nan")
RED = (255, 0, 0)


def find(picture: np.ndarray, color: tuple[int, int, int]) -> np.ndarray:
    return np.argwhere((picture[..., :3] == color).all(axis=2))


def panel(values, lows=None, highs=None, **options) -> IntervalPanel:
    values = np.asarray(values, dtype=float)[:, None]
    none = np.full_like(values, NAN)
    return IntervalPanel(
        "p", values, none if lows is None else np.asarray(lows)[:, None], none if highs is None else np.asarray(highs)[:, None], **options
    )


def drawn(places, shown: IntervalPanel, **options) -> np.ndarray:
    return plot_curves(places, ["one"], [shown], colors=["#ff0000"], width=500, **options)


@pytest.mark.parametrize(("places", "log", "share"), [([0, 1, 4], False, 0.25), ([1, 2, 16], True, 0.25), ([-4, 0, 4], False, 0.5)])
def test_dots_lie_where_their_numbers_say(places, log, share):
    red = find(drawn(places, panel([0.0, NAN, 0.0], limits=(0, 1)), log=log), RED)
    ends = (red[:, 1].min(), red[:, 1].max())
    middle = find(drawn(places, panel([NAN, 1.0, NAN], limits=(0, 1)), log=log), RED)
    # Dots have the same width, so their edges lie as their middles do.
    left, right = ends[0], ends[1] - np.ptp(middle[:, 1])
    assert middle[:, 1].min() == pytest.approx(left + share * (right - left), abs=2)
    assert red[:, 0].mean() - middle[:, 0].mean() == pytest.approx(230, abs=3)


def test_bands_reach_from_the_lows_to_the_highs():
    plain = drawn([1, 2], panel([0.5, 0.5], limits=(0, 1)))
    banded = drawn([1, 2], panel([0.5, 0.5], [0.25, 0.25], [0.75, 0.75], limits=(0, 1)))
    changed = np.argwhere((plain != banded).any(axis=2))
    assert np.ptp(changed[:, 0]) == pytest.approx(115, abs=3)
    assert np.ptp(changed[:, 1]) > 300
    one_sided = drawn([1, 2], panel([0.5, 0.5], [0.25, NAN], [0.75, NAN], limits=(0, 1)))
    np.testing.assert_array_equal(one_sided, plain)


def test_pages_of_many_panels_series_and_places():
    values = np.random.default_rng(1).random((40, 3))
    shown = IntervalPanel("p", values, values - 0.1, values + 0.1, percent=True, mark=0.5)
    picture = plot_curves(
        np.arange(1, 41) * 25, ["a", "b", "c"], [shown] * 4, axis="ants", title="T", caption="Some words. " * 20, log=True
    )
    assert picture.shape[1] == 1100
    assert not (picture[..., :3] == PAGE).all()
    assert plot_curves([3.0], ["a"], [panel([1.0])], width=300).dtype == np.uint8
    assert plot_curves([1, 2], ["a"], [panel([NAN, NAN])], width=300).dtype == np.uint8


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: plot_curves([1], [], [panel([1])]), "a series and a panel"),
        (lambda: plot_curves([], ["a"], [panel([1])]), "numbers that rise"),
        (lambda: plot_curves([2, 1], ["a"], [panel([1, 2])]), "numbers that rise"),
        (lambda: plot_curves([0, 1], ["a"], [panel([1, 2])], log=True), "above 0"),
        (lambda: plot_curves([0, 1], ["a"], [panel([1, 2, 3])]), "shape"),
        (lambda: plot_curves([0, 1], ["a"], [panel([1, 2])], width=100), "pixels wide"),
        (lambda: plot_curves([0, 1], ["a"], [panel([1, 2])], columns=0), "columns is at least 1"),
        (lambda: plot_curves([0, 1], ["a"], [panel([1, 2])], colors=[]), "one colour per series"),
    ],
)
def test_what_is_refused(call, says):
    with pytest.raises(InvalidValue, match=says):
        call()
