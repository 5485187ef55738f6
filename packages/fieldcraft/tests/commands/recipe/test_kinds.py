"""Recipes with layers that fade, trails, stamps, and maps that are graphs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import fieldcraft as fc
from fieldcraft.base.errors import BadRecipe, FieldcraftError
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.outputs import run
from fieldcraft.commands.recipe.world import World
from fieldcraft.layers.propagation import Flood
from support import realdata

MAP = '[map]\ngenerate = "empty"\nwidth = 14\nheight = 9\nneighbors = 8\n'
RUN = "[run]\nseconds = 2\nfps = 10\n"
FADE = '[layers.known]\npropagation = "fade"\namount = 10\ninterval = 1\n'
TRAIL = '[layers.scent]\npropagation = "trail"\nkeep = 0.9\n'
WAY = '[layers.way]\npropagation = "trail"\nvector = true\nkeep = 1\nblur = 1\n'
VIEW = (
    '[layers.view]\npropagation = "stamps"\n'
    'stamp = { shape = "image", weights = [[1, 1, 1]], width = 3 }\n'
)
LINE = '[layers.view]\npropagation = "stamps"\nstamp = { shape = "line", length = 3, width = 1 }\n'
WALK = "path = [[0, 2.5, 3.5], [2, 8.5, 3.5]]\n"


def write_graph(path, graph):
    content = {"vertices": graph.positions.tolist(), "edges": graph.edges.tolist()}
    path.write_text(json.dumps(content))


def world(tmp_path: Path, *parts: str) -> World:
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join(parts))
    return World(read_recipe(path))


def problems(tmp_path: Path, *parts: str) -> list[str]:
    with pytest.raises(BadRecipe) as caught:
        world(tmp_path, *parts)
    return caught.value.problems


def source(layer: str, text: str = WALK) -> str:
    return f'[[sources]]\nlayer = "{layer}"\n{text}'


def test_a_walker_marks_his_whole_way_and_it_fades(tmp_path):
    w = world(tmp_path, MAP, FADE, source("known"), RUN + "step = 1\n")
    w.go_to(2)
    row = w.imap["known"].values[3]
    np.testing.assert_allclose(row, [0, 0, 80, 90, 90, 90, 100, 100, 100, 0, 0, 0, 0, 0], atol=1e-3)
    assert (w.imap["known"].values[[0, 1, 2, 4, 5]] == 0).all()


def test_marks_reach_as_far_as_the_layer_says(tmp_path):
    w = world(
        tmp_path,
        MAP,
        FADE + 'radius = 2\nfalloff = "linear"\n',
        source("known", "position = [6.5, 4.5]\nstrength = 40\n"),
        source("known", "position = [1.5, 1.5]\n"),
        RUN,
    )
    layer = (imap := fc.InfluenceMap(w.imap.space)).add_layer(
        "known", fc.Fade(amount=10, interval=1)
    )
    layer.mark((6.5, 4.5), 40, radius=2, falloff="linear")
    layer.mark((1.5, 1.5), 100, radius=2, falloff="linear")
    np.testing.assert_array_equal(w.imap["known"].values, layer.values)
    assert len(imap) == 1


def test_a_trail_gets_the_strength_of_each_second_along_the_way(tmp_path):
    kept = TRAIL.replace("keep = 0.9", "keep = 1\nblur = 1")
    w = world(tmp_path, MAP, kept, source("scent", WALK + "strength = 4\n"), RUN)
    w.go_to(2)
    w.imap.advance(0.1)  # what has come shows at the next update
    values = w.imap["scent"].values
    assert values.sum() == pytest.approx(8, rel=1e-6)
    assert (values[3, 3:8] > 1).all()
    assert (np.delete(values, 3, axis=0) == 0).all()


@pytest.mark.parametrize("step", [0.1, 1])
def test_a_trail_does_not_depend_on_how_often_one_looks(tmp_path, step):
    kept = TRAIL.replace("keep = 0.9", "keep = 1\nblur = 1")
    w = world(
        tmp_path, MAP, kept, source("scent", WALK + "strength = 4\n"), RUN + f"step = {step}\n"
    )
    w.go_to(2)
    w.imap.advance(0.1)
    assert w.imap["scent"].values[3, 2:9] == pytest.approx(
        [4 / 6, 8 / 6, 8 / 6, 8 / 6, 8 / 6, 8 / 6, 4 / 6], abs=0.7
    )
    assert w.imap["scent"].values.sum() == pytest.approx(8, rel=1e-6)


def test_a_trail_of_vectors_holds_the_way(tmp_path):
    deposit = '[[deposits]]\nlayer = "way"\nposition = [11.5, 1.5]\namount = [5, -1]\n'
    w = world(tmp_path, MAP, WAY, source("way"), deposit, RUN)
    w.go_to(2)
    w.imap.advance(0.1)
    vectors = w.imap["way"].vectors
    np.testing.assert_allclose(vectors[3].sum(axis=0), (6, 0), atol=1e-5)
    np.testing.assert_allclose(vectors[1, 11], (5, -1), atol=1e-5)


def test_a_trail_that_repeats_does_not_leave_the_way_back(tmp_path):
    path = "path = [[0, 2.5, 3.5], [1, 8.5, 3.5]]\nrepeat = true\n"
    w = world(tmp_path, MAP, WAY, source("way", path), RUN)
    w.go_to(2)
    w.imap.advance(0.1)
    assert (w.imap["way"].vectors[3, :, 0] >= 0).all()
    assert w.imap["way"].vectors[3, :, 0].sum() == pytest.approx(12, abs=1.5)


def test_stamps_are_where_their_sources_are(tmp_path):
    w = world(
        tmp_path,
        MAP,
        VIEW,
        source("view", WALK + "strength = 2\n"),
        source("view", "position = [3.5, 6.5]\nrotation = 90\n"),
        RUN,
    )
    for moment, columns in ((0, [1, 2, 3]), (2, [7, 8, 9])):
        w.go_to(moment)
        expected = np.zeros((9, 14))
        expected[3, columns] = 2
        expected[5:8, 3] = 1
        np.testing.assert_array_equal(w.imap["view"].values, expected)


def test_stamps_turn_where_their_sources_go(tmp_path):
    path = 'path = [[0, 6.5, 2.5], [2, 6.5, 6.5]]\nrotation = "heading"\n'
    w = world(tmp_path, MAP, VIEW, source("view", path), RUN)
    w.go_to(2)
    values = w.imap["view"].values
    assert values[5:8, 6].tolist() == [1, 1, 1]
    assert values.sum() == 3


def test_recordings_act_on_every_kind(tmp_path):
    (tmp_path / "moves.csv").write_text(
        "seconds,id,group,x,y,strength\n0,a,g,2.5,3.5,2\n1,a,g,6.5,3.5,\n1,b,g,9.5,6.5,1\n1.5,a,,,,\n"
    )
    played = '[[timelines]]\nfile = "moves.csv"\nlayers = {{ g = "{}" }}\n'
    names = ("known", "scent", "way", "view")
    kept = TRAIL.replace("keep = 0.9", "keep = 1\nblur = 1")
    w = world(
        tmp_path,
        MAP,
        FADE,
        kept,
        WAY,
        VIEW,
        *(played.format(name) for name in names),
        RUN + "step = 0.5\n",
    )
    w.go_to(1)
    assert [len(w.actors_on(name)[0]) for name in names] == [2, 2, 2, 2]
    assert (w.imap["known"].values[3, 3:7] > 0).all()
    assert w.imap["view"].values.sum() == 9
    w.go_to(2)
    w.imap.advance(0.1)
    # a left 2 a second for a second until it went, b 1 for a second after it had come
    assert w.imap["scent"].values.sum() == pytest.approx(3)
    np.testing.assert_allclose(w.imap["way"].vectors.sum(axis=(0, 1)), (8, 0), atol=1e-5)
    assert w.imap["view"].values.sum() == 3


def test_what_stands_on_walls(tmp_path):
    walls = MAP + "walls = [[5, 0, 7, 9]]\n"
    w = world(tmp_path, walls, FADE, source("known", WALK + 'on_wall = "nearest"\n'), RUN)
    w.go_to(2)
    assert w.imap.space.walls.sum() == 18
    assert (w.imap["known"].values[:, 5:7] == 0).all()
    found = problems(
        tmp_path,
        walls,
        FADE,
        TRAIL,
        source("known"),
        source("scent", WALK + 'on_wall = "through"\n'),
        RUN,
    )
    assert "Walls hold nothing on a layer that is a trail" in found[0]
    assert (
        "sources[0]: Sources, deposits and marks are on open cells. Got (5."
        in problems(tmp_path, walls, FADE, source("known"), RUN)[0]
    )


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ((FADE + "keep = 0.5\n", source("known")), ["There is no key 'keep'"]),
        (
            (FADE + "half_life = 3\n", source("known")),
            ["by amount and interval, or by half_life. Got both"],
        ),
        (
            (FADE + "mark_spread = 2\n", source("known")),
            ["line 11: layers.known: mark_spread is in [0, 0.95]"],
        ),
        (
            (FADE.replace("amount = 10", "amount = -1"), source("known")),
            ["line 9: layers.known: amount is above 0"],
        ),
        (
            (FADE, source("known", WALK + "strength = -4\n")),
            ["strength on a layer that fades is at least 0. Got -4"],
        ),
        (
            (TRAIL.replace("0.9", "1.02"), source("scent")),
            ["line 9: layers.scent: keep is in [0, 1]"],
        ),
        (
            (TRAIL + "half_life = 2\n", source("scent")),
            ["A trail evaporates by keep or by half_life"],
        ),
        (
            (TRAIL + "blur = 4\n", source("scent")),
            ["line 10: layers.scent: The width of a blur is odd"],
        ),
        (
            (TRAIL + "blur = [0.2, 0.2, 0.2]\n", source("scent")),
            ["The weights of a blur that conserves sum to 1. Got 0.6"],
        ),
        ((TRAIL + 'edges = "loose"\n', source("scent")), ["Perhaps 'lose' is meant"]),
        (
            (TRAIL, source("scent", WALK + "rotation = 90\n")),
            ["rotation is for sources of stamps layers. Layer 'scent' is a trail"],
        ),
        (
            (WAY, source("way", "position = [1, 1]\n")),
            ["leaves the direction of its path. It stands still"],
        ),
        (
            (WAY, '[[deposits]]\nlayer = "way"\nposition = [1, 1]\namount = 3\n'),
            ["amount is [x, y] on a trail of vectors"],
        ),
        (
            (LINE.replace('"line"', '"lines"'), source("view")),
            ["line 9: layers.view: shape is one of", "'line' is meant"],
        ),
        (
            (LINE.replace("length = 3, ", ""), source("view")),
            ["A line has length, width, falloff. Got no length"],
        ),
        (
            (LINE.replace("width = 1", "width = 1, radius = 3"), source("view")),
            ["Got radius = 3"],
        ),
        ((LINE.replace("width = 1", "width = -1"), source("view")), ["width is above 0", ""]),
        (
            ('[layers.view]\npropagation = "stamps"\n', source("view")),
            ["The key 'stamp' is needed"],
        ),
        (
            (VIEW, source("view", WALK + "radius = 3\n")),
            ["radius is for sources of radial layers. Layer 'view' contains stamps"],
        ),
        (
            (VIEW, source("view", WALK + 'rotation = "ahead"\n')),
            ['rotation is degrees, or "heading"'],
        ),
        (
            (VIEW, source("view", WALK + "strength = 3e6\n")),
            ["strength on a layer that contains stamps is at most 1,048,576"],
        ),
        (
            (VIEW, source("view"), '[[deposits]]\nlayer = "view"\nposition = [2, 2]\n'),
            ["on a layer that contains stamps nothing does"],
        ),
        (('[layers.x]\npropagation = "fades"\n', source("x")), ["Perhaps 'fade' is meant"]),
    ],
)
def test_what_is_refused(tmp_path, parts, says):
    found = problems(tmp_path, MAP, *parts, RUN)
    for text in says:
        assert any(text in problem for problem in found), found
    assert all(problem.startswith("line ") for problem in found)


def test_a_stamp_larger_than_the_map_and_one_that_covers_no_cell(tmp_path):
    w = world(
        tmp_path,
        MAP,
        VIEW.replace("[[1, 1, 1]], width = 3", "[[1]], width = 90"),
        source("view"),
        RUN,
    )
    assert (w.imap["view"].values == 1).all()
    found = problems(
        tmp_path,
        MAP,
        LINE.replace('"line", length = 3, width = 1', '"ring", inner = 0.1, outer = 0.2'),
        source("view"),
        RUN,
    )
    assert "A stamp covers the center of a cell" in found[0]


def test_pictures_of_trails_have_limits(tmp_path):
    picture = '[[outputs]]\nfile = "a.png"\n'
    found = problems(tmp_path, MAP, TRAIL, source("scent"), RUN, picture)
    assert "A picture of a trail, of stamps or of a formula has limits" in found[0]
    assert 'Write limits = { "scent" = [0, 1] }' in found[0]


def test_pictures_of_every_kind(tmp_path):
    outputs = (
        (
            '[[outputs]]\nfile = "a.png"\ntogether = false\nlimits = { scent = [0, 1], way = [0,'
            " 1], view = [0, 1] }\n"
        ),
        '[[outputs]]\nfile = "b.png"\nlayers = ["way"]\nlimits = [0, 1]\n',
        '[[outputs]]\nfile = "d.webp"\nlayers = ["known"]\nsize = 60\n',
        '[[outputs]]\nfile = "e.csv"\n',
    )
    path = tmp_path / "recipe.toml"
    path.write_text(
        "\n".join(
            [
                MAP,
                FADE,
                TRAIL,
                WAY,
                VIEW,
                *(source(name) for name in ("known", "scent", "way", "view")),
                RUN,
                *outputs,
            ]
        )
    )
    report = run(read_recipe(path), tmp_path / "out")
    assert [layer.sources for layer in report.layers] == [1, 1, 1, 1]
    drawn = np.asarray(Image.open(tmp_path / "out" / "b.png"))
    assert (drawn[..., :3] == (244, 245, 247)).all(axis=2).any()  # arrows
    rows = list(csv.DictReader((tmp_path / "out" / "e.csv").read_text().splitlines()))
    assert rows[-1]["view_peak"] == "1"
    assert rows[-1]["known_sources"] == "1"


def test_floods_run_from_sources_and_deposits(tmp_path):
    flood = '[layers.heat]\npropagation = "flood"\ncooling = 0.25\nsteps = 3\n'
    deposit = '[[deposits]]\nlayer = "heat"\nposition = [11.5, 7.5]\nat = 0.5\namount = 2\n'
    w = world(
        tmp_path, MAP, flood, source("heat", "position = [3.5, 3.5]\nstrength = 5\n"), deposit, RUN
    )
    w.go_to(2)
    layer = (imap := fc.InfluenceMap(w.imap.space)).add_layer("heat", Flood(cooling=0.25, steps=3))
    layer.add_source((3.5, 3.5), 5)
    imap.step(5)
    layer.deposit((11.5, 7.5), 2)
    imap.step(15)
    np.testing.assert_array_equal(w.imap["heat"].values, layer.values)
    assert layer.values.max() == 5
    assert (
        "cooling is in"
        in problems(tmp_path, MAP, flood.replace("0.25", "2"), source("heat"), RUN)[0]
    )


def test_mazes(tmp_path):
    text = (
        '[map]\ngenerate = "maze"\nwidth = 15\nheight = 11\nalgorithm = "growing"\nloops = 0.5\nseed'
        " = 3\n"
    )
    w = world(tmp_path, text, FADE, source("known", "position = [1.5, 1.5]\n"), RUN)
    maze = fc.generate_map("maze", 15, 11, algorithm="growing", loops=0.5, seed=3)
    np.testing.assert_array_equal(w.imap.space.walls, maze.walls)
    assert (
        "Perhaps 'growing' is meant"
        in problems(tmp_path, text.replace("growing", "growng"), FADE, source("known"), RUN)[0]
    )


# Graphs


SPREAD = "[layers.threat]\ndecay = 0.2\nmomentum = 0.5\n"


def test_a_recipe_on_a_graph_gives_what_the_calls_give(tmp_path):
    graph = fc.Graph([(x, 0) for x in range(8)], [(i, i + 1) for i in range(7)])
    write_graph(tmp_path / "line.json", graph)
    w = world(
        tmp_path,
        '[map]\nfile = "line.json"\n',
        SPREAD,
        FADE,
        source("threat", "position = [2, 0]\nstrength = 5\n"),
        source("known", "path = [[0, 0, 0], [2, 6, 0]]\n"),
        RUN,
    )
    w.go_to(2)
    layer = (imap := fc.InfluenceMap(graph)).add_layer("threat", fc.Spread(0.2, 0.5))
    layer.add_source((2, 0), 5)
    imap.step(20)
    np.testing.assert_array_equal(w.imap["threat"].values, layer.values)
    assert (w.imap["known"].values[:7] > 70).all()
    assert w.imap["known"].values[7] == 0


def test_pictures_of_graphs_and_their_floors(tmp_path):
    graph = fc.Graph(
        [(x, y, 3.0 * y) for x in range(5) for y in range(2)],
        [(i, i + 2) for i in range(8)] + [(0, 1)],
    )
    write_graph(tmp_path / "line.json", graph)
    parts = (
        '[map]\nfile = "line.json"\n',
        SPREAD,
        FADE,
        source("threat", "position = [2, 0, 0]\nstrength = 5\n"),
        source("known", "position = [2, 1, 3]\n"),
        RUN,
    )
    outputs = (
        '[[outputs]]\nfile = "a.png"\nsize = 200\n[[outputs]]\nfile = "b.gif"\nlayers ='
        ' ["threat"]\nfloors = 2\nsize = 200\n'
    )
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join([*parts, outputs]))
    assert [file.name for file in run(read_recipe(path), tmp_path / "out").files] == [
        "a.png",
        "b.gif",
    ]
    found = problems(
        tmp_path,
        *parts,
        '[[outputs]]\nfile = "a.png"\ncrop = true\ntogether = true\n',
        source("threat", "position = [2, 0]\n"),
    )
    for says in (
        "Positions are (x, y, z) triples",
        "crop is for pictures of square cells",
        "together is for pictures of square cells",
    ):
        assert any(says in problem for problem in found), found
    assert "neighbors='8'" in str(
        problems(tmp_path, parts[0] + "neighbors = 8\n", *parts[1:])
    ).replace("=8", "='8'")


def test_floors_are_for_graphs(tmp_path):
    found = problems(
        tmp_path, MAP, FADE, source("known"), RUN, '[[outputs]]\nfile = "a.png"\nfloors = 2\n'
    )
    assert "floors are those of a 3D graph. The map is flat" in found[0]


def test_the_recipe_of_a_level_runs(tmp_path):
    recipe = Path(__file__).resolve().parents[5] / "recipes" / "level.toml"
    overrides = ["run.seconds=1", "outputs.0.size=160", "outputs.1.size=160"]
    data = realdata.folder("trajectories").parent
    assert run(read_recipe(recipe, overrides, data=data), tmp_path).files


ALL = "\n".join(
    [
        MAP + "walls = [[3, 0, 4, 5]]\n",
        FADE + 'radius = 2\nmetric = "sight"\nfalloff = "linear"\n',
        TRAIL + 'edges = "lose"\nblur = [0.25, 0.5, 0.25]\n',
        WAY,
        VIEW + 'how = "bilinear"\nblend = "max"\n',
        '[layers.heat]\npropagation = "flood"\ncooling = 0.1\nsteps = 4\n',
        *(
            source(name, WALK + 'on_wall = "nearest"\nstrength = 2\n')
            for name in ("known", "scent", "way", "view", "heat")
        ),
        source("view", 'position = [6, 6]\nrotation = "heading"\n'),
        '[[deposits]]\nlayer = "way"\nposition = [8, 8]\namount = [1, 2]\n',
        RUN,
        '[[outputs]]\nfile = "a.png"\nlimits = [0, 1]\n',
    ]
)


def test_all_of_it_is_sound(tmp_path):
    world(tmp_path, ALL).go_to(2)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_mutilated_kinds_give_a_world_or_an_error_of_ours(tmp_path, data):
    lines = ALL.split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        key = lines[at].partition("=")[0]
        values = [
            "[]",
            "{}",
            "-1",
            "0",
            "1e99",
            "''",
            "[[1]]",
            "[1, 2, 3]",
            '"heading"',
            "{ shape = 3 }",
            '{ shape = "image", weights = [[1], 2], width = 1 }',
            "true",
        ]
        lines[at] = data.draw(
            st.sampled_from(["", key, lines[at][::-1], *(f"{key}= {value}" for value in values)])
        )
    try:
        made = world(tmp_path, "\n".join(lines))
    except FieldcraftError as error:
        assert str(error)
        return
    if made.steps < 10_000:
        made.go_to(0.3)
