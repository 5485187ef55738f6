"""Levels of LDtk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fieldcraft import load_map
from fieldcraft.errors import BadMapFile, UnknownName
from support import damage


def level(name: str, cells: list[int]) -> dict[str, Any]:
    guard = {
        "__identifier": "Guard",
        "__pivot": [0, 1],
        "px": [16, 32],
        "width": 16,
        "height": 16,
        "fieldInstances": [{"__identifier": "sees", "__value": 5}],
    }
    return {
        "identifier": name,
        "layerInstances": [
            {"__type": "Entities", "entityInstances": [guard]},
            {"__type": "IntGrid", "__cWid": 3, "__cHei": 2, "__gridSize": 16, "intGridCsv": cells},
        ],
    }


PROJECT = {"levels": [level("One", [0, 1, 0, 2, 0, 0]), level("Two", [1, 1, 1, 1, 1, 0])]}


def written(folder: Path, content: Any) -> Path:
    path = folder / "a.ldtk"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def test_walls_and_entities_of_a_level(tmp_path: Path) -> None:
    grid = load_map(written(tmp_path, PROJECT), neighbors=8)
    assert grid.walls.tolist() == [[False, True, False], [True, False, False]]
    assert grid.cell_size == 16 and list(grid.objects) == ["Guard"]
    guards = grid.objects["Guard"]
    np.testing.assert_array_equal(guards.positions, [(24, 24)])
    assert guards.properties == ({"sees": 5},)
    some = load_map(tmp_path / "a.ldtk", wall_values=[2], tiles=True)
    assert some.walls.sum() == 1
    np.testing.assert_array_equal(some.objects["Guard"].positions, [(1, 1)])
    assert load_map(tmp_path / "a.ldtk", level="Two").walls.sum() == 5
    with pytest.raises(UnknownName, match="Two"):
        load_map(tmp_path / "a.ldtk", level="Tow")


def test_what_is_no_level_is_refused(tmp_path: Path) -> None:
    for wrong in (
        {},
        {"levels": [level("One", [0, 1])]},
        {"levels": [{"identifier": "One", "layerInstances": []}]},
        {"levels": [{"identifier": "One", "layerInstances": None}]},
    ):
        with pytest.raises(BadMapFile):
            load_map(written(tmp_path, wrong))


@damage.fuzz
@given(content=damage.damaged(json.dumps(PROJECT).encode()))
def test_no_damage_gets_past(tmp_path: Path, content: bytes) -> None:
    damage.load_or_refuse(written(tmp_path, content))
