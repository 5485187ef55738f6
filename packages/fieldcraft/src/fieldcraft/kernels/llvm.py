"""The tools that kernels take from Numba's and LLVM's workshop, or stand-ins where kernels come
compiled and nothing is built here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from fieldcraft.kernels import prebuilt

__all__ = ["carray", "cgutils", "intrinsic", "ir", "types"]


class _Absent:
    """Stands for anything that only a compiler would ask for."""

    def __getattr__(self, name: str) -> _Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **options: Any) -> _Absent:
        return self


def _kept(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


carray: Any
cgutils: Any
intrinsic: Any
ir: Any
types: Any
if prebuilt.serves():
    carray = cgutils = ir = types = _Absent()
    intrinsic = _kept
else:
    _numba: Any = importlib.import_module("numba")
    carray, types = _numba.carray, _numba.types
    intrinsic = importlib.import_module("numba.extending").intrinsic
    cgutils, ir = (
        importlib.import_module("numba.core.cgutils"),
        importlib.import_module("llvmlite.ir"),
    )
