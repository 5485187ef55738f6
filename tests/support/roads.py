"""Which cell is reached from which, spelled out cell by cell: what the tests of grids and spreading
judge by.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

import fieldcraft as fc


def end_of(grid: fc.Grid, start: int, step: tuple[int, int]) -> int | None:
    """The cell where a step (columns, rows) from the cell `start` ends, or None where it is not
    allowed.
    """
    y, x = divmod(start, grid.width)
    dx, dy = step
    end = _cell(grid, x + dx, y + dy)
    if end is None or not _allowed(grid, start, end):
        return None
    if abs(dx) == 1 and abs(dy) == 1:
        for side in (_cell(grid, x + dx, y), _cell(grid, x, y + dy)):
            if side is None or not _allowed(grid, start, side) or not _allowed(grid, side, end):
                return None
    return end


def settled(
    grid: fc.Grid, sources: dict[int, float], decay: float, *, floor: float = 0.0
) -> NDArray[np.float64]:
    """For each cell the strongest `strength * exp(-decay * way)` of any source, by SciPy's
    Dijkstra.

    A source's cell reads its own strength, and nobody else's influence gets through it.
    """
    rows, columns, lengths = [], [], []
    for start in range(len(grid)):
        for dx, dy in grid.neighborhood.steps:
            end = end_of(grid, start, (dx, dy))
            if end is not None and end not in sources and end != start:
                rows.append(start)
                columns.append(end)
                lengths.append(float(np.hypot(dx, dy)) * grid.cell_size)
    # On a small torus two steps may lead to one cell: the shorter counts, where a sparse matrix
    # would add them.
    best: dict[tuple[int, int], float] = {}
    for edge in zip(rows, columns, lengths, strict=True):
        best[edge[:2]] = min(edge[2], best.get(edge[:2], np.inf))
    ends = np.array(list(best), dtype=np.int64).reshape(-1, 2)
    graph = sparse.csr_matrix(
        (np.array(list(best.values())), (ends[:, 0], ends[:, 1])), shape=(len(grid), len(grid))
    )
    values = np.zeros(len(grid))
    for cell, strength in sources.items():
        way = csgraph.dijkstra(graph, indices=cell)
        values = np.maximum(values, strength * np.exp(-decay * way))
    for cell, strength in sources.items():
        values[cell] = strength
    return np.where(values < floor, 0.0, values).reshape(grid.shape)


def links(grid: fc.Grid) -> NDArray[np.uint64]:
    """What `Grid.links` should be."""
    bits = np.zeros(len(grid), dtype=np.uint64)
    for start in range(len(grid)):
        for k, step in enumerate(grid.neighborhood.steps):
            end = end_of(grid, start, step)
            if end is not None:
                bits[end] |= np.uint64(1 << k)
    return bits.reshape(grid.shape)


def open_cells(grid: fc.Grid) -> list[int]:
    """The cells that are not walls."""
    return np.flatnonzero(~grid.walls.reshape(-1)).tolist()


def pick(rng: np.random.Generator, cells: Iterable[int], count: int) -> list[int]:
    """Up to `count` different ones of these cells."""
    pool = list(cells)
    return rng.choice(pool, size=min(count, len(pool)), replace=False).tolist() if pool else []


def _cell(grid: fc.Grid, x: int, y: int) -> int | None:
    if grid.wraps_x:
        x %= grid.width
    if grid.wraps_y:
        y %= grid.height
    return y * grid.width + x if 0 <= x < grid.width and 0 <= y < grid.height else None


def _allowed(grid: fc.Grid, start: int, end: int) -> bool:
    walls = grid.walls.reshape(-1)
    if walls[end]:
        return False
    if (
        walls[start] or grid.terrain is None
    ):  # a source inside a wall acts out of it, whatever the ground beside it
        return True
    classes = grid.terrain.classes.reshape(-1)
    return bool(grid.terrain.enter[classes[start], classes[end]])
