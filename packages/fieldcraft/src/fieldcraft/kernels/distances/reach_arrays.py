"""What kernels of the cells in reach take: grids, rules, results and scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Floats, Ints

__all__ = ["ReachGrid", "ReachRule", "ReachScratch", "ReachedCells"]


class ReachGrid(NamedTuple):
    """The steps of a grid, see `step_lists.LinkedSteps`, with their lengths (K,). With `guarded` no
    diagonal passes a cell of infinite cost.
    """

    links: NDArray[np.unsignedinteger]
    steps: Ints
    lengths: Floats
    width: int
    height: int
    wrap: bool
    guarded: bool


class ReachRule(NamedTuple):
    """Whether a step costs what the cell costs that it ends in, else the mean of both cells; the
    largest distance; and the least and the greatest valid cost.
    """

    enter: bool
    limit: float
    lowest: float
    highest: float


class ReachedCells(NamedTuple):
    """Cells in reach, their distances, and the cell before each on its path."""

    cells: Ints
    distances: Floats
    before: Ints


class ReachScratch(NamedTuple):
    """Scratch of a search: distances (infinite before and after), the cell before each, a heap of
    keys and cells, and the numbers of cells found and in the heap.
    """

    dist: Floats
    came: NDArray[np.int32]
    keys: Floats
    cells: NDArray[np.int32]
    sizes: Ints
