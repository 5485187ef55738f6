from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

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
from fieldcraft.commands.recipe.world import World
from fieldcraft.commands.starters import SHIPPED
from fieldcraft.layers.teams.teams import add_teams

MAP = '[map]\ngenerate = "empty"\nwidth = 24\nheight = 11\n'
TEAMS = (
    '[teams]\nnames = ["red", "blue"]\ncolors = ["#ff8a3c", "#3fa7f5"]\nradius = 8\nfalloff ='
    ' "linear"\nmetric = "straight"\n'
)
ACTORS = (
    '[[sources]]\nlayer = "red"\nposition = [6.5, 5.5]\nstrength = 4\n'
    '[[sources]]\nlayer = "blue"\npath = [[0, 20.5, 5.5], [1, 14.5, 5.5]]\n'
)
RUN = "[run]\nseconds = 1\nfps = 5\n"


def write(tmp_path: Path, *parts: str) -> Path:
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join(parts))
    return path


def world(tmp_path: Path, *parts: str) -> World:
    return World(read_recipe(write(tmp_path, *parts)))


def problems(tmp_path: Path, *parts: str) -> list[str]:
    with pytest.raises(BadRecipe) as caught:
        world(tmp_path, *parts)
    return caught.value.problems


def rows(path: Path) -> list[dict[str, float]]:
    return [
        {key: float(value) for key, value in row.items()}
        for row in csv.DictReader(path.read_text().splitlines())
    ]


def same_by_calls(propagation: Any, blue_x: float) -> Any:
    teams = add_teams(fc.InfluenceMap(fc.Grid(24, 11)), ["red", "blue"], propagation, hostile=None)
    teams["red"].add_source((6.5, 5.5), 4)
    teams["blue"].add_source((blue_x, 5.5))
    for layer in teams.layers.values():
        layer.settle()
    return teams


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
        MAP,
        f'[layers.a]\npropagation = "radial"\nradius = 4.5\nfalloff = {falloff}\nmetric ='
        f' "{metric}"\nblend = "{blend}"\n',
        '[[sources]]\nlayer = "a"\nposition = [9.5, 5.5]\nstrength = 3\n',
        '[[sources]]\nlayer = "a"\nposition = [11.5, 4.5]\nstrength = -2\nradius = 3\nfalloff ='
        ' "constant"\n',
        RUN,
    )
    layer = fc.InfluenceMap(fc.Grid(24, 11)).add_layer("a", fc.Radial(4.5, given, metric, blend))
    layer.add_source((9.5, 5.5), 3)
    layer.add_source((11.5, 4.5), -2, radius=3, falloff="constant")
    layer.settle()
    np.testing.assert_array_equal(w.imap["a"].values, layer.values)
    assert np.count_nonzero(layer.values)


def test_a_radial_layer_shows_its_sources_where_they_are_now(tmp_path):
    w = world(tmp_path, MAP, TEAMS, ACTORS, RUN)
    for moment, x in ((0, 20.5), (0.5, 17.5), (1, 14.5)):
        w.go_to(moment)
        np.testing.assert_array_equal(
            w.imap["blue"].values,
            same_by_calls(fc.Radial(8, "linear", "straight"), x)["blue"].values,
        )


def test_a_radial_layer_is_updated_when_it_is_due(tmp_path):
    w = world(tmp_path, MAP, TEAMS + "every = 0.5\n", ACTORS, RUN + "step = 0.1\n")
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
    text = MAP + TEAMS + ACTORS + RUN
    assert old in text
    found = problems(tmp_path, text.replace(old, new, 1))
    assert any(problem.startswith(f"line {line}: ") and says in problem for problem in found), found


