"""Maps of the Tiled editor, written for tests."""

from __future__ import annotations

import base64
import gzip
import zlib
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from fieldcraft.space import Grid

zstandard = pytest.importorskip("zstandard")
FLIPPED = 0xF0000000


def is_open(space: Grid) -> list[str]:
    return ["".join("#" if wall else "-" for wall in row) for row in space.walls]


def tile_layer(name: str, rows: list[list[int]], **more: Any) -> dict[str, Any]:
    return {
        "type": "tilelayer",
        "name": name,
        "width": len(rows[0]),
        "height": len(rows),
        "data": [gid for row in rows for gid in row],
        **more,
    }


def object_layer(name: str, *objects: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "objectgroup", "name": name, "objects": list(objects), **more}


def tiled(*layers: dict[str, Any], width: int = 4, height: int = 3, **more: Any) -> dict[str, Any]:
    return {
        "type": "map",
        "orientation": "orthogonal",
        "width": width,
        "height": height,
        "tilewidth": 10,
        "tileheight": 10,
        "layers": list(layers),
        "tilesets": [],
        **more,
    }


def as_xml(document: dict[str, Any]) -> bytes:
    """The same map as TMX: attributes for values, elements for lists."""
    return ElementTree.tostring(_map_element(document))


def _map_element(document: dict[str, Any]) -> ElementTree.Element:
    root = ElementTree.Element("map", _attributes(document))
    for tileset in document["tilesets"]:
        element = ElementTree.SubElement(root, "tileset", _attributes(tileset))
        for tile in tileset.get("tiles", []):
            _properties(ElementTree.SubElement(element, "tile", id=str(tile["id"])), tile)
    for layer in document["layers"]:
        _layer(root, layer)
    return root


def _attributes(values: dict[str, Any]) -> dict[str, str]:
    words = {True: "1", False: "0"}
    skipped = ("type", "encoding", "compression", "data", "startx", "starty")
    return {
        key: words[value] if isinstance(value, bool) else str(value)
        for key, value in values.items()
        if not isinstance(value, (list, dict)) and key not in skipped
    }


def _properties(owner: ElementTree.Element, values: dict[str, Any]) -> None:
    if "properties" in values:
        found = ElementTree.SubElement(owner, "properties")
        for entry in values["properties"]:
            word = (
                str(entry["value"]).lower()
                if isinstance(entry["value"], bool)
                else str(entry["value"])
            )
            ElementTree.SubElement(
                found, "property", name=entry["name"], type=entry.get("type", "string"), value=word
            )


def _layer(parent: ElementTree.Element, layer: dict[str, Any]) -> None:
    tag = {
        "tilelayer": "layer",
        "objectgroup": "objectgroup",
        "group": "group",
        "imagelayer": "imagelayer",
    }[layer["type"]]
    element = ElementTree.SubElement(parent, tag, _attributes(layer))
    _properties(element, layer)
    for child in layer.get("layers", []):
        _layer(element, child)
    for item in layer.get("objects", []):
        found = ElementTree.SubElement(
            element,
            "object",
            _attributes({key: item[key] for key in item if key not in ("ellipse", "point")}),
        )
        _properties(found, item)
        for shape in ("ellipse", "point", "polygon", "polyline", "text"):
            if shape in item:
                points = (
                    {"points": " ".join(f"{at['x']},{at['y']}" for at in item[shape])}
                    if isinstance(item[shape], list)
                    else {}
                )
                ElementTree.SubElement(found, shape, points)
    if tag == "layer":
        how = {
            "encoding": layer.get("encoding", "csv"),
            "compression": layer.get("compression", ""),
        }
        data = ElementTree.SubElement(element, "data", how)
        for chunk in layer.get("chunks", []):
            ElementTree.SubElement(data, "chunk", _attributes(chunk)).text = _text(chunk["data"])
        if "data" in layer:
            data.text = _text(layer["data"])


def _text(data: Any) -> str:
    return data if isinstance(data, str) else ",".join(map(str, data))


WALLS = [[0, 3, 0, 0], [0, 3, 3, 0], [0, 0, 0, 7]]
PICTURE = ["-#--", "-##-", "---#"]


def packed(rows: list[list[int]], how: str) -> str:
    data = np.array(rows, dtype="<u4").tobytes()
    press = {"": bytes, "zlib": zlib.compress, "gzip": gzip.compress, "zstd": zstandard.compress}[
        how
    ]
    return base64.b64encode(press(data)).decode()


def chunk(x: int, y: int, rows: list[list[int]]) -> dict[str, Any]:
    return {
        "x": x,
        "y": y,
        "width": len(rows[0]),
        "height": len(rows),
        "data": [gid for row in rows for gid in row],
    }
