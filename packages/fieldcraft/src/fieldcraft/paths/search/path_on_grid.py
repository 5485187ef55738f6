"""Shortest paths on grids, and the moves of searches on grids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.paths.cost import Cost, read_costs, uniform_cost
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.search.path_on_graph import GraphProblem
from fieldcraft.paths.search.path_problem import PathProblem
from fieldcraft.space import Grid, Neighborhood, Space, Terrain, checked_space
from fieldcraft.space.cached import cached
from fieldcraft.space.grid.neighborhood import build_links
from fieldcraft.space.space_saves import with_more_walls

_FEW = 64  # changed walls around which moves are mended; after more they are built anew

Scratch = list[NDArray[Any]]


class GridMoves:
    """The moves on one grid, for the walls of one `walls_version`; these arrays never change."""

    def __init__(self, space: Grid, before: GridMoves | None = None) -> None:
        # A coarser grid updates its walls from its parent when its version is read, so that comes
        # first.
        self.version = space.walls_version
        neighborhood = space.neighborhood
        self.plain = (
            (neighborhood.is_four or neighborhood.is_eight)
            and neighborhood.corners == "never"
            and _is_symmetric(space.terrain)
        )
        self.eight = neighborhood.is_eight
        self.steps: NDArray[np.int64] = np.array(neighborhood.steps, dtype=np.int64)
        self.lengths = neighborhood.lengths(space.cell_size)
        self.straight = float(np.hypot(1, 0) * space.cell_size)
        self.diagonal = float(np.hypot(1, 1) * space.cell_size)
        reach = np.abs(self.steps)
        self.bound = space.cell_size, space.cell_size * (2**0.5 - 1)
        if reach.sum(axis=1).max() == 1:
            self.bound = space.cell_size, space.cell_size
        elif reach.max() > 1:
            self.bound = space.cell_size, 0.0
        self.king: NDArray[Any] = self._built(
            space, kernels.shared.moves.STEPS, None if before is None else before.king, before
        )
        self._table: NDArray[Any] | None = None
        if before is not None and before._table is not None:
            self._table = self._built(space, neighborhood.steps, before._table, before)
        self.stops = self._stopping(space, before)
        self.edges = self.king.reshape(-1)
        self._labels: NDArray[np.int32] | None = None
        self._free: dict[str, list[Scratch]] = (
            {"uniform": [], "weighted": []} if before is None else before._free
        )

    def _built(
        self,
        space: Grid,
        steps: tuple[tuple[int, int], ...],
        old: NDArray[np.signedinteger] | None,
        before: GridMoves | None,
    ) -> NDArray[Any]:
        """Return the moves of these steps, (height, width): uint8 for up to 8, else int64."""
        table = np.array(steps, dtype=np.int64)
        dtype = np.uint8 if len(steps) <= 8 else np.int64
        moves = np.empty(space.shape, dtype=dtype)
        if space.corners != "never":
            _leave(space, steps, moves)
            return moves
        if old is None or before is None:
            windows = None
        else:
            windows = _windows(space, before.version, int(np.abs(table).max()))
        if old is not None and windows is not None:
            moves = old.copy()
        classes, enter, ruled = _rules(space.terrain)
        for window in windows or [(0, space.height, 0, space.width)]:
            kernels.shared.moves.leave(
                space.walls, classes, enter, table, ruled, space.wrap, *window, moves
            )
        moves.flags.writeable = False
        return moves

    def _stopping(self, space: Grid, before: GridMoves | None) -> NDArray[np.int64]:
        """Return where straight runs end, for `uniform`."""
        if not self.plain or space.wrap:
            return np.zeros(0, dtype=np.int64)
        if before is None:
            windows = None
        else:
            windows = _windows(space, before.version, 1)
        if before is None or windows is None:
            stops = kernels.shared.moves.stops_scratch(space.shape)
        else:
            stops = before.stops.copy()
        for window in windows or [(0, space.height, 0, space.width)]:
            kernels.shared.moves.stops(self.king, self.eight, *window, stops)
        return np.asarray(stops)

    def table(self, space: Grid) -> NDArray[Any]:
        """Return the moves of the grid's own steps, flat."""
        if self._table is None:
            same = space.neighborhood.steps == kernels.shared.moves.STEPS
            if same:
                self._table = self.king
            else:
                self._table = self._built(space, space.neighborhood.steps, None, None)
        return self._table.reshape(-1)

    @property
    def labeled(self) -> bool:
        """Whether the labels are computed."""
        return self._labels is not None

    def labels(self, space: Grid) -> NDArray[np.int32]:
        """Return a number per cell, flat; there is no path between cells of different numbers."""
        if self._labels is None:
            moves = self.table(space)
            steps = self.steps
            labels = np.empty(len(space), dtype=np.int32)
            kernels.shared.moves.label(moves, steps, space.width, space.height, labels)
            self._labels = labels
        return self._labels

    def length_of(self, count: int, diagonals: int) -> float:
        """Return the length of a path over a number of cells."""
        return (count - 1 - diagonals) * self.straight + diagonals * self.diagonal

    def take(self, space: Grid, kind: str) -> Scratch:
        """Return arrays for one search at a time, `uniform` or `weighted`; return them with
        `give`.
        """
        try:
            return self._free[kind].pop()
        except IndexError:
            if kind == "uniform":
                return list(kernels.paths.shortest_path_uniform.uniform_scratch(len(space)))
            return list(kernels.paths.shortest_path_weighted.weighted_scratch(len(space)))

    def give(self, kind: str, scratch: Scratch) -> None:
        """Return the arrays of `take` to the pool."""
        self._free[kind].append(scratch)


