"""Expressions over maps.

One interpreter, compiled once, runs every program. It processes the map in blocks that stay in the
first-level cache, and each instruction is a plain loop over one block.
"""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.compiling.low_level import floats_at
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y
from fieldcraft.kernels.values.map_operations import (
    ABS,
    ADD,
    CLAMP,
    COPY,
    DIVIDE,
    EQUAL,
    EXP,
    LESS,
    LESS_EQUAL,
    MAXIMUM,
    MINIMUM,
    MULTIPLY,
    MULTIPLY_ADD,
    MULTIPLY_SUBTRACT,
    NEGATE,
    RANGE,
    SUBTRACT,
    SUBTRACT_MULTIPLY,
    UNEQUAL,
    WHERE,
)

__all__ = ["BLOCK", "box", "evaluate"]

BLOCK = 1024  # cells; the rows of a usual expression then fit into the first-level cache
_ZERO = np.float32(0)
_ONE = np.float32(1)
_HALF = np.float32(0.5)
_EXP_LIMIT = np.float32(60)
_LOG2_E = np.float32(1.442695)
_LN2_FIRST = np.float32(0.693359375)
_LN2_REST = np.float32(-2.12194440e-4)
_TERM7, _TERM6, _TERM5 = np.float32(1 / 5040), np.float32(1 / 720), np.float32(1 / 120)
_TERM4, _TERM3 = np.float32(1 / 24), np.float32(1 / 6)
_LARGEST_KEY = np.int32(0x7FFFFFFF)
_INFINITE, _NEGATIVE_INFINITE = np.int32(0x7F800000), np.int32(-0x800000)


@kernel
def _row(bases, moving, index, at, count):
    """Return a row of the table at the block that begins at cell `at`."""
    return floats_at(bases[index] + (4 * at if index < moving else 0), count)


