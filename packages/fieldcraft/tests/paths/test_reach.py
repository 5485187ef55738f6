"""Cells in reach are those of a distance map within the limit, and cost no more than they are."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.values import Expression


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
    space = _space(kind, rng)
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


def _space(kind: str, rng: np.random.Generator) -> fc.Space:
    walls = rng.random((7, 9)) < 0.25
    if kind == "hex":
        return fc.HexGrid(9, 7, walls=walls)
    grid = fc.Grid(
        9, 7, walls=walls, neighbors=4 if kind == "four" else 8, wrap=kind == "torus", cell_size=2.0
    )
    return grid.to_graph() if kind == "graph" else grid


def test_a_unit_on_a_large_map_looks_no_farther_than_the_limit() -> None:
    space = fc.Grid(400, 400, neighbors=4)
    cost = np.full(space.shape, -1.0)
    cost[190:211, 190:211] = 1.0
    unit = fc.reach(space, (200.5, 200.5), 5, cost=cost, charge="enter")
    assert len(unit) == 61 and (200 * 400 + 200) in unit and 0 not in unit
    with pytest.raises(InvalidValue, match="cost of an open cell"):
        fc.reach(space, (200.5, 200.5), 12, cost=cost, charge="enter")
    assert len(fc.reach(space, (200.5, 200.5), 5, cost=cost, charge="enter")) == 61


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


class TestOnWall:
    SPACE = fc.Grid(walls=[[0, 0, 1, 1, 0]])

    def test_goals_and_starts_move_to_the_nearest_open_cell(self) -> None:
        there = fc.distance_map(self.SPACE, (2.2, 0.5), on_wall="nearest")
        assert there.goals.tolist() == [1]
        path = fc.shortest_path(self.SPACE, (0.5, 0.5), (2.2, 0.5), on_wall="nearest")
        assert path.cells.tolist() == [0, 1]
        paths = fc.shortest_paths(self.SPACE, [(2.2, 0.5)], (0.5, 0.5), on_wall="nearest")
        assert paths[0].cells.tolist() == [1, 0]
        with pytest.raises(InvalidValue, match="on_wall"):
            fc.shortest_path(self.SPACE, (0.5, 0.5), (2.2, 0.5), on_wall="near")

    @pytest.mark.parametrize("name", ["grid", "hex", "graph"])
    def test_open_near_keeps_open_positions(self, name: str) -> None:
        space = self.SPACE if name == "grid" else fc.HexGrid(5, 1, walls=self.SPACE.walls)
        space = self.SPACE.to_graph() if name == "graph" else space
        inside = space.position_of(1) + (0 if name == "graph" else 0.1)
        assert space.open_near(inside).tolist() == inside.tolist()
        assert space.open_near(space.position_of(2)).tolist() == space.position_of(1).tolist()


class TestWhereAgentsStand:
    @pytest.mark.parametrize("cost", [None, 2.0, np.ones((3, 9))])
    @pytest.mark.parametrize("smooth", [False, True])
    def test_a_path_asked_for_anew_each_frame_arrives(
        self, cost: float | np.ndarray | None, smooth: bool
    ) -> None:
        walls = np.zeros((3, 9), dtype=bool)
        walls[:2, 4] = True
        space = fc.Grid(walls=walls, neighbors=8)
        place = np.array([0.6, 0.4])
        for _ in range(200):
            path = fc.shortest_path(space, place, (8.5, 0.5), cost=cost, smooth=smooth)
            assert path.positions[0].tolist() == place.tolist()
            place = path.at(min(0.1, path.length))
            assert not space.walls.reshape(-1)[space.cell_at(place)]
            if space.cell_at(place) == 8:
                return
        pytest.fail(f"still at {place}")

    def test_length_and_cost_are_those_of_the_way_walked(self) -> None:
        space = fc.Grid(6, 2)
        path = fc.shortest_path(space, (0.9, 0.5), (4.5, 0.5), cost=3.0)
        assert path.length == pytest.approx(3.6) and path.cost == pytest.approx(3 * 3.6)
        assert path.at(path.length).tolist() == [4.5, 0.5]
        down = fc.distance_map(space, (4.5, 0.5), cost=3.0).descend((0.9, 0.5))
        assert down.length == pytest.approx(3.6) and down.cost == pytest.approx(path.cost)

    def test_on_the_edges_of_a_graph_paths_lead_over_vertices(self) -> None:
        graph = fc.Graph([(0, 0), (2, 0), (2, 2)], [(0, 1), (1, 2)])
        assert fc.shortest_path(graph, (0.2, 0.1), (2, 2)).positions[0].tolist() == [0, 0]

    def test_units_of_a_game_stand_where_their_position_is(self) -> None:
        unit, space = SimpleNamespace(position=(0.7, 0.5)), fc.Grid(5, 2)
        path = fc.shortest_path(space, unit, SimpleNamespace(position=(4.2, 0.5)))
        down = fc.distance_map(space, (4.2, 0.5)).descend(unit)
        assert path.positions[0].tolist() == down.positions[0].tolist() == [0.7, 0.5]

    @pytest.mark.parametrize("descends", [False, True])
    @pytest.mark.parametrize("directed", [False, True])
    def test_on_an_edge_paths_continue_along_it(self, directed: bool, descends: bool) -> None:
        edges = [(0, 1), (1, 2), (2, 3)]
        graph = fc.Graph(
            [(0, 0), (2, 0), (2, 2), (9, 2)], edges, lengths=[2.0, 6.0, 7.0], directed=directed
        )
        cost = np.array([1.0, 3.0, 1.0, 1.0])
        goals = fc.distance_map(graph, (9, 2), cost=cost)
        place, lengths = np.array([0.5, 0.0]), []
        for _ in range(146):
            down = goals.descend(place)
            path = down if descends else fc.shortest_path(graph, place, (9, 2), cost=cost)
            assert path.positions[0].tolist() == place.tolist()
            assert path.cost == pytest.approx(down.cost)
            lengths.append(path.length)
            place = path.at(0.1)
        assert goals.descend((0.5, 0)).cost == pytest.approx(1.5 * 2 + 6 * 2 + 7)
        np.testing.assert_allclose(lengths, np.maximum(14.5 - 0.1 * np.arange(146), 0), atol=1e-9)

    def test_on_an_edge_that_leads_away_paths_begin_at_the_vertex(self) -> None:
        graph = fc.Graph([(0, 0), (2, 0), (0, 2)], [(0, 1), (0, 2)], directed=True)
        assert fc.shortest_path(graph, (0.5, 0), (0, 2)).positions.tolist() == [[0, 0], [0, 2]]
        twoways = fc.Graph([(0, 0), (2, 0), (0, 2)], [(0, 1), (0, 2)])
        path = fc.shortest_path(twoways, (0.5, 0), (0, 2))
        assert path.positions.tolist() == [[0.5, 0], [0, 0], [0, 2]] and path.length == 2.5


@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 9_999),
    kind=st.sampled_from(["four", "eight", "torus", "hex", "graph"]),
    charge=st.sampled_from(["mean", "enter"]),
    onto_goals=st.booleans(),
)
def test_one_agent_steps_as_it_does_among_many(
    seed: int, kind: str, charge: str, onto_goals: bool
) -> None:
    rng = np.random.default_rng(seed)
    space = _space(kind, rng)
    open_ = np.flatnonzero(~space.walls.reshape(-1))
    cost = rng.integers(1, 4, space.shape).astype(np.float64)
    distances = fc.distance_map(space, space.position_of(int(open_[0])), cost=cost, charge=charge)
    places = space.position_of(open_)
    many = distances.step(places, onto_goals=onto_goals)
    for index, place in enumerate(places):
        one = distances.step(place, onto_goals=onto_goals)
        assert one.cells == many.cells[index] and one.found == many.found[index]
        assert one.values == many.values[index]
