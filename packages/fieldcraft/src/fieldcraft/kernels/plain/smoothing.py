"""Straight legs, called as the compiled kernels are; see
`fieldcraft.kernels.reference.smoothing`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fieldcraft.kernels.reference import smoothing as reference

__all__ = ["straighten"]


def straighten(*problem: Any) -> tuple[int, float, float]:
    """Write the cells at which a way turns to the last argument, (N,); returns how many, the length
    and the cost.
    """
    *ground, cells, kept = problem
    spelled_out: Any = reference.straighten
    corners, length, cost = spelled_out(*ground, cells.tolist())
    kept[: len(corners)] = np.array(corners, dtype=np.int64)
    return len(corners), length, cost
