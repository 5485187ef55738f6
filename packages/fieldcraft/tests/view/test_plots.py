from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import view
from fieldcraft.errors import InvalidValue
from fieldcraft.view import IntervalPanel, plot_curves, plot_intervals
from fieldcraft.view.legend import PAGE
from fieldcraft.view.plots import _apart

NAN = float("nan")
RED = (255, 0, 0)

pytest.importorskip("matplotlib", reason="matplotlib is not installed")


def find(picture: np.ndarray, color: tuple[int, int, int]) -> np.ndarray:
    return np.argwhere(np.abs(picture[..., :3].astype(int) - color).max(axis=2) < 60)


# Over time


def test_a_plot_shows_each_curve_at_its_height():
    colors = {0.0: "#ff0000", 0.25: "#00ff00", 0.75: "#0000ff", 1.0: "#ffffff"}
    curves = [(f"at {value}", np.full(11, value), color) for value, color in colors.items()]
    picture = view.plot_over_time(
        np.arange(0, 101, 10), curves, limits=(0, 1), title="T", width=500, height=300
    )
    assert picture.shape == (300, 500, 4)
    body = picture[50:, 100:350]
    tones = [tuple(int(color[i : i + 2], 16) for i in (1, 3, 5)) for color in colors.values()]
    bottom, quarter, most, top = (find(body, tone)[:, 0].mean() for tone in tones)
    assert bottom - top > 150
    assert quarter == pytest.approx(bottom + (top - bottom) * 0.25, abs=1)
    assert most == pytest.approx(bottom + (top - bottom) * 0.75, abs=1)


def test_the_same_plot_has_the_same_pixels_whatever_the_users_own_settings():
    matplotlib = pytest.importorskip("matplotlib")
    curves = [("a $x$", [1, 2, 3], None)]
    with matplotlib.rc_context({"axes.facecolor": "white", "font.size": 30, "lines.linewidth": 9}):
        other = view.plot_over_time([0, 1, 2], curves)
    np.testing.assert_array_equal(view.plot_over_time([0, 1, 2], curves), other)


@pytest.mark.parametrize(
    ("times", "values"),
    [
        ([0], [0.5]),
        ([0, 1e-3], [-3, 4]),
        (np.arange(0, 90_000, 600), np.zeros(150)),
        ([0, 50], [1e30, -1e30]),
    ],
)
def test_plots_of_any_length_and_range(times, values):
    picture = view.plot_over_time(times, [("a", values, None)], caption="Some words. " * 20)
    assert picture.shape == (440, 960, 4)
    assert not (picture[..., :3] == PAGE).all()


def test_labels_are_pushed_apart_and_stay_inside():
    placed = _apart([100, 101, 102, 20], 0, 110)
    assert np.diff(sorted(placed)).min() >= 18
    assert max(placed) <= 110
    assert np.argsort(placed).tolist() == [3, 0, 1, 2]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: view.plot_over_time([0, 1], []), "at least one curve"),
        (lambda: view.plot_over_time([0, 1], [("a", [1], None)]), "2 finite numbers"),
        (lambda: view.plot_over_time([0, 1], [("a", [1, np.nan], None)]), "finite"),
        (lambda: view.plot_over_time([1, 0], [("a", [1, 2], None)]), "rise"),
        (lambda: view.plot_over_time([], [("a", [], None)]), "at least one"),
        (
            lambda: view.plot_over_time([0, 1], [("a", [1, 2], None)], limits=(1, 1)),
            "low below high",
        ),
        (
            lambda: view.plot_over_time([0, 1], [("a", [1, 2], None)], width=100),
            "at least 240 x 160",
        ),
    ],
)
def test_what_a_plot_refuses(call, says):
    with pytest.raises(InvalidValue, match=says):
        call()


# Curves


def panel(values, lows=None, highs=None, **options) -> IntervalPanel:
    values = np.asarray(values, dtype=float)[:, None]
    none = np.full_like(values, NAN)
    return IntervalPanel(
        "p",
        values,
        none if lows is None else np.asarray(lows)[:, None],
        none if highs is None else np.asarray(highs)[:, None],
        **options,
    )


def drawn(places, shown: IntervalPanel, **options) -> np.ndarray:
    return plot_curves(places, ["one"], [shown], colors=["#ff0000"], width=500, **options)


@pytest.mark.parametrize(
    ("places", "log", "share"),
    [([0, 1, 4], False, 0.25), ([1, 2, 16], True, 0.25), ([-4, 0, 4], False, 0.5)],
)
def test_dots_lie_where_their_numbers_say(places, log, share):
    red = find(drawn(places, panel([0.0, NAN, 0.0], limits=(0, 1)), log=log), RED)
    ends = (red[:, 1].min(), red[:, 1].max())
    middle = find(drawn(places, panel([NAN, 1.0, NAN], limits=(0, 1)), log=log), RED)
    # Dots have the same width, so their edges lie as their middles do.
    left, right = ends[0], ends[1] - np.ptp(middle[:, 1])
    assert middle[:, 1].min() == pytest.approx(left + share * (right - left), abs=2)
    assert red[:, 0].mean() - middle[:, 0].mean() > 200


