"""What is refused of sources, deposits and outputs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import BadRecipe, FieldcraftError
from fieldcraft.commands.recipe import read_recipe
from support.recipes import (
    FADE,
    FIELD,
    LINE,
    RUN,
    TRAIL,
    VIEW,
    WALK,
    WAY,
    problems,
    source,
    world,
)


def test_what_stands_on_walls(tmp_path):
    walls = FIELD + "walls = [[5, 0, 7, 9]]\n"
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
    found = problems(tmp_path, FIELD, *parts, RUN)
    for text in says:
        assert any(text in problem for problem in found), found
    assert all(problem.startswith("line ") for problem in found)


def test_a_stamp_larger_than_the_map_and_one_that_covers_no_cell(tmp_path):
    w = world(
        tmp_path,
        FIELD,
        VIEW.replace("[[1, 1, 1]], width = 3", "[[1]], width = 90"),
        source("view"),
        RUN,
    )
    assert (w.imap["view"].values == 1).all()
    found = problems(
        tmp_path,
        FIELD,
        LINE.replace('"line", length = 3, width = 1', '"ring", inner = 0.1, outer = 0.2'),
        source("view"),
        RUN,
    )
    assert "A stamp covers the center of a cell" in found[0]


ALL = "\n".join(
    [
        FIELD + "walls = [[3, 0, 4, 5]]\n",
        FADE + 'radius = 2\nmetric = "sight"\nfalloff = "linear"\n',
        TRAIL + 'edges = "lose"\nblur = [0.25, 0.5, 0.25]\n',
        WAY,
        VIEW + 'how = "bilinear"\nblend = "max"\n',
        '[layers.heat]\npropagation = "flood"\ncooling = 0.1\nsteps = 4\n',
        '[layers.smoke]\npropagation = "diffuse"\nrate = 0.2\ndrift = [1.5, -0.5]\n',
        '[[deposits]]\nlayer = "smoke"\nposition = [8, 8]\namount = 2\n',
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


@pytest.mark.parametrize("name", ["a.csv", "held.csv", "held.png"])
def test_more_rows_than_a_run_has_steps_are_refused(tmp_path, name):
    over_time = 'over_time = "owned"' if name.startswith("held") else ""
    text = f"""
    [map]
    generate = "empty"
    width = 8
    height = 6
    [teams]
    names = ["red", "blue"]
    propagation = "radial"
    radius = 3
    [run]
    seconds = 1
    [[outputs]]
    file = "{name}"
    every = 1e-9
    {over_time}
    """
    with pytest.raises(BadRecipe, match="at most 5,000,000 rows"):
        read_recipe(tmp_path / "recipe.toml", text=text)
