"""Graphs: vertices, edges, positions, what is blocked, and the way from and to grids, meshes and
networkx.
"""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space import Graph, Mesh
from support.polygons import CORNERS, POLYGONS, two_floors
from support.refusals import refused
from support.vertices import ROUND, SQUARE


def test_what_a_graph_is_made_of() -> None:
    graph = Graph(SQUARE, ROUND)
    assert len(graph) == 4 and graph.shape == (4,) and graph.dimensions == 2 and not graph.directed
    assert graph.edges.tolist() == [[0, 1], [1, 2], [0, 3], [2, 3]]
    assert graph.lengths.tolist() == [4, 3, 3, 4]
    assert graph.neighbors_of(0).tolist() == [1, 3]
    assert (
        not graph.walls.any()
        and not graph.walls.flags.writeable
        and not graph.positions.flags.writeable
    )
    assert repr(graph) == "<Graph, 4 vertices in 2D, 4 edges, 4 open vertices>"
    assert isinstance(graph, fc.Space)


@pytest.mark.parametrize(
    ("positions", "edges", "lengths", "fragment"),
    [
        ([(0, 0), (1, np.nan)], [], None, "finite"),
        ([(0, 0), (1, np.inf)], [], None, "finite"),
        ([(0, 0), (1, 1e31)], [], None, "1e+30"),
        ([(0, 0, 0, 0)], [], None, "shape"),
        ((0, 0), [], None, "(N, 2) or (N, 3)"),
        (SQUARE, [(0, 4)], None, "(0, 4) at index 0"),
        (SQUARE, [(0, 1), (-1, 2)], None, "(-1, 2) at index 1"),
        (SQUARE, [(0.0, 1.0)], None, "float64"),
        (SQUARE, [0, 1], None, "shape (2,)"),
        (SQUARE, [(0, 1, 2)], None, "shape (1, 3)"),
        (SQUARE, [(0, 1), (2,)], None, "even array"),
        (SQUARE, [(0, 1)], [0], "0 at index 0"),
        (SQUARE, [(0, 1)], [-2], "-2"),
        (SQUARE, [(0, 1)], [np.nan], "nan"),
        (SQUARE, [(0, 1)], [np.inf], "inf"),
        (SQUARE, [(0, 1)], [1, 2], "shape (2,)"),
        (SQUARE, [(0, 1)], ["far"], "numbers"),
        ([(1, 1), (1, 1)], [(0, 1)], None, "in one place"),
        ([], [(0, 0)], None, "without vertices"),
    ],
)
def test_what_is_no_graph_is_refused(positions, edges, lengths, fragment) -> None:
    with refused(InvalidValue, fragment):
        Graph(positions, edges, lengths)


def test_a_length_in_the_place_of_directed_is_noticed() -> None:
    with refused(InvalidValue, "directed"):
        Graph(SQUARE, ROUND, None, [1, 2, 3, 4])  # type: ignore[arg-type]


def test_empty_and_lonely_graphs() -> None:
    empty = Graph([], [])
    assert len(empty) == 0 and empty.shape == (0,)
    assert empty.cell_at(np.zeros((0, 2))).tolist() == []
    with refused(OutsideMap, "Give the graph vertices"):
        empty.cell_at((0, 0))
    with refused(OutsideMap, "has none"):
        empty.position_of(0)
    lonely = Graph([(1, 2), (5, 5)], [])
    assert lonely.cell_at((4, 4)) == 1 and lonely.neighbors_of(0).tolist() == []


