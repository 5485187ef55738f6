"""Many paths of one call."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.kernels.compiling import pool
from fieldcraft.paths.path import Path
from fieldcraft.paths.search import path_problem
from fieldcraft.paths.search.path_problem import PathProblem
from fieldcraft.paths.shortest import shortest_path, shortest_paths
from support.mazes import World


class Direct(PathProblem):
    """Paths of one leg; each takes some seconds. It notes which threads have searched."""

    def __init__(self, space: fc.Space, seconds: float) -> None:
        self.space = space
        self.seconds = seconds
        self.threads: set[int] = set()

    def solve(self, start: Any, here: int, goal: Any, there: int) -> Path:
        time.sleep(self.seconds)
        self.threads.add(threading.get_ident())
        return Path(self.space, np.array([here, there]), 1.0, 1.0)


@given(st.integers(0, 2**32).map(World))
@settings(max_examples=16)
def test_many_at_once_are_those_asked_one_by_one(world: World) -> None:
    cells = world.open_cells()
    if not cells:
        return
    space = world.space
    starts, goals = (space.position_of(world.rng.choice(cells, 70)) for _ in range(2))
    before = pool.threads()
    single = [
        shortest_path(space, *pair, cost=world.costs) for pair in zip(starts, goals, strict=True)
    ]
    try:
        for threads in (1, 2, 5):
            pool.set_threads(threads)
            for one, other in zip(
                single, shortest_paths(space, starts, goals, cost=world.costs), strict=True
            ):
                assert one.cells.tobytes() == other.cells.tobytes()
                assert (one.length, one.cost) == (other.length, other.cost)
    finally:
        pool.set_threads(before)


@pytest.mark.parametrize("count", [0, 1, 16, 17, 70])
@pytest.mark.parametrize("seconds", [0.0, 0.0002])
def test_each_pair_has_its_path_in_order(count: int, seconds: float) -> None:
    space = fc.Grid(11, 7)
    starts = np.arange(count) % 77
    goals = starts[::-1].copy()
    paths = Direct(space, seconds).solve_many(
        space.position_of(starts), starts, space.position_of(goals), goals
    )
    assert [path.cells.tolist() for path in paths] == np.stack([starts, goals], axis=1).tolist()


@pytest.mark.skipif(not kernels.compiled(), reason="threads need compiled kernels")
@pytest.mark.parametrize(("is_long", "threads"), [(1.0, {1}), (2.5e-5, {2, 3})])
def test_only_paths_that_take_long_are_shared_among_threads(
    is_long: float, threads: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(path_problem, "_LONG", is_long)
    space = fc.Grid(11, 7)
    cells = np.arange(70)
    problem = Direct(space, 0.001)
    before = pool.threads()
    pool.set_threads(3)
    try:
        problem.solve_many(space.position_of(cells), cells, space.position_of(cells), cells)
    finally:
        pool.set_threads(before)
    assert len(problem.threads) in threads
