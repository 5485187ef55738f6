"""Expressions over maps and the strength of teams in NumPy: the numbers of operations, what serves
where nothing is compiled, and what the compiled kernels are compared with.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

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
    "FIXED",
    "LARGEST",
    "LESS",
    "LESS_EQUAL",
    "MAP",
    "MAXIMUM",
    "MINIMUM",
    "MULTIPLY",
    "MULTIPLY_ADD",
    "MULTIPLY_SUBTRACT",
    "NEGATE",
    "NOBODY",
    "RANGE",
    "RESULT",
    "SUBTRACT",
    "SUBTRACT_MULTIPLY",
    "UNEQUAL",
    "WHERE",
    "apply",
    "box",
    "box_mean",
    "evaluate",
    "evaluated",
    "held",
    "lead",
    "leading",
    "survey",
    "surveyed",
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
FIXED, MAP, RESULT = 0, 1, 2
Numbers = NDArray[np.int32]
NOBODY = -1
Whole = NDArray[np.int64]


def apply(operation: int, a: Floats, b: Floats, c: Floats) -> Floats:
    """The result of one operation, cell by cell; operations of fewer operands leave `b` and `c`
    alone.

    Walls may hold anything: what becomes of them is hidden in the end.
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


def held(values: Floats) -> Floats:
    """The values, infinite ones held back to +-LARGEST."""
    return apply(CLAMP, values, np.full_like(values, -LARGEST), np.full_like(values, LARGEST))


def evaluated(
    program: NDArray[np.int64],
    table: list[Floats],
    walls: NDArray[np.bool_],
    ranges: NDArray[np.float32],
) -> None:
    """Run a program over rows of cells.

    `table` holds the rows of the result, maps and constants, and as many registers more as the
    program names. `walls` is True for cells that read 0 and don't count for a range, or empty. A
    RANGE instruction widens `ranges[result]`, the (smallest, largest) value met so far, by row `a`.
    """
    for operation, result, a, b, c in program.tolist():
        if operation == RANGE:
            counted = table[a][~walls] if len(walls) else table[a]
            ranges[result, 0] = min(ranges[result, 0], counted.min(initial=np.inf))
            ranges[result, 1] = max(ranges[result, 1], counted.max(initial=-np.inf))
        else:
            table[result][:] = apply(operation, table[a], table[b], table[c])
    if len(walls) and len(table[0]):
        table[0][walls] = 0


def box_mean(values: Floats, counts: Floats, reach: int, wrap: bool) -> Floats:
    """The sum of the cells up to `reach` rows and columns away over `counts`; 0 where the count is
    0.

    `values` and `counts` have shape (height, width); what lies beyond the rim is 0. The sums are
    float64: first along each row from left to right, then those sums from the first row to the
    last.
    """
    along = np.zeros(values.shape)
    for step in range(-reach, reach + 1):
        along += _shifted(values.astype(np.float64), step, 1, wrap)
    total = np.zeros(values.shape)
    for step in range(-reach, reach + 1):
        total += _shifted(along, step, 0, wrap)
    return np.where(counts > 0, total / np.maximum(counts, 1), 0).astype(np.float32)


def _shifted(array: NDArray[np.float64], step: int, axis: int, wrap: bool) -> NDArray[np.float64]:
    """For each cell the value `step` cells further along an axis, 0 beyond the rim."""
    if wrap:
        return np.roll(array, -step, axis)
    length = array.shape[axis]
    moved = np.zeros_like(array)
    if abs(step) < length:
        to: list[slice] = [slice(None), slice(None)]
        of: list[slice] = [slice(None), slice(None)]
        to[axis] = slice(max(-step, 0), length - max(step, 0))
        of[axis] = slice(max(step, 0), length - max(-step, 0))
        moved[tuple(to)] = array[tuple(of)]
    return moved


def _exp(values: Floats) -> Floats:
    """The exponential of values cut to [-60, 60]: 2 ** n times the series of what is left, summed
    from its last term.
    """
    x = np.clip(values, np.float32(-60), np.float32(60))
    n = np.floor(x * np.float32(1.442695) + np.float32(0.5))
    # ln 2 in two parts, of which the first has few enough digits for n * first to be exact.
    r = x - n * np.float32(0.693359375) - n * np.float32(-2.12194440e-4)
    series = np.full_like(r, 1 / 5040)
    for term in (1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
        series = series * r + np.float32(term)
    power: Floats = ((n.astype(np.int32) + 127) << 23).view(np.float32)
    result: Floats = series * power
    return result


def floats(address: int, count: int) -> NDArray[np.float32]:
    """The float32 numbers that lie at an address; somebody else holds the array that they belong
    to.
    """
    return np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))