def test_what_is_refused_of_outputs_and_of_layers_that_spread(tmp_path):
    found = problems(
        tmp_path,
        MAP,
        TEAMS,
        '[layers.wave]\ndecay = 1\nmomentum = 1\n[maps]\nlead = "red - blue"',
        ACTORS,
        RUN,
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
        MAP,
        layer,
        RUN,
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
    lines = (MAP + TEAMS + maps + ACTORS + RUN + outputs + over_time).split("\n")
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
    w = world(tmp_path, MAP, TEAMS + "margin = 0.25\n", ACTORS, RUN)
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


def test_hostility_decides_influence_and_fronts(tmp_path):
    three = TEAMS.replace('["red", "blue"]', '["red", "blue", "green"]').replace(
        "colors", "# colors"
    )
    third = '[[sources]]\nlayer = "green"\nposition = [10.5, 5.5]\n'
    allied = three + 'hostile = { red = ["blue"], blue = ["red"] }\n'
    free, bound = (world(tmp_path, MAP, teams, ACTORS, third, RUN) for teams in (three, allied))
    assert len(free.front_lines()) > len(bound.front_lines())
    red, blue, green = (free.imap[name].values for name in ("red", "blue", "green"))
    np.testing.assert_allclose(free.maps["influence red"].values, red - (blue + green), rtol=1e-6)
    np.testing.assert_allclose(bound.maps["influence red"].values, red - blue, rtol=1e-6)
    assert "vulnerability" not in free.maps


def test_formulas_name_layers_teams_their_maps_and_each_other(tmp_path):
    w = world(
        tmp_path,
        MAP,
        TEAMS,
        '[layers."far off"]\npropagation = "radial"\nradius = 20\n',
        "[maps]\nlead = \"red - 0.5*blue\"\nworth = \"max(lead, 0) * 'share red' + 'far off'\"\n",
        ACTORS,
        '[[sources]]\nlayer = "far off"\nposition = [2, 2]\n',
        RUN,
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
    (problem,) = problems(tmp_path, MAP.replace("11", "12"), TEAMS, coarse, ACTORS, RUN)
    assert problem.startswith("line 18: maps.m: ")


# What each team holds


def test_holdings_are_parts_of_the_open_cells(tmp_path):
    w = world(tmp_path, MAP, TEAMS, ACTORS, RUN)
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
        RUN,
    )
    for what in ("share", "owned"):
        assert w.holdings(what) == pytest.approx([1, 0, 0])


def test_the_table_and_the_plot_of_holdings(tmp_path):
    path = write(
        tmp_path,
        'title = "Here"',
        MAP,
        TEAMS,
        ACTORS,
        RUN,
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
        MAP,
        TEAMS,
        '[maps]\nlead = "red - blue"\n',
        ACTORS,
        RUN,
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


def drawn(tmp_path: Path, output: str, *parts: str, size: int = 240) -> np.ndarray:
    w = world(
        tmp_path, *(parts or (MAP, TEAMS, ACTORS)), RUN, f'[[outputs]]\nfile = "x.png"\n{output}\n'
    )
    w.go_to(1)
    return Painter([w], w.recipe.outputs[0], size=size).draw()


def count(picture: np.ndarray, color: tuple[int, int, int]) -> int:
    return int((picture[..., :3] == color).all(axis=2).sum())


def test_front_lines_are_drawn_where_they_lie(tmp_path):
    show = 'layers = ["tension"]\nsources = false\nlimits = [0, 50]\n'
    plain, lined = drawn(tmp_path, show), drawn(tmp_path, show + "front_lines = true\n")
    changed = np.argwhere((plain != lined).any(axis=2))
    w = world(tmp_path, MAP, TEAMS, ACTORS, RUN)
    w.go_to(1)
    (line,) = w.front_lines()
    left, top = np.argwhere((plain[..., :3] == plain[len(plain) // 2, 30, :3]).all(axis=2))[0][::-1]
    assert len(changed) > 50
    across = np.ptp(changed[:, 1]) / 10 - np.ptp(line[:, 0])
    assert 0 <= across < 1
    assert left < changed[:, 1].min()
    assert top < changed[:, 0].max()


def test_owners_are_drawn_in_the_colors_of_the_teams(tmp_path):
    owner = drawn(tmp_path, 'layers = ["owner"]\nsources = false\n')
    flat = {
        tuple(color): n
        for color, n in zip(
            *np.unique(owner.reshape(-1, 4)[:, :3], axis=0, return_counts=True), strict=True
        )
    }
    large = sorted(n for n in flat.values() if n > 3000)
    assert len(large) >= 3


def test_maps_side_by_side_have_their_own_limits_and_stay_equal_in_size(tmp_path):
    w = world(
        tmp_path,
        MAP,
        TEAMS,
        ACTORS,
        RUN,
        '[[outputs]]\nfile = "x.gif"\nlayers = ["influence red", "tension", "vulnerability"]\n',
        "limits = { tension = [0, 9] }\nfront_lines = true\n",
    )
    painter = Painter([w], w.recipe.outputs[0], size=120)
    assert painter.limits == {"influence red": (-4, 4), "tension": (0, 9), "vulnerability": (0, 4)}
    shapes = set()
    for moment in (0, 0.4, 1):
        w.go_to(moment)
        shapes.add(painter.draw().shape)
    assert len(shapes) == 1
    assert shapes.pop()[1] > 3 * 120


def test_layers_of_teams_are_drawn_together_in_their_colors(tmp_path):
    together = drawn(tmp_path, "sources = false\nlimits = [0, 4]")
    swapped = drawn(
        tmp_path,
        "sources = false\nlimits = [0, 4]",
        MAP,
        TEAMS.replace('"#ff8a3c", "#3fa7f5"', '"#3fa7f5", "#ff8a3c"'),
        ACTORS,
    )
    left = (slice(60, 120), slice(30, 110))
    warmth = [
        float(np.diff(picture[left][..., [2, 0]].astype(int), axis=2).mean())
        for picture in (together, swapped)
    ]
    assert warmth[0] > 20
    assert warmth[1] < -20
    apart = drawn(tmp_path, "sources = false\ntogether = false")
    assert apart.shape[1] > together.shape[1] + 100


def test_teams_on_coarser_cells_and_maps_that_grow_upwards(tmp_path):
    parts = (MAP.replace("11", "12") + "y_up = true\n", TEAMS + "cell_size = 2\n", ACTORS)
    for name in ("owner", "tension"):
        assert drawn(tmp_path, f'layers = ["{name}"]\nfront_lines = true\n', *parts).std() > 20


def test_a_comparison_of_teams(tmp_path):
    output = (
        '[[outputs]]\nfile = "x.png"\nlayers = ["influence red", "owner"]\nfront_lines = true\n'
    )
    path = write(tmp_path, MAP, TEAMS, ACTORS, RUN, output)
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
