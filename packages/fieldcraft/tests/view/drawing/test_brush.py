from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import Grid, view
from fieldcraft.view import Placement
from support.pictures import canvas


def draw(picture: np.ndarray, lines: list, color: tuple[int, int, int], width: float) -> None:
    """Lines in pixels."""
    height, across = picture.shape[:2]
    place = Placement(Grid(across, height), scale=1)
    view.draw_lines(picture, place, lines, color=color, width=width, shade=0)


def test_a_level_line_covers_its_width_and_nothing_else():
    picture = canvas()
    draw(picture, [np.array([[10.0, 20.0], [50.0, 20.0]])], (255, 255, 255), 2.0)
    assert (picture[19:21, 12:48, :3] == 255).all()
    assert not picture[:18, :, :3].any()
    assert not picture[23:, :, :3].any()
    assert not picture[:, :8, :3].any()


def test_a_slanted_line_has_soft_edges_and_the_same_weight():
    flat, slanted = canvas(60, 60), canvas(60, 60)
    draw(flat, [np.array([[10.0, 30.0], [50.0, 30.0]])], (200, 200, 200), 2.0)
    draw(slanted, [np.array([[15.0, 15.0], [15 + 40 * 0.8, 15 + 40 * 0.6]])], (200, 200, 200), 2.0)
    assert slanted[..., 0].sum() == pytest.approx(flat[..., 0].sum(), rel=0.1)
    assert len(np.unique(slanted[..., 0])) > 4


def test_lines_over_the_rim_are_cut_and_single_points_are_dots():
    picture = canvas()
    draw(
        picture,
        [np.array([[-30.0, -30.0], [90.0, 70.0]]), np.array([[5.0, 35.0]]), np.zeros((0, 2))],
        (9, 9, 9),
        3.0,
    )
    assert picture[35, 5, 0] == 9
    assert (picture[..., 3] == 255).all()
    away = canvas()
    draw(away, [np.array([[-90.0, -90.0], [-80.0, -90.0]])], (9, 9, 9), 3.0)
    assert not away[..., :3].any()


def test_lines_on_a_transparent_picture_bring_their_own_alpha():
    picture = np.zeros((20, 20, 4), dtype=np.uint8)
    draw(picture, [np.array([[3.0, 10.0], [17.0, 10.0]])], (250, 10, 10), 2.0)
    assert tuple(picture[10, 10]) == (250, 10, 10, 255)
    assert tuple(picture[2, 2]) == (0, 0, 0, 0)
