"""One step towards what is best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from support.refusals import refused


def hill(space: fc.Grid | fc.Graph, seed: int = 0) -> fc.Layer:
    values = np.random.default_rng(seed).integers(0, 6, space.shape).astype(np.float32)
    return fc.InfluenceMap(space).add_layer("hill", values=values)


@settings(max_examples=14)
@given(st.integers(0, 2**16), st.sampled_from([4, 8]), st.booleans())
def test_the_best_cell_one_step_away(seed: int, neighbors: int, as_graph: bool) -> None:
    rng = np.random.default_rng(seed)
    grid = fc.Grid(17, 11, walls=rng.random((11, 17)) < 0.3, neighbors=neighbors)
    space = grid.to_graph() if as_graph else grid
    layer, ways = hill(space, seed), space.adjacency
    flat, cells = layer.values.reshape(-1), rng.integers(0, len(space), 40)
    found = fc.query.uphill(layer, space.position_of(cells))
    expected = np.array(found.cells)
    assert found.found.tolist() == (expected != cells).tolist()
    assert found.values.tolist() == flat[expected].tolist()
    for cell, end in zip(cells.tolist(), expected.tolist(), strict=True):
        beside = [cell, *ways.ends[ways.starts[cell] : ways.starts[cell + 1]].tolist()]
        assert end in beside
        assert flat[end] == flat[beside].max()
        assert end == cell or flat[end] > flat[cell]
    np.testing.assert_array_equal(found.positions, space.position_of(expected))


def test_kinds_of_arguments() -> None:
    layer = fc.InfluenceMap(fc.Grid(9, 5)).add_layer(
        "a", values=np.broadcast_to(np.arange(9), (5, 9))
    )
    for where in ((2, 3), [2, 3], (2.5, 3.5)):  # whatever holds them, these are positions
        assert fc.query.uphill(layer, where).positions.tolist() == [3.5, 3.5]
    assert fc.query.uphill(-layer, [(2.5, 3.5), (0.5, 0.5)]).positions.tolist() == [
        [1.5, 3.5],
        [0.5, 0.5],
    ]
    assert fc.query.uphill(layer, (1.5, 1.5)) and not fc.query.uphill(layer, (8.5, 0.5))
    array = fc.query.uphill(layer.values, (1.5, 1.5), space=layer.space)
    assert array.cell == 11
    assert fc.query.uphill(layer, np.zeros((0, 2))).positions.shape == (0, 2)


def test_bad_input() -> None:
    layer = hill(fc.Grid(9, 5))
    with pytest.raises(OutsideMap):
        fc.query.uphill(layer, (9.5, 1.0))
    assert fc.query.uphill(layer, (9.5, 1.0), outside="clamp").positions.shape == (2,)
    for where in (10, [10, 11, 12], np.array(["a"]), [(0.5, float("nan"))]):
        with pytest.raises(InvalidValue):
            fc.query.uphill(layer, where)
    with refused(InvalidValue, "space"):
        fc.query.uphill(np.zeros((5, 9)), (1, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "occupied", [[2], [(2.5, 0.5)], np.array([2]), np.array([[0, 0, 1, 0, 0]], bool)]
)
def test_agents_keep_off_cells_that_others_hold(occupied: Any) -> None:
    grid = fc.Grid(5, 1)
    hunt = fc.distance_map(grid, (4.5, 0.5))
    for one_per_cell in (False, True):
        step = hunt.step([(1.5, 0.5), (3.5, 0.5)], one_per_cell=one_per_cell, occupied=occupied)
        assert step.cells.tolist() == [1, 4]
    hunters = [(1.5, 0.5), (3.5, 0.5)]
    food = fc.InfluenceMap(grid).add_layer("food", values=[[0, 1, 2, 3, 4]])
    assert fc.query.uphill(food, hunters, occupied=occupied).cells.tolist() == [1, 4]
    known = [[9, 9, 9, 9, 0]]
    step = fc.query.explore_step(
        known, hunters, 3, one_per_cell=True, occupied=occupied, space=grid
    )
    assert step.cells.tolist() == [0, 4]


def test_an_explorer_between_occupied_cells_stays() -> None:
    grid = fc.Grid(5, 1)
    step = fc.query.explore_step(
        [[9, 9, 9, 9, 0]], [(1.5, 0.5)], 3, one_per_cell=True, occupied=[0, 2], space=grid
    )
    assert step.cells.tolist() == [1] and step.targets.tolist() == [1]
    assert not step.found.any()


def test_an_agent_in_an_occupied_cell_stays_if_no_step_is_better() -> None:
    grid = fc.Grid(3, 1)
    food = fc.InfluenceMap(grid).add_layer("food", values=[[1, 5, 2]])
    assert fc.query.uphill(food, (1.5, 0.5), occupied=[1]).cells == 1


def test_occupied_cells_take_the_long_way_round() -> None:
    grid = fc.Grid(3, 2)
    hunt = fc.distance_map(grid, (2.5, 0.5))
    assert hunt.step((0.5, 1.5), occupied=[(0.5, 0.5)]).cells == 4
    assert hunt.step((0.5, 1.5), occupied=[(1.5, 1.5)]).cells == 0


def test_what_occupies_cells_is_checked() -> None:
    grid = fc.Grid(3, 1)
    hunt = fc.distance_map(grid, (2.5, 0.5))
    assert hunt.step((0.5, 0.5), occupied=[]).cells == 1
    with pytest.raises(fc.errors.OutsideMap):
        hunt.step((0.5, 0.5), occupied=[(9.5, 0.5)])
    with pytest.raises(fc.errors.OutsideMap):
        hunt.step((0.5, 0.5), occupied=[7])
    with pytest.raises(fc.errors.InvalidValue):
        hunt.step((0.5, 0.5), occupied="everywhere")
    with pytest.raises(fc.errors.InvalidValue, match="one_per_cell=True"):
        fc.query.explore_step([[0, 1, 2]], (0.5, 0.5), occupied=[1], space=grid)
