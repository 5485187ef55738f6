"""Distance maps on graphs: those of SciPy and networkx, those of the grid, repaired to the bits of
a new one.
"""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import kernels
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.paths import DistanceMap, distance_map
from support import graphs, grids
from support.charged import charged_space
from support.refusals import refused

TRIANGLE = fc.Graph([(0, 0), (4, 0), (4, 3)], [(0, 1), (1, 2), (0, 2)])


def house() -> fc.Graph:
    """A row of rooms 0 to 4, and a drop from the last one back to the first."""
    return fc.Graph(
        [(x, 0) for x in range(5)],
        [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 4), (4, 3), (4, 0)],
        directed=True,
    )


@settings(max_examples=50, deadline=None)
@given(web=graphs.webs(30))
def test_distances_are_those_of_scipy(web: graphs.Web) -> None:
    graph = web.graph()
    arguments = web.arguments(graph)
    if arguments is None:
        return
    goals, keywords = arguments
    cost = np.broadcast_to(np.asarray(keywords.get("cost", 1.0), dtype=np.float64), len(graph))
    starts = np.broadcast_to(keywords.get("start_costs", 0.0), len(goals))
    expected = graphs.by_scipy(graph, goals, starts, cost)
    field = distance_map(graph, graph.positions[goals], **keywords)
    if web.limit is not None:
        expected = np.where(expected > web.limit * (1 + 1e-9), np.inf, expected)
    np.testing.assert_allclose(field.exact, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(field.values, field.exact.astype(np.float32))


@settings(max_examples=25, deadline=None)
@given(world=grids.worlds(14))
def test_a_grid_and_its_graph_agree(world: grids.World) -> None:
    space = world.grid()
    arguments = world.arguments(space)
    if arguments is None:
        return
    goals, keywords = arguments
    graph = space.to_graph()
    there = graph.position_of(np.asarray(space.cell_at(goals)))
    here = distance_map(space, goals, **keywords)
    if "cost" in keywords and not isinstance(keywords["cost"], float):
        keywords["cost"] = keywords["cost"].reshape(-1)
        if np.isinf(keywords["cost"]).any():
            # a grid cuts no corners past dear ground that is a wall; edges know nothing of corners
            return
        found = distance_map(graph, there, **keywords)
        np.testing.assert_array_equal(found.exact, here.exact.reshape(-1))
    else:
        found = distance_map(graph, there, **keywords)
        near = np.abs(here.exact.reshape(-1) - (world.limit or 0)) < 1e-6
        np.testing.assert_allclose(found.exact[~near], here.exact.reshape(-1)[~near], rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(web=graphs.webs(), seed=st.integers(0, 999))
def test_repairs_give_the_bits_of_a_new_map(web: graphs.Web, seed: int) -> None:
    graph = web.graph()
    arguments = web.arguments(graph)
    if arguments is None:
        return
    goals, keywords = arguments
    field = distance_map(graph, graph.positions[goals], **keywords)
    rng = np.random.default_rng(seed)
    seen = field.exact
    for turn in range(5):
        graph.set_walls(rng.integers(0, len(graph), 2), bool(rng.integers(2)))
        if len(graph.edges):
            graph.set_edges(
                graph.edges[rng.integers(0, len(graph.edges), 3)], blocked=bool(rng.integers(2))
            )
        version = field.version
        if web.costs == "any" and turn % 2:
            keywords["cost"] = keywords["cost"].copy()
            keywords["cost"][rng.integers(0, len(graph), 3)] = rng.uniform(1, 5)
            changed = field.repair(cost=keywords["cost"])
        else:
            changed = field.repair()
        assert not field.outdated
        standing = ~field.walls[goals]
        new = keywords | (
            {"start_costs": keywords["start_costs"][standing]} if "start_costs" in keywords else {}
        )
        if standing.any():
            np.testing.assert_array_equal(
                field.exact, distance_map(graph, graph.positions[goals[standing]], **new).exact
            )
        else:
            assert np.isinf(field.exact).all()
        assert changed is not None
        np.testing.assert_array_equal(changed, np.flatnonzero(seen != field.exact))
        if len(changed):
            np.testing.assert_array_equal(field.changed_since(version), changed)
        np.testing.assert_array_equal(field.values, field.exact.astype(np.float32))
        seen = field.exact


@settings(max_examples=25, deadline=None)
@given(web=graphs.webs())
def test_ways_lead_down_to_a_goal_at_the_price_named(web: graphs.Web) -> None:
    graph = web.graph()
    arguments = web.arguments(graph)
    if arguments is None:
        return
    goals, keywords = arguments
    field = distance_map(graph, graph.positions[goals], **keywords)
    topology = graph.topology
    cost = np.broadcast_to(np.asarray(keywords.get("cost", 1.0), dtype=np.float64), len(graph))
    for vertex in np.flatnonzero(~field.walls)[:8].tolist():
        path = field.descend(graph.positions[vertex])
        assert path.found == np.isfinite(field.exact[vertex])
        if not path:
            continue
        arcs = topology.arcs_between(path.cells[:-1], path.cells[1:])
        assert (arcs >= 0).all() and path.cells[0] == vertex and path.cells[-1] in goals
        assert path.length == pytest.approx(topology.lengths[arcs].sum())
        weights = topology.lengths[arcs] * (cost[path.cells[:-1]] + cost[path.cells[1:]]) / 2
        assert path.cost == pytest.approx(weights.sum(), rel=1e-9, abs=1e-12)
        assert (np.diff(field.exact[path.cells]) < 0).all()


class TestOneWay:
    def test_distances_are_those_of_walking_to_the_goal(self) -> None:
        assert distance_map(house(), (0, 0)).values.tolist() == [
            0,
            1,
            2,
            3,
            4,
        ]  # the drop is four units long
        assert distance_map(house(), (4, 0)).values.tolist() == [4, 3, 2, 1, 0]
        ledge = fc.Graph([(0, 0), (1, 0)], [(0, 1)], directed=True)
        assert distance_map(ledge, (1, 0)).values.tolist() == [1, 0]
        assert distance_map(ledge, (0, 0)).values.tolist() == [0, np.inf]

    def test_a_closed_edge_is_no_way_in_its_direction_only(self) -> None:
        graph = house()
        field = distance_map(graph, (0, 0))
        assert field.values[2] == 2
        graph.set_edges((2, 1))
        assert field.outdated
        assert field.repair().tolist() == [2, 3]
        assert field.values.tolist() == [0, 1, 6, 5, 4]
        graph.set_edges((2, 1), blocked=False)
        assert field.repair().tolist() == [2, 3]


class TestAnswers:
    def test_nothing_is_searched_further_than_asked(self) -> None:
        long = fc.Graph([(x, 0) for x in range(5000)], [(x, x + 1) for x in range(4999)])
        field = distance_map(long, (0, 0))
        assert field.sample((3, 0)) == 3
        assert not field.search.finished or not kernels.compiled()
        assert field.sample([(10, 0), (4000, 0)]).tolist() == [10, 4000]
        assert field.values[-1] == 4999

    def test_layers_are_costs(self) -> None:
        graph = fc.Graph([(0, 0), (5, 3), (5, -4), (10, 0)], [(0, 1), (1, 3), (0, 2), (2, 3)])
        threat = fc.InfluenceMap(graph).add_layer("threat", fc.Spread(decay=0.1, momentum=1.0))
        field = distance_map(graph, (10, 0), cost=1 + 4 * threat)
        assert field.descend((0, 0)).cells.tolist() == [0, 1, 3]
        threat.write(np.array([0, 1, 0, 0], dtype=np.float32))
        assert field.outdated
        field.repair()
        assert field.descend((0, 0)).cells.tolist() == [0, 2, 3]

    def test_blocking(self) -> None:
        graph = house()
        assert fc.would_block(graph, 2, (0, 0)) is False  # the drop is left
        assert fc.would_block(graph, 2, (4, 0)) is True
        assert fc.would_block(graph, 2, (4, 0), starts=(3, 0)) is False
        field = distance_map(graph, (4, 0))
        assert field.cut_off([2]).tolist() == [0, 1]
        np.testing.assert_array_equal(field.values, [4, 3, 2, 1, 0])

    def test_fleeing_leads_past_the_danger_out_of_a_dead_end(self) -> None:
        # A dead end of one edge on this side of the danger, a long way on the other.
        graph = fc.Graph([(x, 0) for x in range(12)], [(x, x + 1) for x in range(11)])
        safety = fc.flee_map(distance_map(graph, (2, 0)), strength=2.0)
        assert safety.descend((1, 0)).cells[-1] == 11
        graph.set_edges((5, 6))
        safety.repair()
        assert safety.descend((3, 0)).cells[-1] == 5

    def test_a_path_is_walked_at_the_pace_of_its_edges(self) -> None:
        lift = fc.Graph(
            [(0, 0, 0), (0, 0, 3), (4, 0, 3)], [(0, 1), (1, 2)], lengths=[12, 4], max_height=1
        )
        path = distance_map(lift, (4, 0, 3)).descend((0, 0, 0))
        assert path.length == 16
        assert path.at([0, 6, 12, 14]).tolist() == [[0, 0, 0], [0, 0, 1.5], [0, 0, 3], [2, 0, 3]]

    def test_edges_too_short_to_be_added_to_long_ways_lead_on_all_the_same(self) -> None:
        graph = fc.Graph(
            [(0, 0), (1, 0), (2, 0), (3, 0)],
            [(0, 1), (1, 2), (2, 3), (1, 3)],
            lengths=[1e10, 1e-9, 1e-9, 1e-9],
        )
        field = distance_map(graph, (0, 0))
        assert field.exact[0] < field.exact[1] < field.exact[2] == field.exact[3]
        assert field.descend((2, 0)).cells.tolist() == [2, 1, 0]
        graph.set_edges((0, 1))
        assert field.repair().tolist() == [1, 2, 3]  # none bears another out
        assert np.isinf(field.exact[1:]).all()

    def test_what_it_says_of_itself(self) -> None:
        assert repr(distance_map(TRIANGLE, (0, 0))) == "<DistanceMap to 1 goal on 3 vertices>"


class TestRefusals:
    def test_goals_on_blocked_vertices(self) -> None:
        graph = fc.Graph([(0, 0), (1, 0)], [(0, 1)], blocked=[1])
        with pytest.raises(OnWall, match="nearest open vertex is 0"):
            distance_map(graph, (1, 0))

    def test_goals_off_the_floor(self) -> None:
        graph = fc.Graph([(0, 0, 0), (1, 0, 0)], [(0, 1)], max_height=1)
        with pytest.raises(OutsideMap, match="nearest open vertex"):
            distance_map(graph, (0, 0, 5))

    def test_empty_graphs(self) -> None:
        with pytest.raises(OutsideMap):
            distance_map(fc.Graph(np.zeros((0, 2)), []), (0, 0))

    def test_costs(self) -> None:
        with pytest.raises(InvalidValue, match="vertex 1"):
            distance_map(TRIANGLE, (0, 0), cost=[1, 0, 1])
        with pytest.raises(InvalidValue, match=r"\(N,\)"):
            distance_map(TRIANGLE, (0, 0), cost=[1, 1])
        other = fc.InfluenceMap(house()).add_layer("threat", fc.Spread(decay=0.1, momentum=1.0))
        with pytest.raises(InvalidValue, match="cell of the space"):
            distance_map(TRIANGLE, (0, 0), cost=1 + other)

    def test_spaces(self) -> None:
        with pytest.raises(InvalidValue, match="lie on a space"):
            distance_map(7, (0, 0))  # type: ignore[arg-type]
        with pytest.raises(InvalidValue, match="belongs to this space"):
            fc.would_block(house(), 2, DistanceMap(TRIANGLE, (0, 0)))


def _plainly(space, goals, start_costs, cost, charge, outward, limit):
    """Dijkstra's search, as in a book: how far each cell is, and by which price a step goes."""
    barred = space.walls | np.isinf(cost)
    ways = space.with_walls(barred).adjacency  # no corner of what is barred is cut
    cost = np.asarray(cost, dtype=float).reshape(-1)

    def price(a, b, length):
        return length * (cost[b] if charge == "enter" else (cost[a] + cost[b]) / 2)

    steps: dict[int, list[tuple[int, float]]] = {}
    for a, b, length in zip(
        ways.origins.tolist(), ways.ends.tolist(), ways.lengths.tolist(), strict=True
    ):
        here, there = (a, b) if outward else (b, a)
        steps.setdefault(here, []).append((there, price(a, b, length)))
    far = np.full(len(space), np.inf)
    waiting = [
        (begin, cell)
        for cell, begin in zip(goals, start_costs, strict=True)
        if not np.isinf(cost[cell])
    ]
    while waiting:
        distance, cell = heapq.heappop(waiting)
        if distance >= far[cell] or distance > limit:
            continue
        far[cell] = distance
        for there, size in steps.get(cell, ()):
            if not np.isinf(cost[there]) and not np.isinf(cost[cell]):
                heapq.heappush(waiting, (distance + size, there))
    return far.reshape(space.shape)


@settings(max_examples=16, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(["grid", "king", "torus", "graph"]),
    charge=st.sampled_from(["mean", "enter"]),
    outward=st.booleans(),
    extras=st.booleans(),
)
def test_is_the_search_of_the_book(seed, kind, charge, outward, extras):
    space = charged_space(seed, kind)
    rng = np.random.default_rng(seed + 1)
    cost = rng.integers(1, 6, space.shape).astype(float)
    cost[rng.random(space.shape) < 0.1] = np.inf
    free = np.flatnonzero(~space.walls.reshape(-1) & np.isfinite(cost.reshape(-1)))
    goals = np.unique(rng.choice(free, 2))
    begins = rng.random(len(goals)) * 4 if extras else np.zeros(len(goals))
    limit = 12.0 if extras else np.inf
    distances = fc.distance_map(
        space,
        space.position_of(goals),
        cost=cost,
        start_costs=begins,
        limit=limit if extras else None,
        charge=charge,
        outward=outward,
    )
    expected = _plainly(space, goals.tolist(), begins.tolist(), cost, charge, outward, limit)
    np.testing.assert_allclose(distances.values, expected, rtol=1e-6)
    reached = free[np.isfinite(expected.reshape(-1)[free])]
    start = int(rng.choice(reached))
    path = distances.descend(space.position_of(start))
    ends = path.cells[[0, -1]].tolist()
    assert (ends[1] if outward else ends[0]) == start
    assert (ends[0] if outward else ends[1]) in goals
    walked = 0.0
    ways, flat = space.adjacency, cost.reshape(-1)
    for a, b in zip(path.cells[:-1], path.cells[1:], strict=True):
        arcs = np.arange(ways.starts[a], ways.starts[a + 1])
        length = ways.lengths[arcs[ways.ends[arcs] == b]].min()
        walked += length * (flat[b] if charge == "enter" else (flat[a] + flat[b]) / 2)
    assert walked == pytest.approx(path.cost)
    if charge == "mean" and not outward and not extras and len(goals) == 1:
        goal = space.position_of(int(goals[0]))
        shortest = fc.shortest_path(space, space.position_of(start), goal, cost=cost)
        assert shortest.cost == pytest.approx(path.cost)


def test_a_row_of_tiles_reckons_as_board_games_do():
    space = fc.Grid(5, 2, tiles=True)
    cost = np.ones(space.shape)
    cost[0, 2] = 5
    cost[1] = np.inf
    assert fc.distance_map(space, (0, 0), cost=cost).sample((2, 0)) == 4
    assert fc.distance_map(space, (2, 0), cost=cost, charge="enter").sample((0, 0)) == 6
    assert (
        fc.distance_map(space, (0, 0), cost=cost, charge="enter", outward=True).sample((2, 0)) == 6
    )
    assert fc.distance_map(space, (0, 0), cost=cost, charge="enter").sample((2, 0)) == 2
    with refused(InvalidValue, "charge"):
        fc.distance_map(space, (0, 0), charge="leave")
    with refused(InvalidValue, "outward"):
        fc.distance_map(space, (0, 0), outward=1)


@pytest.mark.parametrize("graph", [False, True])
def test_charged_maps_follow_walls_and_serve_what_others_serve(graph):
    walls = np.zeros((4, 7), dtype=bool)
    walls[:3, 3] = True
    space = fc.Grid(walls=walls)
    space = space.to_graph() if graph else space
    distances = fc.distance_map(space, (6.5, 0.5), charge="enter")
    usual = fc.distance_map(space, (6.5, 0.5))
    np.testing.assert_allclose(distances.values, usual.values)
    assert fc.would_block(space, [24], distances)
    assert distances.cut_off([24]).tolist() == usual.cut_off([24]).tolist()
    flow = fc.flow_field(distances)
    assert np.abs(flow.sample((0.5, 0.5))).max() > 0
    flight = fc.flee_map(distances)
    np.testing.assert_allclose(flight.values, fc.flee_map(usual).values, rtol=1e-6)
    space.set_walls([0])
    assert distances.outdated
    assert distances.repair() is None
    usual.repair()
    np.testing.assert_allclose(distances.values, usual.values)
    with refused(InvalidValue, "outward"):
        fc.flow_field(fc.distance_map(space, (6.5, 0.5), outward=True))
    with refused(InvalidValue, "outward"):
        fc.distance_map(space, (6.5, 0.5), outward=True).step((1.5, 1.5))
