"""Arrays for kernels: aligned and read-only ones, and types of arrays."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Bytes", "Floats", "Ints", "aligned", "read_only"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

_Number = TypeVar("_Number", bound=np.generic)


def aligned(shape: int | tuple[int, ...]) -> NDArray[np.float32]:
    """Return zeros that start on a cache line: vector loops over misaligned rows take twice as
    long.
    """
    size = shape if isinstance(shape, int) else math.prod(shape)
    memory = np.zeros(size + 16, dtype=np.float32)
    start = -(int(memory.__array_interface__["data"][0]) // 4) % 16
    return memory[start : start + size].reshape(shape)


def read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """Return a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view
