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
from fieldcraft.space.ways import Ways

__all__ = ["WaysFlow", "check_near", "drift", "flow", "single", "walks"]

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
    order, starts, origins = _arriving(ways, len(space))
    arriving = shares.slower[order] * shares.part[origins]
    return WaysFlow(space.shape, shares.keep, starts, origins.astype(np.int32), arriving)


def drift(space: Space, chances: Floats) -> WaysFlow:
    """How belief moves where each step has a chance of its own."""
    ways, narrow = space.ways, single(chances).astype(np.float64)
    order, starts, origins = _arriving(ways, len(space))
    keep: Floats = 1 - np.bincount(ways.origins, weights=narrow, minlength=len(space)).astype(
        np.float64
    )
    return WaysFlow(space.shape, keep, starts, origins.astype(np.int32), narrow[order])


def single(chances: Floats) -> NDArray[np.float32]:
    """Chances as float32, none of them greater than it was: those of a cell don't add up to more
    than 1.
    """
    return (chances * (1 - 2.0**-23)).astype(np.float32)


def _arriving(
    ways: Ways, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The steps in the order of where they end, where those of each cell begin in that, and where
    they come from.
    """
    order = np.lexsort((ways.origins, ways.ends))
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(ways.ends, minlength=count), out=starts[1:])
    return order, starts, ways.origins[order]


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
            got=(
                f"{tuple(point.tolist())} for vertices in {tuple(low.tolist())} to"
                f" {tuple(high.tolist())}"
            ),
            remedy="Pass a position in world units of this graph, or a vertex",
        )
