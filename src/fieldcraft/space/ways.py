"""Which cells lead to which: the same lists for grids and graphs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fieldcraft.errors import InvalidValue
from fieldcraft.space.graph import Graph
from fieldcraft.space.grid import Grid
from fieldcraft.space.kinds import AnySpace

__all__ = ["Ways", "offsets_from", "typical_step", "ways_of", "ways_out_of_walls"]


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


_known: WeakKeyDictionary[AnySpace, tuple[int, Ways]] = WeakKeyDictionary()


def ways_of(space: AnySpace) -> Ways:
    """The steps of a space as it is now; looked up again only after a change of walls."""
    version = space.walls_version
    known = _known.get(space)
    if known is None or known[0] != version:
        known = _known[space] = (version, _of_grid(space) if isinstance(space, Grid) else _of_graph(space))
    return known[1]


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
    if isinstance(space, Grid) and space.wrap:
        size = np.array(space.size)
        away = (away + size / 2) % size - size / 2
    return away


def ways_out_of_walls(space: AnySpace) -> Ways:
    """The steps to open cells, also from walls: what stands there acts out of them."""
    return _of_grid(space, from_walls=True) if isinstance(space, Grid) else _of_graph(space, from_walls=True)


def _of_grid(grid: Grid, *, from_walls: bool = False) -> Ways:
    links = grid.links().reshape(-1)
    is_open = ~grid.walls.reshape(-1)
    lengths = grid.neighborhood.lengths(grid.cell_size)
    starts, ends, sizes = [], [], []
    for (dx, dy), mask, length in zip(grid.neighborhood.steps, grid.link_masks, lengths.tolist(), strict=True):
        end = np.flatnonzero(links & mask)
        rows, columns = np.divmod(end, grid.width)
        start = (rows - dy) % grid.height * grid.width + (columns - dx) % grid.width
        if not from_walls:
            end, start = end[is_open[start]], start[is_open[start]]
        starts.append(start)
        ends.append(end)
        sizes.append(np.full(len(end), length))
    return _sorted(len(grid), np.concatenate(starts), np.concatenate(ends), np.concatenate(sizes))


def _of_graph(graph: Graph, *, from_walls: bool = False) -> Ways:
    topology = graph.topology
    passable = ~(graph.closed | graph.walls[topology.ends])
    if not from_walls:
        passable &= ~graph.walls[topology.origins]
    return _sorted(len(graph), topology.origins[passable], topology.ends[passable], topology.lengths[passable])


def _sorted(count: int, starts: NDArray[np.integer], ends: NDArray[np.integer], lengths: NDArray[np.float64]) -> Ways:
    order = np.lexsort((ends, starts))
    edges = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(starts, minlength=count), out=edges[1:])
    return Ways(edges, ends[order].astype(np.int32), lengths[order])
