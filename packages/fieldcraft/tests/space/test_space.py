"""What every space answers: parts, neighbors, straight ways, walls that are never behind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import fieldcraft as fc
from fieldcraft.space import checked_space, grid_of
from fieldcraft.space.wrapping import Wrap
from support.refusals import refused
from support.worlds import WRAPS


def test_walls_of_a_coarser_grid_follow_at_once() -> None:
    fine = fc.Grid(8, 6)
    coarse = fine.coarser(2)
    assert not coarse.walls[0, 0]
    fine.set_walls([0, 1, 8, 9])
    assert coarse.walls[0, 0]
    assert not coarse.links()[0, 0]
    assert int(coarse.nearest_open(0)) == 1
    imap = fc.InfluenceMap(fine)
    layer = imap.add_layer("threat", fc.Spread(decay=0.2, momentum=0.5), cell_size=2)
    fine.set_walls([2, 3, 10, 11])
    with pytest.raises(fc.errors.OnWall):
        layer.add_source((2.5, 0.5))


@given(st.integers(0, 2**16), st.integers(1, 9), st.integers(1, 8), st.sampled_from([4, 8]))
def test_parts_of_a_grid_are_those_that_straight_steps_join(
    seed: int, width: int, height: int, neighbors: int
) -> None:
    # Diagonals never cut corners, so they join no parts that straight steps don't.
    walls = np.random.default_rng(seed).random((height, width)) < 0.4
    parts = fc.Grid(width, height, walls=walls, neighbors=neighbors).parts()
    expected, count = ndimage.label(~walls)
    assert parts.shape == (height, width) and (parts == -1).tolist() == walls.tolist()
    assert (
        len({*zip(parts[~walls].tolist(), expected[~walls].tolist(), strict=True)})
        == count
        == int(parts.max()) + 1
    )
    sizes = np.bincount(parts[~walls])
    assert (np.diff(sizes) <= 0).all()


def test_parts_of_a_grid_keep_to_its_terrain() -> None:
    classes = np.array([[0, 0, 1, 1, 1]])
    apart = fc.Terrain(classes, np.eye(2, dtype=np.bool_), ["ground", "water"])
    grid = fc.Grid(5, 1, terrain=apart)
    assert grid.parts().tolist() == [[1, 1, 0, 0, 0]]
    assert grid.parts().reshape(-1).tolist() == grid.to_graph().parts().tolist()


@pytest.mark.parametrize("wrap", WRAPS)
def test_a_grid_and_its_graph_answer_alike(wrap: Wrap) -> None:
    walls = np.random.default_rng(4).random((5, 7)) < 0.3
    grid = fc.Grid(
        7, 5, walls=walls, neighbors=8, wrap=wrap, cell_size=0.5, origin=(3, -2), y_up=True
    )
    graph = grid.to_graph()
    for name in ("dimensions", "typical_step", "y_up"):
        assert getattr(grid, name) == getattr(graph, name), name
    np.testing.assert_array_equal(grid.positions, graph.positions)
    for cell in range(len(grid)):
        assert grid.neighbors_of(cell).tolist() == graph.neighbors_of(cell).tolist()
    assert grid.adjacency.ends.tolist() == graph.adjacency.ends.tolist()
    away = np.array([[3.4, 1.0], [-2.0, 0.1]])
    np.testing.assert_array_equal(grid.shortest_vectors(away), graph.shortest_vectors(away))
    np.testing.assert_array_equal(
        grid.offsets_from(np.array([3.2, -1.0])), graph.offsets_from(np.array([3.2, -1.0]))
    )


def test_a_space_that_cannot_serve_is_told_what_is_needed() -> None:
    graph = fc.Graph([(0, 0), (1, 0)], [(0, 1)])
    with refused(fc.errors.InvalidValue, "Stamping needs a grid", "2 vertices", "fieldcraft.Grid"):
        grid_of(graph, "Stamping")
    with refused(fc.errors.InvalidValue, "Stamping needs a space", "str", "fc.Grid"):
        checked_space("a map", "Stamping needs")
