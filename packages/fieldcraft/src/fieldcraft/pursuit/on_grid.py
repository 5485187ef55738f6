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

__all__ = ["GridDrift", "GridFlow", "check_near", "drift", "flow", "walks"]

Floats = NDArray[np.float64]
_CELLS_PER_THREAD = 100_000


@dataclass(frozen=True, eq=False)
class _Rimmed:
    """Masses on a grid with a rim. `keep` (height, width) is what cells keep of theirs."""

    keep: Floats

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

    @property
    def bands(self) -> list[tuple[int, int]]:
        """The rows that each thread takes."""
        return list(pool.bands(self.keep.shape[0], self.keep.size // _CELLS_PER_THREAD))


@dataclass(frozen=True, eq=False)
class GridFlow(_Rimmed):
    """How belief moves over the eight steps round a cell."""

    part: Floats
    ins: NDArray[np.uint8]
    flows: Floats

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        """Take one step."""
        ops, width = kernels.belief, self.keep.shape[1]
        pool.run(
            [
                (
                    ops.wander_grid,
                    (
                        mass,
                        scale,
                        self.keep,
                        self.part,
                        self.ins,
                        self.flows,
                        out,
                        top,
                        bottom,
                        np.zeros((2, 3, width + 2)),
                    ),
                )
                for top, bottom in self.bands
            ]
        )


@dataclass(frozen=True, eq=False)
class GridDrift(_Rimmed):
    """How belief moves over the eight steps round a cell, each with a chance of its own: `shares`
    (8, height, width) arrive.
    """

    shares: NDArray[np.float32]

    def run(self, mass: Floats, scale: float, out: Floats) -> None:
        """Take one step."""
        ops = kernels.belief
        pool.run(
            [
                (ops.drift_grid, (mass, scale, self.keep, self.shares, out, top, bottom))
                for top, bottom in self.bands
            ]
        )


def flow(space: Grid, stay: float, stride: float) -> GridFlow | on_graph.WaysFlow:
    """How belief moves on a grid as its walls are now; on a torus, and where steps leap, over the
    list of ways.
    """
    if not _beside(space):
        return on_graph.flow(space, stay, stride)
    shares = Shares.of(space, stay, stride)
    ins, flows = np.zeros(space.shape, dtype=np.uint8), np.zeros(2)
    lengths = space.neighborhood.lengths(space.cell_size)
    for (dx, dy), mask, length in zip(
        space.neighborhood.steps, space.link_masks, lengths.tolist(), strict=True
    ):
        flows[int(dx != 0 and dy != 0)] = min(stride / length, 1.0)
        arrives = (space.links() & mask) != 0
        there, here = inside(space, dx, dy), inside(space, -dx, -dy)
        arrives[there] &= ~space.walls[here]
        ins |= arrives.astype(np.uint8) << np.uint8(kernels.belief.AROUND.index((-dy, -dx)))
    return GridFlow(shares.keep.reshape(space.shape), shares.part.reshape(space.shape), ins, flows)


def drift(space: Grid, chances: Floats) -> GridDrift | on_graph.WaysFlow:
    """How belief moves where each step has a chance of its own; on a torus, and where steps leap,
    over the list of ways.
    """
    if not _beside(space):
        return on_graph.drift(space, chances)
    ways, narrow = space.ways, on_graph.single(chances)
    origins, ends, width = ways.origins, ways.ends.astype(np.int64), space.width
    rows, columns = origins // width - ends // width, origins % width - ends % width
    from_where = np.full((3, 3), -1, dtype=np.int64)
    for k, (dy, dx) in enumerate(kernels.belief.AROUND):
        from_where[dy + 1, dx + 1] = k
    shares = np.zeros((len(kernels.belief.AROUND), len(space)), dtype=np.float32)
    shares[from_where[rows + 1, columns + 1], ends] = narrow
    keep: Floats = 1 - np.bincount(
        origins, weights=narrow.astype(np.float64), minlength=len(space)
    ).astype(np.float64)
    return GridDrift(keep.reshape(space.shape), shares.reshape(-1, *space.shape))


def _beside(space: Grid) -> bool:
    """Whether steps lead to neighbors at most one cell away, and not round a torus."""
    return not space.wrap and max(abs(n) for step in space.neighborhood.steps for n in step) <= 1


def walks(space: Grid, starts: NDArray[np.int64], places: NDArray[np.int64]) -> Floats:
    """Walking distances from starts to places, infinite where no way leads, (S, P)."""
    at = space.position_of(starts)
    different, which = np.unique(places, return_inverse=True)
    return np.stack(
        [distance_map(space, space.position_of(int(place))).sample(at) for place in different],
        axis=1,
    )[:, which]


def check_near(space: Grid, point: Floats) -> None:
    """A place off a grid is refused when its cell is asked for."""
