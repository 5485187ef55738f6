"""Cells that agents reach within a limit."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import kernels
from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import Charge, IfOnWall
from fieldcraft.kernels.distances.hit_arrays import AttackHeights, AttackMaps, Damage
from fieldcraft.kernels.distances.reach_arrays import (
    ReachedCells,
    ReachGrid,
    ReachRule,
    ReachScratch,
)
from fieldcraft.kernels.shared.arrays import Ints, read_only
from fieldcraft.kernels.shared.step_lists import OutSteps
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
from fieldcraft.space.cells import Many, One
from fieldcraft.space.kinds import graph_of, sight_grid_of
from fieldcraft.space.sight.lines_on_grid import LinesInRange
from fieldcraft.space.sight.over_polygons import near_any
from fieldcraft.space.sight.viewers import SightHeights, check_need_of_sight, checked_heights
from fieldcraft.space.space_ranges import within_range, within_walk
from fieldcraft.values import Expression

# With a range of 0 an agent hits its own cell; `visible` needs a range above 0.
_LEAST_RANGE = 1e-12
_HEAP = 1024  # Arrays of found and waiting cells begin with this length.
_AT_ONCE = 64  # So many agents are searched in one call, so that Ctrl-C is noticed in between.
_MOST_CELLS_OF_LINES = 20  # Farther, a field of view from each cell is faster than lines.
_UNREAD = -math.inf  # A cost that has not been computed; expressions are finite.


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
    heights : SightHeights or None
        The ground that blocks it, too.
    """

    space: Space
    cells: NDArray[np.int64]
    distances: NDArray[np.float64]
    came_from: NDArray[np.int64]
    range: float = math.nan
    sight: bool = False
    heights: SightHeights | None = None

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
        sight = None
        if self.sight:
            sight = AttacksInSight.of(self.space, [self.range], self.heights)
        hits = Hits(self.space, sight)
        hits.add(self.cells, self.range, 1.0)
        return hits.total > 0

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
        length = float(self.space.step_lengths(cells).sum())
        cost = float(self.distances[self._index[goal]])
        return Path.over_cells(self.space, cells, length, cost)


class Hits:
    """What agents can do to each cell of a space, added up in the order of `add`: `total`, and the
    `most` of one agent, float64 in the space's shape; 0 in walls. Without `sight` nothing blocks
    attacks.
    """

    def __init__(self, space: Space, sight: AttacksInSight | None = None) -> None:
        self.space = space
        self.total = np.zeros(space.shape)
        self.most = np.zeros(space.shape)
        self._sight = sight
        self._last = np.full(space.shape, -1, dtype=np.int32)
        self._reached = np.full(space.shape, -1, dtype=np.int32)
        self._count = 0
        self._discs: dict[float, tuple[Ints, Ints]] = {}
        self._limits: dict[float, int] = {}

    def add(self, cells: Ints, range: float, strength: float) -> None:
        """Add an agent that can walk to `cells` and hits what is within a range of them."""
        cells = np.ascontiguousarray(cells, dtype=np.int64)
        if self._sight is not None:
            self._add_in_sight(self._sight, cells, range, strength)
        elif isinstance(self.space, Grid):
            self._add_discs(self.space, cells, range, strength)
        else:
            graph = graph_of(self.space)
            hit = near_any(graph, self.space.position_of(cells), range)
            self._add_mask(hit.reshape(self.space.shape), strength)
        self._count += 1

    def _add_discs(self, grid: Grid, cells: Ints, range: float, strength: float) -> None:
        if range not in self._discs:
            self._discs[range] = _disc(grid, range)
        kernels.distances.hits.hits(
            read_only(grid.walls),
            cells,
            *self._discs[range],
            grid.wrap_flags,
            strength,
            self._count,
            self.total,
            self.most,
            self._last,
            self._reached,
        )

    def _add_in_sight(
        self, sight: AttacksInSight, cells: Ints, range: float, strength: float
    ) -> None:
        if range not in self._limits:
            self._limits[range] = sight.limit_of_lines(range)
        limit = self._limits[range]
        if limit < 0:
            self._add_mask(sight.seen(cells, range), strength)
            return
        ground = sight.ground
        kernels.distances.hits.hits_in_sight(
            ground.maps,
            ground.heights,
            cells,
            ground.lines.lines,
            ground.reaches,
            ground.lines.count(limit),
            self.space.wrap_flags,
            strength,
            self._count,
            self._damage_on(ground.maps.walls.shape),
            ground.reached,
            ground.done,
        )

    def _damage_on(self, shape: tuple[int, ...]) -> Damage:
        """Return the maps in the shape of a grid."""
        return Damage(
            self.total.reshape(shape), self.most.reshape(shape), self._last.reshape(shape)
        )

    def _add_mask(self, hit: NDArray[np.bool_], strength: float) -> None:
        """Add an agent that hits these cells, bool in the space's shape."""
        hit = hit & ~self.space.walls
        self.total[hit] += strength
        self.most[hit] = np.maximum(self.most[hit], strength)


