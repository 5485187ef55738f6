from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft import Grid, view
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import ColorScale, Placement
from fieldcraft.view.drawing.overlays import NEGATIVE, POSITIVE
from fieldcraft.view.palettes import lab_of
from fieldcraft.view.pixels.color_scale import HIDDEN
from fieldcraft.view.pixels.themes import LIGHT
from support.library_calls import library_calls
from support.pictures import GROUND, HEIGHT, WIDTH, cell, field, layer

# Tables and scales


# Frames of one layer


def test_a_frame_has_whole_cells_of_one_color_and_row_0_on_top():
    values = field()
    picture = view.frame(values, scale=4)
    assert picture.shape == (4 * HEIGHT, 4 * WIDTH, 4)
    assert picture.dtype == np.uint8
    assert (picture[..., 3] == 255).all()
    cells = picture.reshape(HEIGHT, 4, WIDTH, 4, 4)
    assert (cells == cells[:, :1, :, :1]).all()
    assert (cells[:, 0, :, 0, :3] == ColorScale.of(values).rgb(values)).all()


def test_below_the_threshold_the_ground_shows():
    values = np.array([[0, 0.5, 1, 2, -0.5], [-1, -2, 0, 1.01, -1.01]], dtype=np.float32)
    picture = view.frame(values, scale=1, threshold=1)
    bare = (picture[..., :3] == GROUND).all(axis=2)
    assert (bare == (np.abs(values) <= 1)).all()
    assert (view.frame(values, scale=1)[0, 0, :3] == GROUND).all()
    scale = ColorScale.of(values, threshold=None)
    everything = view.frame(values, scale=1, threshold=None)
    assert (everything[..., :3] == scale.table[scale.index(values)]).all()
    assert (ColorScale.of(values, threshold=1).index(values) == HIDDEN).sum() == bare.sum()


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [(5, 3, 100), (30, 20, 100), (64, 200, 100), (101, 7, 100), (1000, 37, 64)],
)
def test_a_frame_fits_the_size_asked_for(width: int, height: int, size: int):
    picture = view.frame(field(0, (height, width)), size=size)
    assert max(picture.shape[:2]) <= size
    assert max(picture.shape[:2]) > size / 2


@pytest.mark.parametrize("y_up", [False, True])
@pytest.mark.parametrize("sign", [1, -1])
def test_sources_are_marked_where_they_stand(y_up: bool, sign: int):
    space = Grid(WIDTH, HEIGHT, cell_size=2, origin=(-4, 10), y_up=y_up)
    at = (0.0, 13.0)
    thing = layer(space, np.zeros((HEIGHT, WIDTH)), [(at, sign * 3.0)])
    picture = view.frame(thing, scale=15)
    x, y = Placement(space, scale=15).pixel_of(at)
    assert (int(x), int(y)) == (60, 30 * (HEIGHT - 1) + 30 - 45 if y_up else 45)
    core = POSITIVE if sign > 0 else NEGATIVE
    assert tuple(picture[int(y), int(x), :3]) == core
    assert (
        view.frame(thing, scale=15, sources=False)
        == view.frame(np.zeros((HEIGHT, WIDTH)), scale=30)
    ).all()


def test_stronger_sources_get_larger_marks():
    space = Grid(40, 20)
    bare = view.frame(np.zeros((20, 40)), scale=10)
    marked = view.frame(
        layer(space, np.zeros((20, 40)), [((10.5, 10.5), 4.0), ((30.5, 10.5), -1.0)]), scale=10
    )
    changed = (bare != marked).any(axis=2)
    assert 1.5 < changed[:, :200].sum() / changed[:, 200:].sum() < 6


def test_without_a_ground_only_values_cover():
    values = np.zeros((3, 5), dtype=np.float32)
    values[1, 2] = 2
    through = view.frame(values, scale=2, ground=None, opacity=0.5)
    assert through[..., 3].max() == through[2, 4, 3] == 128
    assert (through[..., 3] == 0).sum() == 4 * 14


# Teams


def test_one_team_alone_runs_through_its_own_table():
    values = np.linspace(0, 1, 15, dtype=np.float32).reshape(3, 5)
    picture = view.frame_teams([(values, "#3fa7f5", "blue")], scale=1, limits=(0, 1))
    table = view.tinted("#3fa7f5")
    assert (
        picture[..., :3].reshape(-1, 3)[1:]
        == table[np.rint(values.reshape(-1)[1:] * 254).astype(int)]
    ).all()
    assert (picture[0, 0, :3] == GROUND).all()


