"""A Tiled document -> records of what says where walls are, read once, under limits, with the
tilesets and templates that it names.
"""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import TypeVar

from fieldcraft.errors import BadMapFile
from fieldcraft.maps.reading import read_bytes
from fieldcraft.maps.tiled_data import (
    Shape,
    TileChunk,
    TileData,
    TiledLayer,
    TiledMap,
    TiledObject,
    TiledTileset,
)
from fieldcraft.maps.tiled_parse import MAX_PARTS, Json, read_json, read_xml

__all__ = ["MAX_TILES", "read_document"]

MAX_TILES = 2**24

_MAX_ALL_TILES = 2**26
_MAX_XML_BYTES = 2**26
_MAX_JSON_BYTES = 2**24
_MAX_ALL_BYTES = 2**27
_MAX_TEMPLATE_BYTES = 2**16
_MAX_FILES = 256

_AGAIN = "Save it again in Tiled"
_SMALLER = (
    "Save the layers compressed (Map Properties, Tile Layer Format), or cut the map into several"
)
_LAYERS = ("tilelayer", "objectgroup", "imagelayer", "group")

T = TypeVar("T")


def read_document(path: Path, properties: Collection[str]) -> TiledMap:
    """Read a `.tmx`, `.tmj` or `.json` map and the tilesets and templates that it names.

    Of all custom properties only those named in `properties` (in lower case) are looked at: they
    make walls. Raises `BadMapFile`.
    """
    return _Reader(path, frozenset(properties)).read_map()


