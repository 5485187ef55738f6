"""Snapshots: walls and steps at one moment, brought up to date as if made anew."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.space.snapshots import GraphSnapshot, GridSnapshot, snapshot_of

WALLS = np.random.default_rng(5).random((8, 13)) < 0.3


def spaces() -> dict[str, fc.Space]:
    grid = fc.Grid(walls=WALLS, neighbors=8)
    return {"grid": grid, "graph": grid.to_graph(), "hexagons": fc.HexGrid(9, 7)}


def same(one: object, other: object) -> None:
    assert type(one) is type(other)
    for name in ("walls", "links", "sizes"):
        if hasattr(one, name):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("name", spaces())
def test_one_brought_up_to_date_is_one_made_anew(name: str) -> None:
    space = spaces()[name]
    before = snapshot_of(space)
    walls = before.walls.copy()
    cells = np.array([3, 20, 41])
    space.set_walls(cells, True)
    space.set_walls(np.array([20, 50]), False)
    changed = space.walls_changed(0)
    same(before.updated(space, None, changed), snapshot_of(space))
    assert np.array_equal(before.walls, walls)


@pytest.mark.parametrize("name", spaces())
def test_infinite_costs_are_walls(name: str) -> None:
    space = spaces()[name]
    costs = np.ones(len(space))
    costs[[5, 30]] = np.inf
    found = snapshot_of(space, costs)
    walled = space.with_walls(space.walls)
    walled.set_walls(np.array([5, 30]), True)
    same(found, snapshot_of(walled))


@pytest.mark.parametrize("name", spaces())
def test_walls_of_a_moment_only(name: str) -> None:
    space = spaces()[name]
    open_cells = np.flatnonzero(~space.walls.reshape(-1))[[2, 9]]
    before = snapshot_of(space)
    walled = before.walled(space, open_cells)
    assert walled.walls.reshape(-1)[open_cells].all()
    assert not before.walls.reshape(-1)[open_cells].any()
    assert isinstance(walled, GridSnapshot if name == "grid" else GraphSnapshot)


def test_closed_edges_are_infinitely_long() -> None:
    graph = fc.Graph([(0, 0), (3, 4), (6, 0)], [(0, 1), (1, 2)])
    graph.set_edges((0, 1))
    found = snapshot_of(graph)
    assert isinstance(found, GraphSnapshot)
    assert sorted(found.sizes.tolist()) == [5, 5, np.inf, np.inf]


@pytest.mark.parametrize("shape", [(1, 5), (1, 16), (3, 7), (8, 13), (9, 40)])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95, 1.0])
def test_spans_hold_all_open_cells_and_few_walls(shape: tuple[int, int], share: float) -> None:
    walls = np.random.default_rng(3).random(shape) < share
    walls[0, 0] = walls[0, 0] and share == 1
    found = snapshot_of(fc.Grid(walls=walls))
    assert isinstance(found, GridSnapshot)
    flat = walls.reshape(-1)
    held = np.zeros(flat.size, dtype=np.bool_)
    last = 0
    for start, end in found.spans.tolist():
        assert last <= start < end <= flat.size
        assert not held[start:end].any()
        held[start:end] = True
        last = end
    assert held[~flat].all()
    # Each cell of a span is in a block of 16 with an open cell.
    near = np.array([not flat[cell // 16 * 16 :][:16].all() for cell in range(flat.size)])
    np.testing.assert_array_equal(held, near)


@pytest.mark.parametrize("name", spaces())
def test_walls_that_open_again_leave_the_same_moment(name: str) -> None:
    space = spaces()[name]
    open_cells = np.flatnonzero(~space.walls.reshape(-1))[[2, 9]]
    before = snapshot_of(space)
    same(before.walled(space, open_cells).opened(space, open_cells), before)
    walls = np.flatnonzero(space.walls.reshape(-1))
    if len(walls):
        opened = before.opened(space, walls[:1])
        assert not opened.walls[walls[0]]
        assert before.walls[walls[0]]


@pytest.mark.parametrize("name", spaces())
def test_costs_that_change_are_followed(name: str) -> None:
    space = spaces()[name]
    costs = np.ones(len(space))
    costs[[5, 30]] = np.inf
    before = snapshot_of(space, costs)
    costs[[5, 31]] = [2.0, np.inf]
    same(before.updated(space, costs, np.array([5, 31])), snapshot_of(space, costs))


@pytest.mark.parametrize("name", spaces())
def test_a_pickled_moment_is_the_same(name: str) -> None:
    space = spaces()[name]
    space.set_walls([3])
    before = snapshot_of(space)
    other = pickle.loads(pickle.dumps(before))
    same(before, other)
    assert other.version == before.version == space.walls_version
    assert not other.walls.flags.writeable
