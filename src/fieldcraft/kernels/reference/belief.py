"""Where somebody may be: mass that wanders over cells, spelled out. The specification of `fieldcraft.kernels.belief`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["AROUND", "wander", "wander_grid"]

Floats = NDArray[np.float64]

AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Where a step can come from: (rows, columns) away, in the order of the bits of `ins`."""


def wander(
    mass: Floats, scale: float, keep: Floats, starts: NDArray[np.int64], origins: NDArray[np.int32], shares: Floats, out: Floats
) -> None:
    """One step: each cell keeps a part of its mass and receives `shares` of that of others; all times `scale`.

    The steps that end in `v` are `starts[v]` up to `starts[v + 1]`, come from `origins`, and bring a share of what is there.
    """
    for v in range(len(mass)):
        here = mass[v] * keep[v]
        for arc in range(int(starts[v]), int(starts[v + 1])):
            here += mass[origins[arc]] * shares[arc]
        out[v] = here * scale


def wander_grid(
    mass: Floats,
    scale: float,
    keep: Floats,
    part: Floats,
    ins: NDArray[np.uint8],
    flows: Floats,
    out: Floats,
    first: int,
    last: int,
    *_scratch: Any,
) -> None:
    """The same for rows [first, last) of a grid off a torus, with neighbours at most one cell away.

    `mass` and `out` (height + 2, width + 2) have a rim of 0. A cell sends `part` of its mass each way that is open, times flows[0] to a
    neighbour beside it and flows[1] across a corner; bit `k` of `ins` (height, width) says that a step from `AROUND[k]` may end there.
    """
    width = keep.shape[1]
    for y in range(first, last):
        for x in range(width):
            here = mass[y + 1, x + 1] * keep[y, x]
            for bit, (dy, dx) in enumerate(AROUND):
                if ins[y, x] >> bit & 1:
                    j, i = y + dy, x + dx
                    here += mass[j + 1, i + 1] * part[j, i] * flows[int(dy != 0 and dx != 0)]
            out[y + 1, x + 1] = here * scale
