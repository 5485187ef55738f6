"""Which of the formats that are JSON a file is."""

from __future__ import annotations

from pathlib import Path

from fieldcraft.errors import BadMapFile
from fieldcraft.maps.json_document import MAX_BYTES, document_in
from fieldcraft.maps.reading import file_size, read_bytes

__all__ = ["json_kind"]

_TILED = "Tiled map"


def json_kind(file: Path) -> str:
    """The name of its format, by the keys at the top; a Tiled map where they are none of those that graphs have.

    Raises `BadMapFile` for a file that can't be read.
    """
    if file_size(file) > MAX_BYTES:
        return _TILED
    raw = read_bytes(file, MAX_BYTES, "Cut it into several")
    if b'"layers"' in raw and b'"tilewidth"' in raw:
        return _TILED
    try:
        keys = set(document_in(raw, file, "map").content)
    except BadMapFile:
        if b'"layers"' in raw or not any(word in raw for word in (b'"vertices"', b'"areas"')):
            return _TILED
        raise
    if "areas" in keys and "vertices" not in keys:
        return "Counter-Strike navigation file"
    if {"vertices", "edges"} <= keys:
        return "waypoint graph"
    if "vertices" in keys and keys & {"polygons", "meshes"}:
        return "Recast mesh"
    return "waypoint graph" if "vertices" in keys or "edges" in keys else _TILED
