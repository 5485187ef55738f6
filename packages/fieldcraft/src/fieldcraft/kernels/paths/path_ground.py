"""Grids as kernels of shortest paths take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Bytes, Floats, Ints

__all__ = ["COST_BOUNDS", "UNIFORM_GROUND", "CostBounds", "CostGround", "UniformGround"]

COST_BOUNDS = "CostBounds(f8, f8, f8, f8)"
UNIFORM_GROUND = "UniformGround(u1[::1], i8[::1], b1, i8, i8, i8)"
"""The types of the classes in declarations of kernels."""


class UniformGround(NamedTuple):
    """A grid that costs the same everywhere, with 4 neighbors or `eight`."""

    moves: Bytes
    """The steps out of each cell, of the eight `moves.STEPS` in either case."""
    stops: Ints
    """Where straight runs end, see `moves.stops`."""
    eight: bool
    width: int
    height: int
    wrap: int
    """Which axes wrap, see `grid_frame.WRAP_X`."""


class CostGround(NamedTuple):
    """A grid with any table of steps, and a cost for each cell."""

    moves: NDArray[np.integer]
    """The steps out of each cell, a bit for each."""
    steps: Ints
    """The columns and rows of each step, (K, 2)."""
    lengths: Floats
    """The length of each step in world units, (K,)."""
    costs: Floats
    """A number for each cell; none at all if everything costs 1."""
    has_walls: bool
    """Whether some costs are infinite: no diagonal cuts the corners of such cells."""
    width: int
    height: int
    wrap: int
    """Which axes wrap, see `grid_frame.WRAP_X`."""


class CostBounds(NamedTuple):
    """A path is at least `straight` times as long as the longer side of the rectangle between its
    ends, and `diagonal` times the shorter. No cell costs less than `least` or, unless it is a wall,
    more than `highest`.
    """

    straight: float
    diagonal: float
    least: float
    highest: float
