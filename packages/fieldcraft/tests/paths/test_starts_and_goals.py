"""The cells of the positions where paths start and end, and the errors for others."""

from __future__ import annotations

import math

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.paths.starts_and_goals import (
    moved,
    resolve_cells,
    resolve_pairs,
    unique_goals,
)

WALLS = np.array(
    [
        [0, 1, 1, 0],
        [1, 1, 0, 0],
        [0, 1, 1, 0],
    ],
    dtype=np.bool_,
)
"""Cell 5, at (1.5, 1.5), is a wall: cell 0 touches it at a corner, cell 6 lies beside it."""


@pytest.fixture(params=["grid", "squares"])
def space(request: pytest.FixtureRequest) -> fc.Space:
    grid = fc.Grid(walls=WALLS)
    if request.param == "squares":
        return grid.to_graph()
    return grid


@pytest.mark.parametrize("as_array", [False, True])
def test_positions_become_cells(as_array: bool) -> None:
    grid = fc.Grid(walls=WALLS)
    one = (3.5, 0.5)
    many = [(3.5, 0.5), (2.5, 1.5)]
    given = (np.array(one), np.array(many)) if as_array else (one, many)
    cells, single = resolve_cells(grid, grid.walls, "goal", given[0])
    assert (cells.tolist(), single) == ([3], True)
    cells, single = resolve_cells(grid, grid.walls, "goal", given[1])
    assert (cells.tolist(), single) == ([3, 6], False)


def test_on_a_wall_the_nearest_open_cell_is_taken(space: fc.Space) -> None:
    cells, _ = resolve_cells(space, space.walls, "goal", (1.5, 1.5), "nearest")
    assert cells.tolist() == [6]
    cells, _ = resolve_cells(
        space, space.walls, "goal", [(3.5, 0.5), (1.5, 1.5), (1.5, 2.5)], "nearest"
    )
    assert cells.tolist() == [3, 6, 8]


def test_of_equally_near_cells_the_lowest_is_taken() -> None:
    grid = fc.Grid(walls=[[1, 0, 1], [0, 1, 0], [1, 0, 1]], cell_size=0.1)
    cells, _ = resolve_cells(grid, grid.walls, "goal", (0.15, 0.15), "nearest")
    assert cells.tolist() == [1]


def test_an_error_names_the_nearest_open_cell(space: fc.Space) -> None:
    nearest = r"The nearest open \w+ is 6, around \(2.5, 1.5\): pass on_wall="
    with pytest.raises(OnWall, match=nearest) as error:
        resolve_cells(space, space.walls, "goal", (1.5, 1.5))
    assert error.value.got == "(1.5, 1.5), a wall"
    with pytest.raises(OnWall, match=nearest) as error:
        resolve_cells(space, space.walls, "goal", [(3.5, 0.5), (1.5, 1.5)])
    assert error.value.got == "(1.5, 1.5) at index 1, a wall"


def test_an_error_says_that_a_cost_is_the_wall(space: fc.Space) -> None:
    walls = space.walls.copy()
    walls.flat[6] = True
    with pytest.raises(OnWall, match="is 7, around") as error:
        resolve_cells(space, walls, "start", (2.5, 1.5))
    assert error.value.got == "(2.5, 1.5), a wall by its infinite cost"


def test_an_error_names_the_open_cell_nearest_to_a_position_off_the_map() -> None:
    grid = fc.Grid(walls=WALLS)
    with pytest.raises(OutsideMap, match=r"A start lies on the map.*nearest open cell is 7") as one:
        resolve_cells(grid, grid.walls, "start", (9.0, 1.5))
    assert one.value.got == "(9.0, 1.5)"
    with pytest.raises(OutsideMap, match="nearest open cell is 8") as many:
        resolve_cells(grid, grid.walls, "start", [(3.5, 0.5), (-4.0, 2.5), (9.0, 1.5)])
    assert many.value.got == "(-4.0, 2.5) at index 1"


