"""Vertices and arcs: the nearest vertex, duplicates."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Graph
from support.polygons import CORNERS, POLYGONS
from support.refusals import refused
from support.vertices import ROUND, SQUARE


def test_directed_edges_lead_one_way() -> None:
    graph = Graph(SQUARE, ROUND, directed=True)
    assert graph.edges.tolist() == [[3, 0], [0, 1], [1, 2], [2, 3]]
    assert [graph.neighbors_of(v).tolist() for v in range(4)] == [[1], [2], [3], [0]]


def test_of_duplicate_edges_the_shortest_counts_and_loops_are_dropped() -> None:
    graph = Graph(SQUARE, [(0, 1), (1, 0), (2, 2), (0, 1)], [7, 5, 1, 6])
    assert graph.edges.tolist() == [[0, 1]] and graph.lengths.tolist() == [5]
    graph = Graph(SQUARE, [(0, 1), (1, 0), (0, 1)], [7, 5, 6], directed=True)
    assert sorted(zip(map(tuple, graph.edges.tolist()), graph.lengths.tolist(), strict=True)) == [
        ((0, 1), 6),
        ((1, 0), 5),
    ]
    assert len(Graph(SQUARE, [(2, 2)], [np.nan]).edges) == 0


def test_the_nearest_vertex() -> None:
    rng = np.random.default_rng(3)
    places = rng.random((500, 3)) * (30, 20, 5)
    graph = Graph(places, [])
    points = rng.random((300, 3)) * (40, 30, 9) - 4
    away = ((points[:, None] - places) ** 2).sum(axis=2)
    np.testing.assert_array_equal(graph.cell_at(points), away.argmin(axis=1))
    assert graph.cell_at(tuple(points[0])) == away[0].argmin()
    np.testing.assert_array_equal(graph.position_of(graph.cell_at(places)), places)


def test_ten_thousand_positions_are_those_of_the_tree() -> None:
    places = np.random.default_rng(0).random((10_000, 2))
    graph = Graph(places, [])
    _, expected = cKDTree(places).query(places[::-1] + 0.001)
    np.testing.assert_array_equal(graph.cell_at(places[::-1] + 0.001), expected)


def test_a_place_beyond_all_numbers_belongs_to_some_vertex_too() -> None:
    roads = Graph([(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 2)])
    mesh = Graph.from_polygons(CORNERS, POLYGONS)
    for graph in (roads, mesh):
        far = graph.cell_at(
            [
                (1e300, 0)[: graph.dimensions] + (0.0,) * (graph.dimensions - 2),
                np.full(graph.dimensions, -1.7e308),
            ]
        )
        assert ((far >= 0) & (far < len(graph))).all()
    assert not fc.sees(mesh, np.full(mesh.dimensions, 1e300), mesh.positions[:1], 5).any()


def test_neighbors_are_those_of_one_vertex() -> None:
    roads = Graph([(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 2)])
    with refused(InvalidValue, "one vertex", "(2,)"):
        roads.neighbors_of([0, 1])  # type: ignore[arg-type]
