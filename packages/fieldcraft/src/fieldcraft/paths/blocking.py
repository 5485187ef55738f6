"""A check whether walls would cut cells off from all goals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.base.errors import InvalidValue
from fieldcraft.paths.distance_maps import DistanceMap
from fieldcraft.paths.starts_and_goals import resolve_cells
from fieldcraft.space import Space, checked_space


def would_block(
    space: Space, cells: ArrayLike, goals: ArrayLike | DistanceMap, starts: ArrayLike | None = None
) -> bool:
    """Return whether walls in these cells would cut anything off from all goals. Nothing changes.

    Parameters
    ----------
    space : Space
        A grid, graph or mesh.
    cells : array_like
        The cells, such as the cells of a tower, ids or a mask; cells that are walls already don't
        matter.
    goals : array_like or DistanceMap
        One world position or several. Or a distance map of this space that is not outdated: if it
        was searched to its end this takes a fraction of the time, because only paths over these
        cells are checked. Its goals and walls count, not its limit.
    starts : array_like, optional
        One world position or several that must not be cut off; a start in one of the cells is cut
        off. By default every other open cell.

    Raises
    ------
    OutsideMap
        If a position is outside the map; for cells that don't exist and for an outdated distance
        map.
    OnWall
        For goals and starts in walls.
    InvalidValue
        If an argument has a wrong value, shape or type.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> grid = fc.Grid(walls=[[0, 0, 0], [0, 1, 0]])
    >>> fc.would_block(grid, [1], goals=(0.5, 0.5))
    True
    >>> fc.would_block(grid, [3], goals=(0.5, 0.5))
    False
    """
    checked_space(space, "Paths lie on").cell_ids(cells)
    if not isinstance(goals, DistanceMap):
        distances = DistanceMap(space, goals)
    else:
        distances = goals
        if distances.space is not space:
            raise InvalidValue(
                "The distance map belongs to this space",
                got=f"one of {distances.space!r}",
                remedy="Pass its space, or positions",
            )
        if distances.outdated:
            raise InvalidValue(
                "The distance map has the current walls and costs",
                got="an outdated one",
                remedy="Call its repair() first",
            )
        if distances.limit < np.inf or not distances.search.repairable:
            left = distances.goals[~distances.walls.reshape(-1)[distances.goals]]
            if not len(left):
                return False
            distances = DistanceMap(
                space, space.position_of(left), np.where(distances.walls, np.inf, 1.0)
            )
    if starts is None:
        from_cells = None
    else:
        from_cells = resolve_cells(space, distances.walls, "start", starts)[0]
    return bool(len(distances.cut_off(cells, from_cells)))
