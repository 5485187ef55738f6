"""Cells that agents reach within a limit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Ints, read_only
from fieldcraft.paths.cost import (
    CHARGES,
    LEAST,
    SAME_COST,
    Cost,
    cell_values,
    check_space,
    invalid_cost,
    uniform_cost,
)
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.search.distances_on_arcs import adjacency_with_walls
from fieldcraft.paths.search.distances_on_grid import grid_steps
from fieldcraft.paths.starts_and_goals import ON_WALL, resolve_cells
from fieldcraft.space import Grid, GridSnapshot, Space, checked_space, visible
from fieldcraft.space.cached import cached
from fieldcraft.space.kinds import graph_of
from fieldcraft.space.sight.over_polygons import vertices_within
from fieldcraft.space.space_ranges import within_range, within_walk
from fieldcraft.values import Expression

_NOWHERE = 1e-12  # with a range of 0 an agent hits its own cell; SciPy and sight need more than 0
_HEAP = 1024  # cells at first
_AT_ONCE = 64  # agents in one call, between which Ctrl-C is noticed
_UNREAD = -math.inf  # a cost that has not been computed; expressions are finite


@dataclass(frozen=True, eq=False, repr=False)
class Reach:
    """The cells that one agent can walk to; made by `reach`.

    Attributes
    ----------
    cells : ndarray of int64
        The cells by distance, the agent's own first; of equally distant ones the lowest first.
    distances : ndarray of float64
        The cost of the path to each.
    came_from : ndarray of int64
        The cell before each on the cheapest path; the agent's own cell for itself.
    range : float
        The range of the agent's attack; NaN without `ranges`.
    sight : bool
        Whether walls block the attack.
    """

    space: Space
    cells: NDArray[np.int64]
    distances: NDArray[np.float64]
    came_from: NDArray[np.int64]
    range: float = math.nan
    sight: bool = False

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<Reach of {len(self)} cells up to {self.distances[-1]:g} away>"

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The world positions of the cells: (N, 2) or (N, 3)."""
        return self.space.position_of(self.cells)

    @cached_property
    def _index(self) -> dict[int, int]:
        return {cell: index for index, cell in enumerate(self.cells.tolist())}

    def __contains__(self, cell: int) -> bool:
        return cell in self._index

    @cached_property
    def hits(self) -> NDArray[np.bool_]:
        """Which cells the agent can hit from any cell that it can walk to: bool in the space's
        shape.
        """
        if math.isnan(self.range):
            raise InvalidValue(
                "Hits need the range of the agent",
                got="a reach without ranges",
                remedy="Call fc.reach(space, positions, limit, ranges=3)",
            )
        space = self.space
        if self.sight:
            return visible(space, self.positions, max(self.range, _NOWHERE))
        total = Hits(space)
        total.add(self.cells, self.range, 1.0)
        return total.total > 0

    def path(self, position: ArrayLike) -> Path:
        """Return the cheapest path from the agent to a position; not `found` if out of reach."""
        goal = self.space.cell_at(position)
        if not isinstance(goal, int):
            raise InvalidValue(
                "A path leads to one position",
                got=f"an array of shape {np.shape(position)}",
                remedy="Call it for each position",
            )
        if goal not in self._index:
            return no_path(self.space)
        path = [goal]
        while path[-1] != self.cells[0]:
            path.append(int(self.came_from[self._index[path[-1]]]))
        cells = np.array(path[::-1], dtype=np.int64)
        cost = float(self.distances[self._index[goal]])
        return Path.over_cells(self.space, cells, float(self.space.step_lengths(cells).sum()), cost)


