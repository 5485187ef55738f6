"""Obstacles of moves between positions on grids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import InvalidValue
from fieldcraft.kernels.shared.arrays import Bytes, read_only
from fieldcraft.space.cached import cached_until_walls_change
from fieldcraft.space.grid.grid import Grid
from fieldcraft.space.grid.neighborhood import Terrain, beside

EAST = 1
WEST = 2
NORTH = 4
SOUTH = 8
NORTH_EAST = 16
NORTH_WEST = 32
SOUTH_EAST = 64
SOUTH_WEST = 128
WALL = 255

_SIDES = ((EAST, 1, 0), (WEST, -1, 0), (NORTH, 0, 1), (SOUTH, 0, -1))
_CORNERS = ((NORTH_EAST, 0, 2), (NORTH_WEST, 1, 2), (SOUTH_EAST, 0, 3), (SOUTH_WEST, 1, 3))
"""The corners, each with the places of its two sides in `_SIDES`."""

_MOST_RINGS = 8


@cached_until_walls_change
def passages(space: Grid) -> Bytes:
    """Return the sides and corners of each cell that are blocked: uint8 of shape (height, width),
    read-only.

    Row 0 holds the smallest y, for either value of `y_up`: `floor((y - origin_y) / cell_size)`.
    North is where y grows. A side is blocked if a wall, the border or the terrain is in the way. A
    corner is blocked if both sides at it are open, but a side behind it is not: agents with a width
    touch it. A wall is `WALL`.

    Raises
    ------
    InvalidValue
        For a grid with `corners="cut"`: straight moves between positions can't pass between two
        walls.
    """
    if space.corners == "cut":
        raise InvalidValue(
            "Agents that move from position to position cut no corners",
            got="a grid with corners='cut'",
            remedy='Move them on a grid with corners="never" or "if-one-open", or from cell to cell'
            " by distances.step",
        )
    walls = space.walls
    classes = None
    if space.terrain is not None:
        classes = space.terrain.classes
    if space.y_up:
        walls = walls[::-1]
        if classes is not None:
            classes = classes[::-1]
    return read_only(_blocked(walls, classes, space.terrain, space.wrap_flags))


@cached_until_walls_change
def _clear_cells(space: Grid) -> dict[int, Bytes]:
    """Return the cache of `clear_cells`, by the number of rings."""
    return {}


def clear_cells(space: Grid, rings: int) -> Bytes:
    """Return 1 for cells without obstacles in them and in the `rings` around them, else 0: uint8 of
    shape (height, width), rows as in `passages`.

    Kernels skip the search for walls there. All cells are 0 where there are too many rings to save
    time.
    """
    cache = _clear_cells(space)
    if rings not in cache:
        busy = passages(space) != 0
        if rings > _MOST_RINGS:
            busy[:] = True
        else:
            for dx, dy in ((1, 0), (0, 1)):
                steps = [(dx * k, dy * k) for k in range(-rings, rings + 1)]
                near = [beside(busy, *step, False, space.wrap_flags) for step in steps]
                busy = np.logical_or.reduce(near)
        cache[rings] = read_only((~busy).astype(np.uint8))
    return cache[rings]


def _blocked(
    walls: NDArray[np.bool_], classes: Bytes | None, terrain: Terrain | None, wrap: int
) -> Bytes:
    blocked = []
    found = np.zeros(walls.shape, dtype=np.uint8)
    for bit, dx, dy in _SIDES:
        side = beside(walls, dx, dy, True, wrap)
        if terrain is not None and classes is not None:
            side = side | ~terrain.enter[classes, beside(classes, dx, dy, 0, wrap)]
        blocked.append(side)
        found |= side * np.uint8(bit)
    for bit, across, along in _CORNERS:
        first = beside(blocked[along], *_SIDES[across][1:], True, wrap)
        second = beside(blocked[across], *_SIDES[along][1:], True, wrap)
        found |= (~blocked[across] & ~blocked[along] & (first | second)) * np.uint8(bit)
    found[walls] = WALL
    return found
