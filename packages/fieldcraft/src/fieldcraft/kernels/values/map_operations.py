"""The operations of expressions over maps: their numbers, and their results in NumPy for small
arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ABS",
    "ADD",
    "CLAMP",
    "COPY",
    "DIVIDE",
    "EQUAL",
    "EXP",
    "LARGEST",
    "LESS",
    "LESS_EQUAL",
    "MAXIMUM",
    "MINIMUM",
    "MULTIPLY",
    "MULTIPLY_ADD",
    "MULTIPLY_SUBTRACT",
    "NEGATE",
    "RANGE",
    "SUBTRACT",
    "SUBTRACT_MULTIPLY",
    "UNEQUAL",
    "WHERE",
    "apply",
    "limited",
]

Floats = NDArray[np.float32]

LARGEST = np.finfo(np.float32).max

# The numbers are baked into compiled kernels: add new ones at the end.
COPY, NEGATE, ABS, EXP = 0, 1, 2, 3
ADD, SUBTRACT, MULTIPLY, DIVIDE, MINIMUM, MAXIMUM = 4, 5, 6, 7, 8, 9
LESS, LESS_EQUAL, EQUAL, UNEQUAL = 10, 11, 12, 13
WHERE, CLAMP = 14, 15
RANGE = 16
MULTIPLY_ADD, MULTIPLY_SUBTRACT, SUBTRACT_MULTIPLY = 17, 18, 19


def apply(operation: int, a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the result of one operation, cell by cell; operations with fewer operands ignore `b`
    and `c`.

    The values of walls are arbitrary: they are hidden in the end.
    """
    result: Floats
    with np.errstate(over="ignore", invalid="ignore"):
        if operation == COPY:
            result = a.copy()
        elif operation == NEGATE:
            result = -a
        elif operation == ABS:
            result = np.abs(a)
        elif operation == EXP:
            result = _exp(a)
        elif operation == ADD:
            result = a + b
        elif operation == SUBTRACT:
            result = a - b
        elif operation == MULTIPLY:
            result = a * b
        elif operation == DIVIDE:
            result = np.where(b == 0, np.float32(0), a / np.where(b == 0, np.float32(1), b))
        elif operation == MINIMUM:
            result = np.where(a < b, a, b)
        elif operation == MAXIMUM:
            result = np.where(a > b, a, b)
        elif operation == LESS:
            result = (a < b).astype(np.float32)
        elif operation == LESS_EQUAL:
            result = (a <= b).astype(np.float32)
        elif operation == EQUAL:
            result = (a == b).astype(np.float32)
        elif operation == UNEQUAL:
            result = (a != b).astype(np.float32)
        elif operation == WHERE:
            result = np.where(a != 0, b, c)
        elif operation == CLAMP:
            raised = np.where(a > b, a, b)
            result = np.where(raised < c, raised, c)
        elif operation == MULTIPLY_ADD:
            result = a * b + c
        elif operation == MULTIPLY_SUBTRACT:
            result = a * b - c
        elif operation == SUBTRACT_MULTIPLY:
            result = c - a * b
        else:
            raise ValueError(f"no operation {operation}")
    return result


def limited(values: Floats) -> Floats:
    """Return the values, infinite ones replaced by +-LARGEST."""
    return apply(CLAMP, values, np.full_like(values, -LARGEST), np.full_like(values, LARGEST))


def _exp(values: Floats) -> Floats:
    """Return the exponential of values cut to [-60, 60]: 2 ** n times the series of the rest,
    summed from its last term.
    """
    x = np.clip(values, np.float32(-60), np.float32(60))
    n = np.floor(x * np.float32(1.442695) + np.float32(0.5))
    # ln 2 in two parts: the first has few enough digits for n * first to be exact.
    r = x - n * np.float32(0.693359375) - n * np.float32(-2.12194440e-4)
    series = np.full_like(r, 1 / 5040)
    for term in (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
        series = series * r + np.float32(term)
    power: Floats = ((n.astype(np.int32) + 127) << 23).view(np.float32)
    result: Floats = series * power
    return result
