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
import sys
import tempfile
import time
import warnings
from pathlib import Path

__all__ = ["Store", "home"]

_SUFFIX = ".kernel"
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


class Store:
    """A folder of compiled kernels. A folder that can't be written to is read only, and one warning
    says so.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._is_writable = True

    def path(self, name: str, made_of: object) -> Path:
        """The file of a kernel of this name, made of what is told."""
        digest = hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]
        return self.folder / f"{name}-{digest}{_SUFFIX}"

    def read(self, path: Path) -> bytes | None:
        """The bytes that a file holds, or None."""
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with contextlib.suppress(OSError):
            if (
                time.time() - path.stat().st_mtime > _DAY
            ):  # so that what is in use is not swept away
                os.utime(path)
        return data

    def write(self, path: Path, data: bytes) -> None:
        """Put a file there as a whole, if the folder lets us."""
        if not self._is_writable:
            return
        scratch = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(scratch).replace(path)
        except OSError as error:
            if scratch is not None:
                with contextlib.suppress(OSError):
                    Path(scratch).unlink()
            self._is_writable = False
            warnings.warn(
                f"Compiled kernels are kept in a folder, and {str(self.folder)!r} can't be written"
                f" to ({error.strerror}). They are compiled in memory, in each process anew. Set"
                " FIELDCRAFT_KERNELS to a folder that can be written to.",
                RuntimeWarning,
                stacklevel=2,
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
