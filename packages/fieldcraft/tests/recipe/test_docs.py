from __future__ import annotations

import re
from pathlib import Path

import pytest

from fieldcraft.compose.formula import FUNCTIONS
from fieldcraft.recipe import read_recipe
from fieldcraft.recipe.parse_layers import maps_of_teams
from fieldcraft.recipe.parse_shapes import SHAPES
from fieldcraft.recipe.run import run
from fieldcraft.recipe.section import Section

ROOT = Path(__file__).resolve().parents[4]
GUIDE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
EVERYTHING = """
[map]
{map}
[layers.a]
decay = 1
momentum = 1
[layers.b]
propagation = "radial"
radius = 1
[layers.c]
propagation = "fade"
[layers.d]
propagation = "trail"
[layers.e]
propagation = "stamps"
[layers.f]
propagation = "flood"
[teams]
names = ["t"]
radius = 1
[maps]
m = "a - t"
[[sources]]
layer = "a"
position = [1, 1]
[[deposits]]
layer = "a"
position = [1, 1]
[[timelines]]
file = "x"
format = "{format}"
layers = {{ a = "a" }}
[run]
seconds = 1
[[outputs]]
file = "a.png"
limits = [0, 1]
[[outputs]]
file = "a.gif"
limits = [0, 1]
[[outputs]]
file = "a.csv"
[[outputs]]
file = "b.png"
over_time = "share"
"""


def test_the_whole_recipe_of_the_guide_runs(tmp_path):
    block = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)[0]
    path = tmp_path / "camps.toml"
    path.write_text(block)
    report = run(read_recipe(path, ["sources.red camp.strength=8"]), tmp_path / "out")
    assert [file.name for file in report.files] == ["camps.png"]
    assert report.layers[0].peak == 8


@pytest.mark.parametrize(
    ("map_keys", "kind"),
    [
        ('file = "x.map"', "csv"),
        ('generate = "maze"\nwidth = 9\nheight = 9', "starcraft"),
        ('generate = "pitch"', "football"),
        ('generate = "empty"\nwidth = 9\nheight = 9', "pedestrians"),
        ('file = "x.obj"', "tracks"),
    ],
)
def test_the_guide_names_every_key(tmp_path, monkeypatch, map_keys, kind):
    known: dict[str, set[str]] = {}
    finish = Section.finish

    def note(section: Section) -> None:
        known.setdefault(str(section.keys[0]) if section.keys else "", set()).update(section._known)
        finish(section)

    monkeypatch.setattr(Section, "finish", note)
    path = tmp_path / "all.toml"
    path.write_text(EVERYTHING.format(map=map_keys, format=kind))
    read_recipe(path)
    chapters = {
        re.split(r"[`.\]]", part)[0].strip("["): part
        for part in re.split(r"^## `", GUIDE, flags=re.MULTILINE)[1:]
    }
    assert set(chapters) == set(known) - {""} | {"maps"}
    # Those of propagation stand in the chapter on layers.
    known["teams"] -= known["layers"] - {"propagation"}
    for table, keys in known.items():
        for key in keys if table else ():
            assert re.search(rf"`{key}\b", chapters[table]), f"{key} of {table}"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "recipes").glob("*.toml")), ids=lambda path: path.stem
)
def test_the_recipes_of_the_project_are_sound_and_in_the_guide(path):
    assert read_recipe(path, data="/data").outputs
    assert f"`{path.name}`" in GUIDE


def test_the_guide_names_every_map_and_function():
    for name in (
        "influence TEAM",
        *maps_of_teams(("a", "b"))[:3],
        "share TEAM",
        "vulnerability TEAM",
        "owner",
        *FUNCTIONS,
    ):
        assert f"`{name}`" in GUIDE


def test_the_guide_names_every_shape_of_a_stamp_and_its_measures():
    for name, shape in SHAPES.items():
        row = re.search(rf"^\| `{name}` \|(.*)$", GUIDE, re.MULTILINE)
        assert row
        assert all(f"`{key}" in row[1] for key in (*shape.needed, *shape.others)), name


def test_the_fragments_of_the_guide_are_sound(tmp_path):
    blocks = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    path = tmp_path / "camps.toml"
    path.write_text(
        re.sub(
            r'layer = "threat"',
            'layer = "red"',
            re.sub(r"\[layers.threat\].*?\n\n", "", blocks[0], flags=re.DOTALL),
        )
        + "".join(blocks[1:])
    )
    recipe = read_recipe(path)
    assert (recipe.teams.names, [part.name for part in recipe.formulas]) == (
        ("red", "blue"),
        ["lead", "good ground"],
    )
