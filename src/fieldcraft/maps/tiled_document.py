"""A Tiled document -> the objects of pytiled-parser, with everything dangerous or needless taken out first.

pytiled-parser unpacks layers without bound, wants attributes that older versions of Tiled did not write, and opens whatever
file a document names. So each document is read here under limits, reduced to what says where walls are, given the attributes
that are missing, and only then handed over. The tiles themselves are kept apart, packed, for `tiled_data`.
"""

from __future__ import annotations

import contextlib
import copy
import json
import tempfile
from array import array
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from xml.etree import ElementTree

from fieldcraft.errors import BadMapFile, MissingLibrary
from fieldcraft.maps.reading import read_bytes
from fieldcraft.maps.tiled_data import TileChunk, TileData
from fieldcraft.maps.tiled_json import Json, read_json
from fieldcraft.maps.tiled_xml import MAX_PARTS, read_xml

__all__ = ["MAX_TILES", "TiledDocument", "read_document"]

MAX_TILES = 2**24

_MAX_ALL_TILES = 2**26
_MAX_XML_BYTES = 2**26
_MAX_JSON_BYTES = 2**24
_MAX_ALL_BYTES = 2**27
_MAX_TEMPLATE_BYTES = 2**16
_MAX_FILES = 256

_AGAIN = "Save it again in Tiled"
_SMALLER = "Save the layers compressed (Map Properties, Tile Layer Format), or cut the map into several"
_MAP = "map"

T = TypeVar("T")

# What is kept of each JSON object, and what stands in for what older versions of Tiled left out.
_JSON_MAP: Json = {
    "version": "1",
    "orientation": "orthogonal",
    "renderorder": "right-down",
    "width": None,
    "height": None,
    "tilewidth": None,
    "tileheight": None,
    "infinite": False,
    "nextobjectid": 1,
}
_JSON_TILESET: Json = {
    "firstgid": None,
    "name": "",
    "tilecount": 0,
    "tilewidth": 1,
    "tileheight": 1,
    "columns": 1,
    "spacing": 0,
    "margin": 0,
}
_JSON_LAYER: Json = {
    "type": None,
    "name": "",
    "opacity": 1,
    "visible": True,
    "offsetx": 0,
    "offsety": 0,
    "width": None,
    "height": None,
    "draworder": "topdown",
}
_JSON_OBJECT: Json = {
    "id": 0,
    "x": 0,
    "y": 0,
    "width": 0,
    "height": 0,
    "rotation": 0,
    "visible": True,
    "name": "",
    "type": None,
    "class": None,
    "gid": None,
    "ellipse": None,
    "point": None,
    "polygon": None,
    "polyline": None,
}


@dataclass(frozen=True)
class TiledDocument:
    """pytiled-parser's `TiledMap`, whose layers hold objects but no tiles, and the tiles by layer id."""

    map: Any
    tiles: Mapping[int, TileData]


def read_document(path: Path, properties: Collection[str]) -> TiledDocument:
    """Read a `.tmx`, `.tmj` or `.json` map and the tilesets and templates that it names.

    Of all custom properties only those named in `properties` (in lower case) are kept. Raises `BadMapFile`, and `MissingLibrary`
    without pytiled-parser.
    """
    try:
        import pytiled_parser
    except ImportError:
        raise MissingLibrary("pytiled-parser", "maps", "Loading a Tiled map") from None
    reader = _Reader(path, frozenset(properties))
    reader.read_map()
    with tempfile.TemporaryDirectory(prefix="fieldcraft-") as folder:
        for name, content in reader.reduced.items():
            Path(folder, name).write_bytes(content)
        try:
            parsed = pytiled_parser.parse_map(Path(folder, _MAP))
        except Exception as error:  # the parser takes documents at their word and trips in many ways over one that lies
            raise BadMapFile("A Tiled map is complete", got=f"{path.name}: {type(error).__name__}: {error}"[:500], remedy=_AGAIN) from None
    return TiledDocument(parsed, reader.tiles)