class Hits:
    """What agents can do to each cell of a space, added up in the order of `add`: `total`, and the
    `most` of one agent, float64 in the space's shape; 0 in walls.
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.total = np.zeros(space.shape)
        self.most = np.zeros(space.shape)
        self._last = np.full(space.shape, -1, dtype=np.int32)
        self._reached = np.full(space.shape, -1, dtype=np.int32)
        self._count = 0
        self._discs: dict[float, tuple[Ints, Ints]] = {}

    def add(self, cells: Ints, range: float, strength: float) -> None:
        """Add an agent that can walk to `cells` and hits what is within a range, walls or not."""
        space = self.space
        if not isinstance(space, Grid):
            graph = graph_of(space)
            near = vertices_within(graph, space.position_of(cells), range)
            hit = np.zeros(len(space), dtype=np.bool_)
            hit[np.fromiter(chain.from_iterable(near), dtype=np.int64)] = True
            self.add_mask(hit.reshape(space.shape), strength)
            return
        if range not in self._discs:
            self._discs[range] = _disc(space, range)
        kernels.distances.hits.hits(
            read_only(space.walls),
            np.ascontiguousarray(cells, dtype=np.int64),
            *self._discs[range],
            space.wrap,
            strength,
            self._count,
            self.total,
            self.most,
            self._last,
            self._reached,
        )
        self._count += 1

    def add_mask(self, hit: NDArray[np.bool_], strength: float) -> None:
        """Add an agent that hits these open cells, bool in the space's shape."""
        hit = hit & ~self.space.walls
        self.total[hit] += strength
        self.most[hit] = np.maximum(self.most[hit], strength)


def _disc(space: Grid, range: float) -> tuple[Ints, Ints]:
    """Return how many rows and columns a range covers to each side of a cell, (2,), and the columns
    by rows away.
    """
    most = within_range(space, range)
    size = max(space.shape)
    steps = np.arange(min(int(most / space.cell_size) + 1, size) + 1)
    away = np.hypot(steps[:, np.newaxis], steps) * space.cell_size
    widths = np.count_nonzero(away <= most, axis=1).astype(np.int64) - 1
    rows = int(np.count_nonzero(widths >= 0)) - 1
    return np.array([rows, int(widths.max())], dtype=np.int64), widths


@overload
def reach(
    space: Space,
    positions: tuple[float, float] | tuple[float, float, float],
    limit: float,
    ranges: ArrayLike | None = None,
    *,
    cost: Cost = None,
    charge: str = "mean",
    sight: bool = False,
    on_wall: str = "refuse",
) -> Reach: ...


@overload
def reach(
    space: Space,
    positions: ArrayLike,
    limit: float,
    ranges: ArrayLike | None = None,
    *,
    cost: Cost = None,
    charge: str = "mean",
    sight: bool = False,
    on_wall: str = "refuse",
) -> Reach | list[Reach]: ...


def reach(
    space: Space,
    positions: ArrayLike,
    limit: float,
    ranges: ArrayLike | None = None,
    *,
    cost: Cost = None,
    charge: str = "mean",
    sight: bool = False,
    on_wall: str = "refuse",
) -> Reach | list[Reach]:
    """Return the cells that agents can walk to within a limit, such as the movement points of a
    turn, and with `ranges` the cells that they can hit from there.

    The time depends on the number of cells in reach, not on the size of the map.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Where agents walk.
    positions : array_like of shape (2,) or (N, 2)
        World positions of one agent or many; on a 3D graph of shape (3,) or (N, 3).
    limit : float
        Largest distance, inclusive, in world units times cost.
    ranges : float or array_like of shape (N,), optional
        Range of attacks in a straight line, inclusive, in world units, one for all or one each:
        then each `Reach` has `hits`.
    cost : float, ndarray, layer or expression, optional
        Cost per world unit, as for `distance_map`. It is checked in visited cells.
    charge : {"mean", "enter"}
        A step costs its length times the mean cost of its two cells, or with "enter" times the cost
        of the cell that it ends in, as in tile and board games.
    sight : bool
        Whether walls block attacks: then agents hit only cells that are `visible`.
    on_wall : {"refuse", "nearest"}
        With "nearest" an agent in a wall starts from the nearest open cell.

    Returns
    -------
    Reach or list of Reach
        One for one position, else one for each.

    Raises
    ------
    OnWall
        If an agent is in a wall. The message names the nearest open cell.
    OutsideMap
        If an agent is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> board = fc.Grid(4, 3, neighbors=4)
    >>> swamp = [[1, 1, 3, 1],
    ...          [1, 3, 3, 1],
    ...          [1, 1, 1, 1]]
    >>> unit = fc.reach(board, (0.5, 0.5), 3, cost=swamp, charge="enter")
    >>> unit.cells
    array([0, 1, 4, 8, 9])
    >>> unit.distances
    array([0., 1., 1., 2., 3.])
    >>> unit.path((1.5, 2.5)).cells
    array([0, 4, 8, 9])

    How many of two archers can hit each cell this turn:

    >>> archers = fc.reach(fc.Grid(9, 1), [(1.5, 0.5), (6.5, 0.5)], limit=1, ranges=2)
    >>> sum(archer.hits for archer in archers)
    array([[1, 1, 1, 2, 2, 1, 1, 1, 1]])
    """
    checked_space(space, "Agents walk on")
    most = within_walk(space, checks.not_negative("limit", limit))
    enter = checks.choice("charge", charge, CHARGES) == "enter"
    checks.choice("on_wall", on_wall, ON_WALL)
    starts, single = resolve_cells(space, space.walls, "walker", positions, on_wall)
    checks.flag("sight", sight)
    far = np.full(len(starts), np.nan)
    if ranges is not None:
        far = checks.numbers("ranges", ranges, len(starts))
        checks.none_wrong(
            "ranges are 0 or more", far, far < 0, "Pass 0 for agents that hit nothing"
        )
    search = ReachSearch(space, cost, enter, most)
    reached = [
        Reach(space, *found, hit_range, sight)
        for found, hit_range in zip(search.run_all(starts), far.tolist(), strict=True)
    ]
    search.end()
    return reached[0] if single else reached


