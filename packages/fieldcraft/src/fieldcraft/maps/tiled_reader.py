"""Tiled documents as records: JSON, and XML put into the words of Tiled's JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TypeVar
from xml.etree import ElementTree

from fieldcraft.errors import BadMapFile
from fieldcraft.maps.json_document import document_in
from fieldcraft.maps.reading import read_bytes
from fieldcraft.maps.tiled_records import (
    Json,
    Shape,
    TileChunk,
    TiledLayer,
    TiledMap,
    TiledObject,
    TiledTileset,
)

__all__ = ["MAX_TILES", "read_tiled"]

T = TypeVar("T")

MAX_TILES = 2**24
MAX_PARTS = 2**19
"""Most tags, lists, objects and points of a map, its tilesets and the copies of its templates."""

_MAX_ALL_TILES = 2**26
_MAX_XML_BYTES = 2**26
_MAX_JSON_BYTES = 2**24
_MAX_ALL_BYTES = 2**27
_MAX_ATTRIBUTES = 2**21
_MAX_DEPTH = 32
_MAX_FILES = 256
_KIND = "Tiled map"
_SMALLER = (
    "Save the layers compressed (Map Properties, Tile Layer Format), or cut the map into several"
)
_LAYERS = {"layer": "tilelayer", "objectgroup": "objectgroup", "group": "group"}
_TEXTS = {"orientation", "source", "encoding", "compression", "name", "type", "class", "template"}


def read_tiled(path: Path) -> TiledMap:
    """Read a `.tmx`, `.tmj` or `.json` map with the tilesets and templates that it names.

    Raises
    ------
    BadMapFile
        For a damaged file, and for one that would take too much memory.
    """
    return _Reader(path).read()


class _Reader:
    """Reads one map and the files that it names."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tilesets: dict[Path, dict[int, Json]] = {}
        self._templates: dict[Path, Json] = {}
        self._bytes = self._parts = self._tiles = 0
        self._infinite = False

    def read(self) -> TiledMap:
        root = self._document(self._path, "map")
        if "layers" not in root and "tilewidth" not in root:
            raise self._bad("A Tiled map has layers and a size of a tile", f"{[*root][:5]}")
        self._infinite = self._flag(root, "infinite", False)
        sides = ("width", "height", "tilewidth", "tileheight")
        width, height, tile_width, tile_height = (self._whole(root, side, 1) for side in sides)
        sets = [self._tileset(each) for each in self._list(root, "tilesets")]
        return TiledMap(
            self._value(root, "orientation", str, "orthogonal"),
            width,
            height,
            tile_width,
            tile_height,
            self._infinite,
            tuple({each.first: each for each in sets}.values()),
            tuple(
                layer
                for each in self._list(root, "layers")
                for layer in self._layers(each, (), True, (0.0, 0.0))
            ),
        )

    # Files

    def _document(self, path: Path, kind: str) -> Json:
        """The document of a kind ("map", "tileset", "template") in a file."""
        raw = read_bytes(path, _MAX_XML_BYTES, _SMALLER)
        self._bytes += len(raw)
        is_xml = raw[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"
        if self._bytes > _MAX_ALL_BYTES or (len(raw) > _MAX_JSON_BYTES and not is_xml):
            raise self._bad(
                f"A Tiled map with its tilesets and templates has at most {_MAX_ALL_BYTES:,} bytes,"
                f" and a file in JSON {_MAX_JSON_BYTES:,}",
                f"{len(raw):,} in {path.name}",
                _SMALLER,
            )
        if is_xml:
            root = self._xml(raw, path)
        else:
            document = document_in(raw, path, _KIND, MAX_PARTS)
            root = document.content
            self._use(document.parts)
        if root.get("type", kind) != kind:
            raise self._bad(f"A Tiled {kind} says so", f"<{root['type']}> in {path.name}"[:80])
        return root

    def _xml(self, raw: bytes, path: Path) -> Json:
        # Counting bytes before parsing bounds the memory, and without a DOCTYPE there are no
        # entities to expand.
        if b"<!DOCTYPE" in raw:
            raise self._bad("A Tiled document has no DOCTYPE", f"one in {path.name}")
        self._use(raw.count(b"<"))
        if raw.count(b"=") > _MAX_ATTRIBUTES:
            raise self._bad(
                f"A Tiled document has at most {_MAX_ATTRIBUTES:,} attributes", "more", _SMALLER
            )
        try:
            root = ElementTree.fromstring(raw, ElementTree.XMLParser(encoding="utf-8"))
        except (ElementTree.ParseError, ValueError) as error:
            raise self._bad(
                "A Tiled document is well-formed XML", f"{error} in {path.name}"
            ) from None
        return {**self._words(root, 0), "type": root.tag}

    def _words(self, element: ElementTree.Element, depth: int) -> Json:
        """The words of Tiled's JSON for an element of its XML."""
        if depth > _MAX_DEPTH:
            raise self._bad(f"The elements of a map nest at most {_MAX_DEPTH} deep", "deeper ones")
        found: Json = {
            key: value if key in _TEXTS else _number(value) for key, value in element.attrib.items()
        }
        for child in element:
            tag = child.tag
            if tag in _LAYERS:
                layer = {**self._words(child, depth + 1), "type": _LAYERS[tag]}
                found.setdefault("layers", []).append(layer)
            elif tag in ("tileset", "tile", "object", "chunk"):
                found.setdefault(f"{tag}s", []).append(self._words(child, depth + 1))
            elif tag == "data":
                found.update(self._words(child, depth + 1))
            elif tag in ("ellipse", "point", "text"):
                found[tag] = True
            elif tag in ("polygon", "polyline"):
                self._use(child.get("points", "").count(","))
                pairs = [pair.split(",") for pair in child.get("points", "").split()]
                found[tag] = [dict(zip("xy", map(_number, pair), strict=False)) for pair in pairs]
            elif tag == "properties":
                found[tag] = [_property(each) for each in child.iterfind("property")]
        if element.tag in ("data", "chunk") and "chunks" not in found:
            gids = [str(tile.get("gid", 0)) for tile in found.pop("tiles", [])]
            found["data"] = ",".join(gids) or element.text or ""
        if element.tag == "template":
            found["object"] = next(iter(found.get("objects", [])), None)
        return found

    def _use(self, parts: int) -> None:
        self._parts += parts
        if self._parts > MAX_PARTS:
            raise self._bad(
                "A Tiled map with its tilesets and the copies of its templates has at most"
                f" {MAX_PARTS:,} elements and points",
                "more",
                _SMALLER,
            )

    def _named(self, source: object, what: str) -> Path:
        """The file beside the map that `source` names."""
        if (
            not isinstance(source, str)
            or not source
            or "\\" in source
            or ":" in source
            or "\0" in source
            or PurePosixPath(source).is_absolute()
        ):
            raise self._bad(
                f"The {what} of a map is named by a path relative to the map",
                f"{source!r}"[:200],
                "Move it beside the map and save again in Tiled",
            )
        if len(self._tilesets) + len(self._templates) > _MAX_FILES:
            raise self._bad(f"A map names at most {_MAX_FILES} files", "more", _SMALLER)
        return self._path.parent / source

    def _tileset(self, tileset: Json) -> TiledTileset:
        first = self._whole(tileset, "firstgid", 1)
        if "source" not in tileset:
            return TiledTileset(first, self._tile_properties(tileset))
        path = self._named(tileset["source"], "tileset")
        if path not in self._tilesets:
            self._tilesets[path] = self._tile_properties(self._document(path, "tileset"))
        return TiledTileset(first, self._tilesets[path])

    def _tile_properties(self, tileset: Json) -> dict[int, Json]:
        """The properties of the tiles that have any, by number."""
        found: dict[int, Json] = {}
        tiles, more = tileset.get("tiles", []), tileset.get("tileproperties", {})
        if isinstance(tiles, dict):  # as Tiled 1.1 and older wrote them
            tiles = [
                {**self._is(tile, dict, "tile"), "id": _number(n)} for n, tile in tiles.items()
            ]
        more = self._is(more, dict, "tileproperties").items()
        tiles = [
            *self._are(tiles, "tiles"),
            *({"id": _number(n), "properties": p} for n, p in more),
        ]
        for tile in tiles:
            if properties := self._properties(tile):
                found.setdefault(self._whole(tile, "id"), {}).update(properties)
        return found

    # Layers and objects

    def _layers(
        self, layer: Json, groups: tuple[str, ...], visible: bool, offset: tuple[float, float]
    ) -> Iterator[TiledLayer]:
        """A layer, or those of a group in its place."""
        kind = layer.get("type")
        if kind not in (*_LAYERS.values(), "imagelayer"):
            raise self._bad(f"A layer is one of {', '.join(_LAYERS.values())}", f"{kind!r}"[:40])
        names = (*groups, self._value(layer, "name", str, ""))
        seen = visible and self._flag(layer, "visible", True)
        place = (
            offset[0] + self._number(layer, "offsetx", 0.0),
            offset[1] + self._number(layer, "offsety", 0.0),
        )
        if kind == "group":
            for child in self._list(layer, "layers"):
                yield from self._layers(child, names, seen, place)
            return
        chunks = tuple(self._chunks(layer)) if kind == "tilelayer" else ()
        objects = self._list(layer, "objects") if kind == "objectgroup" else []
        made = tuple(self._object(item) for item in objects)
        yield TiledLayer(names, seen, place, self._properties(layer), chunks, made)

    def _chunks(self, layer: Json) -> Iterator[TileChunk]:
        """The rectangles of tiles of a layer, checked against the limits."""
        encoding = self._value(layer, "encoding", str, "csv")
        compression = self._is(layer.get("compression") or "", str, "compression")
        where = f"layer {str(layer.get('name'))[:80]!r}"
        parts = [{**layer, "x": 0, "y": 0}]
        if "chunks" in layer or (self._infinite and not layer.get("data")):
            parts = self._list(layer, "chunks")
        for part in parts:
            x, y = (self._whole(part, name) for name in ("x", "y"))
            width, height = (self._whole(part, name, 1) for name in ("width", "height"))
            self._tiles += width * height
            if width * height > MAX_TILES or self._tiles > _MAX_ALL_TILES:
                raise self._bad(
                    f"A Tiled map has at most {MAX_TILES:,} cells, and {_MAX_ALL_TILES:,} tiles on"
                    " all layers",
                    f"{width} x {height} tiles in {where}",
                    "Cut it into several maps",
                )
            payload = part.get("data")
            if not isinstance(payload, (str, list)):
                raise self._bad("The tiles of a layer are numbers or text", where)
            yield TileChunk(x, y, width, height, encoding, compression, payload)

    def _object(self, item: Json) -> TiledObject:
        properties = self._properties(item)
        if item.get("template") is not None:
            model = self._template(item["template"])
            properties = self._properties(model) | properties
            item = {**model, **item}
        shape = _shape(item)
        points = self._list(item, shape) if shape in ("polygon", "polyline") else []
        self._use(1 + len(points))
        places = ("x", "y", "width", "height", "rotation")
        x, y, width, height, rotation = (self._number(item, name, 0.0) for name in places)
        kind = "class" if item.get("class") is not None else "type"
        return TiledObject(
            self._value(item, "name", str, ""),
            self._value(item, kind, str, ""),
            shape,
            x,
            y,
            width,
            height,
            rotation,
            self._flag(item, "visible", True),
            tuple((self._number(each, "x"), self._number(each, "y")) for each in points),
            properties,
        )

    def _template(self, source: object) -> Json:
        """The object of a template."""
        path = self._named(source, "template")
        if path not in self._templates:
            model = self._document(path, "template").get("object")
            if not isinstance(model, dict) or model.get("template"):
                raise self._bad(
                    "A template holds one object, which is not made from a template itself",
                    path.name,
                )
            self._templates[path] = model
        return self._templates[path]

    def _properties(self, owner: Json) -> Json:
        """The values of the properties that are texts, numbers or flags, by name."""
        given = owner.get("properties", [])
        if isinstance(given, dict):  # as older versions of Tiled wrote them
            given = [{"name": name, "value": value} for name, value in given.items()]
        pairs = [(each.get("name"), each.get("value")) for each in self._are(given, "properties")]
        return {
            name: value
            for name, value in pairs
            if isinstance(name, str) and isinstance(value, (str, int, float))
        }

    # Values

    def _bad(self, rule: str, got: str, remedy: str = "Save it again in Tiled") -> BadMapFile:
        name = self._path.name
        return BadMapFile(rule, got=got if name in got else f"{got} in {name}", remedy=remedy)

    def _is(self, value: object, kind: type[T], what: str) -> T:
        if not isinstance(value, kind):
            raise self._bad(f"The {what} of a Tiled map is a {kind.__name__}", f"{value!r}"[:80])
        return value

    def _are(self, values: object, what: str) -> list[Json]:
        return [self._is(each, dict, what) for each in self._is(values, list, f"list of {what}")]

    def _list(self, owner: Json, key: str) -> list[Json]:
        return self._are(owner.get(key, []), key)

    def _value(self, owner: Json, key: str, kind: type[T], default: T) -> T:
        value = owner.get(key)
        return default if value is None else self._is(value, kind, key)

    def _flag(self, owner: Json, key: str, default: bool) -> bool:
        value = owner.get(key, default)
        if value not in (0, 1):
            raise self._bad(f"{key!r} is true or false, 1 or 0", f"{value!r}"[:40])
        return bool(value)

    def _number(self, owner: Json, key: str, default: float | None = None) -> float:
        value = owner.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e9:
            raise self._bad(f"{key!r} is a number below a billion", f"{value!r}"[:40])
        return float(value)

    def _whole(self, owner: Json, key: str, least: int = -(2**31)) -> int:
        value = owner.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**31:
            rule = f"{key!r} is a whole number" + (f" of at least {least}" if least > 0 else "")
            raise self._bad(rule, f"{value!r}"[:40])
        return value


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _property(item: ElementTree.Element) -> Json:
    value: object = item.get("value", item.text)
    if isinstance(value, str) and item.get("type") in ("bool", "int", "float"):
        value = value == "true" if item.get("type") == "bool" else _number(value)
    return {"name": item.get("name"), "value": value}


def _shape(item: Json) -> Shape:
    if item.get("gid"):
        return "picture"
    if item.get("ellipse"):
        return "ellipse"
    if item.get("polygon"):
        return "polygon"
    if item.get("polyline"):
        return "polyline"
    return "nothing" if item.get("point") or item.get("text") is not None else "rectangle"
