"""Legends: numbers and colors."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import view
from fieldcraft.view.pages.legends import format_number
from support.pictures import canvas


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (5.0, "5"), (-2.5, "−2.5"), (1e-5, "1e−5"), (123456.0, "1.235e5"), (0.3, "0.3")],
)
def test_numbers_are_short(value: float, text: str):
    assert format_number(value) == text


def test_legends_lie_below_their_pictures_and_show_their_colors():
    scale = view.ColorScale(-2, 2, table=view.between("#0000ff", "#ff0000"))
    picture = canvas(40, 200)
    page = view.page(
        [picture, picture],
        legend=[
            view.ScaleLegend(scale, beyond=(True, False)),
            view.TeamLegend(["a", "b"], ["#ff0000", "#00ff00"]),
        ],
    ).astype(int)
    np.testing.assert_array_equal(page[18:58, 18:218], picture)
    below = page[66:]
    bars = below[:, 18:218, :3]
    assert (bars[:, 30, 2] > bars[:, 30, 0] + 50).any()
    assert (bars[:, 170, 0] > bars[:, 170, 2] + 50).any()
    seen = {tuple(color) for color in below[:, 232:, :3].reshape(-1, 3).tolist()}
    assert {(255, 0, 0), (0, 255, 0)} <= seen
