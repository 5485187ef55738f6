"""The best cell one step away, spelled out: the specification of `fieldcraft.kernels.uphill`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["uphill"]


def uphill(
    starts: NDArray[np.int64],
    ends: NDArray[np.int32],
    values: NDArray[np.float32],
    cells: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """For each cell the one with the highest value among itself and the ends of its steps; itself,
    then the first of equals.
    """
    for i, cell in enumerate(cells.tolist()):
        best = cell
        for end in ends[starts[cell] : starts[cell + 1]].tolist():
            if values[end] > values[best]:
                best = end
        out[i] = best
