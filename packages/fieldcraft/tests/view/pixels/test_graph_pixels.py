"""Graphs and meshes as pixels."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Graph
from fieldcraft.view import ColorScale, frame
from fieldcraft.view.picture_parts import GROUND, WALL
from support.refusals import refused


def layer_on(graph: Graph, values: object) -> fc.Layer:
    return fc.InfluenceMap(graph).add_layer("noise", values=values)


def squares(heights: tuple[float, ...]) -> Graph:
    """A square of side 4 at each height, all above each other, the second one moved by half."""
    corners, polygons = [], []
    for number, z in enumerate(heights):
        left = 2.0 * (number % 2)
        polygons.append([len(corners) + k for k in range(4)])
        corners += [(left, 0, z), (left + 4, 0, z), (left + 4, 4, z), (left, 4, z)]
    return Graph.from_polygons(corners, polygons)


def at(picture: np.ndarray, share_x: float, share_y: float) -> list[int]:
    height, width = picture.shape[:2]
    return picture[int(share_y * height), int(share_x * width), :3].tolist()


def test_the_highest_polygon_shows() -> None:
    scale = ColorScale(0, 2)
    picture = frame(layer_on(squares((0, 3)), [1, 2]), colors=scale, size=200)
    assert picture.dtype == np.uint8 and picture.shape[2] == 4 and max(picture.shape[:2]) == 200
    low, high = (scale.rgb(np.array([[v]], dtype=np.float32))[0, 0].tolist() for v in (1, 2))
    assert (
        at(picture, 0.2, 0.5) == low
        and at(picture, 0.5, 0.5) == high
        and at(picture, 0.8, 0.5) == high
    )
    assert at(picture, 0.5, 0.02) == list(GROUND)
    floor = frame(layer_on(squares((0, 3)), [1, 2]), colors=scale, size=200, heights=(-1, 1))
    assert (
        floor.shape == picture.shape
        and at(floor, 0.5, 0.5) == low
        and at(floor, 0.9, 0.5) == [43, 46, 56]
    )


def test_blocked_and_empty_ground_is_told_apart() -> None:
    graph = Graph([(0, 0, 0), (8, 0, 0)], [], blocked=[1])
    picture = frame(layer_on(graph, [0, 0]), limits=(0, 1), size=120)
    shades = {tuple(pixel) for pixel in picture[..., :3].reshape(-1, 3).tolist()}
    assert WALL in shades and GROUND in shades and len(shades) > 2


@pytest.mark.parametrize("y_up", [False, True])
def test_which_way_y_goes(y_up: bool) -> None:
    graph = Graph([(0, 0), (0, 10), (10, 0)], [(0, 1), (0, 2)], y_up=y_up)
    picture = frame(layer_on(graph, [0, 5, 0]), size=100)
    bright = np.argwhere(picture[..., :3].sum(axis=2) > 500).mean(axis=0)
    assert (bright[0] < 50) == y_up and bright[1] < 50


def test_a_lattice_is_filled_and_sources_are_marked() -> None:
    imap = fc.InfluenceMap(fc.Grid(12, 8, neighbors=8).to_graph())
    layer = imap.add_layer("noise", fc.Spread(0.1, 1))
    layer.add_source((3.5, 2.5), 4)
    layer.settle()
    plain, marked = frame(layer, size=220, sources=False), frame(layer, size=220)
    inner = plain[20:-20, 20:-20, :3]
    assert not (inner == GROUND).all(axis=2).any()
    assert (plain != marked).any()


def test_what_is_refused() -> None:
    flat = layer_on(Graph([(0, 0), (1, 0)], []), [1, 2])
    solid = layer_on(squares((0,)), [1])
    for call, said in (
        (lambda: frame(flat, heights=(0, 1)), "3D"),
        (lambda: frame(solid, heights=(1, 0)), "from, to"),
        (lambda: frame(solid, size=0), "size"),
        (lambda: frame(solid, size=10**6), "size"),
        (lambda: frame(solid, colors=ColorScale(0, 1), limits=(0, 2)), "limits"),
        (lambda: fc.view.Placement(flat.space, scale=10**5), "pixels"),
        (lambda: frame(np.zeros((2, 2)), heights=(0, 1)), "3D"),
        (lambda: fc.view.frame(layer_on(Graph([(0, 0)], []), [np.nan])), "vertex 0"),
    ):
        with refused(InvalidValue, said):
            call()
    assert frame(layer_on(Graph([], []), np.zeros(0)), size=50).shape[2] == 4


def test_frames_of_any_space_are_those_of_graphs() -> None:
    layer = layer_on(squares((0,)), [2])
    assert fc.view.picture(layer, size=150).shape[2] == 4
    clear = fc.view.frame(layer, size=150, ground=None, opacity=0.5)
    assert set(np.unique(clear[..., 3]).tolist()) >= {0, 128}


def test_teams_and_placements_from_above() -> None:
    graph = squares((0, 0, 0))
    one, other = layer_on(graph, [4, 0, 0]), layer_on(graph, [0, 0, 4])
    picture = fc.view.frame_teams(
        [(one, "#ff0000", "red"), (other, "#0000ff", "blue")], size=160, sources=False
    )
    place = fc.view.Placement(graph, size=160)
    assert picture.shape[:2] == place.shape
    left, right = (
        picture[int(y), int(x), :3].astype(int) for x, y in place.pixel_of([(1, 3), (1, 1)])
    )
    assert left[0] > left[2] or right[2] > right[0]
    points = np.array([(0.5, 0.5), (4, 4)])
    np.testing.assert_allclose(place.position_of(place.pixel_of(points)), points)
    np.testing.assert_allclose(place.pixel_of((1, 1, 7)), place.pixel_of((1, 1)))
    fc.view.draw_lines(picture, place, [points])


@pytest.mark.parametrize(
    "space",
    [
        fc.Grid(9, 5, cell_size=4.0, origin=(3, -2)),
        fc.HexGrid(9, 5, size=2.0),
        fc.Grid(9, 5).to_graph(),
    ],
    ids=["grid", "hexagons", "graph"],
)
def test_a_scale_is_pixels_per_world_unit(space: fc.Space) -> None:
    place = fc.view.Placement(space, scale=10)
    right = place.pixel_of(space.position_of(3)) - place.pixel_of(space.position_of(2))
    assert right == pytest.approx((space.position_of(3) - space.position_of(2)) * 10)
    layer = fc.InfluenceMap(space).add_layer("a", values=np.ones(space.shape))
    small, large = (np.array(frame(layer, scale=scale).shape[1::-1]) for scale in (10, 20))
    assert large - small == pytest.approx((space.extent[1] - space.extent[0]) * 10, abs=12)
