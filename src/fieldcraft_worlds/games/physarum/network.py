"""The roads that a mould has grown, beside the shortest tree over the ground."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from fieldcraft import Grid, distance_map

__all__ = ["Network", "lengths_between", "network_of", "tree_length"]


@dataclass(frozen=True)
class Network:
    """The network that has grown between cities.

    Parameters
    ----------
    veins: which cells it takes, bool (height, width).
    joined: the share of cities in its largest connected part.
    tree: the length of the shortest tree over the ground that joins all cities, in world units.
    grown: that of the shortest tree that keeps to veins, over the cities of the largest part; as a share of `tree` where all are joined.
    """

    veins: NDArray[np.bool_]
    joined: float
    tree: float
    grown: float

    @property
    def detour(self) -> float | None:
        """How much longer the tree along veins is than the shortest one; None while cities are apart."""
        return self.grown / self.tree if self.joined == 1 and self.tree > 0 else None


def network_of(grid: Grid, values: NDArray[np.float32], cities: NDArray[np.int64], level: float, radius: float) -> Network:
    """The network of a trail: cells with more than `level`, and the cities, `radius` cells around their middles.

    Its cities and their ways are found along paths on the ground: real streets, where the map is of a city.
    """
    rows, columns = np.indices(grid.shape)
    veins = np.asarray((values > level) & ~grid.walls)
    for cell in cities.tolist():
        veins |= ((columns - cell % grid.width) ** 2 + (rows - cell // grid.width) ** 2 <= radius * radius) & ~grid.walls
    over_ground = lengths_between(grid, cities)
    along_veins = lengths_between(grid.with_walls(~veins), cities)
    count, parts = connected_components(csr_array(np.isfinite(along_veins)), directed=False) if len(cities) else (0, np.zeros(0, int))
    sizes = np.bincount(parts, minlength=max(count, 1))
    of_largest = parts == int(sizes.argmax())
    joined = float(sizes.max()) / len(cities) if len(cities) else 1.0
    return Network(veins, joined, tree_length(over_ground), tree_length(along_veins[np.ix_(of_largest, of_largest)]))


def lengths_between(grid: Grid, cities: NDArray[np.int64]) -> NDArray[np.float64]:
    """The lengths of the ways between cities, (C, C); infinite where there is none."""
    places = grid.position_of(cities).reshape(-1, 2)
    found = np.zeros((len(cities), len(cities)))
    for k, place in enumerate(places):
        found[k] = distance_map(grid, place).values.reshape(-1)[cities]
    return np.minimum(found, found.T)


def tree_length(lengths: NDArray[np.float64]) -> float:
    """The length of the shortest tree over places with these ways between them."""
    return float(minimum_spanning_tree(csr_array(np.where(np.isfinite(lengths), lengths, 0.0))).sum()) if len(lengths) > 1 else 0.0
