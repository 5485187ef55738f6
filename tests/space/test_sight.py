"""How far sight reaches."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc


def test_an_infinite_radius_sees_as_far_as_the_map_goes() -> None:
    walls = np.zeros((7, 30), dtype=bool)
    walls[2:5, 12] = True
    grid = fc.Grid.from_walls(walls, cell_size=3.0)
    np.testing.assert_array_equal(fc.visible(grid, (1, 10), np.inf), fc.visible(grid, (1, 10), 1e4))
    assert fc.visible(grid, (1, 1), np.inf)[0, 29]
    assert fc.sees(grid, (1, 1), (89, 1), np.inf).tolist() == [[True]]
    with pytest.raises(fc.InvalidValue):
        fc.visible(grid, (1, 10), -np.inf)
