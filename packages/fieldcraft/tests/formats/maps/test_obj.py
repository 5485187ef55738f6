"""Navigation meshes as OBJ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldcraft import Graph
from fieldcraft.base.errors import BadMapFile, InvalidValue
from fieldcraft.formats.maps import load_map
from support import realdata
from support.map_files import OBJ, written


def test_what_one_can_stand_on(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, "a.obj", OBJ))
    assert isinstance(graph, Graph) and len(graph) == 3 and graph.y_up
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    np.testing.assert_allclose(graph.areas, [8, 8, 8])
    np.testing.assert_allclose(graph.positions[0], (8 / 3, 4 / 3, 0))
    assert len(load_map(written(tmp_path, "a.obj", OBJ), max_slope=20)) == 2
    assert len(load_map(written(tmp_path, "a.obj", OBJ), up="z")) == 1  # the wall
    assert len(load_map(written(tmp_path, "a.obj", OBJ + "f 1 1 2\nf 1 2 2\n"))) == 3


def test_loose_corners_are_welded_and_convex_faces_cut(tmp_path: Path) -> None:
    text = (
        "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nv 1.000001 0 0\nv 2 0 0\nv 2 0 -1\nv 1 0.000001"
        " -1\nf 1 2 3 4\nf 5 6 7 8\n"
    )
    graph = load_map(written(tmp_path, "a.obj", text))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1], [0, 3], [2, 3]]
    ring = [(np.cos(a), np.sin(a)) for a in np.arange(12) / 6 * np.pi]
    text = "".join(f"v {x} 0 {-y}\n" for x, y in ring) + "f " + " ".join(map(str, range(1, 13)))
    assert len(load_map(written(tmp_path, "a.obj", text))) == 10
    hook = [(0, 0), (6, 0), (6, 2), (2, 2), (2, 6), (0, 6)]
    text = "".join(f"v {x} 0 {-y}\n" for x, y in hook) + "f 2 3 4 5 6 1"
    with pytest.raises(BadMapFile, match=r"convex.*line 7"):
        load_map(written(tmp_path, "a.obj", text))


def test_what_is_left_out_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    load_map(written(tmp_path, "a.obj", OBJ), max_slope=20)
    (record,) = caplog.records
    assert record.name == "fieldcraft.formats.maps.obj" and record.levelname == "WARNING"
    assert "2 steeper than max_slope=20 degrees" in record.message
    caplog.clear()
    flat = "v 0 0 0\nv 1 0 0\nv 1 0 -1\nf 1 2 3\n"
    load_map(written(tmp_path, "b.obj", flat))
    assert not caplog.records
    load_map(written(tmp_path, "b.obj", flat + "f 3 2 1\nf 1 1 2\n"))
    assert "2 of 3 triangles are left out" in caplog.text
    assert "1 that face down, 1 without area" in caplog.text


def test_triangles_that_touch_along_a_part_of_a_side_are_joined(tmp_path: Path) -> None:
    text = (
        "v 0 0 0\nv 2 0 0\nv 0 0 -2\nv 2 0 0\nv 2 0 -2\nv 1 0 -1\nv 0 0 -2\nv 1 0 -1\nv 2 0 -2\n"
        "f 1 2 3\nf 4 5 6\nf 8 9 7\n"
    )
    graph = load_map(written(tmp_path, "a.obj", text))
    assert isinstance(graph, Graph)
    assert graph.edges.tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"up": "x"}, "up"),
        ({"max_slope": 90}, "below 90"),
        ({"mobility": "air"}, "ground"),
        ({"max_height": -2}, "max_height"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(written(tmp_path, "a.obj", OBJ), **options)


@pytest.mark.parametrize(
    ("name", "options", "count", "parts"),
    [
        ("recast/dungeon.obj", {}, 2077, 220),
        ("three-pathfinding/level.obj", {}, 518, 45),
        ("three-pathfinding/level.nav.obj", {"max_slope": 89}, 552, 24),
    ],
)
def test_real_levels_load(name: str, options: dict[str, Any], count: int, parts: int) -> None:
    graph = load_map(realdata.folder("navmesh") / name, **options)
    assert isinstance(graph, Graph) and len(graph) == count and graph.parts().max() + 1 == parts
    large = graph.areas > 0.01 * graph.areas.max()
    np.testing.assert_array_equal(
        np.asarray(graph.cell_at(graph.positions[large])), np.flatnonzero(large)
    )


@pytest.mark.parametrize(
    ("corner", "said"), [("1 2", "a corner of 2 numbers"), (f"{'1' * 70} 2 3", "70 characters")]
)
def test_corners_have_three_numbers(tmp_path: Path, corner: str, said: str) -> None:
    text = f"v 0 0 0\nv 1 0 0\nv {corner}\nf 1 2 3\n"
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, "a.obj", text))
