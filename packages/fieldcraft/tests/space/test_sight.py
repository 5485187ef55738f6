"""How far sight reaches."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc

pytestmark = pytest.mark.reference


def test_an_infinite_radius_sees_as_far_as_the_map_goes() -> None:
    walls = np.zeros((7, 30), dtype=bool)
    walls[2:5, 12] = True
    grid = fc.Grid(walls=walls, cell_size=3.0)
    np.testing.assert_array_equal(fc.visible(grid, (1, 10), np.inf), fc.visible(grid, (1, 10), 1e4))
    assert fc.visible(grid, (1, 1), np.inf)[0, 29]
    assert fc.sees(grid, (1, 1), (89, 1), np.inf).tolist() == [[True]]
    with pytest.raises(fc.errors.InvalidValue):
        fc.visible(grid, (1, 10), -np.inf)


@pytest.mark.parametrize("kind", ["grid", "torus", "cone", "heights", "graph", "hex"])
def test_pairs_are_the_diagonal_of_all(kind: str) -> None:
    rng = np.random.default_rng(5)
    walls = rng.random((14, 23)) < 0.2
    space: fc.Space = fc.Grid(walls=walls, wrap=kind == "torus")
    options: dict[str, object] = {}
    if kind == "cone":
        options = {"facing": rng.normal(size=(40, 2)), "angle": 120.0}
    elif kind == "heights":
        options = {"heights": rng.random((14, 23)) * 2}
    elif kind == "graph":
        space = fc.Grid(walls=walls).to_graph()
    elif kind == "hex":
        space = fc.HexGrid(23, 14, walls=walls)
    open_ = np.flatnonzero(~space.walls.ravel())
    viewers, targets = (space.position_of(rng.choice(open_, 40)) for _ in range(2))
    radius = rng.uniform(2, 12, 40)
    pairs = fc.sees(space, viewers, targets, radius, pairs=True, **options)
    np.testing.assert_array_equal(
        pairs, fc.sees(space, viewers, targets, radius, **options).diagonal()
    )
    assert 0 < pairs.sum() < 40
    with pytest.raises(fc.errors.InvalidValue, match="as many targets"):
        fc.sees(space, viewers, targets[1:], radius, pairs=True)