class _AttackGround(NamedTuple):
    """What lines of sight run over: see `kernels.distances.hits.hits_in_sight`."""

    lines: LinesInRange
    reaches: Ints
    maps: AttackMaps
    heights: AttackHeights | None
    reached: NDArray[np.uint64]
    done: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class AttacksInSight:
    """Attacks that walls block, and ground with `heights`, on a space as it is now.

    On squares short attacks are tested by lines of at most the squared length `limit` in cells,
    many at a time where the ground is level. Others are fields of view.
    """

    space: Space
    heights: SightHeights | None
    limit: int

    @classmethod
    def of(
        cls, space: Space, ranges: Iterable[float], heights: SightHeights | None
    ) -> AttacksInSight:
        """Return the attacks of agents with these ranges."""
        attacks = cls(space, heights, _MOST_CELLS_OF_LINES**2)
        return replace(attacks, limit=max(map(attacks.limit_of_lines, set(ranges)), default=-1))

    def limit_of_lines(self, range: float) -> int:
        """Return the largest squared length of lines within a range, -1 for fields of view."""
        grid = sight_grid_of(self.space)
        if grid is None:
            return -1
        most = within_range(self.space, max(range, _LEAST_RANGE)) / grid.cell_size
        limit = kernels.sight.visible.squared_reach(most)
        if limit > self.limit:
            return -1
        return limit

    @cached_property
    def ground(self) -> _AttackGround:
        """The maps that lines run over."""
        grid = sight_grid_of(self.space)
        assert grid is not None
        lines = _lines(grid)
        reaches = lines.reaches(self.limit)
        walls = read_only(self.space.walls.reshape(grid.shape))
        is_opaque = self.space.opaque.reshape(grid.shape)
        opaque = lines.bits(is_opaque, reaches, False)
        closed = lines.bits(walls, reaches, True)
        heights = None
        if self.heights is not None:
            ground, eye = self.heights
            tops = np.where(is_opaque, np.float32(np.inf), ground)
            heights = AttackHeights(
                lines.widened(ground, reaches), lines.widened(tops, reaches), eye
            )
        none = (np.zeros_like(opaque), np.zeros_like(opaque))
        return _AttackGround(lines, reaches, AttackMaps(walls, opaque, closed), heights, *none)

    def seen(self, cells: Ints, range: float) -> NDArray[np.bool_]:
        """Return which cells are seen from one of some cells, bool in the space's shape."""
        ground = None
        eye = 1.0
        if self.heights is not None:
            ground = self.heights.ground.reshape(self.space.shape)
            eye = self.heights.eye
        places = self.space.position_of(cells)
        return visible(self.space, places, max(range, _LEAST_RANGE), heights=ground, eye=eye)


@cached
def _lines(grid: Grid) -> LinesInRange:
    """Return the lines of attacks that are tested by lines."""
    return LinesInRange.of(grid, _MOST_CELLS_OF_LINES**2)


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
    positions: One,
    limit: float,
    ranges: ArrayLike | None = None,
    *,
    cost: Cost = None,
    charge: Charge = "mean",
    sight: bool = False,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    on_wall: IfOnWall = "refuse",
) -> Reach: ...


@overload
def reach(
    space: Space,
    positions: Many,
    limit: float,
    ranges: ArrayLike | None = None,
    *,
    cost: Cost = None,
    charge: Charge = "mean",
    sight: bool = False,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    on_wall: IfOnWall = "refuse",
) -> list[Reach]: ...


@overload
def reach(
    space: Space,
    positions: ArrayLike,
    limit: float,
    ranges: ArrayLike | None = None,
    *,
    cost: Cost = None,
    charge: Charge = "mean",
    sight: bool = False,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    on_wall: IfOnWall = "refuse",
) -> Reach | list[Reach]: ...


