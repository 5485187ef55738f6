"""What kernels of Radial take: ground, scratch, sources and their footprints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats, Ints

__all__ = [
    "EMISSIONS",
    "SQUARE_WEIGHTS",
    "WALK_SCRATCH",
    "Emissions",
    "LinkedGrid",
    "SquareWeights",
    "WalkScratch",
]

EMISSIONS = "Emissions(i8[::1], f8[::1], i8[::1])"
SQUARE_WEIGHTS = "SquareWeights(f8[::1], f8[::1], i8[::1])"
WALK_SCRATCH = "WalkScratch(out i8[:,::1], out i8[:,::1], out i8[::1], out i8[::1], out i8[::1])"
"""The types of the classes in declarations of kernels."""


class LinkedGrid(NamedTuple):
    """A grid: a step of some columns and rows, `steps` (K, 2), may enter a cell if the bits that
    its `masks` (K,) have are in the cell's `links` (height, width).
    """

    links: NDArray[np.unsignedinteger]
    masks: NDArray[np.unsignedinteger]
    steps: Ints
    lengths: Ints
    """Of steps, in 1 / LENGTH_SCALE cells."""
    wrap: int
    """Which axes wrap, see `grid_frame.WRAP_X`."""


class WalkScratch(NamedTuple):
    """Scratch of searches by walking distance. `best` and `seen` are squares around the start, with
    a side of twice the reach and one.
    """

    best: Ints
    seen: Ints
    heads: Ints
    """The first node of each bucket."""
    node_cells: Ints
    node_next: Ints


class Emissions(NamedTuple):
    """Sources: their cells, strengths, and the numbers of their footprints."""

    cells: Ints
    strengths: Floats
    numbers: Ints


class SquareWeights(NamedTuple):
    """Footprints: the largest distance in each, in cells, and from `starts` on its weights by
    squared distance.
    """

    radii: Floats
    weights: Floats
    starts: Ints
