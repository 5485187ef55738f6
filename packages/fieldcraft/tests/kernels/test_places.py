"""Cells of world positions on grids of squares, against arithmetic on whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import OutsideMap
from support.worlds import WRAPS

GRIDS = st.builds(
    fc.Grid,
    width=st.integers(1, 9),
    height=st.integers(1, 9),
    cell_size=st.sampled_from([1.0, 0.3, 2.5]),
    origin=st.sampled_from([(0.0, 0.0), (-3.7, 11.1)]),
    y_up=st.booleans(),
    wrap=st.sampled_from(WRAPS),
)
NUMBERS = st.one_of(
    st.floats(-30, 30),
    st.sampled_from([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e308, -1e308, 5e-324]),
)
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=6).map(
    lambda pairs: np.array(pairs, dtype=np.float64).reshape(-1, 2)
)


def expected_cells(grid: fc.Grid, points: NDArray[np.float64], clamp: bool) -> NDArray[np.int64]:
    """The cells of positions, -1 for those that are refused."""
    with np.errstate(all="ignore"):
        columns = np.floor((points[:, 0] - grid.origin[0]) / grid.cell_size)
        rows = np.floor((points[:, 1] - grid.origin[1]) / grid.cell_size)
        refused = ~np.isfinite(points).all(axis=1)
        if grid.wraps_x:
            refused |= ~np.isfinite(columns)
            columns = np.mod(columns, grid.width)
        elif clamp:
            columns = np.clip(columns, 0, grid.width - 1)
        if grid.wraps_y:
            refused |= ~np.isfinite(rows)
            rows = np.mod(rows, grid.height)
        elif clamp:
            rows = np.clip(rows, 0, grid.height - 1)
        refused |= (columns < 0) | (columns >= grid.width) | (rows < 0) | (rows >= grid.height)
        if grid.y_up:
            rows = grid.height - 1 - rows
        cells = np.where(refused, -1, rows * grid.width + columns)
    return cells.astype(np.int64)


@given(GRIDS, POINTS, st.booleans(), st.integers(0, 2**16))
def test_cells(grid: fc.Grid, points: NDArray[np.float64], clamp: bool, seed: int) -> None:
    cells = expected_cells(grid, points, clamp)
    walls: Any = np.random.default_rng(seed).random(len(grid)) < 0.2
    found = np.empty(len(points), dtype=np.int64)
    for blocked in (None, walls):
        wrong = cells < 0
        if blocked is not None:
            wrong |= blocked[cells]
        first = int(wrong.argmax()) if wrong.any() else -1
        arguments = points, blocked, grid.layout.frame, clamp, found
        assert kernels.shared.places.cells(*arguments) == first
        if first < 0:
            assert found.tolist() == cells.tolist()


@given(GRIDS, POINTS)
def test_columns_and_rows(grid: fc.Grid, points: NDArray[np.float64]) -> None:
    with np.errstate(all="ignore"):
        places = (points - grid.origin) / grid.cell_size
        size = (grid.width, grid.height)
        wraps = [grid.wraps_x, grid.wraps_y]
        expected = np.where(wraps, np.mod(places, size), np.clip(places, 0, size))
    wrong = ~np.isfinite(places).all(axis=1)
    first = int(wrong.argmax()) if wrong.any() else -1
    found = np.empty_like(points)
    assert kernels.shared.places.columns_and_rows(points, grid.layout.frame, found) == first
    if first < 0:
        assert np.array_equal(found, expected)


@given(GRIDS, st.integers(0, 2**16))
def test_centers(grid: fc.Grid, seed: int) -> None:
    cells = np.random.default_rng(seed).integers(-1, len(grid), 5)
    points = grid._centers_of(cells)
    found = cells >= 0
    assert np.array_equal(points[found], grid.position_of(cells[found]).reshape(-1, 2))
    assert np.isnan(points[~found]).all()


@given(GRIDS, POINTS, st.sampled_from(["refuse", "clamp"]))
def test_arrays_and_lists_have_the_same_cells_and_errors(
    grid: fc.Grid, points: NDArray[np.float64], outside: str
) -> None:
    results: list[Any] = []
    for positions in (points, [tuple(pair) for pair in points.tolist()]):
        try:
            results.append(np.asarray(grid.cell_at(positions, outside=outside)).tolist())
        except fc.errors.FieldcraftError as error:
            results.append((type(error), str(error)))
    assert results[0] == results[1]


@pytest.mark.parametrize("outside", ["elsewhere", 3, ["clamp"], np.array(["clamp"])])
def test_other_words_are_refused(outside: Any) -> None:
    grid = fc.Grid(5, 3)
    points = np.array([(0.5, 0.5), (1.5, 2.5)])
    assert grid._quick_cells(points, outside) is None
    with pytest.raises(fc.errors.InvalidValue, match="outside is one of 'refuse', 'clamp'"):
        grid.cell_at(points, outside=outside)


def test_the_first_of_several_positions_off_the_map_is_named() -> None:
    with pytest.raises(OutsideMap, match=r"\(7\.5, 0\.5\) at index 1"):
        fc.Grid(5, 3).cell_at(np.array([(0.5, 0.5), (7.5, 0.5), (9.5, 0.5)]))
