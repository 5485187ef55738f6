from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.view.camera import Camera


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)),
    st.floats(0.01, 500),
    st.booleans(),
    st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(-1e4, 1e4)), min_size=1, max_size=5),
)
def test_pixels_and_positions_convert_both_ways(position, zoom, y_up, points):
    camera, screen = Camera(position, zoom, y_up=y_up), (641, 480)
    assert camera.to_screen(position, screen) == pytest.approx((320.5, 240))
    assert camera.to_world(camera.to_screen(points, screen), screen) == pytest.approx(
        np.array(points), abs=1e-6
    )
    right, further = camera.to_screen([position, (position[0] + 1, position[1] + 1)], screen)
    assert further[0] > right[0]
    assert (further[1] < right[1]) == y_up


@pytest.mark.parametrize(
    ("arguments", "word"), [(((0, 0), 0), "zoom"), (((0, np.nan),), "finite"), (([(0, 1)],), "one")]
)
def test_refused_cameras(arguments, word):
    with pytest.raises(InvalidValue, match=word):
        Camera(*arguments)
