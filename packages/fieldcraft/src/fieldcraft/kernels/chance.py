"""Dice, fast: the same numbers as `fieldcraft.kernels.reference.chance`."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel

__all__ = ["share", "throw"]

GOLDEN = 0x9E3779B97F4A7C15
SECOND = 0xBF58476D1CE4E5B9
THIRD = 0x94D049BB133111EB
SHARE = 2.0**-53

_GOLDEN = np.uint64(GOLDEN)
_SECOND = np.uint64(SECOND)
_THIRD = np.uint64(THIRD)
_ONE = np.uint64(1)
_11 = np.uint64(11)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)


@kernel
def _mix(number):
    number = (number ^ (number >> _30)) * _SECOND
    number = (number ^ (number >> _27)) * _THIRD
    return number ^ (number >> _31)


@kernel
def throw(key, first, second):
    """The die of two counters: a whole number below 2**64."""
    inner = _mix(np.uint64(key) + (np.uint64(first) + _ONE) * _GOLDEN)
    return _mix(inner + (np.uint64(second) + _ONE) * _GOLDEN)


@kernel
def share(key, first, second):
    """A die as a number in [0, 1)."""
    return np.float64(throw(key, first, second) >> _11) * SHARE
