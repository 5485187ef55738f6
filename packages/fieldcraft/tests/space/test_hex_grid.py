"""Hexagons: their coordinates, their places, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.examples import examples
from support.refusals import refused

hexes = st.builds(
    lambda columns, rows, orientation, y_up, wrap: fc.HexGrid(
        columns * 2 if wrap else columns,
        rows * 2 if wrap else rows,
        orientation=orientation,
        y_up=y_up,
        wrap=wrap,
        size=0.7,
        origin=(3, -2),
    ),
    st.integers(1, 7),
    st.integers(1, 6),
    st.sampled_from(["pointy", "flat"]),
    st.booleans(),
    st.booleans(),
)


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


@given(hexes, st.integers(0, 2**16))
def test_steps_between_are_those_of_open_ground(grid: fc.HexGrid, seed: int) -> None:
    start = seed % len(grid)
    layer = fc.InfluenceMap(grid).add_layer("f", fc.Flood(cooling=0.0))
    layer.deposit(grid.position_of(start), 1.0)
    for steps in range(3):
        far = np.asarray(grid.steps_between(start, np.arange(len(grid))))
        assert (layer.values.reshape(-1) > 0).tolist() == (far <= steps).tolist()
        layer.step()


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


def test_y_up_turns_rows_and_no_position() -> None:
    down, up = fc.HexGrid(4, 3), fc.HexGrid(4, 3, y_up=True)
    assert down.positions[:4].tolist() == up.positions[8:].tolist()
    assert up.from_offset((1, 0)) == 9


def test_terrain_leads_one_way_and_walls_stay() -> None:
    classes = np.array([[0, 0, 1, 1], [0, 0, 2, 1], [0, 0, 1, 1]])
    enter = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]], dtype=np.bool_)
    grid = fc.HexGrid(4, 3, terrain=fc.Terrain(classes, enter, ["high", "low", "rock"]))
    assert grid.walls[1, 2] and grid.graph.directed
    assert fc.shortest_path(grid, grid.position_of(0), grid.position_of(3)).found
    assert not fc.shortest_path(grid, grid.position_of(3), grid.position_of(0)).found
    with refused(InvalidValue, "Impassable terrain", "cell 6"):
        grid.set_walls([6], False)
    twin = fc.HexGrid(4, 3, terrain=grid.terrain)
    assert grid.same_cells(twin) and not grid.same_cells(fc.HexGrid(4, 3, orientation="flat"))


def test_a_river_between_hexagons_is_a_closed_edge() -> None:
    grid = fc.HexGrid(3, 1)
    assert grid.neighbors_of(0).tolist() == [1]
    before = grid.walls_version
    grid.graph.set_edges((0, 1))
    assert grid.neighbors_of(0).tolist() == [] and grid.walls_version > before


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("columns", {"columns": 0}),
        ("orientation", {"orientation": "round"}),
        ("size", {"size": -1}),
        ("even number of rows", {"rows": 3, "wrap": True}),
        ("even number of columns", {"columns": 3, "wrap": True, "orientation": "flat"}),
        ("transpose", {"walls": np.zeros((4, 2), dtype=np.bool_)}),
        ("walls are an array of bool", {"walls": np.zeros((2, 4))}),
        ("fieldcraft.Terrain", {"terrain": "grass"}),
        ("pair of finite", {"origin": (1, float("nan"))}),
        ("float64", {"origin": (1e30, 0)}),
    ],
)
def test_refuses(what: str, options: dict[str, object]) -> None:
    with refused(InvalidValue, what):
        fc.HexGrid(**({"columns": 4, "rows": 2} | options))  # type: ignore[arg-type]


def test_refuses_what_lies_beyond() -> None:
    grid = fc.HexGrid(4, 2)
    with refused(OutsideMap, "hexagon of the map", "at index 1"):
        grid.cell_at([(1.0, 1.0), (99.0, 0.0)])
    with refused(OutsideMap, "Columns lie in 0 to 3", "column 4"):
        grid.from_offset((4, 0))
    with refused(OutsideMap, "Cells lie in 0 to 7"):
        grid.position_of(8)
    with refused(InvalidValue, "Axial coordinates are 2 whole numbers"):
        grid.from_axial((0.5, 1))
    torus = fc.HexGrid(4, 2, wrap=True)
    with refused(InvalidValue, "A shot runs along straight lines", "wrap=True"):
        fc.incoming(torus, (1, 1), (2, 1), speed=1)
    with refused(InvalidValue, "needs a grid"):
        fc.InfluenceMap(grid).add_layer("coarse", fc.Spread(0.1, 0.5), cell_size=2.0)
