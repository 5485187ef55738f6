from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from fieldcraft.view import TEAM_COLORS
from research.plots import IntervalPanel, plot_curves, plot_intervals

NAN = float("nan")


def columns_of(picture: np.ndarray, series: int) -> np.ndarray:
    tone = np.array(to_rgb(TEAM_COLORS[series])) * 255
    body = picture[:, :800, :3]
    return np.flatnonzero((np.abs(body - tone).max(axis=2) < 40).any(axis=0))


def test_whiskers_reach_as_far_as_their_intervals() -> None:
    values = np.array([[0.5, 0.5], [NAN, 0.5]])
    narrow, wide = (
        plot_intervals(
            ["row", "other"],
            ["a", "b"],
            [IntervalPanel("p", values, values - half, values + half, limits=(0, 1), mark=0.5)],
            title="T",
            caption="c",
        )
        for half in (0.2, 0.4)
    )
    assert narrow.shape == wide.shape and narrow.shape[1:] == (1100, 4)
    spans = [np.ptp(columns_of(picture, 0)) for picture in (narrow, wide)]
    assert spans[1] == pytest.approx(2 * spans[0], rel=0.1)


def test_pages_of_curves_have_a_panel_for_each_quantity() -> None:
    values = np.arange(8.0).reshape(4, 2)
    panel = IntervalPanel("p", values, values - 1, np.full_like(values, NAN), percent=True)
    one, four = (
        plot_curves([1, 2, 4, 8], ["a", "b"], [panel] * count, axis="agents", log=True)
        for count in (1, 4)
    )
    assert one.shape[0] < four.shape[0]
    assert len(columns_of(one, 1))
