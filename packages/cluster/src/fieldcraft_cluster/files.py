"""The files of blocks: planes of numbers with a checksum, of which only tiles with nonzero values
are written.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import FieldcraftError
from fieldcraft.base.files import damaged, sealed, write_sealed
from fieldcraft.space.encoding import from_bytes, to_bytes

_MAGIC = b"fieldcraft block\n"
_LENGTH = struct.Struct("<Q")
_TILE = 64
_DTYPES = ("<f4", "<i4", "<i8")
_MOST_PLANES = 8
_MOST_HEADER = 1 << 28
_DENSE = 0.75  # a plane with at least this share of nonzero tiles is written whole

Planes = dict[str, NDArray[Any]]


def write_planes(target: Path, planes: Planes) -> int:
    """Write planes (height, width) to a file atomically; return the bytes written."""
    header: dict[str, Any] = {}
    bodies: list[Any] = []
    for name, plane in sorted(planes.items()):  # as they are sorted in the header
        tiles, body = _packed(np.ascontiguousarray(plane))
        header[name] = {"dtype": plane.dtype.str, "shape": plane.shape, "tiles": tiles}
        bodies.append(body.reshape(-1).view(np.uint8).data)
    text = to_bytes(header)
    write_sealed(target, (_MAGIC, _LENGTH.pack(len(text)), text, *bodies), clean=False)
    return len(text) + sum(len(body) for body in bodies)


def read_planes(target: Path, shape: tuple[int, int]) -> Planes:
    """Return the planes of a file, all of this shape; it is checked before anything is allocated.

    Raises
    ------
    BadSaveFile
        For a file that is missing, damaged, or no such file.
    """
    with sealed(target, _MAGIC, _LENGTH.size) as (file, inside):
        (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
        if length > min(inside, _MOST_HEADER):
            raise damaged(target, f"a header of {length} bytes")
        try:
            header = from_bytes(file.read(length), most_bytes=_MOST_HEADER)
            if not isinstance(header, dict) or len(header) > _MOST_PLANES:
                raise ValueError("a header that lists no planes")
            for entry in header.values():
                if entry["shape"] != shape or not all(type(n) is int for n in entry["shape"]):
                    raise ValueError(f"a plane of shape {entry['shape']!r:.40}")
            return {name: _plane(file, inside, **entry) for name, entry in header.items()}
        except FieldcraftError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise damaged(target, f"planes that cannot be read ({error})") from error


def _packed(plane: NDArray[Any]) -> tuple[NDArray[np.int64] | None, NDArray[Any]]:
    """Return the numbers of nonzero tiles and these tiles; or None and the whole plane."""
    height, width = plane.shape
    down = -(-height // _TILE)
    across = -(-width // _TILE)
    rows = np.logical_or.reduceat(plane != 0, np.arange(0, width, _TILE), axis=1)
    alive = np.logical_or.reduceat(rows, np.arange(0, height, _TILE), axis=0)
    tiles = np.flatnonzero(alive)
    if len(tiles) >= _DENSE * down * across:
        return None, plane
    found = np.zeros((len(tiles), _TILE, _TILE), dtype=plane.dtype)
    for tile, (i, j) in zip(found, np.argwhere(alive).tolist(), strict=True):
        part = plane[i * _TILE : (i + 1) * _TILE, j * _TILE : (j + 1) * _TILE]
        tile[: part.shape[0], : part.shape[1]] = part
    return tiles, found


def _plane(
    file: Any, inside: int, dtype: str, shape: tuple[int, int], tiles: NDArray[np.int64] | None
) -> NDArray[Any]:
    height, width = shape
    if dtype not in _DTYPES:
        raise ValueError(f"a plane of {dtype!r:.40}")
    kind = np.dtype(dtype)
    down = -(-height // _TILE)
    across = -(-width // _TILE)
    count = height * width
    if tiles is not None:
        if tiles.dtype != np.int64 or tiles.ndim != 1 or not (np.diff(tiles) > 0).all():
            raise ValueError("tiles out of order")
        if len(tiles) and not 0 <= tiles[0] <= tiles[-1] < down * across:
            raise ValueError("tiles beyond the plane")
        count = len(tiles) * _TILE * _TILE
    raw = file.read(min(count * kind.itemsize, inside))
    if len(raw) != count * kind.itemsize:
        raise ValueError("too few bytes")
    values = np.frombuffer(raw, dtype=kind)
    if not np.isfinite(values).all():
        raise ValueError("values that are not finite")
    if tiles is None:
        return values.reshape(shape)
    plane = np.zeros(shape, dtype=kind)
    for tile, number in zip(values.reshape(-1, _TILE, _TILE), tiles.tolist(), strict=True):
        i, j = divmod(number, across)
        part = plane[i * _TILE : (i + 1) * _TILE, j * _TILE : (j + 1) * _TILE]
        part[:] = tile[: part.shape[0], : part.shape[1]]
    return plane
