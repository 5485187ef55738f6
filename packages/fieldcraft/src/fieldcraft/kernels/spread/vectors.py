"""Steps of Spread that the native library has in C, with vectors as wide as the processor's
(`packages/fieldcraft/native/vectors.c`). These functions define them, and run where Numba compiles.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.spread.spread_records import LANES
from fieldcraft.kernels.spread.spread_rows import near

__all__ = ["LANES", "PAD", "ROWS", "step_slices", "strongest_slices", "wave"]

ROWS = 8
"""The rows that a wave keeps of a level, a power of 2: the two that are stepped, the ones beside
them and two more that the level before writes meanwhile."""

PAD = 16
"""The values beside a row that C functions may read."""

_ZERO = np.float32(0)
_NOWHERE = np.uint64(0)


@kernel
def _step_row(flat, up, here, down, soil, rule, eight, power, wrap, out):
    """Take one step of a row, as `fieldcraft.kernels.spread.spread_rows.near` defines it.

    `up`, `here` and `down` are where rows begin in `flat`; each has a value of 0 beside it, or on a
    torus that of the other end.
    """
    straight, diagonal, momentum, floor = rule
    width = out.shape[0]
    if wrap:
        for start in (up, here, down):
            flat[start - 1] = flat[start + width - 1]
            flat[start + width] = flat[start]
    over, middle, under = np.uint64(up), np.uint64(here), np.uint64(down)
    at, count, rest = _NOWHERE, np.uint64(width), (momentum, floor)
    if eight != 0 and power != 0:
        near(flat, over, middle, under, soil, at, out, at, count, straight, diagonal, power, *rest)
    elif eight != 0:
        near(flat, over, middle, under, soil, at, out, at, count, straight, diagonal, None, *rest)
    elif power != 0:
        near(flat, over, middle, under, soil, at, out, at, count, straight, None, power, *rest)
    else:
        near(flat, over, middle, under, soil, at, out, at, count, straight, None, None, *rest)


@kernel
def _ring_start(level, y, stride):
    """Return where a row of a level begins in the scratch."""
    return (level * ROWS + y % ROWS) * stride + PAD


@kernel
def _ring_row(flat, level, y, stride, width):
    """Return a row of a level in the scratch."""
    start = _ring_start(level, y, stride)
    return flat[start : start + width]


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
    scratch,
    scratch_rows,
    stride,
):
    """Take the steps of `fieldcraft.kernels.spread.spread_steps.wave_near`.

    `eight` is 0 for 4 neighbors, `power` 0 for exponential falloff, else the root that falls off.
    `scratch` has `scratch_rows` rows of `stride` values: `ROWS` for each level, and one of 0.
    """
    low, high = first - more_above, last + more_below
    rule = (straight, diagonal, momentum, floor)
    flat = scratch.reshape(-1)
    beyond = (scratch_rows - 1) * stride + PAD
    for t in range(low - 1, high + count):
        for level in range(1, count + 1):
            y = t - level
            least, most = max(low, first - count + level), min(high, last + count - level)
            if t > low and least <= y < most:
                at, before = y - low, level - 1
                _step_row(
                    flat,
                    _ring_start(before, at - 1, stride) if y > low else beyond,
                    _ring_start(before, at, stride),
                    _ring_start(before, at + 1, stride) if y + 1 < high else beyond,
                    ground[y + height if y < 0 else y - height if y >= height else y],
                    rule,
                    eight,
                    power,
                    wrap,
                    values[y] if level == count else _ring_row(flat, level, at, stride, width),
                )
        y = t + 1
        if y < high:
            row = _ring_row(flat, 0, y - low, stride, width)
            if y < first:
                row[:] = above[y - low]
            elif y < last:
                row[:] = values[y]
            else:
                row[:] = below[y - last]


@kernel
def _origin(origins, arc, lane):
    """Return the origin of a lane of a row of arcs: see
    `fieldcraft.kernels.spread.graph_spread`.
    """
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
