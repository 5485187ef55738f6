"""Marks round vertices: each metric has footprints of its own."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc


@pytest.mark.parametrize("first", ["path", "straight", "connected"])
def test_marks_in_sight_stay_in_sight_whatever_was_marked_before(first: str) -> None:
    walls = np.zeros((7, 9), dtype=np.bool_)
    walls[0:6, 4] = True
    grid = fc.Grid(9, 7, walls=walls)
    graph = grid.to_graph()
    layer = fc.InfluenceMap(graph).add_layer("seen", fc.Fade())
    layer.mark((2.5, 2.5), radius=6.0, metric=first)
    layer.write(np.zeros(len(graph), dtype=np.float32))
    layer.mark((2.5, 2.5), radius=6.0, metric="sight")
    marked = layer.values > 0
    assert marked.tolist() == fc.visible(graph, (2.5, 2.5), 6.0).tolist()
