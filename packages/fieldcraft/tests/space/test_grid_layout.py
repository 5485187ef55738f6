"""Grids: coarser cells, and positions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space.wrapping import Wrap
from support.gridded import WALLS, grids
from support.refusals import refused
from support.worlds import WRAPS


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

    @pytest.mark.parametrize("wrap", WRAPS)
    def test_the_short_way_ends_where_the_long_one_does(self, wrap: Wrap) -> None:
        grid = fc.Grid(4, 3, wrap=wrap, cell_size=0.5, origin=(1, 1))  # 2 by 1.5
        ways = np.array(
            [[0.25, 0.5], [1.25, -1.0], [-3.75, 3.25], [1.0, -0.75], [-1.0, 0.75], [0.0, 0.0]]
        )
        found = grid.shortest_vectors(ways)
        around = np.array(
            [[0.25, 0.5], [-0.75, 0.5], [0.25, 0.25], [1.0, -0.75], [-1.0, 0.75], [0.0, 0.0]]
        )
        expected = np.where([grid.wraps_x, grid.wraps_y], around, ways)
        assert found.tolist() == expected.tolist()
        assert (
            grid.shortest_vectors(ways.reshape(2, 3, 2)).tolist() == found.reshape(2, 3, 2).tolist()
        )
        assert grid.shortest_vectors(ways[1]).tolist() == found[1].tolist()
        assert grid.shortest_vectors([[3, 0]]).tolist() == [[-1.0 if grid.wraps_x else 3.0, 0.0]]
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


class TestCoarser:
    @settings(max_examples=25)
    @given(grids(13), st.integers(1, 15))
    def test_every_open_position_stays_open(self, grid: fc.Grid, factor: int) -> None:
        uneven_x = grid.wraps_x and grid.width % factor
        uneven_y = grid.wraps_y and grid.height % factor
        if uneven_x or uneven_y:
            with refused(InvalidValue, "evenly", "multiple"):
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
