"""Level geometry and navigation meshes: OBJ, GLB, welding, steps, baking."""

from __future__ import annotations

import json
import struct
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldcraft import kernels
from fieldcraft.errors import BadMapFile, InvalidValue, MissingLibrary
from fieldcraft.maps import baking, ears, load_geometry, load_map
from fieldcraft.maps.baking import bake
from fieldcraft.space import Graph, sees, visible
from support import damage, realdata, refusals
from support.tiers import uncompiled

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


def glb(content: dict[str, Any] | bytes, binary: bytes) -> bytes:
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    size = 12 + 8 + len(text) + 8 + len(binary)
    frame = (
        struct.pack("<4sII", b"glTF", 2, size) + struct.pack("<II", len(text), 0x4E4F534A) + text
    )
    return frame + struct.pack("<II", len(binary), 0x004E4942) + binary


CORNERS = np.array([(0, 0, 0), (4, 0, 0), (4, 0, -4), (0, 0, -4)], dtype="<f4")
SIDES = np.array([0, 1, 2, 0, 2, 3], dtype="<u2")
BINARY = CORNERS.tobytes() + SIDES.tobytes()
FLOOR: dict[str, Any] = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": [0]}],
    "nodes": [{"children": [1]}, {"mesh": 0, "translation": [10, 1, 0], "scale": [2, 1, 1]}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
    "materials": [{"name": "stone"}],
    "accessors": [
        {
            "bufferView": 0,
            "componentType": 5126,
            "count": 4,
            "type": "VEC3",
            "min": [0, 0, -4],
            "max": [4, 0, 0],
        },
        {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"},
    ],
    "bufferViews": [
        {"buffer": 0, "byteLength": 48},
        {"buffer": 0, "byteOffset": 48, "byteLength": 12},
    ],
    "buffers": [{"byteLength": 60}],
}


def changed(path: str, value: Any) -> dict[str, Any]:
    content = json.loads(json.dumps(FLOOR))
    *way, last = [int(word) if word.isdigit() else word for word in path.split(".")]
    place = content
    for step in way:
        place = place[step]
    place[last] = value
    return content


# Triangles
# -----------------------------------------------------------------------------


def test_what_one_can_stand_on(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, ROOM))
    assert isinstance(graph, Graph) and len(graph) == 3 and graph.y_up
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    np.testing.assert_allclose(graph.areas, [8, 8, 8])
    np.testing.assert_allclose(graph.positions[0], (8 / 3, 4 / 3, 0))
    assert len(load_map(written(tmp_path, ROOM), max_slope=20)) == 2
    turned = load_map(written(tmp_path, ROOM), up="z")
    assert isinstance(turned, Graph) and len(turned) == 1  # what was the wall


def test_loose_corners_are_welded_and_big_faces_fanned(tmp_path: Path) -> None:
    text = (
        "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nv 1.000001 0 0\nv 2 0 0\nv 2 0 -1\nv 1 0.000001"
        " -1\nf 1 2 3 4\nf 5 6 7 8\n"
    )
    graph = load_map(written(tmp_path, text))
    assert isinstance(graph, Graph) and graph.edges.tolist() == [[0, 1], [0, 3], [2, 3]]
    assert len(load_geometry(written(tmp_path, text), weld=0).edges) == 2
    ring = [(np.cos(a), np.sin(a)) for a in np.arange(12) / 6 * np.pi]
    text = "".join(f"v {x} 0 {-y}\n" for x, y in ring) + "f " + " ".join(map(str, range(1, 13)))
    assert len(load_map(written(tmp_path, text))) == 10


