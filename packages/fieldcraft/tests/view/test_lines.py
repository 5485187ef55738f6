from __future__ import annotations

import numpy as np
import pytest

from fieldcraft import Grid, view
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import Placement


def canvas(height: int = 40, width: int = 60) -> np.ndarray:
    picture = np.zeros((height, width, 4), dtype=np.uint8)
    picture[..., 3] = 255
    return picture


def draw(picture: np.ndarray, lines: list, color: tuple[int, int, int], width: float) -> None:
    """Lines in pixels."""
    height, across = picture.shape[:2]
    place = Placement(Grid(across, height), scale=1)
    view.draw_lines(picture, place, lines, color=color, width=width, shade=0)


# Lines


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


@pytest.mark.parametrize("y_up", [False, True])
def test_lines_in_world_units_lie_where_the_world_is(y_up):
    space = Grid(12, 8, cell_size=2, origin=(100, 50), y_up=y_up)
    picture = view.frame(np.zeros(space.shape), space=space, scale=5)
    before = picture.copy()
    view.draw_lines(picture, Placement(space, scale=5), [np.array([[104, 54], [110, 54]])], width=2)
    changed = np.argwhere((picture != before).any(axis=2))
    row = 80 - 20 if y_up else 20
    assert abs(changed[:, 0].mean() - row) < 0.6
    assert changed[:, 1].min() == pytest.approx(20, abs=3)
    assert changed[:, 1].max() == pytest.approx(50, abs=3)
    assert tuple(picture[row, 35, :3]) == (0xF4, 0xF5, 0xF7)


def test_a_picture_of_another_size_is_refused():
    space = Grid(12, 8)
    with pytest.raises(InvalidValue, match="size of its placement"):
        view.draw_lines(canvas(), Placement(space, scale=10), [])


# Owners


def test_owners_are_flat_and_nobodys_ground_shows():
    space = Grid(3, 1)
    picture = view.frame_owners(
        np.array([[0, -1, 1]]), ["#ff0000", "#0000ff"], space=space, scale=4, opacity=1
    )
    bare = view.frame(np.zeros((1, 3)), space=space, scale=4)
    assert [tuple(picture[2, column, :3]) for column in (2, 10)] == [(255, 0, 0), (0, 0, 255)]
    assert tuple(picture[2, 6]) == tuple(bare[2, 6])


def test_large_maps_of_owners_shrink():
    space = Grid(90, 50)
    owner = np.where(np.arange(90) < 45, 0, 1)[np.newaxis].repeat(50, axis=0)
    picture = view.frame_owners(owner, ["#ff0000", "#0000ff"], space=space, size=30, opacity=1)
    assert picture.shape[:2] == (17, 30)
    assert (picture[:, :15, 0] == 255).all()
    assert (picture[:, 15:, 2] == 255).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda space: view.frame_owners(np.zeros((2, 3), int), ["#fff"], space=space),
            "map's shape",
        ),
        (lambda space: view.frame_owners(np.zeros((1, 3)), ["#fff"], space=space), "whole numbers"),
        (
            lambda space: view.frame_owners(np.array([[0, 1, -1]]), ["#fff"], space=space),
            "index into the 1 colors",
        ),
        (lambda space: view.frame_owners(np.array([[0, 0, -2]]), ["#fff"], space=space), "or -1"),
    ],
)
def test_refused_owners(call, says):
    with pytest.raises(InvalidValue, match=says):
        call(Grid(3, 1))


# Legends below


def test_legends_lie_below_their_pictures_and_show_their_colors():
    scale = view.ColorScale(-2, 2, table=view.between("#0000ff", "#ff0000"))
    picture = canvas(40, 200)
    page = view.page(
        [picture, picture],
        legend=[
            view.ScaleLegend(scale, beyond=(True, False)),
            view.TeamLegend(["a", "b"], ["#ff0000", "#00ff00"]),
        ],
    ).astype(int)
    np.testing.assert_array_equal(page[18:58, 18:218], picture)
    below = page[66:]
    bars = below[:, 18:218, :3]
    assert (bars[:, 30, 2] > bars[:, 30, 0] + 50).any()
    assert (bars[:, 170, 0] > bars[:, 170, 2] + 50).any()
    seen = {tuple(color) for color in below[:, 232:, :3].reshape(-1, 3).tolist()}
    assert {(255, 0, 0), (0, 255, 0)} <= seen


def test_the_table_between_two_colors_is_dark_in_the_middle():
    table = view.between("#3fa7f5", "#ff8a3c").astype(int)
    assert len(table) % 2 == 1
    middle = len(table) // 2
    assert table[middle].max() < 45
    assert table[-1, 0] > table[-1, 2] + 50
    assert table[0, 2] > table[0, 0] + 50
