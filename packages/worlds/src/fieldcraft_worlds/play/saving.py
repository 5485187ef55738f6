"""Save files: written completely or not at all, checksummed, no pickle.

Layout: a magic line, the format's version (4 bytes), the lengths of the next two parts (8 bytes
each), a packed dict with the game and its version, the packed contents compressed with zlib, and
the SHA-256 of all before it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSaveFile
from fieldcraft.base.files import damaged, newer, sealed, write_sealed
from fieldcraft.space.encoding import from_bytes, to_bytes

_MAGIC = b"fieldcraft game\n"
_VERSION = 1
_FRAME = struct.Struct(">IQQQ")
_LARGEST = 1 << 30


@dataclass(frozen=True)
class Contents:
    """The contents of a save: `header`, a dict, and the packed value that `value` unpacks."""

    path: Path
    header: dict[str, Any]
    packed: bytes

    def value(self, kinds: Iterable[type]) -> Any:
        """Return the value, made of dataclasses of these kinds; raises `BadSaveFile` where it
        isn't.
        """
        try:
            return from_bytes(self.packed, kinds)
        except BadSaveFile as error:
            raise damaged(self.path, error.got) from error


def write(
    path: str | os.PathLike[str], header: dict[str, Any], value: Any, kinds: Iterable[type]
) -> None:
    """Write a file: beside `path` first, then renamed over it, so that there is the old file or the
    whole new one.

    Raises
    ------
    BadSaveFile
        If that can't be.
    InvalidValue
        If `value` can't be packed.
    """
    target = checks.path("path", path)
    head, packed = to_bytes(header), to_bytes(value, kinds)
    body = zlib.compress(packed, 1)
    write_sealed(
        target, (_MAGIC, _FRAME.pack(_VERSION, len(head), len(body), len(packed)), head, body)
    )


def read(path: str | os.PathLike[str]) -> Contents:
    """Read a file of `write`.

    Raises
    ------
    BadSaveFile
        If the file is missing, damaged, another kind of file, or of another version of the format.
    """
    target = checks.path("path", path)
    with sealed(target, _MAGIC, _FRAME.size) as (file, inside):
        data = file.read(inside)
    version, head, body, size = _FRAME.unpack_from(data)
    begin = _FRAME.size
    if version != _VERSION:
        raise newer(target, version, _VERSION)
    if begin + head + body != len(data) or size > _LARGEST:
        raise damaged(target, "lengths that don't add up")
    unpacking = zlib.decompressobj()
    try:
        header = from_bytes(data[begin : begin + head])
        packed = unpacking.decompress(data[begin + head : begin + head + body], size + 1)
    except (BadSaveFile, zlib.error) as error:
        raise damaged(target, f"contents that cannot be unpacked ({error})") from error
    if len(packed) != size or not isinstance(header, dict):
        raise damaged(target, f"{len(packed)} bytes where {size} belong")
    return Contents(target, header, packed)


def free_name(folder: Path, stem: str) -> Path:
    """Return the first free path of a picture in a folder."""
    names = (folder / f"{stem}{extra}.png" for extra in ("", *(f"-{n}" for n in range(2, 1000))))
    return next((name for name in names if not name.exists()), folder / f"{stem}.png")
