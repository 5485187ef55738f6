"""Paths, their starts and goals, and the searches of one call for shortest paths."""

from __future__ import annotations

import itertools
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.base.pictured import Pictured
from fieldcraft.base.synonyms import Suggesting
from fieldcraft.kernels.compiling import pool
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.edges import first_leg, from_edge
from fieldcraft.space import Graph, Space
from fieldcraft.space.csr import NO_CELLS

ON_WALL = ("refuse", "nearest")
_EQUALLY = 1e-9  # distances are equal to one part in 1e9; of equal ones the lowest id is named


def resolve_cells(
    space: Space,
    walls: NDArray[np.bool_],
    what: str,
    positions: ArrayLike,
    on_wall: str = "refuse",
) -> tuple[NDArray[np.int64], bool]:
    """Return the cells of world positions, (N,) int64, and whether it was one position.

    Raises
    ------
    OutsideMap
        If a position is outside the map.
    OnWall
        For the first position in one of `walls`; the message names the nearest open cell. With
        `on_wall="nearest"` the position is moved there.
    """
    quick = space._quick_cells(positions, "refuse", walls.reshape(-1))
    if quick is not None:
        return quick, False
    try:
        found = space.cell_at(positions)
    except OutsideMap as error:
        raise _outside(space, walls, what, positions, error) from None
    if isinstance(found, int):
        cells = np.array([found])
        blocked = bool(walls.item(found))
        index = 0
    else:
        cells = found
        on_walls = walls.reshape(-1)[cells]
        blocked = bool(on_walls.any())
        if len(cells):
            index = int(on_walls.argmax())
        else:
            index = 0
    if blocked:
        if on_wall == "nearest":
            where = np.flatnonzero(walls.reshape(-1)[cells])
            cells = cells.copy()
            cells[where] = [_nearest(space, walls, cell) for cell in cells[where].tolist()]
            return cells, isinstance(found, int)
        cell = int(cells[index])
        points, single = checks.positions(positions, dimensions=space.dimensions)
        if space.walls.reshape(-1)[cell]:
            by_cost = ""
        else:
            by_cost = " by its infinite cost"
        raise OnWall(
            f"A {what} stands on an open {space.cell_name}",
            got=f"{tuple(points[index].tolist())}{_at(index, single)}, a wall{by_cost}",
            remedy=f'{_remedy(space, walls, cell)}: pass on_wall="nearest" to take it',
        )
    return cells, isinstance(found, int)