def stairs(rise: float) -> str:
    """Four treads one deep and one wide, without risers."""
    lines = []
    for k in range(4):
        lines += [f"v {x} {k * rise} {-z}" for x, z in ((k, 0), (k + 1, 0), (k + 1, 1), (k, 1))]
        lines.append(f"f {4 * k + 1} {4 * k + 2} {4 * k + 3} {4 * k + 4}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("shape", "inside", "outside", "area"),
    [
        (
            [(0, 0), (6, 0), (6, 2), (2, 2), (2, 6), (0, 6)],
            [(1, 5), (5, 1)],
            [(4, 4), (5.5, 2.5)],
            20,
        ),
        (
            [(0, 0), (6, 0), (6, 6), (4, 6), (4, 2), (2, 2), (2, 6), (0, 6)],
            [(1, 5), (5, 5), (3, 1)],
            [(3, 4), (3, 5.5)],
            28,
        ),
    ],
)
def test_faces_that_are_not_convex_keep_their_shape(
    tmp_path: Path, shape: list[tuple[float, float]], inside: Any, outside: Any, area: float
) -> None:
    for turn in range(len(shape)):
        ring = shape[turn:] + shape[:turn]
        text = (
            "".join(f"v {x} {x / 8} {-y}\n" for x, y in ring)
            + "f "
            + " ".join(map(str, range(1, len(ring) + 1)))
            + "\n"
        )
        floor = load_map(
            written(
                tmp_path,
                (
                    text + "v 9 0 0\nv 12 0 0\nv 12 0 -3\nv 9 0 -3\nf 9 10 11 12\n"
                    if len(ring) == 8
                    else text
                ),
            )
        )
        assert isinstance(floor, Graph) and floor.mesh is not None
        assert floor.areas.sum() == pytest.approx(area + 9 * (len(ring) == 8))
        for places, there in ((inside, True), (outside, False)):
            found, _, _ = floor.mesh.locate(
                np.array([(x, y, x / 8) for x, y in places], dtype=np.float64)
            )
            assert ((found >= 0) == there).all()


@given(st.integers(0, 2**32))
def test_cut_faces_cover_what_the_face_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 16))
    angles = np.sort((np.arange(count) + rng.random(count) * 0.9) * 2 * np.pi / count)
    star = rng.uniform(0.2, 1, (count, 1)) * np.stack(
        [np.cos(angles), np.sin(angles), 0 * angles], axis=1
    )
    turned, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    corners = star @ turned.T + rng.normal(size=3)
    triangles = corners[ears.cut(corners)]
    up = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) / 2
    whole = (
        np.cross(corners - corners[0], np.roll(corners, -1, axis=0) - corners[0]).sum(axis=0) / 2
    )
    facing = up @ whole / np.linalg.norm(whole)
    assert len(up) == count - 2 and (facing > -1e-12).all()
    assert facing.sum() == pytest.approx(np.linalg.norm(whole))


def test_a_winding_face_is_cut_without_looking_at_each_corner_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turn = np.linspace(0, 6 * np.pi, 60)
    arms = [
        np.stack(
            [(1 + turn + off) * np.cos(turn), (1 + turn + off) * np.sin(turn), 0 * turn], axis=1
        )
        for off in (0.0, -0.3)
    ]
    looks, look = [], ears._is_ear
    monkeypatch.setattr(ears, "_is_ear", lambda *corner: looks.append(corner) or look(*corner))
    assert len(ears.cut(np.concatenate([arms[0], arms[1][::-1]]))) == 118
    assert len(looks) < 5 * 120


def test_faces_that_take_too_long_to_cut_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    comb = [(k, 0, -(k % 2) - 1) for k in range(20)] + [(19, 0, 0), (0, 0, 0)]
    text = (
        "".join(f"v {x} {y} {-z}\n" for x, y, z in comb)
        + "f "
        + " ".join(str(k) for k in range(1, 23))
        + "\n"
    )
    assert isinstance(load_map(written(tmp_path, text), up="y", max_slope=89), Graph)
    monkeypatch.setattr(ears, "MOST_WORK", 400)
    with pytest.raises(BadMapFile, match=r"simple enough.*1 with several corners"):
        load_map(written(tmp_path, text), up="y", max_slope=89)


