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
from fieldcraft.base.files import damaged, in_file, newer, sealed, write_sealed
from fieldcraft.space.encoding import Keys, from_bytes, from_compressed, to_bytes

_MAGIC = b"fieldcraft game\n"
_VERSION = 1
_FRAME = struct.Struct(">IQQQ")
_HEADER: Keys = dict.fromkeys(("game", "kind", "version"))
_MOST_HEADER = 1 << 16


@dataclass(frozen=True)
class Contents:
    """The contents of a save: `header`, a dict, and `body`, the compressed value of `size` bytes
    that `value` unpacks.
    """

    path: Path
    header: dict[str, Any]
    body: bytes
    size: int

    def value(self, kinds: Iterable[type], keys: Keys | None = None) -> Any:
        """Return the value, made of dataclasses of these kinds, with these keys if it is a dict;
        raises `BadSaveFile` where it isn't.
        """
        try:
            return from_compressed(self.body, self.size, kinds, keys=keys)
        except BadSaveFile as error:
            raise in_file(self.path, error) from error


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
    head = to_bytes(header)
    packed = to_bytes(value, kinds)
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
    if begin + head + body != len(data):
        raise damaged(target, "lengths that don't add up")
    try:
        header = from_bytes(data[begin : begin + head], keys=_HEADER, most_bytes=_MOST_HEADER)
    except BadSaveFile as error:
        raise in_file(target, error) from error
    if not isinstance(header, dict):
        raise damaged(target, "a header that is no dict")
    return Contents(target, header, data[begin + head :], size)


def free_name(folder: Path, stem: str) -> Path:
    """Return the first free path of a picture in a folder."""
    first = folder / f"{stem}.png"
    path = first
    for number in range(2, 1000):
        if not path.exists():
            return path
        path = folder / f"{stem}-{number}.png"
    return first
