"""Shortest paths from one place to another."""

from __future__ import annotations

import dataclasses
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.words import IfOnWall
from fieldcraft.kernels.shared.arrays import Floats, Ints
from fieldcraft.paths.cost import Cost, sized
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.path import Path, no_path
from fieldcraft.paths.search.path_on_grid import problem_on
from fieldcraft.paths.search.path_problem import PathProblem
from fieldcraft.paths.search.path_through_danger import Danger, TimedPath, TimedProblem
from fieldcraft.paths.starts_and_goals import ON_WALL, moved, resolve_cells, resolve_pairs
from fieldcraft.space import Space, checked_space

Unreachable = Literal["empty", "nearest"]
_UNREACHABLE = ("empty", "nearest")
_EQUALLY = 1e-9  # Squared distances are equal to one part in 1e9.


@overload
def shortest_path(
    space: Space,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    cost: Cost = None,
    smooth: bool = False,
    on_wall: IfOnWall = "refuse",
    unreachable: Unreachable = "empty",
    size: int | None = None,
) -> Path: ...


@overload
def shortest_path(
    space: Space,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    cost: Cost = None,
    smooth: bool = False,
    on_wall: IfOnWall = "refuse",
    unreachable: Unreachable = "empty",
    size: int | None = None,
    danger: Danger,
    speed: float = 1.0,
    time_step: float | None = None,
    steps: int = 64,
) -> TimedPath: ...


def shortest_path(
    space: Space,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    cost: Cost = None,
    smooth: bool = False,
    on_wall: IfOnWall = "refuse",
    unreachable: Unreachable = "empty",
    size: int | None = None,
    danger: Danger | None = None,
    speed: float = 1.0,
    time_step: float | None = None,
    steps: int = 64,
) -> Path:
    """Return the cheapest path between two positions.

    The path begins at `start` and ends at the center of the goal's cell. On waypoints agents keep
    to the edges: a start on an edge is a place on it, one beside all edges starts at the nearest
    vertex. Of several cheapest paths always the same one is returned.

    Parameters
    ----------
    space : Grid, HexGrid or Graph
        Where agents walk. Its `neighbors` and `corners` say which steps a grid allows.
    start, goal : array_like of shape (2,)
        World positions; on a 3D graph of shape (3,).
    cost : float, ndarray, layer or expression, optional
        Cost per world unit, at least 1e-6 (default 1), such as `1 + 4 * threat`; infinite cells are
        walls. A step costs its length times the mean cost of its two cells.
    smooth : bool
        Replace steps by straight legs where they cross no wall, cut no corner, and cost no more.
        Then `cells` are the cells where the path turns. On plane meshes where all cells cost the
        same the smoothed path is the shortest one.
    on_wall : {"refuse", "nearest"}
        With "nearest" a position in a wall is moved to the nearest open cell.
    unreachable : {"empty", "nearest"}
        What is returned for a goal that can't be reached: an empty path, or with "nearest" a path
        to the reachable cell that is nearest to the goal in a straight line, of equally near ones
        the cheapest to reach. Then a goal in a wall counts as one that can't be reached, and
        `path.partial` is True. Danger decides on the path, not on which cells can be reached.
    size : int, optional
        The footprint of the agent, in cells across: cells in which it does not fit are walls, see
        `fieldcraft.question.Clearance`. On grids and hexagons: a mesh is made for a radius.
    danger : layer, ndarray or callable, optional
        Damage per second, at least 0, that changes with time; infinite where agents can't be. A
        layer with its future values (see `Layer.at`), a function from seconds from now to a map or
        an array, or an array of shape (T, *space.shape), one map for each time step from now on.
        For an agent that starts in 3 seconds, pass `lambda t: threat.at(t + 3)`.
        The path has the least sum of walking cost and damage. Waiting for a time costs as much as
        walking for it. After the last time step the danger does not change. Danger changes evenly
        from one map to the next, and along a step from the cell that is left to the cell that is
        entered; the damage of a step is the integral over its time. So no step is taken while the
        danger of one of both cells is infinite, and agents and infinite danger don't change places.
    speed : float
        World units per second.
    time_step : float, optional
        Seconds from one map of the danger to the next, by default the time of a typical step. Each
        step takes a whole number of time steps, at least 1.
    steps : int
        The number of time steps to look ahead; arrays have their own number.

    Returns
    -------
    Path
        `path.found` is False if there is none. With danger a `TimedPath`, which has `times`,
        `damage` and `position_at`.

    Raises
    ------
    OnWall
        If a position is in a wall. The message names the nearest open cell.
    OutsideMap
        If a position is outside the map.
    InvalidValue
        If another argument does not fit.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 1, 0, 0],
    ...                       [0, 0, 1, 0, 0],
    ...                       [0, 0, 0, 0, 0]])
    >>> path = fc.shortest_path(grid, (0.5, 1.5), (3.5, 1.5))
    >>> path.length
    5.0
    >>> path.positions
    array([[0.5, 1.5],
           [1.5, 1.5],
           [1.5, 2.5],
           [2.5, 2.5],
           [3.5, 2.5],
           [3.5, 1.5]])

    The path to a goal on an island ends where the goal is nearest:

    >>> islands = fc.Grid(walls=[[0, 0, 1, 0]])
    >>> path = fc.shortest_path(islands, (0.5, 0.5), (3.5, 0.5), unreachable="nearest")
    >>> path.cells, path.partial
    (array([0, 1]), True)

    A guard passes. The agent waits, because walking at once would cost `damage`:

    >>> street = fc.Grid(4, 1)
    >>> guard = [[[0, 0, 9, 0]], [[0, 0, 9, 0]], [[0, 0, 0, 0]]]
    >>> path = fc.shortest_path(street, (0.5, 0.5), (3.5, 0.5), danger=guard)
    >>> path.cells, path.times, path.damage
    (array([0, 1, 1, 2, 3]), array([0., 1., 2., 3., 4.]), 0.0)
    """
    timing = (speed, time_step, steps)
    cost = sized(space, cost, size)
    problem = _problem(space, cost, smooth, on_wall, danger, timing)
    is_partial = checks.choice("unreachable", unreachable, _UNREACHABLE) == "nearest"
    place, here = _end(space, problem.walls, "start", start, on_wall)
    if not is_partial:
        target, there = _end(space, problem.walls, "goal", goal, on_wall)
        return problem.solve(place, here, target, there)
    target, there = _end(space, _walls_of_goals(problem, on_wall), "goal", goal, on_wall)
    if not problem.walls.reshape(-1)[there]:
        path = problem.solve(place, here, target, there)
        if path.found:
            return path
    return _Nearest(problem, cost).path(place, here, target)


