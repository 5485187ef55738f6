"""Levels and navigation meshes of Blender, Godot and three.js: glTF 2.0 files, read by trimesh."""

from __future__ import annotations

import io
import logging
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import BadMapFile, needs
from fieldcraft.base.words import Mobility
from fieldcraft.formats.maps.reading import (
    file_beside,
    json_object,
    map_file,
    parsing,
    read_bytes,
)
from fieldcraft.formats.maps.triangles import Slopes, ground_of
from fieldcraft.space import Graph

__all__ = ["load_gltf"]

_log = logging.getLogger(__name__)
_KIND = "glTF file"
_MAX_BYTES = 2**27
_MAX_PARTS = 2**22
_MAX_NODES = 2**14
_FARTHEST = 1e9
_COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")
_MAGIC = b"glTF"
_JSON = b"JSON"


def load_gltf(
    path: str | os.PathLike[str],
    *,
    mobility: Mobility = "ground",
    up: str = "y",
    max_slope: float = 45.0,
    max_height: float | None = None,
) -> Graph:
    """Return the walkable ground of a glTF 2.0 file, `.glb` or `.gltf`: a vertex in the middle of
    each triangle.

    All meshes of the file's scene count, where its nodes put them; materials, skins and animations
    do not. Triangles, joined sides, units and options are those of `load_obj`. Buffers of a
    `.gltf` are in the file itself, or in files beside it.

    Parameters
    ----------
    path : path_like
        The file, of at most 128 MB with its buffers.
    mobility : {"ground"}
        There is no other.
    up : {"y", "z"}
        The axis that is up in the file. glTF says y; with y up it is turned: (x, -z, y).
    max_slope : float, optional
        Degrees, below 90: 89.9 for all of a navigation mesh.
    max_height : float, optional
        As for `Graph`.

    Raises
    ------
    InvalidValue
        For wrong options.
    BadMapFile
        For a damaged file, one whose geometry is compressed (Draco, meshopt), and where nothing is
        walkable.
    MissingLibrary
        Without trimesh.

    References
    ----------
    https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
    """
    file = map_file(path, mobility, ("ground",), max_height)
    slopes = Slopes(up, max_slope)
    with needs("trimesh", "maps", "Loading a glTF file"):
        import trimesh
    raw = read_bytes(file, _MAX_BYTES, "Cut it into several")
    with parsing(file.name, _KIND):
        header = _header(raw, file.name)
        _check(header, file.name)
        beside = _files_beside(header, file)
        scene = trimesh.load_scene(
            io.BytesIO(raw),
            file_type="glb" if raw[:4] == _MAGIC else "gltf",
            resolver=beside,
            skip_materials=True,
            process=False,
        )
        corners, triangles = _placed(scene)
    return ground_of(file.name, corners, triangles, slopes, max_height, _log)


def _header(raw: bytes, name: str) -> dict[str, Any]:
    """Return the JSON of a file, of a binary one that of its first chunk."""
    if raw[:4] != _MAGIC:
        return json_object(raw, name, _KIND)
    version, length, size = struct.unpack_from("<III", raw, 4)
    if version != 2:
        raise ValueError(f"glTF of version {version} in place of 2")
    if length > len(raw) or raw[16:20] != _JSON or 20 + size > len(raw):
        raise ValueError(f"{len(raw):,} bytes of {length:,}, the first {size:,} of JSON")
    return json_object(raw[20 : 20 + size], name, _KIND)


