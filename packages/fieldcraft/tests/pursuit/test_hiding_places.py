"""Hiding places, the paths to them, and what is seen from where."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc
from fieldcraft.pursuit.hiding_places import SearcherSight, hiding_paths, visibility_cache
from fieldcraft.space.sight.viewers import SightHeights

CAVE = fc.generate_map("cave", 47, 36, seed=4, neighbors=8)


def test_hiding_places_are_out_of_sight_and_paths_there_as_fast_as_allowed() -> None:
    start = int(CAVE.nearest_open(700))
    away = fc.distance_map(CAVE, CAVE.position_of(start)).values.reshape(-1)
    cache = visibility_cache(CAVE, SearcherSight(8.0))
    paths, chances = hiding_paths(CAVE, cache, start, (3.0, 20.0), 1.0, np.random.default_rng(0))
    ends, passed = paths[:, -1], away[paths]
    assert len(paths) > 20 and len(np.unique(ends)) == len(paths)
    assert ((passed[:, -1] >= 3) & (passed[:, -1] <= 20)).all()
    assert not cache.sees(start)[ends].any()
    assert (np.diff(passed, axis=1) >= 0).all()  # shortest paths
    walked = np.arange(paths.shape[1]) + 1
    assert (passed <= walked + np.sqrt(2) / 2 + 1e-6).all()
    there = passed[:, [-1]] + np.sqrt(2) / 2 + 1e-6 <= walked
    assert (paths == ends[:, np.newaxis])[there].all()
    hidden = np.argsort(cache.openness(ends), kind="stable")
    assert (np.diff(chances[hidden]) <= 0).all() and np.isclose(chances.sum(), 1)


def test_seen_clusters_are_the_seen_cells_on_small_maps() -> None:
    walls = np.zeros((9, 14), dtype=bool)
    walls[2:7, 6] = walls[4, 9:12] = True
    grid = fc.Grid(14, 9, walls=walls)
    cache = visibility_cache(grid, SearcherSight(6.0))
    for cell in (0, 50, 70, 125):
        seen = fc.visible(grid, grid.position_of(cell), 6.0).reshape(-1)
        assert (cache.seen_from(cell) == seen)[~walls.reshape(-1)].all()


def test_each_dark_cell_near_the_start_is_a_hiding_place() -> None:
    """Of 200 of them a target was never found that stood in another: nobody looked there."""
    walls = np.random.default_rng(5).random((50, 64)) < 0.2
    space = fc.Grid(64, 50, walls=walls)
    start = int(space.nearest_open(25 * 64 + 32))
    away = fc.distance_map(space, space.position_of(start)).values.reshape(-1)
    cache = visibility_cache(space, SearcherSight(10.0))
    paths, _ = hiding_paths(space, cache, start, (2.0, 16.0), 1.0, np.random.default_rng(0))
    near = (away >= 2) & (away <= 16) & ~cache.sees(start)
    assert near.sum() > 300
    assert (np.sort(paths[:, -1]) == np.flatnonzero(near)).all()


def test_a_ridge_makes_hiding_places() -> None:
    space = fc.Grid(24, 9)
    heights = np.zeros((9, 24), dtype=np.float32)
    heights[:, 12] = 5.0
    start = 4 * 24 + 9
    over = SearcherSight(10.0, SightHeights(heights, 1.0))
    level = visibility_cache(space, SearcherSight(10.0))
    ridged = visibility_cache(space, over)
    seen = fc.visible(space, space.position_of(start), 10.0, heights=heights).reshape(-1)
    assert (ridged.sees(start) == seen).all() and (ridged.seen_from(start) == seen).all()
    assert level.sees(start).sum() > seen.sum()
    assert visibility_cache(space, SearcherSight(10.0, SightHeights(heights.copy(), 1.0))) is ridged
    paths, _ = hiding_paths(space, ridged, start, (2.0, 7.0), 1.0, np.random.default_rng(0))
    assert (paths[:, -1] % 24 > 12).all()
