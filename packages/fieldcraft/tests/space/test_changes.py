"""The history of walls, and copies of the spaces that have it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.space.changes import UNKNOWN, WallChanges


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def test_changes_are_returned_by_version() -> None:
    changes = WallChanges(10)
    changes.add(np.array([4]))
    changes.add(np.array([2, 4]))
    assert changes.version == 2
    assert changes.since(0).tolist() == [2, 4]
    assert changes.since(1).tolist() == [2, 4]
    assert changes.since(2).tolist() == []
    assert changes.since(UNKNOWN).tolist() == list(range(10))


def test_no_more_cells_than_the_space_has_are_kept() -> None:
    changes = WallChanges(4)
    changes.add(np.array([0, 1, 2]))
    changes.add(np.array([1, 2]))
    assert changes.since(1).tolist() == [1, 2]
    assert changes.since(0).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("how", [copy.deepcopy, pickled])
def test_hexagons_and_their_graph_stay_together(how: Any) -> None:
    hexes = fc.HexGrid(3, 1)
    twin, graph = how((hexes, hexes.graph))
    assert twin.graph is graph
    graph.set_edges((0, 1))
    assert twin.walls_version == graph.walls_version == 1
    assert twin.walls_changed(0).tolist() == [0, 1]


def test_a_copy_of_the_graph_of_hexagons_goes_on_alone() -> None:
    hexes = fc.HexGrid(3, 1)
    twin = copy.copy(hexes.graph)
    twin.set_walls([1])
    assert not hexes.walls.any() and twin.walls.tolist() == [False, True, False]


@pytest.mark.parametrize("how", [copy.deepcopy, pickled])
def test_a_coarser_grid_follows_the_copy_of_its_parent(how: Any) -> None:
    fine = fc.Grid(4, 2)
    coarse = fine.coarser(2)
    fine.set_walls([0, 1, 4, 5])
    twin, parent = how((coarse, fine))
    parent.set_walls([2, 3, 6, 7])
    assert twin.walls.tolist() == [[True, True]]
    assert twin.walls_changed(0).tolist() == [0, 1]
    assert coarse.walls.tolist() == [[True, False]]