def evaluate(
    program: Whole,
    bases: Whole,
    moves: Whole,
    constants: Floats,
    walls: NDArray[np.uint8],
    segments: Whole,
    block: int,
    ranges: NDArray[np.int32],
) -> None:
    """Run a program over segments of the map; arguments as `fieldcraft.kernels.compose.evaluate`
    has them.
    """
    fixed = 1 + int(np.count_nonzero(moves == MAP))
    found = np.tile(np.array([np.inf, -np.inf], dtype=np.float32), (len(ranges), 1))
    rows = list(zip(bases.tolist(), moves.tolist(), strict=True))
    for start, place, count in segments.tolist():
        for done in range(0, count, block):
            size = min(block, count - done)
            cells = {FIXED: 0, MAP: start + done, RESULT: place + done}
            table = [floats(address + 4 * cells[move], size) for address, move in rows[1:]]
            result = (
                floats(rows[0][0] + 4 * cells[RESULT], size)
                if rows[0][1] == RESULT
                else np.zeros(0, dtype=np.float32)
            )
            for row, value in zip(table[fixed - 1 :], constants, strict=False):
                row[:] = value
            evaluated(program, [result, *table], walls[cells[MAP] : cells[MAP] + size] != 0, found)
    ranges[:] = found.view(np.int32)


def box(
    values: Floats, counts: Floats, reach: int, wrap: bool, first: int, last: int, out: Floats
) -> None:
    """The sums of the cells up to `reach` rows and columns away over `counts`, for the rows [first,
    last) of `out`.
    """
    out[first:last] = box_mean(values, counts, reach, wrap)[first:last]


def surveyed(maps: Sequence[Floats], total: Floats, contested: Floats, leader: Numbers) -> None:
    """Look through the maps of all teams, in their order.

    `total` becomes the sum of presences, `contested` twice the sum of all but the strongest,
    `leader` the number of the
    strongest team: the first of equals, `NOBODY` where all are 0.
    """
    strongest, rest = np.zeros_like(total), np.zeros_like(total)
    leader[:] = NOBODY
    for number, values in enumerate(maps):
        presence = np.abs(values)
        rest += np.minimum(presence, strongest)
        leader[presence > strongest] = number
        np.maximum(strongest, presence, out=strongest)
    np.add(strongest, rest, out=total)
    np.add(rest, rest, out=contested)


def leading(maps: Sequence[Floats], margin: float, neutral: int, owner: Numbers) -> None:
    """Write into `owner` the number of the strongest team where it is ahead of the second by at
    least `margin`.

    And `neutral` where it is not, or where all are 0.
    """
    strongest, second = (
        np.zeros(owner.shape, dtype=np.float32),
        np.zeros(owner.shape, dtype=np.float32),
    )
    owner[:] = neutral
    for number, values in enumerate(maps):
        presence = np.abs(values)
        np.maximum(second, np.minimum(presence, strongest), out=second)
        owner[presence > strongest] = number
        np.maximum(strongest, presence, out=strongest)
    owner[strongest - second < np.float32(margin)] = neutral


def survey(
    bases: NDArray[np.int64],
    first: int,
    last: int,
    total: Floats,
    contested: Floats,
    leader: Numbers,
) -> None:
    """Look through the cells [first, last) of the maps at the addresses `bases`, float32 by
    cell.
    """
    surveyed(
        _maps(bases, first, last), total[first:last], contested[first:last], leader[first:last]
    )


def lead(
    bases: NDArray[np.int64], first: int, last: int, margin: float, neutral: int, owner: Numbers
) -> None:
    """Write into the cells [first, last) of `owner` the strongest team where it is ahead by
    `margin`, else `neutral`.
    """
    leading(_maps(bases, first, last), margin, neutral, owner[first:last])


def _maps(bases: NDArray[np.int64], first: int, last: int) -> list[Floats]:
    return [floats(address + 4 * first, last - first) for address in bases.tolist()]
