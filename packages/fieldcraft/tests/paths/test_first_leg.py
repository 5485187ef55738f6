"""First legs of paths: where agents stand between cells."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from support.agents_at import random_space


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
    space = random_space(kind, rng)
    open_ = np.flatnonzero(~space.walls.reshape(-1))
    cost = rng.integers(1, 4, space.shape).astype(np.float64)
    distances = fc.distance_map(space, space.position_of(int(open_[0])), cost=cost, charge=charge)
    places = space.position_of(open_)
    many = distances.step(places, onto_goals=onto_goals)
    for index, place in enumerate(places):
        one = distances.step(place, onto_goals=onto_goals)
        assert one.cells == many.cells[index] and one.found == many.found[index]
        assert one.values == many.values[index]
