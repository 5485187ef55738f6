"""What grids of squares and of hexagons have in common: text, differences and walls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.refusals import refused

Rows = fc.Grid | fc.HexGrid


def test_the_text_says_what_is_not_usual() -> None:
    assert repr(fc.Grid(4, 3)) == "<Grid 4 x 3, cell_size 1, 12 open cells>"
    torus = fc.HexGrid(4, 2, y_up=True, wrap=True, walls=[[0, 1, 0, 0], [0, 0, 0, 0]])
    assert repr(torus) == "<HexGrid 4 x 2, pointy, size 1, y_up=True, wrap=True, 7 open cells>"


@pytest.mark.parametrize("space", [fc.Grid(4, 3), fc.HexGrid(4, 3)], ids=repr)
def test_places_of_cells_in_words(space: Rows) -> None:
    assert space.describe(6) == "row 1, column 2 (cell 6)"
    assert space.describe().startswith("4 x 3")
    with refused(InvalidValue, "below 12"):
        space.describe(12)


def test_the_first_difference_is_named() -> None:
    grid = fc.Grid(4, 3)
    assert grid.describe_difference(fc.Grid(4, 3, walls=np.ones((3, 4), bool))) == ""
    found = grid.describe_difference(fc.Grid(4, 3, cell_size=2.0, y_up=True))
    assert found == "with cell_size 2.0 on a space with cell_size 1.0"
    hexes = fc.HexGrid(4, 3)
    found = hexes.describe_difference(fc.HexGrid(4, 3, orientation="flat"))
    assert found == "with orientation flat on a space with orientation pointy"
    assert grid.describe_difference(hexes) == f"on {hexes!r}"
    assert hexes.describe_difference(grid) == f"on {grid!r}"


@pytest.mark.parametrize(
    "space", [fc.Grid(4, 2, wrap=True), fc.HexGrid(4, 2, wrap=True, origin=(3, 1))], ids=repr
)
def test_positions_come_back_onto_a_torus(space: Rows) -> None:
    center = space.position_of(5)
    assert space.period is not None
    np.testing.assert_allclose(space.wrapped(center + 2 * space.period), center)
    plain = fc.Grid(4, 2)
    assert plain.wrapped(center + 9).tolist() == (center + 9).tolist()
    waypoints = fc.Graph([(0, 0), (4, 0)], [(0, 1)])
    for each in (plain, plain.to_graph(), fc.HexGrid(4, 2), waypoints):
        listed: Any = [[1, 2], [3, 2]]
        assert each.wrapped(listed).dtype == np.float64
        assert each.wrapped(listed).tolist() == listed


@pytest.mark.parametrize("kind", [fc.Grid, fc.HexGrid])
def test_walls_and_terrain_are_checked(kind: type[Rows]) -> None:
    terrain = fc.Terrain([[0, 1, 0], [0, 0, 0]], [[True, True], [True, False]])
    space = kind(3, 2, walls=[[1, 0, 0], [0, 0, 0]], terrain=terrain)
    assert space.walls.tolist() == [[True, True, False], [False, False, False]]
    space.set_walls(0, blocked=False)
    with refused(InvalidValue, "Impassable terrain", "cell 1"):
        space.set_walls([1, 2], blocked=False)
    with refused(OutsideMap, "0 to 5"):
        space.set_walls(6)
    with refused(InvalidValue, "fieldcraft.Terrain"):
        kind(3, 2, terrain=[[0]])  # type: ignore[arg-type]
    with refused(InvalidValue, "classes of a terrain"):
        kind(2, 3, terrain=terrain)


@pytest.mark.parametrize("kind", [fc.Grid, fc.HexGrid])
def test_cells_are_not_too_small_for_their_coordinates(kind: type[Rows]) -> None:
    with refused(InvalidValue, "large enough for a float64"):
        kind(3, 2, origin=(1e16, 0))
