"""Costs: from whatever a caller has to one number per cell, and what is refused."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths import distance_map
from fieldcraft.paths.cost import LEAST, CellCosts, Traffic
from fieldcraft.space import GridSnapshot

WALLS = np.zeros((3, 5), dtype=np.bool_)
WALLS[1, 2] = True


@pytest.fixture
def space() -> fc.Grid:
    return fc.Grid(5, 3, walls=WALLS, neighbors=8)


def resolve(space: fc.Grid, cost: Any) -> NDArray[np.float64]:
    """The costs of a space's cells."""
    costs = CellCosts(space, cost)
    if costs.values is None:
        assert costs.uniform is not None
        return np.full(space.shape, costs.uniform)
    return costs.values.reshape(space.shape)


def test_no_cost_is_1(space: fc.Grid) -> None:
    assert resolve(space, None).min() == resolve(space, None).max() == 1


@pytest.mark.parametrize(
    "cost",
    [2, 2.0, np.float32(2), np.full((3, 5), 2), np.full((3, 5), 2, np.float32), [[2] * 5] * 3],
)
def test_numbers_and_arrays_become_float64_of_the_spaces_shape(
    space: fc.Grid, cost: object
) -> None:
    found = resolve(space, cost)
    assert found.dtype == np.float64
    assert np.array_equal(found, np.full((3, 5), 2.0))


def test_what_comes_back_is_a_copy(space: fc.Grid) -> None:
    array = np.ones((3, 5))
    found = resolve(space, array)
    array[0, 0] = 7
    assert found[0, 0] == 1


def test_layers_and_expressions_are_read(space: fc.Grid) -> None:
    imap = fc.InfluenceMap(space)
    threat = imap.add_layer(
        "threat", None, values=np.where(WALLS, 0, np.arange(15).reshape(3, 5)).astype(np.float32)
    )
    expression = 1 + 4 * threat
    found = resolve(space, expression)
    assert np.array_equal(found[~WALLS], (1 + 4 * np.arange(15.0).reshape(3, 5))[~WALLS])
    with pytest.raises(InvalidValue, match="cost of an open cell"):
        resolve(space, threat)  # 0 in the corner
    with pytest.raises(InvalidValue, match="Got 0 at row 0, column 0"):
        resolve(space, -1 * threat)  # -0 there


def test_walls_are_not_looked_at(space: fc.Grid) -> None:
    cost = np.where(WALLS, np.nan, 1.0)
    assert resolve(space, cost).shape == space.shape


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, -math.inf, LEAST / 2, 1e31])
def test_bad_costs_are_refused_with_their_place(space: fc.Grid, bad: float) -> None:
    cost = np.ones((3, 5))
    cost[2, 3] = bad
    with pytest.raises(InvalidValue, match=r"row 2, column 3 \(cell 13\)"):
        resolve(space, cost)
    costs = CellCosts(space, np.ones((3, 5)))
    with pytest.raises(InvalidValue, match="cell 13"):
        costs.update(cost, np.array([1, 13]), np.array([0]))
    assert costs.update(cost, np.array([1, 2]), np.array([0])) is not None
    with pytest.raises(InvalidValue):
        resolve(space, bad)


@pytest.mark.parametrize(
    "bad",
    [
        True,
        "cheap",
        np.ones((5, 3)),
        np.ones(15),
        np.ones((3, 5), dtype=bool),
        math.inf,
        [[1], [1, 2]],
    ],
)
def test_other_things_are_refused(space: fc.Grid, bad: object) -> None:
    with pytest.raises(InvalidValue):
        resolve(space, bad)


def test_a_transposed_array_is_recognised(space: fc.Grid) -> None:
    with pytest.raises(InvalidValue, match="transpose"):
        resolve(space, np.ones((5, 3)))


