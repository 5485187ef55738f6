"""Maps of games on foot."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import Graph, Grid, load_map
from fieldcraft.base.errors import InvalidValue


class Obstacles:
    """The walls of a grid, updated to those of a state."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._walls = grid.walls
        self._banks: tuple[int, NDArray[np.int64]] | None = None

    def follow(self, walls: NDArray[np.bool_]) -> None:
        """Set the walls, bool (height, width)."""
        if walls is not self._walls:
            opened = np.flatnonzero(~walls & self.grid.walls)
            self.grid.set_walls(opened, False)
            closed = np.flatnonzero(walls & ~self.grid.walls)
            self.grid.set_walls(closed, True)
            self._walls = walls

    @property
    def banks(self) -> NDArray[np.int64]:
        """The open cells beside a wall, or beside the edge of the map."""
        version = self.grid.walls_version
        if self._banks is None or self._banks[0] != version:
            walls = self.grid.walls
            around = walls
            across = ((0, 0), (1, 1))
            down = ((1, 1), (0, 0))
            for margin, wraps in ((across, self.grid.wraps_x), (down, self.grid.wraps_y)):
                if wraps:
                    around = np.pad(around, margin, mode="wrap")
                else:
                    around = np.pad(around, margin, constant_values=True)
            rows = around[:-2] | around[1:-1] | around[2:]
            beside = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
            self._banks = (version, np.flatnonzero(beside & ~walls))
        return self._banks[1]


def disc(grid: Grid, middle: int, radius: float) -> NDArray[np.bool_]:
    """Return which cells have their center within a radius of a cell's, in cells: bool (cells,);
    the short way around axes that wrap.
    """
    height, width = grid.shape
    row, column = divmod(middle, width)
    down = np.abs(np.arange(height) - row)
    across = np.abs(np.arange(width) - column)
    if grid.wraps_y:
        down = np.minimum(down, height - down)
    if grid.wraps_x:
        across = np.minimum(across, width - across)
    return np.asarray((np.add.outer(down * down, across * across) <= radius * radius).reshape(-1))


def walking_grid(space: Grid) -> Grid:
    """Return a map with walls of its own and steps to 8 neighbors."""
    return Grid(
        space.width,
        space.height,
        cell_size=space.cell_size,
        origin=space.origin,
        y_up=space.y_up,
        walls=space.walls,
        terrain=space.terrain,
        neighbors=8,
        wrap=space.wrap,
    )


def require_grid(space: object, what: str) -> Grid:
    """Return the space if it is a grid; else raise `InvalidValue`, with `what` as its subject:
    "Ants walk on".
    """
    if isinstance(space, Grid):
        return space
    raise InvalidValue(
        f"{what} a grid", got=repr(space)[:120], remedy="Use a fieldcraft.Grid, a map of cells"
    )


def loaded_map(path: str | os.PathLike[str], neighbors: int, **options: Any) -> Grid | Graph:
    """Return the map of a file, see `fieldcraft.load_map`; a grid has `neighbors` neighbors."""
    space: Grid | Graph = load_map(path, **options)
    if isinstance(space, Grid):
        space = load_map(path, neighbors=neighbors, **options)
    return space


def largest_part(space: Grid | Graph) -> NDArray[np.int64]:
    """Return the cells of the largest strongly connected part, by area on a mesh: ids, ascending,
    (C,); none if all is wall.
    """
    # Importing it takes longer than `import fieldcraft`.
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(
        space.adjacency.to_sparse(), directed=True, connection="strong"
    )
    labels = np.where(space.walls.reshape(-1), -1, labels)
    if not (labels >= 0).any():
        return np.zeros(0, dtype=np.int64)
    weights = np.bincount(labels[labels >= 0], weights=space.areas[labels >= 0])
    return np.flatnonzero(labels == np.argmax(weights))


def away(space: Grid, starts: ArrayLike, ends: ArrayLike) -> NDArray[np.float64]:
    """Return the vectors from starts to ends, arrays (..., 2) in world units that broadcast; on a
    torus the short ones.
    """
    return space.shortest_vectors(
        np.asarray(ends, dtype=np.float64) - np.asarray(starts, dtype=np.float64)
    )


def directions(
    vectors: NDArray[np.float64], otherwise: NDArray[np.float64] | float = 0.0
) -> NDArray[np.float64]:
    """Return vectors (N, D) at length 1, and `otherwise` for those without a length."""
    lengths = np.sqrt((vectors**2).sum(axis=-1, keepdims=True))
    return np.where(lengths > 1e-12, vectors / np.where(lengths > 1e-12, lengths, 1.0), otherwise)
