"""Which cells lead to which: the same lists for every space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fieldcraft.space.grid import Grid
    from fieldcraft.space.topology import Topology

__all__ = ["Ways", "inside", "ways_on_arcs", "ways_on_grid"]


@dataclass(frozen=True, eq=False)
class Ways:
    """Steps between open cells. Those that leave cell `v` are `starts[v]` up to `starts[v + 1]`, in
    the order of `ends`.

    `starts` (N + 1,) int64, `ends` (A,) int32, `lengths` (A,) float64 in world units.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int32]
    lengths: NDArray[np.float64]

    @cached_property
    def typical(self) -> float:
        """The median length of a step; 0 where there is none."""
        return float(np.median(self.lengths)) if len(self.lengths) else 0.0

    @property
    def origins(self) -> NDArray[np.int64]:
        """The cell that each step leaves, (A,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def ways_on_grid(grid: Grid, *, from_walls: bool = False) -> Ways:
    """The steps of a grid as it is now."""
    lengths = grid.neighborhood.lengths(grid.cell_size)
    steps = list(zip(grid.neighborhood.steps, grid.link_masks, lengths.tolist(), strict=True))
    if not grid.wrap:
        steps.sort(key=lambda step: step[0][1] * grid.width + step[0][0])
    links, bits = grid.links(), max(len(steps) - 1, 1).bit_length()
    # Where each step may be made from, by cell and then, but on a torus, in the order of where it
    # leads.
    leave = np.zeros((grid.height, grid.width, 1 << bits), dtype=np.bool_)
    for k, ((dx, dy), mask, _) in enumerate(steps):
        if grid.wrap:
            leave[:, :, k] = np.roll((links & mask) != 0, (-dy, -dx), axis=(0, 1))
        else:
            leave[(*inside(grid, -dx, -dy), k)] = (links[inside(grid, dx, dy)] & mask) != 0
    if not from_walls:
        leave[grid.walls] = False
    flat = np.flatnonzero(leave)
    which, start = flat & ((1 << bits) - 1), flat >> bits
    sizes = np.array([length for _, _, length in steps])[which]
    if grid.wrap:
        rows, columns = np.divmod(start, grid.width)
        across, down = np.array([step for step, _, _ in steps]).T
        ends = (rows + down[which]) % grid.height * grid.width + (
            columns + across[which]
        ) % grid.width
        return _sorted(len(grid), start, ends, sizes)
    ends = start + np.array([dy * grid.width + dx for (dx, dy), _, _ in steps])[which]
    starts = np.zeros(len(grid) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(leave.reshape(len(grid), -1), axis=1), out=starts[1:])
    return Ways(starts, ends.astype(np.int32), sizes)


def inside(grid: Grid, dx: int, dy: int) -> tuple[slice, slice]:
    """The rows and columns that a step leads into from within the map."""
    return slice(max(dy, 0), max(grid.height + min(dy, 0), 0)), slice(
        max(dx, 0), max(grid.width + min(dx, 0), 0)
    )


def ways_on_arcs(
    topology: Topology,
    walls: NDArray[np.bool_],
    closed: NDArray[np.bool_],
    *,
    from_walls: bool = False,
) -> Ways:
    """The steps over arcs when these vertices (N,) are walls and these arcs (A,) closed."""
    passable = ~(closed | walls[topology.ends])
    if not from_walls:
        passable &= ~walls[topology.origins]
    _, arcs = topology.leaving
    arcs = arcs[passable[arcs]]
    starts = np.zeros(len(topology) + 1, dtype=np.int64)
    np.cumsum(np.bincount(topology.origins[arcs], minlength=len(topology)), out=starts[1:])
    return Ways(starts, topology.ends[arcs], topology.lengths[arcs])


def _sorted(
    count: int, starts: NDArray[np.integer], ends: NDArray[np.integer], lengths: NDArray[np.float64]
) -> Ways:
    order = np.lexsort((ends, starts))
    edges = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(starts, minlength=count), out=edges[1:])
    return Ways(edges, ends[order].astype(np.int32), lengths[order])
