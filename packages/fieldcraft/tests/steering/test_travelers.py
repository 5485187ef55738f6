"""Travelling along edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.paths import distance_map, flow_field
from fieldcraft.steering import Travelers
from support import graphs

pytestmark = pytest.mark.reference

ROAD = [(0, 0), (1, 0), (2, 0), (2, 1)]


def road() -> fc.Graph:
    return fc.Graph(ROAD, [(0, 1), (1, 2), (2, 3)])


@settings(max_examples=25, deadline=None)
@given(web=graphs.webs(), seed=st.integers(0, 999))
def test_however_often_they_stop_they_arrive_after_the_same_way(web: graphs.Web, seed: int) -> None:
    graph = web.graph()
    arguments = web.arguments(graph)
    if arguments is None or web.lengths in ("wide", "lost"):
        return
    field = distance_map(graph, graph.positions[arguments[0]])
    flow = flow_field(field)
    rng = np.random.default_rng(seed)
    starts = rng.choice(np.flatnonzero(~graph.walls), 20)
    agents = at_once = Travelers.at(graph, graph.positions[starts])
    gone = np.zeros(20)
    for _ in range(8):
        more = rng.uniform(0, 3, 20)
        agents, gone = agents.travel(flow, more), gone + more
    at_once = at_once.travel(flow, gone)
    np.testing.assert_array_equal(agents.cells, at_once.cells)
    np.testing.assert_allclose(agents.positions, at_once.positions, atol=1e-9)
    far = field.exact[starts]
    arrived = np.isfinite(far) & (gone > far * (1 + 1e-9))
    assert (
        np.isin(agents.vertices[arrived], arguments[0]).all() and (agents.arcs[arrived] < 0).all()
    )
    lost = ~np.isfinite(far)
    np.testing.assert_array_equal(agents.vertices[lost], starts[lost])
    # On the way they are so much nearer to the goal.
    under_way = np.flatnonzero(np.isfinite(far) & (gone < far * (1 - 1e-9)) & (agents.arcs >= 0))
    lengths = graph.topology.lengths[agents.arcs[under_way]]
    left = field.exact[agents.heading[under_way]] + lengths - agents.gone[under_way]
    np.testing.assert_allclose(left, (far - gone)[under_way], atol=1e-6)


class TestOnTheWay:
    def test_positions_and_cells(self) -> None:
        agents = Travelers.at(road(), [(0, 0), (0.9, 0.1)])
        assert agents.positions.tolist() == [[0, 0], [1, 0]] and agents.heading.tolist() == [-1, -1]
        flow = flow_field(distance_map(agents.space, (2, 1)))
        agents = agents.travel(flow, [0.4, 1.6])
        assert agents.positions.tolist() == pytest.approx(np.array([[0.4, 0], [2, 0.6]]))
        assert agents.cells.tolist() == [0, 3] and agents.heading.tolist() == [1, 3]
        assert "2 on" in repr(agents)
        assert agents.travel(flow, 9).positions.tolist() == [[2, 1], [2, 1]]

    def test_long_edges_are_walked_at_an_even_pace(self) -> None:
        lift = fc.Graph([(0, 0, 0), (0, 0, 3)], [(0, 1)], lengths=[12], max_height=1)
        agents = Travelers.at(lift, [(0, 0, 0)]).travel(
            flow_field(distance_map(lift, (0, 0, 3))), 4.0
        )
        assert agents.positions.tolist() == [[0, 0, 1]]

    def test_who_would_come_straight_back_turns_round(self) -> None:
        graph = road()
        agents = Travelers.at(graph, [(0, 0)]).travel(flow_field(distance_map(graph, (2, 0))), 0.75)
        back = agents.travel(flow_field(distance_map(graph, (0, 0))), 0.5)
        assert back.positions.tolist() == [[0.25, 0]] and back.heading.tolist() == [0]

    def test_on_a_one_way_edge_one_goes_to_its_end(self) -> None:
        graph = fc.Graph(ROAD, [(0, 1), (1, 2), (2, 0)], directed=True)
        agents = Travelers.at(graph, [(0, 0)]).travel(flow_field(distance_map(graph, (1, 0))), 0.75)
        on = agents.travel(flow_field(distance_map(graph, (0, 0))), 0.5)
        assert on.positions.tolist() == [[1.25, 0]]

    def test_closed_edges(self) -> None:
        graph = road()
        flow = flow_field(distance_map(graph, (2, 1)))
        agents = Travelers.at(graph, [(0, 0), (1, 0)]).travel(flow, 0.25)
        graph.set_edges((1, 2))
        flow.distance_map.repair()
        agents = agents.travel(flow, 0.5)
        assert agents.positions.tolist() == [
            [0.75, 0],
            [1.25, 0],
        ]  # it can't be turned round on an edge that is closed both ways
        graph.set_edges((1, 2), blocked=False)
        graph.set_walls(2)
        assert agents.travel(flow, 0.5).positions.tolist() == [[1, 0], [1, 0]]

    def test_a_blocked_vertex_ahead_turns_them_round(self) -> None:
        graph = road()
        flow = flow_field(distance_map(graph, (2, 1)))
        agents = Travelers.at(graph, [(1, 0)]).travel(flow, 0.25)
        graph.set_walls(2)
        assert agents.travel(flow, 0.125).positions.tolist() == [[1.125, 0]]

    def test_each_may_choose(self) -> None:
        graph = road()
        agents = Travelers.at(graph, [(0, 0), (1, 0), (2, 0)]).travel([1, 0, -1], 0.25)
        assert agents.positions.tolist() == [[0.25, 0], [0.75, 0], [2, 0]]
        agents = agents.travel([0, 0, 3], 0.125)
        assert agents.positions.tolist() == [[0.125, 0], [0.625, 0], [2, 0.125]]
        agents = agents.travel([1, 0, 3], 9)
        assert agents.positions.tolist() == [[1, 0], [0, 0], [2, 1]]


class TestRefusals:
    def test_arguments(self) -> None:
        graph = road()
        agents = Travelers.at(graph, [(0, 0)])
        with pytest.raises(InvalidValue, match="an edge leads to"):
            agents.travel([3], 1.0)
        with pytest.raises(InvalidValue, match="next vertex of each"):
            agents.travel([1, 2], 1.0)
        with pytest.raises(InvalidValue, match="distances"):
            agents.travel([1], -1.0)
        with pytest.raises(InvalidValue, match="their own graph"):
            agents.travel(flow_field(distance_map(road(), (0, 0))), 1.0)
        with pytest.raises(InvalidValue, match="edges needs a graph"):
            Travelers.at(fc.Grid(4, 3), [(1, 1)])  # type: ignore[arg-type]
        graph.set_walls(0)
        with pytest.raises(OnWall, match="index 0"):
            Travelers.at(graph, [(0, 0)])
        assert len(Travelers.at(graph, np.zeros((0, 2))).travel([], 1.0)) == 0