@pytest.mark.parametrize(
    "other",
    [
        fc.Grid(5, 4),
        fc.Grid(5, 3, cell_size=2),
        fc.Grid(5, 3, origin=(1, 0)),
        fc.Grid(5, 3, y_up=True),
        fc.Grid(5, 3, wrap=True),
    ],
)
def test_layers_of_other_cells_are_refused(space: fc.Grid, other: fc.Grid) -> None:
    layer = fc.InfluenceMap(other).add_layer("other", None, values=np.ones(other.shape, np.float32))
    with pytest.raises(InvalidValue, match="cell of the space"):
        resolve(space, layer)


def test_infinite_costs_are_walls_whose_corners_are_not_cut(space: fc.Grid) -> None:
    cost = np.ones((3, 5))
    assert (
        GridSnapshot.of(space, resolve(space, cost)).walls.tolist()
        == space.walls.reshape(-1).tolist()
    )
    cost[0, 1] = math.inf
    now = GridSnapshot.of(space, resolve(space, cost))
    walls = now.walls.reshape(3, 5)
    assert np.array_equal(walls, WALLS | np.isinf(cost))
    assert np.array_equal(now.links, fc.Grid(5, 3, walls=walls, neighbors=8).links().reshape(-1))


@pytest.mark.parametrize("changed", ["never", "before", "after"])
def test_copied_costs_are_outdated_when_the_layer_they_read_changes(
    space: fc.Grid, changed: str
) -> None:
    imap = fc.InfluenceMap(space)
    threat = imap.add_layer("threat", fc.Radial(3))
    costs = CellCosts(space, threat + 1)
    paths = distance_map(space, (0.5, 0.5), cost=threat + 1)
    before = paths.values.copy()

    def change(layer: fc.Layer) -> None:
        layer.add_source((3.5, 0.5), 5.0)
        layer.step()

    if changed == "before":
        change(threat)
    for copied in (
        copy.deepcopy((costs, paths, threat)),
        pickle.loads(pickle.dumps((costs, paths, threat))),
    ):
        other, moved, layer = copied
        if changed == "after":
            change(layer)
        assert other.outdated == moved.outdated == (changed != "never")
        assert costs.outdated == (changed == "before")
        np.testing.assert_array_equal(moved.values, before)
        moved.repair()
        assert not moved.outdated
        expected = distance_map(layer.space, (0.5, 0.5), cost=layer + 1)
        np.testing.assert_array_equal(moved.values, expected.values)


@pytest.mark.parametrize("changed", ["never", "before", "after"])
def test_copied_traffic_is_outdated_when_its_layer_changes(space: fc.Grid, changed: str) -> None:
    layer = fc.InfluenceMap(space).add_layer("flow", fc.Trail(half_life=1.0, vector=True))
    traffic = Traffic(space, layer, 1.0)

    def change(flow: fc.Layer) -> None:
        flow.deposit((1.5, 0.5), (1.0, 0.0))
        flow.step()

    if changed == "before":
        change(layer)
    for other in (copy.deepcopy(traffic), pickle.loads(pickle.dumps(traffic))):
        if changed == "after":
            change(other.layer)
        assert other.outdated == (changed != "never")
        assert traffic.outdated == (changed == "before")


@pytest.mark.parametrize(
    "space",
    [fc.generate_map("cave", 48, 31, seed=2, neighbors=8), fc.HexGrid(31, 15)],
    ids=repr,
)
def test_agents_of_one_cell_walk_as_agents_without_a_size(space: fc.Space) -> None:
    start, goal = space.position_of(np.flatnonzero(~space.walls)[[0, -1]])
    for cost in (None, 2.0, 1.0 + np.arange(len(space)).reshape(space.shape)):
        one = fc.distance_map(space, goal, cost=cost, size=1)
        assert one.size == 1
        assert one.exact.tobytes() == fc.distance_map(space, goal, cost=cost).exact.tobytes()
        path = fc.shortest_path(space, start, goal, cost=cost, size=1)
        assert path.cost == fc.shortest_path(space, start, goal, cost=cost).cost
    graph = fc.Graph([(0, 0), (1, 0)], [(0, 1)])
    with pytest.raises(InvalidValue, match="Footprints fit"):
        fc.distance_map(graph, (0, 0), size=1)
