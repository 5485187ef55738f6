"""Bytes of a map file: regular files only, and never more than the caller is ready for."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from fieldcraft import checks
from fieldcraft.errors import BadMapFile

__all__ = ["file_size", "map_file", "read_bytes"]


def map_file(path: str | os.PathLike[str], mobility: str, offered: Sequence[str]) -> Path:
    """The path of a map file, and whether files of its kind offer a mobility."""
    checks.choice("mobility", mobility, tuple(offered))
    return checks.path("path", path)


def file_size(path: Path) -> int:
    """The size of a regular file in bytes; `BadMapFile` for anything that is missing or no regular
    file.
    """
    rule = "A map is read from a file"
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadMapFile(
            rule, got=f"{str(path)!r}: {reason}", remedy="Check the path and the working directory"
        ) from None
    if stat.S_ISDIR(status.st_mode):
        raise BadMapFile(
            rule, got=f"the folder {str(path)!r}", remedy="Name one of the files in it"
        )
    if not stat.S_ISREG(status.st_mode):
        raise BadMapFile(
            rule,
            got=f"{str(path)!r}, which is a device or a pipe",
            remedy="Copy what it gives into a file first",
        )
    return status.st_size


def read_bytes(path: Path, limit: int, remedy: str, *, start: int = 0) -> bytes:
    """The bytes from `start` on of a regular file of at most `limit` bytes; `BadMapFile` with
    `remedy` if it is larger.
    """
    size = file_size(path)
    if size <= limit:
        try:
            with path.open("rb") as file:
                file.seek(start)
                data = file.read(size + 1 - start)
        except OSError as error:
            raise BadMapFile(
                "A map is read from a file",
                got=f"{str(path)!r}: {error.strerror}",
                remedy="Check the permissions of the file",
            ) from None
        size = start + len(data)
        if size <= limit:
            return data
    raise BadMapFile(
        f"A file of this kind has at most {limit:,} bytes",
        got=f"{path.name} with {size:,}",
        remedy=remedy,
    )