def reach(
    space: Space,
    positions: ArrayLike,
    limit: float,
    ranges: ArrayLike | None = None,
    *,
    cost: Cost = None,
    charge: Charge = "mean",
    sight: bool = False,
    heights: ArrayLike | None = None,
    eye: float = 1.0,
    on_wall: IfOnWall = "refuse",
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
    heights, eye
        Ground that blocks attacks too, as in `visible`; with `sight`.
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
    check_need_of_sight(heights, checks.flag("sight", sight), "sight=False", "Pass sight=True")
    over = checked_heights(space, heights, eye)
    far = np.full(len(starts), np.nan)
    if ranges is not None:
        far = checks.numbers("ranges", ranges, len(starts))
        checks.none_wrong(
            "ranges are 0 or more", far, far < 0, "Pass 0 for agents that hit nothing"
        )
    search = ReachSearch(space, cost, enter, most)
    reached = [
        Reach(space, *found, hit_range, sight, over)
        for found, hit_range in zip(search.run_all(starts), far.tolist(), strict=True)
    ]
    search.end()
    if single:
        return reached[0]
    return reached


class ReachSearch:
    """The searches of one call of `reach`, or of a question that searches a slice at a time.

    An expression is computed around the agents only: `costs` are `_UNREAD` elsewhere.
    """

    def __init__(self, space: Space, cost: Cost, enter: bool, most: float) -> None:
        self.space = space
        self._rule = ReachRule(enter, most, LEAST, checks.LARGEST)
        self._free = _free_scratch(space)
        if self._free:
            self._scratch = self._free.pop()
        else:
            self._scratch = _Scratch(len(space))
        self._source: Expression | None = None
        self._read: list[Ints] = []
        if isinstance(cost, Expression) and not cost.may_be_infinite:
            if cost.space is not space:
                check_space(space, cost)
            self._source = cost
            self._radius = most / 2 + _margin(space)
            self._costs = read_only(self._scratch.costs)
            self._steps = _steps(space, SAME_COST)
        else:
            costs = _read(space, cost)
            self._costs = read_only(costs)
            self._steps = _steps(space, costs)

    def run(self, start: int, most: int = 2**31) -> Iterator[int]:
        """Search from a cell; yield after every `most` cells."""
        costs = self._costs
        if self._source is not None and costs[start] == _UNREAD:
            yield from self._read_around(start, most)
        own = float(costs[min(start, len(costs) - 1)])
        if not own >= LEAST:
            raise invalid_cost(self.space, own, start)
        while (bad := (yield from self._search(start, costs, self._rule, most))) >= 0:
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
        scratch = self._scratch
        done = 0
        while done < len(starts):
            part = starts[: done + _AT_ONCE]
            done, bad = kernels.distances.cells_in_reach.reach_many(
                *self._steps,
                self._costs,
                part,
                self._rule,
                done,
                counts,
                scratch.results,
                ReachScratch(scratch.dist, scratch.came, scratch.keys, scratch.heap, scratch.sizes),
            )
            if bad >= 0:
                cost = float(self._costs[min(bad, len(self._costs) - 1)])
                raise invalid_cost(self.space, cost, bad)
            if done < len(part):
                scratch.enlarge()
                scratch.enlarge_results()
        total = int(counts.sum())
        cells = scratch.results.cells[:total].copy()
        distances = scratch.results.distances[:total].copy()
        came_from = scratch.results.before[:total].copy()
        ends = np.cumsum(counts).tolist()
        return [
            (cells[first:end], distances[first:end], came_from[first:end])
            for first, end in itertools.pairwise([0, *ends])
        ]

    def found(self) -> tuple[Ints, NDArray[np.float64], Ints]:
        """Return the cells in reach, their distances, and the cell before each, and clear them."""
        scratch = self._scratch
        dist = scratch.dist
        count, waiting = scratch.sizes
        cells = scratch.found[:count].copy()
        reached = (cells, dist[cells], scratch.came[cells].astype(np.int64))
        dist[cells] = np.inf
        dist[scratch.heap[:waiting]] = np.inf
        return reached

    def _search(
        self,
        start: int,
        costs: NDArray[np.floating],
        rule: ReachRule,
        most: int,
    ) -> Generator[int, None, int]:
        """Search as in `run`; return the first cell with an invalid cost, or -1."""
        scratch = self._scratch
        scratch.begin(start)
        while True:
            before = int(scratch.sizes[0])
            bad = kernels.distances.cells_in_reach.reach(
                *self._steps,
                costs,
                rule,
                most,
                scratch.dist,
                scratch.came,
                scratch.keys,
                scratch.heap,
                scratch.found,
                scratch.sizes,
            )
            count, waiting = scratch.sizes.tolist()
            if bad >= 0 or not waiting:
                return int(bad)
            if count - before < most:
                scratch.enlarge()
            else:
                yield most

    def _read_around(self, start: int, most: int) -> Iterator[int]:
        """Compute the expression near a cell, each time in a larger window."""
        assert self._source is not None
        yield from self._search(start, SAME_COST, ReachRule(False, self._radius, 0.0, np.inf), most)
        near, *_ = self.found()
        self._scratch.costs[near] = self._source.values_at(near)
        self._read.append(near)
        self._radius *= 2

    def end(self) -> None:
        """Return the scratch to the pool."""
        if self._source is not None:
            self._scratch.costs[np.concatenate(self._read)] = _UNREAD
        self._free.append(self._scratch)


class _Scratch:
    """Arrays of a search for `kernels.distances.cells_in_reach`, which other searches use again.

    `costs` of cells are all `_UNREAD`, and distances `dist` infinite; `came` is the cell before
    each. Cells that wait are in a heap: `heap` with `keys`. `found` are cells in reach, `sizes` the
    numbers of found and waiting cells, and `results` the cells that many agents reach, their
    distances and the cells before them.
    """

    def __init__(self, cells: int) -> None:
        self.costs = np.full(cells, _UNREAD, dtype=np.float32)
        self.dist = np.full(cells, np.inf)
        self.came = np.empty(cells, dtype=np.int32)
        self.keys = np.empty(_HEAP)
        self.heap = np.empty(_HEAP, dtype=np.int32)
        self.found = np.empty(_HEAP, dtype=np.int64)
        self.sizes = np.zeros(2, dtype=np.int64)
        self.results = ReachedCells(
            np.empty(_HEAP, np.int64), np.empty(_HEAP), np.empty(_HEAP, np.int64)
        )

    def begin(self, start: int) -> None:
        """Let a search wait at a cell."""
        self.keys[0] = 0.0
        self.heap[0] = start
        self.dist[start] = 0.0
        self.came[start] = start
        self.sizes[0] = 0
        self.sizes[1] = 1

    def enlarge(self) -> None:
        """Double the arrays of waiting and found cells, and keep their contents."""
        self.keys = np.append(self.keys, self.keys)
        self.heap = np.append(self.heap, self.heap)
        self.found = np.append(self.found, self.found)

    def enlarge_results(self) -> None:
        """Double the arrays of results, and keep their contents."""
        cells, distances, came_from = self.results
        self.results = ReachedCells(
            np.append(cells, cells),
            np.append(distances, distances),
            np.append(came_from, came_from),
        )


def _read(space: Space, cost: Cost) -> NDArray[np.floating]:
    """Return the costs of all cells, flat and unchecked; one number if all cost the same."""
    uniform = uniform_cost(cost)
    if uniform is not None:
        return np.array([uniform])
    costs = np.ascontiguousarray(cell_values(space, cost)).reshape(-1)
    if costs.dtype not in (np.float32, np.float64):
        costs = costs.astype(np.float64)
    return costs


def _steps(space: Space, costs: NDArray[np.floating]) -> tuple[OutSteps | None, ReachGrid | None]:
    """Return the steps of a space with its current walls: a list of them, or those of a grid."""
    if isinstance(space, Grid) and not (space.corners == "if-one-open" and np.isinf(costs).any()):
        steps = grid_steps(space)
        guarded = space.corners == "never" and len(costs) > 1
        links = GridSnapshot.of(space).links
        size = (space.width, space.height, bool(space.wrap))
        return None, ReachGrid(links, steps.steps, steps.lengths, *size, guarded)
    arcs = space.adjacency
    if isinstance(space, Grid):
        arcs = adjacency_with_walls(space, space.walls.reshape(-1) | np.isinf(costs))
    return OutSteps(arcs.starts, arcs.ends, arcs.lengths), None


@cached
def _margin(space: Space) -> float:
    """Return how far beyond the cells in reach costs are read; any distance on a space without
    steps.
    """
    if not len(space.adjacency.ends):
        return 1.0
    return 2 * space.typical_step


@cached
def _free_scratch(space: Space) -> list[_Scratch]:
    """Return the scratch of a space that no search is using."""
    return []
