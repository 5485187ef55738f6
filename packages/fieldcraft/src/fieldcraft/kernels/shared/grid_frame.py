"""Where the cells of a grid of squares lie in the world, as kernels take it.

In all kernels `wrap` says which axes of a grid wrap: `WRAP_X` if its columns do, plus `WRAP_Y` if
its rows do. Kernels that follow links need only whether any does, since no link leads over another
edge.

The library imports this file, and no file of kernels, when it is imported.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GRID_FRAME", "WRAP_X", "WRAP_Y", "GridFrame"]

WRAP_X = 1
WRAP_Y = 2

GRID_FRAME = "GridFrame(f8, f8, f8, i8, i8, b1, i8)"
"""The type of `GridFrame` in declarations of kernels."""


class GridFrame(NamedTuple):
    """The corner with the least x and y, the side of a cell, the columns and rows, whether the
    world's y points up, and which axes wrap.
    """

    left: float
    low: float
    size: float
    width: int
    height: int
    y_up: bool
    wrap: int
