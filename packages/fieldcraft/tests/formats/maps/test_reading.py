"""Damaged files and odd entries of every format load, or are refused by an error of fieldcraft."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps import load_map
from support.map_files import JSON, OBJ, POLYANYA, changed, corner, written

NAN = float("nan")
ENTRIES = [
    ("quake.navjson", "Nodes", None),
    ("quake.navjson", "Nodes.0", 3),
    ("quake.navjson", "Nodes.0.Origin", [1, 2]),
    ("quake.navjson", "Nodes.0.Origin", [30, 40, 0]),
    ("quake.navjson", "Nodes.0.Links", 7),
    ("quake.navjson", "Nodes.0.Links.0", None),
    ("quake.navjson", "Nodes.0.Links.0.Target", [30, 40, 0.5]),
    ("quake.navjson", "Nodes.0.Links.1.Traversal", [[1, 2]]),
    ("quake.navjson", "Nodes.0.Links.1.Traversal", 4),
    ("counterstrike.json", "areas", []),
    ("counterstrike.json", "areas.7", 5),
    ("counterstrike.json", "areas.7.corners", [corner(0, 0)]),
    ("counterstrike.json", "areas.7.corners.0", {"x": 1, "y": 2}),
    ("counterstrike.json", "areas.7.corners.0.x", "1"),
    ("counterstrike.json", "areas.7.corners.0.x", NAN),
    ("counterstrike.json", "areas.7.connections", [3]),
    ("counterstrike.json", "areas.7.connections", ["9"]),
    ("counterstrike.json", "areas.7.connections", None),
    ("counterstrike.json", "areas.x", {"corners": [], "connections": []}),
    ("polygons.json", "polygons", [0, 1, 2, 99, 65535, 65535]),
    ("polygons.json", "polygons", [0, 1, 65535, 65535, 65535, 65535]),
    ("polygons.json", "polygons", [0, 1, 2]),
    ("polygons.json", "max_vertices_per_polygon", 0),
    ("polygons.json", "max_vertices_per_polygon", 10**9),
    ("polygons.json", "vertices", [[0.5, 0, 0]]),
    ("polygons.json", "aabb", {}),
    ("polygons.json", "cell_size", 0),
    ("polygons.json", "cell_size", 1e300),
    ("detail.json", "vertices", [[0, 0, 1e300]] * 6),
    ("detail.json", "triangles", [[0, 1, 2], [0, 2, 3], [0, 1, 3]]),
    ("detail.json", "triangles", [[0, 1, 2], [0, 2, 3], [0, 1, -1]]),
    ("detail.json", "meshes", []),
    ("detail.json", "meshes.0.base_triangle_index", -1),
    ("detail.json", "vertices", [[0, 0, 0]]),
    ("waypoints.json", "vertices", None),
    ("waypoints.json", "vertices", [[0, 0], [1]]),
    ("waypoints.json", "vertices", [[0, 0], [1, "2"]]),
    ("waypoints.json", "vertices", [[0, 10**400], [1, 2]]),
    ("waypoints.json", "vertices", [[0, NAN]]),
    ("waypoints.json", "vertices", {"a": 1}),
    ("waypoints.json", "edges", [[0, 3]]),
    ("waypoints.json", "edges", [[0, -1, 1.5]]),
    ("waypoints.json", "edges", [[0, 1, -1]]),
    ("waypoints.json", "edges", [[0, 1, "far"]]),
    ("waypoints.json", "edges", [[0, 1, 2, 3]]),
    ("waypoints.json", "edges", [[0]]),
    ("waypoints.json", "edges", [0, 1]),
    ("waypoints.json", "edges", [[0.5, 1]]),
    ("waypoints.json", "edges", [[0, 2**70]]),
    ("waypoints.json", "directed", 1),
    ("waypoints.json", "blocked", [5]),
    ("waypoints.json", "blocked", "all"),
    ("waypoints.json", "names", ["a", "a", "b"]),
    ("waypoints.json", "max_height", -1),
    ("waypoints.json", "color", "red"),
    ("project.ldtk", "levels", []),
    ("project.ldtk", "levels.0.layerInstances", []),
    ("project.ldtk", "levels.0.layerInstances", None),
    ("project.ldtk", "levels.0.layerInstances.1.intGridCsv", [0, 1]),
    ("project.ldtk", "levels.0.layerInstances.1.__cWid", -3),
]


@pytest.mark.parametrize(("name", "way", "value"), ENTRIES)
def test_wrong_entries_are_refused(tmp_path: Path, name: str, way: str, value: Any) -> None:
    with pytest.raises(BadMapFile, match=name):
        load_map(written(tmp_path, name, changed(JSON[name], way, value)))


TEXTS = [
    ("a.mesh", POLYANYA, "mesh\n2\n", "mesh\n1\n"),
    ("a.mesh", POLYANYA, "mesh", "mush"),
    ("a.mesh", POLYANYA, "7 3", "7"),
    ("a.mesh", POLYANYA, "7 3", "7 -3"),
    ("a.mesh", POLYANYA, "7 3", "7 9"),
    ("a.mesh", POLYANYA, "7 3", "4000000 3"),
    ("a.mesh", POLYANYA, "7 3", "1e300 3"),
    ("a.mesh", POLYANYA, "7 3", "7.5 3"),
    ("a.mesh", POLYANYA, "0 0 1 0\n", "0 0 999999999 0\n"),
    ("a.mesh", POLYANYA, "4 0 1 4 3", "4 0 1 4 77"),
    ("a.mesh", POLYANYA, "4 0 1 4 3", "4 0 1 4 2.5"),
    ("a.mesh", POLYANYA, "0 0 1 0\n", "nan 0 1 0\n"),
    ("a.mesh", POLYANYA, "0 0 1 0\n", "x 0 1 0\n"),
    ("a.mesh", POLYANYA, "6 -1 1 -1\n", "6 -1 1\n"),
    ("a.mesh", POLYANYA, "6 -1 1 -1\n", "6 -1 1 -1 5\n"),
    ("a.obj", OBJ, OBJ, ""),
    ("a.obj", OBJ, OBJ, "v 0 0 0\nv 1 0 0\nv 1 0 -1\n"),
    ("a.obj", OBJ, "f 2 5 3", "f 1 2 99"),
    ("a.obj", OBJ, "f 2 5 3", "f 1 2 99999999999999999999"),
    ("a.obj", OBJ, "f 2 5 3", "f 0 1 2"),
    ("a.obj", OBJ, "f 2 5 3", "f -9 1 2"),
    ("a.obj", OBJ, "f 2 5 3", "f 1 2"),
    ("a.obj", OBJ, "f 2 5 3", "f 1 2 3.5"),
    ("a.obj", OBJ, "v 4 0 0", "v 1 2"),
    ("a.obj", OBJ, "v 4 0 0", "v 1 2 up"),
    ("a.obj", OBJ, "v 4 0 0", "v 1 2 nan"),
    ("a.obj", OBJ, "v 4 0 0", "v 1 2 1e30"),
    ("a.obj", OBJ, OBJ, "v 0 0 0\nv 4 0 0\nv 4 4 0\nf 1 2 3"),
    ("a.obj", OBJ, OBJ, "v 0 0 0\nv 1 1 1\nf 1 1 2\nf 1 2 2"),
]


@pytest.mark.parametrize(("name", "text", "old", "new"), TEXTS)
def test_wrong_texts_are_refused(tmp_path: Path, name: str, text: str, old: str, new: str) -> None:
    assert old in text
    with pytest.raises(BadMapFile, match=name):
        load_map(written(tmp_path, name, text.replace(old, new, 1)))
