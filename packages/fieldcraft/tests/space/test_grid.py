"""Grids: positions and cells both ways, nearest open cells, walls, coarser grids, links."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space.grid.grid import MAX_CELLS
from support.refusals import refused
from support.roads import links, open_cells

WALLS = np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=bool)


def grids(most: int = 9) -> st.SearchStrategy[fc.Grid]:
    """Grids of any kind, without terrain."""

    def build(
        width: int,
        height: int,
        seed: int,
        share: float,
        cell_size: float,
        origin: tuple[float, float],
        y_up: bool,
        wrap: bool,
    ) -> fc.Grid:
        walls = np.random.default_rng(seed).random((height, width)) < share
        return fc.Grid(
            width, height, cell_size=cell_size, origin=origin, y_up=y_up, wrap=wrap, walls=walls
        )

    return st.builds(
        build,
        st.integers(1, most),
        st.integers(1, most),
        st.integers(0, 999),
        st.sampled_from([0.0, 0.3, 0.9]),
        st.sampled_from([1.0, 0.1, 1 / 3, 7.0, 32.0, 1e-6]),
        st.tuples(st.sampled_from([0.0, -17.3, 0.1, 2e5]), st.sampled_from([0.0, -0.7, 1e-9, 3e4])),
        st.booleans(),
        st.booleans(),
    )


class TestPositions:
    @given(grids())
    def test_centre_of_a_cell_lies_in_it(self, grid: fc.Grid) -> None:
        cells = np.arange(len(grid))
        centers = grid.position_of(cells)
        assert centers.shape == (len(grid), 2)
        np.testing.assert_array_equal(grid.cell_at(centers), cells)

    @given(grids())
    def test_one_and_many_agree(self, grid: fc.Grid) -> None:
        cell = len(grid) // 2
        position = grid.position_of(cell)
        assert position.shape == (2,)
        np.testing.assert_array_equal(position, grid.position_of([cell])[0])
        assert isinstance(grid.cell_at(position), int)
        assert grid.cell_at(tuple(position)) == grid.cell_at(position[np.newaxis])[0]

    def test_row_0_is_the_top(self) -> None:
        down = fc.Grid(4, 3, cell_size=2.0, origin=(10, 20))
        assert down.position_of(0).tolist() == [11, 21]
        assert down.position_of(11).tolist() == [17, 25]
        up = fc.Grid(4, 3, cell_size=2.0, origin=(10, 20), y_up=True)
        assert up.position_of(0).tolist() == [11, 25]
        assert up.position_of(11).tolist() == [17, 21]

    @pytest.mark.parametrize("y_up", [False, True])
    def test_a_cell_covers_its_left_and_lower_y_edges(self, y_up: bool) -> None:
        grid = fc.Grid(4, 3, y_up=y_up)
        corner = grid.cell_at((0.5, 0.5))
        assert grid.cell_at((0, 0)) == corner
        assert grid.cell_at((math.nextafter(1, 0), math.nextafter(1, 0))) == corner
        assert grid.cell_at((1, 0)) == corner + 1
        assert grid.cell_at((0, 1)) == corner + (-4 if y_up else 4)

    @pytest.mark.parametrize(
        "position",
        [(-1e-9, 1), (4, 1), (1, -1e-9), (1, 3), (1e300, 0), (0, -1e300), (1.7e308, 1.7e308)],
        ids=repr,
    )
    def test_outside_is_refused_or_clamped(self, position: tuple[float, float]) -> None:
        grid = fc.Grid(4, 3)
        with refused(OutsideMap, str(tuple(float(x) for x in position)), "clamp", "(4.0, 3.0)"):
            grid.cell_at(position)
        with refused(OutsideMap, "at index 1"):
            grid.cell_at([(0, 0), position])
        x, y = min(max(position[0], 0), 3.5), min(max(position[1], 0), 2.5)
        assert grid.cell_at(position, outside="clamp") == grid.cell_at((x, y))

    def test_a_torus_has_no_outside(self) -> None:
        grid = fc.Grid(4, 3, wrap=True, cell_size=0.5, origin=(1, 1))
        at = grid.cell_at((1.25, 1.25))
        assert grid.cell_at((1.25 - 2 * 5, 1.25 + 1.5 * 7)) == at
        assert grid.cell_at([(1.25 + 2, 1.25 - 1.5)]).tolist() == [at]
        assert 0 <= grid.cell_at((1e300, -1e300)) < 12
        with refused(OutsideMap, "1.7e+308"):
            grid.cell_at((1.7e308, 0))

    @pytest.mark.parametrize("wrap", [False, True])
    def test_the_short_way_ends_where_the_long_one_does(self, wrap: bool) -> None:
        grid = fc.Grid(4, 3, wrap=wrap, cell_size=0.5, origin=(1, 1))  # 2 by 1.5
        ways = np.array(
            [[0.25, 0.5], [1.25, -1.0], [-3.75, 3.25], [1.0, -0.75], [-1.0, 0.75], [0.0, 0.0]]
        )
        found = grid.shortest_vectors(ways)
        expected = (
            [[0.25, 0.5], [-0.75, 0.5], [0.25, 0.25], [1.0, -0.75], [-1.0, 0.75], [0.0, 0.0]]
            if wrap
            else ways.tolist()
        )
        assert found.tolist() == expected
        assert (
            grid.shortest_vectors(ways.reshape(2, 3, 2)).tolist() == found.reshape(2, 3, 2).tolist()
        )
        assert grid.shortest_vectors(ways[1]).tolist() == found[1].tolist()
        assert grid.shortest_vectors([[3, 0]]).tolist() == [[-1.0 if wrap else 3.0, 0.0]]
        for wrong in ([1.0, 2.0, 3.0], 5, [["a", "b"]]):
            with refused(InvalidValue, "Vectors are (x, y) pairs"):
                grid.shortest_vectors(wrong)

    @pytest.mark.parametrize("outside", ["Clamp", "wrap", None, True])
    def test_unknown_policy(self, outside: object) -> None:
        with refused(InvalidValue, "'refuse', 'clamp'"):
            fc.Grid(4, 3).cell_at((0, 0), outside=outside)

    def test_no_positions_no_cells(self) -> None:
        grid = fc.Grid(4, 3)
        assert grid.cell_at([]).shape == (0,)
        assert grid.position_of([]).shape == (0, 2)
        assert grid.nearest_open([]).shape == (0,)

    @pytest.mark.parametrize("cells", [-1, 12, [0, 12], [-1], np.uint64(2**63), [2**62]], ids=repr)
    def test_cells_off_the_map(self, cells: object) -> None:
        for call in (fc.Grid(4, 3).position_of, fc.Grid(4, 3).nearest_open):
            with refused(OutsideMap, "0 to 11"):
                call(cells)

    @pytest.mark.parametrize("cells", [1.0, "1", True, None, [[0]], [[0], [0, 1]], [1.5]], ids=repr)
    def test_what_is_no_cell(self, cells: object) -> None:
        for call in (fc.Grid(4, 3).position_of, fc.Grid(4, 3).nearest_open):
            with refused(InvalidValue, "Cells"):
                call(cells)


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
            if grid.wrap:
                dy, dx = np.minimum(dy, grid.height - dy), np.minimum(dx, grid.width - dx)
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


class TestCoarser:
    @settings(max_examples=25)
    @given(grids(13), st.integers(1, 15))
    def test_every_open_position_stays_open(self, grid: fc.Grid, factor: int) -> None:
        if grid.wrap and (grid.width % factor or grid.height % factor):
            with refused(InvalidValue, "torus", "multiple"):
                grid.coarser(factor * grid.cell_size)
            return
        coarse = grid.coarser(factor * grid.cell_size)
        assert coarse.shape == (-(-grid.height // factor), -(-grid.width // factor))
        assert coarse.origin == grid.origin
        assert coarse.cell_size == pytest.approx(factor * grid.cell_size)
        # A coarse cell is open exactly if one of the cells in it is.
        found = coarse.cell_at(grid.position_of(np.arange(len(grid))))
        is_open = np.zeros(len(coarse), bool)
        np.logical_or.at(is_open, found, ~grid.walls.reshape(-1))
        np.testing.assert_array_equal(is_open, ~coarse.walls.reshape(-1))

    def test_the_same_size_is_the_same_grid(self) -> None:
        grid = fc.Grid(4, 3)
        assert grid.coarser(1) is grid

    def test_keeps_its_neighborhood(self) -> None:
        grid = fc.Grid(6, 4, neighbors=[(1, 2), (-1, 0)], y_up=True)
        assert grid.coarser(2).neighborhood == grid.neighborhood

    @pytest.mark.parametrize(
        "cell_size", [0.5, 1.5, 2.0000001, 0, -1, math.nan, math.inf, "2", None, True], ids=repr
    )
    def test_other_sizes(self, cell_size: object) -> None:
        with refused(InvalidValue, "cell_size"):
            fc.Grid(4, 3).coarser(cell_size)

    def test_small_units_are_no_excuse(self) -> None:
        with refused(InvalidValue, "multiple"):
            fc.Grid(4, 3, cell_size=1e-9).coarser(1.5e-9)

    def test_absurd_sizes_cost_nothing(self) -> None:
        assert fc.Grid(4, 3, walls=WALLS).coarser(1e9).walls.tolist() == [[False]]
        with refused(InvalidValue, "multiple"):
            fc.Grid(4, 3, cell_size=1e-300).coarser(1e300)


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
@pytest.mark.parametrize("wrap", [False, True])
def test_one_position_lies_in_the_cell_that_many_lie_in(y_up: bool, wrap: bool) -> None:
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
