"""The graph of a grid of hexagons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

import fieldcraft as fc
from support.examples import examples
from support.hexes import hexes


@examples(14)
@given(hexes)
def test_neighbors_lie_one_step_away_all_round(grid: fc.HexGrid) -> None:
    for cell in range(len(grid)):
        away = np.hypot(*grid.offsets_from(grid.position_of(cell)).T)
        beside = np.flatnonzero(np.abs(away - math.sqrt(3) * grid.size) < 1e-9)
        assert set(grid.neighbors_of(cell).tolist()) >= set(beside.tolist())
        if grid.wrap and min(grid.shape) > 2:
            assert len(grid.neighbors_of(cell)) == 6
        assert len(grid.neighbors_of(cell)) <= 6
        assert all(
            grid.steps_between(cell, other) == 1 for other in grid.neighbors_of(cell).tolist()
        )


def test_shape_area_and_box() -> None:
    grid = fc.HexGrid(5, 3, size=2.0)
    assert grid.shape == (3, 5) and grid.walls.shape == (3, 5) and len(grid) == 15
    np.testing.assert_allclose(grid.extent, [[0, 0], [5.5 * 2 * math.sqrt(3), 2 * (1.5 * 3 + 0.5)]])
    assert grid.areas.tolist() == [pytest.approx(1.5 * math.sqrt(3) * 4)] * 15
    assert grid.graph.mesh is not None
    np.testing.assert_allclose(grid.graph.mesh.areas, grid.areas)
    np.testing.assert_allclose(grid.graph.mesh.centers, grid.positions)
    assert len(grid.graph.mesh.neighbors()[0]) == len(grid.graph.edges)
    assert repr(grid) == "<HexGrid 5 x 3, pointy, size 2, 15 open cells>"


def test_a_river_between_hexagons_is_a_closed_edge() -> None:
    grid = fc.HexGrid(3, 1)
    assert grid.neighbors_of(0).tolist() == [1]
    before = grid.walls_version
    grid.graph.set_edges((0, 1))
    assert grid.neighbors_of(0).tolist() == [] and grid.walls_version > before