class _Reader:
    """Reads one map and what it names; `reduced` holds what remains of each document, by file name."""

    def __init__(self, path: Path, properties: frozenset[str]) -> None:
        self.reduced: dict[str, bytes] = {}
        self.tiles: dict[int, TileData] = {}
        self._path = path
        self._properties = properties
        self._tilesets: dict[Path, str] = {}
        self._templates: dict[Path, tuple[ElementTree.Element | Json, int]] = {}
        self._payloads: list[bytearray] = []
        self._bytes = 0
        self._parts = 0
        self._tile_count = 0

    def read_map(self) -> None:
        root = self._parse(self._path, _MAX_XML_BYTES)
        if isinstance(root, dict):
            if root.get("type", "map") != "map" or "layers" not in root:
                came = repr(root["type"])[:40] if "type" in root else "no type and no layers"
                raise self._bad(
                    'A map that Tiled saved as JSON has the type "map" and layers', came, "Pass the map, not a tileset or another document"
                )
            self.reduced[_MAP] = _dump(self._json_map(root))
        else:
            if root.tag != "map":
                raise self._bad("A Tiled map begins with <map>", f"<{root.tag}>", "Pass the map, not its tileset or template")
            infinite = root.get("infinite") == "1"
            self._xml(root, infinite)
            self.reduced[_MAP] = ElementTree.tostring(root, encoding="utf-8")

    def _parse(self, path: Path, limit: int) -> ElementTree.Element | Json:
        raw = read_bytes(path, limit, _SMALLER)
        self._bytes += len(raw)
        if self._bytes > _MAX_ALL_BYTES:
            raise self._bad(f"A map with its tilesets and templates has at most {_MAX_ALL_BYTES:,} bytes", "more", _SMALLER)
        start = raw[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
        if start[:1] == b"<":
            root, parts = read_xml(raw, path.name, self._properties, self._payloads, MAX_PARTS - self._parts)
            self._use(parts)
            return root
        if len(raw) > _MAX_JSON_BYTES:
            raise self._bad(f"A Tiled map in JSON has at most {_MAX_JSON_BYTES:,} bytes", f"{len(raw):,} in {path.name}", _SMALLER)
        document, parts = read_json(raw, path.name, MAX_PARTS - self._parts)
        self._use(parts)
        return document

    def _use(self, parts: int) -> None:
        self._parts += parts
        if self._parts > MAX_PARTS:
            raise self._bad(
                f"A Tiled map with its tilesets and the copies of its templates has at most {MAX_PARTS:,} elements and points",
                "more",
                "Cut the map into several",
            )

    def _named(self, source: object, what: str) -> Path:
        """The file beside the map that `source` names."""
        if not isinstance(source, str) or not source or "\\" in source or PurePosixPath(source).is_absolute() or ":" in source:
            raise self._bad(
                f"The {what} of a map is named by a path relative to the map",
                f"{str(source)[:200]!r}",
                "Move it beside the map and save again in Tiled",
            )
        path = self._path.parent / source
        if path not in self._tilesets and path not in self._templates and len(self._tilesets) + len(self._templates) >= _MAX_FILES:
            raise self._bad(f"A map names at most {_MAX_FILES} tilesets and templates", "more", _SMALLER)
        return path

    def _bad(self, rule: str, got: str, remedy: str) -> BadMapFile:
        return BadMapFile(rule, got=f"{got} in {self._path.name}" if self._path.name not in got else got, remedy=remedy)

    def _external_tileset(self, source: object) -> str:
        """Read, reduce and keep an external tileset; the name under which `reduced` has it."""
        path = self._named(source, "tileset")
        if path not in self._tilesets:
            name = f"tileset{len(self._tilesets)}"
            self._tilesets[path] = name
            root = self._parse(path, _MAX_XML_BYTES)
            if isinstance(root, dict):
                self.reduced[name] = _dump(self._json_tileset(root))
            elif root.tag == "tileset":
                root.attrib.pop("source", None)
                self.reduced[name] = ElementTree.tostring(root, encoding="utf-8")
            else:
                raise self._bad("A tileset begins with <tileset>", f"<{root.tag}> in {path.name}", _AGAIN)
        return self._tilesets[path]

    def _template(self, source: object, kind: type[T]) -> T:
        """The object of a template, of the same format as the map."""
        path = self._named(source, "template")
        if path not in self._templates:
            root = self._parse(path, _MAX_TEMPLATE_BYTES)
            model = root.get("object") if isinstance(root, dict) else root.find("object") if root.tag == "template" else None
            if not isinstance(model, (dict, ElementTree.Element)) or model.get("template"):
                raise self._bad("A template holds one object, which is not made from a template itself", f"{path.name}", _AGAIN)
            self._templates[path] = (model, _weight(model))
        model, weight = self._templates[path]
        if not isinstance(model, kind):
            raise self._bad(
                "A map and its templates are both XML or both JSON",
                f"the template {path.name} for the map {self._path.name}",
                "Save the map as the other",
            )
        self._use(weight)  # every use is a copy
        return model

    def _xml(self, element: ElementTree.Element, infinite: bool) -> None:
        """Take the tiles out of the layers of `element`, and bring in what other files say."""
        for child in element:
            if child.tag == "layer":
                child.set("id", str(self._xml_tiles(child, infinite)))
            elif child.tag == "tileset" and "source" in child.attrib:
                child.set("source", self._external_tileset(child.get("source")))
            elif child.tag == "object":
                if "template" in child.attrib:
                    self._xml_template(child)
                for name in ("id", "x", "y", "width", "height"):
                    child.attrib.setdefault(name, "0")
            elif child.tag in ("group", "objectgroup"):
                self._xml(child, infinite)

    def _xml_tiles(self, layer: ElementTree.Element, infinite: bool) -> int:
        data = layer.find("data")
        chunks: list[TileChunk] = []
        encoding, compression = "csv", ""
        if data is not None:
            layer.remove(data)
            encoding, compression = data.get("encoding", "csv"), data.get("compression", "")
            parts = data.findall("chunk")
            chunks += [self._chunk(part.attrib, layer, self._payload(part)) for part in parts]
            payload = self._payload(data)
            if not parts and (payload.strip() or not infinite):
                chunks.append(self._chunk({"x": 0, "y": 0, **layer.attrib}, layer, payload))
        return self._keep(TileData(encoding, compression, tuple(chunks)))

    def _payload(self, element: ElementTree.Element) -> bytes:
        return bytes(self._payloads[int(element.attrib["payload"])])

    def _xml_template(self, instance: ElementTree.Element) -> None:
        model = self._template(instance.attrib.pop("template"), ElementTree.Element)
        for name, value in model.attrib.items():
            instance.attrib.setdefault(name, value)
        for child in model:
            own = instance.find(child.tag)
            if own is None:
                instance.append(copy.deepcopy(child))
            elif child.tag == "properties":
                names = {item.get("name") for item in own}
                own.extend(copy.deepcopy(item) for item in child if item.get("name") not in names)

    def _json_map(self, root: Json) -> Json:
        infinite = bool(root.get("infinite", False))
        reduced = _picked(root, _JSON_MAP)
        reduced["tilesets"] = []
        for tileset in self._are(dict, root.get("tilesets", []), "tilesets"):
            if "source" in tileset:
                reduced["tilesets"].append({"firstgid": tileset.get("firstgid"), "source": self._external_tileset(tileset["source"])})
            else:
                reduced["tilesets"].append(self._json_tileset(tileset))
        reduced["layers"] = [self._json_layer(layer, infinite) for layer in self._are(dict, root["layers"], "layers")]
        return reduced

    def _json_tileset(self, tileset: Json) -> Json:
        reduced = _picked(tileset, _JSON_TILESET)
        found: dict[int, list[Json]] = {}
        tiles = tileset.get("tiles", [])
        if isinstance(tiles, dict):  # as Tiled 1.1 and older wrote them
            tiles = [{**self._is(dict, tile, "tile"), "id": number} for number, tile in tiles.items()]
        for tile in self._are(dict, tiles, "tiles"):
            found.setdefault(self._whole(tile.get("id"), "id of a tile"), []).extend(self._json_properties(tile))
        for number, properties in self._is(dict, tileset.get("tileproperties", {}), "tileproperties").items():
            found.setdefault(self._whole(number, "id of a tile"), []).extend(self._json_properties({"properties": properties}))
        reduced["tiles"] = [{"id": number, "properties": properties} for number, properties in found.items() if properties]
        return reduced

    def _json_layer(self, layer: Json, infinite: bool) -> Json:
        reduced = _picked(layer, _JSON_LAYER)
        kind = reduced.get("type")
        if kind == "tilelayer":
            reduced["id"] = self._json_tiles(layer, infinite)
        elif kind == "group":
            reduced["layers"] = [self._json_layer(child, infinite) for child in self._are(dict, layer.get("layers", []), "layers")]
        elif kind == "objectgroup":
            reduced["objects"] = [self._json_object(item) for item in self._are(dict, layer.get("objects", []), "objects")]
        elif kind == "imagelayer":
            reduced["image"] = ""
        reduced["properties"] = self._json_properties(layer)
        return reduced

    def _json_tiles(self, layer: Json, infinite: bool) -> int:
        encoding, compression = layer.get("encoding", "csv"), layer.get("compression") or ""
        if not isinstance(encoding, str) or not isinstance(compression, str):
            raise self._bad("The encoding and compression of a layer are words", f"{encoding!r} and {compression!r}"[:100], _AGAIN)
        if "chunks" in layer:
            parts = self._are(dict, layer["chunks"], "chunks")
            chunks = tuple(self._chunk(part, layer, part.get("data")) for part in parts)
        elif "data" in layer or not infinite:
            chunks = (self._chunk({**layer, "x": 0, "y": 0}, layer, layer.get("data")),)
        else:
            chunks = ()
        return self._keep(TileData(encoding, compression, chunks))

    def _json_object(self, item: Json) -> Json:
        properties = self._json_properties(item)
        text = item.get("text")
        if item.get("template") is not None:
            model = self._is(dict, self._template(item["template"], dict), "object of a template")
            names = {entry["name"] for entry in properties}
            properties += [entry for entry in self._json_properties(model) if entry["name"] not in names]
            text = item.get("text", model.get("text"))
            item = {**model, **item}
        reduced = _picked(item, _JSON_OBJECT)
        reduced["properties"] = properties
        if text is not None:
            reduced["text"] = {"text": ""}
        return reduced

    def _json_properties(self, owner: Json) -> list[Json]:
        """The properties of `owner` that are asked for; older versions of Tiled wrote them as one object."""
        properties = owner.get("properties", [])
        if isinstance(properties, dict):
            properties = [{"name": name, "value": value} for name, value in properties.items()]
        found = []
        for entry in self._are(dict, properties, "properties"):
            name = entry.get("name")
            if isinstance(name, str) and name.strip().casefold() in self._properties:
                found.append({"name": name, "type": "string", "value": entry.get("value")})
        return found

    def _chunk(self, place: Mapping[str, object], layer: ElementTree.Element | Json, payload: object) -> TileChunk:
        """A rectangle of tiles of `layer`, checked against the limits."""
        x, y, width, height = (self._whole(place.get(name), f"{name} of a layer or chunk") for name in ("x", "y", "width", "height"))
        if width < 1 or height < 1:
            raise self._bad("A layer has at least one tile", f"{width} x {height} tiles in layer {str(layer.get('name'))[:80]!r}", _AGAIN)
        self._tile_count += width * height
        if width * height > MAX_TILES or self._tile_count > _MAX_ALL_TILES:
            raise self._bad(
                f"A Tiled map has at most {MAX_TILES:,} cells, and {_MAX_ALL_TILES:,} tiles on all layers",
                f"{width} x {height} tiles",
                "Cut it into several maps",
            )
        if isinstance(payload, str):
            payload = payload.encode("ascii", "replace")
        if not isinstance(payload, (bytes, array)):
            raise self._bad("The tiles of a layer are whole numbers of 32 bits, or text", f"layer {str(layer.get('name'))[:80]!r}", _AGAIN)
        return TileChunk(x, y, width, height, payload)

    def _keep(self, tiles: TileData) -> int:
        number = len(self.tiles)
        self.tiles[number] = tiles
        return number

    def _whole(self, value: object, what: str) -> int:
        if isinstance(value, str) and len(value) <= 12:
            with contextlib.suppress(ValueError):
                value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 2**31:
            raise self._bad(f"The {what} is a whole number", repr(value)[:80], _AGAIN)
        return value

    def _is(self, kind: type[T], value: object, what: str) -> T:
        if not isinstance(value, kind):
            raise self._bad(f"The JSON of a Tiled map has a {what} of type {kind.__name__}", repr(value)[:80], _AGAIN)
        return value

    def _are(self, kind: type[T], values: object, what: str) -> list[T]:
        return [self._is(kind, value, f"list of {what}, each") for value in self._is(list, values, f"list of {what}")]


def _weight(model: ElementTree.Element | Json) -> int:
    """How many elements and points every copy of a template's object brings."""
    if isinstance(model, dict):
        return (_dump(model).count(b"{") + 1) // 2
    return sum(1 + element.get("points", "").count(",") for element in model.iter())


def _picked(source: Json, wanted: Json) -> Json:
    chosen = {key: source.get(key, default) for key, default in wanted.items()}
    return {key: value for key, value in chosen.items() if value is not None}


def _dump(document: Json) -> bytes:
    return json.dumps(document).encode()
