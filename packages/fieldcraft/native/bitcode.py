"""The bitcode of kernels: what zig compiles, made from their sources by Numba.

For each file of kernels `bitcode/` has a module of LLVM, and beside it a description of the
kernels in it with the hash of the sources it was made from. `lower.py` makes both.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["EMBEDDED", "FOLDER", "described", "families", "made_of", "plain_module", "stale"]

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "bitcode"
EMBEDDED = "embedded"
"""The file of kernels for programs without Python, beside this one."""
_SOURCES = HERE.parent / "src"
_KERNELS = _SOURCES / "fieldcraft" / "kernels"
_MACHINERY = _KERNELS / "compiling"
_TRANSLATING = ("declare", "jit", "low_level", "signatures")
"""The files of the machinery that say what a kernel is translated to."""


def plain_module(name: str) -> ModuleType:
    """A module of `fieldcraft.kernels.compiling` that needs nothing but Python, without the rest of
    fieldcraft, whose libraries are absent while pip builds it.
    """
    path = _MACHINERY / f"{name}.py"
    found = importlib.util.spec_from_file_location(f"_fieldcraft_{name}", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


def families() -> list[str]:
    """The names of the files of kernels for Python."""
    paths = [path for path in _KERNELS.glob("*/*.py") if path.parent != _MACHINERY]
    return sorted(path.stem for path in paths if path.stem != "__init__")


def stale(names: list[str]) -> list[str]:
    """Those files of kernels whose bitcode is absent or was made from other sources."""
    found = []
    for name in names:
        path = FOLDER / f"{name}.json"
        if not path.exists() or described(name)["made of"] != made_of(name):
            found.append(name)
    return found


def described(name: str) -> dict[str, Any]:
    """The description of the bitcode of a file of kernels."""
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    description: dict[str, Any] = json.loads(text)
    return description


def made_of(name: str) -> str:
    """The hash of a file of kernels, of all files of kernels that it imports, and of `lower.py`."""
    waiting = [_source(name)]
    found = {HERE / "lower.py", *(_MACHINERY / f"{each}.py" for each in _TRANSLATING)}
    while waiting:
        path = waiting.pop()
        if path not in found and path.parent != _MACHINERY:
            found.add(path)
            waiting += _imported(path)
    digest = hashlib.sha256()
    for path in sorted(found):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(path.name.encode() + b"\0" + content)
    return digest.hexdigest()[:16]


def _source(name: str) -> Path:
    if name == EMBEDDED:
        return HERE / f"{name}.py"
    (path,) = _KERNELS.glob(f"*/{name}.py")
    return path


def _imported(path: Path) -> list[Path]:
    """The files of kernels that a file imports."""
    found = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            module = _SOURCES.joinpath(*node.module.split("."))
            possible = [module.with_suffix(".py")]
            possible += [module / f"{alias.name}.py" for alias in node.names]
            found += [each for each in possible if each.exists() and _KERNELS in each.parents]
    return found