def test_stairs_are_joined_by_step_height(tmp_path: Path) -> None:
    path = written(tmp_path, stairs(0.25))
    apart, joined = load_geometry(path), load_geometry(path, step_height=0.3)
    assert apart.parts().max() == 3 and joined.parts().max() == 0
    assert load_geometry(path, step_height=0.2).parts().max() == 3
    extra = {tuple(pair) for pair in joined.edges.tolist()} - {
        tuple(pair) for pair in apart.edges.tolist()
    }
    assert len(extra) == 3
    at = joined.edges.tolist().index(list(min(extra)))
    straight = np.sqrt(
        ((joined.positions[min(extra)[0]] - joined.positions[min(extra)[1]]) ** 2).sum()
    )
    assert joined.lengths[at] >= straight


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "faces"),
        ("v 0 0 0\nv 1 0 0\nv 1 0 -1\n", "faces"),
        (ROOM + "f 1 2 99", r"'99' in line 15"),
        (ROOM + "f 1 2 4000000000", "corners that stand before"),
        (ROOM + "f 1 2 99999999999999999999", "from 1 on"),
        (ROOM + "f 0 1 2", "from 1 on"),
        (ROOM + "f -9 1 2", "corners that stand before"),
        (ROOM + "f 1 2", "three corners"),
        (ROOM + "f 1 2 x", "'x' in line 15"),
        (ROOM + "f 1 2 3.5", "'3.5'"),
        (ROOM + "v 1 2", "three coordinates"),
        (ROOM + "v 1 2 up", "numbers"),
        (ROOM + "v 1 2 nan", "finite"),
        (ROOM + "v 1 2 1e30", "1e9"),
        (ROOM.replace("f 1", "# "), "stand on"),
        ("v 0 0 0\nv 1 1 1\nf 1 1 2\nf 1 2 2", "stand on"),
    ],
)
def test_objs_that_are_none_are_refused(tmp_path: Path, text: str, said: str) -> None:
    if said == "stand on":
        text = text if "1 1 1" in text else "v 0 0 0\nv 4 0 0\nv 4 4 0\nf 1 2 3"
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, text))


