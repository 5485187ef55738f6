from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from fieldcraft.base.errors import InvalidValue, MissingLibrary
from fieldcraft.formats.maps import load_map


@pytest.mark.parametrize("path", [None, 7, b"a.map", ["a.map"]])
def test_a_path_is_a_path(path: Any) -> None:
    with pytest.raises(InvalidValue, match="path"):
        load_map(path)


@pytest.mark.parametrize(
    ("suffix", "options", "said"),
    [
        (
            "map",
            {"wall_color": "#fff"},
            r"no option 'wall_color', only picture\..*It takes: neighbors, mobility\.",
        ),
        (
            "png",
            {"wall_layers": "walls"},
            (
                "It takes: neighbors, mobility, threshold, wall_color, tolerance, transparent,"
                " cell_size"
            ),
        ),
        ("npz", {"threshold": 3}, "It takes: neighbors, mobility, grid, resources"),
        (
            "tmx",
            {"grid": "pathing"},
            "It takes: neighbors, mobility, wall_layers, wall_properties, wall_objects",
        ),
        (
            "json",
            {"color": "#fff"},
            "The format Tiled map has no option 'color'. Got color='#fff' for a.json",
        ),
    ],
)
def test_an_option_of_another_kind_is_refused_by_name(
    maps: Path, suffix: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(maps / f"a.{suffix}", **options)


@pytest.mark.parametrize("suffix", ["map", "png", "npz", "tmx"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"neighbors": 5}, "neighbors"),
        ({"mobility": 3}, "mobility"),
        ({"mobility": "swim"}, "'air'"),
    ],
)
def test_shared_options_are_checked(
    maps: Path, suffix: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(maps / f"a.{suffix}", **options)


def test_what_is_missing_is_named(maps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(MissingLibrary, match=r"Pillow.*fieldcraft\[maps\]"):
        load_map(maps / "a.png")
