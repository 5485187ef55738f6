"""Compiled kernels on disk, one file each, found by what they were made of.

A file's name holds the hash of the kernel's code and of all it calls, of its argument types, of the
versions of Numba and Python, and of the processor. So no entry is ever wrong, clones and virtual
environments share them, and what is outdated is not read again.
Files are written whole and then renamed: two processes that compile the same kernel do no harm.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import sys
import tempfile
import time
import warnings
from pathlib import Path

__all__ = ["Store", "home", "is_trusted"]

_SUFFIX = ".machine-code"
_MAGIC = b"fieldcraft kernel 1\n"
_HEAD = struct.Struct("<Q32s")
_DAY = 24 * 3600.0
_KEPT = 60 * _DAY


def home() -> Path:
    """The folder for compiled kernels: `FIELDCRAFT_KERNELS`, or one in the user's folder for
    caches.
    """
    named = os.environ.get("FIELDCRAFT_KERNELS")
    if named:
        return Path(named)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "fieldcraft" / "kernels"


def is_trusted(path: Path) -> bool:
    """Return whether a file or folder and its parent folder belong to the user, or to the
    administrator, and nobody else can write to them: machine code from it is run.

    On Windows folders of the user's profile are private, and nothing is checked.
    """
    if sys.platform == "win32":
        return True
    with contextlib.suppress(OSError):
        states = [path.stat(), path.parent.stat()] if path.is_file() else [path.stat()]
        return all(
            state.st_uid in (os.getuid(), 0) and not state.st_mode & 0o022 for state in states
        )
    return False


class Store:
    """A folder of compiled kernels, private to the user.

    Each file begins with a magic line, and the length and the SHA-256 of what follows. A damaged
    file is deleted and made anew. A folder that is not private, or cannot be written, is not used,
    and one warning says so.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._is_usable = True

    def path(self, name: str, made_of: object) -> Path:
        """Return the file of a kernel of this name, made of these things."""
        digest = hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]
        return self.folder / f"{name}-{digest}{_SUFFIX}"

    def read(self, path: Path) -> bytes | None:
        """Return the contents of a file; None if it is absent, damaged or not private."""
        try:
            data = path.read_bytes()
            if not is_trusted(path):
                self._refuse("other users can write to it: run chmod -R go-w on it")
                return None
            if time.time() - path.stat().st_mtime > _DAY:
                os.utime(path)  # sweep() deletes files that have not been read for long
        except OSError:
            return None
        content = data[len(_MAGIC) + _HEAD.size :]
        if data[: -len(content) or None] != _head(content):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        return content

    def write(self, path: Path, data: bytes) -> None:
        """Write a file beside its place first, then move it there, if the folder is usable."""
        if not self._is_usable:
            return
        scratch = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not is_trusted(path.parent):
                self._refuse("other users can write to it: run chmod -R go-w on it")
                return
            handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
            with os.fdopen(handle, "wb") as file:
                file.write(_head(data) + data)
                file.flush()
                os.fsync(file.fileno())
            Path(scratch).replace(path)
        except OSError as error:
            if scratch is not None:
                with contextlib.suppress(OSError):
                    Path(scratch).unlink()
            if not path.exists():  # on Windows a file that another process reads stays as it is
                self._refuse(f"it can't be written to ({error.strerror})")

    def _refuse(self, reason: str) -> None:
        if self._is_usable:
            self._is_usable = False
            warnings.warn(
                f"Compiled kernels are kept in a folder of your own, and {str(self.folder)!r} is"
                f" not used: {reason}. Kernels are compiled in memory, in each process anew. Set"
                " FIELDCRAFT_KERNELS to a folder that only you can write to.",
                RuntimeWarning,
                stacklevel=3,
            )

    def sweep(self) -> int:
        """Delete what nobody has read for sixty days, and say how many files that were."""
        swept = 0
        with contextlib.suppress(OSError):
            for path in self.folder.glob(f"*{_SUFFIX}"):
                if time.time() - path.stat().st_mtime > _KEPT:
                    path.unlink(missing_ok=True)
                    swept += 1
        return swept


def _head(content: bytes) -> bytes:
    return _MAGIC + _HEAD.pack(len(content), hashlib.sha256(content).digest())
