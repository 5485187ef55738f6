"""Polygons that touch are neighbors, whether they share corners or not."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue

Corners = list[tuple[float, ...]]


def rectangle(x: float, y: float, width: float, height: float, *z: float) -> Corners:
    """The corners of a rectangle."""
    plan = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    return [(*corner, *z) for corner in plan]


def meshed(*rectangles: Corners, **words: float) -> fc.Graph:
    """A mesh of rectangles with corners of their own."""
    corners = [corner for each in rectangles for corner in each]
    polygons = np.arange(len(corners)).reshape(-1, 4)
    return fc.Graph.from_polygons(corners, polygons, **words)


@pytest.mark.parametrize("z", [(), (3.0,)])
def test_corners_in_one_place_are_one(z: tuple[float, ...]) -> None:
    graph = meshed(rectangle(0, 0, 1, 1, *z), rectangle(1, 0, 1, 1, *z))
    assert graph.edges.tolist() == [[0, 1]]
    assert graph.lengths.tolist() == [1.0]


@pytest.mark.parametrize("size", [1.0, 0.1, 30.0])
@pytest.mark.parametrize("far", [0.0, 5e5])
def test_thin_seams_are_closed_and_wide_ones_are_not(size: float, far: float) -> None:
    for share, edges in ((5e-4, 1), (1e-3, 1), (2e-3, 0), (0.1, 0)):
        seam = far + size * (1 + share)
        graph = meshed(rectangle(far, far, size, size), rectangle(seam, far, size, size))
        assert len(graph.edges) == edges, share


def test_a_seam_is_as_wide_as_weld_says() -> None:
    boxes = rectangle(0, 0, 1, 1), rectangle(1.05, 0, 1, 1)
    assert len(meshed(*boxes).edges) == 0
    assert len(meshed(*boxes, weld=0.05).edges) == 1
    assert len(meshed(*boxes, weld=0.04).edges) == 0
    assert len(meshed(rectangle(0, 0, 1, 1), rectangle(1 + 1e-6, 0, 1, 1), weld=0).edges) == 0
    with pytest.raises(InvalidValue, match="smaller weld"):
        meshed(*boxes, weld=1.0)
    with pytest.raises(InvalidValue, match="weld"):
        meshed(*boxes, weld=-1.0)


def test_corners_on_the_side_of_a_neighbor_split_it() -> None:
    graph = meshed(rectangle(0, 0, 2, 2), rectangle(2, 0, 1, 1), rectangle(2, 1, 1, 1))
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert graph.mesh is not None
    np.testing.assert_allclose(graph.positions, [(1, 1), (2.5, 0.5), (2.5, 1.5)])
    # the path leads through the middle of the shared half of the side
    np.testing.assert_allclose(graph.lengths[0], np.hypot(1, 0.5) + 0.5)
    assert fc.visible(graph, (1, 1), 9).all()


def test_sides_that_overlap_in_part_share_that_part() -> None:
    graph = meshed(rectangle(0, 0, 1, 2), rectangle(1, 1, 1, 2))
    assert graph.edges.tolist() == [[0, 1]]
    np.testing.assert_allclose(graph.lengths, 2 * np.hypot(0.5, 0.5))
    corner_only = meshed(rectangle(0, 0, 1, 2), rectangle(1, 2, 1, 2))
    assert len(corner_only.edges) == 0
    assert corner_only.mesh is not None and len(corner_only.mesh.rings) == 8


def test_floors_above_each_other_stay_two() -> None:
    graph = meshed(rectangle(0, 0, 2, 2, 0.0), rectangle(2, 0, 1, 1, 0.5))
    assert len(graph.edges) == 0


def test_a_mesh_whose_polygons_share_corners_stays_as_it_is() -> None:
    corners = [(0, 0), (2, 0), (2, 2), (0, 2), (4, 0), (4, 2)]
    polygons = [[0, 1, 2, 3], [1, 4, 5, 2]]
    graph = fc.Graph.from_polygons(corners, polygons)
    assert graph.mesh is not None
    assert graph.mesh.rings.tolist() == [0, 1, 2, 3, 1, 4, 5, 2]


def test_a_polygon_never_loses_a_corner() -> None:
    corners = [(0, 0), (4, 0), (4, 1e-9), (0, 1), (4, 0), (8, 0), (8, 1), (4, 1e-9)]
    graph = fc.Graph.from_polygons(corners, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert graph.mesh is not None
    assert np.diff(graph.mesh.starts).tolist() == [4, 4]
    assert graph.edges.tolist() == [[0, 1]]


def test_joining_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "fieldcraft.space.mesh.joining")
    meshed(rectangle(0, 0, 2, 2), rectangle(2, 0, 1, 1), rectangle(2, 1, 1, 1))
    assert "4 corners were joined with others, and 1 put into the sides" in caplog.text


@pytest.mark.parametrize("seed", range(12))
def test_random_cuts_of_a_floor_hang_together(seed: int) -> None:
    """A floor cut at random is one part, and two rectangles are neighbors if they share a piece of
    a side.
    """
    rng = np.random.default_rng(seed)
    boxes = [(0.0, 0.0, 8.0, 6.0)]
    while len(boxes) < 14:
        index = int(rng.integers(len(boxes)))
        x, y, width, height = boxes.pop(index)
        share = float(rng.uniform(0.3, 0.7))
        if rng.random() < 0.5:
            boxes += [(x, y, width * share, height)]
            boxes += [(x + width * share, y, width * (1 - share), height)]
        else:
            boxes += [(x, y, width, height * share)]
            boxes += [(x, y + height * share, width, height * (1 - share))]
    graph = meshed(*(rectangle(*box) for box in boxes))
    expected = []
    for i, (x, y, width, height) in enumerate(boxes):
        for j, (left, top, across, down) in enumerate(boxes[:i]):
            over_x = min(x + width, left + across) - max(x, left)
            over_y = min(y + height, top + down) - max(y, top)
            touches = min(abs(over_x), abs(over_y)) < 1e-9
            if touches and max(over_x, over_y) > 1e-2:
                expected.append([j, i])
    assert sorted(np.sort(graph.edges, axis=1).tolist()) == sorted(expected)
    assert graph.parts().max() == 0
