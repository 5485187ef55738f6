"""Where an exact way over the rectangles of a grid turns, from the doors that it passes."""

from __future__ import annotations

import math

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.graph_search import pull

__all__ = ["bends"]


@kernel("f8[:,::1], i4[::1], i8[:,::1], i8[::1], i8, i8, i8, f8, f8, f8, f8")
def bends(sides, behind, boxes, passed, start, goal, width, ax, ay, bx, by):
    """The places (N, 2) of a way from (ax, ay) in rectangle `start` to (bx, by) in `goal`, both
    included, and the cells (N,) they are in.

    `sides` and `behind` are the doors as `fieldcraft.kernels.any_angle` takes them, `passed` those
    of the way, `boxes` (P, 4) the first column and row of each rectangle and those behind its last,
    `width` that of the grid. Of bends in one place only the first counts.
    """
    many = passed.shape[0]
    doors, at, turned = (
        np.empty((many, 4), np.float64),
        np.empty((many, 2), np.float64),
        np.empty(many, np.bool_),
    )
    for i in range(many):
        for k in range(4):
            doors[i, k] = sides[passed[i], (k + 2) % 4]
    pull(doors, ax, ay, bx, by, at, turned)
    places, cells = np.empty((many + 2, 2), np.float64), np.empty(many + 2, np.int64)
    count = 0
    for i in range(-1, many + 1):
        x, y, box = ax, ay, start
        if i == many:
            x, y, box = bx, by, goal
        elif i >= 0:
            if not turned[i] or (
                at[i, 0] == places[count - 1, 0] and at[i, 1] == places[count - 1, 1]
            ):
                continue
            x, y, box = at[i, 0], at[i, 1], np.int64(behind[passed[i]])
        column = min(max(np.int64(math.floor(x)), boxes[box, 0]), boxes[box, 2] - 1)
        row = min(max(np.int64(math.floor(y)), boxes[box, 1]), boxes[box, 3] - 1)
        places[count, 0], places[count, 1], cells[count] = x, y, row * width + column
        count += 1
    return places[:count].copy(), cells[:count].copy()
