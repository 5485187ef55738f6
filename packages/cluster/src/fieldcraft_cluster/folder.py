"""The folder of a world. A marker file has the label of all of its files. Only files with this
label are ever deleted, and one process at a time uses a folder.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from fieldcraft.base.errors import BadSaveFile, InvalidValue
from fieldcraft.base.files import reason_of

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MARKER = "fieldcraft-world.txt"
BLOCKS = "blocks"
_LOCK = "in-use.lock"
_TEXT = "The other files in this folder belong to a fieldcraft world. Label: "
_NAME = re.compile(r"([0-9a-f]{16})-\w{1,40}-\d{1,15}-\w{1,20}-[0-9a-f]{10}\.block", re.ASCII)
_PART = re.compile(r"\.(.+)\.[0-9a-f]{8}\.part")
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_locked: dict[tuple[int, str], tuple[IO[bytes], list[object]]] = {}
"""The open lock files, by process and folder, with their users."""


def claim(folder: Path) -> str:
    """Return the label of a world's folder; an absent or empty folder becomes one.

    Raises
    ------
    InvalidValue
        For a folder with other files.
    BadSaveFile
        For a marker file that cannot be read.
    """
    marker = folder / MARKER
    blocks = folder / BLOCKS
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = sorted({file.name for file in folder.iterdir()} - {MARKER, _LOCK})
        if marker.is_file():
            text = marker.read_text(encoding="utf-8", errors="replace")
        else:
            text = ""
        if others and not text:
            raise InvalidValue(
                "A new world is made in an empty folder, because a world deletes its old files",
                got=f"{str(folder)[:80]}, which contains {', '.join(others)[:80]}",
                remedy="Pass an empty folder, or one that does not exist yet",
            )
        if not text:
            text = _TEXT + os.urandom(8).hex()
            marker.write_text(text, encoding="utf-8")
        if blocks.is_symlink():
            raise InvalidValue(
                "The blocks of a world are in a folder of their own",
                got=f"{str(blocks)[:80]}, which is a link",
                remedy="Link the whole folder of the world instead",
            )
        blocks.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:  # `ValueError` for a path with a zero byte in it
        if isinstance(error, InvalidValue):
            raise
        raise _unwritable(folder, error) from error
    label = text.removeprefix(_TEXT)
    if not re.fullmatch(r"[0-9a-f]{16}", label):
        raise BadSaveFile(
            "The marker file of a world contains its label",
            got=f"{label[:40]!r} in {marker}",
            remedy="Use another copy of the folder",
        )
    return label


def _unwritable(folder: Path, error: Exception) -> InvalidValue:
    return InvalidValue(
        "The folder of a world can be written",
        got=f"{str(folder)[:80]!r}: {reason_of(error)}",
        remedy="Pass another",
    )


def lock(folder: Path, user: object) -> tuple[int, str]:
    """Lock a folder for this process until all of its users have unlocked it; return its key.

    The system unlocks the folder of a process that ends. Disks without locks are not protected.

    Raises
    ------
    InvalidValue
        If another process uses the folder, or it cannot be written.
    """
    place = (os.getpid(), os.path.realpath(folder))
    if place not in _locked:
        try:
            file = (folder / _LOCK).open("ab")
        except OSError as error:
            raise _unwritable(folder, error) from error
        try:
            if sys.platform == "win32":
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _TAKEN:
                file.close()
                raise InvalidValue(
                    "One process at a time uses the folder of a world",
                    got=f"{str(folder)[:80]}, which another process uses",
                    remedy="Close the world there, or end that process",
                ) from None
        _locked[place] = (file, [])
    _locked[place][1].append(user)
    return place


def unlock(place: tuple[int, str], user: object) -> None:
    """Unlock a folder by its key; other processes may use it after its last user here."""
    file, users = _locked.get(place, (None, []))
    if file is not None and user in users:
        users.remove(user)
        if not users:
            del _locked[place]
            file.close()


def block_name(label: str, name: str, number: int, stamp: str) -> str:
    """Return a new name for the file of block `number` of the layer `name`."""
    word = re.sub(r"\W", "_", name, flags=re.ASCII)[:40] or "_"
    return f"{label}-{word}-{number}-{stamp}-{os.urandom(5).hex()}.block"


def is_block_name(name: object, label: str) -> bool:
    """Return whether a file name is one that `block_name` makes for this label."""
    if isinstance(name, str):
        found = _NAME.fullmatch(name)
    else:
        found = None
    return found is not None and found[1] == label


def remove_unlisted(folder: Path, label: str, listed: Iterable[str]) -> None:
    """Delete the block files of this label that are not listed, and unfinished ones."""
    blocks = folder / BLOCKS
    keep = set(listed)
    if blocks.is_symlink():
        return
    for file in blocks.iterdir():
        part = _PART.fullmatch(file.name)
        if part is None:
            name = file.name
        else:
            name = part[1]
        if is_block_name(name, label) and file.name not in keep and not file.is_symlink():
            file.unlink(missing_ok=True)
