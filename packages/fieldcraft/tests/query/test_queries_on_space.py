"""Each kind of space has its queries."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.query.queries_on_graph import GraphValues
from fieldcraft.query.queries_on_grid import GridValues
from fieldcraft.query.queries_on_space import queries_of

GRID = fc.Grid(9, 5, neighbors=8)
GRAPH = GRID.to_graph()
NUMBERS = np.random.default_rng(9).random(GRID.shape).astype(np.float32)


def test_each_space_has_its_queries() -> None:
    assert isinstance(queries_of(NUMBERS, GRID), GridValues)
    assert isinstance(queries_of(NUMBERS.reshape(-1), GRAPH), GraphValues)
    for space, kind in ((GRID, GridValues), (fc.HexGrid(5, 4), GraphValues), (GRAPH, GraphValues)):
        layer = fc.InfluenceMap(space).add_layer("noise", values=np.ones(space.shape, np.float32))
        assert isinstance(queries_of(layer), kind)
        assert isinstance(queries_of(2 * layer), kind)
