from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fieldcraft as fc
from fieldcraft import Grid, Terrain, view
from fieldcraft.base.errors import InvalidValue
from fieldcraft.view import ColorScale, Placement
from fieldcraft.view.drawing.brush import measure, wrapped, write
from fieldcraft.view.drawing.overlays import NEGATIVE, POSITIVE
from fieldcraft.view.pages.legends import format_number
from fieldcraft.view.palettes import lab_of
from fieldcraft.view.pixels.plan import DARK, HIDDEN, LIGHT

HEIGHT, WIDTH = 7, 11
GROUND, WALL = DARK.ground, DARK.wall


def field(seed: int = 0, shape: tuple[int, int] = (HEIGHT, WIDTH)) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.1, 5, shape).astype(np.float32)


def layer(
    space: Grid,
    values: np.ndarray,
    sources: list[tuple[tuple[float, float], float]] = (),
    name: str = "threat",
) -> Any:
    positions = np.array([position for position, _ in sources], dtype=float).reshape(-1, 2)
    strengths = np.array([strength for _, strength in sources], dtype=float)
    return SimpleNamespace(
        values=values,
        space=space,
        name=name,
        sources=SimpleNamespace(positions=positions, strengths=strengths),
    )


def cell(picture: np.ndarray, row: int, column: int, scale: int) -> np.ndarray:
    """The color in the middle of a cell."""
    return picture[row * scale + scale // 2, column * scale + scale // 2, :3]


# Tables and scales


def test_the_sequential_table_is_perceptually_uniform():
    lab = lab_of(view.sequential())
    assert (np.diff(lab[::4, 0]) > 0).all()
    assert lab[0, 0] < 15
    assert lab[-1, 0] > 90
    # Over 16 rows at a time, since single colors are rounded to whole numbers of red, green and
    # blue.
    steps = np.linalg.norm(lab[16::16] - lab[:-16:16], axis=1)
    assert steps.max() / steps.min() < 1.1


@pytest.mark.parametrize("light", [False, True])
def test_the_diverging_table_is_symmetrical_about_its_middle(light: bool):
    table = view.diverging(light=light)
    assert len(table) % 2 == 1
    lightness = lab_of(table)[:, 0]
    assert np.abs(lightness - lightness[::-1]).max() < 0.6
    middle = len(table) // 2
    assert (np.diff(lightness[middle::4]) < 0).all() == light
    assert (lightness[middle] > 95) == light
    assert lab_of(table[middle])[1:] == pytest.approx([0, 0], abs=4)
    assert table[0, 2] > table[0, 0]  # blue
    assert table[-1, 0] > table[-1, 2]  # orange


@pytest.mark.parametrize("light", [False, True])
@pytest.mark.parametrize("color", view.TEAM_COLORS)
def test_tinted_tables_grow_lighter_and_keep_their_hue(color: str, light: bool):
    lab = lab_of(view.tinted(color, light=light))
    lab = lab[::-1] if light else lab
    assert (np.diff(lab[::8, 0]) > 0).all()
    hue = np.degrees(np.arctan2(lab[:, 2], lab[:, 1]))[80:-20]
    wanted = lab_of([int(color[i : i + 2], 16) for i in (1, 3, 5)])
    off = (hue - np.degrees(np.arctan2(wanted[2], wanted[1])) + 180) % 360 - 180
    assert np.abs(off).max() < 25


@pytest.mark.parametrize(
    "limits",
    [
        (0.0, 5.0),
        (-5.0, 0.0),
        (2.0, 3.0),
        (-3.0, -1.0),
        (-4.0, 4.0),
        (0.0, 1e-40),
        (-3e38, 3e38),
        (0.0, 3e38),
    ],
)
def test_values_at_the_limits_get_the_ends_of_the_table(limits: tuple[float, float]):
    scale = ColorScale(*limits, threshold=None)
    low, high = scale.rgb(np.array(limits, dtype=np.float32))
    first, last = (high, low) if limits[1] <= 0 else (low, high)
    assert (first == scale.table[0]).all()
    assert (last == scale.table[-1]).all()
    beyond = scale.rgb(np.array([-3.4e38, 3.4e38], dtype=np.float32))
    assert (beyond == [low, high]).all()


def test_zero_is_the_middle_of_a_signed_scale_and_opposites_mirror():
    scale = ColorScale(-2, 5, threshold=None)
    assert (scale.low, scale.high) == (-5, 5)
    middle = len(scale.table) // 2
    assert scale.index(np.zeros(1, np.float32)) == middle
    values = np.random.default_rng(1).uniform(0, 5, 100).astype(np.float32)
    there = scale.index(values).astype(int) - middle
    back = middle - scale.index(-values).astype(int)
    assert np.abs(there - back).max() <= 1


@settings(max_examples=16, deadline=None)
@given(st.floats(-1e6, 1e6, width=32), st.floats(1, 1e6, width=32), st.integers(0, 2**31))
def test_a_larger_value_never_gets_an_earlier_color(low: float, span: float, seed: int):
    scale = ColorScale(low, low + span, threshold=None)
    values = np.sort(np.random.default_rng(seed).uniform(low - span, low + 2 * span, 50)).astype(
        np.float32
    )
    index = scale.index(values).astype(int)
    assert (np.diff(-index if scale.high <= 0 else index) >= 0).all()


def test_a_scale_fits_the_strongest_value_of_all_arrays():
    positive, signed = field(1), field(2) - 4
    assert ColorScale.of(positive).high == positive.max()
    assert ColorScale.of(positive).low == 0
    both = ColorScale.of(positive, signed)
    assert both.high == -both.low == max(positive.max(), -signed.min())
    assert (ColorScale.of(-positive).low, ColorScale.of(-positive).high) == (-positive.max(), 0)
    assert (ColorScale.of(np.zeros((2, 3))).low, ColorScale.of(np.zeros((2, 3))).high) == (0, 1)


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


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [(5, 3, 100), (30, 20, 100), (64, 200, 100), (101, 7, 100), (1000, 37, 64)],
)
def test_a_frame_fits_the_size_asked_for(width: int, height: int, size: int):
    picture = view.frame(field(0, (height, width)), size=size)
    assert max(picture.shape[:2]) <= size
    assert max(picture.shape[:2]) > size / 2


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


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.floats(0.1, 50),
    st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
    st.booleans(),
    st.integers(1, 7),
)
def test_positions_land_on_the_pixels_of_their_cells(width, height, cell_size, origin, y_up, scale):
    space = Grid(width, height, cell_size=cell_size, origin=origin, y_up=y_up)
    place = Placement(space, scale=scale / cell_size)
    pixels = place.pixel_of(space.position_of(np.arange(len(space))))
    rows, columns = np.divmod(np.arange(len(space)), width)
    assert pixels == pytest.approx(np.stack([columns + 0.5, rows + 0.5], axis=1) * scale, abs=1e-6)
    assert place.position_of(pixels) == pytest.approx(
        space.position_of(np.arange(len(space))), abs=1e-6
    )


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