def test_a_map_of_walls_has_no_nearest_cell() -> None:
    grid = fc.Grid(3, 2, walls=np.ones((2, 3), dtype=np.bool_))
    with pytest.raises(OnWall, match="no open cell"):
        resolve_cells(grid, grid.walls, "goal", (0.5, 0.5))
    with pytest.raises(InvalidValue, match="walls everywhere"):
        resolve_cells(grid, grid.walls, "goal", (0.5, 0.5), "nearest")


def test_a_single_start_or_goal_goes_with_all_others() -> None:
    grid = fc.Grid(walls=WALLS)
    ends = [(3.5, 0.5), (2.5, 1.5)]
    one = (3.25, 2.5)
    starts, start_cells, goals, goal_cells = resolve_pairs(grid, grid.walls, one, ends, "refuse")
    assert starts.tolist() == [list(one), list(one)]
    assert start_cells.tolist() == [11, 11]
    assert goals.tolist() == [list(end) for end in ends]
    assert goal_cells.tolist() == [3, 6]
    starts, start_cells, goals, goal_cells = resolve_pairs(grid, grid.walls, ends, one, "refuse")
    assert start_cells.tolist() == [3, 6]
    assert goal_cells.tolist() == [11, 11]
    with pytest.raises(InvalidValue, match="2 starts and 3 goals"):
        resolve_pairs(grid, grid.walls, ends, [one] * 3, "refuse")
    nothing = resolve_pairs(grid, grid.walls, np.zeros((0, 2)), one, "nearest")
    assert [len(each) for each in nothing] == [0, 0, 0, 0]


def test_pairs_begin_at_the_open_cells_that_replace_walls() -> None:
    grid = fc.Grid(walls=WALLS)
    starts, start_cells, goals, goal_cells = resolve_pairs(
        grid, grid.walls, [(1.25, 1.5), (3.25, 0.5)], (2.5, 0.5), "nearest"
    )
    assert start_cells.tolist() == [6, 3]
    assert starts.tolist() == [[2.5, 1.5], [3.25, 0.5]]
    assert goal_cells.tolist() == [3, 3]
    assert goals.tolist() == [[3.5, 0.5], [3.5, 0.5]]


def test_goals_may_have_walls_of_their_own() -> None:
    grid = fc.Grid(walls=WALLS)
    free = np.zeros_like(WALLS)
    _, _, _, goal_cells = resolve_pairs(
        grid, grid.walls, (3.5, 0.5), (1.5, 1.5), "refuse", walls_of_goals=free
    )
    assert goal_cells.tolist() == [5]
    with pytest.raises(OnWall, match="A start"):
        resolve_pairs(grid, grid.walls, (1.5, 1.5), (3.5, 0.5), "refuse", walls_of_goals=free)


def test_positions_move_only_where_their_cell_is_another() -> None:
    grid = fc.Grid(4, 3)
    points = np.array([(0.25, 0.25), (1.75, 0.25)])
    assert moved(grid, points, np.array([0, 6])).tolist() == [[0.25, 0.25], [2.5, 1.5]]


def test_each_goal_counts_once_with_its_least_cost() -> None:
    cells, costs = unique_goals(np.array([7, 3, 7, 5]), [4.0, 1.0, 2.0, 0.0])
    assert cells.tolist() == [3, 5, 7]
    assert costs.tolist() == [1.0, 0.0, 2.0]
    cells, costs = unique_goals(np.array([7, 3, 7]), None)
    assert (cells.tolist(), costs.tolist()) == ([3, 7], [0.0, 0.0])
    cells, costs = unique_goals(np.array([7]), None)
    assert (cells.tolist(), costs.tolist()) == ([7], [0.0])
    assert not cells.flags.writeable
    assert not costs.flags.writeable


@pytest.mark.parametrize("wrong", [-1.0, 1e300])
def test_start_costs_out_of_range_are_refused(wrong: float) -> None:
    with pytest.raises(InvalidValue, match="at index 1"):
        unique_goals(np.array([7, 3]), [0.0, wrong])
    with pytest.raises(InvalidValue):
        unique_goals(np.array([7, 3]), [0.0, math.nan])
