"""Arrays as kernels like them: on cache lines, and those that nobody may write to."""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["aligned", "read_only"]

_Number = TypeVar("_Number", bound=np.generic)


def aligned(shape: int | tuple[int, ...]) -> NDArray[np.float32]:
    """Zeros that start on a cache line: vector loops over misaligned rows take twice as long."""
    size = shape if isinstance(shape, int) else math.prod(shape)
    memory = np.zeros(size + 16, dtype=np.float32)
    start = -(int(memory.__array_interface__["data"][0]) // 4) % 16
    return memory[start : start + size].reshape(shape)


def read_only(array: NDArray[_Number]) -> NDArray[_Number]:
    """A view that can't be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
