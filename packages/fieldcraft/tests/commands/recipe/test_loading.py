"""Maps and recordings of recipes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import fieldcraft as fc
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.outputs import run
from fieldcraft.commands.recipe.world import World
from support import realdata
from support.recipes import (
    FADE,
    FIELD,
    LAYER,
    PLAYED,
    RUN,
    SOURCE,
    TIMELINE,
    YARD,
    problems,
    source,
    world,
    write,
    write_graph,
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


WRAPS = {"true": True, "false": False, '"x"': "x", '"y"': "y"}
HEXES = '[map]\ngenerate = "hex"\ncolumns = 14\nrows = 10\n'


@pytest.mark.parametrize("text", WRAPS)
@pytest.mark.parametrize("kind", ["empty", "hex"])
def test_maps_of_recipes_wrap_as_those_of_calls(tmp_path, kind, text):
    if kind == "empty":
        head = FIELD
        space = fc.Grid(14, 9, neighbors=8, wrap=WRAPS[text])
    else:
        head = HEXES
        space = fc.HexGrid(14, 10, wrap=WRAPS[text])
    corner = "position = [0.5, 0.5]\nstrength = 5\n"
    w = world(tmp_path, f"{head}wrap = {text}\n", LAYER, source("threat", corner), RUN)
    assert repr(w.imap.space) == repr(space)
    w.go_to(1)
    layer = (imap := fc.InfluenceMap(space)).add_layer("threat", fc.Spread(0.2, 0.5))
    layer.add_source((0.5, 0.5), 5)
    imap.step(10)
    np.testing.assert_array_equal(w.imap["threat"].values, layer.values)


@pytest.mark.parametrize("text", ['"z"', '"xy"', "1", "0.5", "[true, false]", '""'])
@pytest.mark.parametrize("head", [FIELD, HEXES], ids=["empty", "hex"])
def test_other_words_for_edges_that_wrap_are_refused(tmp_path, head, text):
    found = problems(tmp_path, f"{head}wrap = {text}\n", LAYER, RUN)
    line = f"{head}wrap".count("\n") + 1
    assert found[0].startswith(f'line {line}: map: wrap is True, False, "x" or "y". Got ')


def test_hexagons_that_cannot_wrap_are_a_problem_of_the_map(tmp_path):
    found = problems(tmp_path, HEXES.replace("10", "9") + 'wrap = "y"\n', LAYER, RUN)
    assert "have an even number of rows" in found[0]
    world(tmp_path, HEXES.replace("10", "9") + 'wrap = "x"\n', LAYER, RUN)


def test_a_set_value_replaces_how_a_map_wraps(tmp_path):
    path = write(tmp_path, FIELD, LAYER, RUN)
    assert World(read_recipe(path, ['map.wrap="x"'])).imap.space.wrap == "x"
    assert World(read_recipe(path, ["map.wrap=y"])).imap.space.wrap == "y"


def test_a_recipe_on_a_graph_gives_what_the_calls_give(tmp_path):
    graph = fc.Graph([(x, 0) for x in range(8)], [(i, i + 1) for i in range(7)])
    write_graph(tmp_path / "line.json", graph)
    w = world(
        tmp_path,
        '[map]\nfile = "line.json"\n',
        LAYER,
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


def test_floors_are_for_graphs(tmp_path):
    found = problems(
        tmp_path, FIELD, FADE, source("known"), RUN, '[[outputs]]\nfile = "a.png"\nfloors = 2\n'
    )
    assert "floors are those of a 3D graph. The map is flat" in found[0]


def test_the_recipe_of_a_level_runs(tmp_path):
    recipe = Path(__file__).resolve().parents[5] / "recipes" / "level.toml"
    overrides = ["run.seconds=1", "outputs.0.size=160", "outputs.1.size=160"]
    data = realdata.folder("trajectories").parent
    assert run(read_recipe(recipe, overrides, data=data), tmp_path).files


def test_every_problem_with_map_and_recordings_comes_at_once(tmp_path):
    walls = np.zeros((7, 12), dtype=np.uint8)
    walls[:, 6] = 1
    Image.fromarray(np.where(walls, 0, 255).astype(np.uint8)).save(tmp_path / "map.png")
    found = problems(
        tmp_path,
        '[map]\nfile = "map.png"\n',
        LAYER,
        '[[sources]]\nlayer = "threat"\nposition = [6.5, 3]\n',
        '[[sources]]\nlayer = "threat"\nposition = [12, 3]\n',
        '[[sources]]\nlayer = "threat"\npath = [[0, 3, 3], [1, 9, 3]]\n',
        '[[sources]]\nlayer = "threat"\nposition = [6.5, 3]\non_wall = "nearest"\n',
        '[[deposits]]\nlayer = "threat"\nposition = [3, -1]\n',
        RUN,
    )
    assert [problem.split(":")[0] for problem in found] == [
        "line 10",
        "line 14",
        "line 18",
        "line 27",
    ]
    for says, problem in zip(
        (
            "open cells",
            "on the map, from (0.0, 0.0)",
            "at index 5",
            "on the map, from (0.0, 0.0)",
        ),
        found,
        strict=True,
    ):
        assert says in problem
    assert "the nearest open cell, at (5.5, 3.5)" in found[0]


def test_problems_with_files_come_together(tmp_path):
    found = problems(
        tmp_path,
        '[map]\nfile = "none.map"\n',
        LAYER,
        PLAYED.replace(', blue = "goal"', "").replace("red", "rad"),
        PLAYED.replace(', blue = "goal"', "").replace("moves", "none"),
        PLAYED.replace(', blue = "goal"', "").replace("moves", "bad"),
        RUN,
        moves=TIMELINE,
        bad="seconds,id\n",
    )
    for says, problem in zip(
        (
            "no file",
            "no group 'rad'. Its groups: 'red', 'blue'",
            "no file",
            "no group, x, y, strength",
        ),
        found,
        strict=True,
    ):
        assert says in problem


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        (('[map]\nfile = "map.xyz"\n', LAYER, SOURCE, RUN), "suffix"),
        (('[map]\nfile = "map.png"\nmobility = "submarine"\n', LAYER, SOURCE, RUN), "mobility"),
        (('[map]\nfile = "map.png"\nthreshold = "dark"\n', LAYER, SOURCE, RUN), "threshold"),
        ((YARD.replace("empty", "cave"), LAYER, SOURCE, RUN), "height is at least 8"),
        ((YARD, LAYER + "cell_size = 0.3\n", SOURCE, RUN), "cell_size"),
        (
            (
                YARD,
                LAYER,
                PLAYED.replace(', blue = "goal"', ""),
                PLAYED.replace(', blue = "goal"', "") + 'on_wall = "refuse"\n',
                RUN,
            ),
            "the same on_wall and outside",
        ),
    ],
)
def test_what_only_the_files_show(tmp_path, parts, says):
    Image.fromarray(np.full((7, 12), 255, dtype=np.uint8)).save(tmp_path / "map.png")
    (tmp_path / "map.xyz").write_text("?")
    assert any(says in problem for problem in problems(tmp_path, *parts, moves=TIMELINE))
