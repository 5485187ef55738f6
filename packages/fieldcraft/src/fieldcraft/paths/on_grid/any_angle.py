"""Exact any-angle ways on grids: round the corners of walls, over the rectangles that open ground
falls into.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fieldcraft import kernels
from fieldcraft.errors import InvalidValue
from fieldcraft.kernels.arrays import frozen
from fieldcraft.kernels.reference.moves import STEPS
from fieldcraft.paths.on_grid.moves import moves_of
from fieldcraft.paths.route import Path, no_path
from fieldcraft.space import Grid
from fieldcraft.space.keeping import kept_until_walls_change

__all__ = ["Rectangles", "rectangles", "taut"]

Ints = NDArray[np.int64]
Bits = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Rectangles:
    """Open ground in rectangles, and the doors between them, in cells from the first corner of the
    array.

    `owner` (height * width,) is the rectangle of each cell, -1 for walls; `boxes` (P, 4) the first
    column and row of each and those behind its last. The doors are those that `kernels.any_angle`
    takes, `blocks` is the tree that `kernels.any_angle_blocks` finds.
    """

    owner: Ints
    boxes: Ints
    starts: Ints
    behind: NDArray[np.int32]
    sides: NDArray[np.float64]
    turns: Ints
    blocks: tuple[Ints, Ints, Ints, Ints]
    corners: int
    scratch: list[list[Any]] = field(default_factory=list)


@kept_until_walls_change
def rectangles(space: Grid) -> Rectangles:
    """The rectangles of a grid as its walls are now."""
    beside, below = _links(space)
    owner, boxes = _boxes(space, beside, below)
    starts, behind, ends = _doors(owner, below, len(boxes))
    turns, corners = _turns(space, beside, below)
    at = ends.reshape(-1, 2)
    numbers = turns[at[:, 1], at[:, 0]].reshape(-1, 2)
    sides = np.ascontiguousarray(ends, dtype=np.float64)
    blocks = kernels.any_angle_blocks.blocks(starts, behind)
    return Rectangles(
        owner.reshape(-1),
        boxes,
        frozen(starts),
        frozen(behind),
        frozen(sides),
        frozen(numbers),
        blocks,
        corners,
    )


def taut(space: Grid, start: int, goal: int, price: float) -> Path:
    """The shortest way between the middles of two cells; a world unit of it costs `price`."""
    ground = rectangles(space)
    row, column = divmod(start, space.width)
    to_row, to_column = divmod(goal, space.width)
    ends = column + 0.5, row + 0.5, to_column + 0.5, to_row + 0.5
    here, there = ground.owner.item(start), ground.owner.item(goal)
    try:
        scratch = ground.scratch.pop()
    except IndexError:
        scratch = list(
            kernels.any_angle.room(ground.corners, len(ground.behind), len(ground.blocks[1]))
        )
    doors = ground.starts, ground.behind, ground.sides, ground.turns, *ground.blocks
    passed, length = kernels.any_angle.search(*doors, here, there, *ends, *scratch)
    ground.scratch.append(scratch)
    if length == math.inf:
        return no_path(space)
    turned, cells = kernels.any_angle_bends.bends(
        ground.sides, ground.behind, ground.boxes, passed, here, there, space.width, *ends
    )
    if space.y_up:
        turned[:, 1] = space.height - turned[:, 1]
    places = np.array(space.origin) + space.cell_size * turned
    places.flags.writeable = cells.flags.writeable = False
    world = float(length) * space.cell_size
    return Path(space, cells, world, world * price, places)


def _links(space: Grid) -> tuple[Bits, Bits]:
    """Between which cells beside each other (height, width - 1), and below each other (height - 1,
    width), one can go.
    """
    if space.wrap:
        raise _refused("a torus")
    king = moves_of(space).king.reshape(space.shape)
    right, left, down, up = (
        (king >> STEPS.index(step)) & 1 == 1 for step in ((1, 0), (-1, 0), (0, 1), (0, -1))
    )
    open_ = ~space.walls
    pairs = (
        (right[:, :-1], left[:, 1:], open_[:, :-1] & open_[:, 1:]),
        (down[:-1], up[1:], open_[:-1] & open_[1:]),
    )
    if any((there & both != back & both).any() for there, back, both in pairs):
        raise _refused("terrain that lets through one way only")
    beside, below = (there & back & both for there, back, both in pairs)
    return beside, below


def _refused(got: str) -> InvalidValue:
    return InvalidValue(
        'smooth="exact" is for plain ground',
        got=got,
        remedy="Pass smooth=True, which keeps to its rules",
    )


def _boxes(space: Grid, beside: Bits, below: Bits) -> tuple[Ints, Ints]:
    """The rectangle of each cell, -1 for walls, and where they lie: runs in rows, and those below
    each other that are alike.
    """
    height, width = space.shape
    open_ = ~space.walls
    first = open_.copy()
    first[:, 1:] &= ~beside
    last = open_.copy()
    last[:, :-1] &= ~beside
    rows, begins = np.nonzero(first)
    ends = np.nonzero(last)[1] + 1
    order = np.lexsort((rows, ends, begins))
    rows, begins, ends = rows[order], begins[order], ends[order]
    again = np.zeros(len(rows), dtype=np.bool_)
    alike = (begins[1:] == begins[:-1]) & (ends[1:] == ends[:-1]) & (rows[1:] == rows[:-1] + 1)
    joined = np.zeros(
        (height + 1, width + 1), dtype=np.int64
    )  # how many links lead down from a row, up to a column
    joined[:-2, 1:] = np.cumsum(below, axis=1)
    above = np.maximum(rows - 1, 0)
    alike &= (joined[above, ends] - joined[above, begins] == ends - begins)[1:]
    again[1:] = alike
    number = np.cumsum(~again) - 1
    heads = np.flatnonzero(~again)
    tails = np.append(heads[1:], len(rows)) - 1
    boxes = np.stack([begins[heads], rows[heads], ends[heads], rows[tails] + 1], axis=1).astype(
        np.int64
    )
    owner = np.full(space.shape, -1, dtype=np.int64)
    runs = np.empty(len(rows), dtype=np.int64)
    runs[order] = number
    owner[open_] = np.repeat(runs, (np.nonzero(last)[1] + 1 - np.nonzero(first)[1]))
    return owner, boxes


def _doors(owner: Ints, below: Bits, count: int) -> tuple[Ints, NDArray[np.int32], Ints]:
    """Where the doors of each rectangle begin, what lies behind each, and its ends (K, 4), with the
    rectangle on the left of u to v.
    """
    upper, lower = owner[:-1], owner[1:]
    valid = below & (upper != lower)
    same = np.zeros_like(valid)
    same[:, 1:] = (
        valid[:, 1:]
        & valid[:, :-1]
        & (upper[:, 1:] == upper[:, :-1])
        & (lower[:, 1:] == lower[:, :-1])
    )
    goes_on = np.zeros_like(valid)
    goes_on[:, :-1] = same[:, 1:]
    rows, begins = np.nonzero(valid & ~same)
    ends = np.nonzero(valid & ~goes_on)[1] + 1
    above, under = upper[rows, begins], lower[rows, begins]
    y = rows + 1
    inside = np.concatenate([above, under])
    behind = np.concatenate([under, above])
    places = np.concatenate(
        [np.stack([ends, y, begins, y], axis=1), np.stack([begins, y, ends, y], axis=1)]
    )
    order = np.argsort(inside, kind="stable")
    starts = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(inside, minlength=count), out=starts[1:])
    return starts, behind[order].astype(np.int32), places[order].astype(np.int64)


def _turns(space: Grid, beside: Bits, below: Bits) -> tuple[Ints, int]:
    """The number of each corner of cells at which ways may turn, -1 elsewhere, (height + 1, width +
    1), and how many there are.

    Of the four steps round it one is shut, or two that lead into the same cell.
    """
    height, width = space.shape
    level = np.zeros(
        (height + 2, width + 1), dtype=np.bool_
    )  # between the cells left and right of a line
    level[1:-1, 1:-1] = beside
    upright = np.zeros((height + 1, width + 2), dtype=np.bool_)
    upright[1:-1, 1:-1] = below
    over, under, left, right = level[:-1], level[1:], upright[:, :-1], upright[:, 1:]
    many = over.astype(np.int8) + under + left + right
    turned = (many == 3) | ((many == 2) & (over != under))
    numbers = np.where(turned, np.cumsum(turned.reshape(-1)).reshape(turned.shape) - 1, -1)
    return numbers.astype(np.int64), int(turned.sum())