# Positions
# -----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 40, 700])
def test_the_nearest_on_the_same_floor(count: int) -> None:
    rng = np.random.default_rng(count)
    places = rng.random((count, 3)) * (9, 9, 0) + np.floor(rng.random((count, 1)) * 3) * (0, 0, 4)
    graph = Graph(places, [], max_height=1.5)
    points = (
        rng.random((200, 3)) * (9, 9, 0)
        + np.floor(rng.random((200, 1)) * 3) * (0, 0, 4)
        + (0, 0, 1)
    )
    away = ((points[:, None] - places) ** 2).sum(axis=2)
    away[np.abs(points[:, None, 2] - places[:, 2]) > 1.5] = np.inf
    known = np.isfinite(away).any(axis=1)
    np.testing.assert_array_equal(graph.cell_at(points[known]), away[known].argmin(axis=1))
    if known.all():
        known[:] = False
        points[0, 2] = 90
    lost = np.flatnonzero(~known)[:1]
    with refused(OutsideMap, "1.5"):
        graph.cell_at(points[lost])
    everywhere = ((points[lost, None] - places) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(graph.cell_at(points[lost], outside="clamp"), everywhere)


def test_positions_have_the_dimensions_of_the_graph() -> None:
    with refused(InvalidValue, "(x, y, z)"):
        Graph([(0, 0, 0)], []).cell_at((1, 2))
    with refused(InvalidValue, "(x, y)"):
        Graph([(0, 0)], []).cell_at((1, 2, 3))


def test_nearest_open() -> None:
    graph = Graph([(0, 0), (1, 0), (-1, 0), (5, 0)], [], blocked=[0])
    assert graph.nearest_open(0) == 1 and graph.nearest_open(3) == 3
    graph.set_walls([1, 2])
    assert graph.nearest_open([0, 1, 2]).tolist() == [3, 3, 3]
    graph.set_walls(3)
    with refused(InvalidValue, "open cell"):
        graph.nearest_open(2)


# Walls
# -----------------------------------------------------------------------------


def test_walls_and_edges_change_and_say_so() -> None:
    graph = Graph(SQUARE, ROUND, blocked=[2])
    assert graph.walls.tolist() == [False, False, True, False]
    assert graph.walls_version == 0
    before = graph.walls
    graph.set_walls([0, 2])
    assert graph.walls.tolist() == [True, False, True, False] and before.tolist() == [
        False,
        False,
        True,
        False,
    ]
    assert graph.walls_changed(0).tolist() == [0]
    graph.set_walls([0, 2])
    assert graph.walls_version == 1
    graph.set_edges((1, 0))
    assert graph.blocked_edges.tolist() == [[0, 1]] and graph.walls_changed(1).tolist() == [0, 1]
    graph.set_edges([(0, 1)], blocked=False)
    assert len(graph.blocked_edges) == 0 and graph.walls_version == 3
    graph.set_walls(range(4), False)
    assert graph.neighbors_of(1).tolist() == [0, 2]
    graph.set_edges([(1, 2), (0, 1)])
    assert graph.neighbors_of(1).tolist() == []


def test_one_way_of_a_directed_edge_is_blocked() -> None:
    graph = Graph(SQUARE, [(0, 1), (1, 0)], directed=True)
    graph.set_edges((0, 1))
    assert graph.neighbors_of(0).tolist() == [] and graph.neighbors_of(1).tolist() == [0]


def test_what_can_not_be_blocked() -> None:
    graph = Graph(SQUARE, ROUND)
    with refused(OutsideMap, "0 to 3"):
        graph.set_walls(4)
    with refused(InvalidValue, "True or False"):
        graph.set_walls(1, 1)  # type: ignore[arg-type]
    with refused(InvalidValue, "(0, 2)"):
        graph.set_edges([(0, 1), (0, 2)])
    with refused(InvalidValue, "one for each cell"):
        Graph(SQUARE, ROUND, blocked=[True])
    assert graph.walls_version == 0


def test_other_walls_on_the_same_graph() -> None:
    graph = Graph(SQUARE, ROUND, blocked=[1], max_height=2)
    graph.set_edges((2, 3))
    flying = graph.with_walls(None)
    assert (
        not flying.walls.any()
        and flying.blocked_edges.tolist() == [[2, 3]]
        and flying.same_cells(graph)
    )
    flying.set_walls(3)
    assert graph.walls.tolist() == [False, True, False, False]
    assert not graph.same_cells(Graph(SQUARE, ROUND[:3])) and not graph.same_cells(fc.Grid(2, 2))


# From and to other things
# -----------------------------------------------------------------------------


# Meshes
# -----------------------------------------------------------------------------


def test_a_mesh_belongs_to_its_graph() -> None:
    for words, call in (
        (("one polygon per vertex",), lambda: Graph(SQUARE, ROUND, mesh=Mesh(CORNERS, POLYGONS))),
        (("one per vertex",), lambda: Graph(SQUARE, ROUND, labels=["a"])),
        (("hashable",), lambda: Graph(SQUARE, ROUND, labels=[["a"], ["b"], ["c"], ["d"]])),
        (("labels is a list", "4"), lambda: Graph(SQUARE, ROUND, labels=4)),
        (("different", "3 of them different"), lambda: Graph(SQUARE, ROUND, labels=list("abca"))),
    ):
        with refused(InvalidValue, *words):
            call()
    assert len(Graph.from_polygons([], [])) == 0


def test_what_writing_would_not_change_is_read_only() -> None:
    graph = fc.Graph([(0, 0), (1, 0), (1, 1)], [(0, 1), (1, 2)])
    for array in (
        graph.lengths,
        graph.edges,
        graph.walls,
        fc.Belief(graph, 1.0).values,
        fc.LastSeen(graph).values,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# Heights over a mesh


def test_positions_too_high_are_sampled_and_marked_where_they_are():
    graph = two_floors()
    seen = fc.InfluenceMap(graph).add_layer("seen", fc.Fade())
    with pytest.raises(OutsideMap):
        seen.mark((1, 2, 1.1), 5.0)
    seen.mark((1, 2, 1.1), 5.0, outside="clamp")
    assert seen.values.tolist() == [5, 0, 0]
    assert fc.sample(seen, (1, 2, 1.1), outside="clamp") == 5


def test_positions_are_wrapped_on_graphs_of_a_torus_alone() -> None:
    positions = np.array([(11.0, -1.0), (3.0, 2.0)])
    torus = fc.Grid(10, 6, wrap=True).to_graph()
    assert torus.wrapped(positions).tolist() == [[1.0, 5.0], [3.0, 2.0]]
    waypoints = fc.Graph([(0, 0), (4, 0)], [(0, 1)])
    assert waypoints.wrapped(positions).tolist() == positions.tolist()
