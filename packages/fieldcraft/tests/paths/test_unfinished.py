"""Distance maps that are dropped before their search has ended."""

import weakref

import numpy as np
import pytest

import fieldcraft as fc

WALLS = np.random.default_rng(6).random((40, 61)) < 0.25
WALLS[20, 30] = False
SPACES = {
    "grid": fc.Grid(walls=WALLS, neighbors=8),
    "graph": fc.Grid(walls=WALLS, neighbors=4).to_graph(),
    "hexagons": fc.HexGrid(61, 40, walls=WALLS),
}


@pytest.mark.parametrize("cost", [None, 2.0 + WALLS], ids=["plain", "cost"])
@pytest.mark.parametrize("kind", SPACES)
def test_their_memory_is_reused_and_changes_no_value(kind, cost):
    space = SPACES[kind]
    cost = None if cost is None else cost.reshape(space.shape)
    goal = space.position_of(space.nearest_open(20 * 61 + 30))
    expected = fc.distance_map(space, goal, cost=cost).exact
    near = space.position_of(space.neighbors_of(space.cell_at(goal))[:1])
    for _ in range(3):
        dropped = fc.distance_map(space, goal, cost=cost)
        dropped.sample(near)
        assert not dropped.search.finished
        search = weakref.ref(dropped.search)
        del dropped
        assert search() is None  # no circle keeps it until the garbage is collected
        np.testing.assert_array_equal(fc.distance_map(space, goal, cost=cost).exact, expected)