def test_teams_keep_their_hue_and_mix_where_they_meet():
    ours, theirs = np.zeros((3, 5)), np.zeros((3, 5))
    ours[:, :3], theirs[:, 2:] = 1, 1
    picture = view.frame_teams([(ours, "#3fa7f5", "a"), (theirs, (255, 138, 60), "b")], scale=1)
    blue, both, orange = (lab_of(picture[1, column, :3]) for column in (0, 2, 4))
    assert blue[2] < -20
    assert orange[2] > 20
    assert blue[2] + 10 < both[2] < orange[2] - 10
    swapped = view.frame_teams([(theirs, (255, 138, 60), "b"), (ours, "#3fa7f5", "a")], scale=1)
    assert (picture == swapped).all()


def test_teams_show_the_ground_where_none_is_above_the_threshold():
    ours, theirs = np.array([[0.1, 0.4, 0.1]]), np.array([[0.1, 0.1, 1.0]])
    picture = view.frame_teams([(ours, None, "a"), (theirs, None, "b")], scale=1, threshold=0.3)
    assert ((picture[0, :, :3] == GROUND).all(axis=1) == [True, False, False]).all()


def test_team_marks_wear_the_color_of_the_team():
    space = Grid(WIDTH, HEIGHT, y_up=True)
    teams = [
        (layer(space, np.zeros((HEIGHT, WIDTH)), [((2.5, 1.5), 1.0)]), "#3fa7f5", "a"),
        (layer(space, np.zeros((HEIGHT, WIDTH)), [((8.5, 5.5), 1.0)]), "#ff8a3c", "b"),
    ]
    picture = view.frame_teams(teams, scale=20)
    assert tuple(cell(picture, 5, 2, 20)) == (0x3F, 0xA7, 0xF5)
    assert tuple(cell(picture, 1, 8, 20)) == (0xFF, 0x8A, 0x3C)


# Pages, legends, text


# Refusals

SPACE = Grid(WIDTH, HEIGHT)
NAN = np.array([[0, 1, 2], [3, np.nan, 5]])


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: view.frame(NAN), "row 1, column 1"),
        (lambda: view.frame(NAN.astype(complex)), "complex"),
        (lambda: view.frame(np.array([[1e39]])), "1e\\+39"),
        (lambda: view.frame(np.zeros(5)), r"\(5,\)"),
        (lambda: view.frame(np.zeros((0, 5))), "at least one cell"),
        (lambda: view.frame(np.zeros((WIDTH, HEIGHT)), space=SPACE), "transpose"),
        (lambda: view.frame(np.zeros((2, 2)), space=SPACE), "map's shape"),
        (lambda: view.frame(field(), threshold=-1), "threshold=-1"),
        (lambda: view.frame(field(), threshold=float("nan")), "nan"),
        (lambda: view.frame(field(), limits=(5, 5)), "low below high"),
        (lambda: view.frame(field(), limits=(0, np.inf)), "inf"),
        (lambda: view.frame(field(), limits=5), "pair"),
        (lambda: view.frame(field(), limits=(0, 1), colors=ColorScale(0, 1)), "brings its own"),
        (lambda: view.frame(field(), threshold=2, colors=ColorScale(0, 1)), "brings its own"),
        (lambda: view.frame(field(), scale=0), "scale"),
        (lambda: view.frame(field(), scale=2.6), "whole number of pixels.*scale=3"),
        (lambda: view.frame(field(), size=0), "size"),
        (lambda: view.frame(field(), opacity=1.5), "opacity"),
        (lambda: view.frame(field(), space=object()), "space"),
        (lambda: view.frame(layer(Grid(2, 2), np.zeros((2, 2))), space=SPACE), "covers"),
        (lambda: view.frame(layer(SPACE, field()), space=Grid(WIDTH, HEIGHT, y_up=True)), "y_up"),
        (lambda: ColorScale(0, 1, table=np.zeros((300, 3), np.uint8)), "table"),
        (lambda: ColorScale(0, 1, table=np.zeros((20, 3))), "uint8"),
        (lambda: view.frame_teams([]), "at least one"),
        (lambda: view.frame_teams([(field(), None)]), "triples"),
        (lambda: view.frame_teams([(-field(), None, "a")]), "negative"),
        (lambda: view.frame_teams([(field(), None, "a")], limits=(-1, 1)), "negative"),
        (lambda: view.frame_teams([(field(), "reddish", "a")]), "rrggbb"),
        (lambda: view.frame_teams([(field(), None, "a")], threshold=-0.1), "threshold"),
        (lambda: view.page([]), "at least one"),
        (lambda: view.page([np.zeros((2, 2, 3), np.uint8)]), "uint8"),
        (lambda: view.page([view.frame(field())], ["a", "b"]), "one title"),
        (lambda: view.page([view.frame(field())], columns=0), "columns"),
    ],
)
def test_bad_input_is_refused_with_rule_and_value(call: Any, word: str):
    with pytest.raises(InvalidValue, match=word) as caught:
        call()
    assert caught.value.rule
    assert caught.value.got


