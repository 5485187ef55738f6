"""Peaks of a map of values."""

from __future__ import annotations

import numpy as np

from fieldcraft.kernels.declare import kernel
from fieldcraft.kernels.sample import on_map

__all__ = ["middle", "peaks"]


@kernel
def middle(queue, columns, rows, first, last):
    """Of the cells in a stretch of the queue, the one nearest to their mean, of equals the
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
    """The cells above the threshold beside which nothing is higher, into `out`; how many. Of a
    plateau, the middle one.
    """
    height, width = values.shape
    flat = values.reshape(-1)
    wall = walls.reshape(-1)
    link = links.reshape(-1)
    reach = np.abs(moves).max()
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
            y = here // width
            x = here - y * width
            inner = reach <= x < width - reach and reach <= y < height - reach
            for m in range(moves.shape[0]):
                there = here + moves[m, 1] * width + moves[m, 0]
                if not inner:
                    ny = on_map(y + moves[m, 1], height, wrap)
                    nx = on_map(x + moves[m, 0], width, wrap)
                    if ny < 0 or nx < 0:
                        continue
                    there = ny * width + nx
                if wall[there] or link[there if ends[m] else here] & masks[m] == 0:
                    continue
                if flat[there] > value:
                    top = False
                elif flat[there] == value and seen[there] == 0:
                    seen[there] = 1
                    queue[size], columns[size] = there, columns[i] + moves[m, 0]
                    rows[size] = rows[i] + moves[m, 1]
                    size += 1
            i += 1
        if top:
            out[count] = cell if size == 1 else middle(queue, columns, rows, np.int64(0), size)
            count += 1
    return count
