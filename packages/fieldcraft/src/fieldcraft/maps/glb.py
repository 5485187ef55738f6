"""The frame of a GLB file: looked over, and stripped of all but shapes, before a decoder sees
it.
"""

from __future__ import annotations

import json
import struct
from typing import Any, NoReturn

from fieldcraft.errors import BadMapFile
from fieldcraft.maps.json_document import outline

__all__ = ["stripped"]

_FRAME = struct.Struct("<4sII")
_CHUNK = struct.Struct("<II")
_JSON, _BINARY = 0x4E4F534A, 0x004E4942
_MAX_PARTS = 2**18
_MAX_DEPTH = 16
_MAX_NUMBERS = 2**24
_KEPT = ("asset", "scene", "scenes", "nodes", "meshes", "accessors", "bufferViews", "buffers")
_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_COUNTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def stripped(raw: bytes, name: str) -> bytes:
    """The same GLB without materials, pictures and animations, once its lengths and references have
    been found to hold.

    Raises `BadMapFile` where they don't, where shapes are compressed, and where it asks for other
    files.
    """
    content, binary = _chunks(raw, name)
    gltf = {key: content[key] for key in _KEPT if key in content}
    for key in _KEPT[2:]:
        if not isinstance(gltf.get(key, []), list) or not all(
            isinstance(each, dict) for each in gltf.get(key, [])
        ):
            _refuse(f"{key!r} of a GLB is a list of objects", f"{gltf[key]!r}"[:60], name)
    required = content.get("extensionsRequired", [])
    if required:
        _refuse("The shapes of a GLB are plain numbers", f"extensions {required!r}"[:80], name)
    _check_buffers(gltf, len(binary), name)
    _check_accessors(gltf, len(binary), name)
    _check_nodes(gltf, name)
    for mesh in gltf.get("meshes", []):
        mesh["primitives"] = [
            _primitive(gltf, primitive, name) for primitive in _list(mesh, "primitives", name)
        ]
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    body = binary + bytes(-len(binary) % 4)
    size = _FRAME.size + 2 * _CHUNK.size + len(text) + len(body)
    return b"".join(
        [
            _FRAME.pack(b"glTF", 2, size),
            _CHUNK.pack(len(text), _JSON),
            text,
            _CHUNK.pack(len(body), _BINARY),
            body,
        ]
    )


def _chunks(raw: bytes, name: str) -> tuple[dict[str, Any], bytes]:
    if len(raw) < _FRAME.size + _CHUNK.size:
        _refuse("A GLB has a header", f"{len(raw)} bytes", name)
    magic, version, length = _FRAME.unpack_from(raw)
    if magic != b"glTF" or version != 2 or length > len(raw):
        _refuse(
            "A GLB begins with 'glTF', version 2 and its length",
            f"{magic!r}, {version} and {length:,} of {len(raw):,} bytes",
            name,
        )
    pieces: list[tuple[int, bytes]] = []
    at = _FRAME.size
    while at + _CHUNK.size <= length and len(pieces) < 2:
        size, kind = _CHUNK.unpack_from(raw, at)
        at += _CHUNK.size
        if size > length - at:
            _refuse(
                "The chunks of a GLB lie within it",
                f"one of {size:,} bytes where {length - at:,} are left",
                name,
            )
        pieces.append((kind, raw[at : at + size]))
        at += size
    if not pieces or pieces[0][0] != _JSON or (len(pieces) > 1 and pieces[1][0] != _BINARY):
        _refuse(
            "A GLB has JSON and then its numbers",
            f"chunks of kinds {[kind for kind, _ in pieces]}",
            name,
        )
    text = pieces[0][1]
    parts, depth = outline(text)
    if parts > _MAX_PARTS or depth > _MAX_DEPTH:
        _refuse(
            f"The JSON of a GLB has at most {_MAX_PARTS:,} objects and lists, {_MAX_DEPTH} deep",
            f"{parts:,}, {depth} deep",
            name,
        )
    try:
        content = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        _refuse("A GLB has JSON in it", f"{error}"[:120], name)
    if not isinstance(content, dict):
        _refuse("The JSON of a GLB is an object", f"a {type(content).__name__}", name)
    return content, pieces[1][1] if len(pieces) > 1 else b""


def _check_buffers(gltf: dict[str, Any], size: int, name: str) -> None:
    buffers = gltf.get("buffers", [])
    if (
        len(buffers) > 1
        or any("uri" in buffer for buffer in buffers)
        or any(_whole(b, "byteLength", name) > size for b in buffers)
    ):
        _refuse("A GLB has all its numbers in its own one buffer", f"{buffers!r}"[:90], name)
    for view in gltf.get("bufferViews", []):
        start, length = _whole(view, "byteOffset", name, 0), _whole(view, "byteLength", name)
        stride = _whole(view, "byteStride", name, 4)
        if (
            _whole(view, "buffer", name, 0) >= max(len(buffers), 1)
            or start + length > size
            or not 4 <= stride <= 252
        ):
            _refuse(
                "The views of a GLB lie within its buffer",
                f"{view!r} of {size:,} bytes"[:120],
                name,
            )


