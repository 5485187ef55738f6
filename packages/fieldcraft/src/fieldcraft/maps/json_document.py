"""JSON documents that hold graphs, read under limits."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import BadMapFile, InvalidValue
from fieldcraft.maps.reading import read_bytes
from fieldcraft.space import Graph

__all__ = ["Document", "built", "document_in", "json_kind", "outline", "read_document"]

MAX_BYTES = 2**26
MAX_PARTS = 2**22
MAX_DEPTH = 32
_CHUNK = 2**20
_NO_BACKSLASH = re.compile(rb"[^\\]")

_TILED = "Tiled map"
_TILED_KEYS = ("layers", "tilewidth", "tilesets")
_RULE = (
    "A JSON map has layers (Tiled), vertices and edges, vertices and polygons (Recast) or areas"
    " (Counter-Strike)"
)


class Document:
    """The object that a JSON file is; every question about it that fails is a `BadMapFile` that
    names the place.
    """

    def __init__(self, file: Path, kind: str, content: dict[str, Any], parts: int = 0) -> None:
        self.name, self.kind, self.content, self.parts = file.name, kind, content, parts

    def refuse(self, rule: str, got: str) -> NoReturn:
        """Raise what is said about a file that breaks a rule."""
        raise BadMapFile(
            rule,
            got=f"{got} in {self.name}",
            remedy=f"Export the {self.kind} again, or mend that entry",
        )

    def entry(self, where: Any, key: str, kinds: type | tuple[type, ...], place: str) -> Any:
        """The entry `key` of an object in the file, of one of these types."""
        if not isinstance(where, dict):
            self.refuse(f"{place} of a {self.kind} is an object", f"a {type(where).__name__}")
        value = where.get(key)
        allowed = kinds if isinstance(kinds, tuple) else (kinds,)
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            what = " or ".join(
                "a number" if kind in (int, float) else f"a {kind.__name__}"
                for kind in dict.fromkeys(allowed)
            )
            self.refuse(
                f"{place} of a {self.kind} has {key!r}, {what}",
                "nothing" if value is None else f"{value!r}"[:60],
            )
        return value

    def numbers(self, rows: Any, columns: int, place: str, *, whole: bool = False) -> NDArray[Any]:
        """Rows of as many numbers each, (N, columns), float64 of at most `checks.LARGEST` in size,
        or int64 if `whole`.
        """
        try:
            array = np.asarray(rows) if len(rows) else np.zeros((0, columns), dtype=np.int64)
        except (TypeError, ValueError, OverflowError):
            array = np.zeros(0, dtype=np.bool_)
        if (
            array.shape[1:] != (columns,)
            or array.dtype.kind not in ("iu" if whole else "iuf")
            or not (np.abs(array.astype(np.float64)) <= checks.LARGEST).all()
            or any(value is True or value is False for row in rows for value in row)
        ):
            what = "whole numbers" if whole else f"finite numbers up to {checks.LARGEST:g}"
            odd = (k for k, row in enumerate(rows) if not _is_row(row, columns, whole))
            at = next(odd, 0)
            rule = f"{place} of a {self.kind} are lists of {columns} {what}"
            self.refuse(rule, f"{rows[at]!r}"[:60] + f" at {at}")
        return array.astype(np.int64 if whole else np.float64)


def _is_row(row: object, columns: int, whole: bool) -> bool:
    kinds = (int,) if whole else (int, float)
    return (
        isinstance(row, list)
        and len(row) == columns
        and all(type(each) in kinds and abs(each) <= checks.LARGEST for each in row)
    )


def read_document(file: Path, kind: str) -> Document:
    """The JSON object in a file; `BadMapFile` for anything else, for more than 64 MB, and for
    brackets without end.
    """
    return document_in(
        read_bytes(file, MAX_BYTES, f"Leave out what is not needed of the {kind}"), file, kind
    )


def document_in(raw: bytes, file: Path, kind: str, most: int = MAX_PARTS) -> Document:
    """The JSON object that the bytes of a file are."""
    parts, depth = outline(raw, most)
    if parts > most or depth > MAX_DEPTH:
        raise BadMapFile(
            f"A {kind} has at most {most:,} objects and lists, {MAX_DEPTH} deep",
            got=f"{parts:,} of them or more, {depth} deep, in {file.name}",
            remedy="Cut it into several",
        )
    try:
        content = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadMapFile(
            f"A {kind} is a JSON document",
            got=f"{file.name}: {error}"[:300],
            remedy="Export it again",
        ) from None
    if not isinstance(content, dict):
        raise BadMapFile(
            f"The JSON of a {kind} is an object",
            got=f"a {type(content).__name__} in {file.name}",
            remedy="Export it again",
        )
    return Document(file, kind, content, parts)


def built(
    document_name: str, kind: str, *arguments: Any, polygons: bool = False, **settings: Any
) -> Graph:
    """The graph of what a file holds; what a graph refuses is then the file's fault, but for
    `max_height`, which is the caller's.
    """
    if settings.get("max_height") is not None:
        checks.not_negative("max_height", settings["max_height"])
    try:
        return (
            Graph.from_polygons(*arguments, **settings)
            if polygons
            else Graph(*arguments, **settings)
        )
    except InvalidValue as error:
        raise BadMapFile(
            error.rule, got=f"{error.got} in {document_name}", remedy=f"Mend the {kind}"
        ) from None


def outline(raw: bytes, most: int = MAX_PARTS) -> tuple[int, int]:
    """How many opening brackets a JSON document has, counted until there are too many, and how deep
    they nest.

    What stands in strings does not count.
    """
    parts = depth = deepest = start = 0
    in_string = False
    while start < len(raw):
        # Chunks don't end in backslashes, which may escape what comes next.
        found = _NO_BACKSLASH.search(raw, min(start + _CHUNK, len(raw)) - 1)
        end = found.end() if found else len(raw)
        piece, start = raw[start:end], end
        codes = np.frombuffer(piece.replace(b"\\\\", b"  ").replace(b'\\"', b"  "), dtype=np.uint8)
        quotes = codes == ord('"')
        inside = (np.cumsum(quotes) + in_string) % 2 != 0
        in_string = bool(inside[-1]) if len(inside) else in_string
        opening = ((codes == ord("[")) | (codes == ord("{"))) & ~inside
        closing = ((codes == ord("]")) | (codes == ord("}"))) & ~inside
        parts += int(np.count_nonzero(opening))
        steps = opening.astype(np.int64) - closing
        level = depth + np.cumsum(steps)
        if len(level):
            deepest, depth = max(deepest, int(level.max())), int(level[-1])
        if parts > most or deepest > MAX_DEPTH:
            break
    return parts, deepest


def json_kind(file: Path) -> str:
    """The name of its format, by the keys at the top.

    Raises
    ------
    BadMapFile
        For a file that can't be read, or that is of none.
    """
    smaller = (
        "Cut it into several; in Tiled, save the layers compressed (Map Properties, Tile Layer"
        " Format)"
    )
    raw = read_bytes(file, MAX_BYTES, smaller)
    if b'"layers"' in raw and b'"tilewidth"' in raw:
        return _TILED  # whose reader checks for itself
    try:
        content = document_in(raw, file, "map").content
    except BadMapFile as error:
        raise BadMapFile(_RULE, got=error.got, remedy="Export it again as one of these") from None
    keys = set(content)
    if "areas" in keys and "vertices" not in keys:
        return "Counter-Strike navigation file"
    if "vertices" in keys and "edges" not in keys and keys & {"polygons", "meshes"}:
        return "Recast mesh"
    if keys & {"vertices", "edges"}:
        return "waypoint graph"
    if keys & set(_TILED_KEYS) or content.get("type") == "map":
        return _TILED
    raise BadMapFile(
        _RULE,
        got=f"{', '.join(map(repr, sorted(keys)[:5])) or 'no keys'} in {file.name}"[:120],
        remedy="Rename its keys, or make a fieldcraft.Graph of what it holds",
    )
