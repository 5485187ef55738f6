"""Graphs: vertices, edges, positions, what is blocked, and the way from and to grids, meshes and
networkx.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.spatial import cKDTree

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space import Graph, Mesh
from support.refusals import refused

SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)]
ROUND = [(0, 1), (1, 2), (2, 3), (3, 0)]


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


def test_the_nearest_vertex() -> None:
    rng = np.random.default_rng(3)
    places = rng.random((500, 3)) * (30, 20, 5)
    graph = Graph(places, [])
    points = rng.random((300, 3)) * (40, 30, 9) - 4
    away = ((points[:, None] - places) ** 2).sum(axis=2)
    np.testing.assert_array_equal(graph.cell_at(points), away.argmin(axis=1))
    assert graph.cell_at(tuple(points[0])) == away[0].argmin()
    np.testing.assert_array_equal(graph.position_of(graph.cell_at(places)), places)


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


def test_there_and_back_by_networkx() -> None:
    graph = Graph(SQUARE, ROUND, [1, 2, 3, 4], directed=True, blocked=[3])
    graph.set_edges((1, 2))
    other = graph.to_networkx()
    assert other.is_directed() and other.nodes[3] == {"pos": (0.0, 3.0), "blocked": True}
    assert other.edges[1, 2] == {"length": 2.0, "blocked": True}
    again = Graph.from_networkx(other, length="length")
    assert again.same_cells(graph) and again.labels == (0, 1, 2, 3)
    assert again.walls.tolist() == [False, False, False, True] and again.blocked_edges.tolist() == [
        [1, 2]
    ]


def test_what_is_blocked_comes_from_networkx() -> None:
    other = nx.MultiGraph()
    for number, place in enumerate(SQUARE):
        other.add_node(number, pos=place, blocked=number == 2)
    other.add_edge(3, 0, blocked=True)
    other.add_edge(0, 1, blocked=True)
    other.add_edge(1, 0)
    other.add_edge(1, 1, blocked=True)
    graph = Graph.from_networkx(other)
    assert graph.walls.tolist() == [False, False, True, False]
    assert [sorted(edge) for edge in graph.blocked_edges.tolist()] == [[0, 3]]
    other.nodes[1]["blocked"] = "no"
    with refused(InvalidValue, "blocked='no'"):
        Graph.from_networkx(other)
    other.nodes[1]["blocked"] = False
    other.edges[0, 3, 0]["blocked"] = 1
    with refused(InvalidValue, "blocked=1"):
        Graph.from_networkx(other)


def test_names_from_networkx() -> None:
    other = nx.Graph()
    for name, pos in (("hall", (0, 0)), ("cellar", (3, 4))):
        other.add_node(name, pos=pos)
    other.add_edge("hall", "cellar")
    graph = Graph.from_networkx(other)
    assert graph.labels == ("hall", "cellar") and graph.lengths.tolist() == [5]
    assert set(graph.to_networkx().edges) == {("hall", "cellar")}
    lattice = Graph.from_networkx(nx.grid_2d_graph(3, 2), position=None)
    assert (
        lattice.positions.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
        and len(lattice.edges) == 7
    )
    assert len(Graph.from_networkx(nx.Graph())) == 0
    many = nx.MultiGraph()
    many.add_node(0, pos=(0, 0))
    many.add_node(1, pos=(1, 0))
    many.add_edge(0, 1, far=3)
    many.add_edge(0, 1, far=2)
    assert Graph.from_networkx(many, length="far").lengths.tolist() == [2]


def test_what_is_no_networkx_graph() -> None:
    with refused(InvalidValue, "list"):
        Graph.from_networkx([1, 2])
    with refused(InvalidValue, "'pos'"):
        Graph.from_networkx(nx.path_graph(3))
    placed = nx.path_graph(2)
    nx.set_node_attributes(placed, {0: (0, 0), 1: (1, 1, 1)}, "pos")
    with refused(InvalidValue, "Positions", "even"):
        Graph.from_networkx(placed)
    nx.set_node_attributes(placed, {0: (0, 0), 1: (1, 1)}, "pos")
    with refused(InvalidValue, "'length'"):
        Graph.from_networkx(placed, length="length")


@pytest.mark.parametrize("neighbors", [4, 8, [(1, 2), (2, -1), (-1, 0)]])
@pytest.mark.parametrize("wrap", [False, True])
def test_a_grid_as_a_graph_has_its_links(neighbors, wrap: bool) -> None:
    rng = np.random.default_rng(5)
    grid = fc.Grid(
        9,
        7,
        cell_size=2,
        origin=(3, -4),
        walls=rng.random((7, 9)) < 0.25,
        neighbors=neighbors,
        wrap=wrap,
        y_up=True,
    )
    graph = grid.to_graph()
    np.testing.assert_array_equal(graph.walls, grid.walls.reshape(-1))
    np.testing.assert_array_equal(graph.positions, grid.position_of(np.arange(63)))
    assert graph.directed == (len(np.shape(neighbors)) > 0)
    other = {(int(cell), end) for cell in range(63) for end in graph.neighbors_of(cell).tolist()}
    links, expected = grid.links().reshape(-1), set()
    for bit, (dx, dy) in enumerate(grid.neighborhood.steps):
        for end in np.flatnonzero(links & grid.link_masks[bit]).tolist():
            y, x = divmod(end, 9)
            expected.add(((y - dy) % 7 * 9 + (x - dx) % 9, end))
    assert other == expected
    wall = int(np.flatnonzero(grid.walls)[0])
    graph.set_walls(wall, False)
    grid.set_walls(wall, False)
    straight = {(0, 1), (1, 0), (0, -1), (-1, 0)} & set(grid.neighborhood.steps)
    into = np.bitwise_or.reduce(
        [grid.link_masks[grid.neighborhood.steps.index(step)] for step in straight]
    )
    steps = [
        step
        for step, mask in zip(grid.neighborhood.steps, grid.link_masks, strict=True)
        if grid.links().reshape(-1)[wall] & into & mask
    ]
    y, x = divmod(wall, 9)
    for dx, dy in steps:
        assert wall in graph.neighbors_of((y - dy) % 7 * 9 + (x - dx) % 9)


# Meshes
# -----------------------------------------------------------------------------

CORNERS = [(0, 0), (2, 0), (2, 2), (0, 2), (6, 0), (6, 2), (4, 5)]
POLYGONS = [(0, 1, 2, 3), (1, 4, 5, 2), (2, 5, 6)]


def test_a_graph_of_polygons() -> None:
    graph = Graph.from_polygons(CORNERS, POLYGONS)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    np.testing.assert_allclose(graph.positions, [(1, 1), (4, 1), (4, 3)])
    np.testing.assert_allclose(graph.lengths, [1 + 2, 1 + 1])
    np.testing.assert_allclose(graph.areas, [4, 8, 6])
    points = [(0.1, 0.1), (2.2, 1.9), (2.5, 2.5), (3.9, 4.5), (100, 100), (1.9, 1)]
    assert graph.cell_at(points).tolist() == [0, 1, 2, 2, 2, 0]
    assert Graph(graph.positions, graph.edges).cell_at((2.2, 1.9)) == 0


def test_overlapping_floors_are_told_apart() -> None:
    floor = [(0, 0), (4, 0), (4, 4), (0, 4)]
    corners = [(x, y, z) for z in (0.0, 3.0) for x, y in floor]
    polygons = [(0, 1, 2, 3), (4, 5, 6, 7)]
    graph = Graph.from_polygons(corners, polygons)
    assert len(graph.edges) == 0
    assert graph.cell_at(
        [(0.1, 0.1, 0.2), (0.1, 0.1, 2.9), (3.9, 0.1, 1.4), (3.9, 0.1, 1.6)]
    ).tolist() == [0, 1, 0, 1]
    with refused(OutsideMap, "0.5"):
        Graph.from_polygons(corners, polygons, max_height=0.5).cell_at((1, 1, 1.5))


def test_locating_agrees_with_trying_every_triangle() -> None:
    rng = np.random.default_rng(1)
    corners = rng.random((60, 3)) * (10, 7, 3)
    mesh = Mesh(corners, rng.permuted(np.tile(np.arange(60), (40, 1)), axis=1)[:, :3])
    points = rng.random((400, 3)) * (12, 9, 4) - 1
    found, shares, off = mesh.locate(points)
    for point, triangle, share, height in zip(
        points, found.tolist(), shares, off.tolist(), strict=True
    ):
        fits = []
        for number, corner in enumerate(mesh.triangles):
            a, b, c = mesh.corners[corner]
            second, third = np.linalg.solve(np.stack([b - a, c - a], axis=1)[:2], (point - a)[:2])
            if min(second, third, 1 - second - third) >= 0:
                fits.append((abs((a + second * (b - a) + third * (c - a))[2] - point[2]), number))
        assert triangle == (min(fits)[1] if fits else -1)
        if fits:
            assert abs(height - min(fits)[0]) < 1e-9
            np.testing.assert_allclose(
                (share[:, None] * mesh.corners[mesh.triangles[triangle]]).sum(axis=0)[:2],
                point[:2],
                atol=1e-9,
            )


@pytest.mark.parametrize(
    ("corners", "polygons", "fragment"),
    [
        (CORNERS, [(0, 1)], "three corners"),
        (CORNERS, [(0, 1, 7)], "7 in polygon 0"),
        (CORNERS, [(0, 1, 2), (0, 1, -1)], "-1 in polygon 1"),
        (CORNERS, [(0, 1, 1)], "corner 1 twice in polygon 0"),
        (CORNERS, [(0.0, 1.0, 2.0)], "float64"),
        (CORNERS, None, "lists of corner numbers"),
        (CORNERS, 7, "lists of corner numbers"),
        (CORNERS, "012", "lists of corner numbers"),
        (
            [(0, 0), (4, 0), (4, 4), (1, 1), (0, 4)],
            [(0, 1, 2), (0, 1, 2, 3, 4)],
            "polygon 1 with the corners [0, 1, 2, 3, 4]",
        ),
        ([(0, 0), (4, 0), (4, 3), (0, 3)], np.array([(0, 2, 1, 3)]), "convex"),
        ([(3, 0, 0), (1, 3, 9), (-2, 2, 0), (-2, -2, 5), (1, -3, 0)], [(0, 2, 4, 1, 3)], "convex"),
        ([(0, np.nan)], [], "finite"),
    ],
)
def test_what_is_no_mesh_is_refused(corners, polygons, fragment) -> None:
    with refused(InvalidValue, fragment):
        Graph.from_polygons(corners, polygons)


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


def test_flat_polygons_have_a_middle() -> None:
    graph = Graph.from_polygons([(0, 0), (1, 0), (2, 0), (1, 1)], [(0, 1, 2), (0, 2, 3)])
    np.testing.assert_allclose(graph.positions[0], (1, 0))
    assert graph.areas[0] == 0 and graph.cell_at((1, 0.1)) == 1


def test_ten_thousand_positions_are_those_of_the_tree() -> None:
    places = np.random.default_rng(0).random((10_000, 2))
    graph = Graph(places, [])
    _, expected = cKDTree(places).query(places[::-1] + 0.001)
    np.testing.assert_array_equal(graph.cell_at(places[::-1] + 0.001), expected)


def test_polygons_may_be_a_little_less_than_convex() -> None:
    warped = [(0, 0), (2, 1e-7), (4, 0), (4, 3), (0, 3)]
    doubled = [(0, 0), (4, 0), (4 + 1e-13, -1e-13), (4, 3), (0, 3)]
    upright = [(0, 0, 0), (4, 0, 0), (4, 1e-15, 3), (1e-15, -1e-15, 3)]
    for corners in (warped, doubled, upright):
        for turned in (1, -1):
            assert len(Graph.from_polygons(corners, [range(len(corners))[::turned]])) == 1


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


def two_floors(**words):
    """A flat floor, a slope 50 to the right of it, and a balcony beside the floor, 3 above it."""
    corners = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)]
    corners += [(50, 0, 0), (54, 0, 2), (54, 4, 2), (50, 4, 0)]
    corners += [(4, 0, 3), (24, 0, 3), (24, 4, 3), (4, 4, 3)]
    polygons = [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]
    return Graph.from_polygons(corners, polygons, max_height=1.0, **words)


def test_a_position_too_high_over_a_polygon_is_on_no_other_far_away():
    graph = two_floors()
    assert [graph.cell_at((1, 2, height)) for height in (0, 0.5, 1.0)] == [0, 0, 0]
    for height in (1.1, 1.5, 2.0):
        with pytest.raises(OutsideMap, match="at most 1 above or below"):
            graph.cell_at((1, 2, height))
    heights = [(1, 2, height) for height in (0, 1.0, 1.1, 1.5, 2.0)]
    assert graph.cell_at(heights, outside="clamp").tolist() == [0, 0, 0, 0, 0]


def test_a_position_beside_a_polygon_of_its_height_belongs_to_it():
    graph = two_floors()
    assert graph.cell_at((3.9, 2, 3)) == 2  # over the floor, one step off the balcony
    assert graph.cell_at((-0.5, 2, 0)) == 0  # over no polygon
    with pytest.raises(OutsideMap):
        graph.cell_at((0.5, 2, 3))  # nearer to the floor than to the balcony


def test_positions_too_high_are_sampled_and_marked_where_they_are():
    graph = two_floors()
    seen = fc.InfluenceMap(graph).add_layer("seen", fc.Fade())
    with pytest.raises(OutsideMap):
        seen.mark((1, 2, 1.1), 5.0)
    seen.mark((1, 2, 1.1), 5.0, outside="clamp")
    assert seen.values.tolist() == [5, 0, 0]
    assert fc.sample(seen, (1, 2, 1.1), outside="clamp") == 5
