from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.view.drawing.letters import blend, measure, wrapped, write


def test_text_stays_within_its_measure_and_accents_make_a_difference():
    def ink(text: str, scale: float = 1.0) -> np.ndarray:
        canvas = np.zeros((60, 400, 4), dtype=np.uint8)
        write(canvas, 5, 40, text, (255, 255, 255), scale=scale)
        return canvas[..., 3]

    for text in ("threat", "Überfluß", "0.25 ≥ −3", "日本"):
        for scale in (1.0, 1.5, 2.0):
            columns = np.flatnonzero(ink(text, scale).any(axis=0))
            assert columns[-1] < 5 + measure(text, scale=scale)
            assert columns[0] >= 5 - 2 * scale
    assert (ink("ö") != ink("o")).any()
    assert (ink("o\u0308") == ink("ö")).all()
    assert (ink("日") == ink("本")).all()  # a box: visible, not dropped


@settings(max_examples=16, deadline=None)
@given(st.text(alphabet="ab lmö,.", max_size=60), st.integers(20, 200))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int):
    lines = wrapped(text, width)
    assert all(measure(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_blending_weighs_a_color_by_its_coverage() -> None:
    dice = np.random.default_rng(4)
    picture = dice.integers(0, 256, (5, 7, 4), dtype=np.uint8)
    coverage = dice.choice([0.0, 0.3, 0.75, 1.0], (4, 3))
    color = (250, 20, 90)
    expected = picture.copy()
    for (row, column), share in np.ndenumerate(coverage[:, :2]):  # the rest is beyond the rim
        if not share:
            continue
        under = picture[row + 1, column + 5]
        alpha = under[3] / 255 * (1 - share) + share
        for channel in range(3):
            mixed = (
                under[channel] * (under[3] / 255 * (1 - share)) + color[channel] * share
            ) / alpha
            expected[row + 1, column + 5, channel] = np.rint(mixed)
        expected[row + 1, column + 5, 3] = np.rint(alpha * 255)
    blend(picture, 5, 1, coverage, color)
    np.testing.assert_array_equal(picture, expected)
