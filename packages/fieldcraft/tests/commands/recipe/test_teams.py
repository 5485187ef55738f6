from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

import fieldcraft as fc
from fieldcraft.base.errors import BadRecipe
from fieldcraft.commands.recipe import read_recipe
from fieldcraft.commands.recipe.compare import compare
from fieldcraft.commands.recipe.outputs import run
from fieldcraft.commands.recipe.pictures import Painter
from fieldcraft.commands.shipped_recipes import SHIPPED
from fieldcraft.view.palettes import between, parse_color
from support.recipes import (
    ACTORS,
    PLAIN,
    SECOND,
    TEAMS,
    drawn,
    problems,
    rows,
    same_by_calls,
    world,
    write,
)

# Radial layers


@pytest.mark.parametrize(
    ("falloff", "given"),
    [
        ('"gaussian"', "gaussian"),
        ("{ inner = 0.25, outer = 0.9 }", fc.Ring(0.25, 0.9)),
        ("{ inner = 0.5 }", fc.Ring(0.5)),
        ("[1, 0.5, 0.1]", [1, 0.5, 0.1]),
    ],
)
@pytest.mark.parametrize(("metric", "blend"), [("straight", "sum"), ("path", "max")])
def test_a_radial_layer_is_what_the_calls_give(tmp_path, falloff, given, metric, blend):
    w = world(
        tmp_path,
        PLAIN,
        f'[layers.a]\npropagation = "radial"\nradius = 4.5\nfalloff = {falloff}\nmetric ='
        f' "{metric}"\nblend = "{blend}"\n',
        '[[sources]]\nlayer = "a"\nposition = [9.5, 5.5]\nstrength = 3\n',
        '[[sources]]\nlayer = "a"\nposition = [11.5, 4.5]\nstrength = -2\nradius = 3\nfalloff ='
        ' "constant"\n',
        SECOND,
    )
    layer = fc.InfluenceMap(fc.Grid(24, 11)).add_layer("a", fc.Radial(4.5, given, metric, blend))
    layer.add_source((9.5, 5.5), 3)
    layer.add_source((11.5, 4.5), -2, radius=3, falloff="constant")
    layer.settle()
    np.testing.assert_array_equal(w.imap["a"].values, layer.values)
    assert np.count_nonzero(layer.values)


def test_a_radial_layer_shows_its_sources_where_they_are_now(tmp_path):
    w = world(tmp_path, PLAIN, TEAMS, ACTORS, SECOND)
    for moment, x in ((0, 20.5), (0.5, 17.5), (1, 14.5)):
        w.go_to(moment)
        np.testing.assert_array_equal(
            w.imap["blue"].values,
            same_by_calls(fc.Radial(8, "linear", "straight"), x)["blue"].values,
        )


def test_a_radial_layer_is_updated_when_it_is_due(tmp_path):
    w = world(tmp_path, PLAIN, TEAMS + "every = 0.5\n", ACTORS, SECOND + "step = 0.1\n")
    seen = []
    for tenths in range(11):
        w.go_to(tenths / 10)
        seen.append(w.imap["blue"].values.copy())
    changes = [tenth for tenth in range(1, 11) if not np.array_equal(seen[tenth], seen[tenth - 1])]
    assert changes == [5, 10]


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("radius = 8", "radius = 0", 8, "radius is above 0"),
        ("radius = 8", "", 5, "The key 'radius' is needed"),
        ('"linear"', '"line"', 9, "falloff is one of"),
        ('"linear"', "{ inner = 0.9, outer = 0.2 }", 9, "0 <= inner < outer <= 1"),
        ('"linear"', "{ outer = 0.2 }", 9, "A ring has inner and outer"),
        ('"linear"', "[1]", 9, "one weight per part"),
        ('"linear"', "[1, nan]", 9, "finite"),
        ('"linear"', '[1, "x"]', 9, "that are numbers"),
        ('"linear"', "3", 9, "one weight per part"),
        ('"straight"', '"straigt"', 10, "Perhaps 'straight' is meant"),
        ('"straight"', '"straight"\ndecay = 1', 11, "teams: There is no key 'decay'"),
        ('"straight"', '"straight"\nblend = "min"', 11, "blend is one of"),
        ('["red", "blue"]', '["red", "red"]', 6, "The names in names differ"),
        (
            '["red", "blue"]',
            '["red", "9"]',
            5,
            "The name of a layer, a team or a map begins with a letter",
        ),
        ('["#ff8a3c", "#3fa7f5"]', '["#ff8a3c"]', 7, "one color for each team"),
        ('["#ff8a3c", "#3fa7f5"]', '["#ff8a3c", "bluish"]', 7, "#rrggbb"),
        ('"straight"', '"straight"\nmargin = -1', 11, "margin is at least 0"),
        ('"straight"', '"straight"\nhostile = { red = ["green"] }', 11, "'green'"),
        ('"straight"', '"straight"\nhostile = { red = ["red"] }', 11, "not its own enemy"),
        ('"straight"', '"straight"\nhostile = { red = "blue" }', 11, "red is a list"),
        (
            '"straight"',
            '"straight"\n[layers.tension]\npropagation = "radial"\nradius = 1',
            11,
            "Got 'tension' for two",
        ),
        (
            '"straight"',
            '"straight"\n[layers.red]\npropagation = "radial"\nradius = 1',
            5,
            "different names",
        ),
        ('"straight"', '"straight"\n[maps]\ntension = "red"', 12, "different names"),
        ('"straight"', '"straight"\n[maps]\nlead = "red - blu"', 12, "Did you mean 'blue'?"),
        ('"straight"', '"straight"\n[maps]\nlead = "red.values"', 12, "no attributes"),
        (
            '"straight"',
            '"straight"\n[maps]\nlead = "later"\nlater = "red"',
            12,
            "There is no layer of that name",
        ),
        ('"straight"', '"straight"\n[maps]\nlead = "1 + 1"', 12, "names at least one map"),
        ('"straight"', '"straight"\n[maps]\nlead = 3', 12, "A formula is a text"),
        (
            '"straight"',
            '"straight"\n[maps]\n"1st" = "red"',
            12,
            "The name of a layer, a team or a map begins with a letter",
        ),
        ("strength = 4", "strength = 1e7", 14, "at most 1,048,576"),
        ("strength = 4", "strength = 4\nradius = -1", 15, "radius is above 0"),
    ],
)
def test_what_is_refused(tmp_path, old, new, line, says):
    text = PLAIN + TEAMS + ACTORS + SECOND
    assert old in text
    found = problems(tmp_path, text.replace(old, new, 1))
    assert any(problem.startswith(f"line {line}: ") and says in problem for problem in found), found


