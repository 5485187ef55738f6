"""Cells in reach are those of a distance map within the limit, and cost no more than they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.paths.search import reach as reaching
from fieldcraft.space.wrapping import Wrap
from fieldcraft.values import Expression
from support.agents_at import random_space
from support.rooms import arena
from support.worlds import WRAPS


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 9_999),
    kind=st.sampled_from(["four", "eight", "torus", "hex", "graph"]),
    charge=st.sampled_from(["mean", "enter"]),
    costs=st.sampled_from(["none", "number", "float32", "float64", "infinite", "expression"]),
)
def test_it_is_the_part_of_a_distance_map_within_the_limit(
    seed: int, kind: str, charge: str, costs: str
) -> None:
    rng = np.random.default_rng(seed)
    space = random_space(kind, rng)
    cost: float | np.ndarray | Expression | None = None
    if costs == "number":
        cost = 2.5
    elif costs == "expression":
        layer = fc.InfluenceMap(space).add_layer("mud", values=rng.uniform(0, 4, space.shape))
        cost = 0.2 + layer
    elif costs != "none":
        cost = rng.uniform(0.5, 4, space.shape)
        cost = cost.astype(np.float32) if costs == "float32" else cost
        if costs == "infinite":
            cost[rng.random(space.shape) < 0.2] = math.inf
    closed = space.walls if costs != "infinite" else space.walls | np.isinf(cost)
    open_ = np.flatnonzero(~closed.reshape(-1))
    if len(open_) < 2:
        return
    starts = rng.choice(open_, 3)
    limit = float(rng.uniform(0, 9)) * space.typical_step
    for start, found in zip(
        starts,
        fc.reach(space, space.position_of(starts), limit, cost=cost, charge=charge),
        strict=True,
    ):
        away = fc.distance_map(
            space, space.position_of(int(start)), cost=cost, charge=charge, outward=True
        ).exact.reshape(-1)
        expected = np.flatnonzero(away <= limit * (1 + 1e-9))
        assert sorted(found.cells.tolist()) == expected.tolist()
        np.testing.assert_allclose(found.distances, away[found.cells], rtol=1e-12)
        assert found.cells[0] == start and (np.diff(found.distances) >= 0).all()
        goal = int(found.cells[-1])
        path = found.path(space.position_of(goal))
        assert path.cells[0] == start and path.cells[-1] == goal
        assert path.cost == pytest.approx(away[goal])


def test_a_unit_on_a_large_map_looks_no_farther_than_the_limit() -> None:
    space = fc.Grid(400, 400, neighbors=4)
    cost = np.full(space.shape, -1.0)
    cost[190:211, 190:211] = 1.0
    unit = fc.reach(space, (200.5, 200.5), 5, cost=cost, charge="enter")
    assert len(unit) == 61 and (200 * 400 + 200) in unit and 0 not in unit
    with pytest.raises(InvalidValue, match="cost of an open cell"):
        fc.reach(space, (200.5, 200.5), 12, cost=cost, charge="enter")
    assert len(fc.reach(space, (200.5, 200.5), 5, cost=cost, charge="enter")) == 61


@pytest.mark.parametrize("kind", ["grid", "torus", "graph", "costs"])
@pytest.mark.parametrize("memory", [4, 1024])
def test_many_agents_reach_what_each_alone_reaches(
    kind: str, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever memory there is at first, and however many searches one call makes."""
    monkeypatch.setattr(reaching, "_HEAP", memory)
    monkeypatch.setattr(reaching, "_AT_ONCE", 3)
    rng = np.random.default_rng(5)
    walls = rng.random((17, 26)) < 0.2
    space: fc.Space = fc.Grid(walls=walls, neighbors=8, wrap=kind == "torus")
    cost = None
    if kind == "graph":
        space = fc.Grid(walls=walls, neighbors=4).to_graph()
    if kind == "costs":
        cost = rng.uniform(1, 2, walls.shape)
    starts = space.position_of(rng.choice(np.flatnonzero(~walls), 8))
    together = fc.reach(space, starts, 5, cost=cost)
    assert len(together) == 8
    for agent, start in zip(together, starts, strict=True):
        alone = fc.reach(space, start, 5, cost=cost)
        for name in ("cells", "distances", "came_from"):
            np.testing.assert_array_equal(getattr(agent, name), getattr(alone, name))
    assert fc.reach(space, np.zeros((0, 2)), 5, cost=cost) == []


def test_a_cost_that_is_refused_for_one_of_many_leaves_no_trace() -> None:
    space = fc.Grid(30, 20, neighbors=8)
    cost = np.ones(space.shape)
    cost[10, 20] = -1.0
    agents = [(2.5, 2.5), (18.5, 9.5), (4.5, 12.5)]
    good = fc.reach(space, agents[::2], 6, cost=cost)
    with pytest.raises(InvalidValue, match=r"cost of an open cell.* -1"):
        fc.reach(space, agents, 6, cost=cost)
    with pytest.raises(InvalidValue, match=r"cost of an open cell.* -1"):
        fc.reach(space, [(2.5, 2.5), (20.5, 10.5)], 1, cost=cost)
    for one, other in zip(fc.reach(space, agents[::2], 6, cost=cost), good, strict=True):
        np.testing.assert_array_equal(one.cells, other.cells)
        np.testing.assert_array_equal(one.distances, other.distances)


