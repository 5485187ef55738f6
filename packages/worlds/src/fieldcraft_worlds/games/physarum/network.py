"""The veins of a slime mold, compared with the shortest tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from fieldcraft import Grid, Path, distance_map, shortest_path


@dataclass(frozen=True)
class Tree:
    """The shortest tree that joins cities: its length in world units, and its paths."""

    length: float
    paths: tuple[Path, ...]

    def cells(self, grid: Grid) -> NDArray[np.int64]:
        """Return the cells along its paths, each once."""
        found = [np.zeros(0, np.int64)]
        for path in self.paths:
            if grid.wrap or len(path) < 2:
                found.append(path.cells)
                continue
            ends = np.asarray(path)
            longest = np.abs(np.diff(ends, axis=0)).max()
            pieces = max(int(2 * longest / grid.cell_size), 1)
            shares = np.linspace(0, 1, pieces + 1)[:, np.newaxis, np.newaxis]
            points = ((1 - shares) * ends[:-1] + shares * ends[1:]).reshape(-1, 2)
            found.append(np.asarray(grid.cell_at(points), dtype=np.int64))
        return np.unique(np.concatenate(found))


@dataclass(frozen=True)
class Network:
    """The network of veins between cities.

    Parameters
    ----------
    veins : ndarray of bool
        Its cells, bool (height, width); `ground`: their share of the open ground.
    joined : float
        The share of cities in its largest connected part.
    tree : float
        The length of the shortest tree that joins all cities, in world units.
    grown : float
        The length of the shortest tree along veins, for the cities of the largest part.
    shared : float
        The share of the shortest tree's cells that are veins.
    """

    veins: NDArray[np.bool_]
    ground: float
    joined: float
    tree: float
    grown: float
    shared: float

    @property
    def detour(self) -> float | None:
        """The length of the tree along veins relative to the shortest; None while cities are not
        joined.
        """
        if self.joined == 1 and self.tree > 0:
            return self.grown / self.tree
        return None


def network_of(
    grid: Grid,
    values: NDArray[np.float32],
    cities: NDArray[np.int64],
    level: float,
    radius: float,
    tree: Tree | None = None,
) -> Network:
    """Return the network of a trail: cells above `level`, and the cities, `radius` cells around
    their middles.

    `tree` is the shortest tree of these cities, if it is known.
    """
    rows, columns = np.indices(grid.shape)
    veins = np.asarray((values > level) & ~grid.walls)
    for cell in cities.tolist():
        row, column = divmod(cell, grid.width)
        is_near = (columns - column) ** 2 + (rows - row) ** 2 <= radius * radius
        veins |= is_near & ~grid.walls
    if tree is None:
        shortest = shortest_tree(grid, cities)
    else:
        shortest = tree
    along_veins = path_lengths(grid.with_walls(~veins), cities)
    if len(cities):
        count, parts = connected_components(csr_array(np.isfinite(along_veins)), directed=False)
    else:
        count = 0
        parts = np.zeros(0, int)
    sizes = np.bincount(parts, minlength=max(count, 1))
    of_largest = parts == int(sizes.argmax())
    if len(cities):
        joined = float(sizes.max()) / len(cities)
    else:
        joined = 1.0
    grown = tree_length(along_veins[np.ix_(of_largest, of_largest)])
    cells = shortest.cells(grid)
    if len(cells):
        shared = float(veins.reshape(-1)[cells].mean())
    else:
        shared = 1.0
    ground = float(veins.sum() / max(np.count_nonzero(~grid.walls), 1))
    return Network(veins, ground, joined, shortest.length, grown, shared)


def shortest_tree(grid: Grid, cities: NDArray[np.int64]) -> Tree:
    """Return the shortest tree that joins cities."""
    lengths = path_lengths(grid, cities)
    if len(cities) < 2:
        return Tree(0.0, ())
    rows, columns = _spanning_tree(lengths).nonzero()
    places = grid.position_of(cities).reshape(-1, 2)
    is_smooth = not grid.wrap
    paths = [
        shortest_path(grid, places[start], places[end], smooth=is_smooth)
        for start, end in zip(rows, columns, strict=True)
    ]
    return Tree(tree_length(lengths), tuple(paths))


def path_lengths(grid: Grid, cities: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the lengths of paths between cities, (C, C); infinite where there is none."""
    places = grid.position_of(cities).reshape(-1, 2)
    found = np.zeros((len(cities), len(cities)))
    for k, place in enumerate(places):
        found[k] = distance_map(grid, place).values.reshape(-1)[cities]
    return np.minimum(found, found.T)


def tree_length(lengths: NDArray[np.float64]) -> float:
    """Return the length of the shortest tree for some lengths of paths."""
    if len(lengths) > 1:
        return float(_spanning_tree(lengths).sum())
    return 0.0


def _spanning_tree(lengths: NDArray[np.float64]) -> Any:
    """Return the lengths of the edges of the shortest tree, a sparse (C, C) matrix."""
    return minimum_spanning_tree(csr_array(np.where(np.isfinite(lengths), lengths, 0.0)))
