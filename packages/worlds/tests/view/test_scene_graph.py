"""Scenes on graphs: the pixel over a polygon or near a vertex has the color of its value."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import load_map
from fieldcraft.base.errors import InvalidValue
from fieldcraft.space import Graph
from fieldcraft.view import ColorScale
from fieldcraft.view.picture_parts import GROUND, WALL
from fieldcraft_worlds.scene import Areas, Arrows, Cones, Field, Label, Lines, Marks, Scene
from fieldcraft_worlds.view.extent import extent_of, full_view, step_of
from fieldcraft_worlds.view.scene import SceneView, draw_scene
from fieldcraft_worlds.view.tones import rgb_of_tone
from support import realdata
from support.refusals import refused

SIZE = (200, 120)


def squares(columns: int = 4, rows: int = 3, *, height: float | None = None) -> Graph:
    """A mesh of unit squares, row by row."""
    places = [
        (float(x), float(y)) + (() if height is None else (height * x,))
        for y in range(rows + 1)
        for x in range(columns + 1)
    ]
    wide = columns + 1
    return Graph.from_polygons(
        places,
        [
            (y * wide + x, y * wide + x + 1, (y + 1) * wide + x + 1, (y + 1) * wide + x)
            for y in range(rows)
            for x in range(columns)
        ],
    )


def at(picture: np.ndarray, graph: Graph, x: float, y: float) -> tuple[int, ...]:
    column, row = full_view(graph, SIZE).to_screen((x, y), SIZE)
    return tuple(picture[int(row), int(column), :3].tolist())


def test_polygons_have_the_colors_of_their_values() -> None:
    graph = squares()
    values = np.linspace(0.1, 1, len(graph)).astype(np.float32)
    values[5] = 0
    graph.set_walls([7])
    picture = draw_scene(Scene(graph, field=Field(values, limits=(0, 1))), SIZE)
    expected = ColorScale(0, 1).rgb(values)
    for cell, (x, y) in enumerate(graph.positions.tolist()):
        if cell == 7:
            assert at(picture, graph, x, y) not in (WALL, tuple(expected[7].tolist()))
        else:
            assert at(picture, graph, x, y) == (
                GROUND if cell == 5 else tuple(expected[cell].tolist())
            )


def test_vertices_have_the_colors_of_their_values() -> None:
    graph = Graph([(0, 0), (8, 0), (8, 6)], [(0, 1), (1, 2)])
    values = np.array([0.2, 0.6, 1.0], np.float32)
    picture = draw_scene(Scene(graph, field=Field(values, limits=(0, 1))), SIZE)
    for place, color in zip(
        graph.positions.tolist(), ColorScale(0, 1).rgb(values).tolist(), strict=True
    ):
        assert at(picture, graph, *place) == tuple(color)
    line, beside = at(picture, graph, 4, 0), at(picture, graph, 4, 3)
    assert line != beside


def test_walls_and_cameras_that_change_are_seen() -> None:
    graph = squares()
    view = SceneView(*SIZE)
    before = view.draw(Scene(graph)).copy()
    graph.set_walls([0])
    after = view.draw(Scene(graph)).copy()
    changed = (before != after).any(axis=2)
    assert changed.any()
    assert changed.mean() < 0.2
    camera = full_view(graph, SIZE)
    camera.zoom *= 2
    assert (view.draw(Scene(graph), camera) != after).any()


def test_higher_floors_lie_over_lower_ones() -> None:
    corners = [
        (0, 0, 5),
        (4, 0, 5),
        (4, 3, 5),
        (0, 3, 5),
        (1, 1, 0),
        (3, 1, 0),
        (3, 2, 0),
        (1, 2, 0),
    ]
    graph = Graph.from_polygons(corners, [(0, 1, 2, 3), (4, 5, 6, 7)])
    picture = draw_scene(Scene(graph, field=Field(np.array([0.3, 1.0]), limits=(0, 1))), SIZE)
    assert at(picture, graph, 2, 1.5) == tuple(
        ColorScale(0, 1).rgb(np.array([0.3], np.float32))[0].tolist()
    )


def test_y_up() -> None:
    graph = Graph([(0, 0), (8, 6)], [(0, 1)], y_up=True)
    picture = draw_scene(
        Scene(graph, marks=(Marks(np.array([[0.0, 0.0]]), "disc", 1.0, "#ffffff"),)), SIZE
    )
    rows, columns = np.nonzero((picture[..., :3] == 255).all(axis=2))
    assert rows.mean() > 60
    assert columns.mean() < 100


def test_everything_else_is_drawn_in_three_dimensions_too() -> None:
    graph = squares(height=0.5)
    places = graph.positions
    assert places.shape[1] == 3
    parts = {
        "areas": (Areas(np.arange(len(graph)) < 2, ("#ffffff",), 1.0),),
        "marks": (Marks(places[4:6], "triangle", 0.4, 1, places[4:6] * 0 + 1),),
        "lines": (Lines((places[:3],)),),
        "arrows": (Arrows(places, np.ones_like(places)),),
        "cones": (Cones(places[:1], places[:1] + 1, 2.0, 57.0),),
        "labels": (Label((1.0, 1.0), "x"),),
    }
    picture = draw_scene(Scene(graph, areas=parts["areas"]), SIZE)
    assert at(picture, graph, 0.5, 0.5) == (255, 255, 255)
    assert at(picture, graph, 2.5, 0.5) == GROUND
    assert (draw_scene(Scene(graph, **parts), SIZE) != picture).any()
    owned = Areas(np.arange(len(graph)) % 3 - 1, (0, 1), 1.0)
    picture = draw_scene(Scene(graph, areas=(owned,)), SIZE)
    assert at(picture, graph, *graph.positions[2, :2]) == rgb_of_tone(1)


@pytest.mark.parametrize(
    "graph",
    [
        Graph(np.zeros((0, 2)), np.zeros((0, 2), np.int64)),
        Graph([(3, 4)], np.zeros((0, 2), np.int64)),
    ],
)
def test_hardly_any_graph(graph: Graph) -> None:
    low, size = extent_of(graph)
    assert (size > 0).all()
    assert np.isfinite(low).all()
    assert step_of(graph) == 1.0
    for field in (None, Field(np.ones(len(graph)), limits=(0, 1)), Field(np.ones(len(graph)))):
        assert draw_scene(Scene(graph, field=field), (30, 20)).shape == (20, 30, 4)


def test_what_does_not_fit() -> None:
    graph = squares()
    with refused(InvalidValue, "vertex"):
        draw_scene(Scene(graph, field=Field(np.ones(5), limits=(0, 1))), SIZE)
    with refused(InvalidValue, "vertex"):
        draw_scene(Scene(graph, areas=(Areas(np.ones(5, np.bool_)),)), SIZE)
    with refused(InvalidValue, "finite"):
        draw_scene(Scene(graph, field=Field(np.full(len(graph), np.nan), limits=(0, 1))), SIZE)


def test_a_real_mesh() -> None:
    graph = load_map(realdata.folder("navmesh") / "polyanya" / "arena.mesh")
    picture = draw_scene(Scene(graph), (400, 400))
    share = (picture[..., :3] == GROUND).all(axis=2).mean()
    area = float(np.asarray(graph.areas).sum() / np.prod(extent_of(graph)[1]))
    assert share > 0.4 * area
