"""Which cells lead to which: the same lists for grids and graphs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.space.grid import Grid
from fieldcraft.space.keeping import kept_until_walls_change
from fieldcraft.space.kinds import AnySpace, squares_of
from fieldcraft.space.topology import Topology

__all__ = ["Ways", "inside", "offsets_from", "typical_step", "ways_of", "ways_out", "ways_out_of_walls"]


@dataclass(frozen=True, eq=False)
class Ways:
    """Steps between open cells. Those that leave cell `v` are `starts[v]` up to `starts[v + 1]`, in the order of `ends`.

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


@kept_until_walls_change
def ways_of(space: AnySpace) -> Ways:
    """The steps of a space as it is now; looked up again only after a change of walls."""
    return _of_grid(space) if isinstance(space, Grid) else _of_graph(space.topology, space.walls, space.closed)


def typical_step(space: AnySpace) -> float:
    """What is meant by a step where nothing else is said, in world units: the shortest of a grid, the median of a graph."""
    typical = ways_of(space).typical
    if not typical:
        raise InvalidValue(
            "A space has steps from cell to cell", got=f"{space!r}, which has none", remedy="Open cells, or connect the graph's vertices"
        )
    return float(space.neighborhood.lengths(space.cell_size).min()) if isinstance(space, Grid) else typical


def offsets_from(space: AnySpace, position: NDArray[np.float64]) -> NDArray[np.float64]:
    """The straight way from a position to the centre of each cell, (N, 2) or (N, 3); round a torus the short way."""
    away = space.position_of(np.arange(len(space))) - position
    grid = squares_of(space)
    if grid is not None and grid.wrap:
        size = np.array(grid.size)
        away = (away + size / 2) % size - size / 2
    return away


def ways_out_of_walls(space: AnySpace) -> Ways:
    """The steps to open cells, also from walls: what stands there acts out of them."""
    return _of_grid(space, from_walls=True) if isinstance(space, Grid) else ways_out(space.topology, space.walls, space.closed)


def ways_out(topology: Topology, walls: NDArray[np.bool_], closed: NDArray[np.bool_]) -> Ways:
    """The same on a graph when these vertices (N,) were blocked, and these arcs (A,) closed."""
    return _of_graph(topology, walls, closed, from_walls=True)


def _of_grid(grid: Grid, *, from_walls: bool = False) -> Ways:
    lengths = grid.neighborhood.lengths(grid.cell_size)
    steps = list(zip(grid.neighborhood.steps, grid.link_masks, lengths.tolist(), strict=True))
    if not grid.wrap:
        steps.sort(key=lambda step: step[0][1] * grid.width + step[0][0])
    links, bits = grid.links(), max(len(steps) - 1, 1).bit_length()
    # Where each step may be made from, by cell and then, but on a torus, in the order of where it leads.
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
        ends = (rows + down[which]) % grid.height * grid.width + (columns + across[which]) % grid.width
        return _sorted(len(grid), start, ends, sizes)
    ends = start + np.array([dy * grid.width + dx for (dx, dy), _, _ in steps])[which]
    starts = np.zeros(len(grid) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(leave.reshape(len(grid), -1), axis=1), out=starts[1:])
    return Ways(starts, ends.astype(np.int32), sizes)


def inside(grid: Grid, dx: int, dy: int) -> tuple[slice, slice]:
    """The rows and columns that a step leads into from within the map."""
    return slice(max(dy, 0), max(grid.height + min(dy, 0), 0)), slice(max(dx, 0), max(grid.width + min(dx, 0), 0))


def _of_graph(topology: Topology, walls: NDArray[np.bool_], closed: NDArray[np.bool_], *, from_walls: bool = False) -> Ways:
    passable = ~(closed | walls[topology.ends])
    if not from_walls:
        passable &= ~walls[topology.origins]
    _, arcs = topology.leaving
    arcs = arcs[passable[arcs]]
    starts = np.zeros(len(topology) + 1, dtype=np.int64)
    np.cumsum(np.bincount(topology.origins[arcs], minlength=len(topology)), out=starts[1:])
    return Ways(starts, topology.ends[arcs], topology.lengths[arcs])


def _sorted(count: int, starts: NDArray[np.integer], ends: NDArray[np.integer], lengths: NDArray[np.float64]) -> Ways:
    order = np.lexsort((ends, starts))
    edges = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(starts, minlength=count), out=edges[1:])
    return Ways(edges, ends[order].astype(np.int32), lengths[order])