def shortest_paths(
    space: Space,
    starts: ArrayLike,
    goals: ArrayLike,
    *,
    cost: Cost = None,
    smooth: bool = False,
    on_wall: IfOnWall = "refuse",
    unreachable: Unreachable = "empty",
    size: int | None = None,
    danger: Danger | None = None,
    speed: float = 1.0,
    time_step: float | None = None,
    steps: int = 64,
) -> list[Path]:
    """Return many shortest paths, from each start to the goal of the same number.

    Uses all threads; the paths do not depend on their number.

    Parameters
    ----------
    space, cost, smooth, on_wall, unreachable, size, danger, speed, time_step, steps
        See `shortest_path`. The danger is computed once for all paths.
    starts, goals : array_like of shape (N, 2) or (2,)
        World positions; one stands for all.

    Returns
    -------
    list of Path
        In the order of the starts.

    Raises
    ------
    OnWall, OutsideMap, InvalidValue
        As `shortest_path` does, naming the index.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> paths = fc.shortest_paths(fc.Grid(5, 3), [(0.5, 0.5), (2.5, 2.5)], (4.5, 0.5))
    >>> [path.length for path in paths]
    [4.0, 4.0]
    """
    timing = (speed, time_step, steps)
    cost = sized(space, cost, size)
    problem = _problem(space, cost, smooth, on_wall, danger, timing)
    if checks.choice("unreachable", unreachable, _UNREACHABLE) == "empty":
        places, here, targets, there = resolve_pairs(space, problem.walls, starts, goals, on_wall)
        return problem.solve_many(places, here, targets, there)
    walls_of_goals = _walls_of_goals(problem, on_wall)
    places, here, targets, there = resolve_pairs(
        space, problem.walls, starts, goals, on_wall, walls_of_goals
    )
    paths = [no_path(space)] * len(here)
    tried = np.flatnonzero(~problem.walls.reshape(-1)[there])
    found = problem.solve_many(places[tried], here[tried], targets[tried], there[tried])
    for i, path in zip(tried.tolist(), found, strict=True):
        paths[i] = path
    nearest = _Nearest(problem, cost)
    for i, path in enumerate(paths):
        if not path.found:
            paths[i] = nearest.path(places[i], int(here[i]), targets[i])
    return paths