def test_degenerate_faces_are_left_out(tmp_path: Path) -> None:
    graph = load_map(written(tmp_path, ROOM + "f 1 1 2\nf 1 2 2\n"))
    assert len(graph) == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"up": "x"}, "up"),
        ({"max_slope": 90}, "below 90"),
        ({"step_height": -1}, "step_height"),
        ({"weld": -1}, "weld"),
        ({"bake": 1}, "bake"),
        ({"bake": True, "cell_size": 0}, "cell_size"),
        ({"bake": True, "cell_size": 1e-4}, "larger cell_size"),
        ({"bake": True, "agent_height": 0}, "agent_height"),
        ({"mobility": "air"}, "ground"),
        ({"max_height": -2}, "max_height"),
        ({"agent_radius": 1.0}, "agent_radius=1.0, bake=False"),
        ({"cell_size": 0.5}, "cell_size"),
        ({"agent_height": 1.0}, "agent_height"),
        ({"min_area": 0.0}, "min_area"),
        ({"bake": True, "weld": 0.1}, "weld=0.1, bake=True"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        load_map(written(tmp_path, ROOM), **options)


# GLB
# -----------------------------------------------------------------------------


def test_a_glb_with_its_nodes_in_place(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    graph = load_map(written(tmp_path, glb(FLOOR, BINARY), "a.glb"))
    assert isinstance(graph, Graph) and len(graph) == 2 and len(graph.edges) == 1
    assert graph.mesh is not None
    np.testing.assert_allclose(graph.mesh.corners.min(axis=0), (10, 0, 1), atol=1e-6)
    np.testing.assert_allclose(graph.mesh.corners.max(axis=0), (18, 4, 1), atol=1e-6)


def test_a_glb_needs_trimesh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingLibrary, match=r"trimesh.*fieldcraft\[maps\]"):
        load_map(written(tmp_path, glb(FLOOR, BINARY), "a.glb"))


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("accessors.0.count", 2_000_000_000, "within its view"),
        ("accessors.0.count", 5, "within its view"),
        ("accessors.0.count", -1, "whole number"),
        ("accessors.0.componentType", 9, "type"),
        ("accessors.0.type", "VEC9", "type"),
        ("accessors.0.type", "SCALAR", "three float32"),
        ("accessors.1.componentType", 5126, "within its view|whole numbers"),
        ("accessors.0", {"componentType": 5126, "count": 10**9, "type": "VEC3"}, "reads a view"),
        ("accessors.0.bufferView", 7, "exists"),
        ("bufferViews.0.byteLength", 10**6, "within its buffer"),
        ("bufferViews.1.byteOffset", 59, "within its buffer"),
        ("buffers.0.byteLength", 10**9, "own one buffer"),
        ("buffers.0.uri", "../secret.bin", "own one buffer"),
        ("nodes.1.mesh", 4, "mesh that exists"),
        ("nodes.1.children", [0], "trees"),
        ("nodes.0.children", [1, 1], "children of its own"),
        ("nodes.0.children", [9], "children of its own"),
        ("nodes.1.translation", [1, 2], "3 numbers"),
        ("scenes.0.nodes", [5], "exist"),
        ("meshes.0.primitives.0.attributes", {}, "positions"),
        ("meshes.0.primitives.0.indices", 9, "accessors that exist"),
        ("meshes", {"a": 1}, "list of objects"),
        ("extensionsRequired", ["KHR_draco_mesh_compression"], "plain numbers"),
    ],
)
def test_lying_glbs_are_refused(tmp_path: Path, path: str, value: Any, said: str) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, glb(changed(path, value), BINARY), "a.glb"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "header"),
        (glb(FLOOR, BINARY)[:-9], "length"),
        (b"glTG" + glb(FLOOR, BINARY)[4:], "begins with"),
        (glb(b"[" * 50_000, BINARY), "deep"),
        (glb(b"{", BINARY), "JSON"),
        (glb(b"[]", BINARY), "object"),
        (struct.pack("<4sII", b"glTF", 2, 20) + struct.pack("<II", 2**31, 0x4E4F534A), "within it"),
    ],
)
def test_frames_that_do_not_hold_are_refused(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(BadMapFile, match=said):
        load_map(written(tmp_path, content, "a.glb"))


def test_corners_beyond_the_indices_are_noticed(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    lying = CORNERS.tobytes() + np.array([0, 1, 2, 0, 2, 60_000], dtype="<u2").tobytes()
    with pytest.raises(BadMapFile):
        load_map(written(tmp_path, glb(FLOOR, lying), "a.glb"))


# Damage
# -----------------------------------------------------------------------------


@damage.fuzz
@given(content=damage.damaged(ROOM.encode()), bake=st.booleans())
def test_no_damage_gets_past_an_obj(tmp_path: Path, content: bytes, bake: bool) -> None:
    damage.load_or_refuse(written(tmp_path, content), step_height=0.1, bake=bake, cell_size=0.5)


@damage.fuzz
@given(content=damage.damaged(glb(FLOOR, BINARY)))
def test_no_damage_gets_past_a_glb(tmp_path: Path, content: bytes) -> None:
    damage.load_or_refuse(written(tmp_path, content, "a.glb"))


@damage.fuzz
@given(
    path=st.sampled_from(
        [
            "scene",
            "scenes",
            "scenes.0",
            "scenes.0.nodes",
            "nodes",
            "nodes.0",
            "nodes.0.children",
            "nodes.1.scale",
            "nodes.1.rotation",
            "meshes",
            "meshes.0",
            "meshes.0.primitives",
            "meshes.0.primitives.0",
            "meshes.0.primitives.0.mode",
            "accessors",
            "accessors.0",
            "accessors.0.byteOffset",
            "accessors.1.count",
            "accessors.0.min",
            "bufferViews",
            "bufferViews.0",
            "bufferViews.0.byteStride",
            "buffers",
            "buffers.0",
            "asset",
        ]
    ),
    value=damage.oddities,
)
def test_no_oddity_gets_past_a_glb(tmp_path: Path, path: str, value: Any) -> None:
    text = json.dumps(changed(path, value)).encode("utf-8", "replace")
    damage.load_or_refuse(written(tmp_path, glb(text, BINARY), "a.glb"))


def test_a_claim_of_billions_takes_no_memory(tmp_path: Path) -> None:
    path = written(tmp_path, ROOM + "f 1 2 2000000000\n" * 1000)
    other = written(tmp_path, glb(changed("accessors.0.count", 4_000_000_000), BINARY), "b.glb")
    tracemalloc.start()
    for each in (path, other):
        with pytest.raises(BadMapFile):
            load_map(each)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


# Baking
# -----------------------------------------------------------------------------

SETTINGS: dict[str, Any] = {
    "cell_size": 0.25,
    "agent_radius": 0.0,
    "agent_height": 2.0,
    "step_height": 0.5,
    "max_slope": 45.0,
    "min_area": 0.0,
    "name": "a level",
}


def slab(
    x0: float, y0: float, x1: float, y1: float, z: float
) -> list[list[tuple[float, float, float]]]:
    """A floor, z up."""
    a, b, c, d = (x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)
    return [[a, b, c], [a, c, d]]


def wall(
    x: float, y0: float, y1: float, z0: float, z1: float
) -> list[list[tuple[float, float, float]]]:
    a, b, c, d = (x, y0, z0), (x, y1, z0), (x, y1, z1), (x, y0, z1)
    return [[a, b, c], [a, c, d]]


def baked(pieces: list[Any], **settings: Any) -> Graph:
    return bake(np.array(pieces, dtype=np.float64), **(SETTINGS | settings))


def test_floors_above_each_other_do_not_leak() -> None:
    graph = baked(slab(0, 0, 4, 4, 0) + slab(0, 0, 4, 4, 3))
    parts = graph.parts()
    assert parts.max() == 1 and len(np.unique(graph.positions[parts == 0][:, 2])) == 1
    assert np.abs(np.diff(graph.positions[graph.edges][:, :, 2], axis=1)).max() == 0
    low = baked(slab(0, 0, 4, 4, 0) + slab(0, 0, 4, 4, 1.5))
    assert low.parts().max() == 0 and low.positions[:, 2].min() > 1  # no head room below
    assert graph.max_height == 2 and graph.cell_at((2, 2, 0.3)) != graph.cell_at((2, 2, 3.3))


def test_thin_walls_keep_rooms_apart() -> None:
    floor = slab(0, 0, 4, 3, 0)
    assert baked(floor).parts().max() == 0
    assert baked(floor + wall(2.01, -1, 4, 0, 3)).parts().max() == 1
    assert baked(floor + wall(2.01, -1, 2, 0, 3)).parts().max() == 0
    assert baked(floor + wall(2.01, -1, 4, 0, 0.3)).parts().max() == 0  # a threshold to step over
    assert baked(floor + wall(2.01, -1, 4, 2.5, 4)).parts().max() == 0  # a lintel to walk under


def test_places_are_the_squares_of_a_mesh() -> None:
    graph = baked(slab(0, 0, 4, 3, 0) + wall(2.01, -1, 2, 0, 3) + slab(0, 0, 4, 3, 3))
    mesh = graph.mesh
    assert mesh is not None and len(mesh) == len(graph)
    np.testing.assert_allclose(mesh.centers[:, :2], graph.positions[:, :2])
    np.testing.assert_allclose(mesh.areas, mesh.areas[0])
    straight = np.sort(graph.edges[graph.lengths < 1.1 * graph.lengths.min()], axis=1)
    assert set(map(tuple, np.sort(mesh.neighbors()[0], axis=1).tolist())) == set(
        map(tuple, straight.tolist())
    )
    low = [graph.cell_at(place) for place in ((1, 1, 0), (3, 1, 0), (1, 2.7, 0), (3, 1, 3))]
    seen = sees(graph, graph.positions[low], graph.positions[low], 9)
    assert seen.tolist() == [
        [True, False, True, False],
        [False, True, False, False],
        [True, False, True, False],
        [False, False, False, True],
    ]
    assert visible(graph, (1, 1, 3), 9).sum() == np.count_nonzero(graph.positions[:, 2] > 2)


def test_a_level_too_large_to_stand_on_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, "v 0 0 0\nv 8 0 0\nv 8 0 -8\nv 0 0 -8\nf 1 2 3 4\n")
    assert len(load_map(path, bake=True, cell_size=0.5, agent_radius=0.0)) == 289
    monkeypatch.setattr(baking, "_MOST_PLACES", 250)
    with pytest.raises(InvalidValue, match=r"at most 250 places.*Pass a larger cell_size"):
        load_map(path, bake=True, cell_size=0.5, agent_radius=0.0)


def test_an_agent_of_any_size_gets_an_answer(tmp_path: Path) -> None:
    path = written(tmp_path, "v 0 0 0\nv 8 0 0\nv 8 0 -8\nv 0 0 -8\nf 1 2 3 4\n")
    giant = load_map(
        path, bake=True, cell_size=0.5, agent_radius=0.0, agent_height=1e300, step_height=1e300
    )
    assert len(giant) == 289 and giant.parts().max() == 0
    for sizes in ({"agent_radius": 1e300}, {"min_area": 1e300}):
        with pytest.raises(BadMapFile, match="an agent can stand on"):
            load_map(path, bake=True, cell_size=0.5, **sizes)


def test_steps_climb_no_higher_than_allowed() -> None:
    pieces = slab(0, 0, 2, 2, 0) + slab(2, 0, 4, 2, 0.375) + slab(4, 0, 6, 2, 1.25)
    graph = baked(pieces, step_height=0.5)
    assert np.abs(np.diff(graph.positions[graph.edges][:, :, 2], axis=1)).max() <= 0.5
    assert graph.parts().max() == 1
    assert baked(pieces, step_height=1.0).parts().max() == 0


def test_an_agent_keeps_its_radius_from_walls_and_drops() -> None:
    graph = baked(slab(0, 0, 6, 6, 0), agent_radius=1.0)
    away = np.minimum(graph.positions[:, :2], 6 - graph.positions[:, :2]).min(axis=1)
    assert away.min() >= 1.0 - 0.25 - 1e-9 and away.min() <= 1.26
    assert len(baked(slab(0, 0, 6, 6, 0))) > len(graph)


def test_small_islands_and_steep_ground_are_left_out() -> None:
    pieces = slab(0, 0, 4, 4, 0) + slab(10, 10, 11, 11, 5)
    assert baked(pieces).parts().max() == 1 and baked(pieces, min_area=3).parts().max() == 0
    ramp = [[(0, 0, 0), (4, 0, 4.2), (4, 4, 4.2)]]
    with pytest.raises(BadMapFile, match="stand on"):
        baked(ramp)
    assert len(baked(ramp, max_slope=50)) > 20


def test_the_compiled_voxels_are_the_plain_ones() -> None:
    if not kernels.compiled():
        pytest.skip("no compiled kernels here")
    voxels, reference = kernels.voxels, uncompiled("voxels")

    rng = np.random.default_rng(4)
    triangles = rng.random((60, 3, 3)) * (12, 9, 30)
    flags = rng.integers(0, 2, 60)
    found = []
    for kernel in (reference, voxels):
        arrays = [np.zeros(20_000, dtype=np.int64) for _ in range(4)]
        count = kernel.rasterize(triangles, flags, 12, 9, *arrays)
        assert (
            kernel.rasterize(triangles, flags, 12, 9, *(array[:7].copy() for array in arrays))
            == count
        )
        order = np.lexsort((arrays[2][:count], arrays[1][:count], arrays[0][:count]))
        spans = [array[:count][order] for array in arrays]
        places = [np.zeros(count, dtype=np.int64) for _ in range(3)]
        number = kernel.floors(*spans, 2, 5, *places)
        places = [array[:number] for array in places]
        around = np.zeros((number, 4), dtype=np.int64)
        kernel.beside(
            *places, np.searchsorted(places[0], np.arange(12 * 9 + 1)), 12, 9, 4, 5, around
        )
        found.append([*spans, *places, around])
    assert len(found[0][4]) > 50 and (found[0][-1] >= 0).any()
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


# Real files
# -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "count", "parts"),
    [
        ("recast/dungeon.obj", {}, 2077, 220),
        ("recast/nav_test.obj", {"step_height": 0.5}, 520, 45),
        ("three-pathfinding/level.obj", {}, 518, 47),
        ("three-pathfinding/level.nav.obj", {"max_slope": 89}, 552, 24),
        ("three-pathfinding/level.nav.glb", {"max_slope": 89}, 552, 24),
        ("navcat/crowd-simulation-stress-test.glb", {}, 8, 4),
    ],
)
def test_real_levels_load(name: str, options: dict[str, Any], count: int, parts: int) -> None:
    if name.endswith("glb"):
        pytest.importorskip("trimesh")
    graph = load_map(realdata.folder("navmesh") / name, **options)
    assert isinstance(graph, Graph) and len(graph) == count and graph.parts().max() + 1 == parts
    large = graph.areas > 0.01 * graph.areas.max()
    np.testing.assert_array_equal(
        np.asarray(graph.cell_at(graph.positions[large])), np.flatnonzero(large)
    )