def resolve_pairs(
    space: Space,
    walls: NDArray[np.bool_],
    starts: ArrayLike,
    goals: ArrayLike,
    on_wall: str,
    walls_of_goals: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return start positions and cells, and goal positions and cells; a single one is repeated.
    Goals are on open ground by `walls_of_goals`, if these are others than the walls.
    """
    if walls_of_goals is None:
        walls_of_goals = walls
    (from_, one_start), (to, one_goal) = (
        checks.positions(each, dimensions=space.dimensions) for each in (starts, goals)
    )
    if not one_start and not one_goal and len(from_) != len(to):
        raise InvalidValue(
            "Each start needs a goal: pass one for each, or one for all",
            got=f"{len(from_)} starts and {len(to)} goals",
            remedy="Pass one goal per start, or one position",
        )
    if one_start:
        count = len(to)
    else:
        count = len(from_)
    from_cells, to_cells = (
        resolve_cells(space, ground, what, points, on_wall)[0]
        if len(points)
        else np.empty(0, dtype=np.int64)
        for what, points, ground in (("start", from_, walls), ("goal", to, walls_of_goals))
    )
    if on_wall != ON_WALL[0] and count:
        from_ = moved(space, from_, from_cells)
        to = moved(space, to, to_cells)
    return (
        np.broadcast_to(from_, (count, space.dimensions)),
        np.array(np.broadcast_to(from_cells, count)),
        np.broadcast_to(to, (count, space.dimensions)),
        np.array(np.broadcast_to(to_cells, count)),
    )


def moved(
    space: Space, points: NDArray[np.float64], cells: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the points, or the positions of their cells where they lie in other ones."""
    outside = np.atleast_1d(space.cell_at(points)) != cells
    return np.where(outside[:, np.newaxis], space.position_of(cells), points)


def unique_goals(
    cells: NDArray[np.int64], start_costs: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cells of goals, ascending and each once, and the least start cost of each."""
    costs = np.zeros(len(cells))
    if start_costs is not None:
        costs = checks.numbers("start_costs", start_costs, len(cells))
        bad = np.flatnonzero((costs < 0) | (costs > checks.LARGEST))
        if len(bad):
            raise InvalidValue(
                f"start_costs lie from 0 to {checks.LARGEST:g}",
                got=f"{costs[bad[0]]:g} at index {bad[0]}",
                remedy="Add a number to all of them: only their differences matter",
            )
    if len(cells) > 1:
        cells, which = np.unique(cells, return_inverse=True)
        least = np.full(len(cells), math.inf)
        np.minimum.at(least, which, costs)
        costs = least
    cells.flags.writeable = costs.flags.writeable = False
    return cells, costs


def _outside(
    space: Space, walls: NDArray[np.bool_], what: str, positions: ArrayLike, error: OutsideMap
) -> OutsideMap:
    """Return the error for the first position that is off the map."""
    if space.period is not None or not len(space):
        return error
    points, single = checks.positions(positions, dimensions=space.dimensions)
    clamped = np.atleast_1d(space.cell_at(points, outside="clamp"))
    for index, point in enumerate(points):
        try:
            space.cell_at(point)
        except OutsideMap as found:
            return OutsideMap(
                f"A {what} lies on the map. {found.rule}",
                got=f"{tuple(point.tolist())}{_at(index, single)}",
                remedy=_remedy(space, walls, int(clamped[index])),
            )
    return error


def _at(index: int, single: bool) -> str:
    return "" if single else f" at index {index}"


def _nearest(space: Space, walls: NDArray[np.bool_], cell: int) -> int:
    """Return the nearest cell without a wall; `walls` leave at least one open."""
    open_ = np.flatnonzero(~walls.reshape(-1))
    if not len(open_):
        raise InvalidValue("A path needs an open cell", got="walls everywhere", remedy="Open one")
    away = (space.shortest_vectors(space.position_of(open_) - space.position_of(cell)) ** 2).sum(
        axis=1
    )
    return int(open_[np.argmax(away <= away.min() * (1 + _EQUALLY))])


def _remedy(space: Space, walls: NDArray[np.bool_], cell: int) -> str:
    if walls.all():
        return "The map has no open cell"
    near = _nearest(space, walls, cell)
    where = ", ".join(f"{axis:g}" for axis in space.position_of(near).tolist())
    return f"The nearest open {space.cell_name} is {near}, around ({where})"


@dataclass(frozen=True, eq=False, repr=False)
class Path(Pictured, Suggesting):
    """Cells from a start to a goal. It is empty if there is no path; then `found` and `bool(path)`
    are False.

    A sequence of its positions: `for x, y in path`, `path[1]`, `np.asarray(path)`.

    `space` is its map, `cells` (N,) int64 the cells in order, one for each position; a smoothed
    path has only the cells in which it turns, and a path that ends in the cell of its start has
    that cell twice. `length` is in world units, `cost` in world units times the cost of the ground;
    both are measured along the positions, and are infinite if there is no path. A path does not
    change when walls change later. `bends` are the positions of a smoothed path on a mesh, which
    turns at corners of polygons; else None. `start` is where the path begins, None for the center
    of the first cell. `partial` is True for a path that ends in the reachable cell nearest to a
    goal that can't be reached.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> path = fc.shortest_path(fc.Grid(4, 3), (0.5, 0.5), (3.5, 2.5))
    >>> path.length
    5.0
    >>> path.at(1.5)
    array([2. , 0.5])
    >>> bool(fc.shortest_path(fc.Grid(walls=[[0, 1, 0]]), (0.5, 0.5), (2.5, 0.5)))
    False
    """

    space: Space
    cells: NDArray[np.int64]
    length: float
    cost: float
    bends: NDArray[np.float64] | None = None
    start: NDArray[np.float64] | None = None
    partial: bool = field(default=False, kw_only=True)

    @classmethod
    def over_cells(
        cls,
        space: Space,
        cells: NDArray[np.int64],
        length: float,
        cost: float,
        start: NDArray[np.float64] | None = None,
        first_cost: Callable[[NDArray[np.int64]], float] = lambda cells: 1.0,
    ) -> Path:
        """Return a path over the centers of cells that begins at a position in the first of them,
        or on waypoints, on an edge beside it.

        A path within one cell, from a position to the center, has that cell twice.

        Parameters
        ----------
        space : Space
            The map.
        cells : ndarray of int64, (N,)
            The cells in order.
        length, cost : float
            World units and cost from center to center.
        start : ndarray of float64, optional
            World position where it begins.
        first_cost : callable, optional
            Returns the cost of a world unit of the first leg, from the cells of the path.
        """
        count = len(cells)
        if start is not None and isinstance(space, Graph):
            cells, start = from_edge(space, start, cells)
        cells.flags.writeable = False
        if start is None or not count:
            return cls(space, cells, length, cost)
        center = space.position_of(cells.item(0))
        if center.tolist() == start.tolist():
            return cls(space, cells, length, cost)
        if len(cells) == 1:
            cells = np.repeat(cells, 2)
            cells.flags.writeable = False
        more = first_leg(space, cells, start)
        if len(cells) == count:
            more -= first_leg(space, cells, center)
        return cls(space, cells, length + more, cost + more * first_cost(cells), start=start)

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return len(self.cells) > 0

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """The start and the centers of the following cells, or `bends`: (N, 2) world positions,
        with straight lines between them, on a torus the shortest ones.

        (N, 3) on a 3D graph. Read-only.
        """
        if self.bends is not None:
            return self.bends
        if len(self.cells):
            centers = self.space.position_of(self.cells)
        else:
            centers = np.empty((0, self.space.dimensions))
        if self.start is not None:
            centers[0] = self.start
        centers.flags.writeable = False
        return centers

    def at(self, distances: ArrayLike) -> NDArray[np.float64]:
        """Return world positions at distances along the path.

        On a torus positions are on the map. Edges of a graph that are longer than straight lines
        are walked at an even speed.

        Parameters
        ----------
        distances : float or array_like of shape (N,)
            World units; below 0 is the start, above the length the goal.

        Returns
        -------
        ndarray of float64
            (2,) for one number, (N, 2) for many; (3,) and (N, 3) in 3D.

        Raises
        ------
        InvalidValue
            For numbers that are not finite, and for a path that was not found.
        """
        if not self.found:
            raise InvalidValue(
                "A path that was not found has no positions",
                got=repr(self),
                remedy="Check `if path:` before",
            )
        given = checks.array("distances", distances)
        wanted = checks.numbers("distances", distances, given.size if given.ndim < 2 else 1)
        walked, places_of = self._milestones
        places = np.stack([np.interp(wanted, walked, axis) for axis in places_of.T], axis=-1)
        places = self.space.wrapped(places)
        return np.asarray(places[0] if given.ndim == 0 else places)

    @cached_property
    def _milestones(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The distance to each position, and the positions without wrapping."""
        steps = self.space.shortest_vectors(np.diff(self.positions, axis=0))
        walked = np.concatenate([[0.0], np.cumsum(self._segment_lengths())])
        return walked, self.positions[0] + np.concatenate(
            [np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)]
        )

    def _segment_lengths(self) -> NDArray[np.float64]:
        """Return the length of each leg between two positions: straight ones between `bends`, those
        of steps of the space between cells.
        """
        if self.bends is not None:
            segments = self.space.shortest_vectors(np.diff(self.bends, axis=0))
            return np.asarray(np.sqrt((segments**2).sum(axis=1)))
        if self.start is None:
            return self.space.step_lengths(self.cells)
        first = first_leg(self.space, self.cells, self.start)
        return np.concatenate([[first], self.space.step_lengths(self.cells[1:])])

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return iter(self.positions)

    def __getitem__(self, index: Any) -> NDArray[np.float64]:
        return np.asarray(self.positions[index])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy:
            return np.array(self.positions, dtype=dtype)
        return np.asarray(self.positions, dtype=dtype)

    def __repr__(self) -> str:
        if not self.found:
            return "<Path: not found>"
        return f"<Path of {len(self)} cells, length {self.length:g}, cost {self.cost:g}>"


def no_path(space: Space) -> Path:
    """Return the result of a search that finds no path."""
    return Path(space, NO_CELLS, math.inf, math.inf)


_PER_CHUNK = 16  # problems that a thread takes at a time
_LONG = 2.5e-5  # seconds for a path that pay for another thread


class PathProblem(ABC):
    """The space, walls and costs of one call; `walls` include cells of infinite cost."""

    space: Space
    walls: NDArray[np.bool_]

    @abstractmethod
    def solve(self, start: Floats, here: int, goal: Floats, there: int) -> Path:
        """Return the path between two positions in two cells."""

    def solve_many(self, starts: Floats, here: Ints, goals: Floats, there: Ints) -> list[Path]:
        """Return the paths between pairs of positions, shared among threads."""
        count = len(here)
        paths = [no_path(self.space)] * count

        def solve(first: int) -> None:
            for i in range(first, min(first + _PER_CHUNK, count)):
                paths[i] = self.solve(starts[i], int(here[i]), goals[i], int(there[i]))

        def work() -> None:
            while (first := next(chunks)) < count:
                solve(first)

        began = time.perf_counter()
        chunks = itertools.count(_PER_CHUNK, _PER_CHUNK)
        solve(0)
        # Threads that search short paths only wait for each other.
        pays = time.perf_counter() - began > _LONG * min(count, _PER_CHUNK)
        pool.run([(work, ())] * (pool.shares(count // _PER_CHUNK) if pays else 1))
        return paths
