"""Dice that depend on nothing but what they are thrown for: the specification of
`fieldcraft.kernels.chance`.

A die is thrown by its key and two counters (an agent and a cell, an agent and a step), so that each
has its own whoever throws first, and on whatever thread. The mixing is that of SplitMix64 (Steele,
Lea and Flood 2014), once for each counter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["ALL", "GOLDEN", "SECOND", "SHARE", "THIRD", "mix", "share", "throw"]

ALL = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
SECOND = 0xBF58476D1CE4E5B9
THIRD = 0x94D049BB133111EB
SHARE = 2.0**-53


def mix(number: int) -> int:
    """A whole number below 2**64 for another."""
    number = ((number ^ (number >> 30)) * SECOND) & ALL
    number = ((number ^ (number >> 27)) * THIRD) & ALL
    return number ^ (number >> 31)


def throw(key: int, first: int, second: int) -> int:
    """The die of two counters: a whole number below 2**64."""
    return mix((mix((key + (first + 1) * GOLDEN) & ALL) + (second + 1) * GOLDEN) & ALL)


def share(key: int, first: NDArray[np.int64], second: int) -> NDArray[np.float64]:
    """Dice as numbers in [0, 1)."""
    return np.array([(throw(key, number, second) >> 11) * SHARE for number in first.tolist()])
