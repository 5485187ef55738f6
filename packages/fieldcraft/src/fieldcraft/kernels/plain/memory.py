"""Maps at addresses."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

__all__ = ["floats"]


def floats(address: int, count: int) -> NDArray[np.float32]:
    """The float32 numbers that lie at an address; somebody else holds the array that they belong
    to.
    """
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))
