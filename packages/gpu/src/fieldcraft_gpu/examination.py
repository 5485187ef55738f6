"""The test of a device: are its results those of the CPU?

WGSL defines integer arithmetic, but neither a rounding mode nor the order of sums. The shaders put
a barrier around float32 results, an `xor` with a 0 that the compiler cannot know, so that they are
neither fused nor reordered. That single operations round to nearest even is likely but not
guaranteed, so it is tested.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fieldcraft_gpu.card import Card

PATTERNS = 1 << 16


def examine(device: Card) -> tuple[bool, str]:
    """Return whether the device's results for all patterns are the CPU's, and a report."""
    inputs = patterns()
    outputs = device.buffer(PATTERNS * 32)
    groups = (PATTERNS // 256, 1)
    parameters = struct.pack("<II", 0, PATTERNS)
    device.run(("exact", "examination"), "main", "urw", groups, parameters, inputs, outputs)
    found = device.read(outputs, np.uint32, (PATTERNS, 8))
    wanted, fuses = results(inputs)
    problems = []
    for name, bad in zip(_NAMES, (found != wanted).sum(axis=0).tolist(), strict=True):
        if bad and name != _UNGUARDED:
            problems.append(f"{name} differ in {bad:,}")
    report = f"{PATTERNS:,} patterns: "
    if problems:
        report += "; ".join(problems)
    else:
        report += "all as on the CPU"
    unguarded = _NAMES.index(_UNGUARDED)
    if (found[:, unguarded] != wanted[:, unguarded]).any():
        report += f"; fuses where it may ({fuses})"
    return not problems, report


_UNGUARDED = "unguarded products and sums"
"""The only operation that may be fused: a report tells whether it is."""
_NAMES = (
    "products and sums",
    "differences",
    "sums of three",
    _UNGUARDED,
    "whole products",
    "shifts",
    "quotients",
    "maxima",
)


def patterns() -> NDArray[np.float32]:
    """Return numbers of all sizes and signs, (PATTERNS, 4), many of which nearly cancel; no result
    is subnormal.
    """
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(PATTERNS, 4)) * 10.0 ** rng.integers(-6, 7, size=(PATTERNS, 4))
    quarter = PATTERNS // 4
    near_one = 1 + rng.integers(-4, 5, size=quarter) * 2.0**-24
    inputs[:quarter, 2] = -inputs[:quarter, 0] * inputs[:quarter, 1] * near_one
    inputs[quarter : 2 * quarter, 3] = rng.random(quarter)
    return inputs.astype(np.float32)


def results(inputs: NDArray[np.float32]) -> tuple[NDArray[np.uint32], str]:
    """Return the results of the CPU for patterns, (N, 8), and the operation that may be fused."""
    a, b, c, d = inputs.T
    bits: NDArray[Any] = np.ascontiguousarray(inputs).view(np.uint32)
    integer_a = bits[:, 0]
    integer_b = bits[:, 1]
    floats = [a * b + c, a + d * (c - a), (a + b) + c, a * b + c]
    integers = [
        integer_a * integer_b,
        (integer_a.view(np.int32) >> (integer_b & 31).astype(np.int32)).view(np.uint32),
        integer_a // np.maximum(integer_b & 0xFFFF, 1),
        np.maximum(a, c).view(np.uint32),
    ]
    columns = [each.astype(np.float32).view(np.uint32) for each in floats] + integers
    return np.stack(columns, axis=1), "a * b + c as one operation"
