"""Questions put to graphs: the answers of a grid on the same ground, and what only graphs have."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import query
from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.query import queries_on_graph
from fieldcraft.space import Graph
from support.fields import Field, inside, noise, random_walls
from support.refusals import refused

SHAPE = (13, 19)


def both(seed: int, *, neighbors: int = 8, levels: int | None = None) -> tuple[Field, Field]:
    """Random values on a grid with walls, and on the graph of it."""
    grid = fc.Grid(
        SHAPE[1],
        SHAPE[0],
        cell_size=2,
        origin=(-3, 5),
        walls=random_walls(SHAPE, 0.2, seed),
        neighbors=neighbors,
    )
    field = noise(grid, seed, levels)
    return field, Field(grid.to_graph(), field.values.reshape(-1))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("count", "spacing"), [(1, 0.0), (3, 0.0), (4, 5.0)])
def test_the_best_are_those_of_the_grid(seed: int, count: int, spacing: float) -> None:
    field, graph = both(seed, levels=4)
    points = inside(field.space, 40, seed)
    mask = random_walls(SHAPE, 0.7, 99)
    for verb in (query.best, query.worst):
        expected = verb(field, points, 7.0, count=count, spacing=spacing, where=mask)
        found = verb(graph, points, 7.0, count=count, spacing=spacing, where=mask.reshape(-1))
        np.testing.assert_array_equal(found.cells, expected.cells)
        np.testing.assert_array_equal(found.positions, expected.positions)
        np.testing.assert_array_equal(found.values, expected.values)
        on_foot = verb(field, points, 9.0, count=count, spacing=spacing, walk=9.0)
        np.testing.assert_array_equal(
            verb(graph, points, 9.0, count=count, spacing=spacing, walk=9.0).cells, on_foot.cells
        )
    one = query.best(graph, points[0], 7.0, where=Field(graph.space, mask.reshape(-1)))
    assert one.cell == query.best(
        field, points[0], 7.0, where=mask
    ).cell and one.position.shape == (2,)


def test_on_foot_one_way_edges_are_kept_to() -> None:
    ledge = Graph(
        [(0, 0), (2, 0), (4, 0), (1, 1)],
        [(0, 1), (1, 2), (2, 1), (3, 0)],
        directed=True,
        blocked=[3],
    )
    food = Field(ledge, np.array([4, 1, 2, 9], dtype=np.float32))
    assert query.best(food, (2, 0), 9).cell == 0
    assert query.best(food, (2, 0), 9, walk=9).cell == 2  # nobody climbs up
    assert query.best(food, (0, 0), 9, walk=9).cell == 0
    assert query.best(food, (4, 0), 9, walk=1).cell == 2
    assert query.best(food, (1, 1), 9, walk=1.5).cell == 0  # out of a wall
    with refused(InvalidValue, "walk"):
        query.best(food, (2, 0), 9, walk=0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("spacing", [0.0, 6.0])
def test_peaks_are_those_of_the_grid(seed: int, spacing: float) -> None:
    field, graph = both(seed, levels=3)
    expected, found = (
        query.peaks(each, 9, spacing=spacing, threshold=-0.5) for each in (field, graph)
    )
    np.testing.assert_array_equal(found.cells, expected.cells)


@pytest.mark.parametrize("seed", range(4))
def test_regions_are_those_of_the_grid(seed: int) -> None:
    field, graph = both(seed)
    expected, found = query.regions(field, 0.1), query.regions(graph, 0.1)
    np.testing.assert_array_equal(found.labels, expected.labels.reshape(-1))
    np.testing.assert_allclose(found.totals, expected.totals)
    np.testing.assert_array_equal(found.areas * 4, expected.areas)
    np.testing.assert_array_equal(found.peaks, expected.peaks)
    np.testing.assert_array_equal(found.centers, expected.centers)
    assert found[0].center == expected[0].center


@pytest.mark.parametrize("seed", range(4))
def test_slopes_are_those_of_the_grid(seed: int) -> None:
    field, graph = both(seed, neighbors=4)
    points = inside(field.space, 60, seed)
    np.testing.assert_allclose(
        query.gradient(graph, points), query.gradient(field, points), atol=1e-6
    )
    np.testing.assert_array_equal(query.sample(graph, points), query.sample(field, points))


def test_who_made_a_value() -> None:
    grid = fc.Grid(12, 9, walls=random_walls((9, 12), 0.15, 5), neighbors=8)
    told = []
    for space in (grid, grid.to_graph()):
        layer = fc.InfluenceMap(space).add_layer("noise", fc.Spread(0.2, 1.0))
        layer.add_sources(grid.position_of(np.flatnonzero(~grid.walls)[[3, 40, 70]]), [3, -2, 4])
        layer.step(30)
        told.append(
            [
                str(fc.explain(layer, place))
                for place in grid.position_of(np.flatnonzero(~grid.walls)[::5])
            ]
        )
    assert told[0] == told[1]


def test_reservations_keep_agents_apart() -> None:
    field, graph = both(2)
    points = inside(field.space, 12, 7)
    names = list(range(12))
    for spacing in (0.0, 5.0):
        books = [query.Reservations(each.space, spacing=spacing) for each in (field, graph)]
        for _ in range(2):
            spots = [
                book.best(each, points, 9.0, agents=names)
                for book, each in zip(books, (field, graph), strict=True)
            ]
            np.testing.assert_array_equal(spots[0].cells, spots[1].cells)
            spots = [
                book.worst(each, points[3], 9.0, agents="new")
                for book, each in zip(books, (field, graph), strict=True)
            ]
            assert spots[0].cell == spots[1].cell
        np.testing.assert_array_equal(books[0].positions, books[1].positions)
    with refused(InvalidValue, "per cell size"):
        books[0].best(graph, points, 9.0, agents=names)


# Between vertices
# -----------------------------------------------------------------------------

CROSSING = Graph([(0, 0), (4, 0), (0, 4), (9, 9)], [(0, 1), (0, 2)])


def test_along_an_edge() -> None:
    field = Field(CROSSING, np.array([1, 5, 9, 7], dtype=np.float32))
    points = [(1, 0.2), (0.5, 1.5), (-1, -1), (8, 8), (3, 0)]
    np.testing.assert_allclose(query.sample(field, points, how="bilinear"), [2, 4, 1, 7, 4])
    assert query.sample(field, (2.9, 0), how="nearest") == 5
    graph = CROSSING.with_walls([2])
    graph.set_edges((0, 1))
    np.testing.assert_allclose(
        query.sample(Field(graph, field.values), points[:2], how="bilinear"), [1, 1]
    )


def test_a_slope_along_a_line_has_no_part_across_it() -> None:
    line = Graph([(0, 0, 0), (3, 0, 4), (6, 0, 8)], [(0, 1), (1, 2)])
    field = Field(line, np.array([0, 10, 20], dtype=np.float32))
    np.testing.assert_allclose(query.gradient(field, [(0, 0, 0), (3, 0, 4)]), [(1.2, 0, 1.6)] * 2)
    np.testing.assert_allclose(query.gradient(field, (1, 0, 1)), (1.2, 0, 1.6))
    with refused(InvalidValue, "needs a grid"):
        query.gradient(field, (1, 0, 1), how="bilinear")


def mesh(middle: float = 2.0) -> Graph:
    """Three squares in a row along x, and one beyond a wall that touches the first at a corner."""
    corners = [(0, 0), (2, 0), (4, 0), (6, 0), (0, 2), (2, 2), (4, 2), (6, 2), (0, 4), (2, 4)]
    squares = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (4, 5, 9, 8)]
    return Graph.from_polygons(corners, squares)


def test_areas_of_regions_are_those_of_the_polygons() -> None:
    found = query.regions(Field(mesh(), np.array([1, 2, 0, 5], dtype=np.float32)))
    assert (
        found.areas.tolist() == [12]
        and found.labels.tolist() == [1, 1, 0, 1]
        and found[0].peak == (1, 3)
    )


def test_what_lies_along_a_way() -> None:
    field = Field(CROSSING, np.array([1, 5, 9, 7], dtype=np.float32))
    found = query.along(field, [(4, 0), (0, 0), (0, 4)])
    assert (found.sum, found.length, found.mean, found.maximum) == (12 + 20, 8, 4, 9)
    assert found.where.tolist() == [0, 4]
    many = query.along(field, [[(4, 0), (0, 0)], [(9, 9)]])
    assert (
        many.sum.tolist() == [12, 0] and many.mean.tolist() == [3, 7] and many.where.shape == (2, 2)
    )
    assert len(query.along(field, []).sum) == 0


def test_what_is_refused() -> None:
    field = Field(CROSSING, np.zeros(4, dtype=np.float32))
    for verb in (query.best, query.worst):
        with refused(InvalidValue, "radius"):
            verb(field, (0, 0), -1)
        with refused(InvalidValue, "4"):
            verb(field, (0, 0), 1, count=5)
        with refused(InvalidValue, "array of bool"):
            verb(field, (0, 0), 1, where=np.ones(3, bool))
        with refused(InvalidValue, "on one map"):
            verb(field, (0, 0), 1, where=Field(mesh(), np.zeros(4)))
    with refused(InvalidValue, "(N,)"):
        query.peaks(Field(CROSSING, np.zeros(3)))
    with refused(InvalidValue, "(x, y)"):
        query.sample(field, (1, 2, 3))
    with refused(OutsideMap, "vertex"):
        query.sample(Field(Graph([], []), np.zeros(0)), (1, 2))
    assert not query.best(field, (5, -5), 1).found
    empty = Field(Graph([], []), np.zeros(0, dtype=np.float32))
    assert len(query.peaks(empty).cells) == 0 and len(query.regions(empty)) == 0


def test_values_on_a_torus_of_two_columns_are_the_same_on_both_sides() -> None:
    torus = fc.HexGrid(2, 4, wrap=True)
    values = np.array([[1, 0]] * 4, dtype=np.float32)
    center = torus.position_of(2)
    left, right = fc.sample(
        values, center + np.array([(-0.4, 0), (0.4, 0)]), how="bilinear", space=torus
    )
    assert left == pytest.approx(right)
    assert 0.5 < left < 1
    rows = np.array([[1, 1], [0, 0], [0, 0], [0, 0]], dtype=np.float32)
    low = fc.HexGrid(5, 2, wrap=True)
    across = np.array([[1] * 5, [0] * 5], dtype=np.float32)
    slope = query.gradient(across, low.position_of(2), space=low)
    np.testing.assert_allclose(slope, 0, atol=1e-9)
    assert query.gradient(rows, torus.position_of(2), space=torus)[1] < -0.1


def test_many_positions_with_a_large_radius_are_searched_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = fc.HexGrid(9, 7).graph
    values = np.random.default_rng(3).random(len(graph)).astype(np.float32)
    places = graph.position_of(np.arange(40))
    found = query.best(values, places, 99.0, count=3, spacing=2.0, space=graph)
    monkeypatch.setattr(queries_on_graph, "_PAIRS", 100)
    sizes: list[int] = []
    within = queries_on_graph.vertices_within

    def record(graph: Graph, points: np.ndarray, radius: float) -> list[list[int]]:
        sizes.append(len(points))
        return within(graph, points, radius)

    monkeypatch.setattr(queries_on_graph, "vertices_within", record)
    again = query.best(values, places, 99.0, count=3, spacing=2.0, space=graph)
    assert sizes == [16] + 24 * [1]
    np.testing.assert_array_equal(again.cells, found.cells)
