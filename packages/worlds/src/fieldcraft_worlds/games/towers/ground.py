"""Where towers may stand, and what they take of the ground."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft import Grid
from fieldcraft.errors import InvalidValue

__all__ = ["block", "is_clear", "is_open", "openness", "ring"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def block(space: Grid, cell: int, reach: int) -> Ints:
    """The cells of the map up to `reach` rows and columns from a cell, not beyond the rim,
    ascending.
    """
    row, column = divmod(int(cell), space.width)
    rows = np.arange(max(row - reach, 0), min(row + reach + 1, space.height))
    columns = np.arange(max(column - reach, 0), min(column + reach + 1, space.width))
    return np.asarray((rows[:, None] * space.width + columns).reshape(-1), dtype=np.int64)


def ring(space: Grid, cell: int, reach: int) -> Ints:
    """The open cells around a block of that reach: from there units hit a tower, and there new ones
    appear.
    """
    outer = np.setdiff1d(
        block(space, cell, reach + 1), block(space, cell, reach), assume_unique=True
    )
    return outer[~space.walls.reshape(-1)[outer]]


def is_clear(space: Grid, reach: int) -> NDArray[np.bool_]:
    """Bool (height, width): whether a block of that reach around a cell, and the ring around it,
    are all open ground on the map.

    A tower on such a cell never cuts the ground in two: who went through its block goes round it.
    """
    return is_open(space, reach + 1)


def is_open(space: Grid, reach: int) -> NDArray[np.bool_]:
    """Bool (height, width): whether the block of that reach around a cell is all open ground on the
    map.
    """
    side = 2 * reach + 1
    walls = np.pad(space.walls, reach, constant_values=True).astype(np.int64)
    sums = np.pad(walls.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    return np.asarray(
        sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side] == 0
    )


def openness(walls: NDArray[np.bool_], reach: int) -> Ints:
    """How many cells are open within so many of each on every side, (cells,): few where a way is
    narrow.
    """
    padded = np.pad((~walls).astype(np.int64), reach)
    sums = np.pad(padded.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    side = 2 * reach + 1
    return np.asarray(
        sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]
    ).reshape(-1)


def standing(space: Grid, cell: int, reach: int) -> Ints:
    """The block of a tower, all of it on open ground; raises `InvalidValue` where it does not
    fit.
    """
    row, column = divmod(int(cell), space.width)
    if not (reach <= row < space.height - reach and reach <= column < space.width - reach):
        raise InvalidValue(
            "A tower stands on the map with its whole block",
            got=f"a block of {2 * reach + 1} cells around {place(space, cell)}",
            remedy="Place it farther from the rim",
        )
    cells = block(space, cell, reach)
    walled = cells[space.walls.reshape(-1)[cells]]
    if len(walled):
        raise InvalidValue(
            "A tower stands on open ground",
            got=f"a wall or another tower at {place(space, walled[0])}",
            remedy="Place it elsewhere",
        )
    return cells


def place(space: Grid, cell: int) -> str:
    """The position of a cell, for messages."""
    x, y = space.position_of(int(cell)).tolist()
    return f"({x:g}, {y:g})"
