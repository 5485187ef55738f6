"""Small map files of each format, as their bytes or the content of their JSON."""

from __future__ import annotations

import base64
import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

TILESET: dict[str, Any] = {
    "firstgid": 5,
    "name": "stones",
    "tilewidth": 10,
    "tileheight": 10,
    "tilecount": 9,
    "columns": 3,
    "tiles": [
        {"id": 0, "properties": [{"name": "Collides", "type": "bool", "value": True}]},
        {"id": 1, "properties": [{"name": "collides", "type": "bool", "value": False}]},
        {
            "id": 2,
            "properties": [
                {"name": "solid", "type": "string", "value": "true"},
                {"name": "tint", "type": "color", "value": ""},
            ],
        },
        {"id": 3, "properties": [{"name": "wall", "type": "int", "value": 1}]},
        {"id": 4, "properties": [{"name": "lava", "type": "bool", "value": True}]},
        {"id": 40, "properties": [{"name": "wall", "type": "bool", "value": True}]},
    ],
}
LIFT = {
    "Target": [0, 0, 64],
    "Type": 6,
    "Traversal": [[0, 0, 0], [3, 0, 0], [3, 0, 64]],
    "Edict": {"EntityId": 3},
}
QUAKE: dict[str, Any] = {
    "Version": 2,
    "Map": {"Name": "a room"},
    "Nodes": [
        {
            "Origin": [0, 0, 0],
            "Flags": 0,
            "Radius": 16,
            "Links": [{"Target": [30, 40, 0], "Type": 0}, LIFT],
        },
        {
            "Origin": [30, 40, 0],
            "Flags": 0,
            "Radius": 16,
            "Links": [{"Target": [0, 0, 0], "Type": 0}],
        },
        {
            "Origin": [0, 0, 64],
            "Flags": 0,
            "Radius": 16,
            "Links": [{"Target": [0, 0, 0], "Type": 3}],
        },
    ],
}


def corner(x: float, y: float, z: float = 0) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


COUNTERSTRIKE: dict[str, Any] = {
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
RECAST_POLYGONS: dict[str, Any] = {
    "vertices": [[0, 0, 0], [4, 0, 0], [4, 0, 4], [0, 0, 4], [8, 1, 0], [8, 1, 4]],
    "polygons": [0, 1, 2, 3, 65535, 65535, 1, 4, 5, 2, 65535, 65535],
    "polygon_neighbors": [],
    "max_vertices_per_polygon": 6,
    "aabb": {"min": [10, 20, 30], "max": [40, 50, 60]},
    "cell_size": 0.5,
    "cell_height": 0.25,
}
RECAST_DETAIL: dict[str, Any] = {
    "meshes": [
        {"base_vertex_index": 0, "vertex_count": 4, "base_triangle_index": 0, "triangle_count": 2},
        {"base_vertex_index": 4, "vertex_count": 3, "base_triangle_index": 2, "triangle_count": 1},
    ],
    "vertices": [[0, 0, 0], [2, 0, 0], [2, 0, 2], [0, 0, 2], [2, 0, 0], [4, 0, 0], [2, 0, 2]],
    "triangles": [[0, 1, 2], [0, 2, 3], [0, 1, 2]],
}
# Two squares side by side, and a triangle below the second.
POLYANYA = """mesh
2
7 3
0 0 1 0
2 0 2 0 1
4 0 1 1
0 2 1 0
2 2 3 0 1 2
4 2 2 1 2
3 5 1 2
4 0 1 4 3 -1 -1 1 -1
4 1 2 5 4 0 -1 -1 2
3 4 5 6 -1 1 -1
"""
WAYPOINTS: dict[str, Any] = {
    "vertices": [[0, 0], [3, 4], [6, 0]],
    "edges": [[0, 1], [1, 2, 7.5]],
    "directed": True,
    "blocked": [2],
    "names": ["hall", "cellar", "tower"],
    "y_up": True,
}
# y up: a floor of two triangles, a ramp of one, a wall, a ceiling.
OBJ = """# a room
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


def ldtk_level(name: str, cells: list[int]) -> dict[str, Any]:
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
            {"__identifier": "People", "__type": "Entities", "entityInstances": [guard]},
            {
                "__identifier": "Walls",
                "__type": "IntGrid",
                "__cWid": 3,
                "__cHei": 2,
                "__gridSize": 16,
                "intGridCsv": cells,
            },
        ],
    }


LDTK: dict[str, Any] = {
    "levels": [ldtk_level("One", [0, 1, 0, 2, 0, 0]), ldtk_level("Two", [1, 1, 1, 1, 1, 0])]
}
MOVINGAI = b"type octile\r\nheight 3\r\nwidth 5\r\nmap\r\n..@TT\r\nGSWWO\r\n@@...\r\n"


def picture(kind: str) -> bytes:
    """The bytes of a picture of 5 x 4 pixels."""
    stream = io.BytesIO()
    Image.fromarray(np.arange(60, dtype=np.uint8).reshape(4, 5, 3) * 4).save(stream, kind)
    return stream.getvalue()


def archive(**arrays: Any) -> bytes:
    """The bytes of an .npz archive."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


STARCRAFT = archive(
    pathing=np.array([[0, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0, 1, 1, 1, 0]], dtype=np.uint8),
    unit_xy=np.zeros((2, 2), np.float32),
    unit_resource=np.ones(2, np.uint8),
)
JSON: dict[str, dict[str, Any]] = {
    "quake.navjson": QUAKE,
    "counterstrike.json": COUNTERSTRIKE,
    "polygons.json": RECAST_POLYGONS,
    "detail.json": RECAST_DETAIL,
    "waypoints.json": WAYPOINTS,
    "project.ldtk": LDTK,
}


def gltf(
    corners: Any, triangles: Any, nodes: list[dict[str, Any]] | None = None
) -> tuple[dict[str, Any], bytes]:
    """The JSON of a glTF file with one mesh, and its buffer."""
    places = np.asarray(corners, dtype="<f4")
    numbers = np.asarray(triangles, dtype="<u4")
    buffer = places.tobytes() + numbers.tobytes()
    nodes = nodes or [{"mesh": 0}]
    below = {child for node in nodes for child in node.get("children", ())}
    header = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [k for k in range(len(nodes)) if k not in below]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(places),
                "type": "VEC3",
                "min": places.min(axis=0).tolist(),
                "max": places.max(axis=0).tolist(),
            },
            {"bufferView": 1, "componentType": 5125, "count": numbers.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": places.nbytes},
            {"buffer": 0, "byteOffset": places.nbytes, "byteLength": numbers.nbytes},
        ],
        "buffers": [{"byteLength": len(buffer)}],
    }
    return header, buffer


