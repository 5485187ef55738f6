"""Shortest ways laid out a cell each moment."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.pursuit.backend import backend
from fieldcraft.pursuit.visibility import by_moment, traced

CAVE = fc.generate_map("cave", 47, 36, seed=4, neighbors=8)


def test_ways_are_as_short_as_can_be_and_are_walked_no_faster_than_allowed() -> None:
    start = int(CAVE.nearest_open(700))
    far = fc.distance_map(CAVE, CAVE.position_of(start)).values.reshape(-1)
    away, back = backend(CAVE).shortest_tree(start, 20.0)
    assert (np.isfinite(away) == (far <= 20)).all()
    cells = np.random.default_rng(0).choice(np.flatnonzero(np.isfinite(away)), 30)
    nodes = traced(start, cells, back)
    assert (nodes[0] == start).all() and (nodes[-1] == cells).all()
    steps = np.sqrt((np.diff(CAVE.positions[nodes], axis=0) ** 2).sum(axis=2))
    assert (steps <= np.sqrt(2) + 1e-9).all() and np.allclose(
        steps.sum(axis=0), far[cells], atol=1e-4
    )
    ways = by_moment(nodes, away[nodes], np.arange(12) * 1.5)
    assert ways.shape == (30, 12) and (away[ways] <= np.arange(12) * 1.5 + 1e-9).all()
    near = away[cells] <= 11 * 1.5
    assert near.any() and (ways[near, -1] == cells[near]).all()


def test_places_that_are_seen_are_the_cells_that_are_seen_on_small_maps() -> None:
    from fieldcraft.pursuit.visibility import visibility_cache

    walls = np.zeros((9, 14), dtype=bool)
    walls[2:7, 6] = walls[4, 9:12] = True
    grid = fc.Grid(14, 9, walls=walls)
    cache = visibility_cache(grid, 6.0)
    for cell in (0, 50, 70, 125):
        seen = fc.visible(grid, grid.position_of(cell), 6.0).reshape(-1)
        assert (cache.seen_from(cell) == seen)[~walls.reshape(-1)].all()
