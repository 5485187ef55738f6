"""Steps from cell to cell as lists (CSR), connected components, and caches of derived data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.arrays import Ints, read_only

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from fieldcraft.space.graph.topology import Topology
    from fieldcraft.space.grid.grid import Grid
    from fieldcraft.space.space import Space

_Key = TypeVar("_Key")
_Space = TypeVar("_Space", bound="Space")
_Found = TypeVar("_Found")

NO_CELLS: Ints = read_only(np.empty(0, dtype=np.int64))

CACHE = "_cache"
"""The attribute that caches results of functions of an object; copies start without it."""


def cached(compute: Callable[[_Key], _Found]) -> Callable[[_Key], _Found]:
    """Decorate a function of a space, or of a part of one, whose result never changes; it is cached
    with the object.
    """
    name = f"{compute.__module__}.{compute.__qualname__}"

    @functools.wraps(compute)
    def cached_compute(key: _Key) -> _Found:
        found: dict[str, _Found] = vars(key).setdefault(CACHE, {})
        if name not in found:
            found[name] = compute(key)
        return found[name]

    return cached_compute


def cached_until_walls_change(compute: Callable[[_Space], _Found]) -> Callable[[_Space], _Found]:
    """Decorate a function of a space and its walls; its result is cached with the space until walls
    change.
    """
    name = f"{compute.__module__}.{compute.__qualname__}"

    @functools.wraps(compute)
    def cached_compute(space: _Space) -> _Found:
        version = space.walls_version
        found: dict[str, tuple[int, _Found]] = vars(space).setdefault(CACHE, {})
        last = found.get(name)
        if last is None or last[0] != version:
            last = found[name] = (version, compute(space))
        return last[1]

    return cached_compute


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Steps between open cells. The steps out of cell `v` are `starts[v]` up to `starts[v + 1]`, in
    the order of `ends`.

    `starts` (N + 1,) int64, `ends` (A,) int32, `lengths` (A,) float64 in world units.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int32]
    lengths: NDArray[np.float64]

    @cached_property
    def typical(self) -> float:
        """The median length of a step; 0 where there is none."""
        if len(self.lengths):
            return float(np.median(self.lengths))
        return 0.0

    def to_sparse(self) -> csr_array:
        """Return the lengths of steps as a sparse matrix, (N, N): `lengths[i, j]` from cell i to
        j. NetworkX, scikit-network, PyTorch Geometric and `scipy.sparse.csgraph` take it.

        The matrix is canonical: each row is sorted and has each cell once. Of several steps to the
        same cell, as on a torus two cells wide, the shortest counts; steps of a cell to itself, as
        on a torus one cell wide, are left out.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> grid = fc.Grid(walls=[[0, 0, 1], [1, 0, 0]], cell_size=2)
        >>> grid.adjacency.to_sparse()[1, 4].item()
        2.0
        """
        from scipy.sparse import csr_array

        count = len(self.starts) - 1
        origins = self.origins
        starts = self.starts
        ends = self.ends
        lengths = self.lengths
        ascending = (ends[1:] > ends[:-1]) | (origins[1:] != origins[:-1])
        if not ascending.all() or (origins == ends).any():
            order = np.lexsort((lengths, ends, origins))
            origins = origins[order]
            ends = ends[order]
            lengths = lengths[order]
            first = np.ones(len(order), dtype=np.bool_)
            first[1:] = (origins[1:] != origins[:-1]) | (ends[1:] != ends[:-1])
            first &= origins != ends
            ends = ends[first]
            lengths = lengths[first]
            starts = starts_of(origins[first], count)
        return csr_array((lengths, ends, starts), shape=(count, count))

    def has_steps(self, origins: Ints, ends: Ints) -> NDArray[np.bool_]:
        """Return which of some pairs of cells, (K,) each, a step joins."""
        found = np.zeros(len(origins), dtype=np.bool_)
        degrees = (self.starts[1:] - self.starts[:-1])[origins]
        for k in range(int(degrees.max(initial=0))):
            more = np.flatnonzero(degrees > k)
            steps = self.starts[origins[more]] + k
            found[more] |= self.ends[steps] == ends[more]
        return found

    @property
    def origins(self) -> NDArray[np.int64]:
        """The cell that each step leaves, (A,)."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def adjacency_of_grid(grid: Grid, *, from_walls: bool = False) -> Adjacency:
    """Return the steps of a grid with its present walls."""
    lengths = grid.neighborhood.lengths(grid.cell_size)
    steps = list(zip(grid.neighborhood.steps, grid.link_masks, lengths.tolist(), strict=True))
    if not grid.wrap:
        steps.sort(key=lambda step: step[0][1] * grid.width + step[0][0])
    links = grid.links()
    bits = max(len(steps) - 1, 1).bit_length()
    # The cells that each step may leave: by cell, and on grids without wrap then by end.
    leave = np.zeros((grid.height, grid.width, 1 << bits), dtype=np.bool_)
    for k, ((dx, dy), mask, _) in enumerate(steps):
        if grid.wrap:
            leave[:, :, k] = np.roll((links & mask) != 0, (-dy, -dx), axis=(0, 1))
        else:
            leave[(*inside(grid, -dx, -dy), k)] = (links[inside(grid, dx, dy)] & mask) != 0
    if not from_walls:
        leave[grid.walls] = False
    flat = np.flatnonzero(leave)
    which = flat & ((1 << bits) - 1)
    start = flat >> bits
    sizes = np.array([length for _, _, length in steps])[which]
    if grid.wrap:
        rows, columns = np.divmod(start, grid.width)
        across, down = np.array([step for step, _, _ in steps]).T
        ends = (rows + down[which]) % grid.height * grid.width + (
            columns + across[which]
        ) % grid.width
        order = np.lexsort((ends, start))
        start = start[order]
        ends = ends[order]
        sizes = sizes[order]
        return Adjacency(starts_of(start, len(grid)), ends.astype(np.int32), sizes)
    ends = start + np.array([dy * grid.width + dx for (dx, dy), _, _ in steps])[which]
    return Adjacency(starts_of(start, len(grid)), ends.astype(np.int32), sizes)


