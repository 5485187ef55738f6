"""The steps of a grid as the kernels of searches read them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.step_lists import LinkedSteps
from fieldcraft.space.cached import cached
from fieldcraft.space.grid.grid import Grid


@cached
def step_table(grid: Grid) -> NDArray[np.int64]:
    """Return the steps of a grid, (K, 3): columns, rows, and what they add to a cell's number."""
    return np.array([(*step, step[1] * grid.width + step[0]) for step in grid.neighborhood.steps])


def grid_ground(grid: Grid) -> LinkedSteps:
    """Return the steps of a grid as kernels take them."""
    links = grid.links().reshape(-1)
    return LinkedSteps(links, step_table(grid), grid.width, grid.height, bool(grid.wrap))
