"""Cells are ids, lists of ids or masks wherever cells are asked, and never a position."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space.cells import occupied_mask, points_and_cells
from support.refusals import refused


def _gate() -> fc.Grid:
    walls = np.zeros((4, 9), dtype=bool)
    walls[:, 4] = True
    walls[2, 4] = False
    return fc.Grid(walls=walls)


def _graph() -> fc.Graph:
    return _gate().to_graph()


# Each takes a space and cells, and answers something that tells which cells were meant.
USES = {
    "set_walls": lambda space, cells: [space.set_walls(cells), space.walls.tolist()][1],
    "position_of": lambda space, cells: space.position_of(cells).tolist(),
    "nearest_open": lambda space, cells: np.asarray(space.nearest_open(cells)).tolist(),
    "would_block": lambda space, cells: fc.would_block(space, cells, (8.5, 0.5)),
    "cut_off": lambda space, cells: fc.distance_map(space, (8.5, 0.5)).cut_off(cells).tolist(),
    "repair": lambda space, cells: _repaired(space, cells),
    "belief": lambda space, cells: _looked(fc.Belief(space, 1.0), cells),
    "staleness": lambda space, cells: _looked(fc.LastSeen(space, unseen=9), cells),
    "pursuit": lambda space, cells: _looked(fc.Pursuit(space, (1.5, 1.5), (1, 0)), cells),
    "blocked": lambda space, cells: fc.Pursuit(
        space, (1.5, 1.5), (1, 0), blocked=cells
    )._flood.impassable.tolist(),
}


def _repaired(space, cells):
    distances = fc.distance_map(space, (8.5, 0.5), cost=np.ones(space.shape))
    _ = distances.values
    distances.repair(cells, np.full(space.shape, 3.0))
    return distances.values.tolist()


def _looked(seeker, cells):
    seeker.observe(cells)
    return seeker.values.tolist()


@pytest.mark.parametrize("make", [_gate, _graph])
@pytest.mark.parametrize("use", USES)
def test_masks_and_lists_mean_the_same_cells(make, use):
    space = make()
    mask = np.zeros(space.shape, dtype=bool)
    mask.reshape(-1)[[4, 22]] = True
    answers = [
        USES[use](make(), cells) for cells in ([4, 22], np.array([4, 22]), mask, mask.tolist())
    ]
    assert all(answer == answers[0] for answer in answers[1:])


@pytest.mark.parametrize("make", [_gate, _graph])
@pytest.mark.parametrize("use", USES)
def test_a_tile_is_refused_with_the_way_to_its_cell(make, use):
    with refused(InvalidValue, "looks like a position", "cell_at((4, 2))", "[4, 2]"):
        USES[use](make(), (4, 2))
    with refused(InvalidValue, "looks like a position"):
        USES[use](make(), (np.int64(4), 2))
    with refused(InvalidValue, "the space's shape"):
        USES[use](make(), np.zeros((9, 4), dtype=bool))


def test_ids_are_checked_and_always_a_row():
    space = _gate()
    assert space.cell_ids(22).tolist() == [22]
    assert space.cell_ids((1, 2, 3)).tolist() == [1, 2, 3]
    assert space.cell_ids(space.walls).tolist() == [4, 13, 31]
    assert space.cell_ids([]).shape == (0,)
    with refused(OutsideMap, "36"):
        space.cell_ids([36])
    with refused(InvalidValue, "whole numbers"):
        space.cell_ids([1.5])


def test_a_grid_of_walls_has_their_shape():
    walls = np.eye(3, 5, dtype=bool)
    grid = fc.Grid(walls=walls, cell_size=2.0, neighbors=8)
    assert (grid.width, grid.height, grid.cell_size, len(grid.neighborhood)) == (5, 3, 2.0, 8)
    np.testing.assert_array_equal(grid.walls, walls)
    with refused(InvalidValue, "two axes"):
        fc.Grid(walls=np.zeros(4, dtype=bool))
    with refused(InvalidValue, "dtype int"):
        fc.Grid(walls=np.zeros((2, 2), dtype=int))


@pytest.mark.parametrize("size", [1.0, 16.0])
def test_a_tile_is_the_centre_of_its_cell(size):
    tiles = fc.Grid(7, 5, cell_size=size, tiles=True)
    for column, row in ((0, 0), (6, 4), (3, 2)):
        cell = tiles.cell_at((column * size, row * size))
        assert cell == row * 7 + column
        assert tiles.position_of(cell).tolist() == [column * size, row * size]
    with refused(InvalidValue, "origin"):
        fc.Grid(7, 5, tiles=True, origin=(0, 0))


def test_a_condition_on_maps_is_a_mask() -> None:
    """`clearance < 2` is taken wherever a bool array in the shape of the map is."""
    grid = fc.Grid(6, 4, cell_size=2)
    imap = fc.InfluenceMap(grid)
    height = imap.add_layer("height", values=np.arange(24.0).reshape(4, 6))
    seen = imap.add_layer("seen", fc.Fade())
    low = height < 5
    bools = height.values < 5
    assert np.array_equal(fc.Grid(6, 4, walls=low).walls, bools)
    assert np.array_equal(fc.Grid(walls=low).walls, bools)
    assert np.array_equal(fc.HexGrid(6, 4, walls=low).walls, bools)
    assert np.array_equal(grid.with_walls(low).walls, bools)
    assert grid.cell_ids(low).tolist() == [0, 1, 2, 3, 4]
    clearance = fc.question.Clearance(grid)
    narrow = clearance < 2
    assert np.array_equal(fc.Grid(walls=narrow).walls, clearance.values < 2)
    seen.mark(low)
    assert np.array_equal(seen.values > 0, bools)
    belief = fc.Belief(grid, 1.0, where=low)
    assert np.array_equal(belief.probability() > 0, bools)
    graph = grid.to_graph()
    near = fc.distance_map(graph, (1, 1)) < 3
    assert graph.with_walls(near).walls.sum() == 3
    grid.set_opaque(low)
    assert np.array_equal(grid.opaque, bools)
    grid.set_walls(height < 5, True)
    assert np.array_equal(grid.walls, bools)


def test_a_map_that_is_no_condition_is_no_mask() -> None:
    grid = fc.Grid(6, 4)
    height = fc.InfluenceMap(grid).add_layer("height", values=np.arange(24.0).reshape(4, 6))
    for call in (
        lambda: fc.Grid(6, 4, walls=height),
        lambda: grid.set_walls(height, True),
        lambda: fc.Belief(grid, 1.0, where=height),
    ):
        with pytest.raises(InvalidValue, match=r"0 or 1 in each cell.*Compare the map"):
            call()
    with pytest.raises(InvalidValue, match="rows in the order"):
        fc.Grid(6, 4, walls=height < 5, y_up=True)
    with pytest.raises(InvalidValue, match="shape"):
        fc.Grid(5, 4, walls=height < 5)


def test_positions_come_with_their_cells() -> None:
    grid = fc.Grid(5, 3)
    points, cell, single = points_and_cells(grid, (2.5, 1.5), "refuse")
    assert points.tolist() == [[2.5, 1.5]]
    assert (cell, single) == (7, True)
    places = np.array([[0.5, 0.5], [4.5, 2.5]])
    points, cells, single = points_and_cells(grid, places, "refuse")
    assert points is places
    assert np.asarray(cells).tolist() == [0, 14]
    assert not single
    with pytest.raises(OutsideMap):
        points_and_cells(grid, (9.0, 1.5), "refuse")


@pytest.mark.parametrize("make", [_gate, _graph])
def test_occupied_cells_are_positions_ids_or_a_mask(make) -> None:
    space = make()
    mask = np.zeros(space.shape, dtype=np.bool_)
    mask.flat[[3, 10]] = True
    for occupied in (
        [3, 10],
        np.array([3, 10], dtype=np.int32),
        [(3.5, 0.5), (1.25, 1.5)],
        np.array([(3, 0), (1, 1)]),  # whole numbers in two rows are positions too
        mask,
    ):
        assert np.flatnonzero(occupied_mask(space, occupied)).tolist() == [3, 10]
    assert np.flatnonzero(occupied_mask(space, 10)).tolist() == [10]
    assert not occupied_mask(space, []).any()
    with refused(OutsideMap):
        occupied_mask(space, [36])
    if isinstance(space, fc.Grid):
        with refused(OutsideMap):
            occupied_mask(space, [(9.5, 0.5)])
