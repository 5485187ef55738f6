from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths.path import Path, no_path
from support.refusals import refused


def test_positions_are_the_centres_of_the_cells() -> None:
    space = fc.Grid(5, 3, cell_size=2.0, origin=(10.0, 0.0), y_up=True)
    path = Path(space, np.array([10, 6, 7]), 4.8, 9.6)
    assert path.found and path and len(path) == 3
    np.testing.assert_array_equal(path.positions, [[11, 1], [13, 3], [15, 3]])
    assert repr(path) == "<Path of 3 cells, length 4.8, cost 9.6>"


def test_no_way_is_an_answer() -> None:
    path = no_path(fc.Grid(5, 3))
    assert not path.found and not path and len(path) == 0
    assert path.positions.shape == (0, 2) and path.cells.dtype == np.int64
    assert path.length == path.cost == math.inf
    assert repr(path) == "<Path: not found>"


def test_a_path_does_not_change() -> None:
    path = Path(fc.Grid(5, 3), np.array([1, 2]), 1.0, 1.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        path.cost = 3.0  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        path.positions[0] = 0


def test_walking_along_a_path() -> None:
    space = fc.Grid(5, 3, cell_size=2.0)
    path = Path(space, np.array([0, 2, 12]), 8.0, 8.0)
    np.testing.assert_allclose(path.at(0.5), [1.5, 1.0])
    np.testing.assert_allclose(
        path.at([-1, 0, 4, 5, 8, 99]), [[1, 1], [1, 1], [5, 1], [5, 2], [5, 5], [5, 5]]
    )
    assert path.at([]).shape == (0, 2)
    np.testing.assert_allclose(Path(space, np.array([7]), 0.0, 0.0).at([0, 3]), [[5, 3], [5, 3]])


def test_walking_over_the_seam_of_a_torus() -> None:
    path = Path(fc.Grid(6, 4, wrap=True), np.array([5, 18, 19]), 2.0, 2.0)
    diagonal = math.sqrt(2)
    np.testing.assert_allclose(
        path.at([0.25 * diagonal, 0.75 * diagonal, 0.5 + diagonal]),
        [[5.75, 0.25], [0.25, 3.75], [1.0, 3.5]],
    )


def test_walking_needs_a_path_and_numbers() -> None:
    path = Path(fc.Grid(5, 3), np.array([1, 2]), 1.0, 1.0)
    for distances in (math.nan, [math.inf], "far", [[1.0]]):
        with refused(InvalidValue):
            path.at(distances)  # type: ignore[arg-type]
    with refused(InvalidValue, "not found"):
        no_path(fc.Grid(5, 3)).at(1.0)


def test_a_path_is_a_sequence_of_its_positions() -> None:
    space = fc.Grid(7, 5)
    path = fc.shortest_path(space, (0.5, 0.5), (4.5, 2.5))
    assert [tuple(place) for place in path] == [tuple(place) for place in path.positions.tolist()]
    assert len(list(path)) == len(path) == len(np.asarray(path))
    assert path[1].tolist() == path.positions[1].tolist() and path[-2:].shape == (2, 2)
    assert list(no_path(space)) == []
    quad = fc.Graph.from_polygons(
        [(0, 0), (4, 0), (4, 3), (0, 3), (8, 0), (8, 3)], [[0, 1, 2, 3], [1, 4, 5, 2]]
    )
    taut = fc.shortest_path(quad, (0.5, 0.5), (7.5, 2.5), smooth=True)
    assert len(taut) == len(taut.positions) == len(list(taut))


class TestOnWall:
    SPACE = fc.Grid(walls=[[0, 0, 1, 1, 0]])

    def test_goals_and_starts_move_to_the_nearest_open_cell(self) -> None:
        there = fc.distance_map(self.SPACE, (2.2, 0.5), on_wall="nearest")
        assert there.goals.tolist() == [1]
        path = fc.shortest_path(self.SPACE, (0.5, 0.5), (2.2, 0.5), on_wall="nearest")
        assert path.cells.tolist() == [0, 1]
        paths = fc.shortest_paths(self.SPACE, [(2.2, 0.5)], (0.5, 0.5), on_wall="nearest")
        assert paths[0].cells.tolist() == [1, 0]
        with pytest.raises(InvalidValue, match="on_wall"):
            fc.shortest_path(self.SPACE, (0.5, 0.5), (2.2, 0.5), on_wall="near")

    @pytest.mark.parametrize("name", ["grid", "hex", "graph"])
    def test_open_near_keeps_open_positions(self, name: str) -> None:
        space = self.SPACE if name == "grid" else fc.HexGrid(5, 1, walls=self.SPACE.walls)
        space = self.SPACE.to_graph() if name == "graph" else space
        inside = space.position_of(1) + (0 if name == "graph" else 0.1)
        assert space.open_near(inside).tolist() == inside.tolist()
        assert space.open_near(space.position_of(2)).tolist() == space.position_of(1).tolist()
