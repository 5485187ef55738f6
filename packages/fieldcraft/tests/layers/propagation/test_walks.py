"""Walks over a space at one moment, and the cells that are found on them."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.layers.propagation.radial.walks import (
    FieldOfView,
    Found,
    counted_walk,
    rounded_radius,
    squared_offsets,
)


def test_what_rounding_puts_beyond_a_radius_is_at_it() -> None:
    cells = np.array([3, 4, 5])
    found = Found.within(2.0, 2.0 + 1e-9, cells, np.array([1.0, 4.0 + 1e-9, 9.0]))
    assert found.cells.tolist() == [3, 4]
    assert found.shares.tolist() == [0.5, 1.0]


def test_a_radius_of_three_cells_is_three() -> None:
    assert rounded_radius(0.3 / 0.1) == 3.0
    assert rounded_radius(2.5) == 2.5
    assert counted_walk(3.0) > 3.0
    assert counted_walk(3.0) == pytest.approx(3.0, rel=1e-4)


def test_offsets_are_the_short_way_around_a_torus() -> None:
    torus = fc.Grid(6, 4, wrap=True)
    places = np.array([[0.5, 0.5], [2.5, 0.5]])
    assert squared_offsets(torus, places, np.array([5.5, 0.5])).tolist() == [1, 9]
    plain = fc.Grid(6, 4)
    assert squared_offsets(plain, places, np.array([5.5, 0.5])).tolist() == [25, 9]


def test_a_field_of_view_follows_opaque_cells() -> None:
    grid = fc.Grid(walls=[[0, 0, 1, 0], [0, 0, 0, 0]])
    view = FieldOfView()
    given = (False, 0, 5.0, 5.0)
    found = view.cells(grid.walls, grid.walls, *given)
    expected = np.flatnonzero(fc.visible(grid, (0.5, 0.5), 5.0))
    assert found.cells.tolist() == expected.tolist()
    grid.set_opaque(2, opaque=False)
    grid.set_opaque(5)
    found = view.cells(grid.walls, grid.opaque, *given)
    expected = np.flatnonzero(fc.visible(grid, (0.5, 0.5), 5.0))
    assert found.cells.tolist() == expected.tolist()
