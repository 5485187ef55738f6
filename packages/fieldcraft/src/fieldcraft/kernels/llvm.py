"""The parts of Numba and llvmlite that kernels are built from, or stand-ins where nothing is built
in this process.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from fieldcraft.kernels import tier
from fieldcraft.kernels.declare import kernel

__all__ = ["bytes_at", "floats_at", "instruction", "intrinsic", "ir", "types"]


class _Absent:
    """A stand-in for anything that only a compiler uses."""

    def __getattr__(self, name: str) -> _Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments: Any, **options: Any) -> _Absent:
        return self


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


carray: Any
intrinsic: Any
ir: Any
types: Any
_BUILDS = tier.compiled() and tier.library() is None
if not _BUILDS:
    carray = ir = types = _Absent()
    intrinsic = _same
else:
    _numba: Any = importlib.import_module("numba")
    carray, types = _numba.carray, _numba.types
    intrinsic = importlib.import_module("numba.extending").intrinsic
    ir = importlib.import_module("llvmlite.ir")


def instruction(emit: Callable[..., Any], plain: Callable[..., int]) -> Any:
    """Return a function for kernels that is one instruction of the processor, or `plain` if nothing
    is built.
    """
    return intrinsic(emit) if _BUILDS else plain


def _pointer_to(kind: Any) -> Any:
    """Return a function from an address to a pointer."""

    def emit(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(types.int64), generate

    return intrinsic(emit)


if _BUILDS:
    _floats, _bytes = _pointer_to(types.float32), _pointer_to(types.uint8)

    @kernel
    def floats_at(address: Any, count: Any) -> Any:
        """Return the `count` float32 numbers from an address on."""
        return carray(_floats(address), (count,))

    @kernel
    def bytes_at(address: Any, count: Any) -> Any:
        """Return the `count` uint8 numbers from an address on."""
        return carray(_bytes(address), (count,))

else:

    def floats_at(address: Any, count: Any) -> Any:
        """Return the `count` float32 numbers from an address on."""
        return np.ctypeslib.as_array((ctypes.c_float * int(count)).from_address(int(address)))

    def bytes_at(address: Any, count: Any) -> Any:
        """Return the `count` uint8 numbers from an address on."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * int(count)).from_address(int(address)))
