"""The steps of a space as kernels take them: lists of them, or those of a grid."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats, Ints

__all__ = ["OUT_STEPS", "OutSteps"]

OUT_STEPS = "OutSteps(i8[::1], i4[::1], f8[::1])"
"""The type of `OutSteps` in declarations of kernels."""


class OutSteps(NamedTuple):
    """The steps out of cell v, from `starts[v]` up to `starts[v + 1]`, with their ends and
    lengths.
    """

    starts: Ints
    ends: NDArray[np.int32]
    lengths: Floats
