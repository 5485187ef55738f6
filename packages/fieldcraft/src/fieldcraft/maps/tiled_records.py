"""The records of a Tiled map, and the tile ids of its layers."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import BadMapFile, MissingLibrary

__all__ = [
    "Json",
    "Shape",
    "TileChunk",
    "TiledLayer",
    "TiledMap",
    "TiledObject",
    "TiledTileset",
    "tile_ids",
]

Json = dict[str, Any]
Shape = Literal["rectangle", "ellipse", "polygon", "polyline", "picture", "nothing"]

# The top four bits of a global tile id say how the tile is turned.
_ID_BITS = 0x0FFFFFFF
_NO_LIST = re.compile(r"[^\d,\s]|\d\s+\d|,\s*(?:,|\Z)|\A\s*(?:,|\Z)", re.ASCII)


@dataclass(frozen=True)
class TileChunk:
    """A rectangle of tiles, its corner and size in tiles, and its ids as they stand in the file:
    "csv" or "base64", compressed by "", "zlib", "gzip" or "zstd".
    """

    x: int
    y: int
    width: int
    height: int
    encoding: str
    compression: str
    payload: str | list[Any]


@dataclass(frozen=True)
class TiledObject:
    """An object: its shape in pixels, turned by `rotation` degrees around (x, y).

    `points` are those of a polygon or polyline, from (x, y). Points and texts have the shape
    "nothing".
    """

    name: str
    kind: str
    shape: Shape
    x: float
    y: float
    width: float
    height: float
    rotation: float
    visible: bool
    points: tuple[tuple[float, float], ...]
    properties: Json


@dataclass(frozen=True)
class TiledLayer:
    """A layer that is no group, with what its groups say of it: `names` are its own, the last, and
    those of the groups around it.

    `visible` is whether it and all its groups are, `offset` the sum of theirs, in pixels.
    """

    names: tuple[str, ...]
    visible: bool
    offset: tuple[float, float]
    properties: Json
    chunks: tuple[TileChunk, ...]
    objects: tuple[TiledObject, ...]


@dataclass(frozen=True)
class TiledTileset:
    """A tileset: the global id of its first tile, and the properties of its tiles by number."""

    first: int
    properties: dict[int, Json]


@dataclass(frozen=True)
class TiledMap:
    """A map: its size in tiles, that of a tile in pixels, and its layers from the bottom up."""

    orientation: str
    width: int
    height: int
    tile_width: int
    tile_height: int
    infinite: bool
    tilesets: tuple[TiledTileset, ...]
    layers: tuple[TiledLayer, ...]


def tile_ids(chunk: TileChunk, where: str) -> NDArray[np.uint32]:
    """The global tile ids of a chunk without their flip bits, shape (chunk.height, chunk.width), 0
    for no tile.

    Takes no more memory than the claimed size asks for. Raises `BadMapFile` where the payload does
    not fit it.
    """
    count = chunk.width * chunk.height
    try:
        if isinstance(chunk.payload, list) or chunk.encoding == "csv":
            ids = _listed(chunk.payload, count)
        else:
            ids = np.frombuffer(_unpacked(chunk, chunk.payload, 4 * count), dtype="<u4")
    except (ValueError, OverflowError, zlib.error) as error:
        raise BadMapFile(
            f"A layer of this size has {count:,} tiles, whole numbers of 32 bits as csv or base64,"
            " compressed by zlib, gzip, zstd or not at all",
            got=f"{error} in {where}",
            remedy="Save the map again in Tiled",
        ) from None
    return (ids & np.uint32(_ID_BITS)).reshape(chunk.height, chunk.width)


def _listed(payload: str | list[Any], count: int) -> NDArray[np.uint32]:
    if isinstance(payload, list):
        ids = np.asarray(payload)
    elif wrong := _NO_LIST.search(payload):
        raise ValueError(f"{wrong[0][:20]!r}")
    else:
        ids = np.fromstring(payload, dtype=np.int64, sep=",")
    if ids.shape != (count,) or ids.dtype.kind not in "iu":
        raise ValueError(f"{len(ids):,} of {ids.dtype}")
    if ids.min() < 0 or ids.max() > 0xFFFFFFFF:
        raise ValueError(f"{ids.min()} to {ids.max()}")
    return ids.astype(np.uint32)


def _unpacked(chunk: TileChunk, text: str, size: int) -> bytes:
    if chunk.encoding != "base64" or chunk.compression not in ("", "zlib", "gzip", "zstd"):
        raise ValueError(f"{chunk.encoding[:40]!r} and {chunk.compression[:40]!r}")
    packed = base64.b64decode("".join(text.split()), validate=True)
    data, is_whole = packed, True
    if chunk.compression == "zstd":
        data = _unzstd(packed, size + 1)
    elif chunk.compression:
        gzip_bits = 16 if chunk.compression == "gzip" else 0
        stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | gzip_bits)
        data = stream.decompress(packed, size + 1)
        is_whole = stream.eof
    if len(data) != size or not is_whole:
        came = "more" if len(data) > size else f"{len(data):,} and no end"
        raise ValueError(f"{came} in place of {size:,} bytes")
    return data


def _unzstd(packed: bytes, most: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        feature = "Loading a Tiled layer compressed by zstd"
        raise MissingLibrary("zstandard", "maps", feature) from None
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            return bytes(stream.read(most))
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from None
