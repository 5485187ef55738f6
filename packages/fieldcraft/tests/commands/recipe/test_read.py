from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldcraft.base.errors import BadRecipe
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.recipe_parts import FilmPart, Still, TotalsTable
from support.recipes import GOOD, parts_of, refused_in


def change(old: str, new: str) -> str:
    assert GOOD.count(old) >= 1
    return GOOD.replace(old, new, 1)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_a_recipe_becomes_plain_parts(tmp_path):
    recipe = parts_of(tmp_path, GOOD)
    assert (recipe.title, recipe.map.generate, recipe.map.options) == (
        "Two camps",
        "empty",
        {"width": 12, "height": 7},
    )
    threat, goal = recipe.layers
    assert (threat.propagation.decay, threat.propagation.momentum) == (0.5, 0.3)
    assert (threat.name, threat.every, threat.walls) == ("threat", 0.1, True)
    assert (goal.every, goal.walls) == (0.5, False)
    camp, walker = recipe.sources
    assert (camp.layer, camp.path, camp.strength, camp.start, camp.until) == (
        "threat",
        ((0, 2, 3),),
        5,
        0,
        None,
    )
    assert (walker.path, walker.repeat, walker.start, walker.until) == (
        ((0, 1, 1), (4, 9, 1)),
        True,
        1,
        9,
    )
    assert (recipe.deposits[0].amount, recipe.deposits[0].at) == (2, 3)
    both = ("threat", "goal")
    assert recipe.outputs == (
        Still(("outputs", 0), "map.png", both, at=5),
        FilmPart(
            ("outputs", 1),
            "films/map.gif",
            ("threat",),
            threshold=0.1,
            limits=(0, 5),
            colors=("#ff8a3c",),
        ),
        TotalsTable(("outputs", 2), "totals.csv", both, every=0.5),
    )
    assert (recipe.run.seconds, recipe.run.speed, recipe.run.fps, recipe.run.step) == (
        10,
        2,
        10,
        None,
    )


def test_every_problem_of_a_file_comes_at_once_with_line_and_remedy(tmp_path):
    text = GOOD
    for old, new in [
        ('"empty"', '"emptyy"'),
        ("decay = 0.5", "decay = -1"),
        ("momentum = 1\n", 'momentum = "fast"\n'),
        ('layer = "goal"', 'layer = "gaol"'),
        ("until = 9", "until = 1"),
        ("amount = 2", "amuont = 2"),
        ("[run]", "[run]\nstep = 0"),
        ('"films/map.gif"', '"../map.gif"'),
    ]:
        assert old in text
        text = text.replace(old, new, 1)
    found = refused_in(tmp_path, text)
    expected = [
        ('"emptyy"', "Perhaps 'empty' is meant"),
        ("decay = -1", "decay is at least 0"),
        ('"fast"', "momentum is a number"),
        ('"gaol"', "Perhaps 'goal' is meant"),
        ("until = 1", "until comes after from"),
        ("amuont", "Perhaps 'amount' is meant"),
        ("step = 0", "step is above 0"),
        ('"../map.gif"', "below the output folder"),
    ]
    assert len(found) == len(expected)
    for (part, says), problem in zip(expected, found, strict=True):
        assert problem.startswith(f"line {line_of(text, part)}: "), problem
        assert says in problem


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[run]\nseconds = 10", "[nur]\nseconds = 10", "A recipe has a table [run]"),
        (
            '[map]\ngenerate = "empty"',
            '[map]\nfile = "x.map"\ngenerate = "empty"',
            "either a file or generate",
        ),
        (
            'generate = "empty"\nwidth = 12\nheight = 7',
            "",
            "either a file or generate",
        ),
        ("width = 12", "width = 0", "width is at least 1"),
        ("width = 12", "width = 12\nneighbors = 5", "neighbors is 4, 8"),
        ("decay = 0.5", "", "layers.threat: The key 'decay' is needed"),
        ("momentum = 0.3", "momentum = 1.5", "momentum is in [0, 1]"),
        ("momentum = 0.3", "momentum = nan", "momentum is a finite number"),
        ("momentum = 0.3", "momentum = true", "momentum is a number"),
        ("decay = 0.5", "decay = 0.5\nfalloff = 'line'", "Perhaps 'linear' is meant"),
        (
            "[layers.threat]",
            '[layers."9 lives"]',
            "The name of a layer, a team or a map begins with a letter",
        ),
        (
            "[layers.threat]",
            "[layers]\nthreat = 5\n[other]",
            "layers.threat is a table. Got 5",
        ),
        ("[[deposits]]", "[deposits]", "Write each as [[deposits]]"),
        (
            "position = [2, 3]",
            "position = [2, 3]\npath = [[0, 1, 1]]",
            "either a position or a path",
        ),
        ("position = [2, 3]", "", "either a position or a path"),
        ("position = [2, 3]", 'position = [2, "3"]', "position is a number"),
        ("[[0, 1, 1], [4, 9, 1]]", "[[4, 1, 1], [4, 9, 1]]", "The seconds of a path rise"),
        ("[[0, 1, 1], [4, 9, 1]]", "[[4, 1, 1]]", "Only a path of at least two points repeats"),
        ("at = 5", "at = 50", "within the run's 10 seconds"),
        ("seconds = 10", "seconds = 1e9", "at most 5,000,000 steps"),
        ("fps = 10", "fps = 60", "A GIF shows at most 50"),
        ("fps = 10", "fps = 10000", "at most 20,000 frames"),
        ("seconds = 10", "seconds = 0", "at least one frame"),
        ('"map.png"', '"map.jpg"', "ends in .png, .gif"),
        ('"map.png"', '"/etc/map.png"', "below the output folder"),
        ('"map.png"', '"totals.csv"', "'totals.csv' twice"),
        ('["#ff8a3c"]', '["#ff8a3c", "#ff8a3c"]', "one color for each layer shown: threat"),
        ('["#ff8a3c"]', '["orangish"]', "#rrggbb"),
        ('layers = ["threat"]', 'layers = ["threat", "thread"]', "Perhaps 'threat' is meant"),
        ('layers = ["threat"]', 'layers = ["threat", "threat"]', "The names in layers differ"),
    ],
)
def test_what_is_refused(tmp_path, old, new, says):
    found = refused_in(tmp_path, change(old, new))
    assert any(says in problem for problem in found), found
    assert all(re.match(r"line \d+: \S", problem) for problem in found), found


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = [1, 2\nb = 3", "line 2: "),
        ("a = 'x", "line 1"),
        ("[map]\nfile = 1\nfile = 2", "line 3"),
        ("a = 3\n[map\n", "line 2"),
        (b"[map]\nfile = '\xff'", "line 2: A settings file is UTF-8 text. Got byte 0xff"),
        (bytes(range(128)), "Correct the TOML"),
        ("a = " + "[" * 2000, "nested too deeply"),
        ("a = " + "9" * 1000, "A recipe has"),
        ("a = " + "9" * 1001, "at most 1000 letters"),
        ("# long\n" * 60_000, "at most 256 KiB"),
        ("", "A recipe has a table [run]"),
    ],
)
def test_files_that_are_no_recipes(tmp_path, text, says):
    assert any(says in problem for problem in refused_in(tmp_path, text))


