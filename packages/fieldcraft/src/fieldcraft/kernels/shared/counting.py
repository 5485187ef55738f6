"""Distances of straight and diagonal steps as whole numbers, for
`kernels.distances.distance.count`.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.moves import PRUNED

__all__ = ["FAR", "Measure", "canonical", "measure"]

FAR = 1 << 62
"""The whole number for infinity."""


class Measure(NamedTuple):
    """Whole numbers for straight and diagonal steps on a map of a given size.

    A straight step is 2**shift, a diagonal one the odd number next to sqrt(2) times that. No
    distance reaches 2**62. As the number of diagonals is less than 2**shift, it follows from the
    low bits of a distance times `inverse`. A distance is as long as (number * back + diagonals *
    delta) straight steps, within two roundings of the true length.
    """

    shift: int
    diagonal: int
    back: float
    delta: float
    inverse: int
    mask: int


def measure(cells: int) -> Measure:
    """Return the whole numbers for maps with this number of cells."""
    shift = 61 - cells.bit_length()
    diagonal = math.isqrt(2 << (2 * shift)) | 1
    low = 1 << min(shift, 32)
    with localcontext() as context:
        context.prec = 60
        delta = float(Decimal(2).sqrt() - Decimal(diagonal) / Decimal(1 << shift))
    return Measure(shift, diagonal, 0.5**shift, delta, pow(diagonal, -1, low), low - 1)


def canonical(steps: int) -> NDArray[np.uint8]:
    """Return the steps that `count` follows, by `came * 256 + open_steps`: both are sets of the
    first four or of all `moves.STEPS`.

    After a straight step the search follows the same step, and a side and its diagonal where the
    corner behind that side is closed. After a diagonal step it follows the same step and its two
    straight parts. At a goal, where `came` is 0, it follows all steps.
    """
    one = PRUNED[1].reshape(9, 256)[:8]
    if steps == 4:
        one = np.array([np.arange(256) & 15 & ~(1 << (back ^ 1)) for back in range(4)])
    table = np.zeros((256, 256), dtype=np.uint8)
    table[0] = np.arange(256) & (1 << steps) - 1
    for came in range(1, 256):
        for k in range(steps):
            if came >> k & 1:
                table[came] |= one[k].astype(np.uint8)
    return table.reshape(-1)
