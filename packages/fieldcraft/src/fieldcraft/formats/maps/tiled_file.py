"""Documents of the Tiled editor, read under limits: JSON, and XML in the form of Tiled's JSON."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import BadMapFile, needs
from fieldcraft.formats.maps.reading import file_beside, json_object, read_bytes

__all__ = [
    "KIND",
    "MAX_TILES",
    "Json",
    "Layer",
    "Level",
    "flag",
    "number",
    "properties",
    "tile_ids",
]

Json = dict[str, Any]

KIND = "Tiled map"
MAX_TILES = 2**24
_MAX_PARTS = 2**20  # tags and attributes of XML, twice the lists of JSON, 4,096 for each file
_MAX_BYTES = 2**26
_SMALLER = "Save the layers compressed (Map Properties, Tile Layer Format), or cut the map in two"
# The point of a tile, in shares of its width and height, that the position of an object means.
_ALIGNMENTS = {
    "unspecified": (0.0, 1.0),
    "topleft": (0.0, 0.0),
    "top": (0.5, 0.0),
    "topright": (1.0, 0.0),
    "left": (0.0, 0.5),
    "center": (0.5, 0.5),
    "right": (1.0, 0.5),
    "bottomleft": (0.0, 1.0),
    "bottom": (0.5, 1.0),
    "bottomright": (1.0, 1.0),
}
_LAYERS = {"layer": "tilelayer", "objectgroup": "objectgroup", "group": "group"}
_ID_BITS = 0x0FFFFFFF  # the top four bits of a global tile id say how the tile is turned
# What is in no list of whole numbers, separated by commas.
_NO_LIST = re.compile(r"[^\d,\s]|\d\s+\d|,\s*(?:,|\Z)|\A\s*(?:,|\Z)", re.ASCII)


class Layer(NamedTuple):
    """A layer that is no group: the names of its groups and itself, whether all of them are
    visible, the sum of their offsets in pixels, and its entries.
    """

    names: tuple[str, ...]
    visible: bool
    offset: tuple[float, float]
    entries: Json


class Level:
    """A Tiled map with the tilesets and templates that it names."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._budget = _MAX_PARTS
        self._known = dict[str, Json]()
        self.entries = self._document(path, "map")
        self.is_infinite = flag(self.entries.get("infinite", 0))
        self.layers = list(_flat(self.entries.get("layers", [])))

    def _beside(self, source: str, kind: str) -> Json:
        """Return the document of a kind ("tileset", "template") that the map names."""
        if source not in self._known:
            self._known[source] = self._document(file_beside(self._path, source), kind)
        return self._known[source]

    def _document(self, path: Path, kind: str) -> Json:
        """Return the document of a kind in a file."""
        raw = read_bytes(path, _MAX_BYTES, _SMALLER)
        self.spend(_MAX_PARTS // 256)
        # Counts of bytes bound the memory before anything is parsed.
        if raw[:64].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<":
            self.spend(raw.count(b"<") + raw.count(b"=") + len(raw) // 128)
            if b"<!DOCTYPE" in raw:  # it could define entities that expand
                raise ValueError(f"a DOCTYPE in {path.name}")
            root = ElementTree.fromstring(raw, ElementTree.XMLParser(encoding="utf-8"))
            found = {**_from_xml(root), "type": root.tag}
        else:
            self.spend(2 * raw.count(b"[") + 2 * raw.count(b"{") + len(raw) // 32)
            found = json_object(raw, path.name, KIND)
        if found.get("type", kind) != kind:
            raise ValueError(f"a {found['type']!r:.40} in place of a {kind}")
        return found

    def spend(self, parts: int) -> None:
        """Count parts of the map, and raise for more than a map may have."""
        self._budget -= parts
        if self._budget < 0:
            raise BadMapFile(
                "A Tiled map with its tilesets and the copies of its templates has at most"
                f" {_MAX_PARTS:,} tags, attributes and points",
                got=f"more in {self._path.name}",
                remedy=_SMALLER,
            )

    def tilesets(self) -> Iterator[tuple[int, list[Json]]]:
        """Return the global id of the first tile of each tileset, and its tiles that have
        properties.
        """
        for tileset in self.entries.get("tilesets", []):
            if "source" in tileset:
                entries = self._beside(tileset["source"], "tileset")
            else:
                entries = tileset
            tiles = entries.get("tiles", [])
            if isinstance(tiles, dict):  # Tiled 1.1 and older
                tiles = [{**tile, "id": key} for key, tile in tiles.items()]
            more = entries.get("tileproperties", {}).items()
            more_tiles = [{"id": key, "properties": given} for key, given in more]
            yield int(tileset["firstgid"]), [*tiles, *more_tiles]

    def objects(self, layer: Layer) -> Iterator[Json]:
        """Yield the entries of each object of a layer, including its template; objects that show a
        tile have an `anchor`, the point of the tile, in shares of its width and height, that their
        position means.
        """
        for item in layer.entries.get("objects", []):
            found = item
            tilesets: list[Json] = self.entries.get("tilesets", [])
            folder = PurePosixPath()
            if item.get("template") is not None:
                template = self._beside(item["template"], "template")
                if "object" in template:
                    model = template["object"]
                else:
                    model = template["objects"][0]
                if model.get("template") is not None:
                    raise ValueError("a template that is made from a template")
                found = {**model, **item, "properties": properties(model) | properties(item)}
                if "gid" not in item:  # the number of a tile in the tileset of the template
                    tilesets = _tilesets_of(template)
                    folder = PurePosixPath(item["template"]).parent
            tile = int(found.get("gid", 0)) & _ID_BITS
            if tile:
                found = {**found, "anchor": self._anchor(tile, tilesets, folder)}
            points = found.get("polygon") or found.get("polyline") or ""
            if isinstance(points, str):
                self.spend(1 + points.count(","))
            else:
                self.spend(1 + len(points))
            yield found

    def _anchor(
        self, tile: int, tilesets: Sequence[Json], folder: PurePosixPath
    ) -> tuple[float, float]:
        """Return the anchor of a tile from the alignment of its tileset."""
        fitting = [each for each in tilesets if int(each.get("firstgid", 1)) <= tile]
        if not fitting:
            return _ALIGNMENTS["unspecified"]
        entries = max(fitting, key=lambda tileset: int(tileset.get("firstgid", 1)))
        if "source" in entries:
            entries = self._beside(str(folder / entries["source"]), "tileset")
        return _ALIGNMENTS[entries.get("objectalignment", "unspecified")]

    def chunks(self, layer: Layer) -> list[Json]:
        """Return the rectangles of tiles of a layer, each with `x`, `y`, `width` and `height` in
        tiles.
        """
        entries = layer.entries
        if entries["type"] != "tilelayer":
            return []
        if "chunks" in entries:
            chunks = entries["chunks"]
        elif self.is_infinite and not entries.get("data"):
            chunks = []
        else:
            chunks = [{**entries, "x": 0, "y": 0}]
        keys = ("x", "y", "width", "height")
        return [{**each, **{key: int(each[key]) for key in keys}} for each in chunks]


def number(value: Any) -> float:
    """Return a number of a file; raise for numbers of a billion or more."""
    found = float(value)
    if not abs(found) < 1e9:
        raise ValueError(f"{found} in place of a number below a billion")
    return found


def properties(owner: Json) -> Json:
    """Return the values of custom properties that are texts, numbers or flags, by name."""
    given = owner.get("properties", [])
    if not isinstance(given, dict):  # as current versions of Tiled write them
        given = {each["name"]: each.get("value") for each in given}
    return {name: value for name, value in given.items() if isinstance(value, (str, int, float))}


def flag(value: Any) -> bool:
    """Return a flag, which XML writes as a number."""
    return int(value) != 0


def _flat(
    layers: Iterable[Json],
    names: tuple[str, ...] = (),
    visible: bool = True,
    offset: tuple[float, float] = (0.0, 0.0),
) -> Iterator[Layer]:
    """Yield the layers from the bottom up, layers of groups in the place of the group."""
    for layer in layers:
        own = (*names, str(layer.get("name", "")))
        seen = visible and flag(layer.get("visible", 1))
        right = number(layer.get("offsetx", 0))
        down = number(layer.get("offsety", 0))
        place = (offset[0] + right, offset[1] + down)
        if layer["type"] == "group":
            yield from _flat(layer.get("layers", []), own, seen, place)
        else:
            yield Layer(own, seen, place, layer)


def _from_xml(element: ElementTree.Element) -> Json:
    """Return the entries that an element of XML has in Tiled's JSON, numbers as texts."""
    found: Json = dict(element.attrib)
    for child in element:
        tag = child.tag
        if tag in _LAYERS:
            found.setdefault("layers", []).append({**_from_xml(child), "type": _LAYERS[tag]})
        elif tag in ("tileset", "tile", "object", "chunk"):
            found.setdefault(f"{tag}s", []).append(_from_xml(child))
        elif tag == "data":
            found.update(_from_xml(child))
        elif tag in ("polygon", "polyline"):
            found[tag] = child.attrib["points"]
        elif tag == "properties":
            found[tag] = [_property(each) for each in child.iterfind("property")]
        else:
            found[tag] = True  # ellipse, point, text
    if element.tag in ("data", "chunk") and "chunks" not in found:
        ids = [tile.get("gid", "0") for tile in found.pop("tiles", [])]
        found["data"] = ",".join(ids) or element.text or ""
    return found


def _tilesets_of(template: Json) -> list[Json]:
    """Return the tilesets of a template: XML has a list of them, JSON at most one."""
    if "tilesets" in template:
        found: list[Json] = template["tilesets"]
        return found
    if template.get("tileset") is None:
        return []
    return [template["tileset"]]


def _property(item: ElementTree.Element) -> Json:
    """Return the name and the value of a custom property."""
    value: Any = item.get("value", item.text)
    kind = item.get("type")
    if kind == "bool":
        value = value == "true"
    elif kind == "int":
        value = int(value)
    elif kind == "float":
        value = float(value)
    return {"name": item.attrib["name"], "value": value}


def tile_ids(layer: Layer, chunk: Json) -> NDArray[np.uint32]:
    """Return the global tile ids of a chunk without their flip bits, (height, width), 0 for no
    tile; decompression stops where the size of the chunk is exceeded.
    """
    data = chunk["data"]
    count = chunk["width"] * chunk["height"]
    encoding = layer.entries.get("encoding") or ""
    compression = layer.entries.get("compression") or ""
    if isinstance(data, list):
        ids = np.asarray(data)
    elif encoding in ("", "csv"):
        wrong = _NO_LIST.search(data)
        if wrong:
            raise ValueError(f"{wrong[0]!r:.20} among the tiles of layer {layer.names[-1]!r:.80}")
        ids = np.fromstring(data, dtype=np.int64, sep=",")
    else:
        ids = np.frombuffer(_unpacked(data, encoding, compression, 4 * count), dtype="<u4")
    if (
        ids.shape != (count,)
        or ids.dtype.kind not in "iu"
        or not 0 <= ids.min() <= ids.max() < 2**32
    ):
        raise ValueError(
            f"{ids.shape} of {ids.dtype} in place of {count:,} tiles, whole numbers of 32 bits, in"
            f" layer {layer.names[-1]!r:.80}"
        )
    return (ids.astype(np.uint32) & np.uint32(_ID_BITS)).reshape(chunk["height"], chunk["width"])


def _unpacked(text: str, encoding: str, compression: str, size: int) -> bytes:
    """Return `size` bytes of tiles; at most one more is decompressed."""
    if encoding != "base64" or compression not in ("", "zlib", "gzip", "zstd"):
        raise ValueError(f"the encoding {encoding!r:.40} and compression {compression!r:.40}")
    data = base64.b64decode("".join(text.split()), validate=True)
    if compression == "zstd":
        with needs("zstandard", "maps", "Loading a Tiled layer compressed by zstd"):
            import zstandard
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            data = bytes(reader.read(size + 1))
    elif compression:
        window = zlib.MAX_WBITS
        if compression == "gzip":
            window |= 16  # with the header and trailer of gzip
        stream = zlib.decompressobj(wbits=window)
        data = stream.decompress(data, size + 1)
        if not stream.eof:
            raise ValueError(f"tiles without an end, or more than {size:,} bytes of them")
    if len(data) != size:
        raise ValueError(f"tiles of {len(data):,} bytes or more in place of {size:,}")
    return data
