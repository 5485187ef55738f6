"""Distances on grids: exact on long ways, thin maps and real ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.paths import distance_map
from support import grids, realdata


def test_diagonals_are_exact_however_long_the_way() -> None:
    space = fc.Grid(310, 190, neighbors=8)
    rows, columns = np.mgrid[:190, :310]
    away = (
        np.maximum(rows, columns)
        - np.minimum(rows, columns)
        + np.sqrt(2) * np.minimum(rows, columns)
    )
    found = distance_map(space, (0.5, 0.5)).exact
    assert (np.abs(found - away) <= 2 * np.spacing(away)).all()


def test_a_long_maze_is_right_to_the_last_digits() -> None:
    """Turns of a corridor: 50 turns, thousands of steps, where float32 sums have drifted."""
    walls = np.zeros((101, 64), dtype=bool)
    for row in range(1, 101, 2):
        walls[row] = True
        walls[row, 0 if row % 4 == 1 else -1] = False
    space = fc.Grid(64, 101, walls=walls, neighbors=8, cell_size=0.1)
    assert distance_map(space, (0.05, 0.05)).exact.max(where=~walls, initial=0) == pytest.approx(
        (50 * 63 + 100) * 0.1, rel=1e-15, abs=0
    )


def test_a_torus_is_walked_round() -> None:
    space = fc.Grid(7, 4, wrap=True, neighbors=8)
    values = distance_map(space, (0.5, 0.5)).values
    assert np.array_equal(values[0], [0, 1, 2, 3, 3, 2, 1])
    assert values[3, 6] == np.float32(math.sqrt(2))


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)])
@pytest.mark.parametrize("neighbors", [4, 8, [(2, 0), (-1, 0), (0, 1)]])
def test_thin_maps(shape: tuple[int, int], neighbors: Any) -> None:
    space = fc.Grid(shape[1], shape[0], neighbors=neighbors)
    field = distance_map(space, (0.5, 0.5))
    assert field.values.flat[0] == 0
    assert field.values.shape == shape
    assert len(field.descend((shape[1] - 0.5, shape[0] - 0.5))) in (0, 1, 2, 9)


def test_a_real_map_against_scipy() -> None:
    space = fc.load_map(realdata.folder("gridmaps") / "maps" / "dao" / "den312d.map", neighbors=8)
    goal = int(np.flatnonzero(~space.walls)[700])
    expected = grids.by_scipy(space, np.array([goal]), np.zeros(1), np.ones(space.shape))
    found = distance_map(space, space.position_of(goal)).exact
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-9)
