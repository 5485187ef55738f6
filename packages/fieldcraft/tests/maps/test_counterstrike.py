"""Counter-Strike navigation files, and Recast's and Polyanya's meshes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft.errors import BadMapFile
from fieldcraft.maps import load_map
from fieldcraft.space import Graph
from support import damage, realdata


def corner(x: float, y: float, z: float = 0) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


SMALL: dict[str, Any] = {
    "version": 35,
    "areas": {
        "7": {
            "area_id": 7,
            "corners": [corner(0, 0), corner(4, 0), corner(4, 4), corner(0, 4)],
            "connections": [9],
            "ladders_above": [12],
        },
        "9": {
            "area_id": 9,
            "corners": [corner(4, 0), corner(8, 0), corner(8, 4)],
            "connections": [7],
            "ladders_above": [],
        },
        "12": {
            "area_id": 12,
            "corners": [corner(0, 0, 9), corner(4, 0, 9), corner(4, 4, 9)],
            "connections": [],
        },
    },
}


def written(folder: Path, content: Any) -> Path:
    path = folder / "a.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def changed(path: str, value: Any) -> dict[str, Any]:
    content = json.loads(json.dumps(SMALL))
    *way, last = path.split(".")
    place = content
    for step in way:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value
    return content


def test_areas_and_connections(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, SMALL))
    assert isinstance(graph, Graph) and graph.directed and graph.labels == (7, 9, 12)
    assert graph.edges.tolist() == [[1, 0], [0, 1], [0, 2]]
    np.testing.assert_allclose(graph.areas, [16, 8, 8])
    assert graph.cell_at([(3.9, 3.9, 1), (4.1, 0.05, 1), (3, 1, 8)]).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("areas", [], "'areas'"),
        ("areas.7", 5, "Area 7"),
        ("areas.7.corners", [corner(0, 0)], "three corners"),
        ("areas.7.corners.0", {"x": 1, "y": 2}, "'z'"),
        ("areas.7.corners.0.x", "1", "'x'"),
        ("areas.7.corners.0.x", float("nan"), "finite"),
        ("areas.7.connections", [3], "3 in area 7"),
        ("areas.7.connections", ["9"], "ids"),
        ("areas.7.connections", None, "'connections'"),
        ("areas.x", {"corners": [], "connections": []}, "whole numbers as ids"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, path: str, value: Any, said: str) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, changed(path, value)))


@damage.fuzz
@given(content=damage.damaged(json.dumps(SMALL).encode()))
def test_no_damage_gets_past_the_loader(tmp_path: Path, content: bytes) -> None:
    damage.load_or_refuse(written(tmp_path, content))


@damage.fuzz
@given(
    path=st.sampled_from(
        [
            "areas",
            "areas.7",
            "areas.9.corners",
            "areas.9.corners.1",
            "areas.9.corners.1.x",
            "areas.7.connections",
            "areas.-1",
            "areas.07",
        ]
    ),
    value=damage.oddities,
)
def test_no_oddity_gets_past_the_loader(tmp_path: Path, path: str, value: Any) -> None:
    damage.load_or_refuse(
        written(tmp_path, json.dumps(changed(path, value)).encode("utf-8", "replace"))
    )


def test_a_real_level() -> None:
    graph = load_map(realdata.folder("navmesh") / "cs2" / "de_dust2.json")
    assert (
        isinstance(graph, Graph)
        and (len(graph), len(graph.edges)) == (2248, 6285)
        and graph.parts().max() == 0
    )
    middles = graph.positions[:, :]
    found = np.asarray(graph.cell_at(middles))
    assert np.mean(found == np.arange(2248)) > 0.99  # a few areas overlap