def test_what_is_refused_of_outputs_and_of_layers_that_spread(tmp_path):
    found = problems(
        tmp_path,
        PLAIN,
        TEAMS,
        '[layers.wave]\ndecay = 1\nmomentum = 1\n[maps]\nlead = "red - blue"',
        ACTORS,
        SECOND,
        '[[sources]]\nlayer = "wave"\nposition = [1, 1]\nradius = 3',
        '[[deposits]]\nlayer = "red"\nposition = [1, 1]',
        '[[outputs]]\nfile = "a.png"\nlayers = ["lead"]',
        '[[outputs]]\nfile = "b.png"\nlayers = ["tension"]\nlimits = { tention = [0, 1] }',
        '[[outputs]]\nfile = "c.png"\nlayers = ["red"]\nlimits = [3, 1]',
        '[[outputs]]\nfile = "d.csv"\nlayers = ["owner"]',
        '[[outputs]]\nfile = "e.csv"\nover_time = "shares"',
        '[[outputs]]\nfile = "f.png"\nlayers = ["red"]\ncolors = "#fff"',
        '[[outputs]]\nfile = "g.gif"\nover_time = "share"',
        '[[outputs]]\nfile = "h.png"\nlayers = ["owner", "red"]\ntogether = true',
    )
    expected = [
        "radius is for sources of radial layers",
        "Deposits fade",
        "or of a formula has limits",
        "limits names a map shown of this recipe",
        "lowest below highest",
        "layers names a layer or map of this recipe. Got 'owner'",
        "Perhaps 'share' is meant",
        "colors is a list of colors",
        "There is no key 'over_time'",
        "owner is a picture of its own",
    ]
    assert len(found) == len(expected), found
    for says, problem in zip(expected, found, strict=True):
        assert says in problem


def test_teams_are_needed_for_what_is_about_them(tmp_path):
    layer = (
        '[layers.a]\npropagation = "radial"\nradius = 2\n[[sources]]\nlayer = "a"\nposition ='
        " [1, 1]"
    )
    found = problems(
        tmp_path,
        PLAIN,
        layer,
        SECOND,
        '[[outputs]]\nfile = "a.png"\nfront_lines = true\n[[outputs]]\nfile = "b.png"\nover_time ='
        ' "share"',
    )
    assert [
        "Front lines lie between teams" in found[0],
        "over_time is about teams" in found[1],
    ] == [True, True]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_mutilated_recipes_give_a_recipe_or_bad_recipe(tmp_path, data):
    maps = 'hostile = { red = ["blue"] }\n[maps]\nlead = "red - blue"\n'
    outputs = (
        '[[outputs]]\nfile = "a.png"\nlayers = ["lead", "owner", "share red"]\nlimits = { lead ='
        ' [0, 1] }\ncolors = ["#fff", "#000", "#f00"]\n'
    )
    over_time = '[[outputs]]\nfile = "b.png"\nover_time = "share"\n'
    lines = (PLAIN + TEAMS + maps + ACTORS + SECOND + outputs + over_time).split("\n")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        key = lines[at].partition("=")[0]
        wrong = [
            "",
            key,
            f"{key}= []",
            f"{key}= {{}}",
            f"{key}= {{ red = 3 }}",
            f"{key}= -1e99",
            f"{key}= 'red'",
            f"{key}= [[1]]",
            "[teams.x]",
        ]
        lines[at] = data.draw(st.sampled_from([*wrong, lines[at][::-1]]))
    try:
        read_recipe(write(tmp_path, *lines))
    except BadRecipe as error:
        assert error.problems