def test_absent_files_and_folders(tmp_path):
    for path, says in (
        (tmp_path, "at most 256 KiB"),
        (tmp_path / "none.toml", "No such file"),
        ("a\0b", "null"),
    ):
        with pytest.raises(BadRecipe, match=says):
            read_recipe(path)


def test_values_set_from_outside(tmp_path):
    recipe = parts_of(
        tmp_path,
        GOOD,
        "layers.threat.decay=0.9",
        "sources.camp.strength = 7",
        "title=Night, late",
        "layers.goal.half_life=2",
    )
    assert (recipe.layers[0].propagation.decay, recipe.sources[0].strength, recipe.title) == (
        0.9,
        7,
        "Night, late",
    )
    assert recipe.layers[1].propagation.half_life == 2


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ("layers.threat.decay=-1", "--set layers.threat.decay: layers.threat: decay is at least 0"),
        (
            "layers.threat.decai=1",
            (
                "--set layers.threat.decai: layers.threat: There is no key 'decai'. Perhaps"
                " 'decay' is meant"
            ),
        ),
        (
            "layers.thread.decay=1",
            "There is no layers.thread. Perhaps 'threat' is meant",
        ),
        ("layers.threat", "--set takes KEY=VALUE"),
        ("=3", "--set takes KEY=VALUE"),
        (
            "sources.9.strength=3",
            "sources has 2 items. Got '9'. Pass an index below that or a name: camp",
        ),
        ("title.x=3", "title is a plain value"),
    ],
)
def test_bad_values_from_outside(tmp_path, override, says):
    assert says in refused_in(tmp_path, GOOD, override)[0]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_mutilated_recipes_give_a_recipe_or_bad_recipe(tmp_path, data):
    lines = GOOD.split("\n")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        key = lines[at].partition("=")[0]
        lines[at] = data.draw(
            st.sampled_from(
                [
                    "",
                    key,
                    f"{key}= []",
                    f"{key}= {{}}",
                    f"{key}= -1e99",
                    f"{key}= ''",
                    f"{key}= [[1]]",
                    "[[layers]]",
                    lines[at][::-1],
                ]
            )
        )
    try:
        parts_of(tmp_path, "\n".join(lines))
    except BadRecipe as error:
        assert error.problems
