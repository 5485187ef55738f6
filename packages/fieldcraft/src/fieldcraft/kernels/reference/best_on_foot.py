"""The best cells that can be walked to, spelled out: the specification of
`fieldcraft.kernels.best_on_foot`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import best as spots
from fieldcraft.kernels.reference import radial

__all__ = ["best_on_foot"]


def best_on_foot(
    values: NDArray[np.float32],
    closed: NDArray[np.uint8],
    bounds: NDArray[np.float32],
    sign: np.float32,
    places: NDArray[np.float64],
    starts: NDArray[np.int64],
    links: NDArray[np.unsignedinteger],
    masks: NDArray[np.unsignedinteger],
    steps: NDArray[np.int64],
    lengths: NDArray[np.int64],
    limit: int,
    reach2: float,
    spacing2: float,
    y_up: bool,
    wrap: bool,
    first: int,
    last: int,
    out: NDArray[np.int64],
    *_scratch: Any,
) -> None:
    """`best.best` for each agent among the cells to which a walk of at most `limit` leads."""
    for i in range(first, last):
        reached = list(radial.path(links, steps, lengths, int(starts[i]), limit, wrap))
        here = np.ones_like(closed)
        here.reshape(-1)[reached] = closed.reshape(-1)[reached]
        spots.best(
            values, here, bounds, sign, places, reach2, spacing2, False, y_up, wrap, i, i + 1, out
        )
