"""The cells of positions where paths begin and end."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.space import Space

__all__ = ["ON_WALL", "moved", "resolve_cells", "resolve_pairs", "unique_goals"]

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
        For the first that is off the map or in one of `walls`, naming the nearest open cell; with
        `on_wall="nearest"` that cell is taken.
    """
    try:
        found = space.cell_at(positions)
    except OutsideMap as error:
        raise _outside(space, walls, what, positions, error) from None
    if isinstance(found, int):
        cells, blocked, index = np.array([found]), bool(walls.item(found)), 0
    else:
        cells = found
        on_walls = walls.reshape(-1)[cells]
        blocked, index = bool(on_walls.any()), int(on_walls.argmax()) if len(cells) else 0
    if blocked:
        if on_wall == "nearest":
            where = np.flatnonzero(walls.reshape(-1)[cells])
            cells = cells.copy()
            cells[where] = [_nearest(space, walls, cell) for cell in cells[where].tolist()]
            return cells, isinstance(found, int)
        cell = int(cells[index])
        points, single = checks.positions(positions, dimensions=space.dimensions)
        by_cost = "" if space.walls.reshape(-1)[cell] else " by its infinite cost"
        raise OnWall(
            f"A {what} stands on an open {space.cell_name}",
            got=f"{tuple(points[index].tolist())}{_at(index, single)}, a wall{by_cost}",
            remedy=f'{_remedy(space, walls, cell)}: pass on_wall="nearest" to take it',
        )
    return cells, isinstance(found, int)


def resolve_pairs(
    space: Space, walls: NDArray[np.bool_], starts: ArrayLike, goals: ArrayLike, on_wall: str
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return start positions and cells, and goal positions and cells; one stands for all."""
    (from_, one_start), (to, one_goal) = (
        checks.positions(each, dimensions=space.dimensions) for each in (starts, goals)
    )
    if not one_start and not one_goal and len(from_) != len(to):
        raise InvalidValue(
            "There are as many goals as starts, or one for all",
            got=f"{len(from_)} starts and {len(to)} goals",
            remedy="Pass one goal per start, or one position",
        )
    count = len(to) if one_start else len(from_)
    from_cells, to_cells = (
        resolve_cells(space, walls, what, points, on_wall)[0]
        if len(points)
        else np.empty(0, dtype=np.int64)
        for what, points in (("start", from_), ("goal", to))
    )
    if on_wall != ON_WALL[0] and count:
        from_, to = moved(space, from_, from_cells), moved(space, to, to_cells)
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
    """Return the refusal of the first position that is off the map."""
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
    """Return the cell nearest to a cell that is in none of `walls`, which leave one open."""
    open_ = np.flatnonzero(~walls.reshape(-1))
    if not len(open_):
        raise InvalidValue("A path needs an open cell", got="walls everywhere", remedy="Open one")
    away = (space.short_way(space.position_of(open_) - space.position_of(cell)) ** 2).sum(axis=1)
    return int(open_[np.argmax(away <= away.min() * (1 + _EQUALLY))])


def _remedy(space: Space, walls: NDArray[np.bool_], cell: int) -> str:
    if walls.all():
        return "The map has no open cell"
    near = _nearest(space, walls, cell)
    where = ", ".join(f"{axis:g}" for axis in space.position_of(near).tolist())
    return f"The nearest open {space.cell_name} is {near}, around ({where})"
