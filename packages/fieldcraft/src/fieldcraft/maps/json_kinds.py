"""Which of the formats that are JSON a file is."""

from __future__ import annotations

from pathlib import Path

from fieldcraft.errors import BadMapFile
from fieldcraft.maps.json_document import MAX_BYTES, document_in
from fieldcraft.maps.reading import file_size, read_bytes

__all__ = ["json_kind"]

_TILED = "Tiled map"
_TILED_KEYS = ("layers", "tilewidth", "tilesets")
_RULE = (
    "A JSON map has layers (Tiled), vertices and edges, vertices and polygons (Recast) or areas"
    " (Counter-Strike)"
)


def json_kind(file: Path) -> str:
    """The name of its format, by the keys at the top.

    Raises `BadMapFile` for a file that can't be read, or that is of none.
    """
    size = file_size(file)
    if size > MAX_BYTES:
        raise BadMapFile(
            f"A JSON map has at most {MAX_BYTES:,} bytes",
            got=f"{file.name} with {size:,}",
            remedy=(
                "Cut it into several; in Tiled, save the layers compressed (Map Properties, Tile"
                " Layer Format)"
            ),
        )
    raw = read_bytes(file, MAX_BYTES, "Cut it into several")
    if b'"layers"' in raw and b'"tilewidth"' in raw:
        return _TILED
    if not raw.strip():
        raise BadMapFile(_RULE, got=f"nothing: {file.name} is empty", remedy="Export it again")
    try:
        content = document_in(raw, file, "map").content
    except BadMapFile as error:
        if any(f'"{word}"'.encode() in raw for word in _TILED_KEYS):
            return _TILED  # whose reader knows better what is wrong
        if b'"vertices"' in raw or b'"areas"' in raw:
            raise
        raise BadMapFile(_RULE, got=error.got, remedy="Export it again as one of these") from None
    keys = set(content)
    if "areas" in keys and "vertices" not in keys:
        return "Counter-Strike navigation file"
    if {"vertices", "edges"} <= keys:
        return "waypoint graph"
    if "vertices" in keys and keys & {"polygons", "meshes"}:
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