class ReachSearch:
    """The searches of one call of `reach`, or of a question that searches a slice at a time.

    An expression is computed around the agents only: `costs` are `_UNREAD` elsewhere.
    """

    def __init__(self, space: Space, cost: Cost, enter: bool, most: float) -> None:
        self.space = space
        self._rules = (enter, most, LEAST, checks.LARGEST)
        self._free = _free_scratch(space)
        size = len(space)
        if not self._free:
            heap = np.empty(_HEAP), np.empty(_HEAP, dtype=np.int32)
            found = np.empty(_HEAP, dtype=np.int64), np.zeros(2, dtype=np.int64)
            nowhere = np.full(size, np.inf), np.empty(size, dtype=np.int32)
            unread = np.full(size, _UNREAD, dtype=np.float32)
            results = np.empty(_HEAP, np.int64), np.empty(_HEAP), np.empty(_HEAP, np.int64)
            self._free.append((unread, [*nowhere, *heap, *found], results))
        self._scratch, self._arrays, self._results = self._free.pop()
        self._source = None
        if isinstance(cost, Expression) and not cost.may_be_infinite:
            self._source = cost
        self._read: list[Ints] = []
        if self._source is None:
            uniform = uniform_cost(cost)
        else:
            uniform = None
        if self._source is not None:
            if self._source.space is not space:
                check_space(space, self._source)
            costs = self._scratch
            self._radius = most / 2 + _margin(space)
        elif uniform is not None:
            costs = np.array([uniform])
        else:
            costs = np.ascontiguousarray(cell_values(space, cost)).reshape(-1)
            if costs.dtype not in (np.float32, np.float64):
                costs = costs.astype(np.float64)
        self._costs = read_only(costs)
        self._steps = _steps(space, costs if self._source is None else SAME_COST)

    def run(self, start: int, most: int = 2**31) -> Iterator[int]:
        """Search from a cell; yield after every `most` cells."""
        costs = self._costs
        if self._source is not None and costs[start] == _UNREAD:
            yield from self._read_around(start, most)
        own = float(costs[min(start, len(costs) - 1)])
        if not own >= LEAST:
            raise invalid_cost(self.space, own, start)
        while (bad := (yield from self._search(start, costs, self._rules, most))) >= 0:
            if costs[bad] != _UNREAD:
                raise invalid_cost(self.space, float(costs[bad]), bad)
            self.found()
            yield from self._read_around(start, most)

    def run_all(self, starts: Ints) -> list[tuple[Ints, NDArray[np.float64], Ints]]:
        """Search from each of some cells to the end; see `found`."""
        if self._source is None:
            return self._run_all_at_once(starts)
        reached = []
        for start in starts.tolist():
            for _ in self.run(start):
                pass
            reached.append(self.found())
        return reached

    def _run_all_at_once(self, starts: Ints) -> list[tuple[Ints, NDArray[np.float64], Ints]]:
        """Search from each of some cells to the end, by few calls of a kernel."""
        counts = np.zeros(len(starts), dtype=np.int64)
        done = 0
        while done < len(starts):
            part = starts[: done + _AT_ONCE]
            dist, came, keys, heap, _, sizes = self._arrays
            done, bad = kernels.distances.cells_in_reach.reach_many(
                *self._steps,
                self._costs,
                part,
                *self._rules,
                done,
                counts,
                self._results,
                (dist, came, keys, heap, sizes),
            )
            if bad >= 0:
                cost = float(self._costs[min(bad, len(self._costs) - 1)])
                raise invalid_cost(self.space, cost, bad)
            if done < len(part):
                self._arrays[2:5] = (np.append(each, each) for each in self._arrays[2:5])
                self._results = tuple(np.append(each, each) for each in self._results)
        ends = np.cumsum(counts).tolist()
        parts = [each[: ends[-1]].copy() if ends else each[:0] for each in self._results]
        return [
            (parts[0][first:end], parts[1][first:end], parts[2][first:end])
            for first, end in itertools.pairwise([0, *ends])
        ]

    def found(self) -> tuple[Ints, NDArray[np.float64], Ints]:
        """Return the cells in reach, their distances, and the cell before each, and clear them."""
        dist, came, _, heap, found, (count, left) = self._arrays
        cells = found[:count].copy()
        reached = cells, dist[cells], came[cells].astype(np.int64)
        dist[cells] = dist[heap[:left]] = np.inf
        return reached

    def _search(
        self,
        start: int,
        costs: NDArray[np.floating],
        rules: tuple[bool, float, float, float],
        most: int,
    ) -> Generator[int, None, int]:
        """Search as in `run`; return the first cell with an invalid cost, or -1."""
        dist, came, keys, heap, _, sizes = arrays = self._arrays
        keys[0], heap[0], dist[start], came[start] = 0.0, start, 0.0, start
        sizes[:] = 0, 1
        while True:
            before = int(sizes[0])
            bad = kernels.distances.cells_in_reach.reach(*self._steps, costs, *rules, most, *arrays)
            count, left = sizes.tolist()
            if bad >= 0 or not left:
                return int(bad)
            if count - before < most:
                arrays[2:5] = (np.append(each, each) for each in arrays[2:5])
            else:
                yield most

    def _read_around(self, start: int, most: int) -> Iterator[int]:
        """Compute the expression near a cell, each time in a larger window."""
        assert self._source is not None
        yield from self._search(start, SAME_COST, (False, self._radius, 0.0, np.inf), most)
        near, *_ = self.found()
        self._scratch[near] = self._source.values_at(near)
        self._read.append(near)
        self._radius *= 2

    def end(self) -> None:
        """Return the scratch to the pool."""
        if self._source is not None:
            self._scratch[np.concatenate(self._read)] = _UNREAD
        self._free.append((self._scratch, self._arrays, self._results))


