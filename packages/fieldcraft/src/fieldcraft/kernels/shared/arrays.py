"""Arrays for kernels: aligned and read-only ones, and types of arrays."""

from __future__ import annotations

import math
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Bools",
    "Bytes",
    "Floats",
    "Ints",
    "address",
    "aligned",
    "is_ids",
    "is_numbers",
    "is_rows",
    "read_only",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

_Number = TypeVar("_Number", bound=np.generic)
_FLOAT = np.dtype(np.float64)
_INT = np.dtype(np.int64)
_FLOATS = (np.dtype(np.float32), _FLOAT)


def aligned(shape: int | tuple[int, ...]) -> NDArray[np.float32]:
    """Return zeros that start on a cache line: vector loops over misaligned rows take twice as
    long.
    """
    size = shape if isinstance(shape, int) else math.prod(shape)
    memory = np.zeros(size + 16, dtype=np.float32)
    start = -(address(memory) // 4) % 16
    return memory[start : start + size].reshape(shape)


def address(array: NDArray[Any]) -> int:
    """Return where the memory of an array begins."""
    return int(array.__array_interface__["data"][0])


def read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """Return a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def is_rows(value: object, columns: int) -> TypeGuard[Floats]:
    """Return whether kernels take a value as it is for an array of float64, (N, columns)."""
    if type(value) is not np.ndarray or value.dtype is not _FLOAT:
        return False
    if value.ndim != 2 or value.shape[1] != columns:
        return False
    flags = value.flags
    return flags.c_contiguous and flags.aligned


def is_numbers(value: object, count: int) -> TypeGuard[NDArray[np.floating]]:
    """Return whether kernels take a value as it is for an array of float32 or float64, (count,)."""
    if type(value) is not np.ndarray or value.shape != (count,) or value.dtype not in _FLOATS:
        return False
    flags = value.flags
    return flags.c_contiguous and flags.aligned


def is_ids(value: object) -> TypeGuard[Ints]:
    """Return whether kernels take a value as it is for an array of int64, (N,)."""
    if type(value) is not np.ndarray or value.dtype is not _INT or value.ndim != 1:
        return False
    flags = value.flags
    return flags.c_contiguous and flags.aligned
