"""Which cells are best, as kernels take it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["BEST_RULE", "BestRule"]

BEST_RULE = "BestRule(b1, i8, f4, f8, f8)"
"""The type of `BestRule` in declarations of kernels."""


class BestRule(NamedTuple):
    """Which cells are best: whether the world's y points up, which axes wrap (see
    `grid_frame.WRAP_X`), the sign of values, 1 or -1, and the squares of the largest distance
    from a place and of the least distance between chosen cells.
    """

    y_up: bool
    wrap: int
    sign: np.float32
    reach2: float
    spacing2: float