@pytest.mark.parametrize(
    ("faces", "says"),
    [(["1 2 7"], "columns of"), (["1 2 3"] * 3000, "in all"), (["1 3 2", "1 4 3"], "places")],
    ids=["a far corner", "many large triangles", "a large floor"],
)
def test_baking_is_bounded_before_it_begins(tmp_path: Path, faces: list[str], says: str) -> None:
    corners = [
        (0, 0, 0),
        (500, 0, 0),
        (500, 0, 500),
        (0, 0, 500),
        (1, 0, 0),
        (0, 0, 1),
        (1e5, 0, 1e5),
    ]
    used = corners if "7" in faces[0] else corners[:4]
    path = tmp_path / "level.obj"
    path.write_text(
        "\n".join([*(f"v {x} {y} {z}" for x, y, z in used), *(f"f {face}" for face in faces)])
    )
    tracemalloc.start()
    with refusals.refused(InvalidValue, says):
        load_map(path, bake=True, cell_size=0.3)
    assert tracemalloc.get_traced_memory()[1] < 400e6
    tracemalloc.stop()


def test_a_real_dungeon_baked() -> None:
    graph = load_geometry(
        realdata.folder("navmesh") / "recast" / "dungeon.obj", bake=True, step_height=0.9
    )
    parts = graph.parts()
    assert np.mean(parts == 0) > 0.8
    rise = np.abs(np.diff(graph.positions[graph.edges][:, :, 2], axis=1))
    assert rise.max() <= 2 * 0.9  # a diagonal step is two of them
    # Floors above each other, told apart by height.
    plan = np.round(graph.positions[:, :2], 6)
    _, inverse, counts = np.unique(plan, axis=0, return_inverse=True, return_counts=True)
    stacked = np.flatnonzero(counts[inverse.reshape(-1)] > 1)
    assert len(stacked) > 300
    np.testing.assert_array_equal(graph.cell_at(graph.positions[stacked] + (0, 0, 0.1)), stacked)
