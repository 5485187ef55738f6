"""Where the cells of a grid of squares lie in the world, as kernels take it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["GRID_FRAME", "GridFrame"]

GRID_FRAME = "GridFrame(f8, f8, f8, i8, i8, b1, i8)"
"""The type of `GridFrame` in declarations of kernels."""


class GridFrame(NamedTuple):
    """The corner with the least x and y, the side of a cell, the columns and rows, whether the
    world's y points up, and which axes wrap (see `places`).
    """

    left: float
    low: float
    size: float
    width: int
    height: int
    y_up: bool
    wrap: int