class _Reader:
    """Reads one map and what it names. XML has been put into the words of JSON, so that there is
    one reading of both.
    """

    def __init__(self, path: Path, properties: frozenset[str]) -> None:
        self._path = path
        self._properties = properties
        self._tilesets: dict[Path, tuple[int, ...]] = {}
        self._templates: dict[Path, tuple[str, Json, int]] = {}
        self._bytes = 0
        self._parts = 0
        self._tile_count = 0
        self._infinite = False
        self._format = ""

    def read_map(self) -> TiledMap:
        self._format, tag, root = self._parse(self._path, _MAX_XML_BYTES)
        if tag != "map":
            raise self._bad(
                "A Tiled map begins with <map>",
                f"<{tag}>",
                "Pass the map, not its tileset or template",
            )
        if root.get("type", "map") != "map" or "layers" not in root:
            came = repr(root["type"])[:40] if "type" in root else "no type and no layers"
            raise self._bad(
                'A map that Tiled saved as JSON has the type "map" and layers',
                came,
                "Pass the map, not a tileset or another document",
            )
        self._infinite = self._flag(root.get("infinite", False), "infinite")
        tilesets = [
            self._tileset(each) for each in self._are(dict, root.get("tilesets", []), "tilesets")
        ]
        layers = self._are(dict, root["layers"], "layers")
        return TiledMap(
            orientation=self._is(str, root.get("orientation", "orthogonal"), "orientation"),
            width=self._side(root.get("width"), "size of a map"),
            height=self._side(root.get("height"), "size of a map"),
            tile_width=self._side(root.get("tilewidth"), "size of a tile"),
            tile_height=self._side(root.get("tileheight"), "size of a tile"),
            infinite=self._infinite,
            tilesets=tuple({each.first: each for each in tilesets}.values()),
            layers=tuple(
                layer for each in layers for layer in self._layers(each, (), True, (0.0, 0.0))
            ),
        )

    # Files

    def _parse(self, path: Path, limit: int) -> tuple[str, str, Json]:
        """The format of a document, what it says it is, and what it says."""
        raw = read_bytes(path, limit, _SMALLER)
        self._bytes += len(raw)
        if self._bytes > _MAX_ALL_BYTES:
            raise self._bad(
                f"A map with its tilesets and templates has at most {_MAX_ALL_BYTES:,} bytes",
                "more",
                _SMALLER,
            )
        start = raw[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
        if start[:1] == b"<":
            tag, document, parts = read_xml(
                raw, path.name, self._properties, MAX_PARTS - self._parts
            )
            self._use(parts)
            return "XML", tag, document
        if len(raw) > _MAX_JSON_BYTES:
            raise self._bad(
                f"A Tiled map in JSON has at most {_MAX_JSON_BYTES:,} bytes",
                f"{len(raw):,} in {path.name}",
                _SMALLER,
            )
        document, parts = read_json(raw, path.name, MAX_PARTS - self._parts)
        self._use(parts)
        return "JSON", "map", document

    def _use(self, parts: int) -> None:
        self._parts += parts
        if self._parts > MAX_PARTS:
            raise self._bad(
                "A Tiled map with its tilesets and the copies of its templates has at most"
                f" {MAX_PARTS:,} elements and points",
                "more",
                "Cut the map into several",
            )

    def _named(self, source: object, what: str) -> Path:
        """The file beside the map that `source` names."""
        if (
            not isinstance(source, str)
            or not source
            or "\\" in source
            or PurePosixPath(source).is_absolute()
            or ":" in source
        ):
            raise self._bad(
                f"The {what} of a map is named by a path relative to the map",
                f"{str(source)[:200]!r}",
                "Move it beside the map and save again in Tiled",
            )
        path = self._path.parent / source
        if (
            path not in self._tilesets
            and path not in self._templates
            and len(self._tilesets) + len(self._templates) >= _MAX_FILES
        ):
            raise self._bad(
                f"A map names at most {_MAX_FILES} tilesets and templates", "more", _SMALLER
            )
        return path

    def _bad(self, rule: str, got: str, remedy: str) -> BadMapFile:
        return BadMapFile(
            rule,
            got=f"{got} in {self._path.name}" if self._path.name not in got else got,
            remedy=remedy,
        )

    # Tilesets

    def _tileset(self, tileset: Json) -> TiledTileset:
        first = self._side(tileset.get("firstgid"), "firstgid of a tileset")
        if "source" not in tileset:
            return TiledTileset(first, self._wall_tiles(tileset))
        path = self._named(tileset["source"], "tileset")
        if path not in self._tilesets:
            form, tag, document = self._parse(path, _MAX_XML_BYTES)
            if form == "XML" and tag != "tileset":
                raise self._bad(
                    "A tileset begins with <tileset>", f"<{tag}> in {path.name}", _AGAIN
                )
            self._tilesets[path] = self._wall_tiles(document)
        return TiledTileset(first, self._tilesets[path])

    def _wall_tiles(self, tileset: Json) -> tuple[int, ...]:
        """The numbers of the tiles that a property makes walls, ascending."""
        tiles = tileset.get("tiles", [])
        if isinstance(tiles, dict):  # as Tiled 1.1 and older wrote them
            tiles = [
                {**self._is(dict, tile, "tile"), "id": number} for number, tile in tiles.items()
            ]
        found: dict[int, dict[str, object]] = {}
        for tile in self._are(dict, tiles, "tiles"):
            found.setdefault(self._whole(tile.get("id"), "id of a tile"), {}).update(
                self._values(tile)
            )
        for number, properties in self._is(
            dict, tileset.get("tileproperties", {}), "tileproperties"
        ).items():
            found.setdefault(self._whole(number, "id of a tile"), {}).update(
                self._values({"properties": properties})
            )
        return tuple(sorted(number for number, values in found.items() if _makes_walls(values)))

    # Layers

    def _layers(
        self, layer: Json, groups: tuple[str, ...], visible: bool, offset: tuple[float, float]
    ) -> Iterator[TiledLayer]:
        """A layer, or those of a group in its place."""
        kind = layer.get("type")
        if kind not in _LAYERS:
            raise self._bad(
                f"A layer is one of {', '.join(_LAYERS)}", f"{str(kind)[:40]!r}", _AGAIN
            )
        names = (*groups, self._is(str, layer.get("name", ""), "name of a layer"))
        seen = visible and self._flag(layer.get("visible", True), "visible")
        place = tuple(
            was + self._number(layer.get(key, 0), "offset")
            for was, key in zip(offset, ("offsetx", "offsety"), strict=True)
        )
        if kind == "group":
            for child in self._are(dict, layer.get("layers", []), "layers"):
                yield from self._layers(child, names, seen, (place[0], place[1]))
            return
        tiles = self._tiles(layer) if kind == "tilelayer" else None
        objects = (
            self._are(dict, layer.get("objects", []), "objects") if kind == "objectgroup" else []
        )
        made = tuple(self._object(item) for item in objects)
        yield TiledLayer(
            names, seen, (place[0], place[1]), _makes_walls(self._values(layer)), tiles, made
        )

    def _tiles(self, layer: Json) -> TileData:
        encoding, compression = layer.get("encoding", "csv"), layer.get("compression") or ""
        if not isinstance(encoding, str) or not isinstance(compression, str):
            raise self._bad(
                "The encoding and compression of a layer are words",
                f"{encoding!r} and {compression!r}"[:100],
                _AGAIN,
            )
        if "chunks" in layer:
            parts = self._are(dict, layer["chunks"], "chunks")
        elif "data" in layer or not self._infinite:
            parts = [{**layer, "x": 0, "y": 0}]
        else:
            parts = []
        return TileData(encoding, compression, tuple(self._chunk(part, layer) for part in parts))

    def _chunk(self, part: Json, layer: Json) -> TileChunk:
        """A rectangle of tiles of `layer`, checked against the limits."""
        x, y, width, height = (
            self._whole(part.get(name), f"{name} of a layer or chunk")
            for name in ("x", "y", "width", "height")
        )
        if width < 1 or height < 1:
            raise self._bad(
                "A layer has at least one tile",
                f"{width} x {height} tiles in layer {str(layer.get('name'))[:80]!r}",
                _AGAIN,
            )
        self._tile_count += width * height
        if width * height > MAX_TILES or self._tile_count > _MAX_ALL_TILES:
            raise self._bad(
                f"A Tiled map has at most {MAX_TILES:,} cells, and {_MAX_ALL_TILES:,} tiles on all"
                " layers",
                f"{width} x {height} tiles",
                "Cut it into several maps",
            )
        payload = part.get("data")
        if isinstance(payload, str):
            payload = payload.encode("ascii", "replace")
        if not isinstance(payload, (bytes, array)):
            raise self._bad(
                "The tiles of a layer are whole numbers of 32 bits, or text",
                f"layer {str(layer.get('name'))[:80]!r}",
                _AGAIN,
            )
        return TileChunk(x, y, width, height, payload)

    # Objects

    def _object(self, item: Json) -> TiledObject:
        values, known = self._values(item), self._properties_of(item)
        if item.get("template") is not None:
            model = self._template(item["template"])
            values = {**self._values(model), **values}
            known = self._properties_of(model) | known
            item = {**model, **item}
        kind = item.get("class") if item.get("class") is not None else item.get("type")
        shape = _shape(item)
        points = self._are(dict, item[shape], "points") if shape in ("polygon", "polyline") else []
        x, y, width, height, rotation = (
            self._number(item.get(name, 0), "place of an object")
            for name in ("x", "y", "width", "height", "rotation")
        )
        return TiledObject(
            name=self._is(str, item.get("name", ""), "name of an object"),
            kind=self._is(str, "" if kind is None else kind, "class of an object"),
            shape=shape,
            x=x,
            y=y,
            width=width,
            height=height,
            rotation=rotation,
            visible=self._flag(item.get("visible", True), "visible"),
            points=tuple(
                (
                    self._number(each.get("x"), "point of a shape"),
                    self._number(each.get("y"), "point of a shape"),
                )
                for each in points
            ),
            is_wall=_makes_walls(values),
            properties={
                name: value for name, value in known.items() if isinstance(value, (str, int, float))
            },
        )

    def _template(self, source: object) -> Json:
        """The object of a template, of the same format as the map."""
        path = self._named(source, "template")
        if path not in self._templates:
            form, tag, root = self._parse(path, _MAX_TEMPLATE_BYTES)
            model = root.get("object") if tag == ("template" if form == "XML" else "map") else None
            if not isinstance(model, dict) or model.get("template"):
                raise self._bad(
                    "A template holds one object, which is not made from a template itself",
                    f"{path.name}",
                    _AGAIN,
                )
            self._templates[path] = (form, model, _weight(model))
        form, model, weight = self._templates[path]
        if form != self._format:
            raise self._bad(
                "A map and its templates are both XML or both JSON",
                f"the template {path.name} for the map {self._path.name}",
                "Save the map as the other",
            )
        self._use(weight)  # every use is a copy
        return model

    # Values

    def _values(self, owner: Json) -> dict[str, object]:
        """The values of the properties that make walls."""
        return {
            name: value
            for name, value in self._properties_of(owner).items()
            if name.strip().casefold() in self._properties
        }

    def _properties_of(self, owner: Json) -> dict[str, object]:
        """The values of all properties; older versions of Tiled wrote them as one object."""
        properties = owner.get("properties", [])
        if isinstance(properties, dict):
            properties = [{"name": name, "value": value} for name, value in properties.items()]
        named = [
            (entry.get("name"), entry.get("value"))
            for entry in self._are(dict, properties, "properties")
        ]
        return {name: value for name, value in named if isinstance(name, str)}

    def _whole(self, value: object, what: str) -> int:
        if isinstance(value, str) and len(value) <= 12:
            with contextlib.suppress(ValueError):
                value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 2**31:
            raise self._bad(f"The {what} is a whole number", repr(value)[:80], _AGAIN)
        return value

    def _side(self, value: object, what: str) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 2**31:
            raise self._bad(f"The {what} is a whole number of at least 1", str(value)[:40], _AGAIN)
        return value

    def _number(self, value: object, what: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e9:
            raise self._bad(f"The {what} is a number below a billion", str(value)[:40], _AGAIN)
        return float(value)

    def _flag(self, value: object, what: str) -> bool:
        if not isinstance(value, bool) and value not in (0, 1):
            raise self._bad(f"{what!r} is true or false, 1 or 0", repr(value)[:40], _AGAIN)
        return bool(value)

    def _is(self, kind: type[T], value: object, what: str) -> T:
        if not isinstance(value, kind):
            raise self._bad(
                f"A Tiled map has a {what} of type {kind.__name__}", repr(value)[:80], _AGAIN
            )
        return value

    def _are(self, kind: type[T], values: object, what: str) -> list[T]:
        return [
            self._is(kind, value, f"list of {what}, each")
            for value in self._is(list, values, f"list of {what}")
        ]


def _shape(item: Json) -> Shape:
    if item.get("gid"):
        return "picture"
    if item.get("ellipse"):
        return "ellipse"
    if item.get("point"):
        return "nothing"
    if item.get("polygon"):
        return "polygon"
    if item.get("polyline"):
        return "polyline"
    return "rectangle" if item.get("text") is None else "nothing"


def _makes_walls(values: dict[str, object]) -> bool:
    """Whether one of these properties is true; older versions of Tiled wrote words for it."""
    return any(
        value.strip().casefold() in ("true", "yes", "1") if isinstance(value, str) else bool(value)
        for value in values.values()
    )


def _weight(model: object) -> int:
    """How many objects and points every copy of a template's object brings."""
    if isinstance(model, dict):
        return 1 + sum(_weight(each) for each in model.values())
    return sum(_weight(each) for each in model) if isinstance(model, list) else 0
