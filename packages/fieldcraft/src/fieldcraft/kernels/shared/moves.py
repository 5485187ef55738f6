"""The steps that leave the cells of a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.compiling.low_level import lowest_bit
from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = [
    "PRUNED",
    "STEPS",
    "label",
    "leave",
    "stops",
    "stops_scratch",
    "turned_round",
    "wrapped",
]

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))


def _pruned() -> NDArray[np.uint8]:
    """Return the steps that a search follows, shape (2, 9 * 256): `[e, d << 8 | moves]` with 8
    neighbors (e = 1) or 4.

    `d` is the step that reached a cell (8: the start), and `moves` are the steps of `STEPS` that
    leave it. A step is left out if its end can be reached from the cell before without this cell,
    by a shorter path, or by an equally long path that is diagonal first (8 neighbors) or follows
    the row first (4).
    """
    number = {step: k for k, step in enumerate(STEPS)}
    table = np.zeros((2, 9, 256), dtype=np.uint8)
    for moves in range(256):
        table[0, 8, moves], table[1, 8, moves] = moves & 15, moves
        for d, (dx, dy) in enumerate(STEPS):
            if dx and dy:
                table[1, d, moves] = moves & (1 << d | 1 << number[dx, 0] | 1 << number[0, dy])
                continue
            for eight in (0, 1):
                follow = 1 << d
                for side in ((dy, dx), (-dy, -dx)):
                    # A diagonal back: open if the cell beside the previous one is.
                    beside = number[side[0] - dx, side[1] - dy]
                    if (dx and not eight) or not moves >> beside & 1:
                        follow |= 1 << number[side]
                        follow |= (1 << number[side[0] + dx, side[1] + dy]) * eight
                table[eight, d, moves] = moves & follow
    table.flags.writeable = False
    return table.reshape(2, 9 * 256)


PRUNED = _pruned()


def stops_scratch(shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return an array for the result of `stops`."""
    height, width = shape
    return np.zeros(2 * height * (-(-width // 64)) + 2 * width * (-(-height // 64)), dtype=np.int64)


@kernel(
    "b1[:,::1], u1[:,::1], b1[:,::1], i8[:,::1], b1, i8, i8, i8, i8, i8, out i8[:,::1]",
    "b1[:,::1], u1[:,::1], b1[:,::1], i8[:,::1], b1, i8, i8, i8, i8, i8, out u1[:,::1]",
)
def leave(walls, classes, enter, steps, ruled, wrap, y0, y1, x0, x1, moves):
    """Write the steps that may leave each cell of rows [y0, y1) and columns [x0, x1).

    `steps` (K, 2) are (columns, rows); with `ruled` the table `enter` of the terrain's `classes`
    forbids more than walls do. `moves` (height, width) is uint8 or int64.
    """
    height, width = walls.shape
    for y in range(y0, y1):
        for x in range(x0, x1):
            allowed = np.int64(0)
            if not walls[y, x]:
                for k in range(steps.shape[0]):
                    dx, dy = steps[k, 0], steps[k, 1]
                    nx, ny = x + dx, y + dy
                    if nx < 0 or nx >= width:
                        if wrap & WRAP_X == 0:
                            continue
                        nx %= width
                    if ny < 0 or ny >= height:
                        if wrap & WRAP_Y == 0:
                            continue
                        ny %= height
                    if walls[ny, nx] or (ruled and not enter[classes[y, x], classes[ny, nx]]):
                        continue
                    if abs(dx) == 1 and abs(dy) == 1:
                        if walls[y, nx] or walls[ny, x]:
                            continue
                        if ruled and not (
                            enter[classes[y, x], classes[y, nx]]
                            and enter[classes[y, nx], classes[ny, nx]]
                            and enter[classes[y, x], classes[ny, x]]
                            and enter[classes[ny, x], classes[ny, nx]]
                        ):
                            continue
                    allowed |= np.int64(1) << k
            moves[y, x] = allowed


@kernel("u1[:,::1], b1, i8, i8, i8, i8, out i8[::1]")
def stops(moves, eight, y0, y1, x0, x1, bits):
    """Mark the cells of rows [y0, y1) and columns [x0, x1) at which a straight run ends: see
    `shortest_path_uniform.uniform`.

    `moves` (height, width) are those of the eight `STEPS`. `bits` holds one bit per cell and
    straight step, 64 to a number: first the rows for steps right, then for left, then the columns
    for down and for up.
    """
    height, width = moves.shape
    row_words = (width + 63) // 64
    column_words = (height + 63) // 64
    table = PRUNED[1] if eight else PRUNED[0]
    for y in range(y0, y1):
        for x in range(x0, x1):
            here = np.int64(moves[y, x])
            for k in range(4):
                if k < 2:
                    word = k * height * row_words + y * row_words + (x >> 6)
                    bit = np.int64(1) << (x & 63)
                else:
                    word = (
                        2 * height * row_words
                        + (k - 2) * width * column_words
                        + x * column_words
                        + (y >> 6)
                    )
                    bit = np.int64(1) << (y & 63)
                if table[k << 8 | here] == 1 << k:
                    bits[word] &= ~bit
                else:
                    bits[word] |= bit


@kernel(
    "i8[::1], i8[:,::1], i8, i8, out i4[::1]",
    "u1[::1], i8[:,::1], i8, i8, out i4[::1]",
)
def label(moves, steps, width, height, labels):
    """Number the parts of the map that no step connects in either direction: cells of one part have
    one number.
    """
    for cell in range(labels.shape[0]):
        labels[cell] = cell
    for y in range(height):
        for x in range(width):
            left = np.int64(moves[y * width + x])
            while left != 0:
                k = lowest_bit(left)
                left &= left - 1
                nx, ny = (x + steps[k, 0]) % width, (y + steps[k, 1]) % height
                one, other = _root(labels, y * width + x), _root(labels, ny * width + nx)
                if one < other:
                    labels[other] = one
                elif other < one:
                    labels[one] = other
    for cell in range(labels.shape[0]):
        labels[cell] = labels[labels[cell]]


@kernel
def _root(labels, cell):
    """Return the cell that stands for the area of a cell so far; shortens the way there."""
    while labels[cell] != cell:
        labels[cell] = labels[labels[cell]]
        cell = np.int64(labels[cell])
    return cell


@kernel
def wrapped(x, y, width, height):
    """Return a column and a row within the map where a step leads over an edge that wraps."""
    if x < 0 or x >= width:
        x %= width
    if y < 0 or y >= height:
        y %= height
    return x, y


@kernel
def turned_round(cells):
    """Reverse the order of cells."""
    count = cells.shape[0]
    for i in range(count // 2):
        cells[i], cells[count - 1 - i] = cells[count - 1 - i], cells[i]