def _steps(
    space: Space, costs: NDArray[np.floating]
) -> tuple[tuple[Any, ...] | None, tuple[Any, ...] | None]:
    """Return the steps of a space with its current walls: arcs, or `GridSteps`."""
    if isinstance(space, Grid) and not (space.corners == "if-one-open" and np.isinf(costs).any()):
        steps = grid_steps(space)
        guarded = space.corners == "never" and len(costs) > 1
        size = space.width, space.height, space.wrap, guarded
        return None, (GridSnapshot.of(space).links, steps.steps, steps.lengths, *size)
    arcs = space.adjacency
    if isinstance(space, Grid):
        arcs = adjacency_with_walls(space, space.walls.reshape(-1) | np.isinf(costs))
    return (arcs.starts, arcs.ends, arcs.lengths), None


@cached
def _margin(space: Space) -> float:
    """Return how far beyond the cells in reach costs are read; any distance on a space without
    steps.
    """
    if not len(space.adjacency.ends):
        return 1.0
    return 2 * space.typical_step


@cached
def _free_scratch(space: Space) -> list[tuple[NDArray[np.float32], list[Any], tuple[Any, ...]]]:
    """Return the scratch of a space that no search is using: costs, all `_UNREAD`; what
    `kernels.distances.cells_in_reach` takes: distances, all infinite, the cell before each, a heap,
    cells found, and how many; and the cells that many agents reach, their distances and the cell
    before each.
    """
    return []
