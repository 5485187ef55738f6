"""Straight legs instead of steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.paths.on_grid.moves import Moves
from fieldcraft.space import Grid

__all__ = ["straighten"]


def straighten(
    space: Grid, moves: Moves, costs: NDArray[np.float64], least: float, cells: NDArray[np.int64]
) -> tuple[NDArray[np.int64], float, float]:
    """The cells at which a way turns when straight legs replace its steps wherever that costs no
    more; its length and cost.

    `costs` are flat, at least `least`, or empty where every cell costs `least`.
    """
    uneven = len(costs) > 0
    problem = (
        moves.table(space),
        moves.steps,
        moves.lengths,
        moves.king.reshape(-1),
        costs,
        least if uneven else 1.0,
        space.cell_size,
        space.width,
        space.height,
        space.wrap,
    )
    kept = np.empty(len(cells), dtype=np.int64)
    count, length, cost = kernels.smoothing.straighten(*problem, cells, kept)
    return kept[:count].copy(), length, cost if uneven else cost * least
