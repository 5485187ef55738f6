"""What influence loses on steps of some lengths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LARGEST_LOSS = np.finfo(np.float32).max
"""A loss that nothing exceeds, on steps of linear, quadratic and cubic falloffs."""


def losses(lengths: NDArray[np.float64], decay: float, exponent: int) -> NDArray[np.float32]:
    """Return the loss on steps of these lengths: a factor for exponent 0, else an amount subtracted
    from the root.
    """
    with np.errstate(over="ignore"):
        loss = decay * lengths
    if exponent == 0:
        return np.exp(-loss).astype(np.float32)
    return np.minimum(loss, LARGEST_LOSS).astype(np.float32)