def moves_of(space: Grid) -> GridMoves:
    """Return the moves on a grid with its current walls."""
    last = _last_moves(space)
    if last[0].version != space.walls_version:
        last[0] = GridMoves(space, last[0])
    return last[0]


@cached
def _last_moves(space: Grid) -> list[GridMoves]:
    """Return a list of the last moves, for updates of later ones."""
    return [GridMoves(space, None)]


def _windows(space: Grid, version: int, reach: int) -> list[tuple[int, int, int, int]] | None:
    """Return the rows [y0, y1) and columns [x0, x1) with changed moves since a `walls_version`, or
    None for all.
    """
    height, width = space.shape
    changed = space.walls_changed(version)
    rows, columns = np.divmod(changed, width)
    inside = (
        (rows >= reach) & (rows < height - reach) & (columns >= reach) & (columns < width - reach)
    )
    if len(changed) > _FEW or (space.wrap and not inside.all()):
        return None
    return [
        (
            max(y - reach, 0),
            min(y + reach + 1, height),
            max(x - reach, 0),
            min(x + reach + 1, width),
        )
        for y, x in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _leave(space: Grid, steps: tuple[tuple[int, int], ...], moves: NDArray[Any]) -> None:
    """Write the steps that may leave each cell of a grid with cut corners."""
    links = build_links(
        space.walls, space.terrain, Neighborhood(steps, space.corners), space.wrap
    ).astype(moves.dtype)
    moves[:] = 0
    for k, (dx, dy) in enumerate(steps):
        # Where a step leads off the map, its bit is not set on the other side.
        moves |= np.roll(links & (moves.dtype.type(1) << k), (-dy, -dx), axis=(0, 1))
    moves[space.walls] = 0
    moves.flags.writeable = False


def _is_symmetric(terrain: Terrain | None) -> bool:
    """Return whether the classes of a terrain form groups: free steps within each, none between
    them.
    """
    if terrain is None or terrain.is_plain:
        return True
    is_open = terrain.enter.diagonal()
    enter = terrain.enter[np.ix_(is_open, is_open)]
    return bool((enter == enter.T).all() and ((enter.astype(np.int64) @ enter > 0) == enter).all())


def _rules(terrain: Terrain | None) -> tuple[NDArray[np.uint8], NDArray[np.bool_], bool]:
    """Return the classes of a terrain, its table, and whether it forbids steps between open cells;
    read-only.
    """
    if terrain is None or terrain.is_plain:
        classes = np.zeros((1, 1), dtype=np.uint8)
        enter = np.ones((1, 1), dtype=np.bool_)
        ruled = False
    else:
        classes = terrain.classes.view()
        enter = terrain.enter.view()
        ruled = True
    classes.flags.writeable = enter.flags.writeable = False
    return classes, enter, ruled


_NO_COSTS = read_only(np.empty(0, dtype=np.float64))
_WORTH_LABELS = 64  # problems for which it pays to find unconnected ones first


class GridProblem(PathProblem):
    """`costs` are flat, or empty where every cell costs `least`."""

    space: Grid

    def __init__(self, space: Grid, cost: Cost, smooth: bool) -> None:
        self.space = space
        self.smooth = smooth
        self.moves = moves_of(space)
        self.costs = _NO_COSTS
        self.walls = space.walls
        uniform = uniform_cost(cost)
        if uniform is not None:
            self.least = uniform
        else:
            costs, self.least, highest, infinite = read_costs(space, cost)
            if infinite:
                self.walls = self.walls | np.isinf(costs).reshape(space.shape)
                if space.corners != "never":
                    # Kernels support only corners that are never cut.
                    infinite = False
                    walled = with_more_walls(space, self.walls)
                    self.moves = GridMoves(walled)
                    self.moves.table(walled)
            if infinite or self.least != highest:
                self.costs = read_only(costs)
                self._highest = highest
                self._infinite = infinite
        # The kernels for one cost and plain steps serve.
        self.uniform = self.moves.plain and not len(self.costs)
        self._kind = "uniform" if self.uniform else "weighted"

    @property
    def _even(self) -> tuple[NDArray[np.uint8], Ints, bool, int, int, bool]:
        """The ground, for `kernels.paths.shortest_path_uniform`."""
        space = self.space
        moves = self.moves
        return (
            moves.edges,
            read_only(moves.stops),
            moves.eight,
            space.width,
            space.height,
            space.wrap,
        )

    @property
    def _uneven(
        self,
    ) -> tuple[NDArray[np.integer], Ints, Floats, Floats, bool, int, int, bool]:
        """The ground, for `kernels.paths.shortest_path_weighted`."""
        space = self.space
        moves = self.moves
        size = (space.width, space.height, space.wrap)
        has_walls = len(self.costs) > 0 and self._infinite
        return moves.table(space), moves.steps, moves.lengths, self.costs, has_walls, *size

    @property
    def _bounds(self) -> tuple[float, float, float, float]:
        """The bounds of costs, for `kernels.paths.shortest_path_weighted`."""
        if len(self.costs):
            lowest, highest = (self.least, self._highest)
        else:
            lowest, highest = (1.0, 1.0)
        return *self.moves.bound, lowest, highest

    def solve(self, start: Floats, here: int, goal: Floats, there: int) -> Path:
        """See `PathProblem.solve`."""
        space = self.space
        moves = self.moves
        if moves.labeled:
            labels = moves.labels(space)
            if labels[here] != labels[there]:
                return no_path(space)
        scratch = moves.take(space, self._kind)
        while True:
            if self.uniform:
                count, diagonals = kernels.paths.shortest_path_uniform.uniform(
                    self._even, here, there, *scratch
                )
                found = scratch[-1]
                length = moves.length_of(count, diagonals)
                cost = length * self.least
            else:
                count, length, cost = kernels.paths.shortest_path_weighted.weighted(
                    self._uneven, self._bounds, here, there, *scratch
                )
                found = scratch[-2]
                cost = cost if len(self.costs) else cost * self.least
            if count >= 0:
                break
            _enlarge(scratch)
        cells = found[:count, 3].astype(np.int64)
        moves.give(self._kind, scratch)
        if not count:
            moves.labels(space)  # from now on it is known what is not connected
            return no_path(space)
        return self._path(cells, length, cost, start)

    def _path(self, cells: Ints, length: float, cost: float, place: Floats) -> Path:
        space = self.space
        first_cost = self.least
        if len(self.costs):
            entered = cells[1] if len(cells) > 1 else cells[0]
            first_cost = float(self.costs[cells[0]] + self.costs[entered]) / 2
        if self.smooth and len(cells) > 1:
            if (place == space.position_of(int(cells[0]))).all():
                return Path.over_cells(space, *self._straightened(cells))
            # Straight legs begin at centers of cells: the first step leads to one.
            step = float(space.step_lengths(cells[:2])[0])
            rest, length, cost = self._straightened(cells[1:])
            cells = np.concatenate([cells[:1], rest])
            length = length + step
            cost = cost + step * first_cost
        return Path.over_cells(space, cells, length, cost, place, lambda _: first_cost)

    def _straightened(self, cells: Ints) -> tuple[Ints, float, float]:
        """Return the cells at which a path turns after straight legs that cost no more replaced its
        steps; its length and cost.
        """
        space = self.space
        moves = self.moves
        uneven = len(self.costs) > 0
        chosen = np.empty(len(cells), dtype=np.int64)
        count, length, cost = kernels.paths.smoothing.straighten(
            self._uneven,
            moves.edges,
            cells,
            self.least if uneven else 1.0,
            space.cell_size,
            chosen,
        )
        return chosen[:count].copy(), length, cost if uneven else cost * self.least

    def solve_many(self, starts: Floats, here: Ints, goals: Floats, there: Ints) -> list[Path]:
        """See `PathProblem.solve_many`."""
        if len(here) >= _WORTH_LABELS:
            self.moves.labels(self.space)
        return super().solve_many(starts, here, goals, there)


def _enlarge(scratch: Scratch) -> None:
    """Double the arrays for waiting cells: all arrays without one number per cell."""
    cells = len(scratch[0])
    for i, array in enumerate(scratch):
        if len(array) != cells:
            scratch[i] = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)


def problem_on(space: Space, cost: Cost, smooth: bool) -> PathProblem:
    """Return the searches of one call for shortest paths on a space."""
    if isinstance(space, Grid):
        return GridProblem(space, cost, smooth)
    return GraphProblem(checked_space(space, "Paths lie on"), cost, smooth)