def test_bands_reach_from_the_lows_to_the_highs():
    plain = drawn([1, 2], panel([0.5, 0.5], limits=(0, 1)))
    banded = drawn([1, 2], panel([0.5, 0.5], [0.25, 0.25], [0.75, 0.75], limits=(0, 1)))
    changed = np.argwhere((plain != banded).any(axis=2))
    low, high = (
        find(drawn([1, 2], panel([value, value], limits=(0, 1))), RED)[:, 0].mean()
        for value in (0.25, 0.75)
    )
    assert (changed[:, 0].max(), changed[:, 0].min()) == (
        pytest.approx(low, abs=2),
        pytest.approx(high, abs=2),
    )
    assert np.ptp(changed[:, 1]) > 300
    one_sided = drawn([1, 2], panel([0.5, 0.5], [0.25, NAN], [0.75, NAN], limits=(0, 1)))
    np.testing.assert_array_equal(one_sided, plain)


def test_pages_of_many_panels_series_and_places():
    values = np.random.default_rng(1).random((40, 3))
    shown = IntervalPanel("p", values, values - 0.1, values + 0.1, percent=True, mark=0.5)
    picture = plot_curves(
        np.arange(1, 41) * 25,
        ["a", "b", "c"],
        [shown] * 4,
        axis="ants",
        title="T",
        caption="Some words. " * 20,
        log=True,
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
def test_what_curves_refuse(call, says):
    with pytest.raises(InvalidValue, match=says):
        call()


# Intervals


def rows_drawn(panel: IntervalPanel, rows: int = 1, **options: object) -> np.ndarray:
    return plot_intervals(
        ["row"] * rows, ["one"], [panel], colors=["#ff0000"], width=500, **options
    )


def test_dots_lie_on_one_scale_and_whiskers_reach_as_far_as_they_say():
    panel = IntervalPanel(
        "p", [[0.0], [0.5], [1.0]], [[NAN], [0.25], [NAN]], [[NAN], [0.75], [NAN]], limits=(0, 1)
    )
    red = find(rows_drawn(panel, 3), (255, 0, 0))
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
    inside = rows_drawn(IntervalPanel("p", [[1.0]], [[NAN]], [[NAN]], limits=(0, 1)))
    beyond = rows_drawn(IntervalPanel("p", [[70.0]], [[NAN]], [[NAN]], limits=(0, 1)))
    np.testing.assert_array_equal(inside, beyond)


def test_nothing_to_show_is_an_empty_row():
    assert len(find(rows_drawn(IntervalPanel("p", [[NAN]], [[NAN]], [[NAN]])), (255, 0, 0))) == 0


def test_a_page_grows_with_its_rows_and_holds_titles_and_captions():
    panel = IntervalPanel(
        "a long title that needs more than one line in so small a panel",
        [[1.0]],
        [[0.5]],
        [[2.0]],
        percent=True,
        mark=1,
    )
    plain = rows_drawn(panel)
    assert plain.shape[1:] == (500, 4)
    many = rows_drawn(
        IntervalPanel("p", [[1.0]] * 4, [[NAN]] * 4, [[NAN]] * 4),
        4,
        title="T",
        caption="Some words. " * 20,
    )
    assert many.shape[0] > plain.shape[0]
    assert not (many[..., :3] == PAGE).all()


def test_series_have_colours_and_a_legend():
    picture = plot_intervals(
        ["a", "b"],
        ["x", "y"],
        [IntervalPanel("p", np.ones((2, 2)), np.zeros((2, 2)), np.full((2, 2), 2.0))] * 3,
    )
    assert picture.shape[1] == 1100
    assert len(find(picture, (0x3F, 0xA7, 0xF5)))
    assert len(find(picture, (0xFF, 0x8A, 0x3C)))


@pytest.mark.parametrize("values", [[[-3.0]], [[0.0]], [[1e30]], [[-1e30]]])
def test_numbers_of_any_size(values):
    assert rows_drawn(IntervalPanel("p", values, values, values)).dtype == np.uint8


PANEL = IntervalPanel("p", [[1.0]], [[1.0]], [[1.0]])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: plot_intervals([], ["a"], [PANEL]), "a row, a series and a panel"),
        (lambda: plot_intervals(["a"], ["a"], []), "a row, a series and a panel"),
        (lambda: plot_intervals(["a"], ["a"], [PANEL], colors=[]), "one colour per series"),
        (lambda: plot_intervals(["a", "b"], ["a"], [PANEL]), "shape"),
        (
            lambda: plot_intervals(["a"], ["a"], [IntervalPanel("p", [[np.inf]], [[1]], [[1]])]),
            "values of 'p' are numbers",
        ),
        (
            lambda: plot_intervals(
                ["a"], ["a"], [IntervalPanel("p", [[1]], [[1]], [[1]], limits=(2, 1))]
            ),
            "low below high",
        ),
        (lambda: plot_intervals(["a"], ["a"], [PANEL] * 9, width=300), "pixels wide"),
        (lambda: plot_intervals(["a"], ["a"], [PANEL], width=10), "at least 1.. pixels wide"),
        (
            lambda: plot_intervals(
                ["a"], ["a"], [PANEL], width=200, title="A title as long as this"
            ),
            "pixels wide",
        ),
    ],
)
def test_what_intervals_refuse(call, says):
    with pytest.raises(InvalidValue, match=says):
        call()
