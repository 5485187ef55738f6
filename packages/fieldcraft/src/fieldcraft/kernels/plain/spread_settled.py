"""Where endless steps of Spread lead, called as the compiled kernel is; see
`fieldcraft.kernels.reference.spread`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import spread as reference

__all__ = ["settle"]

Floats = NDArray[np.float32]


def settle(
    values: Floats,
    frozen: NDArray[np.uint8],
    links: NDArray[np.unsignedinteger],
    _masks: NDArray[np.unsignedinteger],
    through: Floats,
    steps: NDArray[np.int64],
    losses: Floats,
    exponent: int,
    floor: np.float32,
    wrap: bool,
) -> None:
    """Put every cell at its fixed point, in place."""
    values[:] = reference.settle(
        values,
        frozen,
        links,
        steps,
        losses,
        exponent,
        floor,
        wrap,
        through if through.shape[1] else None,
    )
