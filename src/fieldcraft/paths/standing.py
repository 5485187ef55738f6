"""Places that a way can begin or end at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import OnWall, OutsideMap
from fieldcraft.space import AnySpace, Grid

__all__ = ["standing"]


def standing(space: AnySpace, walls: NDArray[np.bool_], what: str, positions: ArrayLike) -> tuple[NDArray[np.int64], bool]:
    """The cells of world positions, (N,) int64, and whether it was one position.

    Raises `OutsideMap` or `OnWall` for the first that is off the map or in one of `walls`, and names the nearest open cell.
    """
    try:
        found = space.cell_at(positions)
    except OutsideMap as error:
        if (isinstance(space, Grid) and space.wrap) or not len(space):
            raise
        points, single = checks.positions(positions, dimensions=space.dimensions)
        clamped = np.atleast_1d(space.cell_at(points, outside="clamp"))
        for index, (point, cell) in enumerate(zip(points, clamped.tolist(), strict=True)):
            try:
                space.cell_at(point)
            except OutsideMap:
                raise OutsideMap(
                    f"A {what} lies on the map. {error.rule}",
                    got=f"{tuple(point.tolist())}" + ("" if single else f" at index {index}"),
                    remedy=_remedy(space, walls, cell, what),
                ) from None
        raise
    single = isinstance(found, int)
    cells = np.atleast_1d(found)
    shut = walls.reshape(-1)[cells]
    if shut.any():
        points, _ = checks.positions(positions, dimensions=space.dimensions)
        index = int(np.flatnonzero(shut)[0])
        cell = int(cells[index])
        kind = "a wall" if space.walls.reshape(-1)[cell] else "a wall by its infinite cost"
        raise OnWall(
            f"A {what} stands on open ground",
            got=f"{tuple(points[index].tolist())}" + ("" if single else f" at index {index}") + f", {kind}",
            remedy=_remedy(space, walls, cell, what),
        )
    return cells, single


def _remedy(space: AnySpace, walls: NDArray[np.bool_], cell: int, what: str) -> str:
    open_ = np.flatnonzero(~walls.reshape(-1))
    if not len(open_):
        return "The map has no open cell"
    if isinstance(space, Grid):
        away = np.abs(np.stack(np.divmod(open_, space.width)) - np.array([[cell // space.width], [cell % space.width]])).astype(np.float64)
        if space.wrap:
            away = np.minimum(away, np.array([[space.height], [space.width]]) - away)
    else:
        away = (space.positions[open_] - space.positions[cell]).T
    near = int(open_[np.argmin((away**2).sum(axis=0))])
    where = ", ".join(f"{axis:g}" for axis in space.position_of(near).tolist())
    return f"Put the {what} on open ground: the nearest open {'cell' if isinstance(space, Grid) else 'vertex'} is {near}, around ({where})"
