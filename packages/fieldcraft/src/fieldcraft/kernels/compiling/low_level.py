"""Operations for kernels: positions of bits, and arrays at addresses.

Numba compiles its own form of each, see `fieldcraft.kernels.compiling.jit`.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

__all__ = ["bit_length", "floats_at", "lowest_bit"]


def floats_at(address: Any, count: Any) -> Any:
    """Return the `count` float32 numbers from an address on."""
    return np.ctypeslib.as_array((ctypes.c_float * int(count)).from_address(int(address)))


def bit_length(x: Any) -> Any:
    """Return the number of bits of an int64 without its leading zeros."""
    return (int(x) & 2**64 - 1).bit_length()


def lowest_bit(x: Any) -> Any:
    """Return the position of the lowest bit of an int64 that is not 0."""
    return (int(x) & -int(x)).bit_length() - 1
