"""Memory layout of the agents of a swarm and of their inputs."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ATANS",
    "BLOCKED",
    "INPUTS",
    "LONGEST_SINCE",
    "NO_LAYER",
    "ROLE",
    "RULE",
    "SINCE",
    "STEEPEST",
    "TILE",
    "UNITS",
    "Inputs",
    "Rule",
    "circle",
    "packed",
]

ROLE = 1 << 16
SINCE = 17
LONGEST_SINCE = (1 << 15) - 1
BLOCKED = -(1 << 31)
STEEPEST = 5 << 8
TILE = 4
UNITS = float(1 << 24)
NO_LAYER: NDArray[np.int32] = np.zeros(1, dtype=np.int32)
ATANS = tuple(round(math.atan(2.0**-k) / (2 * math.pi) * 2**32) for k in range(16))


RULE = "Rule(i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, i8)"
INPUTS = "Inputs(u4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1])"
"""The types of the classes in declarations of kernels."""


class Rule(NamedTuple):
    """Weights and lengths of a `Walk`, in whole numbers."""

    height: int
    width: int
    wrap: int
    distance: int
    """To the sensors, in quarters of a cell."""
    angle: int
    """Between the middle sensor and the other two."""
    cosine: int
    sine: int
    """Of that angle."""
    stride: int
    """The length of a piece of a step."""
    pieces: int
    turn: int
    """The largest change of a heading in a step."""
    wander: int
    follow: int
    avoid: int
    align: int
    separate: int
    cohere: int
    flip: int
    """Whether vectors of flows point up their rows."""
    key: int


class Inputs(NamedTuple):
    """The layers that agents read, flat: walls, a bit per cell; bits of float32 values: trails and
    flows of both roles, a crowd, a group.
    """

    wall_bits: NDArray[np.uint32]
    trail_0: NDArray[np.int32]
    trail_1: NDArray[np.int32]
    flow_x_0: NDArray[np.int32]
    flow_y_0: NDArray[np.int32]
    flow_x_1: NDArray[np.int32]
    flow_y_1: NDArray[np.int32]
    crowd: NDArray[np.int32]
    group: NDArray[np.int32]


@functools.cache
def circle() -> NDArray[np.int32]:
    """Return cosine and sine of 4,096 headings, (4096, 2), in 2**-14."""
    turns = np.arange(4096) * (2 * np.pi / 4096)
    circle_table: NDArray[np.int32] = np.rint(
        np.stack([np.cos(turns), np.sin(turns)], axis=1) * (1 << 14)
    ).astype(np.int32)
    circle_table.flags.writeable = False
    return circle_table


def packed(mask: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return a mask as a bit per cell, in words of 32, the first cell in the lowest bit."""
    bits = np.packbits(mask.reshape(-1), bitorder="little")
    return np.concatenate([bits, np.zeros(-len(bits) % 4, np.uint8)]).view("<u4").astype(np.uint32)
