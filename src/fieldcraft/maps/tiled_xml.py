"""XML documents of Tiled, read under limits and reduced to what says where walls are."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree
from xml.parsers import expat

from fieldcraft.errors import BadMapFile

__all__ = ["MAX_PARTS", "read_xml"]

MAX_PARTS = 100_000  # elements and points of a map, its tilesets and the copies of its templates together

_MAX_DEPTH = 64
_MAX_TAG_BYTES = 2**20
_FEED = 2**16

_AGAIN = "Save it again in Tiled"

_LAYERS = ("layer", "objectgroup", "group")
_PROPERTIES = ("properties",)
_CHILDREN: Mapping[str, tuple[str, ...]] = {
    "": ("map", "tileset", "template"),
    "map": ("tileset", *_LAYERS),
    "template": ("object",),
    "tileset": ("tile",),
    "tile": _PROPERTIES,
    "layer": ("properties", "data"),
    "data": ("chunk",),
    "group": ("properties", *_LAYERS),
    "objectgroup": ("properties", "object"),
    "object": ("properties", "ellipse", "point", "polygon", "polyline", "text"),
    "properties": ("property",),
}
_PLACE = {"name": "", "visible": "1", "offsetx": "0", "offsety": "0"}
# What is kept of each element's attributes, and what stands in for what older versions of Tiled left out.
_ATTRIBUTES: Mapping[str, Mapping[str, str | None]] = {
    "map": {
        "version": "1",
        "tiledversion": "",
        "orientation": "orthogonal",
        "renderorder": "right-down",
        "width": None,
        "height": None,
        "tilewidth": None,
        "tileheight": None,
        "infinite": "0",
        "nextlayerid": "1",
        "nextobjectid": "1",
    },
    "tileset": {"firstgid": None, "source": None, "name": "", "tilecount": "0", "tilewidth": "1", "tileheight": "1", "columns": "1"},
    "tile": {"id": None},
    "layer": {**_PLACE, "width": None, "height": None},
    "data": {"encoding": None, "compression": None},
    "chunk": {"x": None, "y": None, "width": None, "height": None},
    "group": _PLACE,
    "objectgroup": _PLACE,
    "object": dict.fromkeys(("template", "x", "y", "width", "height", "rotation", "visible", "name", "type", "class", "gid")),
    "polygon": {"points": None},
    "polyline": {"points": None},
    "property": {"name": None, "type": None, "value": None},
}


def read_xml(raw: bytes, name: str, properties: frozenset[str], payloads: list[bytearray], limit: int) -> tuple[ElementTree.Element, int]:
    """The reduced tree of an XML document, and how many elements and points it has; only `properties` (in lower case) are kept.

    The text of each `<data>` and `<chunk>` is appended to `payloads`, and its place there stands in the attribute `payload`;
    `<tile>` elements inside become numbers with commas between them. Raises `BadMapFile` for a document type declaration
    (so no entity is ever expanded), for malformed XML, and for more than `limit` elements and points.
    """
    tree = _Tree(name, properties, payloads, limit)
    return tree.read(raw), tree.parts


class _Tree:
    def __init__(self, name: str, properties: frozenset[str], payloads: list[bytearray], limit: int) -> None:
        self.parts = 0
        self._name = name
        self._properties = properties
        self._payloads = payloads
        self._limit = limit
        self._builder = ElementTree.TreeBuilder()
        self._tags = [""]
        self._skipped = 0
        self._events = 0
        self._open: list[bytearray] = []
        self._tile_elements: list[int] = []

    def read(self, raw: bytes) -> ElementTree.Element:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        quiet = 0
        try:
            for begin in range(0, len(raw), _FEED):
                before = self._events
                parser.Parse(raw[begin : begin + _FEED], False)
                quiet = quiet + _FEED if self._events == before else 0
                if quiet > _MAX_TAG_BYTES:
                    raise self._bad(f"A tag or comment of a Tiled document has at most {_MAX_TAG_BYTES:,} bytes", "a longer one")
            parser.Parse(b"", True)
        except BadMapFile:
            raise
        except (expat.ExpatError, LookupError, ValueError) as error:
            raise self._bad("A Tiled document is well-formed XML", str(error)) from None
        return self._builder.close()

    def _doctype(self, *_: object) -> None:
        raise self._bad("A Tiled document has no DOCTYPE, and so no entities", "one", "Remove it; Tiled does not write any")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._events += 1
        if len(self._tags) + self._skipped > _MAX_DEPTH:
            raise self._bad(f"The elements of a Tiled document nest at most {_MAX_DEPTH} deep", "deeper ones")
        if self._open and tag == "tile" and not self._skipped:
            self._open[-1] += b"," * (self._tile_elements[-1] > 0) + attributes.get("gid", "0").encode("ascii", "replace")
            self._tile_elements[-1] += 1
        wanted = tag in _CHILDREN.get(self._tags[-1], ())
        if tag == "property" and attributes.get("name", "").strip().casefold() not in self._properties:
            wanted = False
        if self._skipped or (not wanted and len(self._tags) > 1):
            self._skipped += 1
            return
        if not wanted:
            raise self._bad("A Tiled document begins with <map>, <tileset> or <template>", f"<{tag[:80]}>")
        self.parts += 1 + attributes.get("points", "").count(",")
        if self.parts > self._limit:
            raise self._bad(
                f"A Tiled map with its tilesets has at most {MAX_PARTS:,} elements and points", "more", "Cut the map into several"
            )
        kept = {key: attributes.get(key, default) for key, default in _ATTRIBUTES.get(tag, {}).items()}
        if tag in ("data", "chunk"):
            kept["payload"] = str(len(self._payloads))
            self._payloads.append(bytearray())
            self._open.append(self._payloads[-1])
            self._tile_elements.append(0)
        elif tag in ("polygon", "polyline"):
            kept["points"] = " ".join(attributes.get("points", "").split())
        elif tag == "property" and kept["type"] not in ("bool", "int", "float"):
            kept["type"] = "string"
        self._tags.append(tag)
        self._builder.start(tag, {key: value for key, value in kept.items() if value is not None})

    def _end(self, _: str) -> None:
        self._events += 1
        if self._skipped:
            self._skipped -= 1
            return
        tag = self._tags.pop()
        self._builder.end(tag)
        if tag in ("data", "chunk"):
            self._open.pop()
            self._tile_elements.pop()

    def _text(self, text: str) -> None:
        self._events += 1
        if self._skipped:
            return
        if self._open:
            self._open[-1] += text.encode("ascii", "replace")
        elif self._tags[-1] == "property":
            self._builder.data(text)

    def _bad(self, rule: str, got: str, remedy: str = _AGAIN) -> BadMapFile:
        return BadMapFile(rule, got=f"{got} in {self._name}", remedy=remedy)
