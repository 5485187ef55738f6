"""Chances of steps: each interval is a matrix."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.pursuit import Belief

pytestmark = pytest.mark.reference


def test_a_step_is_the_transposed_matrix_of_chances() -> None:
    grid = fc.Grid(13, 9, walls=np.random.default_rng(3).random((9, 13)) < 0.25, neighbors=8)
    ways, stay = grid.adjacency, 0.2
    chances = np.zeros((len(grid), len(grid)))
    for cell in range(len(grid)):
        out = range(ways.starts[cell], ways.starts[cell + 1])
        for arc in out:
            chances[cell, ways.ends[arc]] = (1 - stay) / len(out) * min(1.0 / ways.lengths[arc], 1)
        chances[cell, cell] = 1 - chances[cell].sum()
    belief = Belief(grid, 1.0, stay=stay, every=1.0)
    start = int(grid.nearest_open(60))
    belief.see(grid.position_of(start))
    expected = np.eye(len(grid))[start]
    for _ in range(20):
        belief.step()
        expected = expected @ chances
        np.testing.assert_allclose(belief.probability().reshape(-1), expected, atol=1e-14)