def test_importing_the_view_loads_no_optional_library():
    code = (
        "import sys, fieldcraft.view; print([name for name in ('pygame', 'PIL', 'av', 'scipy',"
        " 'numba') if name in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )


def test_teams_have_the_colors_of_their_names(tmp_path: Path) -> None:
    teams = fc.InfluenceMap(fc.Grid(9, 5)).add_teams(["red", "blue", "north"], fc.Radial(3))
    teams["red"].add_source((2.5, 2.5))
    teams["blue"].add_source((6.5, 2.5))
    teams["red"].step()
    teams["blue"].step()
    as_it_is = view.frame_teams(teams)
    red, blue = "#e0605e", view.TEAM_COLORS[0]
    triples = [
        (teams["red"], red, "red"),
        (teams["blue"], blue, "blue"),
        (teams["north"], view.TEAM_COLORS[2], "north"),
    ]
    np.testing.assert_array_equal(as_it_is, view.frame_teams(triples))
    shown, colors = view.picture(teams, size=90), {(224, 96, 94), (63, 167, 245), (47, 192, 143)}
    assert colors <= {tuple(pixel) for pixel in shown[:, 110:, :3].reshape(-1, 3).tolist()}
    plain = [(teams[name], None, str(number)) for number, name in enumerate(teams.names)]
    given = [(teams[name], view.TEAM_COLORS[number], "") for number, name in enumerate(teams.names)]
    np.testing.assert_array_equal(view.frame_teams(plain), view.frame_teams(given))
    view.save_png(tmp_path / "new" / "folder" / "teams.png", as_it_is)
    assert (tmp_path / "new" / "folder" / "teams.png").stat().st_size


@pytest.mark.parametrize("hexagons", [False, True])
def test_a_light_picture_has_a_light_ground_and_is_darkest_where_values_are_strong(hexagons: bool):
    walls = np.zeros((4, 5), dtype=bool)
    walls[0, 1] = True
    space = fc.HexGrid(5, 4, walls=walls) if hexagons else Grid(5, 4, walls=walls)
    values = np.zeros((4, 5), dtype=np.float32)
    values[2, 1], values[2, 3] = 1, 4
    picture = view.frame(values, space=space, size=200, ground="light", limits=(0, 4))
    place = Placement(space, size=200)
    bare, weak, strong, wall = (
        picture[int(y), int(x), :3]
        for x, y in place.pixel_of(space.position_of(np.array([17, 11, 13, 1])))
    )
    lightness = lab_of([bare, weak, strong, wall])[:, 0]
    assert lightness[0] > lightness[1] > lightness[2]
    assert tuple(wall) == LIGHT.wall
    assert tuple(strong) == tuple(view.sequential(light=True)[-1])
    page = view.picture(values, space=space, size=200, ground="light", title="noise")
    assert tuple(page[2, 2, :3]) == LIGHT.page
    teams = [(values, "#3fa7f5", "a"), (values[::-1].copy(), "#ff8a3c", "b")]
    assert lab_of(view.frame_teams(teams, ground="light", scale=2)[0, 0, :3])[0] > 90


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


def test_many_sources_are_drawn_by_as_many_calls_as_few():
    """Drawn one by one in Python, two hundred took 50 ms, and two teams of a hundred 55."""

    def calls(count: int) -> list[int]:
        rng = np.random.default_rng(0)
        imap = fc.InfluenceMap(fc.Grid(80, 50))
        threat = imap.add_layer("threat", fc.Radial(8.0))
        threat.sync(range(count), rng.uniform((0, 0), (80, 50), (count, 2)), 1.0)
        teams = imap.add_teams(["red", "blue"], fc.Radial(8.0))
        for name in ("red", "blue"):
            teams[name].sync(range(count), rng.uniform((0, 0), (80, 50), (count, 2)), 1.0)
        imap.step()
        found = []
        for draw, drawn in ((view.frame, threat), (view.frame_teams, teams)):
            draw(drawn, scale=8)
            found.append(len(library_calls(lambda draw=draw, drawn=drawn: draw(drawn, scale=8))))
        return found

    assert calls(200) == calls(20)