# Maps


def test_the_maps_of_teams_are_what_the_calls_give(tmp_path):
    w = world(tmp_path, PLAIN, TEAMS + "margin = 0.25\n", ACTORS, SECOND)
    w.go_to(1)
    teams = same_by_calls(fc.Radial(8, "linear", "straight"), 14.5)
    expected = {
        "influence red": teams.influence("red"),
        "influence blue": teams.influence("blue"),
        "tension": teams.tension(),
        "contested": teams.contested(),
        "vulnerability": teams.vulnerability(),
        "vulnerability blue": teams.vulnerability("blue"),
        "share red": teams.share("red"),
    }
    for name, made in expected.items():
        np.testing.assert_array_equal(w.maps[name].values, made.values, err_msg=name)
        assert np.count_nonzero(made.values), name
    np.testing.assert_array_equal(w.owner(), teams.owner(margin=0.25))
    assert set(np.unique(w.owner())) == {-1, 0, 1}


def test_a_share_shows_the_ground_of_others_in_their_color(tmp_path):
    output = '[[outputs]]\nfile = "a.png"\nlayers = ["share red"]\nsources = false\n'
    w = world(tmp_path, PLAIN, TEAMS, ACTORS, SECOND, output)
    w.go_to(1)
    drawn = Painter([w], w.recipe.outputs[0], size=160).draw()[..., :3].reshape(-1, 3)
    colors = [parse_color(color) for color in w.recipe.teams.colors]
    for end in (0, -1):
        expected = between(colors[1], colors[0])[end]
        assert (drawn == expected).all(axis=1).sum() > 100


def test_hostility_decides_influence_and_fronts(tmp_path):
    three = TEAMS.replace('["red", "blue"]', '["red", "blue", "green"]').replace(
        "colors", "# colors"
    )
    third = '[[sources]]\nlayer = "green"\nposition = [10.5, 5.5]\n'
    allied = three + 'hostile = { red = ["blue"], blue = ["red"] }\n'
    free, bound = (
        world(tmp_path, PLAIN, teams, ACTORS, third, SECOND) for teams in (three, allied)
    )
    assert len(free.front_lines()) > len(bound.front_lines())
    red, blue, green = (free.imap[name].values for name in ("red", "blue", "green"))
    np.testing.assert_allclose(free.maps["influence red"].values, red - (blue + green), rtol=1e-6)
    np.testing.assert_allclose(bound.maps["influence red"].values, red - blue, rtol=1e-6)
    assert "vulnerability" not in free.maps


def test_formulas_name_layers_teams_their_maps_and_each_other(tmp_path):
    w = world(
        tmp_path,
        PLAIN,
        TEAMS,
        '[layers."far off"]\npropagation = "radial"\nradius = 20\n',
        "[maps]\nlead = \"red - 0.5*blue\"\nworth = \"max(lead, 0) * 'share red' + 'far off'\"\n",
        ACTORS,
        '[[sources]]\nlayer = "far off"\nposition = [2, 2]\n',
        SECOND,
    )
    w.go_to(1)
    red, blue = w.imap["red"].values, w.imap["blue"].values
    lead = red - np.float32(0.5) * blue
    np.testing.assert_array_equal(w.maps["lead"].values, lead)
    np.testing.assert_allclose(
        w.maps["worth"].values,
        np.maximum(lead, 0) * w.maps["share red"].values + w.imap["far off"].values,
        rtol=1e-6,
    )


def test_formulas_over_cells_of_different_size_are_refused_with_their_line(tmp_path):
    coarse = (
        '[layers.a]\npropagation = "radial"\nradius = 4\ncell_size = 2\n[maps]\nm = "a + red"\n'
    )
    (problem,) = problems(tmp_path, PLAIN.replace("11", "12"), TEAMS, coarse, ACTORS, SECOND)
    assert problem.startswith("line 18: maps.m: ")


# What each team holds


