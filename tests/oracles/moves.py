"""Which steps leave the cells of a grid: the specification."""

from __future__ import annotations

import functools
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from fieldcraft.kernels.shared.grid_frame import WRAP_X, WRAP_Y

__all__ = ["STEPS", "label", "leave", "pruned"]

STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))


@functools.cache
def pruned() -> NDArray[np.uint8]:
    """Which steps are worth following, shape (2, 9 * 256): `[e, d << 8 | moves]` with 8 neighbors
    (e = 1) or 4.

    For a cell that was reached by step `d` (8: for the start) and whose `moves` are those of the
    eight `STEPS`. A step is left out where its end can be reached from the cell before without this
    one, by a shorter way, or by one of the same length that is diagonal first (8 neighbors), or
    goes along the row first (4).
    """
    number = {step: k for k, step in enumerate(STEPS)}
    table = np.zeros((2, 9, 256), dtype=np.uint8)
    for moves in range(256):
        table[0, 8, moves] = moves & 15
        table[1, 8, moves] = moves
        for d, (dx, dy) in enumerate(STEPS):
            if dx and dy:
                table[1, d, moves] = moves & (1 << d | 1 << number[dx, 0] | 1 << number[0, dy])
                continue
            for eight in (0, 1):
                follow = 1 << d
                for side in ((dy, dx), (-dy, -dx)):
                    beside = number[
                        side[0] - dx, side[1] - dy
                    ]  # a diagonal back: open if the cell beside the one before is
                    if (dx and not eight) or not moves >> beside & 1:
                        follow |= 1 << number[side]
                        follow |= (1 << number[side[0] + dx, side[1] + dy]) * eight
                table[eight, d, moves] = moves & follow
    table.flags.writeable = False
    return table.reshape(2, 9 * 256)


def leave(
    links: NDArray[np.unsignedinteger],
    walls: NDArray[np.bool_],
    steps: NDArray[np.int64],
    wrap: int,
) -> NDArray[np.int64]:
    """Bit `k` of a cell is set where step `k` may leave it: `links`, which say where steps arrive,
    the other way round.
    """
    height, width = walls.shape
    moves = np.zeros((height, width), dtype=np.int64)
    for y, x in np.argwhere(~walls).tolist():
        for k, (dx, dy) in enumerate(steps.tolist()):
            in_rows = wrap & WRAP_Y or 0 <= y + dy < height
            if in_rows and (wrap & WRAP_X or 0 <= x + dx < width):
                arrives = int(links[(y + dy) % height, (x + dx) % width]) >> k & 1
                moves[y, x] |= np.int64(np.uint64(arrives << k).view(np.int64))
    return moves


def label(
    moves: NDArray[np.signedinteger], steps: NDArray[np.int64], width: int, height: int
) -> NDArray[np.int32]:
    """Number the parts of the map between which no step leads, one way or the other: the least cell
    of each.
    """
    near = defaultdict(set)
    for cell in range(width * height):
        for other in _ends(int(moves[cell]), steps.tolist(), cell, width, height):
            near[cell].add(other)
            near[other].add(cell)
    labels = np.full(width * height, -1, dtype=np.int32)
    for cell in range(width * height):
        found = [cell] if labels[cell] < 0 else []
        while found:
            here = found.pop()
            if labels[here] < 0:
                labels[here] = cell
                found += near[here]
    return labels


def _ends(moves: int, steps: list[list[int]], cell: int, width: int, height: int) -> list[int]:
    y, x = divmod(cell, width)
    return [
        (y + dy) % height * width + (x + dx) % width
        for k, (dx, dy) in enumerate(steps)
        if moves >> k & 1
    ]
