"""Shortest paths on grids: moves, walls that change, exact costs."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.paths.shortest import shortest_path, shortest_paths
from fieldcraft.space.wrapping import Wrap
from support.drawings import drawn
from support.mazes import World, cheapest, edges
from support.worlds import WRAPS


def test_terrain_may_be_left_one_way() -> None:
    enter = np.array([[True, True], [False, True]])  # a cliff: down, never up
    space = fc.Grid(
        4, 3, terrain=fc.Terrain(np.repeat([[0, 0, 1, 1]], 3, axis=0), enter), neighbors=8
    )
    assert shortest_path(space, (0.5, 1.5), (3.5, 1.5)).length == 3
    back = shortest_path(space, (3.5, 1.5), (0.5, 1.5))
    assert not back.found and back.cost == math.inf


def test_steps_of_a_table_jump() -> None:
    space = drawn("..#..", "..#..", "..#..", neighbors=[(3, 0), (-1, 0), (0, 1), (0, -1)])
    path = shortest_path(space, (1.5, 0.5), (3.5, 2.5))
    assert path.length == 3 + 1 + 2
    assert shortest_path(space, (3.5, 2.5), (1.5, 0.5)).found is False


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1)])
@pytest.mark.parametrize("wrap", WRAPS)
def test_narrow_maps(shape: tuple[int, int], wrap: Wrap) -> None:
    space = fc.Grid(*shape, neighbors=8, wrap=wrap)
    last = len(space) - 1
    path = shortest_path(space, space.position_of(0), space.position_of(last))
    around = (shape[0] > 1 and space.wraps_x) or (shape[1] > 1 and space.wraps_y)
    assert path.length == (min(last, 1) if around else last)


def test_walls_that_change_are_seen() -> None:
    space = fc.Grid(30, 20, neighbors=8)
    assert shortest_path(space, (0.5, 9.5), (29.5, 9.5)).length == 29
    gate = 9 * 30 + 15
    space.set_walls(np.arange(20) * 30 + 15)
    assert not shortest_path(space, (0.5, 9.5), (29.5, 9.5)).found
    assert not shortest_path(space, (0.5, 9.5), (29.5, 9.5)).found
    space.set_walls([gate], False)
    assert gate in shortest_path(space, (0.5, 2.5), (29.5, 2.5)).cells
    fresh = fc.Grid(30, 20, neighbors=8, walls=space.walls)
    a, b = (shortest_path(each, (0.5, 2.5), (29.5, 2.5)) for each in (space, fresh))
    assert a.cells.tolist() == b.cells.tolist()


def test_walls_of_a_finer_grid_are_followed() -> None:
    fine = fc.Grid(30, 20, neighbors=8)
    coarse = fine.coarser(2.0)
    assert shortest_path(coarse, (1.0, 9.0), (29.0, 9.0)).length == 28
    fine.set_walls(
        np.arange(20)[:, None].repeat(2, axis=1).reshape(-1) * 30 + np.tile([14, 15], 20)
    )
    assert not shortest_path(coarse, (1.0, 9.0), (29.0, 9.0)).found


@given(st.integers(0, 2**32).map(World), st.integers(0, 2**32))
@settings(max_examples=16)
def test_moves_are_mended_where_walls_change(world: World, seed: int) -> None:
    rng = np.random.default_rng(seed)
    space = world.space
    ground = (
        np.zeros(len(space), dtype=bool)
        if space.terrain is None
        else space.terrain.walls.reshape(-1)
    )
    shortest_paths(space, np.empty((0, 2)), np.empty((0, 2)))
    for _ in range(4):
        cells = np.flatnonzero(~ground)
        if not len(cells):
            return
        space.set_walls(
            rng.choice(cells, min(len(cells), 3), replace=False), bool(rng.random() < 0.5)
        )
        stand = [cell for cell in world.open_cells() if not space.walls.reshape(-1)[cell]]
        if not stand:
            continue
        start = int(rng.choice(stand))
        oracle = cheapest(space, edges(space, world.costs), start)
        goals = rng.choice(stand, 5)
        paths = shortest_paths(
            space, space.position_of(start), space.position_of(goals), cost=world.costs
        )
        np.testing.assert_allclose([path.cost for path in paths], oracle[goals], rtol=1e-12)


def test_threads_may_search_at_once() -> None:
    rng = np.random.default_rng(3)
    space = fc.Grid(80, 60, neighbors=8, walls=rng.random((60, 80)) < 0.25)
    cells = np.flatnonzero(~space.walls.reshape(-1))
    pairs = [tuple(space.position_of(rng.choice(cells, 2))) for _ in range(40)]
    expected = [shortest_path(space, *pair).cells.tolist() for pair in pairs]
    found: dict[int, list[list[int]]] = {}

    def ask(which: int) -> None:
        found[which] = [shortest_path(space, *pair).cells.tolist() for pair in pairs]

    threads = [threading.Thread(target=ask, args=(which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[which] == expected for which in range(4))


def test_wide_costs_stay_exact() -> None:
    rng = np.random.default_rng(8)
    space = fc.Grid(40, 30, neighbors=8)
    costs = 10.0 ** rng.uniform(-6, 30, space.shape)
    costs[0, 0] = 1e-6
    known = edges(space, costs)
    oracle = cheapest(space, known, 0)
    for goal in (1199, 39, 600):
        assert shortest_path(
            space, space.position_of(0), space.position_of(goal), cost=costs
        ).cost == pytest.approx(oracle[goal], rel=1e-12)