def test_holdings_are_parts_of_the_open_cells(tmp_path):
    w = world(tmp_path, PLAIN, TEAMS, ACTORS, SECOND)
    w.go_to(1)
    shares = [w.maps[f"share {name}"].values.mean() for name in ("red", "blue")]
    assert w.holdings("share") == pytest.approx([*shares, 1 - sum(shares)], abs=2e-6)
    owner = w.owner()
    assert w.holdings("owned") == pytest.approx(
        [(owner == 0).mean(), (owner == 1).mean(), (owner == -1).mean()], abs=1e-6
    )
    assert all(part > 0.05 for part in w.holdings("share"))


def test_walls_belong_to_nobody_and_do_not_count(tmp_path):
    picture = np.full((11, 24), 255, dtype=np.uint8)
    picture[:, 12:] = 0
    Image.fromarray(picture).save(tmp_path / "map.png")
    w = world(
        tmp_path,
        '[map]\nfile = "map.png"\n',
        TEAMS.replace("radius = 8", "radius = 40"),
        ACTORS.split('[[sources]]\nlayer = "blue"')[0],
        SECOND,
    )
    for what in ("share", "owned"):
        assert w.holdings(what) == pytest.approx([1, 0, 0])


def test_the_table_and_the_plot_of_holdings(tmp_path):
    path = write(
        tmp_path,
        'title = "Here"',
        PLAIN,
        TEAMS,
        ACTORS,
        SECOND,
        '[[outputs]]\nfile = "s.csv"\nover_time = "share"\nevery = 0.5\n',
        '[[outputs]]\nfile = "o.csv"\nover_time = "owned"\n',
        '[[outputs]]\nfile = "s.png"\nover_time = "share"\nevery = 0.1\nsize = 500\nlimits = [0,'
        " 0.5]\n",
    )
    run(read_recipe(path), tmp_path / "out")
    table = rows(tmp_path / "out" / "s.csv")
    assert [list(row) for row in table[:1]] == [["seconds", "red", "blue", "nobody"]]
    assert [row["seconds"] for row in table] == [0, 0.5, 1]
    for row in [*table, *rows(tmp_path / "out" / "o.csv")]:
        assert row["red"] + row["blue"] + row["nobody"] == pytest.approx(1, abs=2e-6)
    assert table[0]["red"] > table[2]["red"] > 0.1
    with Image.open(tmp_path / "out" / "s.png") as plot:
        assert plot.width == 500
        seen = {tuple(color) for color in np.asarray(plot.convert("RGB")).reshape(-1, 3).tolist()}
    assert {(0xFF, 0x8A, 0x3C), (0x3F, 0xA7, 0xF5)} <= seen


def test_tables_of_maps(tmp_path):
    path = write(
        tmp_path,
        PLAIN,
        TEAMS,
        '[maps]\nlead = "red - blue"\n',
        ACTORS,
        SECOND,
        '[[outputs]]\nfile = "t.csv"\nlayers = ["red", "lead", "tension"]\n',
    )
    run(read_recipe(path), tmp_path / "out")
    totals = rows(tmp_path / "out" / "t.csv")
    assert list(totals[0]) == [
        "seconds",
        *("red_sum", "red_peak", "red_cells", "red_sources"),
        *("lead_sum", "lead_peak", "lead_cells", "tension_sum", "tension_peak", "tension_cells"),
    ]
    assert totals[0]["lead_peak"] == 4


# Pictures


def test_teams_on_coarser_cells_and_maps_that_grow_upwards(tmp_path):
    parts = (PLAIN.replace("11", "12") + "y_up = true\n", TEAMS + "cell_size = 2\n", ACTORS)
    for name in ("owner", "tension"):
        assert drawn(tmp_path, f'layers = ["{name}"]\nfront_lines = true\n', *parts).std() > 20


def test_a_comparison_of_teams(tmp_path):
    output = (
        '[[outputs]]\nfile = "x.png"\nlayers = ["influence red", "owner"]\nfront_lines = true\n'
    )
    path = write(tmp_path, PLAIN, TEAMS, ACTORS, SECOND, output)
    made = compare(path, "teams.radius", ["4", "10", "12"], [tmp_path / "c.png"])
    assert made.titles == ("radius 4", "radius 10", "radius 12")
    with Image.open(tmp_path / "c.png") as rows_of_two:
        assert rows_of_two.height > 0.9 * rows_of_two.width


# The recipes of the project


def test_the_recipe_of_teams_runs_anywhere(tmp_path):
    recipe = read_recipe(
        SHIPPED / "teams.toml", ["run.fps=1", "outputs.0.size=96", "outputs.1.size=96"]
    )
    report = run(recipe, tmp_path)
    assert [file.name for file in report.files] == [
        "teams.gif",
        "teams.png",
        "teams_share.png",
        "teams_share.csv",
    ]
    table = rows(tmp_path / "teams_share.csv")
    assert table[14]["red"] > 1.3 * table[0]["red"]