@pytest.mark.parametrize("y_up", [False, True])
def test_a_coarse_layer_covers_the_same_ground(y_up: bool):
    base = Grid(11, 7, cell_size=1.5, origin=(3, -2), y_up=y_up)
    coarse = base.coarser(4.5)
    values = field(4, coarse.shape)
    picture = view.frame(layer(coarse, values), space=base, scale=2 / 1.5)
    at = coarse.cell_at(base.position_of(np.arange(len(base))))
    assert (
        picture[::2, ::2, :3]
        == ColorScale.of(values).rgb(values.reshape(-1)[at].reshape(base.shape))
    ).all()


def test_terrain_colors_the_ground():
    classes = np.zeros((4, 6), dtype=np.uint8)
    classes[1, 1], classes[2, 4] = 1, 2
    enter = np.array([[True, True, False], [True, True, False], [False, False, False]])
    space = Grid(6, 4, terrain=Terrain(classes, enter, ["ground", "swamp", "deep water"]))
    picture = view.frame(np.zeros((4, 6)), space=space, scale=9)
    kinds = {tuple(cell(picture, *at, 9).tolist()) for at in ((0, 0), (1, 1), (2, 4))}
    assert len(kinds) == 3
    assert GROUND in kinds


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


def test_a_page_lays_frames_out_in_rows_and_leaves_them_unchanged():
    frames = [view.frame(field(seed, (5, 8)), scale=12) for seed in range(3)]
    page = view.page(
        frames,
        ["low", "middle", "high"],
        columns=2,
        legend=ColorScale(0, 5),
        title="decay",
        caption="three",
    )
    found = []
    for frame in frames:
        matches = [
            (top, left)
            for top in range(page.shape[0] - frame.shape[0])
            for left in np.flatnonzero(
                (page[top, : page.shape[1] - frame.shape[1]] == frame[0, 0]).all(axis=1)
            ).tolist()
            if (page[top : top + 60, left : left + 96] == frame).all()
        ]
        assert len(matches) == 1
        found += matches
    (top0, left0), (top1, left1), (top2, left2) = found
    assert top0 == top1 < top2
    assert left0 == left2 < left1
    assert (page[..., 3] == 255).all()


