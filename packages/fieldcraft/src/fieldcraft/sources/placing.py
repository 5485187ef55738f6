"""From positions to cells, by the caller's policies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldcraft import checks, kernels
from fieldcraft.errors import InvalidValue, OnWall
from fieldcraft.sources.rows import Rows
from fieldcraft.space import Space

__all__ = ["move_plainly", "place"]

OUTSIDE = ("refuse", "clamp")
ON_WALL = ("refuse", "nearest", "through")


def place(
    space: Space,
    positions: ArrayLike,
    *,
    on_wall: str,
    outside: str,
    walls_allowed: bool = True,
    one: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Positions as an (N, 2) array, (N, 3) on a 3D graph, and their cells, (N,): the one place
    where both are checked.

    `one` refuses all but a single position. `outside="clamp"` takes the nearest cell of the rim for
    a position off the map. On a wall, `on_wall="refuse"` raises `OnWall`, `"nearest"` takes the
    nearest open cell, `"through"` stays there.
    """
    checks.choice("outside", outside, OUTSIDE)
    checks.choice("on_wall", on_wall, ON_WALL if walls_allowed else ON_WALL[:2])
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
    cell = int(cells[index])
    where = f"{tuple(points[index].tolist())}" + (f" at index {index}" if len(points) > 1 else "")
    free = (
        tuple(space.position_of(space.nearest_open(cell)).tolist())
        if not space.walls.all()
        else None
    )
    ways = [f'on_wall="nearest" to go to the nearest open cell, at {free}'] if free else []
    ways += ['on_wall="through" to stay'] if walls_allowed else []
    remedy = f"Pass {', or '.join(ways)}" if ways else "Open a cell: the map has none"
    raise OnWall("Sources, deposits and marks stand on open ground", got=where, remedy=remedy)


def move_plainly(
    rows: Rows, space: Space, ids: ArrayLike, positions: ArrayLike, on_wall: str, outside: str
) -> bool:
    """Move sources in one pass, if the arguments are arrays as they come from here, and nothing has
    to be refused; whether they were moved.
    """
    grid = space.sight_grid
    if not (
        grid is space
        and not grid.wrap
        and isinstance(ids, np.ndarray)
        and isinstance(positions, np.ndarray)
        and ids.dtype == np.int64
        and positions.dtype == np.float64
        and positions.shape == (*ids.shape, 2)
        and ids.ndim == 1
        and on_wall in ("refuse", "through")
        and outside in OUTSIDE  # what lies off the map is left to `place`
    ):
        return False
    moved = kernels.placing.move(
        grid.walls,
        ids,
        positions,
        rows._alive,
        rows._generation,
        (*grid.origin, grid.cell_size, grid.y_up),
        on_wall == "through",
        rows._changed.view(np.uint8),
        rows._cells,
        rows._positions,
    )
    rows.version += moved
    return bool(moved)
