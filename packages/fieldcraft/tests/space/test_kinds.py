"""The grid or graph that a space runs on, and spaces that are refused."""

from __future__ import annotations

import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import kinds
from support.refusals import refused

GRID = fc.Grid(6, 4)
HEXES = fc.HexGrid(6, 4)
HEX_TORUS = fc.HexGrid(6, 4, wrap=True)


def test_grids_are_asked_for_by_name() -> None:
    assert kinds.grid_of(GRID, "A swarm") is GRID
    with refused(InvalidValue, "A swarm needs a grid"):
        kinds.grid_of(HEXES, "A swarm")


def test_each_space_runs_on_a_graph_or_a_grid() -> None:
    graph = GRID.to_graph()
    assert kinds.graph_of(graph) is graph
    assert len(kinds.graph_of(HEXES)) == len(HEXES)
    assert kinds.sight_grid_of(GRID) is GRID
    assert kinds.sight_grid_of(HEXES) is None
    assert kinds.sight_grid_of(graph) is not None


@pytest.mark.parametrize("space", [GRID, HEXES, HEX_TORUS, GRID.to_graph()])
def test_spaces_are_spaces(space: fc.Space) -> None:
    assert kinds.checked_space(space) is space


def test_other_things_are_no_space() -> None:
    with refused(InvalidValue, "Sight takes place on a space", "list"):
        kinds.checked_space([], "Sight takes place on")


def test_only_a_torus_of_hexagons_has_no_lines_of_sight() -> None:
    for space in (GRID, fc.Grid(6, 4, wrap=True), HEXES, GRID.to_graph()):
        kinds.check_lines_of_sight(space, "A shot")
    with refused(InvalidValue, "A shot runs along straight lines"):
        kinds.check_lines_of_sight(HEX_TORUS, "A shot")
