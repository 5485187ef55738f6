"""Parts of a recipe: paths and the folder of data."""

from __future__ import annotations

from pathlib import Path

from support.recipes import GOOD, parts_of, refused_in


def test_paths_are_relative_to_the_recipe_and_know_variables(tmp_path, monkeypatch):
    text = GOOD.replace('generate = "empty"\nwidth = 12\nheight = 7', 'file = "${PLACE}/x.map"')
    monkeypatch.setenv("PLACE", "/somewhere")
    assert parts_of(tmp_path, text).map.file == Path("/somewhere/x.map")
    monkeypatch.delenv("PLACE")
    assert "Set that environment variable" in refused_in(tmp_path, text)[0]
    assert parts_of(tmp_path, text.replace("${PLACE}/", "../")).map.file == tmp_path / "../x.map"


def test_the_folder_of_recorded_data(tmp_path, monkeypatch):
    text = GOOD.replace(
        'generate = "empty"\nwidth = 12\nheight = 7', 'file = "${FIELDCRAFT_DATA}/x.map"'
    )
    monkeypatch.delenv("FIELDCRAFT_DATA", raising=False)
    inner = tmp_path / "project" / "recipes"
    inner.mkdir(parents=True)
    assert "Pass --data DIR" in refused_in(inner, text)[0]
    shared = tmp_path / "shared" / "data"
    shared.mkdir(parents=True)
    assert parts_of(inner, text).map.file == shared / "x.map"
    monkeypatch.setenv("FIELDCRAFT_DATA", "/a")
    assert parts_of(inner, text).map.file == Path("/a/x.map")
    assert parts_of(inner, text, data="/b").map.file == Path("/b/x.map")
