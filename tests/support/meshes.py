"""Meshes of rooms."""

from __future__ import annotations

import numpy as np

import fieldcraft as fc

# Two rooms beside each other, and a passage between them: see docs/graphs.md.
CORNERS = [
    (0, 0),
    (4, 0),
    (4, 4),
    (0, 4),
    (4, 1),
    (4, 2),
    (9, 1),
    (9, 2),
    (9, 0),
    (13, 0),
    (13, 4),
    (9, 4),
]
ROOMS = [(0, 1, 4, 5, 2, 3), (4, 6, 7, 5), (8, 9, 10, 11, 7, 6)]


def squares(grid: fc.Grid, walls: bool = False) -> tuple[fc.Graph, np.ndarray]:
    """The open cells of a grid (or all of them) as the polygons of a mesh, and which cells they
    are.
    """
    down, right = np.meshgrid(np.arange(grid.height + 1), np.arange(grid.width + 1), indexing="ij")
    rows, columns = np.nonzero(~grid.walls | walls)
    corner = rows * (grid.width + 1) + columns
    rings = np.stack([corner, corner + 1, corner + grid.width + 2, corner + grid.width + 1], axis=1)
    rings[::2] = rings[::2, ::-1]  # polygons may go round either way
    return fc.Graph.from_polygons(
        np.stack([right.ravel(), down.ravel()], axis=1) * grid.cell_size, rings
    ), rows * grid.width + columns


def a_grid(
    seed: int, share: float = 0.25, shape: tuple[int, int] = (11, 17), **options: object
) -> fc.Grid:
    return fc.Grid(
        shape[1], shape[0], walls=np.random.default_rng(seed).random(shape) < share, **options
    )
