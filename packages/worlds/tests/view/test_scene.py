"""Scenes as pixels: each part where it belongs, in its color, whatever the camera; and what
doesn't fit refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldcraft import Grid, Terrain, generate_map
from fieldcraft.base.errors import InvalidValue, UnknownName
from fieldcraft.view import ColorScale
from fieldcraft.view.picture_parts import GROUND, RIM, WALL
from fieldcraft_worlds.scene import Areas, Arrows, Cones, Field, Label, Lines, Marks, Scene
from fieldcraft_worlds.view.camera import Camera
from fieldcraft_worlds.view.scene import SceneView, draw_scene
from fieldcraft_worlds.view.tones import rgb_of_tone
from support.refusals import refused

BLUE, ORANGE = rgb_of_tone(0), rgb_of_tone(1)
PAGE = (13, 14, 18)


def meadow(**options: Any) -> Grid:
    return Grid(12, 8, **options)


def seen(
    space: Any, size: tuple[int, int] = (120, 80), camera: Camera | None = None, **parts: Any
) -> np.ndarray:
    return draw_scene(Scene(space, **parts), size, camera)


def at(picture: np.ndarray, x: float, y: float) -> tuple[int, ...]:
    return tuple(picture[int(y), int(x), :3].tolist())


def touched(picture: np.ndarray, before: np.ndarray) -> np.ndarray:
    return (picture != before).any(axis=2)


class TestGround:
    def test_open_ground_walls_and_what_is_beside(self) -> None:
        walls = np.zeros((8, 12), np.bool_)
        walls[2:5, 3:7] = True
        picture = seen(meadow(walls=walls), (140, 80))
        assert picture.shape == (80, 140, 4)
        assert (picture[..., 3] == 255).all()
        assert at(picture, 5, 40) == PAGE
        assert at(picture, 15, 5) == GROUND
        assert at(picture, 10 + 45, 35) == WALL
        assert at(picture, 10 + 30, 35) == RIM

    @pytest.mark.parametrize("y_up", [False, True])
    def test_rows_are_drawn_as_arrays_look(self, y_up: bool) -> None:
        values = np.zeros((8, 12), np.float32)
        values[1, 2] = 1
        picture = seen(meadow(y_up=y_up), field=Field(values, limits=(0, 1)))
        rows, columns = np.nonzero((picture[..., :3] != GROUND).any(axis=2))
        assert (rows.min(), rows.max(), columns.min(), columns.max()) == (10, 19, 20, 29)

    @settings(max_examples=25, deadline=None)
    @given(
        st.floats(-10, 30), st.floats(-10, 20), st.floats(0.3, 40), st.booleans(), st.integers(0, 9)
    )
    def test_every_pixel_shows_the_cell_under_it(
        self, x: float, y: float, zoom: float, y_up: bool, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        space = Grid(17, 9, cell_size=1.5, origin=(-2.0, 3.0), y_up=y_up)
        values = rng.random((9, 17)).astype(np.float32)
        camera = Camera((x, y), zoom, y_up=y_up)
        size = (53, 37)
        picture = seen(space, size, camera, field=Field(values, limits=(0, 1)))
        scale = ColorScale(0, 1)
        columns, rows = np.meshgrid(np.arange(53) + 0.5, np.arange(37) + 0.5)
        places = camera.to_world(np.stack([columns.ravel(), rows.ravel()], axis=1), size)
        inside = ((places >= space.origin) & (places < np.array(space.origin) + space.size)).all(
            axis=1
        )
        # A pixel in the middle between two cells may show either.
        edge = (
            np.abs((places - space.origin) / 1.5 - np.rint((places - space.origin) / 1.5)) < 1e-6
        ).any(axis=1)
        flat = picture.reshape(-1, 4)[:, :3]
        assert (flat[~inside & ~edge] == PAGE).all()
        cells = np.atleast_1d(space.cell_at(places[inside & ~edge]))
        assert (flat[inside & ~edge] == scale.rgb(values.reshape(-1)[cells])).all()

    def test_terrain_shows_its_kinds(self) -> None:
        classes = np.zeros((8, 12), np.uint8)
        classes[:, 6:] = 1
        classes[0, 0] = 2
        enter = np.array([[True, True, False], [True, True, False], [False, False, False]])
        picture = seen(meadow(terrain=Terrain(classes, enter, ["grass", "water", "rock"])))
        colors = {at(picture, 25, 45), at(picture, 95, 45), at(picture, 3, 3)}
        assert len(colors) == 3

    def test_walls_smaller_than_a_pixel_are_seen(self) -> None:
        walls = np.zeros((400, 600), np.bool_)
        walls[:, 301] = True
        walls[200] = True
        picture = seen(Grid(600, 400, walls=walls), (120, 80))
        assert (picture[40, :, :3] != GROUND).any(axis=1).sum() >= 110
        assert (picture[:, 59:62, :3] != GROUND).any(axis=2).any(axis=1).all()

    def test_walls_that_change_are_seen(self) -> None:
        space = meadow()
        view = SceneView(120, 80)
        before = view.draw(Scene(space)).copy()
        space.set_walls([5])
        after = view.draw(Scene(space))
        rows, columns = np.nonzero(touched(after, before))
        assert (rows.min(), rows.max(), columns.min(), columns.max()) == (0, 9, 50, 59)

    def test_areas_lie_over_values_and_under_marks(self) -> None:
        mask = np.zeros((8, 12), np.bool_)
        mask[0, :3] = True
        picture = seen(meadow(), areas=(Areas(mask, ("#ffffff",), 0.5),))
        assert at(picture, 15, 5) == pytest.approx([(c + 255) / 2 for c in GROUND], abs=1)
        assert at(picture, 35, 5) == GROUND
        owners = np.full((8, 12), -1)
        owners[1, 1], owners[2, 2] = 0, 1
        picture = seen(meadow(), areas=(Areas(owners, (0, 1), 1.0),))
        assert (at(picture, 15, 15), at(picture, 25, 25), at(picture, 55, 55)) == (
            BLUE,
            ORANGE,
            GROUND,
        )


class TestParts:
    def test_marks_stand_at_their_positions_in_their_colors(self) -> None:
        positions = np.array([[2.5, 1.5], [9.5, 6.5]])
        for shape in ("disc", "square", "diamond", "dot"):
            picture = seen(meadow(), marks=(Marks(positions, shape, 1.0, np.array([0, 1])),))
            assert at(picture, 25, 15) == BLUE
            assert at(picture, 95, 65) == ORANGE
            assert at(picture, 60, 40) == GROUND

    def test_triangles_point_where_they_go(self) -> None:
        for y_up in (False, True):
            for direction in ((1.0, 0.0), (0.0, 3.0), (-1.0, 1.0)):
                ahead = np.array([direction])
                picture = seen(
                    meadow(y_up=y_up),
                    marks=(Marks(np.array([[6.0, 4.0]]), "triangle", 3.0, "#ff0000", ahead),),
                )
                rows, columns = np.nonzero(picture[..., 0] > 250)
                screen = np.array(
                    [direction[0], -direction[1] if y_up else direction[1]]
                ) / math.hypot(*direction)
                along = (columns + 0.5 - 60) * screen[0] + (rows + 0.5 - 40) * screen[1]
                assert along.max() > 11
                assert (along < 0).sum() > 1.4 * (along > 0).sum()

    def test_health_shows_as_a_bar_that_shortens(self) -> None:
        lengths = []
        for health in (0.1, 0.5, 0.9):
            marks = Marks(np.array([[6.0, 4.0]]), "square", 2.0, 0, health=np.array([health]))
            picture = seen(meadow(), marks=(marks,))
            tone = rgb_of_tone(
                "danger" if health < 0.33 else "warning" if health < 0.66 else "good"
            )
            lengths.append(int((picture[..., :3] == tone).all(axis=2).any(axis=0).sum()))
        assert 0 < lengths[0] < lengths[1] < lengths[2]
        whole = seen(
            meadow(), marks=(Marks(np.array([[6.0, 4.0]]), "square", 2.0, 0, health=np.ones(1)),)
        )
        assert (
            whole == seen(meadow(), marks=(Marks(np.array([[6.0, 4.0]]), "square", 2.0, 0),))
        ).all()

    def test_lines_run_through_their_points(self) -> None:
        path = np.array([[1.5, 1.5], [9.5, 1.5], [9.5, 6.5]])
        picture = seen(meadow(), lines=(Lines((path,), "#ffffff", 2.0),))
        for x, y in ((15, 15), (55, 15), (95, 15), (95, 40), (95, 64)):
            assert at(picture, x, y) == (255, 255, 255)
        assert at(picture, 50, 40) == GROUND
        stacked = np.stack([path[:2], path[1:]])
        colored = seen(meadow(), lines=(Lines(stacked, np.array([0, 1]), 2.0),))
        assert at(colored, 55, 15) == BLUE
        assert at(colored, 95, 40) == ORANGE

    def test_translucent_lines_count_once_where_they_cross(self) -> None:
        cross = (np.array([[1.0, 4.0], [11.0, 4.0]]), np.array([[6.0, 1.0], [6.0, 7.0]]))
        picture = seen(meadow(), lines=(Lines(cross, "#ffffff", 3.0, opacity=0.5, shade=0),))
        assert at(picture, 60, 40) == at(picture, 30, 40)

    def test_arrows_have_heads_ahead(self) -> None:
        picture = seen(
            meadow(),
            arrows=(
                Arrows(
                    np.array([[6.0, 4.0]]),
                    np.array([[4.0, 0.0]]),
                    "#ffffff",
                    width=2.0,
                    opacity=1.0,
                ),
            ),
        )
        white = (picture[..., :3] > 240).all(axis=2)
        assert white[:, 70:].sum(axis=0).max() > white[:, 45:60].sum(axis=0).max()
        none = seen(meadow(), arrows=(Arrows(np.array([[6.0, 4.0]]), np.zeros((1, 2))),))
        assert (none == seen(meadow())).all()

    def test_arrows_of_a_whole_field_are_thinned(self) -> None:
        space = Grid(300, 200)
        positions = space.position_of(np.arange(len(space)))
        picture = seen(
            space, (600, 400), arrows=(Arrows(positions, np.ones_like(positions), spacing=40.0),)
        )
        share = touched(picture, seen(space, (600, 400))).mean()
        assert 0.02 < share < 0.3

    def test_cones_open_ahead(self) -> None:
        cones = Cones(np.array([[6.0, 4.0]]), np.array([[0.0, -1.0]]), 3.0, 90.0, "#ffffff", 0.5)
        picture = seen(meadow(), cones=(cones,))
        lit = touched(picture, seen(meadow()))
        assert lit[12:38, 60].all()
        assert not lit[45:].any()
        area = lit.sum()
        assert area == pytest.approx(math.pi * 30**2 / 4, rel=0.1)
        circle = seen(
            meadow(), cones=(Cones(np.array([[6.0, 4.0]]), np.zeros((1, 2)), 3.0, 360.0),)
        )
        assert touched(circle, seen(meadow())).sum() == pytest.approx(math.pi * 30**2, rel=0.06)

    def test_words(self) -> None:
        plain = seen(meadow(), (240, 160))
        label = touched(seen(meadow(), (240, 160), labels=(Label((6.0, 4.0), "here"),)), plain)
        assert 30 < label.sum() < 900
        rows, columns = np.nonzero(label)
        assert abs(columns.mean() - 120) < 6
        assert abs(rows.mean() - 80) < 8
        assert touched(seen(meadow(), (240, 160), headline="red wins"), plain).sum() > 2000


class TestSizes:
    @pytest.mark.parametrize("size", [(1, 1), (3, 200), (200, 2), (17, 5)])
    def test_tiny_pictures(self, size: tuple[int, int]) -> None:
        space = generate_map("cave", 60, 40, seed=3)
        rng = np.random.default_rng(1)
        points = rng.uniform(0, 40, (9, 2))
        parts = {
            "field": Field(rng.random(space.shape).astype(np.float32)),
            "marks": (Marks(points, health=np.full(9, 0.4)),),
            "lines": (Lines((points,)),),
            "cones": (Cones(points, points, 4.0, 57.0),),
            "arrows": (Arrows(points, points, spacing=9.0),),
            "labels": (Label((3.0, 3.0), "word"),),
            "headline": "over",
        }
        assert seen(space, size, **parts).shape == (size[1], size[0], 4)

    @pytest.mark.parametrize("shape", [(1, 1), (1, 300), (300, 1)])
    def test_thin_maps(self, shape: tuple[int, int]) -> None:
        space = Grid(shape[1], shape[0])
        picture = seen(space, (90, 60), field=Field(np.ones(shape, np.float32), limits=(0, 1)))
        assert (picture[..., :3] == ColorScale(0, 1).table[-1]).all(axis=2).any()

    def test_a_camera_beside_the_map(self) -> None:
        picture = seen(
            meadow(),
            camera=Camera((1000.0, 1000.0), 10.0),
            field=Field(np.ones((8, 12))),
            marks=(Marks(np.ones((1, 2))),),
        )
        assert (picture[..., :3] == PAGE).all()


class TestRefusals:
    @pytest.fixture(autouse=True)
    def quiet(self) -> Iterator[None]:
        with np.errstate(all="raise"):
            yield

    @pytest.mark.parametrize(
        ("parts", "said"),
        [
            ({"field": Field(np.ones((12, 8)))}, "(height, width)"),
            ({"field": Field(np.full((8, 12), np.nan), limits=(0, 1))}, "finite"),
            ({"field": Field(np.ones((8, 12)), opacity=2.0)}, "opacity"),
            ({"field": Field(np.ones((8, 12)), limits=(1, 1))}, "limits"),
            ({"areas": (Areas(np.ones((3, 3), np.bool_)),)}, "Areas"),
            ({"areas": (Areas(np.full((8, 12), 5)),)}, "colors"),
            ({"marks": (Marks(np.full((2, 2), np.nan)),)}, "finite"),
            ({"marks": (Marks(np.ones((2, 2)), "star"),)}, "star"),
            ({"marks": (Marks(np.ones((2, 2)), color=np.array([1])),)}, "2"),
            ({"marks": (Marks(np.ones((2, 2)), color=np.array([1, -1])),)}, "team"),
            ({"marks": (Marks(np.ones((2, 2)), size=np.ones(3)),)}, "size"),
            ({"marks": (Marks(np.ones((2, 2)), directions=np.ones((3, 2))),)}, "Vectors"),
            ({"marks": (Marks(np.ones((2, 2)), health=np.ones(1)),)}, "health"),
            ({"lines": (Lines(np.ones((3, 2))),)}, "(L, N, 2)"),
            ({"lines": (Lines((), width=0.0),)}, "width"),
            ({"arrows": (Arrows(np.ones((2, 2)), np.ones((2, 2)), spacing=-1.0),)}, "spacing"),
            ({"cones": (Cones(np.ones((2, 2)), np.ones((2, 2)), np.ones(3), 1.0),)}, "radius"),
        ],
    )
    def test_what_does_not_fit(self, parts: dict[str, Any], said: str) -> None:
        with refused(InvalidValue, said):
            seen(meadow(), **parts)

    def test_colors(self) -> None:
        with refused(UnknownName, "dangr", "danger"):
            seen(meadow(), marks=(Marks(np.ones((1, 2)), color="dangr"),))
        with refused(InvalidValue, "-1"):
            seen(meadow(), marks=(Marks(np.ones((1, 2)), color=-1),))

    def test_sizes_and_cameras(self) -> None:
        with refused(InvalidValue, "width"):
            SceneView(0, 5)
        with refused(InvalidValue, "y_up"):
            seen(meadow(y_up=True), camera=Camera())