@kernel(
    "i8[:,::1], i8[::1], f4[::1], u1[::1], i8, b1, i8, i8, i8, out i4[:,::1]",
    error_model="numpy",
)
def evaluate(program, bases, constants, walls, moving, writes, block, first, last, ranges):
    """Run a program over the cells [first, last).

    Row `i` of the table is at address `bases[i]`. The first rows, `moving` of them, are the
    result and the maps and have a value for each cell; the others are scratch, `block` long, and
    the first scratch rows receive the `constants`. A program `writes` a result, or finds `ranges`:
    these become the bits of (smallest, largest) of each RANGE as float32, of (inf, -inf) where
    there is no cell. `walls` is uint8 of the cells, or empty.

    All loops are in one function: in functions of their own they take three times as long to
    compile.
    """
    for k in range(constants.shape[0]):
        row = _row(bases, moving, moving + k, 0, block)
        for x in range(block):
            row[x] = constants[k]
    for k in range(ranges.shape[0]):
        ranges[k, 0], ranges[k, 1] = _LARGEST_KEY, -_LARGEST_KEY
    for at in range(first, last, block):
        count = min(block, last - at)
        for p in range(program.shape[0]):
            operation = program[p, 0]
            a = _row(bases, moving, program[p, 2], at, count)
            b = _row(bases, moving, program[p, 3], at, count)
            c = _row(bases, moving, program[p, 4], at, count)
            if operation == RANGE:
                # Float bits, so turned that integers sort like floats: their minimum becomes a
                # vector loop.
                bits = a.view(np.int32)
                low, high = ranges[program[p, 1], 0], ranges[program[p, 1], 1]
                if walls.shape[0] == 0:
                    for x in range(count):
                        key = np.int32(bits[x] ^ ((bits[x] >> np.int32(31)) & _LARGEST_KEY))
                        low, high = min(low, key), max(high, key)
                else:
                    hidden = walls[at : at + count]
                    for x in range(count):
                        key = np.int32(bits[x] ^ ((bits[x] >> np.int32(31)) & _LARGEST_KEY))
                        low = min(low, key if hidden[x] == 0 else low)
                        high = max(high, key if hidden[x] == 0 else high)
                ranges[program[p, 1], 0], ranges[program[p, 1], 1] = low, high
                continue
            out = _row(bases, moving, program[p, 1], at, count)
            if operation == COPY:
                for x in range(count):
                    out[x] = a[x]
            elif operation == NEGATE:
                for x in range(count):
                    out[x] = -a[x]
            elif operation == ABS:
                for x in range(count):
                    out[x] = abs(a[x])
            elif operation == EXP:
                for x in range(count):
                    v = a[x] if a[x] < _EXP_LIMIT else _EXP_LIMIT
                    v = v if v > -_EXP_LIMIT else -_EXP_LIMIT
                    n = np.floor(v * _LOG2_E + _HALF)
                    r = v - n * _LN2_FIRST - n * _LN2_REST
                    t = _TERM7 * r + _TERM6
                    t = t * r + _TERM5
                    t = t * r + _TERM4
                    t = t * r + _TERM3
                    t = t * r + _HALF
                    t = t * r + _ONE
                    t = t * r + _ONE
                    out[x] = t * np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(
                        np.float32
                    )
            elif operation == ADD:
                for x in range(count):
                    out[x] = a[x] + b[x]
            elif operation == SUBTRACT:
                for x in range(count):
                    out[x] = a[x] - b[x]
            elif operation == MULTIPLY:
                for x in range(count):
                    out[x] = a[x] * b[x]
            elif operation == DIVIDE:
                for x in range(count):
                    q = a[x] / (b[x] if b[x] != 0 else _ONE)
                    out[x] = q if b[x] != 0 else _ZERO
            elif operation == MINIMUM:
                for x in range(count):
                    out[x] = a[x] if a[x] < b[x] else b[x]
            elif operation == MAXIMUM:
                for x in range(count):
                    out[x] = a[x] if a[x] > b[x] else b[x]
            elif operation == LESS:
                for x in range(count):
                    out[x] = _ONE if a[x] < b[x] else _ZERO
            elif operation == LESS_EQUAL:
                for x in range(count):
                    out[x] = _ONE if a[x] <= b[x] else _ZERO
            elif operation == EQUAL:
                for x in range(count):
                    out[x] = _ONE if a[x] == b[x] else _ZERO
            elif operation == UNEQUAL:
                for x in range(count):
                    out[x] = _ONE if a[x] != b[x] else _ZERO
            elif operation == WHERE:
                for x in range(count):
                    t, f = b[x], c[x]
                    out[x] = t if a[x] != 0 else f
            elif operation == MULTIPLY_ADD:
                for x in range(count):
                    out[x] = a[x] * b[x] + c[x]
            elif operation == MULTIPLY_SUBTRACT:
                for x in range(count):
                    out[x] = a[x] * b[x] - c[x]
            elif operation == SUBTRACT_MULTIPLY:
                for x in range(count):
                    out[x] = c[x] - a[x] * b[x]
            elif operation == CLAMP:
                for x in range(count):
                    v = a[x] if a[x] > b[x] else b[x]
                    out[x] = v if v < c[x] else c[x]
        if walls.shape[0] != 0 and writes:
            out = _row(bases, moving, 0, at, count)
            hidden = walls[at : at + count]
            for x in range(count):
                v = out[x]
                out[x] = v if hidden[x] == 0 else _ZERO
    for k in range(ranges.shape[0]):
        low, high = ranges[k, 0], ranges[k, 1]
        if low > high:
            ranges[k, 0], ranges[k, 1] = _INFINITE, _NEGATIVE_INFINITE
        else:
            ranges[k, 0] = low ^ ((low >> np.int32(31)) & _LARGEST_KEY)
            ranges[k, 1] = high ^ ((high >> np.int32(31)) & _LARGEST_KEY)


@kernel(
    "f4[:,::1], f4[:,::1], i8, i8, i8, i8, out f4[:,::1]",
    error_model="numpy",
)
def box(values, counts, reach, wrap, first, last, out):
    """Write the sums of the cells up to `reach` rows and columns away over `counts`, for the rows
    [first, last) of `out`.
    """
    height, width = values.shape
    wrap_x = wrap & WRAP_X != 0
    wrap_y = wrap & WRAP_Y != 0
    rows = 2 * reach + 1
    wide = np.zeros(width + 2 * reach, np.float64)  # a row and the cells beside it
    sums = np.zeros((rows, width), np.float64)  # along the last rows
    total = np.zeros(width, np.float64)
    for y in range(first - reach, last + reach):
        if wrap_y or 0 <= y < height:
            row = values[y % height]
            for x in range(width):
                wide[reach + x] = row[x]
            if wrap_x:
                for j in range(reach):
                    wide[j], wide[reach + width + j] = row[(j - reach) % width], row[j % width]
            along = sums[y % rows]
            along[:] = 0.0
            for step in range(rows):
                shifted = wide[step : step + width]
                for x in range(width):
                    along[x] += shifted[x]
        if y >= first + reach:
            here = y - reach
            total[:] = 0.0
            for beside in range(here - reach, here + reach + 1):
                if wrap_y or 0 <= beside < height:
                    along = sums[beside % rows]
                    for x in range(width):
                        total[x] += along[x]
            row_counts, row_out = counts[here], out[here]
            for x in range(width):
                count = np.float64(row_counts[x])
                mean = np.float32(total[x] / (count if count > 0 else 1.0))
                row_out[x] = mean if count > 0 else _ZERO
