"""One place for cells with weights, and places for several searchers."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.pursuit.likely_places import assigned, estimate, likely_cells
from support.refusals import refused

TORUS = fc.Grid(12, 7, wrap=True, cell_size=2.0, origin=(5.0, -3.0))
SPACES = {"grid": TORUS, "graph": TORUS.to_graph(), "hexagons": fc.HexGrid(12, 8, wrap=True)}
WALLS = np.zeros((5, 12), dtype=bool)
WALLS[:4, 6] = True
GRID = fc.Grid(walls=WALLS)
CELLS = np.array([2 * 12 + 1, 2 * 12 + 2, 2 * 12 + 10])
WEIGHTS = np.array([0.2, 0.2, 0.6])


def moved(cells: np.ndarray, columns: int, rows: int, space: fc.Space) -> np.ndarray:
    """The cells so many columns to the right and rows down."""
    width = 12
    height = len(space) // width
    down, right = np.divmod(cells, width)
    return (down + rows) % height * width + (right + columns) % width


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("how", ["mean", "medoid", "peak"])
@pytest.mark.parametrize("columns", [0, 4, 8, 9])
@pytest.mark.parametrize("rows", [0, 2, 6])
def test_an_estimate_on_a_torus_moves_with_its_cells(
    name: str, how: str, columns: int, rows: int
) -> None:
    space = SPACES[name]
    cells = np.array([26, 27, 28, 38, 51])
    weights = np.array([0.1, 0.2, 0.3, 0.3, 0.1])
    still = estimate(space, cells, weights, how)
    places = space.position_of(cells)
    if how == "mean":
        np.testing.assert_allclose(still, weights @ places)
    found = estimate(space, moved(cells, columns, rows, space), weights, how)
    by = space.position_of(moved(cells[:1], columns, rows, space))[0] - places[0]
    np.testing.assert_allclose(space.shortest_vectors(found - still - by), 0.0, atol=1e-9)
    assert (space.wrapped(found) == found).all()


def test_cells_all_around_a_torus_have_a_mean_on_it() -> None:
    found = estimate(TORUS, np.arange(len(TORUS)), np.ones(len(TORUS)), "mean")
    assert (TORUS.wrapped(found) == found).all()


@pytest.mark.parametrize("name", SPACES)
def test_places_keep_their_spacing_across_the_rim_of_a_torus(name: str) -> None:
    space = SPACES[name]
    cells = np.array([12, 23, 18])  # the first two are neighbors
    weights = np.array([3.0, 2.0, 1.0])
    agents = space.position_of(np.array([13, 19]))
    places = assigned(space, cells, weights, agents, 3 * space.typical_step, "refuse")
    assert space.cell_at(places).tolist() == [12, 18]


def test_an_estimate_is_the_mean_the_medoid_or_the_peak() -> None:
    mean = WEIGHTS @ GRID.position_of(CELLS)
    np.testing.assert_allclose(estimate(GRID, CELLS, WEIGHTS, "mean"), mean)
    assert estimate(GRID, CELLS, WEIGHTS, "peak").tolist() == [10.5, 2.5]
    assert estimate(GRID, CELLS, WEIGHTS, "medoid").tolist() == [10.5, 2.5]
    assert estimate(GRID, CELLS, np.full(3, 1 / 3), "medoid").tolist() == [2.5, 2.5]
    with refused(InvalidValue, "how"):
        estimate(GRID, CELLS, WEIGHTS, "median")


def test_agents_get_places_apart_with_the_shortest_paths() -> None:
    agents = [(11.5, 0.5), (0.5, 0.5)]
    weights = np.array([0.4, 0.35, 0.25])
    assert assigned(GRID, CELLS, weights, agents, 3.0, "refuse").tolist() == [
        [10.5, 2.5],
        [1.5, 2.5],
    ]
    near = assigned(GRID, CELLS, weights, agents, 0.5, "refuse")
    assert near.tolist() == [[2.5, 2.5], [1.5, 2.5]]


def test_with_fewer_cells_than_agents_they_repeat() -> None:
    places = assigned(GRID, CELLS[:1], WEIGHTS[:1], [(0.5, 0.5)] * 3, None, "refuse")
    assert places.tolist() == [[1.5, 2.5]] * 3


def test_cells_with_a_probability() -> None:
    cells, chances = likely_cells(np.array([[0.0, 0.5], [0.5, 0.0]]))
    assert cells.tolist() == [1, 2] and chances.tolist() == [0.5, 0.5]
