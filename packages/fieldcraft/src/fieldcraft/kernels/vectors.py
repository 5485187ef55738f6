"""Steps of Spread that the native library has in C, with vectors as wide as the processor's
(`tools/native/vectors.c`). These functions define them, and run where Numba compiles.

Rows are given by their addresses, since they are in several arrays.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.llvm import bytes_at, floats_at
from fieldcraft.kernels.spread_rows import near

__all__ = ["LANES", "ROWS", "step_slices", "strongest_slices", "wave"]

LANES = 16
"""The vertices in a slice, which are updated side by side."""
ROWS = 8
"""The rows that a wave keeps of a level, a power of 2: the two that are stepped, the ones beside
them and two more that the level before writes meanwhile."""

_ZERO = np.float32(0)
_ONE = np.uint64(1)
_NOWHERE = np.uint64(0)


@kernel
def _step_row(up, middle, down, soil, width, rule, eight, power, out):
    """Take one step of a row, as `fieldcraft.kernels.spread_rows.near` defines it.

    The rows have one more value before their first cell and one after their last.
    """
    straight, diagonal, momentum, floor = rule
    stride = width + 2
    flat = np.empty(3 * stride, np.float32)
    for i, row in enumerate((up, middle, down)):
        flat[i * stride : (i + 1) * stride] = floats_at(row - 4, stride)
    ground, to, count = bytes_at(soil, width), floats_at(out, width), np.uint64(width)
    over, here, under = _ONE, np.uint64(stride + 1), np.uint64(2 * stride + 1)
    at, rest = _NOWHERE, (momentum, floor)
    if eight != 0 and power != 0:
        near(flat, over, here, under, ground, at, to, at, count, straight, diagonal, power, *rest)
    elif eight != 0:
        near(flat, over, here, under, ground, at, to, at, count, straight, diagonal, None, *rest)
    elif power != 0:
        near(flat, over, here, under, ground, at, to, at, count, straight, None, power, *rest)
    else:
        near(flat, over, here, under, ground, at, to, at, count, straight, None, None, *rest)


@kernel
def _entering(y, low, first, last, width, over, map_, under):
    """Return the address of a row of a band or of the copies beside it."""
    if y < first:
        return over + 4 * width * (y - low)
    if y < last:
        return map_ + 4 * width * y
    return under + 4 * width * (y - last)


@kernel
def _ring_row(level, y, rows, stride):
    """Return the address of a row of a level in the scratch."""
    return rows + 4 * (level * ROWS + y % ROWS) * stride


@kernel
def _close(row, width, wrap):
    """Put the values of the other end beside a row on a torus."""
    if wrap:
        values = floats_at(row - 4, width + 2)
        values[0], values[width + 1] = values[width], values[1]


@kernel(native="fieldcraft_wave")
def wave(
    ground,
    height,
    width,
    straight,
    diagonal,
    eight,
    power,
    momentum,
    floor,
    wrap,
    first,
    last,
    count,
    more_above,
    more_below,
    values,
    above,
    below,
    rows,
    stride,
    nothing,
):
    """Take the steps of `fieldcraft.kernels.spread.wave_near`, with arrays by their addresses.

    `eight` is 0 for 4 neighbors, `power` 0 for exponential falloff, else the root that falls off.
    `rows` are `ROWS` rows of `stride` values for each level, and `nothing` is a row of 0.
    """
    low, high = first - more_above, last + more_below
    place = (low, first, last, width, above, values, below)
    rule = (straight, diagonal, momentum, floor)
    for t in range(low - 1, high + count):
        for level in range(1, count + 1):
            y = t - level
            least, most = max(low, first - count + level), min(high, last + count - level)
            if t > low and least <= y < most:
                out = (
                    values + 4 * width * y
                    if level == count
                    else _ring_row(level, y - low, rows, stride)
                )
                _step_row(
                    _ring_row(level - 1, y - 1 - low, rows, stride) if y > low else nothing,
                    _ring_row(level - 1, y - low, rows, stride),
                    _ring_row(level - 1, y + 1 - low, rows, stride) if y + 1 < high else nothing,
                    ground + width * (y + height if y < 0 else y - height if y >= height else y),
                    width,
                    rule,
                    eight,
                    power,
                    out,
                )
                if level < count:
                    _close(out, width, wrap != 0)
        if t + 1 < high:
            row = _ring_row(0, t + 1 - low, rows, stride)
            floats_at(row, width)[:] = floats_at(_entering(t + 1, *place), width)
            _close(row, width, wrap != 0)


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
