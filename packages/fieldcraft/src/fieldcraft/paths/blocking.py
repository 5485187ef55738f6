"""Whether building somewhere shuts ways off."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fieldcraft.errors import InvalidValue
from fieldcraft.paths.distances import DistanceMap
from fieldcraft.paths.places import resolve_cells
from fieldcraft.space import Space, checked_space

__all__ = ["would_block"]


def would_block(
    space: Space, cells: ArrayLike, goals: ArrayLike | DistanceMap, starts: ArrayLike | None = None
) -> bool:
    """Whether walls in these cells would cut anything off from all goals that reaches one now.
    Nothing is changed.

    Parameters
    ----------
    space : Space
        A grid, graph or mesh.
    cells : array_like
        The cells of a tower, say, ids or a mask; those that are walls already don't matter.
    goals : array_like or DistanceMap
        One world position or several. Or a distance map of this space, which must not be outdated:
        one that was searched to its end answers at a fraction of the price, as only the ways over
        these cells are looked at. Its goals and walls count, not its limit.
    starts : array_like, optional
        One world position or several that must not be cut off; one in the cells themselves is. By
        default every open cell other than these.

    Raises
    ------
    OutsideMap
        If a position is outside the map; for cells that don't exist and for an outdated distance
        map.
    OnWall
        For goals and starts that can't be stood on.
    InvalidValue
        If an argument has a wrong value, shape or type.
    """
    checked_space(space, "Ways lie on").cell_ids(cells)
    if not isinstance(goals, DistanceMap):
        field = DistanceMap(space, goals)
    else:
        field = goals
        if field.space is not space:
            raise InvalidValue(
                "The distance map is one of this space",
                got=f"one of {field.space!r}",
                remedy="Pass its space, or positions",
            )
        if field.outdated:
            raise InvalidValue(
                "The distance map knows the walls and costs of now",
                got="an outdated one",
                remedy="Call its repair() first",
            )
        if field.limit < np.inf or not field.repairs:
            kept = field.goals[~field.walls.reshape(-1)[field.goals]]
            if not len(kept):
                return False
            field = DistanceMap(space, space.position_of(kept), np.where(field.walls, np.inf, 1.0))
    asked = None if starts is None else resolve_cells(space, field.walls, "start", starts)[0]
    return bool(len(field.cut_off(cells, asked)))
