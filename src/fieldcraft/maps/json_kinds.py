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
    size = file_size(file)
    if size > MAX_BYTES:
        raise BadMapFile(
            f"A JSON map has at most {MAX_BYTES:,} bytes",
            got=f"{file.name} with {size:,}",
            remedy="Cut it into several; in Tiled, save the layers compressed (Map Properties, Tile Layer Format)",
        )
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
    if keys & {"vertices", "edges"}:
        return "waypoint graph"
    if keys and not keys & {"layers", "tilesets", "tilewidth", "type"}:
        raise BadMapFile(
            "A JSON map has layers (Tiled), vertices and edges, vertices and polygons (Recast) or areas (Counter-Strike)",
            got=f"{', '.join(map(repr, sorted(keys)[:5]))} in {file.name}"[:120],
            remedy="Rename its keys, or make a fieldcraft.Graph of what it holds",
        )
    return _TILED
