"""Snapshots: walls and steps at one moment, brought up to date as if made anew."""

from __future__ import annotations

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