def glb(header: dict[str, Any], buffer: bytes) -> bytes:
    """The bytes of a binary glTF file."""
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 4)
    buffer += b"\0" * (-len(buffer) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(buffer), b"BIN\0") + buffer
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def with_its_buffer(header: dict[str, Any], buffer: bytes) -> dict[str, Any]:
    """The JSON of a glTF file that holds its buffer."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    return header | {"buffers": [{"byteLength": len(buffer), "uri": uri}]}


OBJ_CORNERS = [line.split()[1:] for line in OBJ.splitlines() if line.startswith("v ")]
OBJ_TRIANGLES = [(0, 1, 2), (0, 2, 3), (1, 4, 2), (0, 1, 5), (5, 7, 6)]
GLTF = gltf(np.array(OBJ_CORNERS, dtype=float), OBJ_TRIANGLES)
"""The triangles of `OBJ`."""


FILES: dict[str, bytes] = {
    **{name: json.dumps(content).encode() for name, content in JSON.items()},
    "small.mesh": POLYANYA.encode(),
    "small.obj": OBJ.encode(),
    "small.glb": glb(*GLTF),
    "small.gltf": json.dumps(with_its_buffer(*GLTF)).encode(),
    "small.map": MOVINGAI,
    "small.npz": STARCRAFT,
    **{f"small.{suffix}": picture(suffix) for suffix in ("png", "bmp", "gif", "webp")},
    "small.jpg": picture("JPEG"),
}


def written(folder: Path, name: str, content: Any) -> Path:
    """The path of a file with some bytes, a text, or JSON in it."""
    path = folder / name
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(
        content if isinstance(content, bytes) else json.dumps(content).encode("utf-8", "replace")
    )
    return path


def changed(content: Any, way: str, value: Any) -> Any:
    """A copy of the content of a JSON file with one entry replaced, by a path such as
    "Nodes.0.Origin".
    """
    copy = json.loads(json.dumps(content))
    *steps, last = way.split(".")
    place = copy
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value
    return copy
