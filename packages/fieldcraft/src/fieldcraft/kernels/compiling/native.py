"""The library of compiled kernels: one file for each level of processors, loaded without Numba.

A file serves any Python from 3.11 on. `make setup` builds the file for this machine, a wheel
contains those of its platform. A note beside it contains the hash of its sources and its checksum:
a file of other sources, or a damaged one, is not loaded.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import json
import logging
import os
import platform
import stat
import sys
import zlib
from pathlib import Path
from types import ModuleType

__all__ = ["FOLDER", "LEVELS", "fault", "is_private", "load", "place", "runs_here", "sources"]

FOLDER = Path(__file__).resolve().parents[1]
"""The folder of the library, and of the folders of kernels."""
LEVELS = (
    {"v4": ("AVX512_SKX",), "v3": ("AVX2", "FMA3"), "v2": ("SSE42",)}
    if platform.machine() in ("x86_64", "AMD64")
    else {"aarch64": ()}
)
"""The levels of processors that there are libraries for, the most able first, and what each needs
of the processor, as NumPy calls it.
"""

_log = logging.getLogger("fieldcraft")
_MOST_NOTE = 1 << 16
_ADMINISTRATORS = frozenset(("root", "wheel", "sudo", "admin", "adm"))
"""Groups whose members can become root anyway."""
_MACHINERY = {"__init__", "declare", "native", "pool", "kernel_table", "tier", "warm_up"}


def place(level: str, folder: Path = FOLDER, system: str = sys.platform) -> Path:
    """Return the file of the library for processors of a level."""
    return folder / f"_native_{level}{'.pyd' if system == 'win32' else '.so'}"


def sources() -> str:
    """Return the hash of the kernels' source files, or "" if there are none, as in a frozen
    program.
    """
    digest = hashlib.sha256()
    paths = sorted(path for path in FOLDER.glob("*/*.py") if path.stem not in _MACHINERY)
    for path in paths:
        name = path.relative_to(FOLDER).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16] if paths else ""


@functools.cache
def load() -> ModuleType | None:
    """Return the library for this processor, if there is one of these sources."""
    level = os.environ.get("FIELDCRAFT_LEVEL")
    for name, needed in LEVELS.items():
        path = place(name)
        if level in (None, "", name) and path.exists() and runs_here(needed):
            library = _opened(path)
            if library is not None:
                return library
    if level:
        _log.warning(
            "FIELDCRAFT_LEVEL=%s: no compiled kernels of that level are here for this processor."
            " Levels are %s.",
            level,
            ", ".join(LEVELS),
        )
    return None


def _opened(path: Path) -> ModuleType | None:
    """Return the library in a file, or None with a warning if it is not sound."""
    reason = fault(path)
    if not reason:
        try:
            make = ctypes.PyDLL(str(path)).fieldcraft_module
        except (OSError, AttributeError) as error:
            reason = f"they are of another system or damaged ({error})"
        else:
            make.restype = ctypes.py_object
            module: ModuleType = make()
            return module
    _log.warning(
        "The compiled kernels in %s are not used: %s. Run `make setup` in a clone, or reinstall"
        " fieldcraft.",
        path,
        reason,
    )
    return None


def fault(path: Path) -> str:
    """Return why a library is not loaded: it is damaged, another user can write to it, or it was
    built from other sources; "" for a valid one.
    """
    note_path = path.with_suffix(".json")
    try:
        for each in (path, note_path):
            reason = _fault_of_place(each)
            if reason:
                return reason
        if note_path.stat().st_size > _MOST_NOTE:
            return f"the note beside it has more than {_MOST_NOTE} bytes"
        note = json.loads(note_path.read_text())
        size, checksum, made_of = note["size"], note["crc32"], note["sources"]
        if path.stat().st_size != size:
            return "the file is damaged"
        data = path.read_bytes()
        if (len(data), zlib.crc32(data)) != (size, checksum):
            return "the file is damaged"
        own_sources = sources()
        if own_sources and made_of != own_sources:
            return "they were built from other sources"
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        return f"the note beside it can't be read ({error})"
    return ""


def _fault_of_place(path: Path) -> str:
    """Return why a file is not read where it lies, "" if it may be."""
    if path.resolve().parent != path.parent.resolve():
        return f"{path.name} is a link to another folder"
    if not path.exists():
        return f"the note beside it can't be read ({path.name} is missing)"
    if not path.is_file():
        return f"{path.name} is no regular file"
    if sys.platform == "win32":
        return ""
    file, folder = path.stat(), path.parent.stat()
    is_shared = folder.st_mode & stat.S_IWOTH and not folder.st_mode & stat.S_ISVTX
    if file.st_mode & stat.S_IWOTH or is_shared:
        return f"every user can write to it (chmod o-w {path} {path.parent})"
    if file.st_uid not in (os.getuid(), 0, folder.st_uid):
        return f"{path.name} belongs to another user than its folder"
    for each in (file, folder):
        if each.st_mode & stat.S_IWGRP and not _is_trusted_group(each.st_gid, each.st_uid):
            return f"other users of its group can write to it (chmod g-w {path} {path.parent})"
    return ""


def _is_trusted_group(group: int, owner: int) -> bool:
    """Return whether a group has no members but an owner, this user, and administrators."""
    import grp
    import pwd

    if group == 0:
        return True
    try:
        listed = grp.getgrgid(group)
    except KeyError:
        return group == owner  # as in a container, where the group has no name
    if listed.gr_name in _ADMINISTRATORS:
        return True
    trusted = {0, owner, os.getuid()}
    members = {user.pw_name for user in pwd.getpwall() if user.pw_gid == group}
    members.update(listed.gr_mem)
    names = {user.pw_name for user in pwd.getpwall() if user.pw_uid in trusted}
    return members <= names


def is_private(folder: Path) -> bool:
    """Return whether a folder belongs to this user and no other can write to it; make it if there
    is none.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except OSError:
        return False
    return sys.platform == "win32" or (state.st_uid == os.getuid() and not state.st_mode & 0o022)


def runs_here(needed: tuple[str, ...]) -> bool:
    """Return whether this processor has the features that a level needs."""
    features: dict[str, bool] = importlib.import_module(
        "numpy._core._multiarray_umath"
    ).__cpu_features__
    return all(features.get(name) for name in needed)
