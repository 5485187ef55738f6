"""Saves on the disk: the old file or the whole new one, with a checksum at its end."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from fieldcraft.errors import BadSaveFile, InvalidValue

__all__ = ["checked_path", "write_whole"]


def checked_path(path: str | os.PathLike[str]) -> Path:
    """A path, or `InvalidValue`."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidValue("A path is a string or a pathlib.Path", got=repr(path), remedy="Pass the name of a file")
    return Path(path)


def write_whole(target: Path, parts: Iterable[bytes]) -> None:
    """Write parts and the SHA-256 of them all to a file beside the target, which is then renamed over it.

    Raises `BadSaveFile` where that can't be; what stood there before is still whole.
    """
    digest = hashlib.sha256()
    partial = None
    try:
        target = Path(os.path.realpath(target))  # a link stays a link
        partial = target.parent / f".{target.name}.{os.urandom(4).hex()}.part"
        with partial.open("xb") as file:
            for part in parts:
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except BaseException as error:
        if partial is not None:
            with contextlib.suppress(OSError, ValueError):
                partial.unlink()
        if isinstance(error, (OSError, ValueError)):
            raise BadSaveFile("A save goes to a path that can be written", got=str(error), remedy="Choose another path") from error
        raise
