"""Kernels that were compiled before they came here: one shared object, loaded in a millisecond,
without Numba.

The object says what it was made of. One of other sources, for another Python or for a processor
that can do more than this one is passed over.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import logging
import os
import platform
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from fieldcraft.kernels.signatures import parse
from fieldcraft.kernels.store import is_trusted
from fieldcraft.kernels.versions import chooser

__all__ = [
    "LEVELS",
    "NAME",
    "compiled",
    "fitting",
    "loaded",
    "place",
    "serves",
    "sources",
    "symbol",
]

NAME = "fieldcraft_kernels"
# The processors that objects are made for, the most able first: AVX-512 is worth a third in dense
# Spread.
LEVELS = ("x86-64-v4", "x86-64-v3") if platform.machine() in ("x86_64", "AMD64") else ("generic",)
_NEEDED = {"x86-64-v4": ("AVX512_SKX",), "x86-64-v3": ("AVX2", "FMA3")}
_FOLDER = Path(__file__).resolve().parent
_log = logging.getLogger("fieldcraft")


def serves() -> bool:
    """Whether the kernels of this process come from a shared object."""
    return _object() is not None


def compiled(
    function: Callable[..., Any], declared: tuple[str, ...], module: ModuleType | None = None
) -> Any:
    """A function as it lies in the object of this process, or in another: itself where it is called
    by other kernels only.
    """
    if not declared:
        return function
    module = module or _object()
    versions = [getattr(module, symbol(function, i)) for i in range(len(declared))]
    if len(versions) == 1:
        return versions[0]
    return _chosen(function.__name__, chooser([parse(text) for text in declared], versions))


def symbol(function: Callable[..., Any], version: int) -> str:
    """The name of a version of a kernel in the object."""
    return f"{function.__module__.rpartition('.')[2]}__{function.__name__}__{version}"


def sources() -> str:
    """The hash of the kernels' source files, or "" where there are none, as in a frozen program."""
    digest = hashlib.sha256()
    for path in sorted(_FOLDER.rglob("*.py")):
        digest.update(path.relative_to(_FOLDER).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16] if (_FOLDER / "prebuilt.py").exists() else ""


@functools.cache
def _object() -> ModuleType | None:
    """The shared object that fits this process, from FIELDCRAFT_KERNELS or from beside the
    kernels.
    """
    if os.environ.get("FIELDCRAFT_REFERENCE", "") not in ("", "0"):
        return None
    for folder in filter(None, (os.environ.get("FIELDCRAFT_KERNELS"), str(_FOLDER))):
        path = fitting(Path(folder))
        if path is not None and (folder == str(_FOLDER) or is_trusted(path)):
            return loaded(path)
    return None


def fitting(folder: Path) -> Path | None:
    """The file of the object in a folder that is of these sources and for this processor."""
    places = (place(folder, level) for level in LEVELS if _runs_here(level))
    return next((path for path in places if path.exists() and _is_of_these_sources(path)), None)


def place(folder: Path, level: str) -> Path:
    """The file of the object for processors of a level."""
    return folder / f"{NAME}-{level}{EXTENSION_SUFFIXES[0]}"


def loaded(path: Path) -> ModuleType:
    """The shared object in a file."""
    loader = ExtensionFileLoader(NAME, str(path))
    spec = importlib.util.spec_from_file_location(NAME, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _is_of_these_sources(path: Path) -> bool:
    made_of = path.with_suffix(".txt")
    here = sources()
    fits = not here or (made_of.exists() and made_of.read_text().strip() == here)
    if not fits:
        _log.info(
            "%s was compiled from other kernels than these and is passed over. `fieldcraft compile`"
            " makes a new one.",
            path,
        )
    return fits


def _runs_here(level: str) -> bool:
    features: dict[str, bool] = importlib.import_module(
        "numpy._core._multiarray_umath"
    ).__cpu_features__
    return features.get(f"X86_{level[-2:].upper()}", False) or all(
        features.get(name) for name in _NEEDED.get(level, ())
    )


def _chosen(name: str, choose: Callable[[tuple[Any, ...]], Any]) -> Callable[..., Any]:
    """A function that calls the version which its arguments fit."""

    def call(*arguments: Any) -> Any:
        version = choose(arguments)
        if version is None:
            raise TypeError(
                f"{name} has no version for arguments of types"
                f" {[type(each).__name__ for each in arguments]}"
            )
        return version(*arguments)

    return call
