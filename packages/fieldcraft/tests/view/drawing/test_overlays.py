"""Lines, arrows, dots and candidates on pictures."""

from __future__ import annotations

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import Grid, view
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import Placement, draw_arrows
from support.pictures import canvas

GRID = fc.Grid(12, 8)


def drawn(vectors: np.ndarray, grid: fc.Grid = GRID, **options: object) -> np.ndarray:
    place = Placement(grid, scale=10)
    canvas = np.zeros((*place.shape, 4), dtype=np.uint8)
    canvas[..., 3] = 255
    draw_arrows(canvas, place, grid, vectors, **options)
    return canvas[..., :3].sum(axis=2) > 400


def everywhere(x: float, y: float) -> np.ndarray:
    return np.broadcast_to(np.array([x, y]), (*GRID.shape, 2)).copy()


def test_arrows_lie_along_their_vectors_and_point_ahead():
    shown = drawn(everywhere(1, 0), spacing=120)
    rows, columns = np.nonzero(shown)
    assert np.ptp(columns) > 2 * np.ptp(rows)
    # The barbs are at the tip.
    assert np.ptp(rows[columns > columns.mean() + 10]) > np.ptp(rows[columns < columns.mean() - 10])


def test_y_up_turns_them_and_nothing_else():
    up = fc.Grid(12, 8, y_up=True)
    np.testing.assert_array_equal(drawn(everywhere(0.6, -0.8), up), drawn(everywhere(0.6, 0.8)))


def test_there_are_as_many_as_the_spacing_allows_and_none_below_the_threshold():
    few, many = drawn(everywhere(1, 0), spacing=40).sum(), drawn(everywhere(1, 0), spacing=20).sum()
    assert many > 1.5 * few > 0
    assert not drawn(everywhere(0, 0)).any()
    assert not drawn(everywhere(0.1, 0), threshold=0.2).any()
    half = everywhere(1, 0)
    half[:, 6:] = 0
    assert drawn(half)[:, :55].any()
    assert not drawn(half)[:, 70:].any()


def test_short_vectors_are_drawn_shorter_down_to_a_half():
    whole, half, tiny = (
        np.ptp(np.nonzero(drawn(everywhere(size, 0), spacing=60, limit=1.0))[1][:400])
        for size in (1, 0.5, 0.01)
    )
    assert whole >= half == tiny


def test_refusals():
    place = Placement(GRID, scale=10)
    canvas = np.zeros((*place.shape, 4), dtype=np.uint8)
    for bad in (
        lambda: draw_arrows(canvas[1:], place, GRID, everywhere(1, 0)),
        lambda: draw_arrows(canvas, place, GRID, np.zeros((8, 12))),
        lambda: draw_arrows(canvas, place, GRID, np.zeros((12, 8, 2))),
        lambda: draw_arrows(canvas, place, GRID, everywhere(1, 0), spacing=0),
        lambda: draw_arrows(canvas, place, GRID, everywhere(1, 0), limit=-1),
    ):
        with pytest.raises(InvalidValue):
            bad()


def test_paths_fronts_and_dots_are_drawn_as_they_are() -> None:
    grid = fc.Grid(12, 7)
    place, picture = Placement(grid, scale=8), view.frame(np.zeros((7, 12)), scale=8)
    path = fc.shortest_path(grid, (1.5, 1.5), (10.5, 5.5))
    one, other, third = picture.copy(), picture.copy(), picture.copy()
    view.draw_lines(one, place, path)
    view.draw_lines(other, place, [path])
    view.draw_lines(third, place, [path.positions])
    np.testing.assert_array_equal(one, third)
    np.testing.assert_array_equal(other, third)
    assert fc.query.along(
        fc.InfluenceMap(grid).add_layer("a", values=np.ones((7, 12))), path
    ).sum == pytest.approx(path.length)
    view.draw_dots(picture, place, [(2.5, 2.5), (9.5, 4.5)], color="red", width=6)
    assert picture[20, 20, :3].tolist() == [224, 96, 94] == picture[36, 76, :3].tolist()
    assert (picture[50, 50, :3] < 60).all()


def test_dots_are_lines_of_one_point_also_beyond_the_rim() -> None:
    # 13 * 7 pixels are no multiple of the width that masks have
    grid = fc.Grid(13, 9)
    place = view.Placement(grid, scale=7)
    points = np.random.default_rng(2).uniform(-2, 15, (40, 2))
    dots = view.frame(np.zeros(grid.shape), space=grid, scale=7)
    before, lines = dots.copy(), dots.copy()
    view.draw_dots(dots, place, points, width=5, color="#4aa8ff")
    view.draw_lines(lines, place, [[point] for point in points], width=5, color="#4aa8ff")
    np.testing.assert_array_equal(dots, lines)
    assert 100 < (dots != before).any(axis=2).sum() < dots[..., 0].size / 2
    for x, y in np.floor(place.pixel_of(points)).astype(int):
        if 0 <= x < 91 and 0 <= y < 63:
            assert dots[y, x].tolist() == [74, 168, 255, 255]


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


@pytest.fixture
def answered():
    grid = fc.Grid(9, 5, walls=[[column == 6 for column in range(9)]] * 5)
    question = fc.Question(
        {"grid": 1},
        require=[{"reachable": "me"}],
        score=[{"distance": "me", "curve": ["linear", 8, 0]}],
    )
    answer = question.ask(grid, me=(0.5, 2.5))
    place = fc.view.Placement(grid, scale=20)
    picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=20)
    fc.view.draw_candidates(picture, place, answer.explain(), width=8)
    return place, picture


def at(answered, position):
    x, y = answered[0].pixel_of(position).astype(int)
    return answered[1][y, x, :3].astype(int)


def test_better_candidates_are_brighter_and_removed_ones_gray(answered):
    near, far, removed = (
        at(answered, (1.5, 2.5)),
        at(answered, (5.5, 4.5)),
        at(answered, (8.5, 2.5)),
    )
    assert near.sum() > far.sum()
    assert np.ptp(removed) < 30 < np.ptp(far)


def test_the_chosen_one_has_a_white_ring(answered):
    x, y = answered[0].pixel_of((0.5, 2.5)).astype(int)
    assert (answered[1][y, x + 7, :3] > 200).all()
    assert np.ptp(answered[1][y, x, :3].astype(int)) > 80


def test_scores_are_written_beside_the_chosen_ones():
    grid = fc.Grid(9, 5)
    found = fc.Question({"points": "me"}).ask(grid, me=(2.5, 2.5)).explain()
    place, pictures = fc.view.Placement(grid, scale=20), []
    for numbers in (False, True):
        picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=20)
        fc.view.draw_candidates(picture, place, found, numbers=numbers)
        pictures.append(picture)
    assert (pictures[0] != pictures[1]).any()


def test_other_things_are_refused():
    grid = fc.Grid(9, 5)
    picture = fc.view.frame(np.zeros(grid.shape), space=grid, scale=20)
    with pytest.raises(fc.errors.InvalidValue, match=r"Pass answer.explain\(\)"):
        fc.view.draw_candidates(picture, fc.view.Placement(grid, scale=20), grid)
    found = fc.Question({"points": "me"}).ask(grid, me=(2.5, 2.5)).explain()
    with pytest.raises(fc.errors.InvalidValue, match="size of its placement"):
        fc.view.draw_candidates(picture, fc.view.Placement(grid, scale=10), found)
