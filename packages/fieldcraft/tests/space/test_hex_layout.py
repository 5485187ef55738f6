"""Coordinates of hexagons."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from support.hexes import hexes


@given(hexes)
def test_coordinates_lead_there_and_back(grid: fc.HexGrid) -> None:
    ids = np.arange(len(grid))
    for there, back in (
        ("to_offset", "from_offset"),
        ("to_axial", "from_axial"),
    ):
        assert getattr(grid, back)(getattr(grid, there)(ids)).tolist() == ids.tolist()
        assert getattr(grid, back)(getattr(grid, there)(0)) == 0
    assert grid.cell_at(grid.position_of(ids)).tolist() == ids.tolist()  # type: ignore[union-attr]


@given(hexes, st.integers(0, 2**16))
def test_a_position_is_in_the_cell_with_the_nearest_middle(grid: fc.HexGrid, seed: int) -> None:
    points = np.random.default_rng(seed).uniform(*grid.extent, (40, 2))
    middles = grid.position_of(np.arange(len(grid)))
    legs = grid.shortest_vectors((points[:, np.newaxis] - middles).reshape(-1, 2)).reshape(
        len(points), len(middles), 2
    )
    away = np.hypot(legs[..., 0], legs[..., 1])
    cells = np.asarray(grid.cell_at(points, outside="clamp"))
    np.testing.assert_allclose(away[np.arange(len(points)), cells], away.min(axis=1), atol=1e-9)
    inside = (
        away.min(axis=1) < grid.size * math.sqrt(3) / 2 - 1e-9
    )  # within the circle that a hexagon holds
    assert np.asarray(grid.cell_at(points[inside])).tolist() == cells[inside].tolist()


@given(hexes, st.integers(0, 2**16))
def test_steps_between_are_those_of_open_ground(grid: fc.HexGrid, seed: int) -> None:
    start = seed % len(grid)
    layer = fc.InfluenceMap(grid).add_layer("f", fc.Flood(cooling=0.0))
    layer.deposit(grid.position_of(start), 1.0)
    for steps in range(3):
        far = np.asarray(grid.steps_between(start, np.arange(len(grid))))
        assert (layer.values.reshape(-1) > 0).tolist() == (far <= steps).tolist()
        layer.step()
