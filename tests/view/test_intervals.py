from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.errors import InvalidValue
from fieldcraft.view.intervals import IntervalPanel, plot_intervals
from fieldcraft.view.legend import PAGE

NAN = float("nan")


def find(picture: np.ndarray, color: tuple[int, int, int]) -> np.ndarray:
    return np.argwhere((picture[..., :3] == color).all(axis=2))


def drawn(panel: IntervalPanel, rows: int = 1, **options: object) -> np.ndarray:
    return plot_intervals(["row"] * rows, ["one"], [panel], colors=["#ff0000"], width=500, **options)


def test_dots_lie_on_one_scale_and_whiskers_reach_as_far_as_they_say():
    panel = IntervalPanel("p", [[0.0], [0.5], [1.0]], [[NAN], [0.25], [NAN]], [[NAN], [0.75], [NAN]], limits=(0, 1))
    red = find(drawn(panel, 3), (255, 0, 0))
    assert len(red)
    thirds = np.unique(red[:, 0])
    groups = np.split(thirds, np.flatnonzero(np.diff(thirds) > 12) + 1)
    assert len(groups) == 3
    middles = [red[np.isin(red[:, 0], group), 1] for group in groups]
    left, right = middles[0].mean(), middles[2].mean()
    assert middles[1].mean() == pytest.approx((left + right) / 2, abs=1)
    assert middles[1].min() == pytest.approx(left + 0.25 * (right - left), abs=2)
    assert middles[1].max() == pytest.approx(left + 0.75 * (right - left), abs=2)


def test_what_lies_beyond_the_limits_stays_at_the_rim():
    inside = drawn(IntervalPanel("p", [[1.0]], [[NAN]], [[NAN]], limits=(0, 1)))
    beyond = drawn(IntervalPanel("p", [[70.0]], [[NAN]], [[NAN]], limits=(0, 1)))
    np.testing.assert_array_equal(inside, beyond)


def test_nothing_to_show_is_an_empty_row():
    assert len(find(drawn(IntervalPanel("p", [[NAN]], [[NAN]], [[NAN]])), (255, 0, 0))) == 0


def test_a_page_grows_with_its_rows_and_holds_titles_and_captions():
    panel = IntervalPanel("a long title that needs more than one line in so small a panel", [[1.0]], [[0.5]], [[2.0]], percent=True, mark=1)
    plain = drawn(panel)
    assert plain.shape[1:] == (500, 4)
    many = drawn(IntervalPanel("p", [[1.0]] * 4, [[NAN]] * 4, [[NAN]] * 4), 4, title="T", caption="Some words. " * 20)
    assert many.shape[0] > plain.shape[0]
    assert not (many[..., :3] == PAGE).all()


def test_series_have_colours_and_a_legend():
    picture = plot_intervals(["a", "b"], ["x", "y"], [IntervalPanel("p", np.ones((2, 2)), np.zeros((2, 2)), np.full((2, 2), 2.0))] * 3)
    assert picture.shape[1] == 1100
    assert len(find(picture, (0x3F, 0xA7, 0xF5)))
    assert len(find(picture, (0xFF, 0x8A, 0x3C)))


@pytest.mark.parametrize("values", [[[-3.0]], [[0.0]], [[1e30]], [[-1e30]]])
def test_numbers_of_any_size(values):
    assert drawn(IntervalPanel("p", values, values, values)).dtype == np.uint8


PANEL = IntervalPanel("p", [[1.0]], [[1.0]], [[1.0]])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: plot_intervals([], ["a"], [PANEL]), "a row, a series and a panel"),
        (lambda: plot_intervals(["a"], ["a"], []), "a row, a series and a panel"),
        (lambda: plot_intervals(["a"], ["a"], [PANEL], colors=[]), "one colour per series"),
        (lambda: plot_intervals(["a", "b"], ["a"], [PANEL]), "shape"),
        (lambda: plot_intervals(["a"], ["a"], [IntervalPanel("p", [[np.inf]], [[1]], [[1]])]), "values of 'p' are numbers"),
        (lambda: plot_intervals(["a"], ["a"], [IntervalPanel("p", [[1]], [[1]], [[1]], limits=(2, 1))]), "low below high"),
        (lambda: plot_intervals(["a"], ["a"], [PANEL] * 9, width=300), "pixels wide"),
        (lambda: plot_intervals(["a"], ["a"], [PANEL], width=10), "at least 1.. pixels wide"),
        (lambda: plot_intervals(["a"], ["a"], [PANEL], width=200, title="A title as long as this"), "pixels wide"),
    ],
)
def test_what_is_refused(call, says):
    with pytest.raises(InvalidValue, match=says):
        call()
