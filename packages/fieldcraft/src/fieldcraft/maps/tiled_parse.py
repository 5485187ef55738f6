"""Documents of Tiled, read under limits: XML, put into the words of its JSON, and JSON."""

from __future__ import annotations

import contextlib
import json
from array import array
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from fieldcraft.errors import BadMapFile

__all__ = ["MAX_PARTS", "Json", "read_json", "read_xml"]

Json = dict[str, Any]

MAX_PARTS = (
    100_000  # elements and points of a map, its tilesets and the copies of its templates together
)

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
_PLACE = ("name", "visible", "offsetx", "offsety")
# What is kept of each element's attributes.
_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "map": ("orientation", "width", "height", "tilewidth", "tileheight", "infinite"),
    "tileset": ("firstgid", "source"),
    "tile": ("id",),
    "layer": (*_PLACE, "width", "height"),
    "data": ("encoding", "compression"),
    "chunk": ("x", "y", "width", "height"),
    "group": _PLACE,
    "objectgroup": _PLACE,
    "object": (
        "template",
        "x",
        "y",
        "width",
        "height",
        "rotation",
        "visible",
        "name",
        "type",
        "class",
        "gid",
    ),
    "polygon": ("points",),
    "polyline": ("points",),
    "property": ("name", "type", "value"),
}
_WORDS = ("orientation", "source", "encoding", "compression", "name", "type", "class", "template")
_KINDS = {"layer": "tilelayer", "objectgroup": "objectgroup", "group": "group"}
_MARKS = ("ellipse", "point", "text")


def read_xml(
    raw: bytes, name: str, properties: frozenset[str], limit: int
) -> tuple[str, Json, int]:
    """The tag of the root of an XML document, what it says in the words of JSON, and how many
    elements and points it has.

    Only `properties` (in lower case) are kept. The text of a layer or chunk is bytes; `<tile>`
    elements inside become numbers with commas between them. Numbers are numbers, and text where
    they are none, for the reader of JSON to refuse. Raises `BadMapFile` for a document type
    declaration (so no entity is ever expanded), for malformed XML, and for more than `limit`
    elements and points.
    """
    tree = _Tree(name, properties, limit)
    root = tree.read(raw)
    return root.tag, _Words(tree.payloads).of(root), tree.parts


