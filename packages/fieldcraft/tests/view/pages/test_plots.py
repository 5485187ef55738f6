from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import view
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view.pixels.themes import DARK

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
    body = picture[60:, 100:300]
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
    assert not (picture[..., :3] == DARK.page).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: view.plot_over_time([0, 1], []), "at least one"),
        (lambda: view.plot_over_time([0, 1], [("a", [1], None)]), "one for each"),
        (lambda: view.plot_over_time([0, 1], [("a", [1, np.nan], None)]), "finite"),
        (lambda: view.plot_over_time([1, 0], [("a", [1, 2], None)]), "ascend"),
        (lambda: view.plot_over_time([], [("a", [], None)]), "at least one"),
        (
            lambda: view.plot_over_time([0, 1], [("a", [1, 2], None)], limits=(1, 1)),
            "low below high",
        ),
        (
            lambda: view.plot_over_time([0, 1], [("a", [1, 2], None)], width=100),
            "240",
        ),
    ],
)
def test_what_a_plot_refuses(call, says):
    with pytest.raises(InvalidValue, match=says):
        call()
