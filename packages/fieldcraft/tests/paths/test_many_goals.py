"""Distances to the goals of many agents: those of distance maps, and steps along paths."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.paths.search.many_goals import Guides, ManyGoals

WALLS = np.random.default_rng(4).random((9, 14)) < 0.25
GRID = fc.Grid(walls=WALLS, neighbors=8, cell_size=2.0)
OPEN = np.flatnonzero(~WALLS)
MEMORY = 1 << 26


def spaces() -> dict[str, fc.Space]:
    return {"grid": GRID.with_walls(WALLS), "graph": GRID.to_graph(), "hexagons": fc.HexGrid(9, 7)}


def distances_in_steps(space: fc.Space, goal: int) -> np.ndarray:
    return fc.distance_map(space, space.position_of(goal)).values.reshape(-1) / space.typical_step


@pytest.mark.parametrize("name", spaces())
def test_rows_are_distance_maps_in_steps(name: str) -> None:
    space = spaces()[name]
    goals = np.flatnonzero(~space.walls.reshape(-1))[[3, 20, 3]]
    many = ManyGoals(space, MEMORY)
    rows = many.rows_of(goals)
    assert rows[0] == rows[2] != rows[1]
    for goal, row in zip(goals.tolist(), rows.tolist(), strict=True):
        np.testing.assert_allclose(many.rows[row], distances_in_steps(space, goal), rtol=1e-6)


def test_walls_and_costs_are_followed() -> None:
    space = spaces()["grid"]
    goal = OPEN[5:6]
    many = ManyGoals(space, MEMORY)
    row = many.rows_of(goal)[0]
    many.keep()
    before = many.rows[row].copy()
    many.follow()
    assert many.rows_of(goal)[0] == row and (many.rows[row] == before).all()
    many.keep()
    space.set_walls(OPEN[30], True)
    many.follow()
    row = many.rows_of(goal)[0]
    many.keep()
    after = many.rows[row].copy()
    np.testing.assert_allclose(after, distances_in_steps(space, int(goal[0])), rtol=1e-6)
    many.set_costs(np.full(len(many.lengths), 3.0))
    row = many.rows_of(goal)[0]
    many.keep()
    np.testing.assert_allclose(many.rows[row], 3 * after, rtol=1e-6)
    assert not np.isinf(before[OPEN[30]]) and np.isinf(after[OPEN[30]])


def test_along_paths_distances_are_steps() -> None:
    space = spaces()["grid"]
    parts = space.parts().reshape(-1)
    cells = np.flatnonzero(parts == np.bincount(parts[OPEN]).argmax())
    starts, goals = cells[[0, 3, 5]], cells[[-1, -7, 20]]
    guides = Guides(space)
    ids = np.arange(3)
    found = np.empty(3, dtype=np.float32)
    tables = guides.around(ids, starts, goals)
    kernels.agents.pibt_steps.read_distances(tables, ids, starts, found)
    paths = fc.shortest_paths(space, space.position_of(starts), space.position_of(goals))
    steps = [len(path.cells) - 1 for path in paths]
    guides.keep()
    assert found.tolist() == steps and min(steps) > 2
    without = guides.around(ids, starts, np.array([-1, goals[1], -1]))
    kernels.agents.pibt_steps.read_distances(without, np.array([-1, 1, -1]), starts, found)
    assert found.tolist() == [0, steps[1], 0]


@pytest.mark.parametrize("name", spaces())
def test_paths_are_new_after_a_change_of_walls(name: str) -> None:
    space = spaces()[name]
    parts = space.parts().reshape(-1)
    cells = np.flatnonzero(parts == np.bincount(parts[parts >= 0]).argmax())
    ids = np.arange(1)
    starts = cells[:1]
    goals = cells[-1:]
    guides = Guides(space)
    guides.around(ids, starts, goals)
    guides.keep()
    path = fc.shortest_path(space, space.position_of(starts[0]), space.position_of(goals[0])).cells
    space.set_walls(path[len(path) // 2 : len(path) // 2 + 1])
    found, expected = np.empty((2, len(space)), dtype=np.float32)
    here = np.zeros(len(space), dtype=np.int64)
    everywhere = np.arange(len(space))
    for each, out in ((guides, found), (Guides(space), expected)):
        tables = each.around(ids, starts, goals)
        kernels.agents.pibt_steps.read_distances(tables, here, everywhere, out)
    assert np.isfinite(expected).sum() > 2
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("side", "renewed"), [(20, 8), (100, 3), (300, 1)])
def test_the_larger_the_map_the_fewer_rows_follow_the_costs_at_once(
    side: int, renewed: int
) -> None:
    space = fc.Grid(side, side, neighbors=4)
    goals = np.arange(12)
    many = ManyGoals(space, MEMORY)
    rows = many.rows_of(goals)
    many.keep()
    before = many.rows[rows].copy()
    many.set_costs(np.full(len(many.lengths), 2.0))
    rows = many.rows_of(goals)
    many.keep()
    after = many.rows[rows]
    assert (after != before).any(axis=1).sum() == renewed
