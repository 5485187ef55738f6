"""Steps of Spread that the native library has in C, with vectors as wide as the processor's
(`tools/native/vectors.c`). These functions define them, and run where Numba compiles.

Rows are given by their addresses, since they are in several arrays.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.llvm import bytes_at, floats_at
from fieldcraft.kernels.spread_rows import near

__all__ = ["LANES", "step_row", "step_slices", "step_three_rows", "strongest_slices"]

LANES = 16
"""The vertices in a slice, which are updated side by side."""

_ZERO = np.float32(0)
_ONE = np.uint64(1)
_NOWHERE = np.uint64(0)


@kernel(native="fieldcraft_step_row")
def step_row(
    old, here, below, ground, width, straight, diagonal, eight, power, momentum, floor, wrap
):
    """Take one step of a row in place, as `fieldcraft.kernels.spread_rows.near` defines it.

    `old` is the row above as it was before, and becomes this row as it was before. `eight` is 0 for
    4 neighbors, `power` 0 for exponential falloff, else the root that falls off.
    """
    stride = width + 2
    flat = np.zeros(3 * stride, np.float32)
    for i, row in enumerate((old, here, below)):
        values = floats_at(row, width)
        flat[i * stride + 1 : i * stride + 1 + width] = values
        if wrap != 0:
            flat[i * stride] = values[width - 1]
            flat[i * stride + width + 1] = values[0]
    floats_at(old, width)[:] = floats_at(here, width)
    flags, out, count = bytes_at(ground, width), floats_at(here, width), np.uint64(width)
    up, row, down = _ONE, np.uint64(stride + 1), np.uint64(2 * stride + 1)
    at = _NOWHERE
    if eight != 0 and power != 0:
        near(
            flat,
            up,
            row,
            down,
            flags,
            at,
            out,
            at,
            count,
            straight,
            diagonal,
            power,
            momentum,
            floor,
        )
    elif eight != 0:
        near(
            flat,
            up,
            row,
            down,
            flags,
            at,
            out,
            at,
            count,
            straight,
            diagonal,
            None,
            momentum,
            floor,
        )
    elif power != 0:
        near(flat, up, row, down, flags, at, out, at, count, straight, None, power, momentum, floor)
    else:
        near(flat, up, row, down, flags, at, out, at, count, straight, None, None, momentum, floor)


@kernel(native="fieldcraft_step_three_rows")
def step_three_rows(
    old,
    first,
    second,
    third,
    below,
    ground,
    second_ground,
    third_ground,
    width,
    straight,
    diagonal,
    eight,
    power,
    momentum,
    floor,
    wrap,
):
    """Take one step of three rows in place, as three calls of `step_row`."""
    rule = (width, straight, diagonal, eight, power, momentum, floor, wrap)
    step_row(old, first, second, ground, *rule)
    step_row(old, second, third, second_ground, *rule)
    step_row(old, third, below, third_ground, *rule)


@kernel
def _origin(origins, arc, lane):
    """Return the origin of a lane of a row of arcs: see `fieldcraft.kernels.graph_spread`."""
    return ~origins[arc] + lane if origins[arc] < 0 else origins[arc + lane]


@kernel(native="fieldcraft_step_slices")
def step_slices(values, new, blocked, origins, losses, offsets, momentum, floor, first, last):
    """Take one step of slices of vertices of one sign with exponential decay."""
    for number in range(first, last):
        for lane in range(LANES):
            best = _ZERO
            for arc in range(offsets[number], offsets[number + 1], LANES):
                value = values[_origin(origins, arc, lane)] * losses[arc + lane]
                best = value if value > best else best
            vertex = number * LANES + lane
            old = values[vertex]
            moved = old + momentum * (best - old)
            moved = moved if (moved if moved > best else best) >= floor else _ZERO
            new[vertex] = old if blocked[vertex] != 0 else moved


@kernel(native="fieldcraft_strongest_slices")
def strongest_slices(roots, origins, losses, offsets, subtract, first, last, strongest, weakest):
    """Write the highest and lowest influence that arrives in each vertex of slices."""
    for number in range(first, last):
        for lane in range(LANES):
            high, low = _ZERO, _ZERO
            for arc in range(offsets[number], offsets[number + 1], LANES):
                arriving, loss = roots[_origin(origins, arc, lane)], losses[arc + lane]
                above = arriving - loss if subtract != 0 else arriving * loss
                under = arriving + loss if subtract != 0 else arriving * loss
                high = above if above > high else high
                low = under if under < low else low
            strongest[number * LANES + lane] = high
            weakest[number * LANES + lane] = low
