"""The parts of Numba and llvmlite that kernels are built from, or stand-ins where nothing is built
in this process.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from fieldcraft.kernels import prebuilt, tier

__all__ = ["carray", "cgutils", "instruction", "intrinsic", "ir", "types"]


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
_BUILDS = tier.compiled() and not prebuilt.serves()
if not _BUILDS:
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


def instruction(emit: Callable[..., Any], plain: Callable[[Any], int]) -> Any:
    """Return a function for kernels that is one instruction of the processor, or `plain` where
    nothing is built.
    """
    return intrinsic(emit) if _BUILDS else plain
