"""Grids: positions and cells both ways, nearest open cells, walls, coarser grids, links."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space.grid.grid import MAX_CELLS
from fieldcraft.space.wrapping import Wrap
from support.gridded import WALLS, grids
from support.refusals import refused
from support.roads import links, open_cells
from support.worlds import WRAPS


class TestNearestOpen:
    @settings(max_examples=25)
    @given(grids())
    def test_is_the_nearest_and_of_equals_the_first(self, grid: fc.Grid) -> None:
        free = open_cells(grid)
        if not free:
            with refused(InvalidValue, "open cell"):
                grid.nearest_open(0)
            return
        cells = np.arange(len(grid))
        found = grid.nearest_open(cells)
        free_y, free_x = np.divmod(np.array(free), grid.width)
        for cell in cells.tolist():
            y, x = divmod(cell, grid.width)
            dy, dx = abs(free_y - y), abs(free_x - x)
            if grid.wraps_y:
                dy = np.minimum(dy, grid.height - dy)
            if grid.wraps_x:
                dx = np.minimum(dx, grid.width - dx)
            assert found[cell] == free[int(np.argmin(dy * dy + dx * dx))]

    def test_one_cell_gives_an_int(self) -> None:
        grid = fc.Grid(4, 3, walls=WALLS)
        assert grid.nearest_open(2) == 1
        assert isinstance(grid.nearest_open(0), int)
        assert grid.nearest_open([2, 0]).tolist() == [1, 0]


class TestWalls:
    def test_are_its_own_and_read_only(self) -> None:
        mine = WALLS.copy()
        grid = fc.Grid(4, 3, walls=mine)
        mine[:] = False
        np.testing.assert_array_equal(grid.walls, WALLS)
        for array in (grid.walls, grid.links()):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 1

    def test_lists_will_do(self) -> None:
        np.testing.assert_array_equal(fc.Grid(4, 3, walls=WALLS.tolist()).walls, WALLS)

    def test_turned_arrays_are_recognised(self) -> None:
        with refused(InvalidValue, "(3, 4)", "(4, 3)", "transpose"):
            fc.Grid(4, 3, walls=WALLS.T)

    @pytest.mark.parametrize(
        "walls",
        [WALLS[:2], WALLS[0], np.zeros((3, 4, 1), bool), True, [[True], [True, False]]],
        ids=lambda w: str(w)[:20],
    )
    def test_other_shapes(self, walls: object) -> None:
        with refused(InvalidValue, "walls"):
            fc.Grid(4, 3, walls=walls)

    @pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, object, "U1"])
    def test_other_types(self, dtype: object) -> None:
        with refused(InvalidValue, "bool", "dtype"):
            fc.Grid(4, 3, walls=WALLS.astype(dtype))

    def test_another_mobility(self) -> None:
        terrain = fc.Terrain(np.zeros((3, 4), int), [[True]])
        grid = fc.Grid(
            4,
            3,
            walls=WALLS,
            terrain=terrain,
            cell_size=2.0,
            origin=(5, 6),
            y_up=True,
            wrap=True,
            neighbors=[(1, 2), (0, 1)],
        )
        air = grid.with_walls(None)
        assert not air.walls.any()
        assert air.terrain is None
        assert (air.origin, air.cell_size, air.y_up, air.wrap, air.shape) == (
            grid.origin,
            2.0,
            True,
            True,
            (3, 4),
        )
        assert air.neighborhood == grid.neighborhood


class TestLinks:
    @settings(max_examples=25)
    @given(
        grids(6),
        st.sampled_from(
            [4, 8, [(1, 2), (2, 1), (1, 1)], [(3, 0), (0, -2)], [(x, 1) for x in range(-5, 5)]]
        ),
    )
    def test_follow_the_rule(self, grid: fc.Grid, neighbors: object) -> None:
        grid = fc.Grid(
            grid.width,
            grid.height,
            walls=grid.walls,
            wrap=grid.wrap,
            y_up=grid.y_up,
            neighbors=neighbors,
        )
        np.testing.assert_array_equal(grid.links(), links(grid))

    @settings(max_examples=25)
    @given(
        grids(9),
        st.sampled_from([4, 8, [(1, 2), (2, 1), (1, 1)], [(3, 0), (0, -2)]]),
        st.booleans(),
        st.integers(0, 999),
    )
    def test_follow_the_walls_as_they_change(
        self, grid: fc.Grid, neighbors: object, has_terrain: bool, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        terrain = (
            fc.Terrain(rng.integers(0, 2, grid.shape), np.array([[True, False], [True, True]]))
            if has_terrain
            else None
        )
        grid = fc.Grid(
            grid.width,
            grid.height,
            walls=grid.walls,
            wrap=grid.wrap,
            neighbors=neighbors,
            terrain=terrain,
        )
        before = grid.links()
        bits = before.copy()
        for _ in range(4):
            cells = rng.choice(len(grid), min(len(grid), int(rng.integers(1, 4))), replace=False)
            grid.set_walls(cells, bool(rng.integers(2)))
            np.testing.assert_array_equal(grid.links(), links(grid))
        np.testing.assert_array_equal(before, bits)  # whoever holds the old ones keeps them

    def test_a_diagonal_never_cuts_a_corner(self) -> None:
        steps = fc.Neighborhood.of(8).steps
        diagonal = np.uint8(1 << steps.index((1, 1)))
        open_ground, one, both = (
            np.zeros((2, 2), bool),
            np.array([[0, 1], [0, 0]], bool),
            np.array([[0, 1], [1, 0]], bool),
        )
        arrives = [
            bool(fc.Grid(2, 2, walls=walls, neighbors=8).links()[1, 1] & diagonal)
            for walls in (open_ground, one, both)
        ]
        assert arrives == [True, False, False]

    def test_room_for_64_steps(self) -> None:
        grid = fc.Grid(20, 10, neighbors=[(x, y) for x in range(1, 9) for y in range(1, 9)])
        assert grid.links().dtype == np.uint64
        np.testing.assert_array_equal(grid.links(), links(grid))


class TestGrid:
    @pytest.mark.parametrize("size", [0, -1, 1.0, 2.5, True, None, "4", math.nan])
    def test_sizes_are_whole_and_at_least_1(self, size: object) -> None:
        with refused(InvalidValue, "width"):
            fc.Grid(size, 3)
        with refused(InvalidValue, "height"):
            fc.Grid(4, size)

    @pytest.mark.parametrize(("width", "height"), [(10**9, 10**9), (2**28, 2), (2**62, 1)])
    def test_absurd_sizes(self, width: int, height: int) -> None:
        with refused(InvalidValue, f"{MAX_CELLS:,}", f"{width} x {height}"):
            fc.Grid(width, height)

    @pytest.mark.parametrize("cell_size", [0, -1, math.nan, math.inf, "1", None])
    def test_cell_size(self, cell_size: object) -> None:
        with refused(InvalidValue, "cell_size"):
            fc.Grid(4, 3, cell_size=cell_size)

    @pytest.mark.parametrize(
        "origin", [1, (1,), (1, 2, 3), [(1, 2)], (math.nan, 0), ("a", "b")], ids=repr
    )
    def test_origin(self, origin: object) -> None:
        with refused(InvalidValue):
            fc.Grid(4, 3, origin=origin)

    @pytest.mark.parametrize(
        ("cell_size", "origin"),
        [(1e308, (0, 0)), (1, (1e17, 0)), (1, (0, -1e308)), (1e-300, (1, 0))],
    )
    def test_cells_that_float64_cannot_tell_apart(
        self, cell_size: float, origin: tuple[float, float]
    ) -> None:
        with refused(InvalidValue, "float64", "origin"):
            fc.Grid(4, 3, cell_size=cell_size, origin=origin)

    def test_is_a_space(self) -> None:
        assert isinstance(fc.Grid(4, 3), fc.Space)

    def test_says_what_it_is(self) -> None:
        grid = fc.Grid(4, 3, walls=WALLS, cell_size=0.5, y_up=True)
        assert len(grid) == 12
        assert grid.shape == (3, 4)
        assert grid.size == (2.0, 1.5)
        assert repr(grid) == "<Grid 4 x 3, cell_size 0.5, y_up=True, 9 open cells>"


@pytest.mark.parametrize("y_up", [False, True])
@pytest.mark.parametrize("wrap", WRAPS)
def test_one_position_lies_in_the_cell_that_many_lie_in(y_up: bool, wrap: Wrap) -> None:
    rng = np.random.default_rng(5)
    grid = fc.Grid(13, 7, cell_size=0.3, origin=(-2.0, 1.0), y_up=y_up, wrap=wrap)
    points = np.concatenate(
        [
            rng.uniform(-2.5, 2.5, (300, 2)),
            np.array([-2.0, 1.0]) + rng.integers(-1, 9, (100, 2)) * 0.3,
        ]
    )
    many = grid.cell_at(points, outside="clamp")
    for point, cell in zip(points, many.tolist(), strict=True):
        assert (
            grid.cell_at(point, outside="clamp")
            == grid.cell_at(tuple(point.tolist()), outside="clamp")
            == cell
        )
    for odd in ((float("nan"), 1.5), (float("inf"), 1.5), (1e308, -1e308)):
        with pytest.raises(fc.FieldcraftError):
            grid.cell_at(odd)
    with pytest.raises(fc.FieldcraftError):
        grid.cell_at((-1.0, 1.5), outside="near")


def test_walls_alone_give_the_size() -> None:
    grid = fc.Grid(walls=[[0, 0, 1], [0, 1, 0]], cell_size=2.0)
    assert (grid.width, grid.height) == (3, 2)
    assert grid.walls.tolist() == [[False, False, True], [False, True, False]]
    for wrong in ({}, {"width": 3}, {"walls": True}, {"width": 3, "walls": np.zeros((2, 3), bool)}):
        with refused(InvalidValue, "width and height", "fc.Grid(walls=array)"):
            fc.Grid(**wrong)


def test_grids_of_other_steps_or_terrain_differ() -> None:
    classes = np.array([[0, 1, 0], [0, 0, 1]])
    terrain, other = (fc.Terrain(classes, [[True, back], [True, True]]) for back in (True, False))
    grids = [
        fc.Grid(3, 2, neighbors=8),
        fc.Grid(3, 2),
        fc.Grid(3, 2, neighbors=8, corners="cut"),
        fc.Grid(3, 2, terrain=terrain, neighbors=8),
        fc.Grid(3, 2, terrain=other, neighbors=8),
    ]
    assert [one == two for one in grids for two in grids].count(True) == len(grids)


@pytest.mark.parametrize("y_up", [False, True])
def test_the_centers_of_no_cell_are_nan(y_up: bool) -> None:
    grid = fc.Grid(5, 3, cell_size=2, origin=(-1, 7), y_up=y_up)
    cells = np.array([0, 7, -1, 14])
    centers = grid._centers_of(cells)
    np.testing.assert_array_equal(centers[[0, 1, 3]], grid.position_of([0, 7, 14]))
    assert np.isnan(centers[2]).all()
    assert centers[0].tolist() == [0, 12 if y_up else 8]


def test_a_coarser_grid_has_a_new_version_when_walls_of_the_finer_one_change() -> None:
    fine = fc.Grid(6, 4)
    coarse = fine.coarser(2)
    version = coarse.walls_version
    fine.set_walls([0, 1, 6, 7])
    assert coarse.walls_version > version
    assert coarse.walls_changed(version).tolist() == [0]
    assert coarse.walls.sum() == 1
    distances = fc.distance_map(coarse, (5, 1))
    distances.values
    fine.set_walls([0, 1, 6, 7], blocked=False)
    assert distances.outdated