def test_a_picture_shows_the_whole_scale_in_its_legend():
    scale = ColorScale(0, 5, threshold=1)
    page = view.picture(np.zeros((60, 90)), colors=scale, scale=3, legend="threat")
    colors = {tuple(pixel) for pixel in page[:, 3 * 90 + 20 :, :3].reshape(-1, 3).tolist()}
    shown = [tuple(color) in colors for color in scale.table.tolist()]
    assert any(shown[-3:])
    assert not any(shown[:45])
    assert GROUND in colors
    assert sum(shown) > 40


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (3, 5)])
@pytest.mark.parametrize("scale", [1, 7])
def test_tiny_maps_make_pictures(shape: tuple[int, int], scale: int):
    page = view.picture(
        field(0, shape),
        scale=scale,
        title="tiny",
        caption="a caption that is longer than the map is wide",
        legend="value",
    )
    assert page.shape[0] > shape[0] * scale


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (5.0, "5"), (-2.5, "−2.5"), (1e-5, "1e−5"), (123456.0, "1.235e5"), (0.3, "0.3")],
)
def test_numbers_are_short(value: float, text: str):
    assert format_number(value) == text


def test_text_stays_within_its_measure_and_accents_make_a_difference():
    def ink(text: str, scale: float = 1.0) -> np.ndarray:
        canvas = np.zeros((60, 400, 4), dtype=np.uint8)
        write(canvas, 5, 40, text, (255, 255, 255), scale=scale)
        return canvas[..., 3]

    for text in ("threat", "Überfluß", "0.25 ≥ −3", "日本"):
        for scale in (1.0, 1.5, 2.0):
            columns = np.flatnonzero(ink(text, scale).any(axis=0))
            assert columns[-1] < 5 + measure(text, scale=scale)
            assert columns[0] >= 5 - 2 * scale
    assert (ink("ö") != ink("o")).any()
    assert (ink("o\u0308") == ink("ö")).all()
    assert (ink("日") == ink("本")).all()  # a box: visible, not dropped


@settings(max_examples=16, deadline=None)
@given(st.text(alphabet="ab lmö,.", max_size=60), st.integers(20, 200))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int):
    lines = wrapped(text, width)
    assert all(measure(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


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
        (lambda: view.frame(field(), scale=100_000), "pixels"),
        (lambda: view.frame(field(), size=0), "size"),
        (lambda: view.frame(field(), opacity=1.5), "opacity"),
        (lambda: view.frame(field(), ground="bluish"), "ground is one of 'dark', 'light'"),
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


def test_what_was_never_seen_is_not_what_was_just_seen() -> None:
    grid = fc.Grid(6, 3)
    stale = fc.LastSeen(grid)
    stale.advance(2.0)
    stale.observe([0])
    picture = view.frame(stale, scale=4)
    assert picture[2, 2].tolist() != picture[2, 10].tolist() and picture[2, 2, :3].tolist() == [
        30,
        33,
        41,
    ]
    assert stale.never.sum() == 17
    for way, unreached in (
        (fc.distance_map(fc.Grid(5, 1, walls=np.array([[0, 0, 1, 0, 0]], bool)), (0.5, 0.5)), 3),
    ):
        drawn = view.frame(way, scale=3, threshold=None)
        assert drawn[1, 3 * unreached + 1, :3].tolist() == [30, 33, 41] != drawn[1, 1, :3].tolist()
        assert view.picture(way).shape[2] == 4


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


def test_the_colors_of_light_pages_differ_for_color_blind_readers():
    # Deuteranopia by Vienot, Brettel and Mollon (1999): red and green cones see the same.
    seen = np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]])
    for table in (view.sequential(light=True), view.diverging(light=True)):
        linear = (table[::32] / 255) ** 2.2 @ seen.T
        lab = lab_of(255 * np.clip(linear, 0, 1) ** (1 / 2.2))
        assert np.linalg.norm(np.diff(lab, axis=0), axis=1).min() > 5
        apart = np.linalg.norm(lab[0] - lab[-1])
        assert apart > 40