class _Tree:
    def __init__(self, name: str, properties: frozenset[str], limit: int) -> None:
        self.parts = 0
        self.payloads: list[bytearray] = []
        self._name = name
        self._properties = properties
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
                    raise self._bad(
                        f"A tag or comment of a Tiled document has at most {_MAX_TAG_BYTES:,}"
                        " bytes",
                        "a longer one",
                    )
            parser.Parse(b"", True)
        except BadMapFile:
            raise
        except (expat.ExpatError, LookupError, ValueError) as error:
            raise self._bad("A Tiled document is well-formed XML", str(error)) from None
        return self._builder.close()

    def _doctype(self, *_: object) -> None:
        raise self._bad(
            "A Tiled document has no DOCTYPE, and so no entities",
            "one",
            "Remove it; Tiled does not write any",
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._events += 1
        if len(self._tags) + self._skipped > _MAX_DEPTH:
            raise self._bad(
                f"The elements of a Tiled document nest at most {_MAX_DEPTH} deep", "deeper ones"
            )
        if self._open and tag == "tile" and not self._skipped:
            self._open[-1] += b"," * (self._tile_elements[-1] > 0) + attributes.get(
                "gid", "0"
            ).encode("ascii", "replace")
            self._tile_elements[-1] += 1
        wanted = tag in _CHILDREN.get(self._tags[-1], ())
        if (
            tag == "property"
            and self._tags[-2:-1] != ["object"]
            and attributes.get("name", "").strip().casefold() not in self._properties
        ):
            wanted = False
        if self._skipped or (not wanted and len(self._tags) > 1):
            self._skipped += 1
            return
        if not wanted:
            raise self._bad(
                "A Tiled document begins with <map>, <tileset> or <template>", f"<{tag[:80]}>"
            )
        self.parts += 1 + attributes.get("points", "").count(",")
        if self.parts > self._limit:
            raise self._bad(
                f"A Tiled map with its tilesets has at most {MAX_PARTS:,} elements and points",
                "more",
                "Cut the map into several",
            )
        kept = {key: attributes[key] for key in _ATTRIBUTES.get(tag, ()) if key in attributes}
        if tag in ("data", "chunk"):
            kept["payload"] = str(len(self.payloads))
            self.payloads.append(bytearray())
            self._open.append(self.payloads[-1])
            self._tile_elements.append(0)
        self._tags.append(tag)
        self._builder.start(tag, kept)

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


class _Words:
    """Puts the elements of one document into the words of Tiled's JSON."""

    def __init__(self, payloads: list[bytearray]) -> None:
        self._payloads = payloads

    def of(self, element: ElementTree.Element, infinite: bool = False) -> Json:
        """A map, tileset, template, layer or object."""
        found: Json = {
            key: value if key in _WORDS else _number(value) for key, value in element.attrib.items()
        }
        infinite = infinite or found.get("infinite") == 1
        found["properties"] = [_property(item) for item in element.iterfind("properties/property")]
        if element.tag in _KINDS:
            found["type"] = _KINDS[element.tag]
        if element.tag == "map":
            found["infinite"] = infinite
            found["tilesets"] = [self.of(child) for child in element.iterfind("tileset")]
        if element.tag in ("map", "group"):
            found["layers"] = [self.of(child, infinite) for child in element if child.tag in _KINDS]
        elif element.tag == "layer":
            found.update(self._tiles(element.find("data"), infinite))
        elif element.tag == "tileset":
            found["tiles"] = [self.of(child) for child in element.iterfind("tile")]
        elif element.tag == "objectgroup":
            found["objects"] = [self.of(child) for child in element.iterfind("object")]
        elif element.tag == "template" and (model := element.find("object")) is not None:
            found["object"] = self.of(model)
        elif element.tag == "object":
            found.update(
                {
                    mark: {} if mark == "text" else True
                    for mark in _MARKS
                    if element.find(mark) is not None
                }
            )
            found.update(
                {
                    child.tag: _points(child.get("points", ""))
                    for child in element
                    if child.tag in ("polygon", "polyline")
                }
            )
        return found

    def _tiles(self, data: ElementTree.Element | None, infinite: bool) -> Json:
        if data is None:
            return {"chunks": []}
        how: Json = {
            key: data.attrib[key] for key in ("encoding", "compression") if key in data.attrib
        }
        payload, parts = self._payload(data), data.findall("chunk")
        if not parts and (payload.strip() or not infinite):
            return {**how, "data": payload}
        sides = ("x", "y", "width", "height")
        return {
            **how,
            "chunks": [
                {**{k: _number(part.get(k, "")) for k in sides}, "data": self._payload(part)}
                for part in parts
            ],
        }

    def _payload(self, element: ElementTree.Element) -> bytes:
        return bytes(self._payloads[int(element.attrib["payload"])])


def _property(item: ElementTree.Element) -> Json:
    value: object = item.get("value", item.text)
    if isinstance(value, str) and item.get("type") in ("bool", "int", "float"):
        value = value == "true" if item.get("type") == "bool" else _number(value)
    return {"name": item.get("name"), "value": value}


def _points(text: str) -> list[Json]:
    pairs = [pair.split(",") for pair in text.split()]
    return [dict(zip("xy", map(_number, pair), strict=False)) for pair in pairs]


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


_MAX_QUOTES = 2_000_000


def read_json(raw: bytes, name: str, limit: int) -> tuple[Json, int]:
    """The object that a JSON document is, lists of tiles as arrays, and half its brackets: at most
    `limit`.
    """
    quotes, brackets, depth = _outline(raw, 2 * limit)
    if quotes > _MAX_QUOTES or brackets > 2 * limit or depth > _MAX_DEPTH:
        raise BadMapFile(
            f"A Tiled map in JSON, with its tilesets, has at most {2 * MAX_PARTS:,} objects and"
            f" lists, {_MAX_DEPTH} deep, and {_MAX_QUOTES // 2:,} words",
            got=f"{brackets:,}, {depth} deep, and {quotes // 2:,} in {name}",
            remedy="Save it as .tmx, or cut the map into several",
        )
    try:
        # Given bytes, `loads` would guess among encodings in which `_outline` counts other things.
        document = json.loads(raw.decode("utf-8-sig"), object_hook=_with_array)
    except (ValueError, RecursionError) as error:
        raise BadMapFile(
            "A Tiled document is XML or JSON",
            got=f"{name}: {error}"[:300],
            remedy="Save it again in Tiled",
        ) from None
    if not isinstance(document, dict):
        raise BadMapFile(
            "The JSON of a Tiled map is an object",
            got=f"a {type(document).__name__} in {name}",
            remedy="Pass a map that Tiled saved",
        )
    return document, (brackets + 1) // 2


def _outline(raw: bytes, most: int) -> tuple[int, int, int]:
    """How many quotes and opening brackets a JSON document has, and, if not more than `most`, how
    deep these nest.

    What stands in strings does not count.
    """
    codes = np.frombuffer(raw.replace(b"\\\\", b"").replace(b'\\"', b""), dtype=np.uint8)
    quotes = codes == ord('"')
    outside = np.cumsum(quotes, dtype=np.uint8) & 1 == 0
    opening = ((codes == ord("[")) | (codes == ord("{"))) & outside
    closing = ((codes == ord("]")) | (codes == ord("}"))) & outside
    brackets = int(np.count_nonzero(opening))
    depth = 0
    if 0 < brackets <= most:
        steps = opening.view(np.int8) - closing.view(np.int8)
        depth = int(np.cumsum(steps[steps != 0], dtype=np.int64).max())
    return int(np.count_nonzero(quotes)), brackets, depth


def _with_array(entry: Json) -> Json:
    if isinstance(entry.get("data"), list):
        with contextlib.suppress(
            TypeError, OverflowError
        ):  # refused where it turns out to be a layer's
            entry["data"] = array("I", entry["data"])
    return entry
