"""The records of a Tiled map, and the tile ids of its layers."""

from __future__ import annotations

import base64
import binascii
import importlib
import re
import zlib
from array import array
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import BadMapFile, MissingLibrary

__all__ = [
    "TileChunk",
    "TileData",
    "TiledLayer",
    "TiledMap",
    "TiledObject",
    "TiledTileset",
    "tile_ids",
]

# The top four bits of a global tile id say how the tile is turned.
_ID_BITS = 0x0FFFFFFF
_GAPS = (re.compile(rb"\d\s+\d"), re.compile(rb",\s*,"))
_REMEDY = "Save the map again in Tiled"


@dataclass(frozen=True)
class TileChunk:
    """A rectangle of tiles, its corner and size in tiles, and its ids as they stand in the file."""

    x: int
    y: int
    width: int
    height: int
    payload: bytes | array[int]


@dataclass(frozen=True)
class TileData:
    """The tiles of one layer: "csv" or "base64", compressed by "", "zlib", "gzip" or "zstd"."""

    encoding: str
    compression: str
    chunks: tuple[TileChunk, ...]


def tile_ids(data: TileData, chunk: TileChunk, where: str) -> NDArray[np.uint32]:
    """The global tile ids of a chunk without their flip bits, shape (chunk.height, chunk.width), 0
    for no tile.

    Takes no more memory than the claimed size asks for, whatever the payload would unpack to.
    Raises `BadMapFile` where the two don't agree.
    """
    count = chunk.width * chunk.height
    if isinstance(chunk.payload, array):
        ids = (
            np.frombuffer(chunk.payload, dtype=np.uint32)
            if len(chunk.payload)
            else np.empty(0, dtype=np.uint32)
        )
        _check_count(len(ids), count, where)
    elif data.encoding == "csv":
        ids = _from_text(chunk.payload, count, where)
    elif data.encoding == "base64":
        ids = np.frombuffer(
            _unpacked(chunk.payload, data.compression, 4 * count, where), dtype="<u4"
        )
    else:
        raise BadMapFile(
            "The tiles of a layer are csv or base64",
            got=f"{data.encoding[:40]!r} in {where}",
            remedy=_REMEDY,
        )
    return (ids & np.uint32(_ID_BITS)).reshape(chunk.height, chunk.width)


def _from_text(text: bytes, count: int, where: str) -> NDArray[np.uint32]:
    _check_count(text.count(b",") + 1, count, where)
    wrong = text.translate(None, b"0123456789, \t\r\n")[:20]
    text = text.strip()
    if (
        wrong
        or not text
        or text[:1] == b","
        or text[-1:] == b","
        or any(gap.search(text) for gap in _GAPS)
    ):
        raise BadMapFile(
            "Tile ids are whole numbers with commas between them",
            got=f"{wrong.decode('latin-1') or 'a gap'!r} in {where}",
            remedy=_REMEDY,
        )
    ids = np.fromstring(text.decode("ascii"), dtype=np.int64, sep=",")
    _check_count(len(ids), count, where)
    if ids.max() > 0xFFFFFFFF:
        raise BadMapFile("Tile ids have 32 bits", got=f"{ids.max()} in {where}", remedy=_REMEDY)
    return ids.astype(np.uint32)


def _unpacked(text: bytes, compression: str, size: int, where: str) -> bytes:
    try:
        packed = base64.b64decode(text.translate(None, b" \t\r\n"), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadMapFile(
            "The tiles of this layer are base64", got=f"{error} in {where}", remedy=_REMEDY
        ) from None
    if compression == "":
        data, whole = packed, True
    elif compression in ("zlib", "gzip"):
        stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | (16 if compression == "gzip" else 0))
        try:
            data = stream.decompress(packed, size + 1)
        except zlib.error as error:
            raise BadMapFile(
                f"The tiles of this layer are {compression} data",
                got=f"{error} in {where}",
                remedy=_REMEDY,
            ) from None
        whole = stream.eof or len(data) > size
    elif compression == "zstd":
        data, whole = _unzstd(packed, size, where), True
    else:
        raise BadMapFile(
            "The tiles of a layer are plain or compressed by zlib, gzip or zstd",
            got=f"{compression[:40]!r} in {where}",
            remedy=_REMEDY,
        )
    if len(data) != size or not whole:
        came = "more" if len(data) > size else f"{len(data):,}" + ("" if whole else " and no end")
        raise BadMapFile(
            f"A layer of this size has {size:,} bytes of tiles",
            got=f"{came} in {where}",
            remedy=_REMEDY,
        )
    return data


def _unzstd(packed: bytes, size: int, where: str) -> bytes:
    try:
        zstd = importlib.import_module("zstd")
    except ImportError:
        raise MissingLibrary("zstd", "maps", "Loading a Tiled layer compressed by zstd") from None
    # The library unpacks into as many bytes as the frames announce, so they are looked at first.
    if _frame(packed) != (size, len(packed)):
        raise BadMapFile(
            f"A layer of this size is one zstd frame of {size:,} bytes",
            got=f"something else in {where}",
            remedy=_REMEDY,
        )
    try:
        return bytes(zstd.decompress(packed))
    except zstd.Error as error:
        raise BadMapFile(
            "The tiles of this layer are zstd data", got=f"{error} in {where}", remedy=_REMEDY
        ) from None


def _frame(data: bytes) -> tuple[int, int] | None:
    """The unpacked and the packed size that the first zstd frame of `data` announces (RFC 8878,
    section 3.1.1).
    """
    if data[:4] != b"\x28\xb5\x2f\xfd" or len(data) < 6:
        return None
    flags = data[4]
    single_segment, checksum = flags >> 5 & 1, flags >> 2 & 1
    size_bytes = (single_segment, 2, 4, 8)[flags >> 6]
    at = 5 + (1 - single_segment) + (0, 1, 2, 4)[flags & 3]
    size = int.from_bytes(data[at : at + size_bytes], "little") + (256 if size_bytes == 2 else 0)
    at += size_bytes
    if not size_bytes or at > len(data):
        return None
    while at + 3 <= len(data):
        header = int.from_bytes(data[at : at + 3], "little")
        last, kind, block = header & 1, header >> 1 & 3, header >> 3
        at += 3 + (1 if kind == 1 else block)  # a run-length block is one byte
        if last:
            return size, at + 4 * checksum
    return None


def _check_count(came: int, count: int, where: str) -> None:
    if came != count:
        raise BadMapFile(
            f"A layer of this size has {count:,} tiles", got=f"{came:,} in {where}", remedy=_REMEDY
        )


Shape = Literal["rectangle", "ellipse", "polygon", "polyline", "picture", "nothing"]


@dataclass(frozen=True)
class TiledObject:
    """An object: its shape in pixels, turned by `rotation` degrees round (x, y), and whether a
    property makes it a wall.

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
    is_wall: bool
    properties: dict[str, str | float | bool]


@dataclass(frozen=True)
class TiledLayer:
    """A layer that is no group, with what its groups say of it: `names` are its own and those of
    the groups around it, the last its own.

    `tiles` is None if it is no tile layer. `visible` is whether it and all its groups are, `offset`
    the sum of theirs, in pixels.
    """

    names: tuple[str, ...]
    visible: bool
    offset: tuple[float, float]
    is_wall: bool
    tiles: TileData | None
    objects: tuple[TiledObject, ...]

    @property
    def name(self) -> str:
        """The layer's own name."""
        return self.names[-1]


@dataclass(frozen=True)
class TiledTileset:
    """A tileset: the global id of its first tile, and the numbers of the tiles that a property
    makes walls.
    """

    first: int
    walls: tuple[int, ...]


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