def _check(header: Mapping[str, Any], name: str) -> None:
    """Refuse what trimesh can't read, and more parts than a level has, before it allocates any."""
    version = str(header["asset"]["version"])
    if not version.startswith("2."):
        raise ValueError(f"glTF of version {version!r:.20} in place of 2.0")
    named = {*header.get("extensionsRequired", ()), *header.get("extensionsUsed", ())}
    compressed = [each for each in _COMPRESSED if each in named]
    if compressed:
        raise BadMapFile(
            "The geometry of a glTF file is not compressed",
            got=f"{compressed[0]} in {name}",
            remedy="Export it without compression, or decompress it: gltf-transform copy IN OUT",
        )
    accessors = header.get("accessors", [])
    counts = [_entry(each["count"]) for each in accessors]
    meshes = [sum(_size(each, counts) for each in mesh["primitives"]) for mesh in header["meshes"]]
    nodes = header.get("nodes", [])
    used = [meshes[_entry(node["mesh"])] for node in nodes if "mesh" in node]
    if len(nodes) > _MAX_NODES:
        raise BadMapFile(
            f"A level has at most {_MAX_NODES:,} nodes",
            got=f"{len(nodes):,} in {name}",
            remedy="Join meshes before you export it",
        )
    if max(sum(used), sum(counts)) > _MAX_PARTS:
        raise BadMapFile(
            f"A level has at most {_MAX_PARTS:,} corners, with those of its copies",
            got=f"{max(sum(used), sum(counts)):,} in {name}",
            remedy="Cut it into several, or simplify it",
        )
    _check_tree(nodes)


def _check_tree(nodes: list[Any]) -> None:
    """Refuse nodes that are not a forest: a child has one parent and is not above it."""
    children = [[_entry(child) for child in node.get("children", ())] for node in nodes]
    below = [child for some in children for child in some]
    if len(set(below)) < len(below) or max(below, default=-1) >= len(nodes):
        raise ValueError("a node that is the child of two, or of none in the file")
    waiting = sorted(set(range(len(nodes))) - set(below))
    reached = 0
    while waiting:
        number = waiting.pop()
        waiting += children[number]
        reached += 1
    if reached < len(nodes):
        raise ValueError("a node below itself")


def _size(primitive: Mapping[str, Any], counts: list[int]) -> int:
    """Return how many corners a part of a mesh has, each time that it is used."""
    used = [primitive["attributes"]["POSITION"]]
    if "indices" in primitive:
        used.append(primitive["indices"])
    return sum(counts[_entry(each)] for each in used)


def _entry(value: object) -> int:
    """Return the number of an entry."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r:.40} where a number of an entry goes")
    return value


def _files_beside(header: Mapping[str, Any], file: Path) -> dict[str, bytes]:
    """Return the buffers that are files beside this one, by the names that it has for them."""
    found: dict[str, bytes] = {}
    left = _MAX_BYTES
    for buffer in header.get("buffers", ()):
        uri = buffer.get("uri")
        if uri is None or str(uri).startswith("data:"):
            continue
        path = file_beside(file, unquote(str(uri)))
        data = read_bytes(path, left, "Cut the level into several")
        left -= len(data)
        found[str(uri)] = data
    return found


def _placed(scene: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the corners (C, 3) and triangles (T, 3) of all meshes where nodes put them."""
    corners = [np.empty((0, 3))]
    triangles = [np.empty((0, 3), dtype=np.int64)]
    count = 0
    for node in sorted(scene.graph.nodes_geometry):
        transform, name = scene.graph[node]
        geometry = scene.geometry[name]
        faces = np.asarray(getattr(geometry, "faces", triangles[0]), dtype=np.int64)
        if not len(faces):
            continue
        places = np.asarray(geometry.vertices, dtype=np.float64)
        if faces.min() < 0 or faces.max() >= len(places):
            raise ValueError(f"a triangle with corner {faces.max()} of {len(places)}")
        turn = np.asarray(transform, dtype=np.float64)
        if np.linalg.det(turn[:3, :3]) < 0:
            faces = faces[:, ::-1]  # a mirror turns the order of corners
        corners.append(places @ turn[:3, :3].T + turn[:3, 3])
        triangles.append(faces + count)
        count += len(places)
    joined = np.concatenate(corners)
    if count == 0 or not (np.abs(joined) <= _FARTHEST).all():
        raise ValueError(f"no triangles, or corners beyond {_FARTHEST:g}")
    return joined, np.concatenate(triangles)
