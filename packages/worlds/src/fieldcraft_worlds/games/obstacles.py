"""Walls that a player paints: a grid with the walls of a state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid


class Obstacles:
    """The walls of a grid, updated to those of a state."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._walls = grid.walls
        self._banks: tuple[int, NDArray[np.int64]] | None = None

    def follow(self, walls: NDArray[np.bool_]) -> None:
        """Set the walls, bool (height, width)."""
        if walls is not self._walls:
            for blocked in (False, True):
                self.grid.set_walls(
                    np.flatnonzero((walls != self.grid.walls) & (walls == blocked)), blocked
                )
            self._walls = walls

    @property
    def banks(self) -> NDArray[np.int64]:
        """The open cells beside a wall, or beside the edge of the map."""
        version = self.grid.walls_version
        if self._banks is None or self._banks[0] != version:
            walls = self.grid.walls
            around = (
                np.pad(walls, 1, mode="wrap")
                if self.grid.wrap
                else np.pad(walls, 1, constant_values=True)
            )
            rows = around[:-2] | around[1:-1] | around[2:]
            self._banks = (
                version,
                np.flatnonzero((rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]) & ~walls),
            )
        return self._banks[1]


def disc(grid: Grid, middle: int, radius: float) -> NDArray[np.bool_]:
    """Return which cells have their center within a radius of a cell's, in cells: bool (cells,); a
    torus wraps.
    """
    height, width = grid.shape
    row, column = divmod(middle, width)
    down, across = np.abs(np.arange(height) - row), np.abs(np.arange(width) - column)
    if grid.wrap:
        down, across = np.minimum(down, height - down), np.minimum(across, width - across)
    return np.asarray((np.add.outer(down * down, across * across) <= radius * radius).reshape(-1))