def _walls_of_goals(problem: PathProblem, on_wall: IfOnWall) -> NDArray[np.bool_]:
    """Return the walls in which goals are moved or refused: none where they count as goals that
    can't be reached.
    """
    if on_wall == "refuse":
        return np.zeros_like(problem.walls)
    return problem.walls


class _Nearest:
    """The paths of one call to the reachable cells nearest to goals that can't be reached."""

    def __init__(self, problem: PathProblem, cost: Cost) -> None:
        self._problem = problem
        self._cost = cost
        self._reached: dict[int, tuple[Ints, Floats]] = {}

    def path(self, start: Floats, here: int, goal: Floats) -> Path:
        """Return the path from a position in a cell to the reachable cell nearest to a goal."""
        space = self._problem.space
        cells, costs = self._reached_from(here)
        away = (space.shortest_vectors(space.position_of(cells) - goal) ** 2).sum(axis=1)
        near = away <= away.min() * (1 + _EQUALLY)
        cells = cells[near]
        nearest = int(cells[np.lexsort((cells, costs[near]))[0]])
        path = self._problem.solve(start, here, space.position_of(nearest), nearest)
        return dataclasses.replace(path, partial=path.found)

    def _reached_from(self, here: int) -> tuple[Ints, Floats]:
        """Return the cells that can be reached from a cell, and the costs of the paths there."""
        if here not in self._reached:
            space = self._problem.space
            place = space.position_of(here)
            costs = DistanceMap(space, place, self._cost, outward=True).exact.reshape(-1)
            cells = np.flatnonzero(np.isfinite(costs))
            self._reached[here] = (cells, costs[cells])
        return self._reached[here]


_Timing = tuple[float, float | None, int]
_USUAL: _Timing = (1.0, None, 64)


def _problem(
    space: Space,
    cost: Cost,
    smooth: bool,
    on_wall: IfOnWall,
    danger: Danger | None,
    timing: _Timing,
) -> PathProblem:
    """Return the searches of one call; `timing` are speed, time_step and steps."""
    checks.flag("smooth", smooth)
    checks.choice("on_wall", on_wall, ON_WALL)
    if danger is not None:
        if smooth:
            raise InvalidValue(
                "Paths through danger can't be smoothed",
                got="smooth=True with danger",
                remedy="Leave smooth out",
            )
        return TimedProblem(checked_space(space, "Paths lie on"), cost, danger, *timing)
    if not all(isinstance(each, float | int | None) for each in timing) or timing != _USUAL:
        raise InvalidValue(
            "speed, time_step and steps need a danger",
            got="one of them without danger",
            remedy="Pass danger=threat, or leave them out",
        )
    return problem_on(space, cost, smooth)


def _end(
    space: Space, walls: NDArray[np.bool_], what: str, position: ArrayLike, on_wall: IfOnWall
) -> tuple[Floats, int]:
    """Return one end of a path and its cell."""
    cells, single = resolve_cells(space, walls, what, position, on_wall)
    if not single:
        checks.position(position, f"{what} is one position; shortest_paths takes many")
    place = np.asarray(getattr(position, "position", position), dtype=np.float64)
    if on_wall != ON_WALL[0]:
        place = moved(space, place[np.newaxis], cells)[0]
    return place, int(cells[0])
