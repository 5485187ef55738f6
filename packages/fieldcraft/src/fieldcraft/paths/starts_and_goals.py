"""The cells of the positions where paths start and end."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OnWall, OutsideMap
from fieldcraft.base.words import IfOnWall
from fieldcraft.kernels.shared.arrays import read_only
from fieldcraft.space import Space
from fieldcraft.space.csr import NO_CELLS
from fieldcraft.space.wrapping import wraps_everywhere

ON_WALL = ("refuse", "nearest")
# Squared distances are equal to one part in 1e9; of equally near cells the lowest is named.
_EQUALLY = 1e-9
_NO_COST = read_only(np.zeros(1))
"""The start cost of a single goal without one."""


def resolve_cells(
    space: Space,
    walls: NDArray[np.bool_],
    what: str,
    positions: ArrayLike,
    on_wall: IfOnWall = "refuse",
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
    if isinstance(positions, np.ndarray):
        quick = space._quick_cells(positions, "refuse", walls.reshape(-1))
        if quick is not None:
            return quick, False
    try:
        found = space.cell_at(positions)
    except OutsideMap as error:
        raise _outside(space, walls, what, positions, error) from None
    single = isinstance(found, int)
    if isinstance(found, int):
        cells = np.array([found])
        if not walls.item(found):
            return cells, True
    else:
        cells = found
    blocked = np.flatnonzero(walls.reshape(-1)[cells])
    if not len(blocked):
        return cells, single
    if on_wall == "nearest":
        cells = cells.copy()
        cells[blocked] = [_nearest(space, walls, cell) for cell in cells[blocked].tolist()]
        return cells, single
    index = int(blocked[0])
    cell = int(cells[index])
    points, _ = checks.positions(positions, dimensions=space.dimensions)
    by_cost = ""
    if not space.walls.reshape(-1)[cell]:
        by_cost = " by its infinite cost"
    remedy = _remedy(space, walls, cell)
    if not walls.all():
        remedy += ': pass on_wall="nearest" to take it'
    raise OnWall(
        f"A {what} stands on an open {space.cell_name}",
        got=f"{tuple(points[index].tolist())}{_at(index, single)}, a wall{by_cost}",
        remedy=remedy,
    )


def resolve_pairs(
    space: Space,
    walls: NDArray[np.bool_],
    starts: ArrayLike,
    goals: ArrayLike,
    on_wall: IfOnWall,
    walls_of_goals: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Return start positions and cells, and goal positions and cells; a single one is repeated.
    With `walls_of_goals` goals are on open ground of these walls instead.
    """
    if walls_of_goals is None:
        walls_of_goals = walls
    from_, one_start = checks.positions(starts, dimensions=space.dimensions)
    to, one_goal = checks.positions(goals, dimensions=space.dimensions)
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
    from_cells = _cells_of(space, walls, "start", from_, on_wall)
    to_cells = _cells_of(space, walls_of_goals, "goal", to, on_wall)
    if on_wall != ON_WALL[0] and count:
        from_ = moved(space, from_, from_cells)
        to = moved(space, to, to_cells)
    return (
        np.broadcast_to(from_, (count, space.dimensions)),
        np.array(np.broadcast_to(from_cells, count)),
        np.broadcast_to(to, (count, space.dimensions)),
        np.array(np.broadcast_to(to_cells, count)),
    )


def _cells_of(
    space: Space,
    walls: NDArray[np.bool_],
    what: str,
    points: NDArray[np.float64],
    on_wall: IfOnWall,
) -> NDArray[np.int64]:
    """Return the cells of some or no world positions."""
    if not len(points):
        return NO_CELLS
    return resolve_cells(space, walls, what, points, on_wall)[0]


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
    if start_costs is None and len(cells) == 1:
        cells.setflags(write=False)
        return cells, _NO_COST
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
    cells.flags.writeable = False
    costs.flags.writeable = False
    return cells, costs


def _outside(
    space: Space, walls: NDArray[np.bool_], what: str, positions: ArrayLike, error: OutsideMap
) -> OutsideMap:
    """Return the error for the first position that is off the map."""
    if wraps_everywhere(space.period) or not len(space):
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
    if single:
        return ""
    return f" at index {index}"


def _nearest(space: Space, walls: NDArray[np.bool_], cell: int) -> int:
    """Return the nearest cell without a wall; `walls` leave at least one open."""
    open_ = np.flatnonzero(~walls.reshape(-1))
    if not len(open_):
        raise InvalidValue("A path needs an open cell", got="walls everywhere", remedy="Open one")
    vectors = space.shortest_vectors(space.position_of(open_) - space.position_of(cell))
    away = (vectors**2).sum(axis=1)
    return int(open_[np.argmax(away <= away.min() * (1 + _EQUALLY))])


def _remedy(space: Space, walls: NDArray[np.bool_], cell: int) -> str:
    if space.walls.all():
        return "The map has no open cell: open some with space.set_walls(cells, False)"
    if walls.all():
        return "No cell has a finite cost: pass finite costs where one can walk, or a smaller size"
    near = _nearest(space, walls, cell)
    where = ", ".join(f"{axis:g}" for axis in space.position_of(near).tolist())
    return f"The nearest open {space.cell_name} is {near}, around ({where})"