@cached
def step_table(grid: Grid) -> NDArray[np.int64]:
    """Return the steps of a grid, (K, 3): columns, rows, and what they add to a cell's number."""
    return np.array([(*step, step[1] * grid.width + step[0]) for step in grid.neighborhood.steps])


GridGround = tuple[NDArray[np.unsignedinteger], NDArray[np.int64], int, int, bool]


def grid_ground(grid: Grid) -> GridGround:
    """Return the links and steps of a grid as `fieldcraft.kernels.distances.distance_steps`
    defines them.
    """
    return grid.links().reshape(-1), step_table(grid), grid.width, grid.height, grid.wrap


def inside(grid: Grid, dx: int, dy: int) -> tuple[slice, slice]:
    """Return the rows and columns in which a step from within the map can end."""
    return slice(max(dy, 0), max(grid.height + min(dy, 0), 0)), slice(
        max(dx, 0), max(grid.width + min(dx, 0), 0)
    )


def adjacency_of_arcs(
    topology: Topology,
    walls: NDArray[np.bool_],
    closed: NDArray[np.bool_],
    *,
    from_walls: bool = False,
) -> Adjacency:
    """Return the steps over arcs for vertices `walls` (N,) and blocked arcs `closed` (A,)."""
    passable = ~(closed | walls[topology.ends])
    if not from_walls:
        passable &= ~walls[topology.origins]
    _, arcs = topology.leaving
    arcs = arcs[passable[arcs]]
    starts = starts_of(topology.origins[arcs], len(topology))
    return Adjacency(starts, topology.ends[arcs], topology.lengths[arcs])


def components(space: Space, groups: NDArray[np.bool_] | NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the number of the connected component of each cell, (N,): from 0, in the order of
    their lowest cells; -1 for walls and for cells without a group.

    `groups`, in the space's shape or (N,), is a mask of cells, or a whole number per cell, below 0
    for no group. Open cells of one group are connected if a step of the space leads from one to the
    other, in either direction.
    """
    from scipy.sparse import coo_array  # loading it takes longer than all of `import fieldcraft`
    from scipy.sparse.csgraph import connected_components

    group = groups.reshape(-1)
    held = (group if group.dtype == np.bool_ else group >= 0) & ~space.walls.reshape(-1)
    adjacency = space.adjacency
    start, end = adjacency.origins, adjacency.ends
    joined = held[start] & held[end] & (group[start] == group[end])
    start, end = start[joined], end[joined]
    _, found = connected_components(
        coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(len(group),) * 2),
        directed=False,
    )
    labels = np.full(len(group), -1, dtype=np.int64)
    _, first, numbers = np.unique(found[held], return_index=True, return_inverse=True)
    labels[held] = np.argsort(np.argsort(first, kind="stable"))[numbers]
    return labels


def by_area(space: Space, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return components renumbered by area: 0 for the largest, of equals the one with the lowest
    cell; -1 stays.
    """
    held = numbers >= 0
    if not held.any():
        return numbers
    order = np.argsort(-np.bincount(numbers[held], weights=space.areas[held]), kind="stable")
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order], rank[-1] = np.arange(len(order)), -1
    return rank[numbers]


def central_cells(
    space: Space, cells: NDArray[np.int64], numbers: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Return the cell nearest to the mean of each group of cells, the lowest of equals, (count,);
    `numbers` are the groups of the cells.
    """
    places = space.position_of(cells).reshape(-1, space.dimensions)
    scale = max(float(np.abs(places).max(initial=0)), 1.0)
    sizes = np.bincount(numbers, minlength=count)
    away = np.zeros(len(cells))
    for axis in (places / scale).T:
        # Rounded, so that sums that differ by one bit count as equally near.
        away += np.round(axis - (np.bincount(numbers, axis, count) / sizes)[numbers], 9) ** 2
    order = np.lexsort((cells, away, numbers))
    return cells[order[np.searchsorted(numbers[order], np.arange(count))]]


def line_of(line: Any) -> Any:
    """Return the positions of a path or the points of a front line; anything else unchanged."""
    for name in ("positions", "points"):
        held = getattr(line, name, None)
        if held is not None and not callable(held):
            return held
    return line


def starts_of(numbers: NDArray[np.integer], count: int) -> NDArray[np.int64]:
    """Return the index at which each number from 0 to `count - 1` begins in a sorted list, and the
    length of the list: (count + 1,).
    """
    return np.append(0, np.cumsum(np.bincount(numbers, minlength=count)))


def runs(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the concatenated ranges from `starts[i]` to `starts[i] + counts[i]`."""
    firsts = np.cumsum(counts) - counts
    return np.asarray(
        np.arange(int(counts.sum()), dtype=np.int64) + np.repeat(starts - firsts, counts)
    )
