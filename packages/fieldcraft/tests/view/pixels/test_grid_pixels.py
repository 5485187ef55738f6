"""Grids as pixels."""

from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import Grid, Terrain, view
from fieldcraft.view import ColorScale, Placement
from fieldcraft.view.palettes import lab_of
from support.pictures import GROUND, HEIGHT, WALL, WIDTH, cell, field


def test_walls_are_distinct_and_outlined_towards_open_ground():
    walls = np.zeros((HEIGHT, WIDTH), dtype=bool)
    walls[2:5, 3:8] = True
    scale = 12
    picture = view.frame(
        np.where(walls, 0, field()),
        space=Grid(WIDTH, HEIGHT, walls=walls),
        scale=scale,
        threshold=None,
    )
    empty = view.frame(
        np.zeros((HEIGHT, WIDTH)), space=Grid(WIDTH, HEIGHT, walls=walls), scale=scale
    )
    assert (cell(empty, 3, 5, scale) == WALL).all()
    assert (cell(empty, 0, 0, scale) == GROUND).all()
    rim = empty[2 * scale, 5 * scale + 6, :3]
    assert lab_of(rim)[0] > lab_of(GROUND)[0] + 15
    for row, column in (
        (2 * scale, 40),
        (5 * scale - 1, 40),
        (40, 3 * scale),
        (40, 8 * scale - 1),
        (2 * scale, 3 * scale),
    ):
        assert (empty[row, column, :3] == rim).all()
    assert (empty[2 * scale - 1, 40, :3] == GROUND).all()  # the line stays inside of the wall
    assert (cell(picture, 3, 5, scale) != cell(picture, 0, 0, scale)).any()


def test_values_on_walls_stay_visible_but_dim():
    walls = np.zeros((3, 5), dtype=bool)
    walls[1, 2] = True
    picture = view.frame(np.full((3, 5), 2.0), space=Grid(5, 3, walls=walls), scale=20)
    lightness = lab_of([cell(picture, 1, 2, 20), cell(picture, 0, 0, 20), WALL])[:, 0]
    assert lightness[2] < lightness[0] < lightness[1]


def test_a_shrunk_frame_keeps_the_strongest_of_each_block():
    values = np.zeros((40, 60), dtype=np.float32)
    values[17, 33], values[5, 50], values[17, 32] = 3, -4, -2
    picture = view.frame(values, size=30, threshold=None)
    scale = ColorScale.of(values)
    assert picture.shape == (20, 30, 4)
    assert (picture[8, 16, :3] == scale.rgb(np.float32([3]))[0]).all()
    assert (picture[2, 25, :3] == scale.rgb(np.float32([-4]))[0]).all()
    assert (picture[0, 0, :3] == scale.rgb(np.float32([0]))[0]).all()


def test_thin_walls_survive_shrinking():
    walls = np.zeros((30, 60), dtype=bool)
    walls[:, 31] = True
    picture = view.frame(np.zeros((30, 60)), space=Grid(60, 30, walls=walls), size=20)
    assert (picture[:, 10, :3] != GROUND).any(axis=1).all()
    assert (picture[:, :10, :3] == GROUND).all()


def test_cropping_leaves_out_the_rim_of_walls():
    walls = np.ones((20, 30), dtype=bool)
    walls[5:9, 10:21] = False
    space = Grid(30, 20, walls=walls, origin=(100, 50), cell_size=2, y_up=True)
    values = np.where(walls, 0, field(3, (20, 30)))
    picture = view.frame(values, space=space, scale=3, crop=True)
    assert picture.shape == (6 * 6, 13 * 6, 4)
    place = Placement(space, scale=3, crop=True)
    x, y = place.pixel_of(space.position_of(6 * 30 + 12))
    assert (
        picture[int(y), int(x), :3] == ColorScale.of(values).rgb(values[6:7, 12:13])[0, 0]
    ).all()
    assert place.position_of((x, y)) == pytest.approx(space.position_of(6 * 30 + 12))
    assert view.frame(
        np.zeros((2, 3)), space=Grid(3, 2, walls=np.ones((2, 3), dtype=bool)), scale=1, crop=True
    ).shape == (2, 3, 4)


def test_terrain_colors_the_ground():
    classes = np.zeros((4, 6), dtype=np.uint8)
    classes[1, 1], classes[2, 4] = 1, 2
    enter = np.array([[True, True, False], [True, True, False], [False, False, False]])
    space = Grid(6, 4, terrain=Terrain(classes, enter, ["ground", "swamp", "deep water"]))
    picture = view.frame(np.zeros((4, 6)), space=space, scale=9)
    kinds = {tuple(cell(picture, *at, 9).tolist()) for at in ((0, 0), (1, 1), (2, 4))}
    assert len(kinds) == 3
    assert GROUND in kinds


def test_an_array_by_columns_is_the_same_picture():
    values = np.random.default_rng(1).random((5, 7)).astype(np.float32)
    grid = Grid(7, 5)
    picture = view.frame(values, space=grid, size=64)
    np.testing.assert_array_equal(
        view.frame(np.asfortranarray(values), space=grid, size=64), picture
    )
