"""Cells of positions, on open ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft.base import checks
from fieldcraft.base.errors import InvalidValue, OnWall
from fieldcraft.base.words import OUTSIDE, IfOutside, IfSourceOnWall
from fieldcraft.space import Space
from fieldcraft.space.cells import checked_cells

ON_WALL: tuple[IfSourceOnWall, ...] = ("refuse", "nearest", "through")


def place(
    space: Space,
    positions: ArrayLike,
    *,
    on_wall: IfSourceOnWall,
    outside: IfOutside,
    walls_allowed: bool = True,
    one: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return positions as an (N, 2) array, (N, 3) on a 3D graph, and their cells, (N,).

    `one` refuses all but a single position. With `outside="clamp"` a position off the map counts as
    in the nearest cell. On a wall, `on_wall="refuse"` raises `OnWall`, `"nearest"` takes the
    nearest open cell, `"through"` stays there.
    """
    checks.choice("outside", outside, OUTSIDE)
    policies = ON_WALL
    if not walls_allowed:
        policies = ON_WALL[:2]
    checks.choice("on_wall", on_wall, policies)
    if not one:
        if on_wall == "through":
            walls = None
        else:
            walls = space.walls.reshape(-1)
        quick = space._quick_cells(positions, outside, walls)
        if quick is not None:
            return np.asarray(positions), quick
    points, single = checks.positions(positions, dimensions=space.dimensions)
    if one and not single:
        raise InvalidValue(
            "add_source() takes one (x, y) pair",
            got=f"an array of shape {np.shape(positions)}",
            remedy="Use add_sources() for many",
        )
    cells = space._locate(points, outside)
    if on_wall == "through":
        return points, cells
    blocked = space.walls.reshape(-1)[cells]
    if not blocked.any():
        return points, cells
    if on_wall == "nearest":
        return points, np.asarray(space.nearest_open(cells), dtype=np.int64)
    index = int(np.flatnonzero(blocked)[0])
    where = str(tuple(points[index].tolist()))
    if len(points) > 1:
        where += f" at index {index}"
    remedies = []
    if not space.walls.all():
        free = tuple(space.position_of(space.nearest_open(int(cells[index]))).tolist())
        remedies.append(f'on_wall="nearest" to go to the nearest open cell, at {free}')
    if walls_allowed:
        remedies.append('on_wall="through" to stay')
    if remedies:
        remedy = f"Pass {', or '.join(remedies)}"
    else:
        remedy = "Open a cell: the map has none"
    raise OnWall("Sources, deposits and marks are on open cells", got=where, remedy=remedy)


def open_ground(space: Space, cells: ArrayLike) -> NDArray[np.int64]:
    """Return the cells with these ids; refuses walls."""
    places = checked_cells(space, cells)
    if space.walls.reshape(-1)[places].any():
        raise OnWall(
            "Values are set on open cells",
            got="cells of walls",
            remedy="Leave these out",
        )
    return places


def distinct_ground(space: Space, cells: ArrayLike) -> NDArray[np.int64]:
    """Return the cells with these ids, (N,); refuses walls and repeats."""
    places = np.atleast_1d(open_ground(space, cells))
    if len(places) > 1 and len(np.unique(places)) != len(places):
        raise InvalidValue(
            "Each cell comes once",
            got=f"{len(places)} cells with repeats",
            remedy="Drop the repeats",
        )
    return places
