"""Queries on grids: those of the same ground as a graph, and what a tile does not hide."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.query.queries_on_grid import GridValues

SHAPE = (37, 61)
WALLS = np.random.default_rng(8).random(SHAPE) < 0.2
NUMBERS = np.random.default_rng(9).random(SHAPE).astype(np.float32)
GRID = fc.Grid(walls=WALLS, neighbors=8)


@pytest.mark.parametrize("radius", [2.0, 9.0, 80.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_best_are_those_of_a_plain_search(radius: float, sign: int) -> None:
    points = GRID.open_near(np.random.default_rng(1).uniform((1, 1), (60, 36), (12, 2)))
    found = GridValues(NUMBERS, GRID).best(
        points, radius, 3, 0.0, WALLS.copy(), None, np.float32(sign)
    )
    centers = GRID.position_of(np.arange(len(GRID)))
    for point, cells in zip(points, found, strict=True):
        near = np.hypot(*(centers - point).T) <= radius
        some = np.flatnonzero(near & ~WALLS.reshape(-1))
        order = some[np.argsort(-sign * NUMBERS.reshape(-1)[some], kind="stable")][:3]
        assert cells[: len(order)].tolist() == order.tolist()


def test_cells_are_closed_around_those_that_are_taken() -> None:
    closed = np.zeros(SHAPE, dtype=bool)
    GridValues(NUMBERS, GRID).close(np.array([20 * 61 + 30]), 3.0, closed)
    rows, columns = np.nonzero(closed)
    assert (np.hypot(rows - 20, columns - 30) < 3).all()
    assert len(rows) == 25
