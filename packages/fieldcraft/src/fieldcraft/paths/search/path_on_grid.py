"""Shortest paths on grids, and the moves of searches on grids."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.kernels.paths.path_ground import CostBounds, CostGround, UniformGround
from fieldcraft.kernels.shared.arrays import Floats, Ints, read_only
from fieldcraft.paths.cost import Cost, read_costs, uniform_cost
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.search.path_on_graph import GraphProblem
from fieldcraft.paths.search.path_problem import PathProblem
from fieldcraft.space import Grid, Neighborhood, Space, Terrain, checked_space
from fieldcraft.space.cached import cached
from fieldcraft.space.grid.neighborhood import build_links
from fieldcraft.space.space_saves import with_more_walls

_FEW = 64  # After more changed walls all moves are computed again.

Scratch = list[NDArray[Any]]


class GridMoves:
    """The moves on one grid, for the walls of one `walls_version`; these arrays never change.

    `king` are the moves to the 8 neighbors, and `table` those of the grid's own steps. `plain` is
    whether the kernels for 4 or 8 neighbors can be used, and `stops` is where straight runs end.
    """

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
        # A lower bound of the distance: the first for each cell of the longer side, the second for
        # each of the shorter side.
        if reach.sum(axis=1).max() == 1:
            self.bound = (space.cell_size, space.cell_size)
        elif reach.max() > 1:
            self.bound = (space.cell_size, 0.0)
        else:
            self.bound = (space.cell_size, space.cell_size * (2**0.5 - 1))
        king_steps = kernels.shared.moves.STEPS
        self._table: NDArray[Any] | None = None
        if before is None:
            self.king: NDArray[Any] = self._built(space, king_steps)
            self._free: dict[str, list[Scratch]] = {"uniform": [], "weighted": []}
        else:
            self.king = self._built(space, king_steps, before.king, before.version)
            self._free = before._free
            if before._table is not None:
                self._table = self._built(space, neighborhood.steps, before._table, before.version)
        self.stops = self._stopping(space, before)
        self.edges = self.king.reshape(-1)
        self._labels: NDArray[np.int32] | None = None

    def _built(
        self,
        space: Grid,
        steps: tuple[tuple[int, int], ...],
        old: NDArray[np.signedinteger] | None = None,
        version: int = -1,
    ) -> NDArray[Any]:
        """Return the moves of these steps, (height, width): uint8 for up to 8, else int64.

        `old` are the moves of an earlier version of the walls.
        """
        table = np.array(steps, dtype=np.int64)
        dtype = np.uint8 if len(steps) <= 8 else np.int64
        moves = np.empty(space.shape, dtype=dtype)
        if space.corners != "never":
            _leave(space, steps, moves)
            return moves
        windows = None
        if old is not None:
            windows = _windows(space, version, int(np.abs(table).max()))
            if windows is not None:
                moves = old.copy()
        classes, enter, ruled = _rules(space.terrain)
        for window in windows or [(0, space.height, 0, space.width)]:
            kernels.shared.moves.leave(
                space.walls, classes, enter, table, ruled, space.wrap_flags, *window, moves
            )
        moves.flags.writeable = False
        return moves

    def _stopping(self, space: Grid, before: GridMoves | None) -> NDArray[np.int64]:
        """Return where straight runs end, for `kernels.paths.shortest_path_uniform`."""
        if not self.plain or space.wrap:
            return np.zeros(0, dtype=np.int64)
        windows = None
        if before is not None:
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
            if space.neighborhood.steps == kernels.shared.moves.STEPS:
                self._table = self.king
            else:
                self._table = self._built(space, space.neighborhood.steps)
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
        space.walls, space.terrain, Neighborhood(steps, space.corners), space.wrap_flags
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
    classes.flags.writeable = False
    enter.flags.writeable = False
    return classes, enter, ruled


_NO_COSTS = read_only(np.empty(0, dtype=np.float64))
_WORTH_LABELS = 64  # For so many paths it pays to find unconnected cells first.


class GridProblem(PathProblem):
    """Shortest paths on a grid. `costs` are flat, or empty where every cell costs `least`."""

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
        # Whether the kernel for one cost and plain steps is used.
        self.uniform = self.moves.plain and not len(self.costs)
        self._kind = "uniform" if self.uniform else "weighted"

    @property
    def _uniform_ground(self) -> UniformGround:
        """The ground, for `kernels.paths.shortest_path_uniform`."""
        space = self.space
        moves = self.moves
        return UniformGround(
            moves.edges,
            read_only(moves.stops),
            moves.eight,
            space.width,
            space.height,
            space.wrap_flags,
        )

    @property
    def _weighted_ground(self) -> CostGround:
        """The ground, for `kernels.paths.shortest_path_weighted`."""
        space = self.space
        moves = self.moves
        has_walls = len(self.costs) > 0 and self._infinite
        return CostGround(
            moves.table(space),
            moves.steps,
            moves.lengths,
            self.costs,
            has_walls,
            space.width,
            space.height,
            space.wrap_flags,
        )

    @property
    def _bounds(self) -> CostBounds:
        """The bounds of costs, for `kernels.paths.shortest_path_weighted`."""
        if not len(self.costs):
            return CostBounds(*self.moves.bound, least=1.0, highest=1.0)
        return CostBounds(*self.moves.bound, self.least, self._highest)

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
                    self._uniform_ground, here, there, *scratch
                )
                found = scratch[-1]
                length = moves.length_of(count, diagonals)
                cost = length * self.least
            else:
                count, length, cost = kernels.paths.shortest_path_weighted.weighted(
                    self._weighted_ground, self._bounds, here, there, *scratch
                )
                found = scratch[-2]
                if not len(self.costs):
                    cost *= self.least
            if count >= 0:
                break
            _enlarge(scratch)
        cells = found[:count, 3].astype(np.int64)
        moves.give(self._kind, scratch)
        if not count:
            moves.labels(space)  # so that later calls need no search
            return no_path(space)
        return self._path(cells, length, cost, start)

    def _path(self, cells: Ints, length: float, cost: float, place: Floats) -> Path:
        space = self.space
        first_cost = self.least
        if len(self.costs):
            first_costs = self.costs[cells[:2]]
            first_cost = float(first_costs[0] + first_costs[-1]) / 2
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
        """Replace steps of a path by straight legs that cost no more; return the cells where it
        turns, its length and its cost.
        """
        space = self.space
        moves = self.moves
        least = 1.0
        if len(self.costs):
            least = self.least
        chosen = np.empty(len(cells), dtype=np.int64)
        count, length, cost = kernels.paths.smoothing.straighten(
            self._weighted_ground,
            moves.edges,
            cells,
            least,
            space.cell_size,
            chosen,
        )
        if not len(self.costs):
            cost *= self.least
        return chosen[:count].copy(), length, cost

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
