"""Where endless steps of Spread lead: the specification of `fieldcraft.kernels.spread_settled`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["settled"]

Floats = NDArray[np.float32]


def settled(
    values: Floats, frozen: NDArray[np.uint8], targets: Callable[[Floats], Floats], floor: float
) -> Floats:
    """The fixed point that what the frozen cells hold leads to, from a map that is else empty.

    `targets` says what arrives in each cell. First how strong each cell becomes, then which cells
    are positive: those that a positive neighbor makes as strong as they are. Done at once, signs
    could chase each other for ever where nothing weakens on the way.
    """
    held = frozen != 0
    none = np.float32(0)
    size = np.where(held, np.abs(values), none)
    while True:
        arriving = targets(size)
        stronger = np.where(held, size, np.where(arriving < floor, none, arriving))
        if np.array_equal(stronger, size):
            break
        size = stronger
    positive = held & (values > 0)
    while True:
        arriving = targets(np.where(positive, size, none))
        more = positive | (~held & (size > 0) & (arriving == size))
        if np.array_equal(more, positive):
            return np.where(positive | (size == 0), size, -size)
        positive = more
