"""Coarser cells: blocks of the cells of a grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue

if TYPE_CHECKING:
    from fieldcraft.space.grid import Grid

__all__ = ["coarse_cells", "coarse_walls"]


def coarse_cells(grid: Grid, cell_size: float) -> tuple[int, tuple[int, int]]:
    """How many cells of a grid a cell of this size is wide, and how many rows and columns of these
    there are.
    """
    size = checks.positive("cell_size", cell_size)
    ratio = size / grid.cell_size
    factor = round(ratio) if ratio <= 2**31 else 0
    if factor < 1 or not math.isclose(factor * grid.cell_size, size, rel_tol=1e-9):
        raise InvalidValue(
            f"A coarser cell_size is a whole multiple of the map's {grid.cell_size:g}",
            got=f"cell_size={cell_size!r}",
            remedy=f"Pass {max(1, factor) * grid.cell_size:g}, say",
        )
    if grid.wrap and (grid.width % factor or grid.height % factor):
        raise InvalidValue(
            "On a torus the coarser cells divide the map evenly",
            got=f"blocks of {factor} cells on a map of {grid.width} x {grid.height}",
            remedy=(
                f"Pass a cell_size that is a multiple of {grid.cell_size:g} and divides {grid.size}"
            ),
        )
    return factor, (-(-grid.height // factor), -(-grid.width // factor))


def coarse_walls(walls: NDArray[np.bool_], factor: int, *, y_up: bool) -> NDArray[np.bool_]:
    """Whether all cells of each block of `factor` x `factor` are walls."""
    height, width = walls.shape
    left = np.arange(0, width, factor)
    # Blocks are counted from `origin`, which is at the bottom of the array where y grows upwards.
    top = np.arange(0, height, factor)
    if y_up:
        top = np.maximum(height - top[::-1] - factor, 0)
    rows = np.logical_and.reduceat(walls, top, axis=0)
    return np.asarray(np.logical_and.reduceat(rows, left, axis=1))
