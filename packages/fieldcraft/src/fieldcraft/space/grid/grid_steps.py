"""The steps of a grid as the kernels of searches read them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.space.cached import cached
from fieldcraft.space.grid.grid import Grid


@cached
def step_table(grid: Grid) -> NDArray[np.int64]:
    """Return the steps of a grid, (K, 3): columns, rows, and what they add to a cell's number."""
    return np.array([(*step, step[1] * grid.width + step[0]) for step in grid.neighborhood.steps])


GridGround = tuple[NDArray[np.unsignedinteger], NDArray[np.int64], int, int, bool]


def grid_ground(grid: Grid) -> GridGround:
    """Return the links and steps of a grid as `fieldcraft.kernels.distances.distance_steps`
    defines them.
    """
    return grid.links().reshape(-1), step_table(grid), grid.width, grid.height, grid.wrap
