"""Peaks of a map of values."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.compiling.declare import kernel
from fieldcraft.kernels.distances.distance_steps import neighbor

__all__ = ["middle", "peaks"]


@kernel
def middle(queue, columns, rows, first, last):
    """Return the cell in a stretch of the queue nearest to the mean of these cells, of equals the
    lowest.
    """
    sum_x, sum_y = 0, 0
    for i in range(first, last):
        sum_x += columns[i]
        sum_y += rows[i]
    mean_x = sum_x / (last - first)
    mean_y = sum_y / (last - first)
    nearest = np.inf
    found = -1
    for i in range(first, last):
        dx, dy = columns[i] - mean_x, rows[i] - mean_y
        d2 = dx * dx + dy * dy
        if d2 < nearest or (d2 == nearest and queue[i] < found):
            nearest = d2
            found = queue[i]
    return found


@kernel(
    "f4[:,::1], b1[:,::1], u1[:,::1], i8[:,::1], u1[::1], b1[::1], f8, b1, out i8[::1]",
    "f4[:,::1], b1[:,::1], u8[:,::1], i8[:,::1], u8[::1], b1[::1], f8, b1, out i8[::1]",
    error_model="numpy",
)
def peaks(values, walls, links, moves, masks, ends, threshold, wrap, out):
    """Write the cells above the threshold without a higher neighbor to `out`, of a plateau the
    middle one; return their number.
    """
    height, width = values.shape
    flat = values.reshape(-1)
    wall = walls.reshape(-1)
    link = links.reshape(-1)
    seen, queue = np.zeros(flat.shape[0], np.uint8), np.empty(flat.shape[0], np.int64)
    columns, rows = np.empty(flat.shape[0], np.int64), np.empty(flat.shape[0], np.int64)
    count = 0
    for cell in range(flat.shape[0]):
        value = flat[cell]
        if wall[cell] or seen[cell] != 0 or not value > threshold:
            continue
        queue[0], columns[0], rows[0] = cell, cell % width, cell // width
        seen[cell] = 1
        size = np.int64(1)
        i = 0
        top = True
        while i < size:
            here = queue[i]
            for m in range(moves.shape[0]):
                dx, dy = moves[m, 0], moves[m, 1]
                there = neighbor(here, dx, dy, dy * width + dx, width, height, wrap)
                if there < 0 or wall[there] or link[there if ends[m] else here] & masks[m] == 0:
                    continue
                if flat[there] > value:
                    top = False
                elif flat[there] == value and seen[there] == 0:
                    seen[there] = 1
                    queue[size], columns[size] = there, columns[i] + dx
                    rows[size] = rows[i] + dy
                    size += 1
            i += 1
        if top:
            out[count] = cell if size == 1 else middle(queue, columns, rows, np.int64(0), size)
            count += 1
    return count
