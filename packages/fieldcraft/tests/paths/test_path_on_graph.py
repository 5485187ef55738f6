"""Shortest paths on graphs: as cheap as distance maps and networkx say; over meshes as straight as
their doors allow.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.paths import distance_map, shortest_path, shortest_paths
from support import graphs, realdata
from support.meshes import CORNERS, ROOMS


@settings(max_examples=35, deadline=None)
@given(web=graphs.webs(), seed=st.integers(0, 999))
def test_paths_cost_what_distance_maps_say(web: graphs.Web, seed: int) -> None:
    graph = web.graph()
    free = np.flatnonzero(~graph.walls)
    if not len(free) or web.costs == "walls":
        return
    arguments = web.arguments(graph)
    cost = None if arguments is None else arguments[1].get("cost")
    starts, goals = np.random.default_rng(seed).choice(free, (2, 12))
    paths = shortest_paths(graph, graph.positions[starts], graph.positions[goals], cost=cost)
    for start, goal, path in zip(starts.tolist(), goals.tolist(), paths, strict=True):
        field = distance_map(graph, graph.positions[goal], cost=cost)
        assert path.cost == pytest.approx(field.exact[start], rel=1e-12)
        single = shortest_path(graph, graph.positions[start], graph.positions[goal], cost=cost)
        np.testing.assert_array_equal(single.cells, path.cells)
        if path:
            arcs = graph.topology.arcs_between(path.cells[:-1], path.cells[1:])
            assert (arcs >= 0).all() and not graph.walls[path.cells].any()
            assert (path.cells[0], path.cells[-1]) == (start, goal)
            assert path.length == pytest.approx(graph.topology.lengths[arcs].sum())


def test_paths_are_as_long_as_those_of_networkx() -> None:
    rng = np.random.default_rng(5)
    graph = fc.Graph(rng.uniform(0, 9, (80, 2)), rng.integers(0, 80, (260, 2)), directed=True)
    other = graph.to_networkx()
    for goal in range(1, 30):
        path = shortest_path(graph, graph.positions[0], graph.positions[goal])
        try:
            expected = nx.astar_path_length(other, 0, goal, weight="length")
        except nx.NetworkXNoPath:
            expected = np.inf
        assert path.length == pytest.approx(expected, rel=1e-9)


def test_shortcuts_through_the_air_are_found() -> None:
    # An edge of length 1 where the straight distance is 10: a bound by straight distances would
    # miss it.
    graph = fc.Graph(
        [(0, 0), (1, 5), (10, 0), (5, 0)],
        [(0, 1), (1, 2), (0, 3), (3, 2)],
        lengths=[0.5, 0.5, 5, 5],
    )
    assert shortest_path(graph, (0, 0), (10, 0)).cells.tolist() == [0, 1, 2]


def test_walls_and_closed_edges_may_change_between_calls() -> None:
    graph = fc.Graph([(0, 0), (1, 1), (1, -2), (2, 0)], [(0, 1), (1, 3), (0, 2), (2, 3)])
    assert shortest_path(graph, (0, 0), (2, 0)).cells.tolist() == [0, 1, 3]
    graph.set_walls(1)
    assert shortest_path(graph, (0, 0), (2, 0)).cells.tolist() == [0, 2, 3]
    graph.set_edges((0, 2))
    assert not shortest_path(graph, (0, 0), (2, 0))
    assert not shortest_path(graph, (0, 0), (2, 0))  # it is known by now what lies apart
    graph.set_walls(1, False)
    assert shortest_path(graph, (0, 0), (2, 0)).cells.tolist() == [0, 1, 3]


class TestStraightLegs:
    def test_over_open_ground_a_path_is_a_straight_line(self) -> None:
        mesh, _ = graphs.squares(fc.Grid(11, 7))
        for start, goal in (
            ((0.2, 3.9), (10.7, 3.1)),
            ((0.2, 0.3), (10.7, 6.1)),
        ):  # also where the cheapest way is no corridor for it
            path = shortest_path(mesh, start, goal, smooth=True)
            assert path.positions.tolist() == [list(start), list(goal)]
            assert path.length == pytest.approx(np.hypot(goal[0] - start[0], goal[1] - start[1]))
            assert path.cells.tolist() == mesh.cell_at([start, goal]).tolist()

    def test_it_turns_at_corners(self) -> None:
        mesh = fc.Graph.from_polygons(CORNERS, ROOMS)
        path = shortest_path(mesh, (1, 3.5), (12, 3.5), smooth=True)
        np.testing.assert_allclose(path.positions, [(1, 3.5), (4, 2), (9, 2), (12, 3.5)])
        assert path.length == pytest.approx(5 + 2 * np.hypot(3, 1.5))
        assert path.cells.tolist() == [0, 1, 2, 2]
        assert path.at(path.length / 2).tolist() == pytest.approx([6.5, 2])
        straight = shortest_path(mesh, (1, 1.5), (12, 1.5), smooth=True)
        assert straight.positions.tolist() == [[1, 1.5], [12, 1.5]]

    @settings(max_examples=20, deadline=None)
    @given(seed=st.integers(0, 999))
    def test_it_stays_on_the_mesh_and_is_no_longer_than_over_the_middles_of_doors(
        self, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        mesh, _ = graphs.squares(fc.Grid(12, 9, walls=rng.random((9, 12)) < 0.25))
        assert mesh.mesh is not None
        ends = mesh.positions[rng.integers(0, len(mesh), (2, 6))]
        for plain, smooth in zip(
            shortest_paths(mesh, *ends), shortest_paths(mesh, *ends, smooth=True), strict=True
        ):
            assert plain.found == smooth.found
            if not plain:
                continue
            assert smooth.length <= plain.length + 1e-9
            places = smooth.at(np.linspace(0, smooth.length, 40))
            assert (mesh.mesh.locate(places)[0] >= 0).all()
            np.testing.assert_array_equal(smooth.positions[[0, -1]], plain.positions[[0, -1]])
            assert smooth.cost == smooth.length

    def test_it_does_not_linger_on_dear_ground(self) -> None:
        # Two long strips side by side: walking askew over both costs more than going over the
        # middle of the door.
        mesh = fc.Graph.from_polygons(
            [(0, 0), (10, 0), (10, 1), (0, 1), (10, 2), (0, 2)], [(0, 1, 2, 3), (3, 2, 4, 5)]
        )
        path = shortest_path(mesh, (0.5, 0.5), (9.5, 1.9), smooth=True, cost=[1.0, 9.0])
        taut = np.hypot(9, 1.4)
        assert path.cost < taut * (0.5 / 1.4 * 1 + 0.9 / 1.4 * 9)
        assert path.positions[1].tolist() == [5, 1]

    def test_in_3d_it_follows_the_ground(self) -> None:
        house = graphs.two_floors()
        path = shortest_path(house, (1, 3, 0), (1, 3, 3), smooth=True)
        assert path.positions[0].tolist() == [1, 3, 0] and path.positions[-1].tolist() == [1, 3, 3]
        assert house.mesh is not None
        places = path.at(np.linspace(0, path.length, 200))
        _, _, off = house.mesh.locate(places)
        assert off.max() < 1e-9
        assert 0 in path.cells and 4 in path.cells and 1 in path.cells

    def test_leaps_are_legs(self) -> None:
        corners = [(0, 0), (2, 0), (2, 2), (0, 2), (3, 0), (5, 0), (5, 2), (3, 2)]
        mesh = fc.Mesh(corners, [(0, 1, 2, 3), (4, 5, 6, 7)])
        banks = fc.Graph(mesh.centers, [(0, 1)], directed=True, mesh=mesh)
        path = shortest_path(banks, (0.5, 1), (4.5, 1), smooth=True)
        assert path.length == pytest.approx(4) and len(path) == 3  # it lands in between
        assert not shortest_path(banks, (4.5, 1), (0.5, 1), smooth=True)


def test_real_meshes() -> None:
    mesh = fc.load_map(realdata.folder("navmesh") / "polyanya" / "arena.mesh")
    rng = np.random.default_rng(0)
    ends = mesh.positions[rng.choice(np.flatnonzero(mesh.parts() == 0), (2, 60))]
    ratios = [
        smooth.length / plain.length
        for plain, smooth in zip(
            shortest_paths(mesh, *ends), shortest_paths(mesh, *ends, smooth=True), strict=True
        )
        if plain.length > 0
    ]
    assert max(ratios) <= 1 and np.mean(ratios) < 0.7


class TestRefusals:
    def test_straight_legs_between_waypoints(self) -> None:
        graph = fc.Graph([(0, 0), (1, 0)], [(0, 1)])
        with pytest.raises(InvalidValue, match="a mesh"):
            shortest_path(graph, (0, 0), (1, 0), smooth=True)

    def test_places(self) -> None:
        graph = fc.Graph([(0, 0), (1, 0)], [(0, 1)], blocked=[1])
        with pytest.raises(OnWall, match="nearest open vertex is 0"):
            shortest_path(graph, (0, 0), (1, 0))
        with pytest.raises(OnWall, match="at index 1"):
            shortest_paths(graph, [(0, 0), (1, 0)], (0, 0))
        with pytest.raises(InvalidValue, match="goal is one position"):
            shortest_path(graph, (0, 0), [(0, 0), (0, 0)])
        with pytest.raises(InvalidValue, match="Each start needs a goal"):
            shortest_paths(graph, [(0, 0)] * 3, [(0, 0)] * 2)
        assert shortest_paths(graph, np.zeros((0, 2)), (0, 0)) == []
