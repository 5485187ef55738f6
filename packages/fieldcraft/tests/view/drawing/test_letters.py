from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.view.drawing.letters import measure, wrapped, write


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
