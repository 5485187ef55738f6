"""Objects of earlier builds, in the user's cache folder: another build compiles what has changed.

A file's name ends with the checksum of its contents; a damaged file is deleted and made again.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

__all__ = ["FOLDER", "find", "prepare", "store"]

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fieldcraft" / "objects"
_LIFETIME = 30 * 86_400
"""The seconds after which files that no build has used are deleted."""
_SUM = 16


def prepare() -> None:
    """Make the folder and delete old files; raise PermissionError where others can write to it."""
    from fieldcraft.kernels.compiling import native  # not before `lower` has set Numba's options

    if not native.is_private(FOLDER):
        raise PermissionError(
            f"{FOLDER} has another owner, or others can write to it. Delete it, or run `chmod go-w"
            f" {FOLDER}`."
        )
    for old in FOLDER.iterdir():
        if old.stat().st_mtime < time.time() - _LIFETIME:
            old.unlink(missing_ok=True)


def find(stem: str, suffix: str) -> Path | None:
    """Return the file of a stem, or None if there is none or it is damaged."""
    for path in FOLDER.glob(f"{stem}-{'?' * _SUM}{suffix}"):
        if path.stem[-_SUM:] == _checksum(path.read_bytes()):
            path.touch()
            return path
        path.unlink(missing_ok=True)
    return None


def store(stem: str, suffix: str, data: bytes) -> Path:
    """Write a file and return its path."""
    path = FOLDER / f"{stem}-{_checksum(data)}{suffix}"
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(data)
    part.replace(path)
    return path


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_SUM]