def test_an_expression_is_computed_near_the_unit_only(monkeypatch: pytest.MonkeyPatch) -> None:
    space = fc.Grid(400, 300, neighbors=8)
    values = np.random.default_rng(3).uniform(0, 3, space.shape)
    threat = fc.InfluenceMap(space).add_layer("threat", values=values)
    known = fc.reach(space, (200.5, 150.5), 8, cost=(1 + threat).values)
    computed, values_at = [], Expression.values_at

    def counted(self: Expression, cells: np.ndarray) -> np.ndarray:
        computed.append(len(cells))
        return values_at(self, cells)

    monkeypatch.setattr(Expression, "values_at", counted)
    monkeypatch.setattr(Expression, "_evaluate", None)
    for weight, most in ((1.0, 250), (0.0, 1_000)):
        computed.clear()
        unit = fc.reach(space, (200.5, 150.5), 8, cost=1 + weight * threat)
        assert sum(computed) < most
        if weight:
            assert unit.cells.tolist() == known.cells.tolist()
    with pytest.raises(InvalidValue, match="cost of an open cell"):
        fc.reach(space, (200.5, 150.5), 8, cost=0 * threat)


def test_after_a_change_of_walls_the_steps_of_the_whole_map_are_not_listed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space = fc.Grid(40, 30, neighbors=8)
    monkeypatch.setattr(fc.Grid, "_find_steps", None)
    unit = fc.reach(space, (20.5, 15.5), 2)
    space.set_walls([15 * 40 + 21])
    assert len(fc.reach(space, (20.5, 15.5), 2)) == len(unit) - 2  # the wall and the cell behind it
    space.set_walls([15 * 40 + 21], False)
    assert fc.reach(space, (20.5, 15.5), 2).cells.tolist() == unit.cells.tolist()


def test_walls_and_refusals() -> None:
    space = fc.Grid(walls=[[0, 1, 0, 0]])
    with pytest.raises(OnWall, match="nearest open cell is 0"):
        fc.reach(space, (1.5, 0.5), 3)
    assert fc.reach(space, (1.6, 0.5), 3, on_wall="nearest").cells.tolist() == [0]
    unit = fc.reach(space, (2.5, 0.5), 3)
    assert not unit.path((0.5, 0.5)).found
    with pytest.raises(InvalidValue, match="one position"):
        unit.path([(0.5, 0.5)])
    with pytest.raises(InvalidValue, match="limit"):
        fc.reach(space, (2.5, 0.5), -1)


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("seed", range(4))
def test_hits_lie_within_range_of_a_cell_in_reach(seed: int, wrap: Wrap) -> None:
    space = arena(seed, wrap=wrap)
    for unit, far in zip(
        fc.reach(space, [(0.5, 0.5), (12.5, 8.5)], 3, [2.0, 0.0]), (2.0, 0.0), strict=True
    ):
        ways = space.shortest_vectors(space.positions[:, np.newaxis] - unit.positions)
        near = np.hypot(ways[..., 0], ways[..., 1]).min(axis=1).reshape(space.shape)
        assert np.array_equal(unit.hits, (near <= far + 1e-9) & ~space.walls)


def test_walls_stop_what_is_thrown() -> None:
    space = fc.Grid(walls=[[0, 1, 0, 0], [0, 0, 0, 1]])
    over, past = (fc.reach(space, (0.5, 0.5), 0, 2.0, sight=sight).hits for sight in (False, True))
    assert over.tolist() == [[True, False, True, False], [True, True, False, False]]
    assert not past[0, 2]
    assert past[1].any()


def test_hits_need_ranges() -> None:
    space = fc.Grid(4, 3)
    with pytest.raises(InvalidValue, match="ranges=3"):
        fc.reach(space, (0.5, 0.5), 2).hits
    with pytest.raises(InvalidValue, match="0 or more"):
        fc.reach(space, (0.5, 0.5), 2, -1)
    with pytest.raises(InvalidValue, match="limit"):
        fc.reach(space, (0.5, 0.5), -2, 1)


def test_hexagons_and_graphs_have_hits() -> None:
    board = fc.HexGrid(5, 4)
    unit = fc.reach(board, board.position_of(7), board.layout.step, ranges=board.layout.step)
    assert unit.hits.shape == board.shape
    assert unit.hits.sum() > len(unit.cells) == 7
    line = fc.Graph([(0, 0), (1, 0), (2, 0), (9, 0)], [(0, 1), (1, 2), (2, 3)])
    assert fc.reach(line, (0, 0), 1, 1.0).hits.tolist() == [True, True, True, False]
