"""Levels and navigation meshes as glTF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.base.errors import BadMapFile
from fieldcraft.formats.maps import load_map
from support import realdata
from support.map_files import GLTF, OBJ, changed, glb, gltf, with_its_buffer, written

pytest.importorskip("trimesh", reason="glTF files need trimesh")

SQUARE = [(0, 0, 0), (4, 0, 0), (4, 0, -4), (0, 0, -4)]
HALVES = [(0, 1, 2), (0, 2, 3)]


def places(graph: fc.Graph) -> list[list[float]]:
    return sorted(graph.positions.round(5).tolist())


def test_the_ground_is_that_of_the_same_triangles_as_obj(tmp_path: Path) -> None:
    header, buffer = GLTF
    wanted = load_map(written(tmp_path, "a.obj", OBJ), max_slope=60)
    beside = header | {"buffers": [{"byteLength": len(buffer), "uri": "my%20level.bin"}]}
    (tmp_path / "my level.bin").write_bytes(buffer)
    for name, content in (
        ("a.glb", glb(header, buffer)),
        ("b.gltf", with_its_buffer(header, buffer)),
        ("c.gltf", beside),
    ):
        graph = load_map(written(tmp_path, name, content), max_slope=60)
        assert isinstance(graph, fc.Graph) and graph.y_up and graph.mesh is not None
        assert places(graph) == places(wanted) and len(graph.edges) == len(wanted.edges)


def test_nodes_put_meshes_into_place(tmp_path: Path) -> None:
    nodes: list[dict[str, Any]] = [
        {"children": [1, 2], "translation": [10, 0, 0]},
        {"mesh": 0},
        {"mesh": 0, "translation": [4, 0, 0], "scale": [1, 1, 1]},
        {"mesh": 0, "translation": [-4, 0, 0], "scale": [-1, 1, 1]},
    ]
    graph = load_map(written(tmp_path, "a.glb", glb(*gltf(SQUARE, HALVES, nodes))))
    assert len(graph) == 6 and graph.extent.tolist() == [[-8, 0, 0], [18, 4, 0]]
    assert len(graph.edges) == 4 and graph.parts().max() == 1  # two squares touch, a third does not


def test_z_up_and_slopes(tmp_path: Path) -> None:
    flat = [(x, -z, y) for x, y, z in SQUARE]
    path = written(tmp_path, "a.glb", glb(*gltf(flat, HALVES)))
    assert len(load_map(path, up="z")) == 2
    with pytest.raises(BadMapFile, match=r'walkable ground.*up="z"'):
        load_map(path)
    with pytest.raises(fc.errors.InvalidValue, match="max_slope"):
        load_map(path, max_slope=90)


@pytest.mark.parametrize(
    ("way", "value", "match"),
    [
        ("asset.version", "1.0", "version '1.0'"),
        ("accessors.0.count", 10**12, "at most 4,194,304 corners"),
        ("accessors.0.count", 10**4, "glTF file is complete"),
        ("accessors.0.bufferView", 7, "glTF file is complete"),
        ("accessors.1.count", -3, "-3 where a number"),
        ("nodes", [{"mesh": 0, "children": [1]}, {"children": [0]}], "below itself"),
        ("nodes", [{"children": [2]}, {"children": [2]}, {"mesh": 0}], "child of two"),
        ("nodes", [{"mesh": 5}], "glTF file is complete"),
        ("nodes", [{"mesh": 0}] * 20_000, "at most 16,384 nodes"),
        ("meshes", [], "glTF file is complete"),
        ("extensionsRequired", ["KHR_draco_mesh_compression"], "not compressed"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, way: str, value: Any, match: str) -> None:
    header, buffer = GLTF
    for name, content in (
        ("a.glb", glb(changed(header, way, value), buffer)),
        ("a.gltf", changed(with_its_buffer(header, buffer), way, value)),
    ):
        with pytest.raises(BadMapFile, match=match):
            load_map(written(tmp_path, name, content))


def test_triangles_have_corners_of_their_mesh(tmp_path: Path) -> None:
    with pytest.raises(BadMapFile, match="corner 4 of 4"):
        load_map(written(tmp_path, "a.glb", glb(*gltf(SQUARE, [(0, 1, 2), (0, 2, 4)]))))


def test_copies_of_a_large_mesh_are_counted(tmp_path: Path) -> None:
    many = [(float(k), 0.0, 0.0) for k in range(1000)]
    nodes = [{"mesh": 0}] * 5000
    with pytest.raises(BadMapFile, match="with those of its copies"):
        load_map(written(tmp_path, "a.glb", glb(*gltf(many, HALVES, nodes))))


def test_files_that_are_cut_off_or_lead_away_are_refused(tmp_path: Path) -> None:
    whole = glb(*GLTF)
    for size in (3, 11, 19, 100, len(whole) // 2, len(whole) - 8):
        with pytest.raises(BadMapFile):
            load_map(written(tmp_path, "a.glb", whole[:size]))
    header, buffer = GLTF
    for uri in ("/etc/hostname", "C:\\level.bin", "missing.bin"):
        content = json.dumps(header | {"buffers": [{"byteLength": len(buffer), "uri": uri}]})
        with pytest.raises(BadMapFile):
            load_map(written(tmp_path, "a.gltf", content))


def test_a_navigation_mesh_of_three_pathfinding_is_its_obj() -> None:
    folder = realdata.folder("navmesh") / "three-pathfinding"
    mesh = load_map(folder / "level.nav.glb", max_slope=89.9)
    same = load_map(folder / "level.nav.obj", max_slope=89.9)
    assert isinstance(mesh, fc.Graph) and len(mesh) == 552 and len(mesh.edges) == len(same.edges)
    np.testing.assert_allclose(mesh.positions, same.positions, atol=1e-5)
    large = np.argmax(np.bincount(mesh.parts()[mesh.parts() >= 0]))
    ends = np.flatnonzero(mesh.parts() == large)[[0, -1]]
    assert fc.shortest_path(mesh, mesh.positions[ends[0]], mesh.positions[ends[1]])


def test_a_level_of_navcat_has_its_blocks_where_nodes_put_them() -> None:
    folder = realdata.folder("navmesh") / "navcat"
    level = load_map(folder / "crowd-simulation-stress-test.glb")
    assert isinstance(level, fc.Graph)
    np.testing.assert_allclose(level.extent, [[-15, -20, 0], [15, 20, 4]], atol=1e-5)
    assert sorted({round(z, 3) for z in level.positions[:, 2].tolist()})[0] == 0
