"""Sight, called as the compiled kernels are; see `fieldcraft.kernels.reference.visible`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.reference import visible as reference
from fieldcraft.kernels.reference.visible import NO_FACINGS, NO_HEIGHTS

__all__ = [
    "COUNT",
    "NO_FACINGS",
    "NO_HEIGHTS",
    "field_of_view",
    "most_cells",
    "room",
    "sight_cells",
]

COUNT = 1


def most_cells(shape: tuple[int, ...], limit: int) -> int:
    """The room that arrays of the cells in sight need, for a map's shape and the largest squared
    distance.
    """
    side = 2 * math.isqrt(limit) + 1
    return min(side, shape[0] + 1) * min(side, shape[1] + 1)


def room(
    _shape: tuple[int, ...], _limit: int, *, heights: bool = False
) -> tuple[None, None, None, NDArray[np.int64]]:
    """No scratch but the state, of which `state[COUNT]` says how many cells were seen."""
    return None, None, None, np.zeros(2, dtype=np.int64)


def sight_cells(
    walls: NDArray[np.uint8],
    heights: NDArray[np.float32],
    eye: float,
    row: int,
    column: int,
    limit: int,
    wrap: bool,
    lit: bool,
    cells: NDArray[np.int64],
    squares: NDArray[np.int64],
    _budget: int,
    *scratch: Any,
) -> bool:
    """Write the cells in sight and their squared distances; True, since it is done."""
    seen, away = reference.sight_cells(walls, heights, eye, row, column, limit, wrap, lit)
    cells[: len(seen)], squares[: len(seen)] = seen, away
    scratch[-1][COUNT] = len(seen)
    return True


def field_of_view(
    walls: NDArray[np.uint8],
    heights: NDArray[np.float32],
    eye: float,
    sources: NDArray[np.int64],
    limits: NDArray[np.int64],
    facings: NDArray[np.float64],
    narrow: float,
    wrap: bool,
    lit: bool,
    counts: NDArray[np.int32],
    *_scratch: Any,
) -> None:
    """Add 1 to `counts` (height, width) wherever a source sees, once per source."""
    reference.field_of_view(
        walls, heights, eye, sources, limits, facings, narrow, wrap, lit, counts
    )
