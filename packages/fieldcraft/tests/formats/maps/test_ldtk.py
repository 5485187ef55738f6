"""Levels of LDtk."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import load_map
from fieldcraft.base.errors import BadMapFile, UnknownName
from support.map_files import LDTK, written


def test_walls_and_entities_of_a_level(tmp_path: Path) -> None:
    grid = load_map(written(tmp_path, "a.ldtk", LDTK), neighbors=8)
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


def int_grid(name: str, values: list[int], **more: Any) -> dict[str, Any]:
    """An IntGrid layer of 3 x 2 cells."""
    return {
        "__identifier": name,
        "__type": "IntGrid",
        "__cWid": 3,
        "__cHei": 2,
        "__gridSize": 16,
        "intGridCsv": values,
        **more,
    }


def project_level(name: str, *layers: dict[str, Any]) -> dict[str, Any]:
    return {"identifier": name, "layerInstances": list(layers)}


EMPTY = [0] * 6
LEFT = [1, 0, 0, 1, 0, 0]
RIGHT = [0, 0, 2, 0, 0, 2]


def test_an_empty_layer_above_the_walls_is_passed_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    level = project_level("One", int_grid("Notes", EMPTY), int_grid("Collisions", LEFT))
    path = written(tmp_path, "a.ldtk", {"levels": [level]})
    assert load_map(path).walls.sum() == 2
    assert not caplog.records
    assert load_map(path, layer="Notes").walls.sum() == 0
    assert not caplog.records
    with pytest.raises(UnknownName, match=r"IntGrid layer.*'Collisions'"):
        load_map(path, layer="Colisions")


def test_a_choice_between_layers_with_walls_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    level = project_level("One", int_grid("Water", RIGHT), int_grid("Collisions", LEFT))
    path = written(tmp_path, "a.ldtk", {"levels": [level]})
    with caplog.at_level(logging.WARNING):
        assert load_map(path).walls[:, 2].all()
    assert "'Water', 'Collisions'" in caplog.text and "layer=" in caplog.text
    caplog.clear()
    assert load_map(path, layer="Collisions").walls[:, 0].all()
    assert load_map(path, wall_values=[1]).walls[:, 0].all()
    assert not caplog.records


def test_a_level_without_walls_is_open_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = written(tmp_path, "a.ldtk", {"levels": [project_level("One", int_grid("Notes", EMPTY))]})
    with caplog.at_level(logging.WARNING):
        assert not load_map(path).walls.any()
    assert "'Notes'" in caplog.text


def test_levels_of_several_worlds(tmp_path: Path) -> None:
    worlds = [
        {"identifier": "Empty", "levels": []},
        {
            "identifier": "Town",
            "levels": [
                project_level("Gate", int_grid("Walls", LEFT)),
                project_level("Cellar", int_grid("Walls", RIGHT)),
            ],
        },
        {"identifier": "Woods", "levels": [project_level("Gate", int_grid("Walls", RIGHT))]},
    ]
    path = written(tmp_path, "a.ldtk", {"levels": [], "worlds": worlds})
    assert load_map(path).walls[:, 0].all()
    assert load_map(path, level="Cellar").walls[:, 2].all()
    assert load_map(path, level="Woods/Gate").walls[:, 2].all()
    with pytest.raises(BadMapFile, match="'Town/Gate', 'Woods/Gate'"):
        load_map(path, level="Gate")
    with pytest.raises(UnknownName, match="'Cellar'"):
        load_map(path, level="Celar")


def test_levels_in_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    written(tmp_path / "a", "One.ldtkl", project_level("One", int_grid("Walls", LEFT)))
    written(tmp_path / "a", "Two.ldtkl", project_level("Two", int_grid("Walls", RIGHT)))
    listed = [
        {"identifier": name, "layerInstances": None, "externalRelPath": f"a/{name}.ldtkl"}
        for name in ("One", "Two", "Gone")
    ]
    path = written(tmp_path, "a.ldtk", {"levels": listed, "externalLevels": True})
    assert load_map(path).walls[:, 0].all()
    assert load_map(path, level="Two").walls[:, 2].all()
    assert load_map(tmp_path / "a" / "Two.ldtkl").walls[:, 2].all()
    with pytest.raises(BadMapFile, match=r"Gone\.ldtkl"):
        load_map(path, level="Gone")


@pytest.mark.parametrize("source", ["/etc/passwd", "C:/level.ldtkl", "a\\level.ldtkl"])
def test_levels_in_absolute_places_are_refused(tmp_path: Path, source: str) -> None:
    level = {"identifier": "One", "layerInstances": None, "externalRelPath": source}
    with pytest.raises(BadMapFile, match="relative to the map"):
        load_map(written(tmp_path, "a.ldtk", {"levels": [level]}))


def test_offsets_move_the_grid_and_the_entities(tmp_path: Path) -> None:
    guard = {
        "__identifier": "Guard",
        "px": [8, 8],
        "__pivot": [0.5, 0.5],
        "width": 4,
        "height": 4,
        "fieldInstances": [],
    }
    people = {
        "__identifier": "People",
        "__type": "Entities",
        "entityInstances": [guard],
        "__pxTotalOffsetX": 1,
        "__pxTotalOffsetY": 2,
    }
    moved = int_grid("Walls", LEFT, __pxTotalOffsetX=-5, __pxTotalOffsetY=16)
    path = written(tmp_path, "a.ldtk", {"levels": [project_level("One", people, moved)]})
    grid = load_map(path)
    assert grid.origin == (-5, 16)
    np.testing.assert_array_equal(grid.objects["Guard"].positions, [(9, 10)])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"levels": []}, "has a level"),
        ({"levels": [], "worlds": []}, "has a level"),
        ({"levels": [project_level("One", {"__identifier": "Bg", "__type": "Tiles"})]}, "'Bg'"),
        (
            {
                "levels": [
                    project_level(
                        "One", {"__identifier": "Old", "__type": "IntGrid", "intGrid": []}
                    )
                ]
            },
            "LDtk 0.8 or later",
        ),
    ],
)
def test_projects_without_walls_to_read_are_refused(
    tmp_path: Path, content: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, "a.ldtk", content))
