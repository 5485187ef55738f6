"""Hexagons: their coordinates, their places, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.refusals import refused


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


@pytest.mark.parametrize("orientation", ["pointy", "flat"])
@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (4, 1), (1, 3), (4, 3)])
def test_the_extent_is_the_box_around_all_hexagons(
    orientation: str, columns: int, rows: int
) -> None:
    hexes = fc.HexGrid(columns, rows, orientation=orientation, size=2.0, origin=(3.0, -1.0))
    narrow = np.sqrt(3.0)  # from the center to a side; to a corner it is 2
    if orientation == "pointy":
        reach = np.array([narrow, 2.0])
    else:
        reach = np.array([2.0, narrow])
    low, high = hexes.extent
    np.testing.assert_allclose(low, hexes.positions.min(axis=0) - reach)
    np.testing.assert_allclose(high, hexes.positions.max(axis=0) + reach)
