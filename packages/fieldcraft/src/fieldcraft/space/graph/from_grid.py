"""Graphs of grids: a vertex for each cell, an edge for each step."""

from __future__ import annotations

import numpy as np

from fieldcraft.space.graph.graph import Graph
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.grid.neighborhood import build_links


def graph_of_grid(grid: Grid) -> Graph:
    """Return a grid as a graph; see `Grid.to_graph`."""
    arrive = build_links(
        grid.walls, grid.terrain, grid.neighborhood, grid.wrap_flags, into_walls=True
    )
    pairs = []
    lengths = []
    rows, columns = np.divmod(np.arange(len(grid)), grid.width)
    for (dx, dy), mask, length in zip(
        grid.neighborhood.steps,
        grid.link_masks,
        grid.neighborhood.lengths(grid.cell_size).tolist(),
        strict=True,
    ):
        ends = np.flatnonzero(arrive.reshape(-1) & mask)
        starts = (rows[ends] - dy) % grid.height * grid.width + (columns[ends] - dx) % grid.width
        pairs.append(np.stack([starts, ends], axis=1))
        lengths.append(np.full(len(ends), length))
    edges = np.concatenate(pairs)
    there, back = (np.unique(edges[:, k] * len(grid) + edges[:, 1 - k]) for k in range(2))
    return Graph(
        grid.position_of(np.arange(len(grid))),
        edges,
        np.concatenate(lengths),
        directed=not np.array_equal(there, back),
        blocked=grid.walls.reshape(-1),
        y_up=grid.y_up,
        squares=grid,
    )
