"""Belief and walks on grids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels import pool
from fieldcraft.paths import distance_map
from fieldcraft.pursuit import on_graph
from fieldcraft.pursuit.shares import Shares
from fieldcraft.space import Grid
from fieldcraft.space.ways import inside

__all__ = ["GridFlow", "check_near", "flow", "walks"]

Floats = NDArray[np.float64]
_CELLS_PER_THREAD = 100_000


@dataclass(frozen=True, eq=False)
class GridFlow:
    """How belief moves over the eight steps round a cell; its masses have a rim."""

    keep: Floats
    part: Floats
    ins: NDArray[np.uint8]
    flows: Floats

    def placed(self, weights: NDArray[Any]) -> Floats:
        """Weights in the space's shape, as the kernels take them."""
        height, width = self.keep.shape
        rimmed = np.zeros((height + 2, width + 2))
        rimmed[1:-1, 1:-1] = weights
        return rimmed

    def taken(self, mass: Floats) -> Floats:
        """The way back."""
        return mass[1:-1, 1:-1].copy()

    def index(self, cells: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where cells are in a flat mass."""
        width = int(self.keep.shape[1])
        return cells + 2 * (cells // width) + width + 3  # (row + 1) * (width + 2) + column + 1

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        """Take one step."""
        ops = kernels.belief
        height, width = self.keep.shape
        pool.run(
            [
                (ops.wander_grid, (mass, scale, self.keep, self.part, self.ins, self.flows, out, top, bottom, np.zeros((2, 3, width + 2))))
                for top, bottom in pool.bands(height, self.keep.size // _CELLS_PER_THREAD)
            ]
        )


def flow(space: Grid, stay: float, stride: float) -> GridFlow | on_graph.WaysFlow:
    """How belief moves on a grid as its walls are now; on a torus, and where steps leap, over the list of ways."""
    if space.wrap or max(abs(n) for step in space.neighborhood.steps for n in step) > 1:
        return on_graph.flow(space, stay, stride)
    shares = Shares.of(space, stay, stride)
    ins, flows = np.zeros(space.shape, dtype=np.uint8), np.zeros(2)
    lengths = space.neighborhood.lengths(space.cell_size)
    for (dx, dy), mask, length in zip(space.neighborhood.steps, space.link_masks, lengths.tolist(), strict=True):
        flows[int(dx != 0 and dy != 0)] = min(stride / length, 1.0)
        arrives = (space.links() & mask) != 0
        there, here = inside(space, dx, dy), inside(space, -dx, -dy)
        arrives[there] &= ~space.walls[here]
        ins |= arrives.astype(np.uint8) << np.uint8(kernels.belief.AROUND.index((-dy, -dx)))
    return GridFlow(shares.keep.reshape(space.shape), shares.part.reshape(space.shape), ins, flows)


def walks(space: Grid, starts: NDArray[np.int64], places: NDArray[np.int64]) -> Floats:
    """Walking distances from starts to places, infinite where no way leads, (S, P)."""
    at = space.position_of(starts)
    different, which = np.unique(places, return_inverse=True)
    return np.stack([distance_map(space, space.position_of(int(place))).sample(at) for place in different], axis=1)[:, which]


def check_near(space: Grid, point: Floats) -> None:
    """A place off a grid is refused when its cell is asked for."""
