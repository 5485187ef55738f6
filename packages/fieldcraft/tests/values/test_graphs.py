"""Areas and fronts on graphs: those of the grid where a grid is made a graph, and what a graph has
besides.
"""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc


def teams_on(space: fc.Grid | fc.Graph) -> fc.Teams:
    teams = fc.InfluenceMap(space).add_teams(
        ["red", "blue", "green"], fc.Spread(decay=0.2, momentum=1.0)
    )
    for team, place, strength in (
        ("red", (2.5, 4.5), 5.0),
        ("blue", (10.5, 3.5), 4.0),
        ("green", (6.5, 8.5), 4.0),
    ):
        teams[team].add_source(place, strength=strength)
        teams[team].settle()
    return teams


def yard(seed: int = 0) -> fc.Grid:
    return fc.Grid(13, 9, neighbors=8, walls=np.random.default_rng(seed).random((9, 13)) < 0.1)


class TestAreas:
    def test_they_are_those_of_the_grid(self) -> None:
        grid = fc.Grid(13, 9, neighbors=8)
        here, there = teams_on(grid).regions(), teams_on(grid.to_graph()).regions()
        np.testing.assert_array_equal(there.labels, here.labels.reshape(-1))
        assert there.owners == here.owners
        np.testing.assert_allclose(there.totals, here.totals)
        np.testing.assert_allclose(there.areas, here.areas)
        np.testing.assert_allclose(there.centers, here.centers)

    def test_on_a_mesh_they_have_its_areas_and_in_3d_centres_a_height(self) -> None:
        corners = [(0, 0, 1), (4, 0, 1), (4, 2, 1), (0, 2, 1), (10, 0, 1), (10, 2, 1)]
        mesh = fc.Graph.from_polygons(corners, [(0, 1, 2, 3), (1, 4, 5, 2)])
        teams = fc.InfluenceMap(mesh).add_teams(["red", "blue"], fc.Spread(decay=0.2, momentum=1.0))
        for team, vertex in (("red", 0), ("blue", 1)):
            teams[team].add_source(mesh.positions[vertex], strength=1.0)
            teams[team].settle()
        areas = teams.regions()
        assert sorted(areas.areas.tolist()) == [8, 12]
        assert areas[0].center == tuple(
            mesh.positions[0 if areas[0].owner == "red" else 1].tolist()
        )


class TestFronts:
    def test_without_polygons_each_open_edge_between_owners_is_a_point_of_equal_strength(
        self,
    ) -> None:
        road = fc.Graph([(0, 0), (4, 0), (8, 0), (8, 4)], [(0, 1), (1, 2), (2, 3)])
        teams = fc.InfluenceMap(road).add_teams(["red", "blue"], fc.Spread(decay=0.1, momentum=1.0))
        teams["red"].write(np.array([4, 3, 1, 0], dtype=np.float32))
        teams["blue"].write(np.array([0, 0, 2, 3], dtype=np.float32))
        (front,) = teams.front_lines()
        assert front.teams == ("red", "blue") and not front.is_closed and front.length == 0
        assert front.edges is not None and front.edges.tolist() == [[1, 2]]
        # red is 3 ahead at x = 4, blue 1 ahead at x = 8
        assert front.points.tolist() == [[4 + 4 * 3 / 4, 0]]
        road.set_edges((1, 2))
        assert teams.front_lines() == []

    @pytest.mark.parametrize(
        "space",
        [
            yard().to_graph(),
            fc.HexGrid(9, 7, size=2.0, y_up=True, walls=np.eye(7, 9, dtype=bool)),
            fc.HexGrid(8, 10, orientation="flat", origin=(1, -1)),
            fc.HexGrid(8, 6, wrap=True),
        ],
        ids=["graph", "pointy", "flat", "torus"],
    )
    def test_every_open_edge_between_hostile_owners_is_on_one_front(self, space) -> None:
        teams = teams_on(space)
        owner = teams.owner().reshape(-1)
        fronts = teams.front_lines()
        found = np.concatenate([front.edges for front in fronts if front.edges is not None])
        edges = np.sort(space.graph.open_edges, axis=1)
        owners = owner[edges]
        meet = (owners >= 0).all(axis=1) & (owners[:, 0] != owners[:, 1])
        assert meet.any()
        assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, edges[meet].tolist()))
        for front in fronts:
            assert {teams.names[i] for i in np.unique(owner[front.edges])} == set(front.teams)
            if isinstance(space, fc.HexGrid):  # one side of a hexagon for each edge
                steps = np.hypot(*np.diff(front.points, axis=0).T)
                assert steps == pytest.approx(space.size) and len(steps) == len(front.edges)
                assert front.length == pytest.approx(len(front.edges) * space.size)
                if not space.wrap:  # each side lies as far from the middles of both cells
                    middles = (front.points[1:] + front.points[:-1]) / 2
                    for k in range(2):
                        off = middles - space.position_of(front.edges[:, k])
                        assert np.hypot(*off.T) == pytest.approx(space.size * 3**0.5 / 2)

    def test_a_round_camp_on_hexagons_has_one_ring(self) -> None:
        space = fc.HexGrid(30, 24)
        teams = fc.InfluenceMap(space).add_teams(["camp", "wild"], fc.Radial(4))
        away = np.hypot(*(space.position_of(np.arange(len(space))) - space.position_of(375)).T)
        teams["camp"].write(np.where(away < 8, 2, 0).astype(np.float32).reshape(space.shape))
        teams["wild"].write(np.ones(space.shape, dtype=np.float32))
        (ring,) = teams.front_lines()
        assert ring.is_closed
        # Sides of hexagons run to and fro: a ring is up to 4 / 3 as long as the circle.
        assert 1 <= ring.length / (2 * np.pi * 8) <= 4 / 3

    def test_on_a_mesh_it_follows_the_sides_between_polygons(self) -> None:
        corners = [(x, y) for y in range(3) for x in (0, 4, 10)]
        polygons = [(k, k + 1, k + 4, k + 3) for k in (0, 1, 3, 4)]
        mesh = fc.Graph.from_polygons(corners, polygons)
        teams = fc.InfluenceMap(mesh).add_teams(["red", "blue"], fc.Radial(4))
        teams["red"].write(np.array([2, 0, 2, 0], dtype=np.float32))
        teams["blue"].write(np.array([0, 2, 0, 2], dtype=np.float32))
        (front,) = teams.front_lines()
        assert front.points.tolist() in ([[4, 0], [4, 1], [4, 2]], [[4, 2], [4, 1], [4, 0]])
        assert front.length == 2
