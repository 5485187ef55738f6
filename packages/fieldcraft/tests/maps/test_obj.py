"""Navigation meshes as OBJ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fieldcraft import Graph
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps import load_map
from support import damage, realdata

# y up: a floor of two triangles, a ramp of one, a wall, a ceiling.
ROOM = """# a room
v 0 0 0
v 4 0 0
v 4 0 -4
v 0 0 -4
v 8 2 0
v 0 3 0
v 4 3 0
v 0 3 -4
f 1 2 3
f 1/1/1 3//2 4/7
f 2 5 3
f -8 -7 -3
f 6 8 7
"""


def written(folder: Path, content: str | bytes, name: str = "a.obj") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_what_one_can_stand_on(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, ROOM))
    assert isinstance(graph, Graph) and len(graph) == 3 and graph.y_up
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    np.testing.assert_allclose(graph.areas, [8, 8, 8])
    np.testing.assert_allclose(graph.positions[0], (8 / 3, 4 / 3, 0))
    assert len(load_map(written(tmp_path, ROOM), max_slope=20)) == 2
    assert len(load_map(written(tmp_path, ROOM), up="z")) == 1  # the wall
    assert len(load_map(written(tmp_path, ROOM + "f 1 1 2\nf 1 2 2\n"))) == 3


def test_loose_corners_are_welded_and_convex_faces_cut(tmp_path: Path) -> None:
    text = (
        "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nv 1.000001 0 0\nv 2 0 0\nv 2 0 -1\nv 1 0.000001"
        " -1\nf 1 2 3 4\nf 5 6 7 8\n"
    )
    graph = load_map(written(tmp_path, text))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1], [0, 3], [2, 3]]
    ring = [(np.cos(a), np.sin(a)) for a in np.arange(12) / 6 * np.pi]
    text = "".join(f"v {x} 0 {-y}\n" for x, y in ring) + "f " + " ".join(map(str, range(1, 13)))
    assert len(load_map(written(tmp_path, text))) == 10
    hook = [(0, 0), (6, 0), (6, 2), (2, 2), (2, 6), (0, 6)]
    text = "".join(f"v {x} 0 {-y}\n" for x, y in hook) + "f 2 3 4 5 6 1"
    with pytest.raises(BadMapFile, match=r"convex.*line 7"):
        load_map(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "faces"),
        ("v 0 0 0\nv 1 0 0\nv 1 0 -1\n", "faces"),
        (ROOM + "f 1 2 99", r"'99' in line 15"),
        (ROOM + "f 1 2 99999999999999999999", "from 1 on"),
        (ROOM + "f 0 1 2", "from 1 on"),
        (ROOM + "f -9 1 2", "corners that stand before"),
        (ROOM + "f 1 2", "three corners"),
        (ROOM + "f 1 2 3.5", "'3.5'"),
        (ROOM + "v 1 2", "three coordinates"),
        (ROOM + "v 1 2 up", "numbers"),
        (ROOM + "v 1 2 nan", "finite"),
        (ROOM + "v 1 2 1e30", "1e9"),
        ("v 0 0 0\nv 4 0 0\nv 4 4 0\nf 1 2 3", "stand on"),
        ("v 0 0 0\nv 1 1 1\nf 1 1 2\nf 1 2 2", "stand on"),
    ],
)
def test_objs_that_are_none_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, text))


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
        load_map(written(tmp_path, ROOM), **options)


@damage.fuzz
@given(content=damage.damaged(ROOM.encode()))
def test_no_damage_gets_past_an_obj(tmp_path: Path, content: bytes) -> None:
    damage.load_or_refuse(written(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "options", "count", "parts"),
    [
        ("recast/dungeon.obj", {}, 2077, 220),
        ("three-pathfinding/level.obj", {}, 518, 47),
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
