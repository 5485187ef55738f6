"""The examination of a device: does it reckon as the CPU does?

WGSL promises whole numbers, and neither a mode of rounding nor the order of sums. What is behind a
barrier, an `xor` with a 0 that the compiler cannot know, is neither fused nor reordered; that
single sums, differences and products of float32 numbers are rounded to nearest even is only likely,
and so it is looked at.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fieldcraft_gpu.devices import Card

__all__ = ["PATTERNS", "examine", "patterns"]

PATTERNS = 1 << 16


def examine(device: Card) -> tuple[bool, str]:
    """Whether the device's answers to all patterns are the CPU's, and which are not."""
    asked = patterns()
    told, groups = device.buffer(PATTERNS * 32), (PATTERNS // 256, 1)
    parameters = struct.pack("<II", 0, PATTERNS)
    device.run(("exact", "examination"), "main", "urw", groups, parameters, asked, told)
    found = device.read(told, np.uint32, (PATTERNS, 8))
    wanted, fuses = answers(asked)
    wrong = [
        f"{name} differ in {int(bad):,}"
        for name, bad in zip(_NAMES, (found != wanted).sum(axis=0), strict=True)
        if bad
    ]
    problems = [each for each in wrong if not each.startswith("unguarded")]
    said = f"{PATTERNS:,} patterns: " + (
        "all as on the CPU" if not problems else "; ".join(problems)
    )
    return not problems, said + (
        "" if (found[:, 3] == wanted[:, 3]).all() else f"; fuses where it may ({fuses})"
    )


_NAMES = (
    "products and sums",
    "differences",
    "sums of three",
    "unguarded products and sums",
    "whole products",
    "shifts",
    "quotients",
    "maxima",
)


def patterns() -> NDArray[np.float32]:
    """Numbers of all sizes and signs, many of which nearly cancel, (PATTERNS, 4); nothing subnormal
    comes of them.
    """
    rng = np.random.default_rng(1)
    asked = rng.normal(size=(PATTERNS, 4)) * 10.0 ** rng.integers(-6, 7, size=(PATTERNS, 4))
    near = slice(0, PATTERNS // 4)
    asked[near, 2] = (
        -asked[near, 0] * asked[near, 1] * (1 + rng.integers(-4, 5, size=PATTERNS // 4) * 2.0**-24)
    )
    asked[PATTERNS // 4 : PATTERNS // 2, 3] = rng.random(PATTERNS // 4)
    return asked.astype(np.float32)


def answers(asked: NDArray[np.float32]) -> tuple[NDArray[np.uint32], str]:
    """The answers that the CPU gives to patterns, (N, 8), and how fused products would show."""
    a, b, c, d = asked.T
    bits: NDArray[Any] = np.ascontiguousarray(asked).view(np.uint32)
    whole_a, whole_b = bits[:, 0], bits[:, 1]
    floats = [a * b + c, a + d * (c - a), (a + b) + c, a * b + c]
    whole = [
        whole_a * whole_b,
        (whole_a.view(np.int32) >> (whole_b & 31).astype(np.int32)).view(np.uint32),
        whole_a // np.maximum(whole_b & 0xFFFF, 1),
        np.maximum(a, c).view(np.uint32),
    ]
    return np.stack(
        [each.astype(np.float32).view(np.uint32) for each in floats] + whole, axis=1
    ), "a * b + c as one operation"
