"""Lines of sight between cells."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.space.sight import lines_on_grid
from fieldcraft.space.sight.lines_on_grid import sees_cells


def test_viewers_see_cells_in_reach_that_nothing_hides() -> None:
    grid = fc.Grid(walls=[[0, 0, 1, 0, 0], [0, 0, 0, 0, 0]])
    viewers = np.array([0, 9])
    cells = np.array([1, 3, 8])
    given = (grid.opaque, False, viewers, cells)
    no_cone = kernels.sight.visible.NO_CONES
    seen = sees_cells(*given, np.array([100, 100]), no_cone)
    assert seen.tolist() == [[True, False, True], [False, True, True]]
    near = sees_cells(*given, np.array([4, 4]), no_cone)
    assert near.tolist() == [[True, False, False], [False, True, True]]
    pairs = sees_cells(*given[:3], cells[:2], np.array([100, 100]), no_cone, pairs=True)
    assert pairs.tolist() == [[True], [True]]


def test_several_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    grid = fc.Grid(walls=rng.random((9, 14)) < 0.2)
    viewers = np.arange(len(grid))
    given = (grid.opaque, False, viewers, viewers, np.full(len(grid), 40))
    no_cone = kernels.sight.visible.NO_CONES
    one = sees_cells(*given, no_cone)
    monkeypatch.setattr(lines_on_grid, "_PAIRS_PER_THREAD", 1)
    monkeypatch.setattr(pool, "threads", lambda: 2)
    np.testing.assert_array_equal(sees_cells(*given, no_cone), one)
