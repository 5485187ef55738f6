"""Connected components, against SciPy's labels, and their central cells."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.space.components import by_area, central_cells, components

WALLS = np.random.default_rng(3).random((9, 14)) < 0.4
GRID = fc.Grid(walls=WALLS)


def test_they_are_those_of_scipy_in_the_order_of_their_lowest_cells() -> None:
    found = components(GRID.adjacency, WALLS, ~WALLS).reshape(WALLS.shape)
    labels, count = ndimage.label(~WALLS)
    assert (found == labels - 1).all() and found.max() == count - 1


def test_cells_of_other_groups_are_not_connected() -> None:
    groups = np.zeros(WALLS.shape, dtype=np.int64)
    groups[:, 7:] = 1
    groups[0] = -1
    found = components(GRID.adjacency, WALLS, groups).reshape(WALLS.shape)
    assert (found[0] == -1).all() and (found[WALLS] == -1).all()
    assert not set(found[1:, :7][~WALLS[1:, :7]]) & set(found[1:, 7:][~WALLS[1:, 7:]])


def test_the_largest_area_comes_first() -> None:
    numbers = np.array([0, 0, 1, 2, -1, 2])
    areas = np.array([1.0, 1.0, 5.0, 1.0, 9.0, 1.0])
    assert by_area(areas, numbers).tolist() == [1, 1, 0, 2, -1, 2]
    assert by_area(areas, np.full(6, -1)).tolist() == [-1] * 6


def test_the_central_cell_is_nearest_to_the_middle() -> None:
    positions = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (5.0, 5.0), (5.0, 7.0)])
    cells = np.array([7, 3, 9, 2, 1])
    assert central_cells(positions, cells, np.array([0, 0, 0, 1, 1]), 2).tolist() == [3, 1]
