"""Expressions over maps, called as the compiled kernels are; see
`fieldcraft.kernels.reference.compose`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.plain.memory import floats
from fieldcraft.kernels.reference import compose as reference

__all__ = ["BLOCK", "FIXED", "MAP", "RESULT", "box", "evaluate"]

FIXED, MAP, RESULT = 0, 1, 2
BLOCK = 65536

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]


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
            reference.evaluate(
                program, [result, *table], walls[cells[MAP] : cells[MAP] + size] != 0, found
            )
    ranges[:] = found.view(np.int32)


def box(
    values: Floats, counts: Floats, reach: int, wrap: bool, first: int, last: int, out: Floats
) -> None:
    """The sums of the cells up to `reach` rows and columns away over `counts`, for the rows [first,
    last) of `out`.
    """
    out[first:last] = reference.box(values, counts, reach, wrap)[first:last]
