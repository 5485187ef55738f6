"""Distances of straight and diagonal steps as whole numbers, for `kernels.distance.count`."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["EIGHT", "FAR", "Measure", "canonical", "measure"]

FAR = 1 << 62
"""The whole number that stands for infinity."""
EIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""The order of the bits in `count`."""


class Measure(NamedTuple):
    """How whole numbers stand for straight and diagonal steps on a map of so many cells.

    A straight step is 2**shift, a diagonal one the odd number next to its square root of two times
    that. No way has so many steps that a distance reaches 2**62. As the number of diagonals is less
    than 2**shift, the low bits of a distance times `inverse` tell it. A distance is as long as
    (number * back + diagonals * delta) straight steps, within two roundings of the true length.
    """

    shift: int
    diagonal: int
    back: float
    delta: float
    inverse: int
    mask: int


def measure(cells: int) -> Measure:
    """The whole numbers for maps of so many cells."""
    shift = 61 - cells.bit_length()
    diagonal = math.isqrt(2 << (2 * shift)) | 1
    low = 1 << min(shift, 32)
    with localcontext() as context:
        context.prec = 60
        delta = float(Decimal(2).sqrt() - Decimal(diagonal) / Decimal(1 << shift))
    return Measure(shift, diagonal, 0.5**shift, delta, pow(diagonal, -1, low), low - 1)


def canonical(steps: int) -> NDArray[np.uint8]:
    """Which steps `count` looks at: by `came * 256 + open_steps`, both sets of the first four or of
    all `EIGHT`.

    A search that came straight goes straight on, and to a side and its diagonal where the corner
    behind that side is shut. One that came by a diagonal goes on by it and by the two straight
    steps it is made of. Having come from nowhere, as at a goal, it goes everywhere.
    """
    bit = {step: 1 << k if k < steps else 0 for k, step in enumerate(EIGHT)}
    one = np.zeros((8, 256), dtype=np.uint8)
    for k, (x, y) in enumerate(EIGHT):
        for open_steps in range(256):
            if x and y:
                look = bit[x, y] | bit[x, 0] | bit[0, y]
            else:
                look = bit[x, y]
                for side_x, side_y in ((y, x), (-y, -x)):
                    if not open_steps & bit[side_x - x, side_y - y]:
                        look |= bit[side_x, side_y] | bit[side_x + x, side_y + y]
            one[k, open_steps] = look & open_steps
    table = np.zeros((256, 256), dtype=np.uint8)
    table[0] = np.arange(256) & (1 << steps) - 1
    for came in range(1, 256):
        for k in range(8):
            if came >> k & 1:
                table[came] |= one[k]
    return table.reshape(-1)
