"""Sites of towers, and the ground around them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.base.errors import InvalidValue
from fieldcraft_worlds.arrays import Ints


def block(space: Grid, cell: int, reach: int) -> Ints:
    """Return the cells of the map up to `reach` rows and columns from a cell, ascending."""
    row, column = divmod(int(cell), space.width)
    rows = np.arange(max(row - reach, 0), min(row + reach + 1, space.height))
    columns = np.arange(max(column - reach, 0), min(column + reach + 1, space.width))
    return np.asarray((rows[:, None] * space.width + columns).reshape(-1), dtype=np.int64)


def ring(space: Grid, cell: int, reach: int) -> Ints:
    """Return the open cells around a block: units hit a tower from there, and new ones appear
    there.
    """
    outer = np.setdiff1d(
        block(space, cell, reach + 1), block(space, cell, reach), assume_unique=True
    )
    return outer[~space.walls.reshape(-1)[outer]]


def is_clear(space: Grid, reach: int) -> NDArray[np.bool_]:
    """Return where a block and the ring around it are all open ground: bool (height, width).

    A tower on such a cell never cuts the ground in two: a path through its block can go around it.
    """
    return is_open(space, reach + 1)


def is_open(space: Grid, reach: int) -> NDArray[np.bool_]:
    """Return where the block around a cell is all open ground: bool (height, width)."""
    side = 2 * reach + 1
    walls = np.pad(space.walls, reach, constant_values=True).astype(np.int64)
    sums = np.pad(walls.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    return np.asarray(
        sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side] == 0
    )


def block_of_tower(space: Grid, cell: int, reach: int) -> Ints:
    """Return the block of a tower; raises `InvalidValue` if it is not all open ground."""
    row, column = divmod(int(cell), space.width)
    if not (reach <= row < space.height - reach and reach <= column < space.width - reach):
        raise InvalidValue(
            "All cells of a tower are on the map",
            got=f"a block of {2 * reach + 1} cells around {place(space, cell)}",
            remedy="Place it farther from the rim",
        )
    cells = block(space, cell, reach)
    walled = cells[space.walls.reshape(-1)[cells]]
    if len(walled):
        raise InvalidValue(
            "A tower is placed on open ground",
            got=f"a wall or another tower at {place(space, walled[0])}",
            remedy="Place it elsewhere",
        )
    return cells


def place(space: Grid, cell: int) -> str:
    """Return the position of a cell, for messages."""
    x, y = space.position_of(int(cell)).tolist()
    return f"({x:g}, {y:g})"
