"""Trails on hexagons and graphs."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.trail.stamp_units import SCALE

__all__ = ["AROUND", "mix", "update"]

_SHARE = 1 / 7
"""The part of its own that a cell keeps and gives to each of its six neighbors."""
AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Rows and columns from a cell to what may be its neighbors, in the order of the bits of `links`:
in offset coordinates six of these eight are.
"""
_ZERO, _NONE = np.float32(0), np.uint8(0)
_UP_LEFT, _UP, _UP_RIGHT, _LEFT, _RIGHT, _DOWN_LEFT, _DOWN, _DOWN_RIGHT = (
    np.uint8(1 << bit) for bit in range(8)
)


@kernel
def _enter(values, wrap, row):
    """Copy a row of the map between its margins."""
    width = values.shape[0]
    for x in range(width):
        row[x + 1] = values[x]
    row[0] = np.float64(values[width - 1]) if wrap else 0.0
    row[width + 1] = np.float64(values[0]) if wrap else 0.0


@kernel
def _means_of_row(up, here, down, links, missing, means):
    """Write the means of a row from its own and the two rows beside it, which have a margin; see
    `mix`.
    """
    for x in range(means.shape[0]):
        bits, own = links[x], here[x + 1]
        total = (up[x] if np.uint8(bits & _UP_LEFT) != _NONE else 0.0) + 0.0
        total += up[x + 1] if np.uint8(bits & _UP) != _NONE else 0.0
        total += up[x + 2] if np.uint8(bits & _UP_RIGHT) != _NONE else 0.0
        total += here[x] if np.uint8(bits & _LEFT) != _NONE else 0.0
        total += here[x + 2] if np.uint8(bits & _RIGHT) != _NONE else 0.0
        total += down[x] if np.uint8(bits & _DOWN_LEFT) != _NONE else 0.0
        total += down[x + 1] if np.uint8(bits & _DOWN) != _NONE else 0.0
        total += down[x + 2] if np.uint8(bits & _DOWN_RIGHT) != _NONE else 0.0
        means[x] = _SHARE * ((own + total) + np.float64(missing[x]) * own)


@kernel(
    "f4[:,::1], u1[:,::1], u1[:,::1], b1, i8, i8, out f8[:,::1], out f8[:,::1]",
    "f8[:,::1], u1[:,::1], u1[:,::1], b1, i8, i8, out f8[:,::1], out f8[:,::1]",
)
def mix(values, links, missing, wrap, first, last, means, rows):
    """Write to the rows [first, last) of `means` the mean of each cell and its neighbors.

    `links` (height, width) are the bits of the neighbors in `AROUND` that a cell exchanges with,
    and `missing` how many shares more it keeps of its own. `rows` (3, width + 2) is scratch.
    """
    height = values.shape[0]
    for y in range(first, last):
        for t in range(y - 1 if y == first else y + 1, y + 2):
            if wrap or 0 <= t < height:
                _enter(values[t % height], wrap, rows[t % 3])
            else:
                rows[t % 3] = 0.0
        up, here, down = rows[(y - 1) % 3], rows[y % 3], rows[(y + 1) % 3]
        _means_of_row(up, here, down, links[y], missing[y], means[y])


@kernel(
    "f4[::1], b1[::1], f8, f4, i8, i8, out i8[::1], out f4[::1]",
    "f8[::1], b1[::1], f8, f4, i8, i8, out i8[::1], out f4[::1]",
)
def update(means, walls, gain, floor, first, last, inflow, values):
    """Write `gain` times means plus the inflow to the cells [first, last), and reset the inflow.

    Walls, and values smaller than `floor`, become 0.
    """
    for cell in range(first, last):
        v = np.float32(gain * np.float64(means[cell]) + np.float64(inflow[cell]) / SCALE)
        values[cell] = _ZERO if walls[cell] | (abs(v) < floor) else v
        inflow[cell] = 0
