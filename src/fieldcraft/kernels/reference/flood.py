"""A flood over cells, spelled out: the specification of `fieldcraft.kernels.flood`.

Cells are untouched, hot or cooling, a barrier, or blocked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BARRIER", "BLOCKED", "HEAT", "UNTOUCHED", "spread"]

UNTOUCHED, HEAT, BARRIER, BLOCKED = 0, 1, 2, 3


def spread(
    starts: NDArray[np.int64],
    ends: NDArray[np.int32],
    state: NDArray[np.uint8],
    kind: int,
    allowed: NDArray[np.bool_],
    front: NDArray[np.int32],
    count: int,
    new: NDArray[np.int32],
) -> int:
    """Turn the untouched, `allowed` neighbours of `front[:count]` into `kind`; they go into `new`, in order; how many."""
    found = 0
    for cell in front[:count].tolist():
        for end in ends[starts[cell] : starts[cell + 1]].tolist():
            if state[end] == UNTOUCHED and allowed[end]:
                state[end] = kind
                new[found] = end
                found += 1
    return found
