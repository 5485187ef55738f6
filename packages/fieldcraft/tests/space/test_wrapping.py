"""Axes that wrap: what may be passed, and distances across them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space.space_saves import restored, state_of
from fieldcraft.space.wrapping import Wrap, both_directions, box_of, nearest_images, within_period
from support.refusals import refused
from support.worlds import WRAPS


@pytest.mark.parametrize("wrap", ["xy", "z", 1, None, ["x"], 0.0])
def test_anything_but_truth_values_and_two_words_is_refused(wrap: Any) -> None:
    for make in (lambda: fc.Grid(4, 3, wrap=wrap), lambda: fc.HexGrid(4, 4, wrap=wrap)):
        with refused(InvalidValue, "wrap is", "wrap="):
            make()


def test_numbers_of_numpy_are_truth_values() -> None:
    assert fc.Grid(4, 3, wrap=np.bool_(True)).wrap is True


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_space_says_which_axes_wrap(wrap: Wrap) -> None:
    for space in (fc.Grid(6, 4, cell_size=0.5, wrap=wrap), fc.HexGrid(6, 4, wrap=wrap)):
        assert space.wraps_x == (wrap is True or wrap == "x")
        assert space.wraps_y == (wrap is True or wrap == "y")
        assert space.wrap_flags == space.wraps_x + 2 * space.wraps_y
        assert space.wrap == wrap
        assert (f"wrap={wrap!r}" in repr(space)) == bool(wrap)
        if wrap is False:
            assert space.period is None
        else:
            assert space.period is not None
            assert np.isfinite(space.period).tolist() == [space.wraps_x, space.wraps_y]


@pytest.mark.parametrize("wrap", ["x", "y"])
def test_positions_leave_the_map_along_the_other_axis_only(wrap: Any) -> None:
    grid = fc.Grid(6, 4, wrap=wrap)
    beyond_x, beyond_y = (7.5, 1.5), (1.5, -0.5)
    over, off = (beyond_x, beyond_y) if wrap == "x" else (beyond_y, beyond_x)
    on_map = {"x": (1.5, 1.5), "y": (1.5, 3.5)}[wrap]
    assert grid.cell_at(over) == grid.cell_at(on_map)
    with refused(OutsideMap, "lies on the map, from 0", "clamp"):
        grid.cell_at(off)
    rim = {"x": (1.5, 0.5), "y": (5.5, 1.5)}[wrap]
    assert grid.cell_at(off, outside="clamp") == grid.cell_at(rim)


@pytest.mark.parametrize("wrap", WRAPS)
def test_saves_hold_what_was_passed(wrap: Wrap) -> None:
    for space in (fc.Grid(6, 4, wrap=wrap), fc.HexGrid(6, 4, wrap=wrap)):
        name, parts = state_of(space)
        assert parts["wrap"] == wrap and type(parts["wrap"]) is type(wrap)
        twin = restored(name, parts)
        assert isinstance(twin, fc.Grid | fc.HexGrid)
        assert twin.wrap == wrap


def test_hexagons_fit_at_the_seam_that_they_have() -> None:
    fc.HexGrid(5, 3, wrap="x")
    fc.HexGrid(5, 3, wrap="y", orientation="flat")
    with refused(InvalidValue, "even number of rows", "4 rows"):
        fc.HexGrid(5, 3, wrap="y")
    with refused(InvalidValue, "even number of columns", "6 columns"):
        fc.HexGrid(5, 3, wrap="x", orientation="flat")


@given(
    st.floats(-100, 100),
    st.floats(-100, 100),
    st.sampled_from([(7.0, 5.0), (7.0, np.inf), (np.inf, 5.0)]),
)
def test_images_are_the_nearest(x: float, y: float, size: tuple[float, float]) -> None:
    away, period = np.array([[x, y]]), np.array(size)
    near, inside = nearest_images(away, period), within_period(away, period)
    for axis in range(2):
        if np.isfinite(period[axis]):
            turns = away[0, axis] + np.arange(-30, 31) * period[axis]
            assert abs(near[0, axis]) == pytest.approx(np.abs(turns).min(), abs=1e-9)
            assert 0 <= inside[0, axis] <= period[axis]
        else:
            assert near[0, axis] == inside[0, axis] == away[0, axis]
    box = box_of(period)
    assert box is not None
    assert (box == np.where(np.isfinite(period), period, 0)).all()
    assert nearest_images(away, None) is away and box_of(None) is None


@pytest.mark.parametrize("wrap", WRAPS)
def test_steps_lead_over_edges_that_wrap_and_no_others(wrap: Wrap) -> None:
    grid = fc.Grid(5, 4, neighbors=8, wrap=wrap)
    for cell in range(len(grid)):
        row, column = divmod(cell, 5)
        expected = set()
        for y in range(row - 1, row + 2):
            for x in range(column - 1, column + 2):
                if (grid.wraps_y or 0 <= y < 4) and (grid.wraps_x or 0 <= x < 5):
                    expected.add(y % 4 * 5 + x % 5)
        assert grid.neighbors_of(cell).tolist() == sorted(expected - {cell})


def test_half_a_period_leads_in_both_directions() -> None:
    away = np.array([(1.0, 0.5), (-2.0, 0.0), (2.0, -3.0)])
    which, vectors = both_directions(away, np.array([4.0, np.inf]))
    assert which.tolist() == [0, 1, 2, 1, 2]
    assert vectors[3:].tolist() == [[2.0, 0.0], [-2.0, -3.0]]
    which, vectors = both_directions(away, np.array([4.0, 6.0]))
    assert which.tolist() == [0, 1, 2, 1, 2, 2, 2]
    assert both_directions(away, None)[1] is away
