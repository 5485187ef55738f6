"""Places that a way can begin or end at."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks
from fieldcraft.errors import OnWall, OutsideMap
from fieldcraft.space import Space

__all__ = ["standing"]

_EQUALLY = 1e-9  # distances are equal to one part in so many; of equal ones the lowest id is named


def standing(
    space: Space, walls: NDArray[np.bool_], what: str, positions: ArrayLike
) -> tuple[NDArray[np.int64], bool]:
    """The cells of world positions, (N,) int64, and whether it was one position.

    Raises `OutsideMap` or `OnWall` for the first that is off the map or in one of `walls`, and
    names the nearest open cell.
    """
    try:
        found = space.cell_at(positions)
    except OutsideMap as error:
        if space.period is not None or not len(space):
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
            got=f"{tuple(points[index].tolist())}"
            + ("" if single else f" at index {index}")
            + f", {kind}",
            remedy=_remedy(space, walls, cell, what),
        )
    return cells, single


def _remedy(space: Space, walls: NDArray[np.bool_], cell: int, what: str) -> str:
    open_ = np.flatnonzero(~walls.reshape(-1))
    if not len(open_):
        return "The map has no open cell"
    away = (space.short_way(space.position_of(open_) - space.position_of(cell)) ** 2).sum(axis=1)
    near = int(open_[np.argmax(away <= away.min() * (1 + _EQUALLY))])
    where = ", ".join(f"{axis:g}" for axis in space.position_of(near).tolist())
    return (
        f"Put the {what} on open ground: the nearest open {space.cell_name} is {near}, around"
        f" ({where})"
    )
