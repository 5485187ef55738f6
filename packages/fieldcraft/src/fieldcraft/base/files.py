"""Files that are written completely or not at all, with checksums.

A sealed file begins with a magic line that names its format and ends with the SHA-256 of everything
before.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from fieldcraft.base import checks
from fieldcraft.base.errors import BadSaveFile, FieldcraftError, InvalidValue

__all__ = [
    "damaged",
    "file_size",
    "in_file",
    "is_there",
    "newer",
    "read_bytes",
    "sealed",
    "target_of",
    "write_sealed",
]

_SEAL = hashlib.sha256().digest_size
_CHUNK = 1 << 20
_HOUR = 3600.0


def target_of(name: str, value: object) -> Path:
    """Return a value as the path of a file to write."""
    found = checks.path(name, value)
    try:
        if b"\0" not in os.fsencode(found):
            return found
    except UnicodeEncodeError:
        pass
    rule = f"{name} is a name that files can have"
    got = ascii(str(found))
    raise InvalidValue(rule, got=got, remedy="Choose another name")


def reason_of(error: BaseException) -> str:
    """Return what the system says of an error, without the path."""
    return getattr(error, "strerror", None) or str(error)


def file_size(path: Path, what: str, error: type[FieldcraftError]) -> int:
    """Return the size of a regular file in bytes; raise `error` if it is missing, or is a folder, a
    device or a pipe. `what` is read from it, for messages.
    """
    rule = f"{what} is read from a file"
    try:
        status = path.stat()
    except (OSError, ValueError) as problem:
        got = f"{str(path)!r}: {reason_of(problem)}"
        remedy = "Check the path and the working directory"
        raise error(rule, got=got, remedy=remedy) from None
    if stat.S_ISDIR(status.st_mode):
        remedy = "Name one of the files in it"
        raise error(rule, got=f"the folder {str(path)!r}", remedy=remedy)
    if not stat.S_ISREG(status.st_mode):
        got = f"{str(path)!r}, which is a device or a pipe"
        raise error(rule, got=got, remedy="Copy its content into a file first")
    return status.st_size


def read_bytes(
    path: Path, limit: int, what: str, error: type[FieldcraftError], remedy: str
) -> bytes:
    """Return the bytes of a regular file; raise `error`, with `remedy` for more than `limit`."""
    size = file_size(path, what, error)
    if size > limit:
        got = f"{path.name} with {size:,}"
        raise error(f"A file of this kind has at most {limit:,} bytes", got=got, remedy=remedy)
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as problem:
        got = f"{str(path)!r}: {problem.strerror}"
        remedy = "Check the permissions of the file"
        raise error(f"{what} is read from a file", got=got, remedy=remedy) from None


def write_sealed(target: Path, parts: Iterable[bytes], *, clean: bool = True) -> None:
    """Write parts and the SHA-256 of them all to a file beside the target, then rename it.

    The folder of the target is made if it is missing, as for pictures and films.
    Unfinished files of earlier processes, older than an hour, are deleted (`clean=False` leaves
    them). Raises `BadSaveFile` where the file cannot be written; the old one is unchanged then.
    """
    digest = hashlib.sha256()
    partial = None
    try:
        target = Path(os.path.realpath(target))  # a link stays a link
        target.parent.mkdir(parents=True, exist_ok=True)
        if clean:
            _delete_unfinished(target)
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
            raise BadSaveFile(
                "A save goes to a path that can be written",
                got=f"{str(target)!r}: {reason_of(error)}; what was there before is unchanged",
                remedy="Choose another path",
            ) from error
        raise


def _delete_unfinished(target: Path) -> None:
    """Delete the unfinished files beside a target that a killed `write_sealed` left."""
    name = re.compile(re.escape(f".{target.name}.") + r"[0-9a-f]{8}\.part")
    with contextlib.suppress(OSError, ValueError):
        for file in target.parent.iterdir():
            if name.fullmatch(file.name) and time.time() - file.lstat().st_mtime > _HOUR:
                file.unlink(missing_ok=True)


@contextlib.contextmanager
def sealed(target: Path, magic: bytes, least: int = 0) -> Iterator[tuple[BinaryIO, int]]:
    """Open a file that `write_sealed` wrote, behind its magic line; yield it and the number of
    bytes from there to its checksum, at least `least`.

    Raises
    ------
    BadSaveFile
        If it can't be read, is another kind of file, or was changed since.
    """
    try:
        opened = target.open("rb")
    except (OSError, ValueError) as error:  # `ValueError` for a path with a zero in it
        raise _unreadable(target, error) from error
    with opened as file:
        try:
            if file.read(len(magic)) != magic:
                raise damaged(target, "another kind of file")
            size = os.fstat(file.fileno()).st_size
            inside = size - len(magic) - _SEAL
            if inside < least:
                raise damaged(target, f"{size} bytes, which is too short")
            _check_seal(file, target, size - _SEAL)
            file.seek(len(magic))
            yield file, inside
        except OSError as error:
            raise _unreadable(target, error) from error


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of a file; False for texts that can't be paths, too."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # too long, or with a zero in it
        return False


def damaged(target: Path, got: str) -> BadSaveFile:
    """Return the error about a file that `write_sealed` did not write."""
    return BadSaveFile(
        "A save is a complete file that fieldcraft wrote",
        got=f"{got}: {target}",
        remedy="Use another copy of it",
    )


def in_file(target: Path, error: BadSaveFile) -> BadSaveFile:
    """Return an error about the contents of a file with the path of the file in it."""
    return BadSaveFile(error.rule, got=f"{error.got}: {target}", remedy=error.remedy)


def newer(target: Path, version: int, known: int) -> BadSaveFile:
    """Return the error about a file of another version of its format than the known one."""
    return BadSaveFile(
        f"This fieldcraft reads saves of version {known}",
        got=f"version {version} in {target}",
        remedy="Use the fieldcraft that wrote it, or a newer one",
    )


def _unreadable(target: Path, error: Exception) -> BadSaveFile:
    return BadSaveFile(
        "A save can be read",
        got=f"{target}: {getattr(error, 'strerror', error)}",
        remedy="Check the path",
    )


def _check_seal(file: BinaryIO, target: Path, left: int) -> None:
    digest = hashlib.sha256()
    file.seek(0)
    while left > 0:
        part = file.read(min(_CHUNK, left))
        if not part:
            raise damaged(target, "a file that ends early")
        digest.update(part)
        left -= len(part)
    if file.read() != digest.digest():
        raise damaged(target, "a checksum that differs")
