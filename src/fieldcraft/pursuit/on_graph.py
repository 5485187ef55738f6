"""Belief and walks over lists of ways: on graphs, meshes, and whatever else has steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import OutsideMap
from fieldcraft.pursuit.shares import Shares
from fieldcraft.space import Space

__all__ = ["WaysFlow", "check_near", "flow", "walks"]

Floats = NDArray[np.float64]
_MARGIN = 0.1  # of a graph's size: how far off it somebody may be seen


@dataclass(frozen=True, eq=False)
class WaysFlow:
    """How belief moves: what a cell keeps, and what arrives from where."""

    shape: tuple[int, ...]
    keep: Floats
    starts: NDArray[np.int64]
    origins: NDArray[np.int32]
    shares: Floats

    def placed(self, weights: NDArray[Any]) -> Floats:
        """Weights in the space's shape, as the kernels take them."""
        return np.asarray(weights, dtype=np.float64).reshape(-1).copy()

    def taken(self, mass: Floats) -> Floats:
        """The way back."""
        return mass.reshape(self.shape)

    def index(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where cells are in a flat mass."""
        return cells

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        """Take one step."""
        kernels.belief.wander(mass, scale, self.keep, self.starts, self.origins, self.shares, out)


def flow(space: Space, stay: float, stride: float) -> WaysFlow:
    """How belief moves on a space as its walls are now."""
    ways, shares = space.ways, Shares.of(space, stay, stride)
    order = np.lexsort((ways.origins, ways.ends))
    starts = np.zeros(len(space) + 1, dtype=np.int64)
    np.cumsum(np.bincount(ways.ends, minlength=len(space)), out=starts[1:])
    origins = ways.origins[order]
    arriving = shares.slower[order] * shares.part[origins]
    return WaysFlow(space.shape, shares.keep, starts, origins.astype(np.int32), arriving)


def walks(space: Space, starts: NDArray[np.int64], places: NDArray[np.int64]) -> Floats:
    """Walking distances from starts to places, infinite where no way leads, (S, P)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    ways = space.ways
    matrix = csr_array((ways.lengths, ways.ends, ways.starts), shape=(len(space), len(space)))
    return np.asarray(dijkstra(matrix, indices=starts)[:, places])


def check_near(space: Space, point: Floats) -> None:
    """Refuse a place far from all of a graph, whose nearest vertex would say nothing about it."""
    if not len(space):
        return
    places = space.positions
    low, high = places.min(axis=0), places.max(axis=0)
    margin = max(_MARGIN * float((high - low).max()), 2 * space.typical_step)
    if (point < low - margin).any() or (point > high + margin).any():
        raise OutsideMap(
            "A fugitive is last seen on the map, or beside it by at most a tenth of its size",
            got=f"{tuple(point.tolist())} for vertices in {tuple(low.tolist())} to {tuple(high.tolist())}",
            remedy="Pass a position in world units of this graph, or a vertex",
        )
