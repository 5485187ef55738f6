"""Where cells lie on pixels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import Grid, view
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import ColorScale, Placement
from support.pictures import field, layer


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.floats(0.1, 50),
    st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
    st.booleans(),
    st.integers(1, 7),
)
def test_positions_land_on_the_pixels_of_their_cells(width, height, cell_size, origin, y_up, scale):
    space = Grid(width, height, cell_size=cell_size, origin=origin, y_up=y_up)
    place = Placement(space, scale=scale / cell_size)
    pixels = place.pixel_of(space.position_of(np.arange(len(space))))
    rows, columns = np.divmod(np.arange(len(space)), width)
    assert pixels == pytest.approx(np.stack([columns + 0.5, rows + 0.5], axis=1) * scale, abs=1e-6)
    assert place.position_of(pixels) == pytest.approx(
        space.position_of(np.arange(len(space))), abs=1e-6
    )


@pytest.mark.parametrize("y_up", [False, True])
def test_a_coarse_layer_covers_the_same_ground(y_up: bool):
    base = Grid(11, 7, cell_size=1.5, origin=(3, -2), y_up=y_up)
    coarse = base.coarser(4.5)
    values = field(4, coarse.shape)
    picture = view.frame(layer(coarse, values), space=base, scale=2 / 1.5)
    at = coarse.cell_at(base.position_of(np.arange(len(base))))
    assert (
        picture[::2, ::2, :3]
        == ColorScale.of(values).rgb(values.reshape(-1)[at].reshape(base.shape))
    ).all()


@pytest.mark.parametrize("space", [fc.Grid(4, 3, cell_size=7.0), fc.HexGrid(4, 3)])
def test_scales_of_any_size_are_pictures_or_refused(space: fc.Space) -> None:
    for scale in (1e-320, 1e-30, 1e-6):
        assert max(fc.view.frame(np.ones(space.shape), scale=scale, space=space).shape[:2]) < 30
    for scale in (1e30, 1.7e308):
        with pytest.raises(InvalidValue, match="at most"):
            fc.view.Placement(space, scale=scale)
