"""Meshes: polygons, their sides, and where positions lie."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft.base.errors import InvalidValue, OutsideMap
from fieldcraft.space import Graph, Mesh
from support.polygons import CORNERS, POLYGONS, two_floors
from support.refusals import refused


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


@pytest.mark.parametrize("dimensions", [2, 3])
def test_locating_agrees_with_trying_every_triangle(dimensions: int) -> None:
    """In 2D the first of overlapping triangles counts, in 3D the nearest in height."""
    rng = np.random.default_rng(1)
    corners = (rng.random((60, 3)) * (10, 7, 3))[:, :dimensions]
    mesh = Mesh(corners, rng.permuted(np.tile(np.arange(60), (40, 1)), axis=1)[:, :3])
    points = (rng.random((400, 3)) * (12, 9, 4) - 1)[:, :dimensions]
    found, shares, off = mesh.locate(points)
    for point, triangle, share, height in zip(
        points, found.tolist(), shares, off.tolist(), strict=True
    ):
        fits = []
        for number, corner in enumerate(mesh.triangles):
            a, b, c = mesh.corners[corner]
            second, third = np.linalg.solve(np.stack([b - a, c - a], axis=1)[:2], (point - a)[:2])
            if min(second, third, 1 - second - third) >= 0:
                away = a + second * (b - a) + third * (c - a) - point
                fits.append((abs(away[2:]).sum(), number))
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


def test_flat_polygons_have_a_middle() -> None:
    graph = Graph.from_polygons([(0, 0), (1, 0), (2, 0), (1, 1)], [(0, 1, 2), (0, 2, 3)])
    np.testing.assert_allclose(graph.positions[0], (1, 0))
    assert graph.areas[0] == 0 and graph.cell_at((1, 0.1)) == 1


def test_polygons_may_be_a_little_less_than_convex() -> None:
    warped = [(0, 0), (2, 1e-7), (4, 0), (4, 3), (0, 3)]
    doubled = [(0, 0), (4, 0), (4 + 1e-13, -1e-13), (4, 3), (0, 3)]
    upright = [(0, 0, 0), (4, 0, 0), (4, 1e-15, 3), (1e-15, -1e-15, 3)]
    for corners in (warped, doubled, upright):
        for turned in (1, -1):
            assert len(Graph.from_polygons(corners, [range(len(corners))[::turned]])) == 1


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