def _check_accessors(gltf: dict[str, Any], size: int, name: str) -> None:
    views = gltf.get("bufferViews", [])
    for accessor in gltf.get("accessors", []):
        kind, component = accessor.get("type"), accessor.get("componentType")
        if (
            not isinstance(kind, str)
            or kind not in _COUNTS
            or not isinstance(component, int)
            or component not in _BYTES
        ):
            _refuse("An accessor of a GLB has a type", f"{kind!r} of {component!r}"[:60], name)
        if "sparse" in accessor or "bufferView" not in accessor:
            _refuse(
                "An accessor of a GLB reads a view", "a sparse one, or one without a view", name
            )
        index = _whole(accessor, "bufferView", name)
        count, offset = _whole(accessor, "count", name), _whole(accessor, "byteOffset", name, 0)
        if index >= len(views):
            _refuse(
                "An accessor of a GLB reads a view that exists", f"{index} of {len(views)}", name
            )
        each = _BYTES[component] * _COUNTS[kind]
        stride = _whole(views[index], "byteStride", name, each)
        if count > _MAX_NUMBERS or (
            count
            and offset + (count - 1) * stride + each > _whole(views[index], "byteLength", name)
        ):
            _refuse(
                "An accessor of a GLB lies within its view",
                f"{count:,} of {each} bytes from {offset:,} on",
                name,
            )


def _check_nodes(gltf: dict[str, Any], name: str) -> None:
    """See that nodes form trees: else one shape could be there a billion times, or round and
    round.
    """
    nodes, meshes = gltf.get("nodes", []), gltf.get("meshes", [])
    parents = [0] * len(nodes)
    for number, node in enumerate(nodes):
        gltf["nodes"][number] = {
            key: value
            for key, value in node.items()
            if key not in ("camera", "skin", "extensions", "extras", "weights")
        }
        if "mesh" in node and _whole(node, "mesh", name) >= len(meshes):
            _refuse("A node of a GLB shows a mesh that exists", f"{node['mesh']!r}", name)
        for child in _list(node, "children", name, []):
            if (
                not isinstance(child, int)
                or isinstance(child, bool)
                or not 0 <= child < len(nodes)
                or parents[child]
            ):
                _refuse(
                    "A node of a GLB has children of its own",
                    f"{child!r} under node {number}"[:60],
                    name,
                )
            parents[child] = 1
        for key, count in (("matrix", 16), ("translation", 3), ("rotation", 4), ("scale", 3)):
            if key in node and (
                len(_list(node, key, name)) != count
                or not all(type(value) in (int, float) for value in node[key])
            ):
                _refuse(f"The {key} of a node is {count} numbers", f"{node[key]!r}"[:60], name)
    reached = [number for number in range(len(nodes)) if not parents[number]]
    for number in reached:
        reached += nodes[number].get("children", [])
    if len(reached) != len(nodes):
        _refuse("The nodes of a GLB form trees", "a node that is its own ancestor", name)
    for scene in gltf.get("scenes", []):
        roots = _list(scene, "nodes", name, [])
        if len(set(map(repr, roots))) != len(roots) or not all(
            type(root) is int and 0 <= root < len(nodes) for root in roots
        ):
            _refuse("A scene of a GLB has nodes that exist, each once", f"{roots!r}"[:60], name)


def _primitive(gltf: dict[str, Any], primitive: Any, name: str) -> dict[str, Any]:
    """The shape alone of a part of a mesh."""
    accessors = gltf.get("accessors", [])
    attributes = primitive.get("attributes") if isinstance(primitive, dict) else None
    if not isinstance(attributes, dict) or "POSITION" not in attributes:
        _refuse("A part of a mesh has positions", f"{primitive!r}"[:60], name)
    if primitive.get("extensions"):
        _refuse(
            "The shapes of a GLB are plain numbers",
            f"extensions {list(primitive['extensions'])!r}"[:80],
            name,
        )
    kept: dict[str, Any] = {"attributes": {"POSITION": _whole(attributes, "POSITION", name)}}
    places = [kept["attributes"]["POSITION"]]
    if "indices" in primitive:
        kept["indices"] = _whole(primitive, "indices", name)
        places.append(kept["indices"])
    if "mode" in primitive:
        kept["mode"] = _whole(primitive, "mode", name)
    if any(place >= len(accessors) for place in places):
        _refuse(
            "A part of a mesh reads accessors that exist", f"{places} of {len(accessors)}", name
        )
    if accessors[places[0]]["type"] != "VEC3" or accessors[places[0]]["componentType"] != 5126:
        _refuse("Positions are three float32 numbers", f"{accessors[places[0]]!r}"[:90], name)
    if len(places) > 1 and (
        accessors[places[1]]["type"] != "SCALAR" or accessors[places[1]]["componentType"] == 5126
    ):
        _refuse("Indices are whole numbers", f"{accessors[places[1]]!r}"[:90], name)
    return kept


def _whole(where: dict[str, Any], key: str, name: str, default: int | None = None) -> int:
    value = where.get(key, default)
    if type(value) is not int or not 0 <= value < 2**40:
        _refuse(f"{key!r} in a GLB is a whole number", f"{value!r}"[:60], name)
    return int(value)


def _list(where: Any, key: str, name: str, default: list[Any] | None = None) -> list[Any]:
    value = where.get(key, default) if isinstance(where, dict) else None
    if not isinstance(value, list):
        _refuse(f"{key!r} in a GLB is a list", f"{value!r}"[:60], name)
    return value


def _refuse(rule: str, got: str, name: str) -> NoReturn:
    raise BadMapFile(
        rule, got=f"{got} in {name}", remedy="Export it again as glTF binary, without compression"
    )
