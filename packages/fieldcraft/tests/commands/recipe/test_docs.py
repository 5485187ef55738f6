from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from fieldcraft.base.settings.dataclasses import _settings_of
from fieldcraft.commands.recipe import loading, read_recipe, recipe_parts
from fieldcraft.commands.recipe.outputs import run
from fieldcraft.commands.recipe.recipe_parts import maps_of_teams
from fieldcraft.commands.recipe.values import SHAPES, measures_of
from fieldcraft.commands.shipped_recipes import SHIPPED
from fieldcraft.layers.propagation import PROPAGATIONS
from fieldcraft.values.formula import FUNCTIONS
from tools.recipe_tables import updated

ROOT = Path(__file__).resolve().parents[5]
GUIDE = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
TABLES: dict[str, tuple[Any, ...]] = {
    "map": (*loading.MAP_KINDS.values(), loading.FileKeys),
    "layers": (
        *PROPAGATIONS.values(),
        recipe_parts.LayerPart,
        recipe_parts.Mark,
        recipe_parts.Stamping,
    ),
    "teams": (recipe_parts.TeamsPart,),
    "sources": (recipe_parts.SourcePart,),
    "deposits": (recipe_parts.DepositPart,),
    "timelines": (recipe_parts.TimelinePart,),
    "run": (recipe_parts.RunPart,),
    "outputs": (
        recipe_parts.Still,
        recipe_parts.FilmPart,
        recipe_parts.TotalsTable,
        recipe_parts.HoldingsTable,
        recipe_parts.HoldingsPlot,
    ),
}
"""The classes that read the tables of a recipe."""
INTERNAL = {"keys", "name", "propagation", "mark", "stamping", "layer", "options", "rooted", "kind"}


def test_the_whole_recipe_of_the_guide_runs(tmp_path):
    block = re.findall(r"```toml\n(.*?)```", GUIDE, re.DOTALL)[0]
    path = tmp_path / "camps.toml"
    path.write_text(block)
    report = run(read_recipe(path, ["sources.red camp.strength=8"]), tmp_path / "out")
    assert [file.name for file in report.files] == ["camps.png"]
    assert report.layers[0].peak == 8


@pytest.mark.parametrize("table", TABLES)
def test_the_guide_names_every_key(table):
    chapters = {
        re.split(r"[`.\]]", part)[0].strip("["): part
        for part in re.split(r"^## `", GUIDE, flags=re.MULTILINE)[1:]
    }
    assert set(chapters) == {*TABLES, "maps"}
    for kind in TABLES[table]:
        for setting in _settings_of(kind).values():
            known = setting.key in INTERNAL or re.search(rf"`{setting.key}\b", chapters[table])
            assert known, f"{setting.key} of {table}"


def test_the_tables_of_propagations_follow_from_their_settings():
    assert updated(GUIDE) == GUIDE, "run python -m tools.recipe_tables"


@pytest.mark.parametrize(
    "path",
    sorted([*(ROOT / "recipes").glob("*.toml"), *SHIPPED.glob("*.toml")]),
    ids=lambda path: path.stem,
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
    for name in SHAPES:
        row = re.search(rf"^\| `{name}` \|(.*)$", GUIDE, re.MULTILINE)
        assert row
        assert all(f"`{key}" in row[1] for key in measures_of(name)), name


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
